//! The join of moving boxes with a static tree, as a wave that runs down the tree.

use core::ops::ControlFlow;

use fearless_simd::{f32x8, mask32x8, prelude::*, u32x8};
use jostle_geom::Aabb;
use jostle_simd::Box8;

use super::blocks::BlockTree;
use crate::bvh::Counters;
use crate::h8::Tree;
use crate::tuning::{WAVE_AHEAD, WAVE_BATCH, WAVE_SPREAD};

/// Which pairs of a body and a static box are none although they overlap.
pub(crate) trait Sieve: Copy {
    /// The lanes of a leaf of bodies that may have pairs in the chunk at all.
    fn bodies(self, leaf: usize) -> u64;

    /// Whether body `place` may have pairs with, or below, one lane of a block.
    fn lane(self, block: usize, lane: usize, place: usize) -> bool;

    /// The lanes of a block that body `place` may have pairs with or below.
    fn lanes<S: Simd>(self, simd: S, block: usize, place: usize, mask: mask32x8<S>) -> mask32x8<S>;
}

/// Lets every pair pass.
#[derive(Clone, Copy)]
pub(crate) struct Open;

impl Sieve for Open {
    #[inline(always)]
    fn bodies(self, _: usize) -> u64 {
        0xFF
    }

    #[inline(always)]
    fn lane(self, _: usize, _: usize, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn lanes<S: Simd>(self, _: S, _: usize, _: usize, mask: mask32x8<S>) -> mask32x8<S> {
        mask
    }
}

/// What a wave joins.
#[derive(Clone, Copy)]
pub(crate) struct Shore<'a, F> {
    /// The static boxes.
    pub(crate) tree: &'a BlockTree,
    /// The bodies, by slot.
    pub(crate) bodies: &'a Tree,
    /// What else decides.
    pub(crate) sieve: F,
}

/// Memory of the wave, reused.
#[derive(Debug, Default)]
pub(crate) struct Wave {
    /// What was done since it was last reset.
    pub(crate) counters: Counters,
    /// Blocks that a leaf of bodies overlaps.
    descent: Vec<u32>,
    /// `[block, place of a body]` still to be tested; longer than what it holds.
    front: Vec<[u32; 2]>,
    /// The part of the front that is being tested.
    batch: Vec<[u32; 2]>,
    /// `[static box, body]`; longer than what it holds.
    pairs: Vec<[u32; 2]>,
    found: usize,
    waiting: usize,
    /// Keeps the compiler from leaving out the first look at a block.
    touched: u32,
}

impl Wave {
    /// Hands the pairs of a static box with a body of leaves `first..end` of `bodies` to `flush`, as
    /// `[index of the static box, id of the body]`.
    #[inline(always)]
    pub(crate) fn run<S: Simd, F: Sieve>(
        &mut self,
        simd: S,
        shore: Shore<'_, F>,
        leaves: core::ops::Range<usize>,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.found = 0;
        self.waiting = 0;
        if shore.tree.blocks().is_empty() {
            return ControlFlow::Continue(());
        }
        let parents = shore.bodies.blocks(1);
        for leaf in leaves {
            let bounds = parents[leaf / 8].get(leaf % 8);
            self.descend(simd, shore, leaf, &bounds);
            if self.waiting >= WAVE_BATCH {
                self.drain(simd, shore, flush)?;
            }
        }
        self.drain(simd, shore, flush)
    }

