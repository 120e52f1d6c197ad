//! One segment against many boxes, exactly.
//!
//! A closed segment and a closed box are apart when one of six directions parts them: the three axes, on which
//! stored numbers are compared, and the three normals of the segment in a picture along an axis. In a
//! picture (i, j), mirrored so that the segment climbs, with the nearer corner n and the farther one f
//! seen from its start and its extent d, the box lies below the line when `d_i f_j < d_j n_i` and above it
//! when `d_i n_j > d_j f_i`.
//!
//! In single precision each of these products has three roundings, so the difference of two of them is right
//! up to (3 + 16u) u times the sum of their magnitudes, u = 2⁻²⁴ (J. R. Shewchuk, "Adaptive Precision
//! Floating-Point Arithmetic", 1997, errboundA of ORIENT2D), and up to what subnormal products lose,
//! less than 2⁻¹⁴⁸. The kernel allows 4u and 2⁻¹²⁶; what is within that is in doubt and decided
//! by the twin, which asks adaptive predicates. An infinite bound is in doubt as well. So every answer
//! is that of exact arithmetic, at every level.
//!
//! Touching counts. A segment that is not finite meets nothing, nor does anything meet a box that has a NaN or
//! `min > max` on an axis. Boxes may be infinite.

use fearless_simd::{Level, prelude::*};
use glam::Vec3;
use robust::{Coord, orient2d};

use super::sweep::{Kernel, to_ids, to_mask};
use crate::Aabb;
use crate::batch::{AabbBatch, BitMask, Block};

/// A straight line between two points, metres; a point when they are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// One end.
    pub from: Vec3,
    /// The other.
    pub to: Vec3,
}

impl Segment {
    /// A segment by its ends.
    #[inline]
    pub const fn new(from: Vec3, to: Vec3) -> Self {
        Self { from, to }
    }

    /// Whether the closed segment shares a point with a closed box, in exact arithmetic; see [the
    /// module](self).
    #[inline]
    pub fn meets_box(&self, aabb: &Aabb) -> bool {
        let (from, to) = (self.from, self.to);
        let (lo, hi) = (from.min(to), from.max(to));
        for axis in 0..3 {
            if !(aabb.min[axis] <= aabb.max[axis]
                && aabb.min[axis] <= hi[axis]
                && lo[axis] <= aabb.max[axis])
            {
                return false;
            }
        }
        from.is_finite()
            && to.is_finite()
            && !(parts(from, to, aabb, 0) || parts(from, to, aabb, 1) || parts(from, to, aabb, 2))
    }
}

/// Whether the line of a finite segment, seen along an axis, leaves a box whose bounds meet its own on
/// one side.
#[inline]
fn parts(from: Vec3, to: Vec3, aabb: &Aabb, axis: usize) -> bool {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    // No point of the segment is further out, so nothing changes where a bound is infinite.
    let at = |x: f32, y: f32| Coord {
        x: f64::from(x.clamp(f32::MIN, f32::MAX)),
        y: f64::from(y.clamp(f32::MIN, f32::MAX)),
    };
    let line = [at(from[i], from[j]), at(to[i], to[j])];
    let (lo, hi) = (aabb.min, aabb.max);
    let ((left, right), (below, above)) = (
        if from[j] <= to[j] {
            (lo[i], hi[i])
        } else {
            (hi[i], lo[i])
        },
        if from[i] <= to[i] {
            (lo[j], hi[j])
        } else {
            (hi[j], lo[j])
        },
    );
    orient2d(line[0], line[1], at(left, above)) < 0.0
        || orient2d(line[0], line[1], at(right, below)) > 0.0
}

/// Which boxes a segment meets, bit by bit. O(n).
pub fn one_many(segment: &Segment, boxes: &AabbBatch, out: &mut BitMask, level: Level) {
    to_mask(OneMany::new(segment, boxes), out, level);
}

/// The ids of the boxes that a segment meets, ascending; `out` is cleared first. O(n).
pub fn one_many_ids(segment: &Segment, boxes: &AabbBatch, out: &mut Vec<u32>, level: Level) {
    to_ids(OneMany::new(segment, boxes), out, level);
}

/// Of the sum of the products without their signs.
const RELATIVE: f32 = 4.0 * (f32::EPSILON / 2.0);
/// Beyond what subnormal products lose.
const TINY: f32 = f32::MIN_POSITIVE;

#[derive(Clone, Copy)]
struct OneMany<'a> {
    segment: Segment,
    boxes: &'a AabbBatch,
    /// Smallest and largest coordinates.
    lo: Vec3,
    hi: Vec3,
    /// Extents, which are those in the mirrored pictures.
    extent: Vec3,
}

impl<'a> OneMany<'a> {
    fn new(segment: &Segment, boxes: &'a AabbBatch) -> Self {
        // Where an end is not finite, the segment is one that meets nothing.
        let segment = if segment.from.is_finite() && segment.to.is_finite() {
            *segment
        } else {
            Segment::new(Vec3::NAN, Vec3::NAN)
        };
        let (from, to) = (segment.from, segment.to);
        Self {
            segment,
            boxes,
            lo: from.min(to),
            hi: from.max(to),
            extent: (to - from).abs(),
        }
    }

    #[inline(always)]
    fn backward(&self, axis: usize) -> bool {
        self.segment.to[axis] < self.segment.from[axis]
    }
}

