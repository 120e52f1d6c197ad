//! On which side of a plane boxes are, exactly.
//!
//! Of a box one corner is furthest along the normal and one furthest against it, chosen by the signs of the
//! normal. The box is in front when the latter is, and behind when the former is. In single precision
//! the value of a plane's equation, a sum of three products and the offset, is right up to 4u / (1 − 4u)
//! times the sum of the terms' magnitudes, u = 2⁻²⁴ (N. J. Higham, "Accuracy and Stability of Numerical
//! Algorithms", 2002, section 3.1), and up to three times 2⁻¹⁵⁰ for subnormal products. The kernel allows
//! 8u and 2⁻¹²⁶, which covers the rounding of that sum as well; what is within that, or has
//! an infinite corner, is decided by the twin: its four terms are exact in double precision,
//! and where their rounded sum is in doubt their sign is found exactly. So are all answers.

use fearless_simd::{Level, prelude::*};
use glam::Vec3;

use super::sweep::{Kernel, to_ids, to_mask};
use crate::Aabb;
use crate::batch::{AabbBatch, BitMask, Block};
use crate::exact::sign_of_sum;
use crate::volume::Plane;

/// Where a closed box is with respect to a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaneSide {
    /// Wholly on the side to which the normal points, without touching the plane.
    Front,
    /// Wholly on the other side, without touching the plane.
    Back,
    /// On both sides or touching the plane.
    Straddling,
}

impl PlaneSide {
    /// On which side of a plane a closed box is, in exact arithmetic.
    ///
    /// `None` for a box with a NaN or `min > max` on an axis. Every box straddles a plane whose normal
    /// or offset is not finite, and one whose normal and offset are zero. Boxes may be infinite.
    #[inline]
    pub fn of(plane: &Plane, aabb: &Aabb) -> Option<Self> {
        if !aabb.min.cmple(aabb.max).all() {
            return None;
        }
        let n = plane.normal;
        if !n.is_finite() || !plane.offset.is_finite() {
            return Some(Self::Straddling);
        }
        let (inner, outer) = (pick(n, aabb.max, aabb.min), pick(n, aabb.min, aabb.max));
        Some(if height(plane, outer) > 0 {
            Self::Front
        } else if height(plane, inner) < 0 {
            Self::Back
        } else {
            Self::Straddling
        })
    }
}

/// Coordinates of `along` on axes where the normal is not negative, of `against` on others.
#[inline(always)]
fn pick(normal: Vec3, along: Vec3, against: Vec3) -> Vec3 {
    Vec3::select(normal.cmpge(Vec3::ZERO), along, against)
}

/// The sign of the equation of a finite plane at a corner. A corner infinitely far out on a side along one axis
/// is on that side, unless it is so on both; such a corner is no point, and its box straddles.
#[inline]
fn height(plane: &Plane, corner: Vec3) -> i32 {
    let mut terms = [0.0, 0.0, 0.0, f64::from(plane.offset)];
    for axis in 0..3 {
        // Zero times an infinite bound would be NaN.
        if plane.normal[axis] != 0.0 {
            terms[axis] = f64::from(plane.normal[axis]) * f64::from(corner[axis]);
        }
    }
    let sum = terms[0] + terms[1] + terms[2] + terms[3];
    let size = terms[0].abs() + terms[1].abs() + terms[2].abs() + terms[3].abs();
    if size == f64::INFINITY {
        return i32::from(sum > 0.0) - i32::from(sum < 0.0);
    }
    let bound = size * (8.0 * (f64::EPSILON / 2.0));
    if sum > bound {
        1
    } else if sum < -bound {
        -1
    } else {
        sign_of_sum(&terms)
    }
}

/// Which boxes are on a side of a plane, bit by bit. O(n).
pub fn one_many(
    plane: &Plane,
    side: PlaneSide,
    boxes: &AabbBatch,
    out: &mut BitMask,
    level: Level,
) {
    to_mask(OneMany::new(plane, side, boxes), out, level);
}

/// The ids of the boxes on a side of a plane, ascending; `out` is cleared first. O(n).
pub fn one_many_ids(
    plane: &Plane,
    side: PlaneSide,
    boxes: &AabbBatch,
    out: &mut Vec<u32>,
    level: Level,
) {
    to_ids(OneMany::new(plane, side, boxes), out, level);
}

/// Of the sum of the terms without their signs.
const RELATIVE: f32 = 8.0 * (f32::EPSILON / 2.0);
/// Beyond what subnormal products lose.
const TINY: f32 = f32::MIN_POSITIVE;

#[derive(Clone, Copy)]
struct OneMany<'a> {
    plane: Plane,
    side: PlaneSide,
    boxes: &'a AabbBatch,
}

