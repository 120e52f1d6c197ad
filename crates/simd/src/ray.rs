//! Rays, and where they enter boxes.

use bytemuck::{Pod, Zeroable};
use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;
use thiserror::Error;

use crate::{Aabb, Box8};

/// The points `origin + t direction` for `t ≥ 0`.
///
/// Distances along a ray are values of `t`: metres when the direction has unit length, and multiples
/// of its length otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Ray {
    /// Where `t` is zero, metres.
    pub origin: Vec3,
    /// Where to; need not have unit length.
    pub direction: Vec3,
}

/// Why a ray has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RayError {
    /// The origin is NaN or beyond [`Ray::MAX_COORDINATE`].
    #[error(
        "the origin of the ray has coordinate {value} on axis {axis}, which is not within ±2^60"
    )]
    Origin {
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// The coordinate.
        value: f32,
    },
    /// The direction has a component that is NaN or infinite.
    #[error("the direction of the ray is {value} on axis {axis}")]
    Direction {
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// The component.
        value: f32,
    },
    /// The direction is zero, or its largest component is not between 2⁻⁶⁴ and 2⁶⁴.
    #[error(
        "the largest component of the direction of the ray is {largest}, which is not between 2^-64 and 2^64"
    )]
    Length {
        /// The largest component without its sign.
        largest: f32,
    },
    /// The farthest distance is NaN.
    #[error("the farthest distance along the ray is NaN")]
    Reach,
}

impl Ray {
    /// Origins and triangles have no coordinate beyond this, 2⁶⁰ m: products of two of them, and
    /// sums of such products, then stay finite.
    pub const MAX_COORDINATE: f32 = (1_u64 << 60) as f32;

    /// Components of the direction that matter are within this and its reciprocal.
    const MAX_DIRECTION: f32 = (1_u128 << 64) as f32;

    /// A ray from a point in a direction.
    #[inline]
    pub const fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, direction }
    }

    /// The point at a distance.
    #[inline]
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + t * self.direction
    }

    /// Whether queries can answer for this ray.
    ///
    /// # Errors
    /// The first of [`RayError`] that applies.
    #[inline(always)]
    pub fn check(&self) -> Result<(), RayError> {
        const FAR: f32 = Ray::MAX_COORDINATE;
        const LONG: f32 = Ray::MAX_DIRECTION;
        let (from, along) = (self.origin.abs(), self.direction.abs());
        // False for NaN.
        let near = from.x <= FAR && from.y <= FAR && from.z <= FAR;
        let short = along.x <= LONG && along.y <= LONG && along.z <= LONG;
        let long = along.x >= 1.0 / LONG || along.y >= 1.0 / LONG || along.z >= 1.0 / LONG;
        if near && short && long {
            Ok(())
        } else {
            Err(self.fault())
        }
    }

    /// What is wrong with a ray that failed the check.
    #[cold]
    fn fault(&self) -> RayError {
        for axis in 0..3 {
            let value = self.origin[axis];
            if value.is_nan() || value.abs() > Self::MAX_COORDINATE {
                return RayError::Origin { axis, value };
            }
            let value = self.direction[axis];
            if !value.is_finite() {
                return RayError::Direction { axis, value };
            }
        }
        RayError::Length {
            largest: self.direction.abs().max_element(),
        }
    }
}

/// What the end of an interval is multiplied with, so that no box is missed.
///
/// With u = 2⁻²⁴ and γ₃ = 3u / (1 − 3u), a distance to a plane, a difference times a rounded
/// reciprocal, has three roundings: it is the exact one times some 1 + θ with |θ| ≤ γ₃. When a ray
/// enters a box before it leaves it, the computed entry is therefore at most (1 + γ₃) / (1 − γ₃) ≈
/// 1 + 6u times the computed exit (T. Ize, "Robust BVH ray traversal", 2013); the product that
/// widens the exit takes another u, and what remains of 8u covers a hit distance that was rounded.
const WIDER: f32 = 1.0 + 1.0 / (1 << 21) as f32;

/// Products of tiny distances lose a unit of the least subnormal instead; this is far more.
const TINY: f32 = f32::MIN_POSITIVE;

