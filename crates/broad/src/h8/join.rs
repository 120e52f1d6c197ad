//! Joins of two trees, or of a tree with itself, task by task.

use core::ops::ControlFlow;

use fearless_simd::{Level, prelude::*};
use jostle_simd::Box8;

use super::Tree;
use crate::pair_buffer::PairBuffer;
use crate::tuning::TASK_LEVEL;

/// Bits `8 i + j` with `i ≤ j`: the pairs of a block's children with each other.
const FROM_DIAGONAL: u64 = triangle(0);
/// Bits `8 i + j` with `i < j`: the pairs of a leaf's boxes.
const ABOVE_DIAGONAL: u64 = triangle(1);

const fn triangle(gap: u32) -> u64 {
    let mut bits = 0;
    let mut i = 0;
    while i < 8 {
        bits |= ((0xFF << (i + gap)) & 0xFF_u64) << (8 * i);
        i += 1;
    }
    bits
}

/// The level at which joins run: AVX2 where AVX-512 was asked for. The tests are short chains of
/// eight-lane comparisons, and the mask registers into which AVX-512 compares have fewer ports than
/// the vector registers of AVX2: the joins took 1.4 to 1.55 times as long (Zen 5). The pairs and
/// their order are the same.
pub(crate) fn join_level(level: Level) -> Level {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let (Level::Avx512(_), Some(avx2)) = (level, level.as_avx2()) {
        return Level::Avx2(avx2);
    }
    level
}

/// Rejects pairs of overlapping boxes for another reason, 64 at a time.
pub(crate) trait Filter: Copy {
    /// `bits` without those rejected, bit `8 i + j` for lane `i` of the one leaf and lane `j` of
    /// the other.
    fn keep<S: Simd>(self, simd: S, leaf_a: usize, leaf_b: usize, bits: u64) -> u64;
}

/// Rejects nothing.
#[derive(Clone, Copy)]
pub(crate) struct All;

impl Filter for All {
    #[inline(always)]
    fn keep<S: Simd>(self, _: S, _: usize, _: usize, bits: u64) -> u64 {
        bits
    }
}

/// A join; see [`Join::run`].
pub(crate) struct Join<'a, F> {
    /// The tree whose blocks are the tasks.
    pub(crate) a: &'a Tree,
    /// The tree they are joined with; for a self-join the same one.
    pub(crate) b: &'a Tree,
    /// What else rejects a pair.
    pub(crate) filter: F,
}

/// Memory of searches, reused.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    found: Vec<u32>,
    stack: Vec<(u32, u32)>,
}

impl<F: Filter> Join<'_, F> {
    /// Finds the pairs of one task: the boxes of one block of `a` with the boxes of `b`, or, when
    /// `SELF`, with those that come after them in the same tree (ids then come smaller first).
    #[inline(always)]
    pub(crate) fn run<const SELF: bool, S: Simd>(
        &self,
        simd: S,
        task: usize,
        nodes: &mut Nodes,
        buffer: &mut PairBuffer,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.b.is_empty() {
            return ControlFlow::Continue(());
        }
        self.search::<SELF, S>(simd, task, nodes);
        let blocks_a = &self.a.levels[..=TASK_LEVEL];
        let blocks_b = &self.b.levels[..=TASK_LEVEL];
        for &node in &nodes.found {
            let node = node as usize;
            let mut upper = overlaps(simd, &blocks_a[2][task], &blocks_b[2][node]);
            if SELF && task == node {
                upper &= FROM_DIAGONAL;
            }
            while upper != 0 {
                let (a, b) = children(&mut upper, task, node);
                let mut lower = overlaps(simd, &blocks_a[1][a], &blocks_b[1][b]);
                if SELF && a == b {
                    lower &= FROM_DIAGONAL;
                }
                while lower != 0 {
                    let (a, b) = children(&mut lower, a, b);
                    buffer.reserve(64, flush)?;
                    let mut bits = overlaps(simd, &blocks_a[0][a], &blocks_b[0][b]);
                    if SELF && a == b {
                        bits &= ABOVE_DIAGONAL;
                    }
                    if bits != 0 {
                        bits = self.filter.keep(simd, a, b, bits);
                        if SELF {
                            buffer.push_bits::<true, S>(simd, bits, &self.a.ids[a], &self.b.ids[b]);
                        } else {
                            buffer.push_bits::<false, S>(
                                simd,
                                bits,
                                &self.a.ids[a],
                                &self.b.ids[b],
                            );
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Collects the blocks of `b`, on the level of the tasks, that overlap the block `task` of
    /// `a`, in ascending order. Depth first; the stack holds at most seven blocks a level.
    #[inline(always)]
    fn search<const SELF: bool, S: Simd>(&self, simd: S, task: usize, nodes: &mut Nodes) {
        nodes.found.clear();
        nodes.stack.clear();
        let top = self.b.levels.len() - 1;
        if top == TASK_LEVEL {
            nodes.found.push(0);
            return;
        }
        let bounds = if let Some(parents) = self.a.levels.get(TASK_LEVEL + 1) {
            parents[task / 8].get(task % 8)
        } else {
            let lanes = self.a.levels[TASK_LEVEL - 1].len();
            self.a.levels[TASK_LEVEL][task].bounds(lanes.min(8))
        };
        nodes.stack.push((top as u32, 0));
        while let Some((level, block)) = nodes.stack.pop() {
            let level = level as usize;
            let mut bits = self.b.levels[level][block as usize].overlaps_one(simd, &bounds);
            if level == TASK_LEVEL + 1 {
                while bits != 0 {
                    let node = 8 * block + bits.trailing_zeros();
                    if !SELF || node as usize >= task {
                        nodes.found.push(node);
                    }
                    bits &= bits - 1;
                }
            } else {
                // Last child first, so that the first is popped first.
                while bits != 0 {
                    let lane = bits.ilog2();
                    nodes.stack.push((level as u32 - 1, 8 * block + lane));
                    bits &= !(1 << lane);
                }
            }
        }
    }
}

#[inline(always)]
fn overlaps<S: Simd>(simd: S, a: &Box8, b: &Box8) -> u64 {
    a.overlaps(simd, b)
}

/// The pair of children that the lowest bit names, which is cleared.
#[inline(always)]
fn children(bits: &mut u64, a: usize, b: usize) -> (usize, usize) {
    let bit = bits.trailing_zeros() as usize;
    *bits &= *bits - 1;
    (8 * a + (bit >> 3), 8 * b + (bit & 7))
}