impl<'a> OneMany<'a> {
    fn new(plane: &Plane, side: PlaneSide, boxes: &'a AabbBatch) -> Self {
        // A plane that is not finite is straddled by all, like the one that is zero.
        let plane = if plane.normal.is_finite() && plane.offset.is_finite() {
            *plane
        } else {
            Plane::EVERYWHERE
        };
        Self { plane, side, boxes }
    }

    #[inline(always)]
    fn backward(&self, axis: usize) -> bool {
        self.plane.normal[axis] < 0.0
    }

    /// Which corners are surely in front and which surely behind.
    #[inline(always)]
    fn sides<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        corner: &[F; 3],
    ) -> (F::Mask, F::Mask) {
        let offset = F::splat(simd, self.plane.offset);
        let x = corner[0] * F::splat(simd, self.plane.normal.x);
        let y = corner[1] * F::splat(simd, self.plane.normal.y);
        let z = corner[2] * F::splat(simd, self.plane.normal.z);
        let sum = x + y + z + offset;
        let size = x.abs() + y.abs() + z.abs() + offset.abs();
        let bound = size * F::splat(simd, RELATIVE) + F::splat(simd, TINY);
        (sum.simd_gt(bound), sum.simd_lt(-bound))
    }
}

impl Kernel<6> for OneMany<'_> {
    const EXACT: bool = false;

    #[inline(always)]
    fn len(&self) -> usize {
        self.boxes.len()
    }

    /// The corners furthest against the normal, then those furthest along it.
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
        let [x, y, z, u, v, w] = *at;
        let mut valid = F::Mask::splat(simd, true);
        for axis in 0..3 {
            valid &= if self.backward(axis) {
                at[axis + 3].simd_le(at[axis])
            } else {
                at[axis].simd_le(at[axis + 3])
            };
        }
        match self.side {
            PlaneSide::Front => {
                let (front, not) = self.sides(simd, &[x, y, z]);
                (front & valid, not)
            }
            PlaneSide::Back => {
                let (not, back) = self.sides(simd, &[u, v, w]);
                (back & valid, not)
            }
            PlaneSide::Straddling => {
                let (front, not_front) = self.sides(simd, &[x, y, z]);
                let (not_back, back) = self.sides(simd, &[u, v, w]);
                (not_front & not_back & valid, front | back)
            }
        }
    }

    #[inline(always)]
    fn test(self, i: usize, _: &[f32; 6]) -> bool {
        PlaneSide::of(&self.plane, &self.boxes.at(i)) == Some(self.side)
    }
}

/// References for measurement: how the same is written without a kernel.
pub mod baseline {
    use super::{Plane, PlaneSide};
    use crate::Aabb;
    use crate::batch::AabbBatch;

    /// The test over an array of structs; `out` is cleared first.
    #[inline(never)]
    pub fn one_many_aos(plane: &Plane, side: PlaneSide, boxes: &[Aabb], out: &mut Vec<u32>) {
        out.clear();
        for (id, aabb) in (0_u32..).zip(boxes) {
            if PlaneSide::of(plane, aabb) == Some(side) {
                out.push(id);
            }
        }
    }

    /// The boxes that a plane cuts, as the test is commonly written (centre and half sizes, in single
    /// precision), over an array of structs; `out` is cleared first.
    #[inline(never)]
    pub fn straddling_aos(plane: &Plane, boxes: &[Aabb], out: &mut Vec<u32>) {
        let size = plane.normal.abs();
        out.clear();
        for (id, aabb) in (0_u32..).zip(boxes) {
            let (centre, half) = (0.5 * (aabb.min + aabb.max), 0.5 * (aabb.max - aabb.min));
            if (plane.normal.dot(centre) + plane.offset).abs() <= size.dot(half) {
                out.push(id);
            }
        }
    }

    /// [`straddling_aos`] over columns, for the compiler to vectorise: 1 where the plane cuts. As many
    /// boxes as the shorter one has.
    #[inline(never)]
    pub fn straddling_soa(plane: &Plane, boxes: &AabbBatch, out: &mut [u8]) {
        let n = boxes.len().min(out.len());
        let [x0, y0, z0] = boxes.min().map(|column| &column.as_slice()[..n]);
        let [x1, y1, z1] = boxes.max().map(|column| &column.as_slice()[..n]);
        let (to, size) = (0.5 * plane.normal, 0.5 * plane.normal.abs());
        for (i, out) in out[..n].iter_mut().enumerate() {
            let height = to.x * (x0[i] + x1[i]) + to.y * (y0[i] + y1[i]) + to.z * (z0[i] + z1[i]);
            let reach =
                size.x * (x1[i] - x0[i]) + size.y * (y1[i] - y0[i]) + size.z * (z1[i] - z0[i]);
            *out = u8::from((height + plane.offset).abs() <= reach);
        }
    }
}
