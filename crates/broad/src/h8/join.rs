//! Joins of two trees, or of a tree with itself, task by task.

use core::ops::ControlFlow;

use fearless_simd::{Level, mask32x8, prelude::*, u32x8};

use super::Tree;
use crate::bvh::Counters;
use crate::pair_buffer::PairBuffer;
use crate::tuning::{DENSE_HITS, LEAF_BATCH, TASK_LEVEL};

/// Bits `8 i + j` with `i ≤ j`: the pairs of a block's children with each other.
pub(crate) const FROM_DIAGONAL: u64 = triangle(0);
/// Bits `8 i + j` with `i < j`: the pairs of a leaf's boxes.
pub(crate) const ABOVE_DIAGONAL: u64 = triangle(1);

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

/// Rejects pairs of overlapping boxes for another reason, eight at a time.
pub(crate) trait Filter: Copy {
    /// Whether pairs of two trees come smaller id first, not as (id of `a`, id of `b`).
    const SORTED: bool = false;

    /// The lanes `j` in which box `8 leaf_a + lane_a` of the one tree and box `8 leaf_b + j` of the
    /// other are no pair.
    fn reject<S: Simd>(self, simd: S, leaf_a: usize, lane_a: usize, leaf_b: usize) -> u32;

    /// The same for all boxes of a leaf, bit `8 i + j` for lane `i` of the one and `j` of the other.
    fn reject_all<S: Simd>(self, simd: S, leaf_a: usize, leaf_b: usize) -> u64;
}

/// Rejects nothing.
#[derive(Clone, Copy)]
pub(crate) struct All<const SORTED: bool>;

impl<const SORTED: bool> Filter for All<SORTED> {
    const SORTED: bool = SORTED;

    #[inline(always)]
    fn reject<S: Simd>(self, _: S, _: usize, _: usize, _: usize) -> u32 {
        0
    }

    #[inline(always)]
    fn reject_all<S: Simd>(self, _: S, _: usize, _: usize) -> u64 {
        0
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
    /// Pairs of leaves that overlap.
    leaves: Vec<[u32; 2]>,
    /// Boxes that overlap a leaf, `[place of the box, leaf]`; longer than what it holds.
    rows: Vec<[u32; 2]>,
    /// Rows with pairs: which row, and the lanes of its leaf.
    hits: Vec<[u32; 2]>,
    /// Whether a batch had so many pairs that the task tests all 64 pairs of two leaves at once.
    dense: bool,
    /// What was done since it was last reset, by the block.
    pub(crate) counters: Counters,
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
        nodes.leaves.clear();
        nodes.dense = false;
        let mut blocks = nodes.found.len() as u64;
        for at in 0..nodes.found.len() {
            let node = nodes.found[at] as usize;
            let mut upper = blocks_a[2][task].overlaps(simd, &blocks_b[2][node]);
            if SELF && task == node {
                upper &= FROM_DIAGONAL;
            }
            blocks += u64::from(upper.count_ones());
            while upper != 0 {
                let (a, b) = children(&mut upper, task, node);
                let mut lower = blocks_a[1][a].overlaps(simd, &blocks_b[1][b]);
                if SELF && a == b {
                    lower &= FROM_DIAGONAL;
                }
                while lower != 0 {
                    let (a, b) = children(&mut lower, a, b);
                    if nodes.dense {
                        nodes.counters.tests += 64;
                        self.all_pairs::<SELF, S>(simd, a, b, buffer, flush)?;
                    } else {
                        nodes.leaves.push([a as u32, b as u32]);
                    }
                }
                if nodes.leaves.len() >= LEAF_BATCH {
                    self.leaves::<SELF, S>(simd, nodes, buffer, flush)?;
                }
            }
        }
        nodes.counters.nodes += blocks;
        self.leaves::<SELF, S>(simd, nodes, buffer, flush)
    }

