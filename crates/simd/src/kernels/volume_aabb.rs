//! Which of many boxes meet a volume: a [`Frustum`](crate::volume::Frustum), a ball, a box that moves, or a
//! [`Volume`] of your own.
//!
//! The twin is [`Volume::test`], and a volume's lanes have its answers. They are conservative: for a frustum
//! a mask for culling, in which a box outside it near an edge may be set and one that meets it
//! is never missing. Boxes with a NaN or `min > max` on an axis are never set.

use fearless_simd::{Level, prelude::*};

use super::sweep::{Kernel, to_ids, to_mask};
use crate::batch::{AabbBatch, BitMask, Block};
use crate::volume::Volume;

/// Which boxes meet a volume, bit by bit. O(n).
pub fn one_many<V: Volume>(volume: &V, boxes: &AabbBatch, out: &mut BitMask, level: Level) {
    to_mask(OneMany { volume, boxes }, out, level);
}

/// The ids of the boxes that meet a volume, ascending; `out` is cleared first. O(n).
pub fn one_many_ids<V: Volume>(volume: &V, boxes: &AabbBatch, out: &mut Vec<u32>, level: Level) {
    to_ids(OneMany { volume, boxes }, out, level);
}

struct OneMany<'a, V> {
    volume: &'a V,
    boxes: &'a AabbBatch,
}

impl<V> Clone for OneMany<'_, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for OneMany<'_, V> {}

impl<V: Volume> Kernel<6> for OneMany<'_, V> {
    const EXACT: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        self.boxes.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 6] {
        self.boxes.blocks()
    }

    #[inline(always)]
    fn lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        self,
        simd: S,
        at: &[F; 6],
    ) -> (F::Mask, F::Mask) {
        let [x, y, z, u, v, w] = *at;
        let valid = x.simd_le(u) & y.simd_le(v) & z.simd_le(w);
        let met = self.volume.test_lanes(simd, &[x, y, z], &[u, v, w]) & valid;
        (met, met)
    }

    #[inline(always)]
    fn test(self, i: usize, _: &[f32; 6]) -> bool {
        let aabb = self.boxes.at(i);
        aabb.min.cmple(aabb.max).all() && self.volume.test(&aabb)
    }
}

/// References for measurement: how the same is written without a kernel.
pub mod baseline {
    use crate::Aabb;
    use crate::batch::AabbBatch;
    use crate::volume::{Frustum, Volume};

    /// The test over an array of structs; `out` is cleared first.
    #[inline(never)]
    pub fn one_many_aos<V: Volume>(volume: &V, boxes: &[Aabb], out: &mut Vec<u32>) {
        out.clear();
        for (id, aabb) in (0_u32..).zip(boxes) {
            if aabb.min.cmple(aabb.max).all() && volume.test(aabb) {
                out.push(id);
            }
        }
    }

    /// The corner furthest inward of each of six planes without branches over columns, for the compiler
    /// to vectorise: 1 where it is inside all. Without the allowance for rounding. As many boxes
    /// as the shorter one has.
    #[inline(never)]
    pub fn frustum_soa(frustum: &Frustum, boxes: &AabbBatch, out: &mut [u8]) {
        let n = boxes.len().min(out.len());
        let min = boxes.min().map(|column| &column.as_slice()[..n]);
        let max = boxes.max().map(|column| &column.as_slice()[..n]);
        let planes = frustum.planes().map(|plane| {
            let pick = |axis: usize| {
                if plane.normal[axis] >= 0.0 {
                    max[axis]
                } else {
                    min[axis]
                }
            };
            (plane, [pick(0), pick(1), pick(2)])
        });
        out[..n].fill(1);
        for (plane, [x, y, z]) in planes {
            let normal = plane.normal;
            for (i, out) in out[..n].iter_mut().enumerate() {
                let height = normal.x * x[i] + normal.y * y[i] + normal.z * z[i] + plane.offset;
                *out &= u8::from(height >= 0.0);
            }
        }
    }
}
