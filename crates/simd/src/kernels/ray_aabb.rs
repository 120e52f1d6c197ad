//! Rays against boxes by the slab test: one ray against many boxes, many rays against one box, and
//! ray i against box i.
//!
//! The twin is [`RaySlabs::enter`] for boxes with `min ≤ max` on every axis; others, and those with a NaN,
//! are never entered. So the test is conservative, as said at [`RaySlabs`]: a closed box that the
//! exact ray meets at a distance up to `t_max` is never missed, rays along an axis and components of
//! zero included, and boxes may be infinite. Rays that [`Ray::check`](crate::Ray::check) refuses enter
//! nothing, and so does every ray when `t_max` is NaN.
//!
//! The wide kernels compute differences, products, minima and maxima in the order of the twin. Where
//! it picks the nearer plane by the sign of the direction, a kernel of many rays takes the smaller
//! product: the same value, because rounding keeps the order. The results differ in the sign of a zero
//! at most, which adding zero to the entry removes. So masks and distances have the bits of the twin.

use fearless_simd::{Level, dispatch, prelude::*};
use glam::Vec3;

use super::KernelError;
use super::lanes::lanes;
use super::sweep::{Kernel, to_ids, to_mask};
use crate::batch::{AabbBatch, BLOCK, BitMask, Block, RayBatch};
use crate::{Aabb, RaySlabs};

/// Which boxes a ray enters, bit by bit. O(n).
pub fn one_many(ray: &RaySlabs, boxes: &AabbBatch, t_max: f32, out: &mut BitMask, level: Level) {
    if ray.may_be_still() {
        to_mask(OneMany::<true>::new(ray, boxes, t_max), out, level);
    } else {
        to_mask(OneMany::<false>::new(ray, boxes, t_max), out, level);
    }
}

/// The ids of the boxes that a ray enters, ascending; `out` is cleared first. O(n).
pub fn one_many_ids(
    ray: &RaySlabs,
    boxes: &AabbBatch,
    t_max: f32,
    out: &mut Vec<u32>,
    level: Level,
) {
    if ray.may_be_still() {
        to_ids(OneMany::<true>::new(ray, boxes, t_max), out, level);
    } else {
        to_ids(OneMany::<false>::new(ray, boxes, t_max), out, level);
    }
}

/// Where a ray enters each box, not before 0, in lengths of its direction; NaN for a box that it does
/// not enter. `out` is cleared first. O(n).
pub fn one_many_entries(
    ray: &RaySlabs,
    boxes: &AabbBatch,
    t_max: f32,
    out: &mut Vec<f32>,
    level: Level,
) {
    out.clear();
    out.resize(boxes.len().div_ceil(BLOCK) * BLOCK, f32::NAN);
    if ray.may_be_still() {
        let kernel = OneMany::<true>::new(ray, boxes, t_max);
        dispatch!(level, simd => entries(simd, kernel, out));
    } else {
        let kernel = OneMany::<false>::new(ray, boxes, t_max);
        dispatch!(level, simd => entries(simd, kernel, out));
    }
    out.truncate(boxes.len());
}

/// Which rays enter a box, bit by bit. O(n).
pub fn many_one(rays: &RayBatch, aabb: &Aabb, t_max: f32, out: &mut BitMask, level: Level) {
    if is_box(aabb) {
        to_mask(ManyOne::new(rays, aabb, t_max), out, level);
    } else {
        out.clear_and_resize(rays.len());
    }
}

/// The ids of the rays that enter a box, ascending; `out` is cleared first. O(n).
pub fn many_one_ids(rays: &RayBatch, aabb: &Aabb, t_max: f32, out: &mut Vec<u32>, level: Level) {
    if is_box(aabb) {
        to_ids(ManyOne::new(rays, aabb, t_max), out, level);
    } else {
        out.clear();
    }
}

/// Whether ray `i` enters box `i`, for every `i`. O(n).
///
/// # Errors
/// [`KernelError::Lengths`] when there are not as many rays as boxes.
pub fn pairwise(
    rays: &RayBatch,
    boxes: &AabbBatch,
    t_max: f32,
    out: &mut BitMask,
    level: Level,
) -> Result<(), KernelError> {
    KernelError::same_lengths(rays.len(), boxes.len())?;
    to_mask(Pairwise::new(rays, boxes, t_max), out, level);
    Ok(())
}

/// The `i` for which ray `i` enters box `i`, ascending; `out` is cleared first. O(n).
///
/// # Errors
/// [`KernelError::Lengths`] when there are not as many rays as boxes.
pub fn pairwise_ids(
    rays: &RayBatch,
    boxes: &AabbBatch,
    t_max: f32,
    out: &mut Vec<u32>,
    level: Level,
) -> Result<(), KernelError> {
    KernelError::same_lengths(rays.len(), boxes.len())?;
    to_ids(Pairwise::new(rays, boxes, t_max), out, level);
    Ok(())
}

