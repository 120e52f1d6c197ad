//! Which points lie in which boxes: closed boxes, so that points on the border do.
//!
//! # Exactness
//! Six comparisons of stored numbers, nothing is computed: the answer is exact, and [`contains`], the
//! scalar twin, gives the same one whatever the order of the comparisons. Comparisons with NaN are
//! false: NaN points and boxes, and padding, have no hits; nor have inverted boxes.

use fearless_simd::{Level, prelude::*};
use glam::Vec3;

use super::KernelError;
use super::aabb_aabb::{aabb_of, splat3};
use super::sweep::{Kernel, to_ids, to_mask};
use crate::Aabb;
use crate::batch::{AabbBatch, BitMask, Block, PointBatch};

/// Whether a point lies in a closed box.
#[inline]
pub fn contains(aabb: &Aabb, point: Vec3) -> bool {
    aabb.min.x <= point.x
        && point.x <= aabb.max.x
        && aabb.min.y <= point.y
        && point.y <= aabb.max.y
        && aabb.min.z <= point.z
        && point.z <= aabb.max.z
}

/// Which points of a batch lie in a box. O(n).
pub fn box_points(one: &Aabb, many: &PointBatch, out: &mut BitMask, level: Level) {
    to_mask(BoxPoints { one: *one, many }, out, level);
}

/// The ids of the points of a batch that lie in a box, ascending; `out` is cleared first. O(n).
pub fn box_points_ids(one: &Aabb, many: &PointBatch, out: &mut Vec<u32>, level: Level) {
    to_ids(BoxPoints { one: *one, many }, out, level);
}

/// In which boxes of a batch a point lies. O(n).
pub fn point_boxes(one: Vec3, many: &AabbBatch, out: &mut BitMask, level: Level) {
    to_mask(PointBoxes { one, many }, out, level);
}

/// The ids of the boxes of a batch in which a point lies, ascending; `out` is cleared first. O(n).
pub fn point_boxes_ids(one: Vec3, many: &AabbBatch, out: &mut Vec<u32>, level: Level) {
    to_ids(PointBoxes { one, many }, out, level);
}

/// Whether point `i` lies in box `i`, for every `i`. O(n).
///
/// # Errors
/// [`KernelError::Lengths`] when the batches are not of one length.
pub fn pairwise(
    points: &PointBatch,
    boxes: &AabbBatch,
    out: &mut BitMask,
    level: Level,
) -> Result<(), KernelError> {
    KernelError::same_lengths(points.len(), boxes.len())?;
    to_mask(Pairwise { points, boxes }, out, level);
    Ok(())
}

/// The lanes whose point lies in their box.
#[inline(always)]
fn inside<S: Simd, F: SimdFloat<S, Element = f32>>(
    point: [F; 3],
    min: [F; 3],
    max: [F; 3],
) -> F::Mask {
    let x = min[0].simd_le(point[0]) & point[0].simd_le(max[0]);
    let y = min[1].simd_le(point[1]) & point[1].simd_le(max[1]);
    let z = min[2].simd_le(point[2]) & point[2].simd_le(max[2]);
    x & y & z
}

#[derive(Clone, Copy)]
struct BoxPoints<'a> {
    one: Aabb,
    many: &'a PointBatch,
}

impl Kernel<3> for BoxPoints<'_> {
    const EXACT: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        self.many.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 3] {
        self.many.blocks()
    }

    #[inline(always)]
    fn near<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 3]) -> F::Mask {
        inside(*at, splat3(simd, self.one.min), splat3(simd, self.one.max))
    }

    #[inline(always)]
    fn test(self, _: usize, at: &[f32; 3]) -> bool {
        contains(&self.one, Vec3::from_array(*at))
    }
}

#[derive(Clone, Copy)]
struct PointBoxes<'a> {
    one: Vec3,
    many: &'a AabbBatch,
}

impl Kernel<6> for PointBoxes<'_> {
    const EXACT: bool = true;

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
        inside(splat3(simd, self.one), [x0, y0, z0], [x1, y1, z1])
    }

    #[inline(always)]
    fn test(self, _: usize, at: &[f32; 6]) -> bool {
        contains(&aabb_of(*at), self.one)
    }
}

#[derive(Clone, Copy)]
struct Pairwise<'a> {
    points: &'a PointBatch,
    boxes: &'a AabbBatch,
}