/// A ray made ready for slab tests (T. L. Kay and J. T. Kajiya, "Ray tracing complex scenes", 1986).
///
/// The tests are conservative: a closed box that the exact ray meets within the limit is never
/// missed, whatever the rounding; boxes may be infinite, and the origin may lie inside or on the
/// border. A box at most a few units in the last place away from the ray may be reported. Entries are
/// monotone: a box in another one is not entered earlier. Components of the direction that are zero or
/// subnormal count as zero: the ray then stays in its plane, and meets the boxes whose closed extent
/// contains it.
#[derive(Clone, Copy, Debug)]
pub struct RaySlabs {
    /// What is subtracted from the planes through which the ray enters, axis by axis.
    near: [f32; 3],
    /// The same for the planes through which it leaves.
    far: [f32; 3],
    /// Reciprocals of the direction.
    inverse: [f32; 3],
    /// Whether the ray enters through the larger plane.
    backward: [bool; 3],
    /// Axes along which it does not move.
    still: [bool; 3],
    any_still: bool,
}

impl RaySlabs {
    /// Prepares a ray.
    ///
    /// # Errors
    /// As [`Ray::check`].
    #[inline]
    pub fn new(ray: &Ray) -> Result<Self, RayError> {
        ray.check()?;
        Ok(Self::with_slack(ray, Vec3::ONE / ray.direction, Vec3::ZERO))
    }

    /// Prepares a checked ray with the given reciprocals of its direction, which may be off by
    /// `slack` along each axis.
    #[inline(always)]
    pub(crate) fn with_slack(ray: &Ray, inverse: Vec3, slack: Vec3) -> Self {
        let (lo, hi) = (ray.origin - slack, ray.origin + slack);
        let along = ray.direction;
        let backward = [along.x < 0.0, along.y < 0.0, along.z < 0.0];
        let still = [
            along.x.abs() < f32::MIN_POSITIVE,
            along.y.abs() < f32::MIN_POSITIVE,
            along.z.abs() < f32::MIN_POSITIVE,
        ];
        let any_still = still[0] | still[1] | still[2];
        let mut out = Self {
            near: hi.to_array(),
            far: lo.to_array(),
            inverse: inverse.to_array(),
            backward,
            still,
            any_still,
        };
        for (axis, backward) in backward.into_iter().enumerate() {
            if backward {
                (out.near[axis], out.far[axis]) = (out.far[axis], out.near[axis]);
            }
        }
        if any_still {
            for (axis, still) in still.into_iter().enumerate() {
                if still {
                    (out.near[axis], out.far[axis]) = (hi[axis], lo[axis]);
                }
            }
        }
        out
    }

    /// Where the ray comes from along an axis, if it has no slack.
    #[inline(always)]
    pub(crate) fn near(&self, axis: usize) -> f32 {
        self.near[axis]
    }

    /// The reciprocal of the direction along an axis, if it moves along it.
    #[inline(always)]
    pub(crate) fn inverse(&self, axis: usize) -> Option<f32> {
        (!self.still[axis]).then_some(self.inverse[axis])
    }

    /// Exits, moved so far that no entry of a box that is met lies beyond them.
    #[inline(always)]
    pub(crate) fn widened<S: Simd, F: SimdFloat<S, Element = f32>>(simd: S, exit: F) -> F {
        exit * F::splat(simd, WIDER) + F::splat(simd, TINY)
    }

    /// The limit to pass to the tests for hits up to a distance, that distance included.
    #[inline(always)]
    pub fn limit(t_max: f32) -> f32 {
        t_max * WIDER + TINY
    }

    /// Where the ray enters a box, not before 0, or `None` when it misses it or enters it beyond
    /// the limit (see [`limit`](Self::limit)). The same bits as a lane of [`enter8`](Self::enter8).
    #[inline(always)]
    pub fn enter(&self, aabb: &Aabb, limit: f32) -> Option<f32> {
        let mut entry = f32::NEG_INFINITY;
        let mut exit = f32::INFINITY;
        for axis in 0..3 {
            let (lo, hi) = (aabb.min[axis], aabb.max[axis]);
            if self.still[axis] {
                if !(lo <= self.near[axis] && self.far[axis] <= hi) {
                    return None;
                }
                continue;
            }
            let (first, last) = if self.backward[axis] {
                (hi, lo)
            } else {
                (lo, hi)
            };
            let near = (first - self.near[axis]) * self.inverse[axis];
            let far = (last - self.far[axis]) * self.inverse[axis];
            if near > entry {
                entry = near;
            }
            if far < exit {
                exit = far;
            }
        }
        let entry = if entry > 0.0 { entry } else { 0.0 };
        Self::meets(entry, exit, limit).then_some(entry)
    }