/// Whether `min ≤ max` on every axis; false for NaN.
#[inline(always)]
fn is_box(aabb: &Aabb) -> bool {
    aabb.min.x <= aabb.max.x && aabb.min.y <= aabb.max.y && aabb.min.z <= aabb.max.z
}

/// The twin: where a ray enters a box before the limit.
#[inline(always)]
fn enter(ray: &RaySlabs, aabb: &Aabb, limit: f32) -> Option<f32> {
    if is_box(aabb) {
        ray.enter(aabb, limit)
    } else {
        None
    }
}

/// One ray; `STILL` when it may not move along an axis.
#[derive(Clone, Copy)]
struct OneMany<'a, const STILL: bool> {
    ray: RaySlabs,
    limit: f32,
    boxes: &'a AabbBatch,
}

impl<'a, const STILL: bool> OneMany<'a, STILL> {
    fn new(ray: &RaySlabs, boxes: &'a AabbBatch, t_max: f32) -> Self {
        Self {
            ray: *ray,
            limit: RaySlabs::limit(t_max),
            boxes,
        }
    }

    /// Which lanes are entered, and where, of the columns as this kernel orders them.
    #[inline(always)]
    fn enter<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 6]) -> (F::Mask, F) {
        if STILL {
            let [x, y, z, u, v, w] = *at;
            let valid = x.simd_le(u) & y.simd_le(v) & z.simd_le(w);
            let (mask, entry) = self
                .ray
                .enter_mask(simd, &[x, y, z], &[u, v, w], self.limit);
            return (mask & valid, entry);
        }
        let (near, far) = self.ray.slab_lanes(simd, at);
        let [backward_x, backward_y, backward_z] = self.ray.backward();
        let valid = ordered::<S, F>(at[0], at[3], backward_x)
            & ordered::<S, F>(at[1], at[4], backward_y)
            & ordered::<S, F>(at[2], at[5], backward_z);
        let zero = F::splat(simd, 0.0);
        let entry = near[0].max(near[1]).max(near[2]);
        let exit = far[0].min(far[1]).min(far[2]);
        let mask = valid
            & zero.simd_le(exit)
            & entry.simd_le(RaySlabs::widened(simd, exit))
            & entry.simd_le(F::splat(simd, self.limit));
        (mask, entry.max(zero) + zero)
    }
}

/// Which lanes are not inverted.
#[inline(always)]
fn ordered<S: Simd, F: SimdFloat<S, Element = f32>>(first: F, last: F, backward: bool) -> F::Mask {
    if backward {
        last.simd_le(first)
    } else {
        first.simd_le(last)
    }
}

impl<const STILL: bool> Kernel<6> for OneMany<'_, STILL> {
    const EXACT: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        self.boxes.len()
    }

    /// The planes through which the ray enters, then those through which it leaves, if it moves.
    #[inline(always)]
    fn columns(&self) -> [&[Block]; 6] {
        let mut columns = self.boxes.blocks();
        if !STILL {
            for (axis, backward) in self.ray.backward().into_iter().enumerate() {
                if backward {
                    columns.swap(axis, axis + 3);
                }
            }
        }
        columns
    }

    #[inline(always)]
    fn lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        self,
        simd: S,
        at: &[F; 6],
    ) -> (F::Mask, F::Mask) {
        let (mask, _) = self.enter(simd, at);
        (mask, mask)
    }

    #[inline(always)]
    fn test(self, i: usize, _: &[f32; 6]) -> bool {
        enter(&self.ray, &self.boxes.at(i), self.limit).is_some()
    }
}

#[inline(always)]
fn entries<S: Simd, const STILL: bool>(simd: S, kernel: OneMany<'_, STILL>, out: &mut [f32]) {
    if simd.level().is_fallback() {
        for (i, out) in out.iter_mut().take(kernel.len()).enumerate() {
            *out = enter(&kernel.ray, &kernel.boxes.at(i), kernel.limit).unwrap_or(f32::NAN);
        }
        return;
    }
    let [x, y, z, u, v, w] = kernel.columns();
    let (min, max) = ([x, y, z], [u, v, w]);
    let none = S::f32s::splat(simd, f32::NAN);
    for (block, out) in out.chunks_exact_mut(BLOCK).enumerate() {
        let mut first = 0;
        while first < BLOCK {
            let [x, y, z] = lanes::<S>(simd, &min, block, first);
            let [u, v, w] = lanes::<S>(simd, &max, block, first);
            let (mask, entry) = kernel.enter::<S, S::f32s>(simd, &[x, y, z, u, v, w]);
            let entry: S::f32s = mask.select(entry, none);
            entry.store_slice(&mut out[first..first + S::f32s::LEN]);
            first += S::f32s::LEN;
        }
    }
}

