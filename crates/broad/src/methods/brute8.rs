//! Every box against every other one, eight at a time.

use core::ops::{ControlFlow, Range};

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::Aabb;

use super::Method;
use super::blocks::Blocks;
use super::index::Index;
use super::tasks::{Flush, Work};
use crate::h8::join_level;
use crate::pair_buffer::CHUNK;
use crate::tuning::BRUTE_BLOCKS;

/// The boxes as they came.
#[derive(Debug, Default)]
pub(super) struct Brute8Index {
    blocks: Blocks,
}

impl Brute8Index {
    fn blocks_of(&self, tasks: &Range<usize>) -> Range<usize> {
        let count = self.blocks.boxes.len();
        tasks.start * BRUTE_BLOCKS..(tasks.end * BRUTE_BLOCKS).min(count)
    }
}

/// Pairs of the blocks `rows` of `a` with all of `b`, or, when `SELF`, with the earlier ones and
/// themselves.
#[inline(always)]
fn run<const SELF: bool, S: Simd>(
    simd: S,
    (a, b): (&Blocks, &Blocks),
    rows: Range<usize>,
    work: &mut Work<()>,
    flush: &mut Flush<'_>,
) -> ControlFlow<()> {
    let mut flush = |chunk: &[[u32; 2]]| flush(chunk);
    for row in rows {
        let end = if SELF { row + 1 } else { b.boxes.len() };
        work.counters.nodes += end as u64;
        work.counters.tests += 64 * end as u64;
        for (at, other) in b.boxes[..end].iter().enumerate() {
            let mut bits = a.boxes[row].overlaps(simd, other);
            if SELF && at == row {
                bits &= BELOW_DIAGONAL;
            }
            if bits != 0 {
                work.buffer.reserve(64, &mut flush)?;
                work.buffer
                    .push_rows::<true, S>(simd, bits, &a.ids[row], &b.ids[at]);
            }
        }
    }
    ControlFlow::Continue(())
}

/// Bits `8 i + j` with `i > j`.
const BELOW_DIAGONAL: u64 = 0x7F3F_1F0F_0703_0100;
const _: () = assert!(CHUNK >= 64);

impl Index for Brute8Index {
    const METHOD: Method = Method::Brute8;
    type Scratch = ();

    fn fill(&mut self, boxes: &[Aabb], first: u32, _: Level) {
        self.blocks.fill(boxes, first, |place| place as u32);
    }

    fn task_count(&self) -> usize {
        self.blocks.boxes.len().div_ceil(BRUTE_BLOCKS)
    }

    fn join(
        &self,
        fixed: Option<&Self>,
        tasks: Range<usize>,
        level: Level,
        work: &mut Work<()>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        let rows = self.blocks_of(&tasks);
        let level = join_level(level);
        if let Some(fixed) = fixed {
            let pair = (&self.blocks, &fixed.blocks);
            dispatch!(level, simd => run::<false, _>(simd, pair, rows, work, flush))
        } else {
            let pair = (&self.blocks, &self.blocks);
            dispatch!(level, simd => run::<true, _>(simd, pair, rows, work, flush))
        }
    }

    fn memory_bytes(&self) -> usize {
        self.blocks.memory_bytes()
    }
}