    /// Finds the pairs of the boxes of pairs of leaves, in three passes over short lists: which
    /// boxes of the one leaf overlap the bounds of the other leaf, which boxes of that leaf those
    /// overlap, and writing the pairs. None of the passes has a branch that depends on a test:
    /// what it keeps is written always and counted when it is kept.
    #[inline(always)]
    fn leaves<const SELF: bool, S: Simd>(
        &self,
        simd: S,
        nodes: &mut Nodes,
        buffer: &mut PairBuffer,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (leaves_a, leaves_b) = (&self.a.levels[0][..], &self.b.levels[0][..]);
        let parents_b = &self.b.levels[1][..];
        let Nodes {
            leaves,
            rows,
            hits,
            dense,
            counters,
            ..
        } = nodes;
        counters.nodes += leaves.len() as u64;

        let most = 8 * leaves.len();
        if rows.len() < most {
            rows.resize(most, [0; 2]);
            hits.resize(most, [0; 2]);
        }
        let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let mut row_count = 0;
        for &[a, b] in &*leaves {
            let bounds = parents_b[b as usize / 8].get(b as usize % 8);
            let bits = leaves_a[a as usize].overlaps_one(simd, &bounds);
            let mask = mask32x8::from_bitmask(simd, u64::from(bits));
            let places = (lanes + u32x8::splat(simd, 8 * a)).compress(mask);
            let (low, high) = places.interleave(u32x8::splat(simd, b));
            let room = rows[row_count..row_count + 8].as_flattened_mut();
            low.store_slice(&mut room[..8]);
            high.store_slice(&mut room[8..]);
            row_count += bits.count_ones() as usize;
        }

        counters.tests += 8 * row_count as u64;

        let mut hit_count = 0;
        for (row, &[place, leaf]) in rows[..row_count].iter().enumerate() {
            let (a, lane, b) = (place as usize / 8, place as usize % 8, leaf as usize);
            let one = leaves_a[a].get(lane);
            let mut bits = u32::from(leaves_b[b].overlaps_one(simd, &one));
            if SELF {
                // Later lanes of the same leaf, all lanes of another one.
                let later = 0xFE << lane;
                bits &= if a == b { later } else { 0xFF };
            }
            bits &= !self.filter.reject(simd, a, lane, b);
            hits[hit_count] = [row as u32, bits];
            hit_count += usize::from(bits != 0);
        }

        let mut found = 0;
        for &[row, bits] in &hits[..hit_count] {
            found += bits.count_ones() as usize;
            let [place, leaf] = rows[row as usize];
            buffer.reserve(8, flush)?;
            let id = self.a.ids[place as usize / 8][place as usize % 8];
            let ids = &self.b.ids[leaf as usize];
            if SELF || F::SORTED {
                buffer.push_row::<true, S>(simd, bits, id, ids);
            } else {
                buffer.push_row::<false, S>(simd, bits, id, ids);
            }
        }
        *dense = found >= DENSE_HITS * leaves.len();
        leaves.clear();
        ControlFlow::Continue(())
    }

    /// Finds the pairs of two leaves, all 64 at once.
    #[inline(always)]
    fn all_pairs<const SELF: bool, S: Simd>(
        &self,
        simd: S,
        a: usize,
        b: usize,
        buffer: &mut PairBuffer,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        buffer.reserve(64, flush)?;
        let mut bits = self.a.levels[0][a].overlaps(simd, &self.b.levels[0][b]);
        if SELF && a == b {
            bits &= ABOVE_DIAGONAL;
        }
        if bits != 0 {
            bits &= !self.filter.reject_all(simd, a, b);
            let (ids_a, ids_b) = (&self.a.ids[a], &self.b.ids[b]);
            if SELF || F::SORTED {
                buffer.push_rows::<true, S>(simd, bits, ids_a, ids_b);
            } else {
                buffer.push_rows::<false, S>(simd, bits, ids_a, ids_b);
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

/// The pair of children that the lowest bit names, which is cleared.
#[inline(always)]
fn children(bits: &mut u64, a: usize, b: usize) -> (usize, usize) {
    let bit = bits.trailing_zeros() as usize;
    *bits &= *bits - 1;
    (8 * a + (bit >> 3), 8 * b + (bit & 7))
}