impl Kernel<6> for OneMany<'_> {
    const EXACT: bool = false;

    #[inline(always)]
    fn len(&self) -> usize {
        self.boxes.len()
    }

    /// The nearer corners, then the farther ones.
    #[inline(always)]
    fn columns(&self) -> [&[Block]; 6] {
        let mut columns = self.boxes.blocks();
        for axis in 0..3 {
            if self.backward(axis) {
                columns.swap(axis, axis + 3);
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
        let mut near = F::Mask::splat(simd, true);
        for axis in 0..3 {
            let (lo, hi) = if self.backward(axis) {
                (at[axis + 3], at[axis])
            } else {
                (at[axis], at[axis + 3])
            };
            near &= lo.simd_le(hi);
            near &= lo.simd_le(F::splat(simd, self.hi[axis]));
            near &= F::splat(simd, self.lo[axis]).simd_le(hi);
        }
        if !near.any_true() {
            return (near, !near);
        }
        let mut to_near = [F::splat(simd, 0.0); 3];
        let mut to_far = to_near;
        for axis in 0..3 {
            let from = F::splat(simd, self.segment.from[axis]);
            to_near[axis] = at[axis] - from;
            to_far[axis] = at[axis + 3] - from;
        }
        let mut met = near;
        let mut missed = !near;
        for axis in 0..3 {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            if self.extent[i] == 0.0 && self.extent[j] == 0.0 {
                // A point in this picture.
                continue;
            }
            // The mirror of an axis is in the factor of its own coordinates and nowhere else.
            let (d_i, d_j) = (self.extent[i], self.extent[j]);
            let (d_i, d_j) = (
                F::splat(simd, if self.backward(j) { -d_i } else { d_i }),
                F::splat(simd, if self.backward(i) { -d_j } else { d_j }),
            );
            for (climbing, along) in [
                (d_i * to_far[j], d_j * to_near[i]),
                (-(d_i * to_near[j]), -(d_j * to_far[i])),
            ] {
                let height = climbing - along;
                let size = climbing.abs() + along.abs();
                let bound = size * F::splat(simd, RELATIVE) + F::splat(simd, TINY);
                met &= height.simd_gt(bound);
                missed |= height.simd_lt(-bound);
            }
        }
        (met, missed)
    }

    #[inline(always)]
    fn test(self, i: usize, _: &[f32; 6]) -> bool {
        self.segment.meets_box(&self.boxes.at(i))
    }
}

/// References for measurement: how the same is written without a kernel.
pub mod baseline {
    use super::Segment;
    use crate::Aabb;
    use crate::batch::AabbBatch;

    /// The early-out test over an array of structs; `out` is cleared first.
    #[inline(never)]
    pub fn one_many_aos(segment: &Segment, boxes: &[Aabb], out: &mut Vec<u32>) {
        out.clear();
        for (id, aabb) in (0_u32..).zip(boxes) {
            if segment.meets_box(aabb) {
                out.push(id);
            }
        }
    }

    /// The test as it is commonly written (C. Ericson, "Real-Time Collision Detection", 2005, section
    /// 5.3.3: six separating axes in single precision), left on the first axis that parts them, over an
    /// array of structs; `out` is cleared first.
    #[inline(never)]
    pub fn common_aos(segment: &Segment, boxes: &[Aabb], out: &mut Vec<u32>) {
        let (middle, along) = (
            0.5 * (segment.from + segment.to),
            0.5 * (segment.to - segment.from),
        );
        let reach = along.abs();
        out.clear();
        for (id, aabb) in (0_u32..).zip(boxes) {
            let half = 0.5 * (aabb.max - aabb.min);
            let m = middle - 0.5 * (aabb.min + aabb.max);
            if m.x.abs() <= half.x + reach.x
                && m.y.abs() <= half.y + reach.y
                && m.z.abs() <= half.z + reach.z
                && (m.y * along.z - m.z * along.y).abs() <= half.y * reach.z + half.z * reach.y
                && (m.z * along.x - m.x * along.z).abs() <= half.z * reach.x + half.x * reach.z
                && (m.x * along.y - m.y * along.x).abs() <= half.x * reach.y + half.y * reach.x
            {
                out.push(id);
            }
        }
    }

    /// [`common_aos`] without branches over columns, for the compiler to vectorise: 1 where they meet.
    /// As many boxes as the shorter one has.
    #[inline(never)]
    pub fn common_soa(segment: &Segment, boxes: &AabbBatch, out: &mut [u8]) {
        let n = boxes.len().min(out.len());
        let [x0, y0, z0] = boxes.min().map(|column| &column.as_slice()[..n]);
        let [x1, y1, z1] = boxes.max().map(|column| &column.as_slice()[..n]);
        // Twice the middle and twice the half sizes throughout.
        let (middle, along) = (segment.from + segment.to, segment.to - segment.from);
        let reach = along.abs();
        for (i, out) in out[..n].iter_mut().enumerate() {
            let (hx, hy, hz) = (x1[i] - x0[i], y1[i] - y0[i], z1[i] - z0[i]);
            let mx = middle.x - (x0[i] + x1[i]);
            let my = middle.y - (y0[i] + y1[i]);
            let mz = middle.z - (z0[i] + z1[i]);
            let yz = (my * along.z - mz * along.y).abs() <= hy * reach.z + hz * reach.y;
            let zx = (mz * along.x - mx * along.z).abs() <= hz * reach.x + hx * reach.z;
            let xy = (mx * along.y - my * along.x).abs() <= hx * reach.y + hy * reach.x;
            *out = u8::from(mx.abs() <= hx + reach.x)
                & u8::from(my.abs() <= hy + reach.y)
                & u8::from(mz.abs() <= hz + reach.z)
                & u8::from(yz)
                & u8::from(zx)
                & u8::from(xy);
        }
    }
}
