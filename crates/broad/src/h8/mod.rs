//! The Hilbert tree of eights.
//!
//! Boxes are sorted along a Hilbert curve and cut into blocks of eight, stored coordinate by
//! coordinate; the bounds of eight blocks make a block of the next level, and so on up to a single
//! one. Children are ranges of the level below, so there are no pointers: about 31 bytes a box.
//! Two trees (or a tree and itself) are joined by walking both at once, 64 pairs of boxes a step.
//! `docs/broad-phase.md` has a drawing.
//!
//! Packed Hilbert trees go back to I. Kamel and C. Faloutsos, "On packing R-trees", CIKM 1993.
//! Differences: every level is a block of eight for the vector unit, one scale serves all axes,
//! the grid is placed by quantiles, and long runs of equal keys are ordered again within
//! themselves.

mod join;
mod order;
mod pairs;

use fearless_simd::Level;
use jostle_geom::{Aabb, chunks::fill_chunks};
use jostle_simd::Box8;
use thiserror::Error;

pub(crate) use join::{ABOVE_DIAGONAL, All, FROM_DIAGONAL, Filter, Join, Nodes, join_level};
pub(crate) use order::quantile_grid;
pub use pairs::{pairs_between, self_pairs, self_pairs_where};

use crate::tuning::{BUILD_CHUNK, REFIT_GROWTH, TASK_LEVEL};

/// A Hilbert tree of eights over a set of boxes.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The id of the box in each lane of each leaf, `u32::MAX` where there is none.
    ids: Vec<[u32; 8]>,
    /// The id of the first of the boxes that the tree was built from.
    first: u32,
    /// Level 0 holds the boxes, level `k` the bounds of the blocks of level `k − 1`. There are
    /// always more than [`TASK_LEVEL`] levels, the last of one block; none without boxes.
    levels: Vec<Vec<Box8>>,
    /// Number of boxes.
    len: usize,
    /// Surface of the leaves when they were sorted, once a refit has asked for it.
    sorted_surface: Option<f64>,
}

/// Memory that building needs, reused.
#[derive(Debug, Default)]
pub(crate) struct BuildMemory {
    /// `key << 32 | place in the list of boxes`, sorted.
    items: Vec<u64>,
    spare: Vec<u64>,
}

impl BuildMemory {
    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        (self.items.capacity() + self.spare.capacity()) * size_of::<u64>()
    }
}

impl Tree {
    /// Sorts the boxes and builds the tree. Cost: O(n); no recursion.
    ///
    /// Boxes must be neither inverted nor NaN: such a box may be missed, or miss others.
    pub fn build(boxes: &[Aabb], level: Level) -> Self {
        let mut tree = Self::default();
        tree.rebuild(boxes, 0, level, &mut BuildMemory::default());
        tree
    }

    /// As [`build`](Self::build), in the memory of the tree as it is, with ids from `first` on.
    pub(crate) fn rebuild(
        &mut self,
        boxes: &[Aabb],
        first: u32,
        level: Level,
        memory: &mut BuildMemory,
    ) {
        order::hilbert_order(boxes, level, memory);
        self.len = boxes.len();
        self.first = first;
        self.sorted_surface = None;
        let items = &memory.items;
        self.ids.resize(self.len.div_ceil(8), [0; 8]);
        fill_chunks(&mut self.ids, BUILD_CHUNK / 8, |leaf, out| {
            for (out, items) in out.iter_mut().zip(items[8 * leaf..].chunks(8)) {
                *out = [u32::MAX; 8];
                for (out, &item) in out.iter_mut().zip(items) {
                    *out = first + item as u32;
                }
            }
        });
        self.fill(boxes);
    }