impl Kernel<9> for Pairwise<'_> {
    const EXACT: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        self.points.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 9] {
        let [x, y, z] = self.points.blocks();
        let [a, b, c, d, e, f] = self.boxes.blocks();
        [x, y, z, a, b, c, d, e, f]
    }

    #[inline(always)]
    fn near<S: Simd, F: SimdFloat<S, Element = f32>>(self, _: S, at: &[F; 9]) -> F::Mask {
        let [x, y, z, a, b, c, d, e, f] = *at;
        inside([x, y, z], [a, b, c], [d, e, f])
    }

    #[inline(always)]
    fn test(self, _: usize, at: &[f32; 9]) -> bool {
        let [x, y, z, a, b, c, d, e, f] = *at;
        contains(&aabb_of([a, b, c, d, e, f]), Vec3::new(x, y, z))
    }
}

/// References for measurement: how the same is written without a kernel.
pub mod baseline {
    use super::{Aabb, AabbBatch, PointBatch, Vec3, contains};

    /// The early-out test of a box over an array of points; `out` is cleared first.
    #[inline(never)]
    pub fn box_points_aos(one: &Aabb, many: &[Vec3], out: &mut Vec<u32>) {
        out.clear();
        for (i, point) in many.iter().enumerate() {
            if contains(one, *point) {
                out.push(i as u32);
            }
        }
    }

    /// The early-out test of a point over an array of boxes; `out` is cleared first.
    #[inline(never)]
    pub fn point_boxes_aos(one: Vec3, many: &[Aabb], out: &mut Vec<u32>) {
        out.clear();
        for (i, other) in many.iter().enumerate() {
            if contains(other, one) {
                out.push(i as u32);
            }
        }
    }

    /// A plain loop of a box over columns of points without branches, one byte an element, which the
    /// compiler turns into vector code; as many as the shorter one has.
    #[inline(never)]
    pub fn box_points_soa(one: &Aabb, many: &PointBatch, out: &mut [u8]) {
        let n = many.len().min(out.len());
        let [x, y, z] = many.columns().map(|c| &c.as_slice()[..n]);
        let out = &mut out[..n];
        let (a, b) = (one.min, one.max);
        for i in 0..n {
            out[i] = u8::from(a.x <= x[i])
                & u8::from(x[i] <= b.x)
                & u8::from(a.y <= y[i])
                & u8::from(y[i] <= b.y)
                & u8::from(a.z <= z[i])
                & u8::from(z[i] <= b.z);
        }
    }

    /// [`box_points_soa`] for a point over columns of boxes.
    #[inline(never)]
    pub fn point_boxes_soa(one: Vec3, many: &AabbBatch, out: &mut [u8]) {
        let n = many.len().min(out.len());
        let [x0, y0, z0] = many.min().map(|c| &c.as_slice()[..n]);
        let [x1, y1, z1] = many.max().map(|c| &c.as_slice()[..n]);
        let out = &mut out[..n];
        for i in 0..n {
            out[i] = u8::from(x0[i] <= one.x)
                & u8::from(one.x <= x1[i])
                & u8::from(y0[i] <= one.y)
                & u8::from(one.y <= y1[i])
                & u8::from(z0[i] <= one.z)
                & u8::from(one.z <= z1[i]);
        }
    }

    /// The early-out test over arrays of points and boxes, one byte a pair; as many as the shortest of
    /// the three has.
    #[inline(never)]
    pub fn pairwise_aos(points: &[Vec3], boxes: &[Aabb], out: &mut [u8]) {
        for ((point, aabb), out) in points.iter().zip(boxes).zip(out) {
            *out = u8::from(contains(aabb, *point));
        }
    }

    /// [`box_points_soa`] for pairs.
    #[inline(never)]
    pub fn pairwise_soa(points: &PointBatch, boxes: &AabbBatch, out: &mut [u8]) {
        let n = points.len().min(boxes.len()).min(out.len());
        let [x, y, z] = points.columns().map(|c| &c.as_slice()[..n]);
        let [x0, y0, z0] = boxes.min().map(|c| &c.as_slice()[..n]);
        let [x1, y1, z1] = boxes.max().map(|c| &c.as_slice()[..n]);
        let out = &mut out[..n];
        for i in 0..n {
            out[i] = u8::from(x0[i] <= x[i])
                & u8::from(x[i] <= x1[i])
                & u8::from(y0[i] <= y[i])
                & u8::from(y[i] <= y1[i])
                & u8::from(z0[i] <= z[i])
                & u8::from(z[i] <= z1[i]);
        }
    }
}
