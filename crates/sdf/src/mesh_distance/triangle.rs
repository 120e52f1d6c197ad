//! The nearest point of a triangle, and the solid angle under which a triangle is seen.

use glam::DVec3;

/// Sine of the angle below which a triangle is a sliver.
const SLIVER: f64 = 1.0 / (1 << 26) as f64;

/// The point of a triangle nearest to `p`, by the regions of its corners, edges and face
/// (C. Ericson, "Real-time collision detection", 2005, section 5.1.5). Without area it is the nearest point of an edge.
pub(super) fn nearest_point(p: DVec3, &[a, b, c]: &[DVec3; 3]) -> DVec3 {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let normal = ab.cross(ac);
    let area = normal.length_squared();
    let inside = |edge: DVec3, from: DVec3| normal.dot(edge.cross(p - from)) >= 0.0;
    // A sliver has no normal to rely on, and its face adds less than its width to what its edges give.
    let wide = area > ab.length_squared() * ac.length_squared() * (SLIVER * SLIVER);
    if wide && inside(ab, a) && inside(bc, b) && inside(-ac, c) {
        return p - normal * (normal.dot(p - a) / area);
    }
    let mut best = a;
    let mut least = f64::INFINITY;
    for (from, edge) in [(a, ab), (a, ac), (b, bc)] {
        let length = edge.length_squared();
        let along = if length > 0.0 {
            ((p - from).dot(edge) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let near = from + edge * along;
        let squared = near.distance_squared(p);
        if squared < least {
            (best, least) = (near, squared);
        }
    }
    best
}

/// The solid angle of a triangle seen from `p`, over 4π: positive from behind, where its vertices run clockwise
/// (A. van Oosterom and J. Strackee, "The solid angle of a plane triangle", IEEE Trans. Biomed. Eng. 1983).
pub(super) fn winding(p: DVec3, triangle: &[DVec3; 3]) -> f64 {
    let [a, b, c] = triangle.map(|vertex| vertex - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let along = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    libm::atan2(volume, along) * (0.5 * core::f64::consts::FRAC_1_PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_a_triangle() {
        let triangle = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        for (p, near) in [
            ([1.0, 1.0, 3.0], [1.0, 1.0, 0.0]),
            ([1.0, -2.0, 1.0], [1.0, 0.0, 0.0]),
            ([-1.0, -2.0, 1.0], [0.0, 0.0, 0.0]),
            ([3.0, 3.0, -5.0], [2.0, 2.0, 0.0]),
            ([9.0, 0.0, 0.0], [4.0, 0.0, 0.0]),
        ] {
            assert_eq!(nearest_point(p.into(), &triangle), DVec3::from(near));
        }
        let point = [DVec3::ONE; 3];
        assert_eq!(nearest_point(DVec3::ZERO, &point), DVec3::ONE);
    }

    #[test]
    fn an_octant_is_an_eighth() {
        let octant = [DVec3::X, DVec3::Y, DVec3::Z];
        assert!((winding(DVec3::ZERO, &octant) - 0.125).abs() < 1e-15);
        let back = [DVec3::X, DVec3::Z, DVec3::Y];
        assert!((winding(DVec3::ZERO, &back) + 0.125).abs() < 1e-15);
    }
}
