//! Which boxes meet a volume, one at a time or as many as a vector has lanes.
//!
//! A tree asks a volume about the bounds of its nodes and goes on where they meet. So a volume must
//! be *monotone*: when it meets a box, it meets every box around that box. All tests here are, in
//! the arithmetic as computed, because rounding is monotone and each bound enters once: a tree
//! finds the very boxes that the scalar test picks from a list. And they are *conservative*: what
//! meets a box in exact arithmetic meets it here; how much else is said at each volume.

mod aabb;
mod distance;
mod frustum;
mod sphere;
mod swept_box;

use fearless_simd::prelude::*;

use crate::Aabb;

pub use aabb::Point;
pub use distance::{squared_distance, squared_distances};
pub use frustum::{Frustum, Plane};
pub use sphere::Sphere;
pub use swept_box::{SweptBox, SweptBoxError};

/// A set of points that boxes are tested against.
///
/// Implement [`test`](Self::test) for a volume of your own; lanes are then tested one after the
/// other. Implement [`test_lanes`](Self::test_lanes) as well to test them all at once, with the same
/// answers.
pub trait Volume {
    /// Whether a box meets the volume. Must be monotone: `true` for every box around a box for
    /// which it is `true`.
    fn test(&self, aabb: &Aabb) -> bool;

    /// Which lanes meet the volume, for boxes coordinate by coordinate. Lanes without a box hold
    /// NaN and must not meet it.
    ///
    /// Mark implementations `#[inline(always)]`, or they are compiled without vector instructions.
    #[inline(always)]
    fn test_lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        min: &[F; 3],
        max: &[F; 3],
    ) -> F::Mask {
        let mut bits = 0;
        for lane in 0..F::LEN {
            let aabb = Aabb::new(
                [min[0][lane], min[1][lane], min[2][lane]].into(),
                [max[0][lane], max[1][lane], max[2][lane]].into(),
            );
            if !aabb.min.is_nan() && self.test(&aabb) {
                bits |= 1 << lane;
            }
        }
        F::Mask::from_bitmask(simd, bits)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use fearless_simd::{dispatch, f32x4, f32x8};
    use glam::Vec3;

    use super::*;
    use crate::{Box4, Box8, SimdLevel};

    /// A small generator of numbers, among them extreme ones.
    pub(crate) struct Numbers(u64);

    impl Numbers {
        pub(crate) fn new(seed: u64) -> Self {
            Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
        }

        pub(crate) fn bits(&mut self) -> u32 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 33) as u32
        }

        /// In [-1, 1).
        pub(crate) fn unit(&mut self) -> f32 {
            self.bits() as f32 / 1_073_741_824.0 - 1.0
        }

        pub(crate) fn point(&mut self, scale: f32) -> Vec3 {
            Vec3::new(self.unit(), self.unit(), self.unit()) * scale
        }

        /// Boxes of all sizes around the origin, some flat, some infinite.
        pub(crate) fn aabb(&mut self) -> Aabb {
            let kind = self.bits() % 16;
            let scale = [1.0, 4.0, 0.1, 1e-3][(kind % 4) as usize];
            let (p, mut q) = (self.point(4.0), self.point(scale));
            if kind == 5 {
                q.y = 0.0;
            }
            let mut b = Aabb::new(p.min(p + q), p.max(p + q));
            if kind == 7 {
                b.max.x = f32::INFINITY;
            } else if kind == 9 {
                (b.min.z, b.max.z) = (f32::NEG_INFINITY, f32::INFINITY);
            } else if kind == 11 {
                b = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
            }
            b
        }
    }

    /// Lanes agree with the scalar test at every level and width, lanes without a box never meet,
    /// larger boxes meet if smaller ones do. Returns how many of the boxes met.
    pub(crate) fn check<V: Volume>(volume: &V, numbers: &mut Numbers, rounds: usize) -> usize {
        let mut met = 0;
        for _ in 0..rounds {
            let (mut four, mut eight) = (Box4::EMPTY, Box8::EMPTY);
            let mut expected = 0;
            for lane in 0..7 {
                let b = numbers.aabb();
                eight.set(lane, &b);
                if lane < 3 {
                    four.set(lane, &b);
                }
                let meets = volume.test(&b);
                expected |= u64::from(meets) << lane;
                met += usize::from(meets);
                let around = b.union(numbers.aabb());
                assert!(
                    !meets || volume.test(&around),
                    "{b:?} meets, {around:?} does not"
                );
            }
            for level in SimdLevel::available() {
                let (four, eight) = dispatch!(level.token().unwrap(), simd => {
                    let min = four.min.map(|v| f32x4::load_array(simd, v));
                    let max = four.max.map(|v| f32x4::load_array(simd, v));
                    let four = volume.test_lanes(simd, &min, &max).to_bitmask();
                    let min = eight.min.map(|v| f32x8::load_array(simd, v));
                    let max = eight.max.map(|v| f32x8::load_array(simd, v));
                    (four, volume.test_lanes(simd, &min, &max).to_bitmask())
                });
                assert_eq!(eight, expected, "{level}");
                assert_eq!(four, expected & 0b111, "{level}");
            }
        }
        met
    }

    /// A ball by the definition, without lanes of its own.
    struct Ball;

    impl Volume for Ball {
        fn test(&self, b: &Aabb) -> bool {
            Vec3::ZERO.clamp(b.min, b.max).length_squared() <= 1.0
        }
    }

    #[test]
    fn volumes_without_lanes_of_their_own_are_tested_one_by_one() {
        assert!(check(&Ball, &mut Numbers::new(1), 300) > 100);
    }
}
