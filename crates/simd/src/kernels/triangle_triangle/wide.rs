//! As many pairs of triangles as a vector has lanes, in single precision: apart, meeting, or in doubt.

use fearless_simd::prelude::*;

/// The least bound. More than what three products and their factors lose where they are subnormal.
const TINY: f32 = f32::MIN_POSITIVE;

/// Of the sum of the products without their signs.
///
/// With u = 2⁻²⁴ the rounding of a volume (x × y) · z of rounded differences is at most (7 + 56u) u of
/// the computed sum (J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
/// Geometric Predicates", 1997, errboundA of ORIENT3D). The rest of 8u covers adding [`TINY`].
const RELATIVE: f32 = 8.0 * (f32::EPSILON / 2.0);

/// Corners, coordinate by coordinate.
type Corners<S> = [[<S as Simd>::f32s; 3]; 3];

/// The planes of triangles.
pub(super) struct Plane<S: Simd> {
    through: [S::f32s; 3],
    /// The cross product of two edges.
    normal: [S::f32s; 3],
    /// The products of the normal without their signs.
    size: [S::f32s; 3],
}

impl<S: Simd> Plane<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, [a, b, c]: &Corners<S>) -> Self {
        let (normal, size) = cross::<S>(simd, &sub::<S>(b, a), &sub::<S>(c, a));
        Self {
            through: *a,
            normal,
            size,
        }
    }

    /// Volumes over the corners of other triangles, and a bound of the error of all three.
    #[inline(always)]
    fn heights(&self, simd: S, [p, q, r]: &Corners<S>) -> ([S::f32s; 3], S::f32s) {
        let p = sub::<S>(p, &self.through);
        let q = sub::<S>(q, &self.through);
        let r = sub::<S>(r, &self.through);
        let reach = [
            p[0].abs().max(q[0].abs()).max(r[0].abs()),
            p[1].abs().max(q[1].abs()).max(r[1].abs()),
            p[2].abs().max(q[2].abs()).max(r[2].abs()),
        ];
        let heights = [
            dot::<S>(&self.normal, &p),
            dot::<S>(&self.normal, &q),
            dot::<S>(&self.normal, &r),
        ];
        (heights, bound::<S>(simd, &self.size, &reach))
    }
}

/// Which lanes meet for sure, and which are in doubt; the others are apart.
///
/// What is said to be apart is, and what is said to meet does, for finite coordinates. With one
/// that is not, a height or its bound is infinite or NaN, and nothing is said to meet: the six
/// heights are compared one by one, and an overflow reaches the bound, whose terms are at least those of the
/// heights.
#[inline(always)]
pub(super) fn filter<S: Simd>(
    simd: S,
    a: &Corners<S>,
    plane: &Plane<S>,
    b: &Corners<S>,
) -> [u64; 2] {
    let mut apart = beside::<S>(a, b, 0) | beside::<S>(a, b, 1) | beside::<S>(a, b, 2);
    if (!apart).to_bitmask() == 0 {
        return [0; 2];
    }
    let (of_b, bound_b) = plane.heights(simd, b);
    apart |= one_side::<S>(&of_b, bound_b);
    if (!apart).to_bitmask() == 0 {
        return [0; 2];
    }
    let (of_a, bound_a) = Plane::<S>::new(simd, b).heights(simd, a);
    apart |= one_side::<S>(&of_a, bound_a);
    let left = !apart;
    if left.to_bitmask() == 0 {
        return [0; 2];
    }
    let sure = clear::<S>(&of_a, bound_a) & clear::<S>(&of_b, bound_b);

    let zero = S::f32s::splat(simd, 0.0);
    let (alone_a, front_a) = lone::<S>(zero, &of_a);
    let (alone_b, front_b) = lone::<S>(zero, &of_b);
    let [p, q, r] = turned::<S>(a, &alone_a);
    let [s, t, u] = turned::<S>(b, &alone_b);
    // So that the lone corners are in front of the other triangle.
    let (t, u) = swapped::<S>(front_a, &t, &u);
    let (q, r) = swapped::<S>(front_b, &q, &r);
    let to_s = sub::<S>(&s, &p);
    let (first, first_bound) = volume::<S>(simd, &sub::<S>(&q, &p), &to_s, &sub::<S>(&t, &p));
    let (second, second_bound) = volume::<S>(simd, &sub::<S>(&r, &p), &sub::<S>(&u, &p), &to_s);
    let beyond = first.simd_gt(first_bound) | second.simd_gt(second_bound);
    let within = first.simd_lt(-first_bound) & second.simd_lt(-second_bound);
    let met = left & sure & within;
    [
        met.to_bitmask(),
        (left & !met & !(sure & beyond)).to_bitmask(),
    ]
}

/// Whether the extents along an axis are apart.
#[inline(always)]
fn beside<S: Simd>(a: &Corners<S>, b: &Corners<S>, axis: usize) -> S::mask32s {
    let a_lo = a[0][axis].min(a[1][axis]).min(a[2][axis]);
    let a_hi = a[0][axis].max(a[1][axis]).max(a[2][axis]);
    let b_lo = b[0][axis].min(b[1][axis]).min(b[2][axis]);
    let b_hi = b[0][axis].max(b[1][axis]).max(b[2][axis]);
    a_lo.simd_gt(b_hi) | b_lo.simd_gt(a_hi)
}

/// Whether all heights have one sign for sure.
#[inline(always)]
fn one_side<S: Simd>([i, j, k]: &[S::f32s; 3], bound: S::f32s) -> S::mask32s {
    i.min(*j).min(*k).simd_gt(bound) | i.max(*j).max(*k).simd_lt(-bound)
}

