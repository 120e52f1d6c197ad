//! Eight boxes as a structure of arrays, and their overlap tests.

use fearless_simd::{f32x8, prelude::*};

use crate::Aabb;

/// Eight boxes, coordinate by coordinate: `min[axis][lane]` and `max[axis][lane]`.
///
/// A lane without a box holds NaN, which overlaps nothing, not even an infinite box.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Box8 {
    /// Smallest corners.
    pub min: [[f32; 8]; 3],
    /// Largest corners.
    pub max: [[f32; 8]; 3],
}

impl Box8 {
    /// No boxes at all.
    pub const EMPTY: Self = Self {
        min: [[f32::NAN; 8]; 3],
        max: [[f32::NAN; 8]; 3],
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

    /// The smallest box around lanes `0..lanes`, which must hold boxes.
    ///
    /// Comparisons instead of `min`: a zero keeps its sign whatever the platform, and the loop
    /// compiles to plain vector minima.
    #[inline(always)]
    pub fn bounds(&self, lanes: usize) -> Aabb {
        let mut out = Aabb::EMPTY;
        for axis in 0..3 {
            for lane in 0..lanes {
                let (lo, hi) = (self.min[axis][lane], self.max[axis][lane]);
                if lo < out.min[axis] {
                    out.min[axis] = lo;
                }
                if hi > out.max[axis] {
                    out.max[axis] = hi;
                }
            }
        }
        out
    }

    /// Which lanes overlap a box, as bits. Closed boxes: touching counts.
    #[inline(always)]
    pub fn overlaps_one<S: Simd>(&self, simd: S, other: &Aabb) -> u8 {
        if simd.level().is_fallback() {
            return self.overlaps_one_scalar(other);
        }
        let mut mask = load(simd, &self.min[0]).simd_le(f32x8::splat(simd, other.max.x));
        for axis in 0..3 {
            if axis > 0 {
                mask &= load(simd, &self.min[axis]).simd_le(f32x8::splat(simd, other.max[axis]));
            }
            mask &= f32x8::splat(simd, other.min[axis]).simd_le(load(simd, &self.max[axis]));
        }
        mask.to_bitmask() as u8
    }

    /// Which of the 64 pairs of lanes overlap: bit `8 i + j` for lane `i` of `self` and lane `j`
    /// of `other`.
    #[inline(always)]
    pub fn overlaps<S: Simd>(&self, simd: S, other: &Self) -> u64 {
        if simd.level().is_fallback() {
            return self.overlaps_scalar(other);
        }
        let min_x = load(simd, &other.min[0]);
        let min_y = load(simd, &other.min[1]);
        let min_z = load(simd, &other.min[2]);
        let max_x = load(simd, &other.max[0]);
        let max_y = load(simd, &other.max[1]);
        let max_z = load(simd, &other.max[2]);
        let mut bits = 0;
        for lane in 0..8 {
            let mask = (min_x.simd_le(f32x8::splat(simd, self.max[0][lane]))
                & f32x8::splat(simd, self.min[0][lane]).simd_le(max_x))
                & (min_y.simd_le(f32x8::splat(simd, self.max[1][lane]))
                    & f32x8::splat(simd, self.min[1][lane]).simd_le(max_y))
                & (min_z.simd_le(f32x8::splat(simd, self.max[2][lane]))
                    & f32x8::splat(simd, self.min[2][lane]).simd_le(max_z));
            bits |= mask.to_bitmask() << (8 * lane);
        }
        bits
    }

    /// The scalar twin of [`overlaps_one`](Self::overlaps_one). A call of its own: eight lanes of
    /// scalar code inlined wherever boxes are tested made walks slow to compile and no faster.
    #[inline(never)]
    fn overlaps_one_scalar(&self, other: &Aabb) -> u8 {
        let mut bits = 0;
        for lane in 0..8 {
            bits |= u8::from(self.get(lane).overlaps(other)) << lane;
        }
        bits
    }

    /// The scalar twin of [`overlaps`](Self::overlaps).
    #[inline(never)]
    fn overlaps_scalar(&self, other: &Self) -> u64 {
        let mut bits = 0;
        for lane in 0..8 {
            bits |= u64::from(other.overlaps_one_scalar(&self.get(lane))) << (8 * lane);
        }
        bits
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f32; 8]) -> f32x8<S> {
    f32x8::load_array_ref(simd, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimdLevel;
    use fearless_simd::dispatch;

    fn box_at(x: f32, y: f32, size: f32) -> Aabb {
        Aabb::new([x, y, 0.0].into(), [x + size, y + size, 1.0].into())
    }

    #[test]
    fn masks_agree_with_the_scalar_test_at_every_level() {
        let mut a = Box8::EMPTY;
        let mut b = Box8::EMPTY;
        for lane in 0..8 {
            a.set(lane, &box_at(lane as f32, 0.0, 1.0));
            if lane < 5 {
                b.set(lane, &box_at(1.5 * lane as f32, 0.5, 0.5));
            }
        }
        b.set(
            5,
            &Aabb::new(glam::Vec3::NEG_INFINITY, glam::Vec3::INFINITY),
        );
        let mut expected = 0_u64;
        for i in 0..8 {
            for j in 0..8 {
                expected |= u64::from(a.get(i).overlaps(&b.get(j))) << (8 * i + j);
            }
        }
        for level in SimdLevel::available() {
            let token = level.token().unwrap();
            let bits = dispatch!(token, simd => a.overlaps(simd, &b));
            assert_eq!(bits, expected, "{level}");
            for i in 0..8 {
                let one = dispatch!(token, simd => b.overlaps_one(simd, &a.get(i)));
                assert_eq!(one, (expected >> (8 * i)) as u8, "{level}");
            }
        }
        assert_eq!(
            a.bounds(8),
            Aabb::new([0.0; 3].into(), [8.0, 1.0, 1.0].into())
        );
    }
}