/// Which lanes enter boxes, a ray a lane; see [`RaySlabs::enter`].
#[inline(always)]
fn enter_each<S: Simd, F: SimdFloat<S, Element = f32>>(
    simd: S,
    origin: &[F; 3],
    inverse: &[F; 3],
    min: &[F; 3],
    max: &[F; 3],
    limit: f32,
) -> F::Mask {
    let zero = F::splat(simd, 0.0);
    let infinity = F::splat(simd, f32::INFINITY);
    let (near_x, far_x) = slab::<S, F>(origin[0], inverse[0], min[0], max[0]);
    let (near_y, far_y) = slab::<S, F>(origin[1], inverse[1], min[1], max[1]);
    let (near_z, far_z) = slab::<S, F>(origin[2], inverse[2], min[2], max[2]);
    let still_x = inverse[0].simd_eq(infinity);
    let still_y = inverse[1].simd_eq(infinity);
    let still_z = inverse[2].simd_eq(infinity);
    let (entry, exit, mut mask);
    if (still_x | still_y | still_z).any_true() {
        let (near_x, far_x) = unless::<S, F>(simd, still_x, near_x, far_x);
        let (near_y, far_y) = unless::<S, F>(simd, still_y, near_y, far_y);
        let (near_z, far_z) = unless::<S, F>(simd, still_z, near_z, far_z);
        entry = near_x.max(near_y).max(near_z);
        exit = far_x.min(far_y).min(far_z);
        mask = !still_x | min[0].simd_le(origin[0]) & origin[0].simd_le(max[0]);
        mask &= !still_y | min[1].simd_le(origin[1]) & origin[1].simd_le(max[1]);
        mask &= !still_z | min[2].simd_le(origin[2]) & origin[2].simd_le(max[2]);
        mask &= zero.simd_le(exit);
    } else {
        // All NaN for a ray that is refused, which survives minima and maxima on every platform.
        entry = near_x.max(near_y).max(near_z);
        exit = far_x.min(far_y).min(far_z);
        mask = zero.simd_le(exit);
    }
    mask &= entry.simd_le(RaySlabs::widened(simd, exit));
    mask & entry.simd_le(F::splat(simd, limit))
}

#[inline(always)]
fn slab<S: Simd, F: SimdFloat<S, Element = f32>>(origin: F, inverse: F, lo: F, hi: F) -> (F, F) {
    let (a, b) = ((lo - origin) * inverse, (hi - origin) * inverse);
    (a.min(b), a.max(b))
}

/// The ends of a slab, or of all space where a ray does not move along its axis.
#[inline(always)]
fn unless<S: Simd, F: SimdFloat<S, Element = f32>>(
    simd: S,
    still: F::Mask,
    near: F,
    far: F,
) -> (F, F) {
    (
        still.select(F::splat(simd, f32::NEG_INFINITY), near),
        still.select(F::splat(simd, f32::INFINITY), far),
    )
}

/// Whether ray `i` of a batch enters a box that is one: [`RaySlabs::enter`] from the columns.
#[inline(always)]
fn enters(rays: &RayBatch, i: usize, aabb: &Aabb, limit: f32) -> bool {
    let (origin, inverse) = (rays.origin(i), rays.inverse(i));
    let mut entry = f32::NEG_INFINITY;
    let mut exit = f32::INFINITY;
    for axis in 0..3 {
        let (from, inverse) = (origin[axis], inverse[axis]);
        let (lo, hi) = (aabb.min[axis], aabb.max[axis]);
        // Infinite where the ray does not move, NaN where it is refused.
        if inverse == f32::INFINITY || inverse.is_nan() {
            if inverse.is_nan() || from < lo || hi < from {
                return false;
            }
            continue;
        }
        let (first, last) = if inverse < 0.0 { (hi, lo) } else { (lo, hi) };
        entry = entry.max((first - from) * inverse);
        exit = exit.min((last - from) * inverse);
    }
    RaySlabs::meets(entry.max(0.0), exit, limit)
}

#[derive(Clone, Copy)]
struct ManyOne<'a> {
    rays: &'a RayBatch,
    aabb: Aabb,
    limit: f32,
}

impl<'a> ManyOne<'a> {
    fn new(rays: &'a RayBatch, aabb: &Aabb, t_max: f32) -> Self {
        Self {
            rays,
            aabb: *aabb,
            limit: RaySlabs::limit(t_max),
        }
    }
}

