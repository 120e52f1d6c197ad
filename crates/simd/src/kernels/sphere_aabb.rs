//! Which balls and boxes overlap: both closed, so that touching counts.
//!
//! # Exactness
//! The nearest point of a box is found by comparisons, so that on each axis one difference of stored
//! numbers is squared. Lanes compare the sum with r² in single precision and settle what rounding
//! leaves in doubt as [`Ball::overlaps_box`], the scalar twin, does: the answer is that of exact
//! arithmetic on the stored numbers. NaN and inverted boxes overlap nothing, infinite ones are boxes.

use fearless_simd::{Level, prelude::*};

use super::KernelError;
use super::aabb_aabb::{aabb_of, splat3};
use super::reach::{may_reach, signed_square, squares, surely_reaches};
use super::sphere_sphere::ball_of;
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

/// The squared distances of centres from boxes.
///
/// What `max` and `min` give for NaN is the platform's. A centre that is NaN makes the difference NaN
/// all the same; a box that is must be asked for.
#[inline(always)]
fn distance2<S: Simd, F: SimdFloat<S, Element = f32>>(c: [F; 3], min: [F; 3], max: [F; 3]) -> F {
    squares([
        c[0] - c[0].max(min[0]).min(max[0]),
        c[1] - c[1].max(min[1]).min(max[1]),
        c[2] - c[2].max(min[2]).min(max[2]),
    ])
}

/// The lanes that may overlap; boxes that are none may be among them.
#[inline(always)]
fn may_overlap<S: Simd, F: SimdFloat<S, Element = f32>>(
    simd: S,
    centre: [F; 3],
    radius: F,
    min: [F; 3],
    max: [F; 3],
) -> F::Mask {
    may_reach(simd, distance2(centre, min, max), signed_square(radius))
}

/// The lanes that surely overlap.
#[inline(always)]
fn surely_overlap<S: Simd, F: SimdFloat<S, Element = f32>>(
    simd: S,
    centre: [F; 3],
    radius: F,
    min: [F; 3],
    max: [F; 3],
) -> F::Mask {
    let is_box = min[0].simd_le(max[0]) & min[1].simd_le(max[1]) & min[2].simd_le(max[2]);
    surely_reaches(simd, distance2(centre, min, max), signed_square(radius)) & is_box
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
    fn near<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 6]) -> F::Mask {
        let [x0, y0, z0, x1, y1, z1] = *at;
        let radius = F::splat(simd, self.one.radius);
        let centre = splat3(simd, self.one.centre);
        may_overlap(simd, centre, radius, [x0, y0, z0], [x1, y1, z1])
    }

    #[inline(always)]
    fn sure<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 6]) -> F::Mask {
        let [x0, y0, z0, x1, y1, z1] = *at;
        let radius = F::splat(simd, self.one.radius);
        let centre = splat3(simd, self.one.centre);
        surely_overlap(simd, centre, radius, [x0, y0, z0], [x1, y1, z1])
    }

    #[inline(always)]
    fn test(self, _: usize, at: &[f32; 6]) -> bool {
        self.one.overlaps_box(&aabb_of(*at))
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
    fn near<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 4]) -> F::Mask {
        let [x, y, z, r] = *at;
        let min = splat3(simd, self.one.min);
        let max = splat3(simd, self.one.max);
        may_overlap(simd, [x, y, z], r, min, max)
    }

    #[inline(always)]
    fn sure<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 4]) -> F::Mask {
        let [x, y, z, r] = *at;
        let min = splat3(simd, self.one.min);
        let max = splat3(simd, self.one.max);
        surely_overlap(simd, [x, y, z], r, min, max)
    }

    #[inline(always)]
    fn test(self, _: usize, at: &[f32; 4]) -> bool {
        ball_of(*at).overlaps_box(&self.one)
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
    fn near<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 10]) -> F::Mask {
        let [x, y, z, r, x0, y0, z0, x1, y1, z1] = *at;
        may_overlap(simd, [x, y, z], r, [x0, y0, z0], [x1, y1, z1])
    }

    #[inline(always)]
    fn sure<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 10]) -> F::Mask {
        let [x, y, z, r, x0, y0, z0, x1, y1, z1] = *at;
        surely_overlap(simd, [x, y, z], r, [x0, y0, z0], [x1, y1, z1])
    }

    #[inline(always)]
    fn test(self, _: usize, at: &[f32; 10]) -> bool {
        let [x, y, z, r, a, b, c, d, e, f] = *at;
        ball_of([x, y, z, r]).overlaps_box(&aabb_of([a, b, c, d, e, f]))
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

    /// The early-out test over arrays of balls and boxes, one byte a pair; as many as the shortest of
    /// the three has.
    #[inline(never)]
    pub fn pairwise_aos(balls: &[Ball], boxes: &[Aabb], out: &mut [u8]) {
        for ((ball, aabb), out) in balls.iter().zip(boxes).zip(out) {
            *out = u8::from(overlaps(ball, aabb));
        }
    }

    /// [`sphere_boxes_soa`] for pairs.
    #[inline(never)]
    pub fn pairwise_soa(balls: &SphereBatch, boxes: &AabbBatch, out: &mut [u8]) {
        let n = balls.len().min(boxes.len()).min(out.len());
        let [x, y, z] = balls.centre().map(|c| &c.as_slice()[..n]);
        let r = &balls.radius().as_slice()[..n];
        let [x0, y0, z0] = boxes.min().map(|c| &c.as_slice()[..n]);
        let [x1, y1, z1] = boxes.max().map(|c| &c.as_slice()[..n]);
        let out = &mut out[..n];
        for i in 0..n {
            let dx = x[i] - x[i].max(x0[i]).min(x1[i]);
            let dy = y[i] - y[i].max(y0[i]).min(y1[i]);
            let dz = z[i] - z[i].max(z0[i]).min(z1[i]);
            out[i] = u8::from(dx * dx + dy * dy + dz * dz <= r[i] * r[i]);
        }
    }
}