    /// Takes new bounds of the same boxes and keeps their order, or sorts anew when there is
    /// another number of boxes or the leaves have grown too much. Either way the tree is right for
    /// the new boxes. Returns whether it sorted anew.
    pub fn refit(&mut self, boxes: &[Aabb], level: Level) -> bool {
        if boxes.len() == self.len {
            // Before the first refit the tree still is as it was sorted.
            let sorted = self.sorted_surface.unwrap_or_else(|| self.surface());
            self.sorted_surface = Some(sorted);
            self.fill(boxes);
            if self.surface() <= REFIT_GROWTH * sorted {
                return false;
            }
        }
        self.rebuild(boxes, self.first, level, &mut BuildMemory::default());
        true
    }

    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let blocks: usize = self.levels.iter().map(Vec::capacity).sum();
        blocks * size_of::<Box8>() + self.ids.capacity() * size_of::<[u32; 8]>()
    }

    /// The ids of the boxes, leaf by leaf; `u32::MAX` fills the last one.
    pub(crate) fn ids(&self) -> &[[u32; 8]] {
        &self.ids
    }

    /// Gives box `i` the id `ids[i]`.
    pub(crate) fn rename(&mut self, ids: &[u32]) {
        for lane in self.ids.as_flattened_mut() {
            if let Some(&id) = ids.get(*lane as usize) {
                *lane = id;
            }
        }
    }

    /// The blocks of a level, 0 for the boxes; empty when there are fewer levels.
    #[inline(always)]
    pub(crate) fn blocks(&self, level: usize) -> &[Box8] {
        self.levels.get(level).map_or(&[], Vec::as_slice)
    }

    /// Number of levels; none without boxes.
    pub(crate) fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// The smallest box around everything; [`Aabb::EMPTY`] without boxes.
    pub(crate) fn bounds(&self) -> Aabb {
        self.levels.last().map_or(Aabb::EMPTY, |top| {
            // Lanes without a box are NaN, which no comparison prefers.
            top[0].bounds(8)
        })
    }

    /// The smallest box around the boxes of a task.
    pub(crate) fn task_bounds(&self, task: usize) -> Aabb {
        self.levels[TASK_LEVEL][task].bounds(8)
    }

    /// Takes the box out of a lane of a leaf. The bounds above stay as they are.
    pub(crate) fn erase(&mut self, place: usize) {
        let (leaf, lane) = (place / 8, place % 8);
        for axis in 0..3 {
            self.levels[0][leaf].min[axis][lane] = f32::NAN;
            self.levels[0][leaf].max[axis][lane] = f32::NAN;
        }
        self.ids[leaf][lane] = u32::MAX;
    }

    /// Number of tasks that joins of this tree are cut into.
    pub(crate) fn task_count(&self) -> usize {
        self.levels.get(TASK_LEVEL).map_or(0, Vec::len)
    }

    /// Fills all levels from the boxes in the order of `ids`.
    fn fill(&mut self, boxes: &[Aabb]) {
        let mut height = 0;
        let mut items = self.len;
        while items > 0 && (items > 1 || height <= TASK_LEVEL) {
            items = items.div_ceil(8);
            if self.levels.len() == height {
                self.levels.push(Vec::new());
            }
            let blocks = &mut self.levels[height];
            blocks.resize(items, Box8::EMPTY);
            // Lanes after the last box stay empty.
            blocks[items - 1] = Box8::EMPTY;
            height += 1;
        }
        self.levels.truncate(height);
        if height == 0 {
            return;
        }
        let (ids, shift) = (&self.ids, self.first);
        fill_chunks(&mut self.levels[0], BUILD_CHUNK / 8, |first, out| {
            for (out, ids) in out.iter_mut().zip(&ids[first..]) {
                for (lane, &id) in ids.iter().enumerate() {
                    if id != u32::MAX {
                        out.set(lane, &boxes[(id - shift) as usize]);
                    }
                }
            }
        });
        let mut items = self.len;
        for at in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(at);
            let below = &below[at - 1];
            fill_chunks(&mut above[0], BUILD_CHUNK / 64, |first, out| {
                for (i, out) in out.iter_mut().enumerate() {
                    let children = below[8 * (first + i)..].iter().take(8);
                    for (lane, child) in children.enumerate() {
                        let before = 64 * (first + i) + 8 * lane;
                        out.set(lane, &child.bounds((items - before).min(8)));
                    }
                }
            });
            items = items.div_ceil(8);
        }
    }

    /// Half the surface of all leaf bounds, a measure of how good the order is.
    fn surface(&self) -> f64 {
        let Some(parents) = self.levels.get(1) else {
            return 0.0;
        };
        let mut sum = 0.0;
        for parent in parents {
            for lane in 0..8 {
                let [x, y, z] = [0, 1, 2]
                    .map(|a| f64::from(parent.max[a][lane]) - f64::from(parent.min[a][lane]));
                let half = x * y + y * z + z * x;
                // Not so for NaN, in lanes without a box.
                if half >= 0.0 {
                    sum += half;
                }
            }
        }
        sum
    }

    /// Checks the structure against the boxes it was built from: every box in exactly one lane,
    /// every bound tight, nothing else anywhere. Cost: O(n).
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, boxes: &[Aabb]) -> Result<(), TreeFault> {
        let mut seen = vec![false; boxes.len()];
        if self.len != boxes.len() {
            return Err(TreeFault::Count {
                tree: self.len,
                boxes: boxes.len(),
            });
        }
        for (leaf, ids) in self.ids.iter().enumerate() {
            for (lane, &id) in ids.iter().enumerate() {
                let here = 8 * leaf + lane;
                if here >= self.len {
                    continue;
                }
                let index = id.wrapping_sub(self.first) as usize;
                match seen.get_mut(index) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(TreeFault::Id { place: here, id }),
                }
                if self.levels[0][leaf].get(lane) != boxes[index] {
                    return Err(TreeFault::Bounds {
                        level: 0,
                        place: here,
                    });
                }
            }
        }
        let mut items = self.len;
        for (level, blocks) in self.levels.iter().enumerate() {
            if blocks.len() != items.div_ceil(8) {
                return Err(TreeFault::Bounds {
                    level,
                    place: blocks.len(),
                });
            }
            for place in 0..8 * blocks.len() {
                let found = blocks[place / 8].get(place % 8);
                let right = if place >= items {
                    found.min.is_nan_mask().all() && found.max.is_nan_mask().all()
                } else if level == 0 {
                    true
                } else {
                    let below = &self.levels[level - 1][place];
                    let mut union = Aabb::EMPTY;
                    for lane in (0..8).filter(|&lane| !below.min[0][lane].is_nan()) {
                        union = union.union(below.get(lane));
                    }
                    found == union
                };
                if !right {
                    return Err(TreeFault::Bounds { level, place });
                }
            }
            items = blocks.len();
        }
        if items > 1 {
            return Err(TreeFault::Bounds {
                level: self.levels.len(),
                place: items,
            });
        }
        Ok(())
    }
}

/// What is wrong with a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TreeFault {
    /// The tree holds another number of boxes.
    #[error("the tree holds {tree} boxes, there are {boxes}")]
    Count {
        /// In the tree.
        tree: usize,
        /// Given.
        boxes: usize,
    },
    /// A lane names a box that does not exist or has been named before.
    #[error("place {place} names box {id}, which does not exist or has a place already")]
    Id {
        /// Lane of the leaf level.
        place: usize,
        /// The box it names.
        id: u32,
    },
    /// A lane does not hold the tight bounds of what is below it.
    #[error("place {place} of level {level} does not hold the bounds of what is below it")]
    Bounds {
        /// Level, 0 for the leaves.
        level: usize,
        /// Lane of that level.
        place: usize,
    },
}