/// Whether the signs of all heights are sure.
#[inline(always)]
fn clear<S: Simd>([i, j, k]: &[S::f32s; 3], bound: S::f32s) -> S::mask32s {
    i.abs().simd_gt(bound) & j.abs().simd_gt(bound) & k.abs().simd_gt(bound)
}

/// Whether the first or the second corner is on a side of its own, and whether the one that is has a
/// positive height. Means nothing when all are on one side.
#[inline(always)]
fn lone<S: Simd>(zero: S::f32s, heights: &[S::f32s; 3]) -> ([S::mask32s; 2], S::mask32s) {
    let i = heights[0].simd_gt(zero);
    let j = heights[1].simd_gt(zero);
    let k = heights[2].simd_gt(zero);
    let (first, second) = (!(j ^ k), !(i ^ k));
    // Of three signs that are not all equal the lone one is what is not the majority.
    let majority = (i & j) | (j & k) | (i & k);
    ([first, second], !majority)
}

/// Corners in turn, the lone one first.
#[inline(always)]
fn turned<S: Simd>([a, b, c]: &Corners<S>, [first, second]: &[S::mask32s; 2]) -> Corners<S> {
    [
        pick::<S>(*first, a, &pick::<S>(*second, b, c)),
        pick::<S>(*first, b, &pick::<S>(*second, c, a)),
        pick::<S>(*first, c, &pick::<S>(*second, a, b)),
    ]
}

/// Two points, swapped unless the mask is set.
#[inline(always)]
fn swapped<S: Simd>(
    keep: S::mask32s,
    a: &[S::f32s; 3],
    b: &[S::f32s; 3],
) -> ([S::f32s; 3], [S::f32s; 3]) {
    (pick::<S>(keep, a, b), pick::<S>(keep, b, a))
}

#[inline(always)]
fn pick<S: Simd>(mask: S::mask32s, a: &[S::f32s; 3], b: &[S::f32s; 3]) -> [S::f32s; 3] {
    [
        mask.select(a[0], b[0]),
        mask.select(a[1], b[1]),
        mask.select(a[2], b[2]),
    ]
}

/// `(x × y) · z` and a bound of its error.
#[inline(always)]
fn volume<S: Simd>(
    simd: S,
    x: &[S::f32s; 3],
    y: &[S::f32s; 3],
    z: &[S::f32s; 3],
) -> (S::f32s, S::f32s) {
    let (normal, size) = cross::<S>(simd, x, y);
    let reach = [z[0].abs(), z[1].abs(), z[2].abs()];
    (dot::<S>(&normal, z), bound::<S>(simd, &size, &reach))
}

/// A bound of the error of a volume. What products lose where they are subnormal, at most 2⁻¹⁴⁹ in a
/// component of the cross product and in each product with it, is less than the share of [`TINY`].
#[inline(always)]
fn bound<S: Simd>(simd: S, size: &[S::f32s; 3], reach: &[S::f32s; 3]) -> S::f32s {
    dot::<S>(size, reach) * S::f32s::splat(simd, RELATIVE) + S::f32s::splat(simd, TINY)
}

#[inline(always)]
fn sub<S: Simd>(a: &[S::f32s; 3], b: &[S::f32s; 3]) -> [S::f32s; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<S: Simd>(a: &[S::f32s; 3], b: &[S::f32s; 3]) -> S::f32s {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cross product, and the sums of its products without their signs.
#[inline(always)]
fn cross<S: Simd>(simd: S, a: &[S::f32s; 3], b: &[S::f32s; 3]) -> ([S::f32s; 3], [S::f32s; 3]) {
    let (x, x_size) = minor::<S>(simd, a[1], b[2], a[2], b[1]);
    let (y, y_size) = minor::<S>(simd, a[2], b[0], a[0], b[2]);
    let (z, z_size) = minor::<S>(simd, a[0], b[1], a[1], b[0]);
    ([x, y, z], [x_size, y_size, z_size])
}

#[inline(always)]
fn minor<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s, d: S::f32s) -> (S::f32s, S::f32s) {
    let (left, right) = (a * b, c * d);
    let size = left.abs() + right.abs() + S::f32s::splat(simd, TINY);
    (left - right, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimdLevel;
    use fearless_simd::dispatch;

    #[inline(always)]
    fn count<S: Simd>(simd: S, triangles: &[[[[f32; 16]; 3]; 3]]) -> [u32; 2] {
        let mut counts = [0; 2];
        for pair in triangles.chunks_exact(2) {
            let mut corners = [[[S::f32s::splat(simd, 0.0); 3]; 3]; 2];
            for (corners, triangle) in corners.iter_mut().zip(pair) {
                for (corner, point) in corners.iter_mut().zip(triangle) {
                    for (corner, lanes) in corner.iter_mut().zip(point) {
                        *corner = S::f32s::from_slice(simd, &lanes[..S::f32s::LEN]);
                    }
                }
            }
            let plane = Plane::<S>::new(simd, &corners[0]);
            let [met, doubt] = filter::<S>(simd, &corners[0], &plane, &corners[1]);
            counts[0] += met.count_ones();
            counts[1] += doubt.count_ones();
        }
        counts
    }

    #[test]
    fn next_to_nothing_is_in_doubt_in_general_position() {
        let mut state = 9_u64;
        let mut triangles = vec![[[[0.0; 16]; 3]; 3]; 4000];
        for x in triangles
            .as_flattened_mut()
            .as_flattened_mut()
            .as_flattened_mut()
        {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            *x = (state >> 40) as f32;
        }
        for level in SimdLevel::available().into_iter().skip(1) {
            let token = level.token().unwrap();
            let [met, doubt] = dispatch!(token, simd => count(simd, &triangles));
            assert!(met > 500 && doubt < met / 50, "{level}: {met} {doubt}");
        }
    }
}
