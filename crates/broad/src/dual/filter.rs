//! Which items may collide, as bit masks, and how the joins apply them.

use fearless_simd::{mask32x8, prelude::*, u32x8};

use super::blocks::BlockTree;
use super::wave::Sieve;
use crate::h8;

/// Two items are a pair only if each has a group that the other's mask contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Filter {
    /// The groups the item is in, a bit each.
    pub group: u32,
    /// The groups it collides with.
    pub mask: u32,
}

impl Filter {
    /// In the first group, collides with every group.
    pub const DEFAULT: Self = Self {
        group: 1,
        mask: u32::MAX,
    };

    /// In no group and collides with none.
    const NOTHING: Self = Self { group: 0, mask: 0 };

    /// Whether two items may be a pair: both directions count.
    #[inline(always)]
    pub const fn allows(self, other: Self) -> bool {
        self.group & other.mask != 0 && other.group & self.mask != 0
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The filters of the boxes of a chunk.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StaticFilters {
    /// The same for all.
    Same(Filter),
    /// One for each box.
    Each(Vec<Filter>),
}

impl Default for StaticFilters {
    fn default() -> Self {
        Self::Same(Filter::DEFAULT)
    }
}

/// Filters of eight lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter8 {
    groups: [u32; 8],
    masks: [u32; 8],
}

impl Filter8 {
    const NOTHING: Self = Self {
        groups: [0; 8],
        masks: [0; 8],
    };

    fn set(&mut self, lane: usize, filter: Filter) {
        self.groups[lane] = filter.group;
        self.masks[lane] = filter.mask;
    }

    fn get(&self, lane: usize) -> Filter {
        Filter {
            group: self.groups[lane],
            mask: self.masks[lane],
        }
    }

    /// What all lanes together are in and collide with: a bound for those below.
    fn union(&self) -> Filter {
        (0..8).fold(Filter::NOTHING, |all, lane| Filter {
            group: all.group | self.groups[lane],
            mask: all.mask | self.masks[lane],
        })
    }

    /// The lanes that an item with this filter may be a pair with.
    #[inline(always)]
    fn allowed<S: Simd>(&self, simd: S, filter: Filter) -> mask32x8<S> {
        let zero = u32x8::splat(simd, 0);
        let there = u32x8::load_array_ref(simd, &self.groups) & u32x8::splat(simd, filter.mask);
        let back = u32x8::load_array_ref(simd, &self.masks) & u32x8::splat(simd, filter.group);
        !(there.simd_eq(zero) | back.simd_eq(zero))
    }
}

/// The filters of the lanes of a tree of bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneFilters(Vec<Filter8>);

impl LaneFilters {
    /// Takes the filter of every lane by its id.
    pub(super) fn fill(&mut self, ids: &[[u32; 8]], filters: &[Filter]) {
        self.0.clear();
        self.0.resize(ids.len(), Filter8::NOTHING);
        for (lanes, ids) in self.0.iter_mut().zip(ids) {
            for (lane, &id) in ids.iter().enumerate() {
                if let Some(&filter) = filters.get(id as usize) {
                    lanes.set(lane, filter);
                }
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Filter8>()
    }

    /// Whether nothing has been filled in.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Rejects pairs of two trees of bodies by their filters.
#[derive(Clone, Copy)]
pub(super) struct Masks<'a> {
    pub(super) a: &'a LaneFilters,
    pub(super) b: &'a LaneFilters,
}

impl h8::Filter for Masks<'_> {
    const SORTED: bool = true;

    #[inline(always)]
    fn reject<S: Simd>(self, simd: S, leaf_a: usize, lane_a: usize, leaf_b: usize) -> u32 {
        let filter = self.a.0[leaf_a].get(lane_a);
        !self.b.0[leaf_b].allowed(simd, filter).to_bitmask() as u32 & 0xFF
    }

    #[inline(always)]
    fn reject_all<S: Simd>(self, simd: S, leaf_a: usize, leaf_b: usize) -> u64 {
        let mut bits = 0;
        for lane in 0..8 {
            bits |= u64::from(self.reject(simd, leaf_a, lane, leaf_b)) << (8 * lane);
        }
        bits
    }
}

/// The filters of a chunk in the order of its tree.
#[derive(Clone, Debug)]
pub(super) enum ChunkFilters {
    Same(Filter),
    /// By block, those of inner blocks united from below, so that what cannot collide is left out
    /// where its branch starts.
    Lanes(Vec<Filter8>),
}

impl ChunkFilters {
    pub(super) fn new(filters: &StaticFilters, tree: &BlockTree) -> Self {
        let each = match filters {
            StaticFilters::Same(filter) => return Self::Same(*filter),
            StaticFilters::Each(each) => each,
        };
        if let Some(&first) = each.first()
            && each.iter().all(|&filter| filter == first)
        {
            return Self::Same(first);
        }
        let blocks = tree.blocks();
        let mut lanes = vec![Filter8::NOTHING; blocks.len()];
        // Blocks come after those that name them.
        for (at, block) in blocks.iter().enumerate().rev() {
            for (lane, &link) in block.links.iter().enumerate() {
                let filter = if link == u32::MAX {
                    continue;
                } else if at < tree.first_leaf() as usize {
                    lanes[link as usize].union()
                } else {
                    each[link as usize]
                };
                lanes[at].set(lane, filter);
            }
        }
        Self::Lanes(lanes)
    }
}

impl ChunkFilters {
    /// The filter of a lane of a block.
    pub(super) fn get(&self, block: usize, lane: usize) -> Filter {
        match self {
            Self::Same(filter) => *filter,
            Self::Lanes(lanes) => lanes[block].get(lane),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Same(_) => 0,
            Self::Lanes(lanes) => lanes.capacity() * size_of::<Filter8>(),
        }
    }
}

/// Applies the filters of bodies and of a chunk.
#[derive(Clone, Copy)]
pub(super) struct ChunkSieve<'a> {
    pub(super) bodies: BodyFilters<'a>,
    pub(super) chunk: &'a ChunkFilters,
}

/// The filters of a tree of bodies.
#[derive(Clone, Copy)]
pub(super) enum BodyFilters<'a> {
    Default,
    Lanes(&'a LaneFilters),
}

impl BodyFilters<'_> {
    #[inline(always)]
    fn get(self, leaf: usize, lane: usize) -> Filter {
        match self {
            Self::Default => Filter::DEFAULT,
            Self::Lanes(lanes) => lanes.0[leaf].get(lane),
        }
    }
}

impl Sieve for ChunkSieve<'_> {
    #[inline(always)]
    fn bodies(self, leaf: usize) -> u64 {
        let ChunkFilters::Same(filter) = self.chunk else {
            return 0xFF;
        };
        let mut bits = 0;
        for lane in 0..8 {
            bits |= u64::from(filter.allows(self.bodies.get(leaf, lane))) << lane;
        }
        bits
    }

    #[inline(always)]
    fn lane(self, block: usize, lane: usize, place: usize) -> bool {
        match self.chunk {
            ChunkFilters::Same(_) => true,
            ChunkFilters::Lanes(lanes) => lanes[block]
                .get(lane)
                .allows(self.bodies.get(place / 8, place % 8)),
        }
    }

    #[inline(always)]
    fn lanes<S: Simd>(self, simd: S, block: usize, place: usize, mask: mask32x8<S>) -> mask32x8<S> {
        match self.chunk {
            ChunkFilters::Same(_) => mask,
            ChunkFilters::Lanes(lanes) => {
                mask & lanes[block].allowed(simd, self.bodies.get(place / 8, place % 8))
            }
        }
    }
}
