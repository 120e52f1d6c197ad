//! Spheres.

use fearless_simd::prelude::*;
use glam::Vec3;

use super::{Volume, squared_distance, squared_distances};
use crate::Aabb;

/// The boxes with a point no further than a radius from a centre.
///
/// Conservative: no box that meets the ball is missed, and none is reported whose distance is more
/// than 10⁻⁶ of the radius beyond it (for radii between 10⁻¹⁵ and 10¹⁹ m; the squares of others do
/// not fit).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    centre: Vec3,
    /// What the computed squared distance of a box that meets the ball does not exceed.
    limit: f32,
}

impl Sphere {
    /// A ball around `centre`, in metres. One with a negative radius, or one that is not a number,
    /// is empty; one with radius zero is its centre.
    pub fn new(centre: Vec3, radius: f32) -> Self {
        // The computed distance is too large by at most five roundings, the square too small by
        // one: eight of them, 2⁻²¹, are enough. What underflows is lost from both.
        let slack = 1.0 + 8.0 * (f32::EPSILON / 2.0);
        let square = radius * radius * slack;
        Self {
            centre,
            limit: if radius >= 0.0 {
                square + f32::MIN_POSITIVE
            } else {
                -1.0
            },
        }
    }
}

impl Volume for Sphere {
    #[inline(always)]
    fn test(&self, aabb: &Aabb) -> bool {
        squared_distance(self.centre, aabb) <= self.limit
    }

    #[inline(always)]
    fn test_lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        min: &[F; 3],
        max: &[F; 3],
    ) -> F::Mask {
        let distances = squared_distances(simd, self.centre, min, max);
        // The maximum with zero hides the NaN of lanes without a box.
        distances.simd_le(F::splat(simd, self.limit)) & min[0].simd_le(max[0])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Numbers, check};
    use super::*;

    #[test]
    fn lanes_agree_and_nothing_that_meets_is_missed() {
        let mut numbers = Numbers::new(4);
        for _ in 0..100 {
            let (centre, radius) = (numbers.point(4.0), numbers.unit().abs() * 3.0);
            let sphere = Sphere::new(centre, radius);
            assert!(check(&sphere, &mut numbers, 20) > 0);
            for _ in 0..100 {
                let b = numbers.aabb();
                let (c, r) = (centre.as_dvec3(), f64::from(radius));
                let distance = (c - c.clamp(b.min.as_dvec3(), b.max.as_dvec3())).length();
                let met = sphere.test(&b);
                assert!(met || distance > r, "{b:?} is missed");
                assert!(
                    !met || distance <= r * (1.0 + 1e-6) + 2e-19,
                    "{b:?} is too far"
                );
            }
        }
        assert_eq!(check(&Sphere::new(Vec3::ZERO, -1.0), &mut numbers, 20), 0);
        assert_eq!(
            check(&Sphere::new(Vec3::ZERO, f32::NAN), &mut numbers, 20),
            0
        );
        // Touching at one point, which the squares of the coordinates would round away.
        let corner = Vec3::new(0.1, 0.2, 0.3);
        let touching = Sphere::new(Vec3::ZERO, corner.as_dvec3().length() as f32);
        assert!(touching.test(&Aabb::new(corner, Vec3::ONE)));
    }
}
