//! A triangle against a box, by separating axes.

use glam::DVec3;
use jostle_geom::{Aabb, Triangle};

/// Bound of the relative rounding errors of one axis in double precision: a few tens of
/// operations of 2⁻⁵³ each.
const ERROR: f64 = 1.0 / (1_u64 << 46) as f64;

/// Whether a triangle and a closed box share a point, decided in double precision (T. Akenine-Möller, "Fast
/// 3D triangle-box overlap testing", 2001). Conservative: never false when they do; true for a gap that
/// rounding could hide, which is less than 2⁻⁴⁰ of the coordinates.
pub(super) fn triangle_meets_box(triangle: &Triangle, aabb: &Aabb) -> bool {
    let bounds = triangle.bounds();
    if !bounds.overlaps(aabb) {
        return false;
    }
    // What they share lies in the triangle's bounds; the box may be infinite.
    let lo = aabb.min.max(bounds.min).as_dvec3();
    let hi = aabb.max.min(bounds.max).as_dvec3();
    let (centre, half) = ((lo + hi) * 0.5, (hi - lo) * 0.5);
    let v = [triangle.a, triangle.b, triangle.c].map(glam::Vec3::as_dvec3);
    let edges = [v[1] - v[0], v[2] - v[1], v[0] - v[2]];
    let p = v.map(|v| v - centre);
    let size = p[0].abs().max(p[1].abs()).max(p[2].abs()) + half + centre.abs();
    let separates = |axis: DVec3, magnitude: DVec3| {
        let along = p.map(|p| axis.dot(p));
        let reach = half.dot(axis.abs()) + ERROR * magnitude.dot(size);
        let lo = along[0].min(along[1]).min(along[2]);
        let hi = along[0].max(along[1]).max(along[2]);
        lo > reach || hi < -reach
    };
    for e in edges {
        for axis in [
            DVec3::new(0.0, -e.z, e.y),
            DVec3::new(e.z, 0.0, -e.x),
            DVec3::new(-e.y, e.x, 0.0),
        ] {
            if separates(axis, axis.abs()) {
                return false;
            }
        }
    }
    let (a, b) = (edges[0], edges[1]);
    // The components of the normal cancel; its error is that of the products.
    let (s, t) = (a.abs(), b.abs());
    let products = DVec3::new(
        s.y * t.z + s.z * t.y,
        s.z * t.x + s.x * t.z,
        s.x * t.y + s.y * t.x,
    );
    !separates(a.cross(b), products)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn meets(vertices: [[f32; 3]; 3], lo: [f32; 3], hi: [f32; 3]) -> bool {
        let [a, b, c] = vertices.map(Vec3::from);
        triangle_meets_box(&Triangle::new(a, b, c), &Aabb::new(lo.into(), hi.into()))
    }

    #[test]
    fn touching_counts_and_corners_are_told_apart() {
        let flat = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        assert!(meets(flat, [0.5, 0.5, -1.0], [1.0, 1.0, 1.0]));
        // Touching the slanted edge with a corner, and just not.
        assert!(meets(flat, [2.0, 2.0, -1.0], [3.0, 3.0, 1.0]));
        assert!(!meets(flat, [2.001, 2.0, -1.0], [3.0, 3.0, 1.0]));
        // Touching the plane, and just not.
        assert!(meets(flat, [0.5, 0.5, 0.0], [1.0, 1.0, 1.0]));
        assert!(!meets(flat, [0.5, 0.5, 1e-30], [1.0, 1.0, 1.0]));
        // A slanted plane passes a corner.
        let slanted = [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
        assert!(meets(slanted, [0.0; 3], [1.0; 3]));
        assert!(!meets(slanted, [0.0; 3], [0.999; 3]));
        let inf = f32::INFINITY;
        assert!(meets(flat, [-inf; 3], [inf; 3]));
        assert!(!meets(flat, [2.5, 2.5, -inf], [inf; 3]));
    }

    #[test]
    fn degenerate_triangles_are_points_and_segments() {
        assert!(meets([[1.0; 3]; 3], [0.0; 3], [1.0; 3]));
        assert!(!meets([[1.1; 3]; 3], [0.0; 3], [1.0; 3]));
        let segment = [[-1.0, 0.5, 0.5], [0.5, 2.0, 0.5], [0.5, 2.0, 0.5]];
        assert!(!meets(segment, [0.0; 3], [1.0, 1.0, 1.0]));
        assert!(meets(segment, [-0.5, 0.0, 0.0], [1.0, 1.0, 1.0]));
    }
}