impl Kernel<6> for ManyOne<'_> {
    const EXACT: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        self.rays.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 6] {
        let [a, b, c] = self.rays.origin_blocks();
        let [d, e, f] = self.rays.inverse_blocks();
        [a, b, c, d, e, f]
    }

    #[inline(always)]
    fn lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        self,
        simd: S,
        at: &[F; 6],
    ) -> (F::Mask, F::Mask) {
        let [a, b, c, d, e, f] = *at;
        let min = splat::<S, F>(simd, self.aabb.min);
        let max = splat::<S, F>(simd, self.aabb.max);
        let mask = enter_each(simd, &[a, b, c], &[d, e, f], &min, &max, self.limit);
        (mask, mask)
    }

    #[inline(always)]
    fn test(self, i: usize, _: &[f32; 6]) -> bool {
        enters(self.rays, i, &self.aabb, self.limit)
    }
}

#[inline(always)]
fn splat<S: Simd, F: SimdFloat<S, Element = f32>>(simd: S, p: Vec3) -> [F; 3] {
    [
        F::splat(simd, p.x),
        F::splat(simd, p.y),
        F::splat(simd, p.z),
    ]
}

#[derive(Clone, Copy)]
struct Pairwise<'a> {
    rays: &'a RayBatch,
    boxes: &'a AabbBatch,
    limit: f32,
}

impl<'a> Pairwise<'a> {
    fn new(rays: &'a RayBatch, boxes: &'a AabbBatch, t_max: f32) -> Self {
        Self {
            rays,
            boxes,
            limit: RaySlabs::limit(t_max),
        }
    }
}

impl Kernel<12> for Pairwise<'_> {
    const EXACT: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        self.rays.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 12] {
        let [a, b, c] = self.rays.origin_blocks();
        let [d, e, f] = self.rays.inverse_blocks();
        let [g, h, i, j, k, l] = self.boxes.blocks();
        [a, b, c, d, e, f, g, h, i, j, k, l]
    }

    #[inline(always)]
    fn lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        self,
        simd: S,
        at: &[F; 12],
    ) -> (F::Mask, F::Mask) {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = *at;
        let valid = g.simd_le(j) & h.simd_le(k) & i.simd_le(l);
        let (min, max) = ([g, h, i], [j, k, l]);
        let mask = enter_each(simd, &[a, b, c], &[d, e, f], &min, &max, self.limit) & valid;
        (mask, mask)
    }

    #[inline(always)]
    fn test(self, i: usize, _: &[f32; 12]) -> bool {
        let aabb = self.boxes.at(i);
        is_box(&aabb) && enters(self.rays, i, &aabb, self.limit)
    }
}

/// References for measurement: how the same is written without a kernel.
pub mod baseline {
    use super::enter;
    use crate::batch::AabbBatch;
    use crate::{Aabb, Ray, RaySlabs};

    /// The test over an array of structs, left on the first axis that rules the box out; `out` is
    /// cleared first.
    #[inline(never)]
    pub fn one_many_aos(ray: &RaySlabs, boxes: &[Aabb], t_max: f32, out: &mut Vec<u32>) {
        let limit = RaySlabs::limit(t_max);
        out.clear();
        for (id, aabb) in (0_u32..).zip(boxes) {
            if enter(ray, aabb, limit).is_some() {
                out.push(id);
            }
        }
    }

    /// The rays of an array of structs that enter a box; `out` is cleared first.
    #[inline(never)]
    pub fn many_one_aos(rays: &[RaySlabs], aabb: &Aabb, t_max: f32, out: &mut Vec<u32>) {
        let limit = RaySlabs::limit(t_max);
        out.clear();
        for (id, ray) in (0_u32..).zip(rays) {
            if enter(ray, aabb, limit).is_some() {
                out.push(id);
            }
        }
    }

    /// The slab test without a branch over columns, for the compiler to vectorise: 1 where the
    /// ray enters. Not right for rays that do not move along an axis.
    #[inline(never)]
    pub fn one_many_soa(ray: &Ray, boxes: &AabbBatch, t_max: f32, out: &mut [u8]) {
        let n = boxes.len().min(out.len());
        let [x0, y0, z0] = boxes.min().map(|column| &column.as_slice()[..n]);
        let [x1, y1, z1] = boxes.max().map(|column| &column.as_slice()[..n]);
        let (o, inverse) = (ray.origin, 1.0 / ray.direction);
        for (i, out) in out[..n].iter_mut().enumerate() {
            let (ax, bx) = ((x0[i] - o.x) * inverse.x, (x1[i] - o.x) * inverse.x);
            let (ay, by) = ((y0[i] - o.y) * inverse.y, (y1[i] - o.y) * inverse.y);
            let (az, bz) = ((z0[i] - o.z) * inverse.z, (z1[i] - o.z) * inverse.z);
            let entry = ax.min(bx).max(ay.min(by)).max(az.min(bz)).max(0.0);
            let exit = ax.max(bx).min(ay.max(by)).min(az.max(bz)).min(t_max);
            *out = u8::from(entry <= exit);
        }
    }
}
