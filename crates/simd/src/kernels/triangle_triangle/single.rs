//! One pair of triangles.

use glam::DVec3;

use crate::Triangle;
use crate::exact::triangles_intersect;

/// Whether two closed triangles share a point, exactly; see [the module](super).
///
/// Boxes, then the signs of corners over the other's plane, then two signs that order the ends of the
/// segments that the triangles cut out of the common line (P. Guigue and O. Devillers, "Fast and robust
/// triangle–triangle overlap test using orientation predicates", 2003, section 4). Left as soon
/// as the triangles are apart; a sign in doubt is left to [`triangles_intersect`].
#[inline]
pub fn meet(a: &Triangle, b: &Triangle) -> bool {
    if !a.bounds().overlaps(&b.bounds()) {
        return false;
    }
    let [p, q] = [a, b].map(|t| [t.a.as_dvec3(), t.b.as_dvec3(), t.c.as_dvec3()]);
    by_signs(&p, &q).unwrap_or_else(|| triangles_intersect(&p, &q))
}

/// The answer, unless a sign is in doubt.
#[inline]
fn by_signs(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<bool> {
    let of_b = sides(a, b);
    if apart(of_b) {
        return Some(false);
    }
    let of_a = sides(b, a);
    if apart(of_a) {
        return Some(false);
    }
    if of_a.contains(&0) || of_b.contains(&0) {
        return None;
    }
    let ([p, mut q, mut r], p_side) = alone_first(a, of_a);
    let ([s, mut t, mut u], s_side) = alone_first(b, of_b);
    // So that the lone corners are in front of the other triangle.
    if p_side < 0 {
        (t, u) = (u, t);
    }
    if s_side < 0 {
        (q, r) = (r, q);
    }
    let first = sign(q - p, s - p, t - p);
    if first > 0 {
        return Some(false);
    }
    let second = sign(r - p, u - p, s - p);
    if second > 0 {
        return Some(false);
    }
    (first != 0 && second != 0).then_some(true)
}

fn apart([i, j, k]: [i32; 3]) -> bool {
    i != 0 && i == j && j == k
}

/// On which side of the plane of a triangle the corners of another one are; 0 when in doubt.
fn sides(&[a, b, c]: &[DVec3; 3], of: &[DVec3; 3]) -> [i32; 3] {
    let (to_b, to_c) = (b - a, c - a);
    [
        sign(to_b, to_c, of[0] - a),
        sign(to_b, to_c, of[1] - a),
        sign(to_b, to_c, of[2] - a),
    ]
}

/// The corners, turned so that the one on a side of its own comes first, and that side.
fn alone_first(&[a, b, c]: &[DVec3; 3], [i, j, k]: [i32; 3]) -> ([DVec3; 3], i32) {
    if j == k {
        ([a, b, c], i)
    } else if i == k {
        ([b, c, a], j)
    } else {
        ([c, a, b], k)
    }
}

/// The sign of `(x × y) · z`, 0 when in doubt, for rounded differences of single-precision
/// coordinates to one common point.
///
/// The error is at most (7 + 56u) u times the sum of the products without their signs, u = 2⁻⁵³
/// (J. R. Shewchuk, 1997, the first stage of the adaptive test): no product of three differences of
/// such coordinates leaves the range of double precision. NaN is in doubt.
#[inline(always)]
fn sign(x: DVec3, y: DVec3, z: DVec3) -> i32 {
    const RELATIVE: f64 = 8.0 * (f64::EPSILON / 2.0);
    let (left, right) = (
        DVec3::new(x.y * y.z, x.z * y.x, x.x * y.y),
        DVec3::new(x.z * y.y, x.x * y.z, x.y * y.x),
    );
    let volume = (left - right).dot(z);
    let bound = (left.abs() + right.abs()).dot(z.abs()) * RELATIVE;
    i32::from(volume > bound) - i32::from(volume < -bound)
}