    /// Walks the upper part of the tree with the bounds of eight bodies, as long as they stay
    /// together, and puts the bodies on the front where they part.
    #[inline(always)]
    fn descend<S: Simd, F: Sieve>(
        &mut self,
        simd: S,
        shore: Shore<'_, F>,
        leaf: usize,
        bounds: &Aabb,
    ) {
        let Shore {
            tree,
            bodies,
            sieve,
        } = shore;
        let alive = sieve.bodies(leaf);
        if alive == 0 || !bounds.overlaps(&tree.bounds()) {
            return;
        }
        let lanes = &bodies.blocks(0)[leaf];
        let ids = &bodies.ids()[leaf];
        self.descent.clear();
        self.descent.push(0);
        while let Some(at) = self.descent.pop() {
            let block = &tree.blocks()[at as usize];
            self.counters.nodes += 1;
            self.counters.tests += 8;
            let mut bits = block.bounds.overlaps_one(simd, bounds);
            if at < tree.first_leaf() && bits.count_ones() <= WAVE_SPREAD {
                while bits != 0 {
                    self.descent
                        .push(block.links[bits.trailing_zeros() as usize]);
                    bits &= bits - 1;
                }
                continue;
            }
            self.counters.tests += 64;
            let mut bits = lanes.overlaps(simd, &block.bounds);
            self.reserve();
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                let (body, lane) = (bit >> 3, bit & 7);
                bits &= bits - 1;
                if alive >> body & 1 == 0 || !sieve.lane(at as usize, lane, 8 * leaf + body) {
                    continue;
                }
                if at < tree.first_leaf() {
                    self.front[self.waiting] = [block.links[lane], (8 * leaf + body) as u32];
                    self.waiting += 1;
                } else {
                    self.pairs[self.found] = [block.links[lane], ids[body]];
                    self.found += 1;
                }
            }
        }
    }

    /// Makes room for 64 more entries of either kind.
    #[inline(always)]
    fn reserve(&mut self) {
        if self.front.len() < self.waiting + 64 {
            self.front.resize(2 * self.waiting + 64, [0; 2]);
        }
        if self.pairs.len() < self.found + 64 {
            self.pairs.resize(2 * self.found + 64, [0; 2]);
        }
    }

    /// Tests the front, a batch from its end at a time, until it is empty.
    #[inline(always)]
    fn drain<S: Simd, F: Sieve>(
        &mut self,
        simd: S,
        shore: Shore<'_, F>,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while self.waiting > 0 {
            let count = self.waiting.min(WAVE_BATCH);
            self.waiting -= count;
            self.batch.clear();
            self.batch
                .extend_from_slice(&self.front[self.waiting..self.waiting + count]);
            let room = 8 * count + 8;
            if self.front.len() < self.waiting + room {
                self.front.resize(self.waiting + room, [0; 2]);
            }
            if self.pairs.len() < self.found + room {
                self.pairs.resize(self.found + room, [0; 2]);
            }
            self.counters.nodes += count as u64;
            self.counters.tests += 8 * count as u64;
            self.step(simd, shore);
            if self.found >= WAVE_BATCH {
                flush(&self.pairs[..core::mem::take(&mut self.found)])?;
            }
        }
        flush(&self.pairs[..core::mem::take(&mut self.found)])
    }

    /// One batch: a body against the lanes of a block, without a branch that depends on a test.
    /// What is found is written both to the front and to the pairs, and counted where it belongs.
    #[inline(always)]
    fn step<S: Simd, F: Sieve>(&mut self, simd: S, shore: Shore<'_, F>) {
        let Shore {
            tree,
            bodies,
            sieve,
        } = shore;
        let blocks = tree.blocks();
        let first_leaf = tree.first_leaf();
        let (lanes, ids) = (bodies.blocks(0), bodies.ids());
        let (mut waiting, mut found) = (self.waiting, self.found);
        let front = &mut self.front[..];
        let pairs = &mut self.pairs[..];
        let mut touched = 0;
        for entries in self.batch.chunks(WAVE_AHEAD) {
            for &[at, _] in entries {
                touched ^= blocks[at as usize].touch();
            }
            for &[at, place] in entries {
                let block = &blocks[at as usize];
                let (leaf, lane) = (place as usize / 8, place as usize % 8);
                let mask = overlaps_lane(simd, &block.bounds, &lanes[leaf], lane);
                let mask = sieve.lanes(simd, at as usize, place as usize, mask);
                let count = mask.to_bitmask().count_ones() as usize;
                let links = u32x8::load_array_ref(simd, &block.links).compress(mask);
                let is_leaf = at >= first_leaf;
                let second = if is_leaf { ids[leaf][lane] } else { place };
                let (low, high) = links.interleave(u32x8::splat(simd, second));
                let room = front[waiting..waiting + 8].as_flattened_mut();
                low.store_slice(&mut room[..8]);
                high.store_slice(&mut room[8..]);
                let room = pairs[found..found + 8].as_flattened_mut();
                low.store_slice(&mut room[..8]);
                high.store_slice(&mut room[8..]);
                let to_pairs = count * usize::from(is_leaf);
                found += to_pairs;
                waiting += count - to_pairs;
            }
        }
        self.touched ^= touched;
        self.waiting = waiting;
        self.found = found;
    }
}

/// The lanes of `boxes` that overlap the box in a lane of `other`.
#[inline(always)]
fn overlaps_lane<S: Simd>(simd: S, boxes: &Box8, other: &Box8, lane: usize) -> mask32x8<S> {
    let mut mask = load(simd, &boxes.min[0]).simd_le(f32x8::splat(simd, other.max[0][lane]));
    mask &= f32x8::splat(simd, other.min[0][lane]).simd_le(load(simd, &boxes.max[0]));
    mask &= load(simd, &boxes.min[1]).simd_le(f32x8::splat(simd, other.max[1][lane]));
    mask &= f32x8::splat(simd, other.min[1][lane]).simd_le(load(simd, &boxes.max[1]));
    mask &= load(simd, &boxes.min[2]).simd_le(f32x8::splat(simd, other.max[2][lane]));
    mask &= f32x8::splat(simd, other.min[2][lane]).simd_le(load(simd, &boxes.max[2]));
    mask
}

#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f32; 8]) -> f32x8<S> {
    f32x8::load_array_ref(simd, values)
}