    /// Whether a ray that enters all slabs and leaves the first one is in all of them before the limit.
    #[inline(always)]
    pub(crate) fn meets(entry: f32, exit: f32, limit: f32) -> bool {
        entry <= exit * WIDER + TINY && 0.0 <= exit && entry <= limit
    }

    /// Whether there may be an axis along which the ray does not move.
    #[inline(always)]
    pub(crate) fn may_be_still(&self) -> bool {
        self.any_still
    }

    /// Along which axes the ray enters through the larger plane.
    #[inline(always)]
    pub(crate) fn backward(&self) -> [bool; 3] {
        self.backward
    }

    /// Where a ray that moves along all axes meets the planes through which it enters and, last three,
    /// leaves.
    #[inline(always)]
    pub(crate) fn slab_lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        planes: &[F; 6],
    ) -> ([F; 3], [F; 3]) {
        let mut near = [F::splat(simd, 0.0); 3];
        let mut far = near;
        for axis in 0..3 {
            let inverse = F::splat(simd, self.inverse[axis]);
            near[axis] = (planes[axis] - F::splat(simd, self.near[axis])) * inverse;
            far[axis] = (planes[axis + 3] - F::splat(simd, self.far[axis])) * inverse;
        }
        (near, far)
    }

    /// Which of eight boxes the ray enters before the limit, as bits, and where; other lanes of the
    /// distances mean nothing. Lanes without a box (NaN) are never entered.
    #[inline(always)]
    pub fn enter8<S: Simd>(&self, simd: S, boxes: &Box8, limit: f32) -> (u8, f32x8<S>) {
        let zero = f32x8::splat(simd, 0.0);
        let (entry, exit, mut mask);
        if self.any_still {
            let mut nears = f32x8::splat(simd, f32::NEG_INFINITY);
            let mut fars = f32x8::splat(simd, f32::INFINITY);
            let first = load(simd, &boxes.min[0]);
            mask = first.simd_eq(first);
            for axis in 0..3 {
                if self.still[axis] {
                    mask &=
                        load(simd, &boxes.min[axis]).simd_le(f32x8::splat(simd, self.near[axis]));
                    mask &=
                        f32x8::splat(simd, self.far[axis]).simd_le(load(simd, &boxes.max[axis]));
                } else {
                    let (near, far) = self.slab(simd, boxes, axis);
                    nears = nears.max(near);
                    fars = fars.min(far);
                }
            }
            (entry, exit) = (nears, fars);
            mask &= zero.simd_le(exit);
        } else {
            // All NaN in a lane without a box, which survives minima and maxima on every platform.
            let (near_x, far_x) = self.slab(simd, boxes, 0);
            let (near_y, far_y) = self.slab(simd, boxes, 1);
            let (near_z, far_z) = self.slab(simd, boxes, 2);
            entry = near_x.max(near_y).max(near_z);
            exit = far_x.min(far_y).min(far_z);
            mask = zero.simd_le(exit);
        }
        mask &= entry.simd_le(Self::widened(simd, exit));
        mask &= entry.simd_le(f32x8::splat(simd, limit));
        // Adding zero turns −0 into +0, so that bits order like values.
        (mask.to_bitmask() as u8, entry.max(zero) + zero)
    }

    /// As [`enter8`](Self::enter8) for any number of boxes, with the same bits.
    #[inline(always)]
    pub fn enter_lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        min: &[F; 3],
        max: &[F; 3],
        limit: f32,
    ) -> (u64, F) {
        let (mask, entry) = self.enter_mask(simd, min, max, limit);
        (mask.to_bitmask(), entry)
    }

    /// As [`enter_lanes`](Self::enter_lanes), the lanes as a mask.
    #[inline(always)]
    pub(crate) fn enter_mask<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        min: &[F; 3],
        max: &[F; 3],
        limit: f32,
    ) -> (F::Mask, F) {
        let zero = F::splat(simd, 0.0);
        let mut entry = F::splat(simd, f32::NEG_INFINITY);
        let mut exit = F::splat(simd, f32::INFINITY);
        let mut mask = min[0].simd_eq(min[0]);
        for axis in 0..3 {
            let near = F::splat(simd, self.near[axis]);
            let far = F::splat(simd, self.far[axis]);
            if self.still[axis] {
                mask &= min[axis].simd_le(near);
                mask &= far.simd_le(max[axis]);
                continue;
            }
            let inverse = F::splat(simd, self.inverse[axis]);
            let (first, last) = if self.backward[axis] {
                (max[axis], min[axis])
            } else {
                (min[axis], max[axis])
            };
            entry = entry.max((first - near) * inverse);
            exit = exit.min((last - far) * inverse);
        }
        mask &= zero.simd_le(exit);
        mask &= entry.simd_le(Self::widened(simd, exit));
        mask &= entry.simd_le(F::splat(simd, limit));
        (mask, entry.max(zero) + zero)
    }

    #[inline(always)]
    fn slab<S: Simd>(&self, simd: S, boxes: &Box8, axis: usize) -> (f32x8<S>, f32x8<S>) {
        let (first, last) = if self.backward[axis] {
            (&boxes.max[axis], &boxes.min[axis])
        } else {
            (&boxes.min[axis], &boxes.max[axis])
        };
        let inverse = f32x8::splat(simd, self.inverse[axis]);
        let near = (load(simd, first) - f32x8::splat(simd, self.near[axis])) * inverse;
        let far = (load(simd, last) - f32x8::splat(simd, self.far[axis])) * inverse;
        (near, far)
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

    fn boxes() -> Vec<Aabb> {
        let inf = f32::INFINITY;
        let values = [
            ([0.0; 3], [1.0; 3]),
            ([-1.0, 0.0, -0.0], [1.0, 0.0, 0.0]),
            ([2.0, 2.0, 2.0], [3.0, 3.0, 3.0]),
            ([-inf; 3], [inf; 3]),
            ([-inf, 0.25, -inf], [inf, 0.5, inf]),
            ([0.5; 3], [0.5; 3]),
            ([-3.0, -3.0, -3.0], [-2.0, -2.0, -2.0]),
            ([1e30, -1.0, -1.0], [f32::MAX, 1.0, 1.0]),
            ([1e-41, 0.0, 0.0], [3e-41, 1e-41, 1e-41]),
            ([-1.0, 1.0, 0.0], [0.0, 2.0, 1.0]),
        ];
        values
            .map(|(lo, hi)| Aabb::new(lo.into(), hi.into()))
            .into()
    }

    fn rays() -> Vec<Ray> {
        let origins = [0.0, -0.0, 0.5, 1.0, -2.0, 1e-41, 1e10];
        let parts = [0.0, -0.0, 1.0, -1.0, 0.3, -1e-20, 1e-40];
        let (n, m) = (origins.len(), parts.len());
        let mut out = Vec::new();
        for i in 0..n * n {
            for j in 0..m * m * m {
                let origin = [origins[i % n], origins[i / n], origins[(i + j) % n]];
                let direction = [parts[j % m], parts[j / m % m], parts[j / (m * m)]];
                out.push(Ray::new(origin.into(), direction.into()));
            }
        }
        out.retain(|ray| ray.check().is_ok());
        out
    }

    /// In exact arithmetic, as far as f64 goes: the interval within the box.
    fn reference(ray: &Ray, aabb: &Aabb) -> Option<f64> {
        let (mut entry, mut exit) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let (from, along) = (f64::from(ray.origin[axis]), f64::from(ray.direction[axis]));
            let (lo, hi) = (f64::from(aabb.min[axis]), f64::from(aabb.max[axis]));
            if along.abs() < f64::from(f32::MIN_POSITIVE) {
                if from < lo || from > hi {
                    return None;
                }
            } else {
                let (a, b) = ((lo - from) / along, (hi - from) / along);
                entry = entry.max(a.min(b));
                exit = exit.min(a.max(b));
            }
        }
        (entry <= exit).then_some(entry)
    }

    #[test]
    fn nothing_is_missed_and_lanes_have_the_bits_of_the_twin_at_every_level() {
        let boxes = boxes();
        let mut hits = 0;
        for ray in rays() {
            let slabs = RaySlabs::new(&ray).unwrap();
            for group in boxes.chunks(5) {
                let mut eight = Box8::EMPTY;
                for (lane, aabb) in group.iter().enumerate() {
                    eight.set(lane, aabb);
                }
                for t_max in [0.0, 1.0, 1e20, f32::INFINITY] {
                    let limit = RaySlabs::limit(t_max);
                    for level in SimdLevel::available() {
                        let token = level.token().unwrap();
                        let (bits, entries) = dispatch!(token, simd => {
                            let (bits, entries) = slabs.enter8(simd, &eight, limit);
                            let (min, max) = (&eight.min, &eight.max);
                            let (again, same) = slabs.enter_lanes(
                                simd,
                                &[load(simd, &min[0]), load(simd, &min[1]), load(simd, &min[2])],
                                &[load(simd, &max[0]), load(simd, &max[1]), load(simd, &max[2])],
                                limit,
                            );
                            let (entries, same) = (<[f32; 8]>::from(entries), <[f32; 8]>::from(same));
                            assert_eq!(u64::from(bits), again, "{level}");
                            for lane in 0..group.len() {
                                assert!(bits >> lane & 1 == 0
                                    || entries[lane].to_bits() == same[lane].to_bits());
                            }
                            (bits, entries)
                        });
                        assert_eq!(bits >> group.len(), 0, "{level}: a lane without a box");
                        for (lane, aabb) in group.iter().enumerate() {
                            let twin = slabs.enter(aabb, limit);
                            let wide = (bits >> lane & 1 == 1).then_some(entries[lane].to_bits());
                            assert_eq!(wide, twin.map(f32::to_bits), "{level} {ray:?} {aabb:?}");
                            if reference(&ray, aabb).is_some_and(|t| t <= f64::from(t_max)) {
                                assert!(twin.is_some(), "{ray:?} misses {aabb:?} up to {t_max}");
                                hits += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(hits > 10_000);
    }

    #[test]
    fn rays_beside_a_box_miss_it() {
        let aabb = Aabb::new([0.0; 3].into(), [1.0; 3].into());
        for (origin, direction) in [
            ([0.5, 1.5, 0.5], [1.0, 0.0, 0.0]),
            ([0.5, 0.5, 1.000001], [1.0, 1.0, 0.0]),
            ([2.0, 0.5, 0.5], [1.0, 0.0, -0.0]),
            ([-1.0, 0.5, 0.5], [1.0, 1.0, 0.0]),
        ] {
            let slabs = RaySlabs::new(&Ray::new(origin.into(), direction.into())).unwrap();
            let found = slabs.enter(&aabb, RaySlabs::limit(f32::INFINITY));
            assert!(
                found.is_none() || origin[0] < 0.0,
                "{origin:?} {direction:?}"
            );
        }
    }

    #[test]
    fn rays_without_an_answer_are_refused() {
        let ray = |origin: [f32; 3], direction: [f32; 3]| {
            Ray::new(origin.into(), direction.into()).check()
        };
        assert_eq!(
            ray([0.0; 3], [0.0; 3]),
            Err(RayError::Length { largest: 0.0 })
        );
        assert!(ray([0.0; 3], [1e-30; 3]).is_err());
        assert!(ray([0.0; 3], [0.0, 1e30, 0.0]).is_err());
        assert!(matches!(
            ray([0.0; 3], [0.0, f32::NAN, 1.0]),
            Err(RayError::Direction { axis: 1, .. })
        ));
        assert!(matches!(
            ray([0.0, 0.0, f32::INFINITY], [1.0; 3]),
            Err(RayError::Origin { axis: 2, .. })
        ));
        assert_eq!(ray([1e18; 3], [0.0, -1e-19, 1e-40]), Ok(()));
    }
}
