//! Which balls and boxes overlap: both closed, so that touching counts.
//!
//! # Exactness
//! The nearest point of a box is found by comparisons, so that on each axis one difference of stored
//! numbers is squared. Lanes compare the sum with r² in single precision and settle what rounding
//! leaves in doubt as [`Ball::overlaps_box`], the scalar twin, does: the answer is that of exact
//! arithmetic on the stored numbers. NaN and inverted boxes overlap nothing, infinite ones are boxes.

use fearless_simd::{Level, prelude::*};

use super::KernelError;
use super::aabb_aabb::splat3;
use super::reach::{signed_square, squares, within};
use super::sweep::{Kernel, to_ids, to_mask};
use crate::Aabb;
use crate::batch::{AabbBatch, Ball, BitMask, Block, SphereBatch};

/// Which boxes of a batch overlap a ball. O(n).
pub fn sphere_boxes(one: &Ball, many: &AabbBatch, out: &mut BitMask, level: Level) {
    to_mask(SphereBoxes { one: *one, many }, out, level);
}

/// The ids of the boxes of a batch that overlap a ball, ascending; `out` is cleared first. O(n).
pub fn sphere_boxes_ids(one: &Ball, many: &AabbBatch, out: &mut Vec<u32>, level: Level) {
    to_ids(SphereBoxes { one: *one, many }, out, level);
}

/// Which balls of a batch overlap a box. O(n).
pub fn box_spheres(one: &Aabb, many: &SphereBatch, out: &mut BitMask, level: Level) {
    to_mask(BoxSpheres { one: *one, many }, out, level);
}

/// The ids of the balls of a batch that overlap a box, ascending; `out` is cleared first. O(n).
pub fn box_spheres_ids(one: &Aabb, many: &SphereBatch, out: &mut Vec<u32>, level: Level) {
    to_ids(BoxSpheres { one: *one, many }, out, level);
}

/// Whether ball `i` overlaps box `i`, for every `i`. O(n).
///
/// # Errors
/// [`KernelError::Lengths`] when the batches are not of one length.
pub fn pairwise(
    balls: &SphereBatch,
    boxes: &AabbBatch,
    out: &mut BitMask,
    level: Level,
) -> Result<(), KernelError> {
    KernelError::same_lengths(balls.len(), boxes.len())?;
    to_mask(Pairwise { balls, boxes }, out, level);
    Ok(())
}

/// The lanes that surely overlap, and those that surely do not.
///
/// What `max` and `min` give for NaN is the platform's. A centre that is NaN makes the difference NaN
/// all the same; a box that is must be asked for.
#[inline(always)]
fn overlap<S: Simd, F: SimdFloat<S, Element = f32>>(
    simd: S,
    centre: [F; 3],
    radius: F,
    min: [F; 3],
    max: [F; 3],
) -> (F::Mask, F::Mask) {
    let gap = [
        centre[0] - centre[0].max(min[0]).min(max[0]),
        centre[1] - centre[1].max(min[1]).min(max[1]),
        centre[2] - centre[2].max(min[2]).min(max[2]),
    ];
    let is_box = min[0].simd_le(max[0]) & min[1].simd_le(max[1]) & min[2].simd_le(max[2]);
    let (hit, miss) = within(simd, squares(gap), signed_square(radius));
    (hit & is_box, miss)
}

#[derive(Clone, Copy)]
struct SphereBoxes<'a> {
    one: Ball,
    many: &'a AabbBatch,
}

impl Kernel<6> for SphereBoxes<'_> {
    const EXACT: bool = false;

    #[inline(always)]
    fn len(&self) -> usize {
        self.many.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 6] {
        self.many.blocks()
    }

    #[inline(always)]
    fn lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        self,
        simd: S,
        at: &[F; 6],
    ) -> (F::Mask, F::Mask) {
        let [x0, y0, z0, x1, y1, z1] = *at;
        let radius = F::splat(simd, self.one.radius);
        let centre = splat3(simd, self.one.centre);
        overlap(simd, centre, radius, [x0, y0, z0], [x1, y1, z1])
    }

    #[inline(always)]
    fn test(self, i: usize) -> bool {
        self.one.overlaps_box(&self.many.at(i))
    }
}

#[derive(Clone, Copy)]
struct BoxSpheres<'a> {
    one: Aabb,
    many: &'a SphereBatch,
}

