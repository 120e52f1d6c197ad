//! Boxes and points. Comparisons only, so exact.

use fearless_simd::prelude::*;
use glam::Vec3;

use super::Volume;
use crate::Aabb;

/// The boxes that overlap a box; touching counts.
impl Volume for Aabb {
    #[inline(always)]
    fn test(&self, aabb: &Aabb) -> bool {
        self.overlaps(aabb)
    }

    #[inline(always)]
    fn test_lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        min: &[F; 3],
        max: &[F; 3],
    ) -> F::Mask {
        let mut mask =
            min[0].simd_le(F::splat(simd, self.max.x)) & max[0].simd_ge(F::splat(simd, self.min.x));
        for axis in 1..3 {
            mask &= min[axis].simd_le(F::splat(simd, self.max[axis]))
                & max[axis].simd_ge(F::splat(simd, self.min[axis]));
        }
        mask
    }
}

/// The boxes that hold a point, on their border or within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point(pub Vec3);

impl Volume for Point {
    #[inline(always)]
    fn test(&self, aabb: &Aabb) -> bool {
        Aabb::new(self.0, self.0).overlaps(aabb)
    }

    #[inline(always)]
    fn test_lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        min: &[F; 3],
        max: &[F; 3],
    ) -> F::Mask {
        Aabb::new(self.0, self.0).test_lanes(simd, min, max)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Numbers, check};
    use super::*;

    #[test]
    fn lanes_agree() {
        let mut numbers = Numbers::new(2);
        for _ in 0..50 {
            let query = numbers.aabb();
            assert!(check(&query, &mut numbers, 20) > 0);
            check(&Point(query.min), &mut numbers, 20);
        }
        // What is not a number meets nothing.
        assert_eq!(check(&Point(Vec3::NAN), &mut numbers, 20), 0);
    }
}
