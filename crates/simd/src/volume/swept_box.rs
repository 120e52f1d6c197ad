//! Boxes that move along a line.

use fearless_simd::prelude::*;
use glam::Vec3;
use thiserror::Error;

use super::Volume;
use crate::Aabb;

/// The boxes that a box meets on its way from where it is to a vector further on.
///
/// The set of shifts that make two boxes meet is a box again; the path from zero to the motion is
/// clipped against its three slabs (T. L. Kay and J. T. Kajiya, "Ray tracing complex scenes", 1986).
///
/// Conservative: no box met on the way is missed. A box is reported too much only if it is met by a
/// path longer by 10⁻⁶, or after a shift of the box by that part of the gap to it (T. Ize, "Robust
/// BVH ray traversal", JCGT 2013, section 3, where the bound comes from).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptBox {
    start: Aabb,
    /// One over the motion; zero on an axis without motion.
    inverse: Vec3,
}

/// A path along which no box can move.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SweptBoxError {
    /// The box is not finite, or is inverted.
    #[error("the box from {min} to {max} is not finite or is inverted")]
    Box {
        /// Its smallest corner.
        min: Vec3,
        /// Its largest corner.
        max: Vec3,
    },
    /// The motion is not finite, or longer than 2¹²⁵ m on an axis.
    #[error("the motion {motion} is not finite or too long")]
    Motion {
        /// The motion given.
        motion: Vec3,
    },
}

/// Two differences divided by the motion err by three roundings each, relative to themselves; eight
/// are allowed.
const SLACK: f32 = 1.0 + 8.0 * (f32::EPSILON / 2.0);

/// And by this where the quotients underflow.
const TINY: f32 = f32::MIN_POSITIVE;

impl SweptBox {
    /// A box that moves along `motion`, in metres.
    ///
    /// # Errors
    /// A box or a motion that is not finite, an inverted box, a motion beyond 2¹²⁵ m.
    pub fn new(start: Aabb, motion: Vec3) -> Result<Self, SweptBoxError> {
        if !start.is_valid() {
            let (min, max) = (start.min, start.max);
            return Err(SweptBoxError::Box { min, max });
        }
        // The inverse of anything longer loses bits.
        let longest = 0.5 / f32::MIN_POSITIVE;
        if motion.is_nan() || motion.abs().max_element() > longest {
            return Err(SweptBoxError::Motion { motion });
        }
        let mut swept = Self {
            start,
            inverse: Vec3::ZERO,
        };
        for axis in 0..3 {
            let m = motion[axis];
            if m.abs() >= f32::MIN_POSITIVE {
                swept.inverse[axis] = 1.0 / m;
            } else if m > 0.0 {
                // No inverse: the box is large enough to have made the move, by less than a float.
                swept.start.max[axis] = start.max[axis].next_up();
            } else if m < 0.0 {
                swept.start.min[axis] = start.min[axis].next_down();
            }
        }
        Ok(swept)
    }
}

impl Volume for SweptBox {
    #[inline(always)]
    fn test(&self, aabb: &Aabb) -> bool {
        // Before the start and after the end there is no path.
        let (mut enter, mut exit) = (0.0, 1.0);
        for axis in 0..3 {
            let lo = aabb.min[axis] - self.start.max[axis];
            let hi = aabb.max[axis] - self.start.min[axis];
            let inverse = self.inverse[axis];
            if inverse == 0.0 {
                if !(lo <= 0.0 && hi >= 0.0) {
                    return false;
                }
                continue;
            }
            let (near, far) = if inverse > 0.0 { (lo, hi) } else { (hi, lo) };
            let (near, far) = (near * inverse, far * inverse);
            if far < 0.0 {
                return false;
            }
            enter = if near > enter { near } else { enter };
            exit = if far < exit { far } else { exit };
        }
        enter <= exit * SLACK + TINY
    }

    #[inline(always)]
    fn test_lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        min: &[F; 3],
        max: &[F; 3],
    ) -> F::Mask {
        let zero = F::splat(simd, 0.0);
        let (mut enter, mut exit) = (zero, F::splat(simd, 1.0));
        // The bounds of a lane without a box would be lost in minima and maxima.
        let mut mask = min[0].simd_le(max[0]);
        for axis in 0..3 {
            let lo = min[axis] - F::splat(simd, self.start.max[axis]);
            let hi = max[axis] - F::splat(simd, self.start.min[axis]);
            let inverse = self.inverse[axis];
            if inverse == 0.0 {
                mask &= lo.simd_le(zero) & hi.simd_ge(zero);
                continue;
            }
            let (near, far) = if inverse > 0.0 { (lo, hi) } else { (hi, lo) };
            let inverse = F::splat(simd, inverse);
            let (near, far) = (near * inverse, far * inverse);
            mask &= far.simd_ge(zero);
            enter = enter.max(near);
            exit = exit.min(far);
        }
        mask & enter.simd_le(exit * F::splat(simd, SLACK) + F::splat(simd, TINY))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Numbers, check};
    use super::*;

    /// Whether the boxes meet on the way, in double precision, with all gaps and the path relaxed.
    fn meets(start: &Aabb, motion: Vec3, b: &Aabb, relax: f64) -> bool {
        let (mut enter, mut exit) = (0.0_f64, 1.0 + relax);
        for axis in 0..3 {
            let lo = f64::from(b.min[axis]) - f64::from(start.max[axis]);
            let hi = f64::from(b.max[axis]) - f64::from(start.min[axis]);
            let (lo, hi) = (lo - lo.abs() * relax, hi + hi.abs() * relax);
            let m = f64::from(motion[axis]);
            if m == 0.0 {
                if lo > 0.0 || hi < 0.0 {
                    return false;
                }
                continue;
            }
            let (near, far) = if m > 0.0 { (lo, hi) } else { (hi, lo) };
            enter = enter.max(near / m);
            exit = exit.min(far / m);
        }
        enter <= exit
    }

    #[test]
    fn lanes_agree_and_nothing_that_is_met_is_missed() {
        let mut numbers = Numbers::new(6);
        let mut met = 0;
        for round in 0..200 {
            let corner = numbers.point(4.0);
            let start = Aabb::new(corner, corner + numbers.point(0.5).abs());
            let mut motion = numbers.point([0.3, 3.0, 30.0, 1e9][round % 4]);
            if round % 5 == 0 {
                motion.z = 0.0;
            }
            if round % 7 == 0 {
                motion.x = 1e-42;
            }
            let swept = SweptBox::new(start, motion).unwrap();
            met += check(&swept, &mut numbers, 10);
            for _ in 0..100 {
                let b = numbers.aabb();
                let found = swept.test(&b);
                assert!(found || !meets(&start, motion, &b, 0.0), "{b:?} is missed");
                assert!(
                    !found || meets(&start, motion, &b, 2e-6),
                    "{b:?} is not met"
                );
            }
        }
        assert!(met > 1000);
    }

    #[test]
    fn a_box_that_rests_meets_what_it_overlaps_and_bad_paths_are_refused() {
        let mut numbers = Numbers::new(7);
        let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
        let resting = SweptBox::new(unit, Vec3::ZERO).unwrap();
        for _ in 0..300 {
            let b = numbers.aabb();
            assert_eq!(resting.test(&b), unit.overlaps(&b));
        }
        for bad in [Vec3::NAN, Vec3::X * f32::INFINITY, Vec3::X * 1e38] {
            assert!(SweptBox::new(unit, bad).is_err());
        }
        let inverted = Aabb::new(Vec3::ONE, Vec3::ZERO);
        assert!(SweptBox::new(inverted, Vec3::X).is_err());
    }
}