impl Kernel<4> for BoxSpheres<'_> {
    const EXACT: bool = false;

    #[inline(always)]
    fn len(&self) -> usize {
        self.many.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 4] {
        self.many.blocks()
    }

    #[inline(always)]
    fn lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        self,
        simd: S,
        at: &[F; 4],
    ) -> (F::Mask, F::Mask) {
        let [x, y, z, r] = *at;
        let min = splat3(simd, self.one.min);
        let max = splat3(simd, self.one.max);
        overlap(simd, [x, y, z], r, min, max)
    }

    #[inline(always)]
    fn test(self, i: usize) -> bool {
        self.many.at(i).overlaps_box(&self.one)
    }
}

#[derive(Clone, Copy)]
struct Pairwise<'a> {
    balls: &'a SphereBatch,
    boxes: &'a AabbBatch,
}

impl Kernel<10> for Pairwise<'_> {
    const EXACT: bool = false;

    #[inline(always)]
    fn len(&self) -> usize {
        self.balls.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 10] {
        let [a, b, c, d] = self.balls.blocks();
        let [e, f, g, h, i, j] = self.boxes.blocks();
        [a, b, c, d, e, f, g, h, i, j]
    }

    #[inline(always)]
    fn lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        self,
        simd: S,
        at: &[F; 10],
    ) -> (F::Mask, F::Mask) {
        let [x, y, z, r, x0, y0, z0, x1, y1, z1] = *at;
        overlap(simd, [x, y, z], r, [x0, y0, z0], [x1, y1, z1])
    }

    #[inline(always)]
    fn test(self, i: usize) -> bool {
        self.balls.at(i).overlaps_box(&self.boxes.at(i))
    }
}

/// References for measurement: how the same is written without a kernel. They compare in single
/// precision and are wrong where rounding decides.
pub mod baseline {
    use super::{Aabb, AabbBatch, Ball, SphereBatch};

    /// The test as it is commonly written, early out axis by axis.
    #[inline(always)]
    fn overlaps(ball: &Ball, aabb: &Aabb) -> bool {
        let limit = ball.radius * ball.radius;
        let mut sum = 0.0;
        for axis in 0..3 {
            let c = ball.centre[axis];
            let gap = c - c.max(aabb.min[axis]).min(aabb.max[axis]);
            sum += gap * gap;
            if sum > limit {
                return false;
            }
        }
        true
    }

    /// The early-out test of a ball over an array of boxes; `out` is cleared first.
    #[inline(never)]
    pub fn sphere_boxes_aos(one: &Ball, many: &[Aabb], out: &mut Vec<u32>) {
        out.clear();
        for (i, other) in many.iter().enumerate() {
            if overlaps(one, other) {
                out.push(i as u32);
            }
        }
    }

    /// The early-out test of a box over an array of balls; `out` is cleared first.
    #[inline(never)]
    pub fn box_spheres_aos(one: &Aabb, many: &[Ball], out: &mut Vec<u32>) {
        out.clear();
        for (i, other) in many.iter().enumerate() {
            if overlaps(other, one) {
                out.push(i as u32);
            }
        }
    }

    /// A plain loop of a ball over columns of boxes, one byte an element, which the compiler turns into
    /// vector code; as many as the shorter one has.
    #[inline(never)]
    pub fn sphere_boxes_soa(one: &Ball, many: &AabbBatch, out: &mut [u8]) {
        let n = many.len().min(out.len());
        let [x0, y0, z0] = many.min().map(|c| &c.as_slice()[..n]);
        let [x1, y1, z1] = many.max().map(|c| &c.as_slice()[..n]);
        let out = &mut out[..n];
        let (c, limit) = (one.centre, one.radius * one.radius);
        for i in 0..n {
            let dx = c.x - c.x.max(x0[i]).min(x1[i]);
            let dy = c.y - c.y.max(y0[i]).min(y1[i]);
            let dz = c.z - c.z.max(z0[i]).min(z1[i]);
            out[i] = u8::from(dx * dx + dy * dy + dz * dz <= limit);
        }
    }

    /// [`sphere_boxes_soa`] for a box over columns of balls.
    #[inline(never)]
    pub fn box_spheres_soa(one: &Aabb, many: &SphereBatch, out: &mut [u8]) {
        let n = many.len().min(out.len());
        let [x, y, z] = many.centre().map(|c| &c.as_slice()[..n]);
        let r = &many.radius().as_slice()[..n];
        let out = &mut out[..n];
        for i in 0..n {
            let dx = x[i] - x[i].max(one.min.x).min(one.max.x);
            let dy = y[i] - y[i].max(one.min.y).min(one.max.y);
            let dz = z[i] - z[i].max(one.min.z).min(one.max.z);
            out[i] = u8::from(dx * dx + dy * dy + dz * dz <= r[i] * r[i]);
        }
    }
}
