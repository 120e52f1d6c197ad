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
    use crate::volume::Volume;

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
}
