//! Four boxes as a structure of arrays.

use fearless_simd::{f32x4, prelude::*};

use crate::Aabb;

/// Four boxes, coordinate by coordinate: [`Box8`](crate::Box8) at half the width.
///
/// A lane without a box holds NaN, which overlaps nothing, not even an infinite box.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct Box4 {
    /// Smallest corners.
    pub min: [[f32; 4]; 3],
    /// Largest corners.
    pub max: [[f32; 4]; 3],
}

impl Box4 {
    /// No boxes at all.
    pub const EMPTY: Self = Self {
        min: [[f32::NAN; 4]; 3],
        max: [[f32::NAN; 4]; 3],
    };

    /// The box of a lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Aabb {
        Aabb::new(
            [self.min[0][lane], self.min[1][lane], self.min[2][lane]].into(),
            [self.max[0][lane], self.max[1][lane], self.max[2][lane]].into(),
        )
    }

    /// Puts a box into a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, aabb: &Aabb) {
        for axis in 0..3 {
            self.min[axis][lane] = aabb.min[axis];
            self.max[axis][lane] = aabb.max[axis];
        }
    }

    /// Which of the 16 pairs of lanes overlap: bit `4 i + j` for lane `i` of `self` and lane `j`
    /// of `other`.
    #[inline(always)]
    pub fn overlaps<S: Simd>(&self, simd: S, other: &Self) -> u32 {
        if simd.level().is_fallback() {
            return self.overlaps_scalar(other);
        }
        let min_x = f32x4::load_array_ref(simd, &other.min[0]);
        let min_y = f32x4::load_array_ref(simd, &other.min[1]);
        let min_z = f32x4::load_array_ref(simd, &other.min[2]);
        let max_x = f32x4::load_array_ref(simd, &other.max[0]);
        let max_y = f32x4::load_array_ref(simd, &other.max[1]);
        let max_z = f32x4::load_array_ref(simd, &other.max[2]);
        let mut bits = 0;
        for lane in 0..4 {
            let mask = (min_x.simd_le(f32x4::splat(simd, self.max[0][lane]))
                & f32x4::splat(simd, self.min[0][lane]).simd_le(max_x))
                & (min_y.simd_le(f32x4::splat(simd, self.max[1][lane]))
                    & f32x4::splat(simd, self.min[1][lane]).simd_le(max_y))
                & (min_z.simd_le(f32x4::splat(simd, self.max[2][lane]))
                    & f32x4::splat(simd, self.min[2][lane]).simd_le(max_z));
            bits |= (mask.to_bitmask() as u32) << (4 * lane);
        }
        bits
    }

    /// The scalar twin of [`overlaps`](Self::overlaps).
    #[inline(never)]
    fn overlaps_scalar(&self, other: &Self) -> u32 {
        let mut bits = 0;
        for i in 0..4 {
            for j in 0..4 {
                bits |= u32::from(self.get(i).overlaps(&other.get(j))) << (4 * i + j);
            }
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimdLevel;
    use fearless_simd::dispatch;

    #[test]
    fn masks_agree_with_the_scalar_test_at_every_level() {
        let (mut a, mut b) = (Box4::EMPTY, Box4::EMPTY);
        for lane in 0..4 {
            let (x, y) = (lane as f32, 1.5 * lane as f32);
            a.set(lane, &Aabb::new([x, 0.0, 0.0].into(), [x + 1.0; 3].into()));
            if lane < 2 {
                b.set(lane, &Aabb::new([y, 0.5, 0.5].into(), [y + 0.5; 3].into()));
            }
        }
        b.set(
            2,
            &Aabb::new(glam::Vec3::NEG_INFINITY, glam::Vec3::INFINITY),
        );
        let mut expected = 0;
        for i in 0..4 {
            for j in 0..4 {
                expected |= u32::from(a.get(i).overlaps(&b.get(j))) << (4 * i + j);
            }
        }
        assert_eq!(expected & 0x4444, 0x4444);
        assert_eq!(expected & 0x8888, 0);
        for level in SimdLevel::available() {
            let token = level.token().unwrap();
            let bits = dispatch!(token, simd => a.overlaps(simd, &b));
            assert_eq!(bits, expected, "{level}");
        }
    }
}
