//! Boxes in an order of their own, eight a block.

use core::ops::ControlFlow;

use fearless_simd::prelude::*;
use jostle_geom::{Aabb, chunks::fill_chunks};
use jostle_simd::Box8;

use crate::bvh::Counters;
use crate::pair_buffer::PairBuffer;
use crate::tuning::BUILD_CHUNK;

/// Boxes and their ids by place.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) len: usize,
    /// Lanes after the last box are NaN.
    pub(super) boxes: Vec<Box8>,
    /// `u32::MAX` where there is no box.
    pub(super) ids: Vec<[u32; 8]>,
}

impl Blocks {
    /// Takes the boxes in the order of `place(0), place(1), …`, with ids from `first` on.
    pub(super) fn fill(&mut self, boxes: &[Aabb], first: u32, place: impl Fn(usize) -> u32 + Sync) {
        self.len = boxes.len();
        let blocks = self.len.div_ceil(8);
        self.boxes.resize(blocks, Box8::EMPTY);
        self.ids.resize(blocks, [u32::MAX; 8]);
        let lanes = |block: usize| (self.len - 8 * block).min(8);
        fill_chunks(&mut self.ids, BUILD_CHUNK / 8, |start, out| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = [u32::MAX; 8];
                for (lane, out) in out.iter_mut().enumerate().take(lanes(start + i)) {
                    *out = first + place(8 * (start + i) + lane);
                }
            }
        });
        fill_chunks(&mut self.boxes, BUILD_CHUNK / 8, |start, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let lanes = lanes(start + i);
                if lanes < 8 {
                    *out = Box8::EMPTY;
                }
                for lane in 0..lanes {
                    let place = place(8 * (start + i) + lane);
                    out.set(lane, &boxes[place as usize]);
                }
            }
        });
    }

    /// The box at a place.
    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> Aabb {
        self.boxes[place / 8].get(place % 8)
    }

    /// The id of the box at a place.
    #[inline(always)]
    pub(super) fn id(&self, place: usize) -> u32 {
        self.ids[place / 8][place % 8]
    }

    /// Tests a box against those at the places `from..to`, eight at a time.
    #[inline(always)]
    pub(super) fn meet<S: Simd>(
        &self,
        simd: S,
        (id, one): (u32, &Aabb),
        from: usize,
        to: usize,
        (buffer, counters): (&mut PairBuffer, &mut Counters),
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if from >= to {
            return ControlFlow::Continue(());
        }
        let (start, end) = (from / 8, to.div_ceil(8));
        let mut lanes = 0xFF << (from % 8);
        counters.tests += 8 * (end - start) as u64;
        for (i, block) in self.boxes[start..end].iter().enumerate() {
            let at = start + i;
            if at + 1 == end {
                lanes &= 0xFF >> (8 * end - to);
            }
            let bits = u32::from(block.overlaps_one(simd, one)) & lanes;
            lanes = 0xFF;
            if bits != 0 {
                buffer.reserve(8, flush)?;
                buffer.push_row::<true, S>(simd, bits, id, &self.ids[at]);
            }
        }
        ControlFlow::Continue(())
    }

    /// Bytes held.
    pub(super) fn memory_bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<Box8>() + self.ids.capacity() * size_of::<[u32; 8]>()
    }
}
