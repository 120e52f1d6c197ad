//! Questions to a view of a world: which items meet a volume, what a ray meets first.

use core::ops::ControlFlow;

use fearless_simd::{dispatch, f32x8, prelude::*};
use jostle_simd::volume::Volume;
use jostle_simd::{Box8, Ray, RayError, RaySlabs};

use super::blocks::BlockTree;
use super::ids::Item;
use super::view::WorldView;
use crate::bvh::Counters;
use crate::h8::{Tree, join_level};

/// Takes the items found.
type Visitor<'a> = &'a mut dyn FnMut(Item) -> ControlFlow<()>;

impl WorldView {
    /// Calls `visit` for every item whose box meets a volume: static boxes chunk by chunk, then the
    /// bodies that rest, then those that move, in an order that depends on the boxes alone; `visit`
    /// may stop. Filters are not asked. Cost: O(chunks + log n + hits) for boxes that overlap
    /// little.
    pub fn overlaps<V: Volume>(
        &self,
        volume: &V,
        mut visit: impl FnMut(Item) -> ControlFlow<()>,
    ) -> Counters {
        let mut counters = Counters::default();
        // Whether the visitor stopped is the visitor's to know.
        let _ = dispatch!(join_level(self.level), simd =>
            self.overlaps_at(simd, volume, &mut counters, &mut visit));
        counters
    }

    #[inline(always)]
    fn overlaps_at<S: Simd, V: Volume>(
        &self,
        simd: S,
        volume: &V,
        counters: &mut Counters,
        visit: Visitor<'_>,
    ) -> ControlFlow<()> {
        let mut stack = Vec::new();
        for chunk in self.chunks() {
            let tree = &chunk.built.tree;
            if !tree.blocks().is_empty() && volume.test(&tree.bounds()) {
                let mut found = |index: u32| {
                    visit(Item::Static {
                        chunk: chunk.id,
                        index,
                    })
                };
                chunk_overlaps(simd, tree, volume, counters, &mut stack, &mut found)?;
            }
        }
        let mut found = |slot: u32| visit(Item::Body(self.body(slot)));
        for tier in self.asleep.iter() {
            body_overlaps(simd, &tier.group.tree, volume, counters, &mut found)?;
        }
        body_overlaps(simd, &self.moving.tree, volume, counters, &mut found)
    }

    /// What a ray meets first. `hit(item, t_max)` is asked for the items whose boxes the ray enters
    /// before `t_max`, nearest boxes of each tree first, and gives the `t` at which the ray meets
    /// the item's shape, or `None` when it does not within `t_max`. Of several items at the same
    /// distance the smallest is returned.
    ///
    /// # Errors
    /// A ray without a defined answer, or `t_max` NaN.
    pub fn closest_hit(
        &self,
        ray: &Ray,
        t_max: f32,
        mut hit: impl FnMut(Item, f32) -> Option<f32>,
    ) -> Result<(Option<(Item, f32)>, Counters), RayError> {
        if t_max.is_nan() {
            return Err(RayError::Reach);
        }
        let slabs = RaySlabs::new(ray)?;
        let mut counters = Counters::default();
        let mut best = Closest {
            t_max,
            item: None,
            hit: &mut hit,
        };
        dispatch!(join_level(self.level), simd =>
            self.closest_at(simd, &slabs, &mut counters, &mut best));
        Ok((best.item.map(|item| (item, best.t_max)), counters))
    }

    #[inline(always)]
    fn closest_at<S: Simd>(
        &self,
        simd: S,
        slabs: &RaySlabs,
        counters: &mut Counters,
        best: &mut Closest<'_>,
    ) {
        let mut chunks: Vec<(f32, usize)> = Vec::new();
        for (at, chunk) in self.chunks().iter().enumerate() {
            let tree = &chunk.built.tree;
            if !tree.blocks().is_empty()
                && let Some(entry) = slabs.enter(&tree.bounds(), RaySlabs::limit(best.t_max))
            {
                chunks.push((entry, at));
            }
        }
        chunks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut stack = Vec::new();
        // Bodies first: they are few, and what they stop need not be looked for in the chunks.
        for tier in self.asleep.iter() {
            self.closest_body(simd, &tier.group.tree, slabs, counters, best);
        }
        self.closest_body(simd, &self.moving.tree, slabs, counters, best);
        for (entry, at) in chunks {
            let chunk = &self.chunks()[at];
            let tree = &chunk.built.tree;
            stack.push((entry, 0_u32));
            while let Some((entry, at)) = stack.pop() {
                let limit = RaySlabs::limit(best.t_max);
                if entry > limit {
                    continue;
                }
                counters.nodes += 1;
                counters.tests += 8;
                let block = &tree.blocks()[at as usize];
                let lanes = Lanes::enter(simd, slabs, &block.bounds, limit);
                if at < tree.first_leaf() {
                    for &(entry, lane) in lanes.far_to_near() {
                        stack.push((entry, block.links[usize::from(lane)]));
                    }
                } else {
                    for &(_, lane) in lanes.far_to_near().iter().rev() {
                        best.ask(Item::Static {
                            chunk: chunk.id,
                            index: block.links[usize::from(lane)],
                        });
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn closest_body<S: Simd>(
        &self,
        simd: S,
        tree: &Tree,
        slabs: &RaySlabs,
        counters: &mut Counters,
        best: &mut Closest<'_>,
    ) {
        let mut stack = Vec::new();
        if !tree.is_empty() {
            stack.push((0.0, tree.level_count() as u32 - 1, 0));
        }
        while let Some((entry, level, at)) = stack.pop() {
            let limit = RaySlabs::limit(best.t_max);
            if entry > limit {
                continue;
            }
            counters.nodes += 1;
            counters.tests += 8;
            let block = &tree.blocks(level as usize)[at as usize];
            let lanes = Lanes::enter(simd, slabs, block, limit);
            if level > 0 {
                for &(entry, lane) in lanes.far_to_near() {
                    stack.push((entry, level - 1, 8 * at + u32::from(lane)));
                }
            } else {
                for &(_, lane) in lanes.far_to_near().iter().rev() {
                    let slot = tree.ids()[at as usize][usize::from(lane)];
                    best.ask(Item::Body(self.body(slot)));
                }
            }
        }
    }
}

/// The nearest item so far.
struct Closest<'a> {
    t_max: f32,
    item: Option<Item>,
    hit: &'a mut dyn FnMut(Item, f32) -> Option<f32>,
}

impl Closest<'_> {
    fn ask(&mut self, item: Item) {
        if let Some(t) = (self.hit)(item, self.t_max) {
            let first = self.item.is_none_or(|other| item < other);
            if t < self.t_max || (t == self.t_max && first) {
                self.t_max = t;
                self.item = Some(item);
            }
        }
    }
}

/// The lanes of a block that a ray enters, and where.
struct Lanes {
    entries: [(f32, u8); 8],
    len: usize,
}

impl Lanes {
    #[inline(always)]
    fn enter<S: Simd>(simd: S, slabs: &RaySlabs, boxes: &Box8, limit: f32) -> Self {
        let (bits, entries) = slabs.enter8(simd, boxes, limit);
        let entries: [f32; 8] = entries.into();
        let mut lanes = Self {
            entries: [(0.0, 0); 8],
            len: 0,
        };
        for (lane, &entry) in entries.iter().enumerate() {
            if bits >> lane & 1 != 0 {
                let mut at = lanes.len;
                while at > 0 && lanes.entries[at - 1].0 < entry {
                    lanes.entries[at] = lanes.entries[at - 1];
                    at -= 1;
                }
                lanes.entries[at] = (entry, lane as u8);
                lanes.len += 1;
            }
        }
        lanes
    }

    #[inline(always)]
    fn far_to_near(&self) -> &[(f32, u8)] {
        &self.entries[..self.len]
    }
}

#[inline(always)]
fn meeting<S: Simd, V: Volume>(simd: S, boxes: &Box8, volume: &V) -> u64 {
    let min = [
        f32x8::load_array_ref(simd, &boxes.min[0]),
        f32x8::load_array_ref(simd, &boxes.min[1]),
        f32x8::load_array_ref(simd, &boxes.min[2]),
    ];
    let max = [
        f32x8::load_array_ref(simd, &boxes.max[0]),
        f32x8::load_array_ref(simd, &boxes.max[1]),
        f32x8::load_array_ref(simd, &boxes.max[2]),
    ];
    volume.test_lanes(simd, &min, &max).to_bitmask()
}

#[inline(always)]
fn chunk_overlaps<S: Simd, V: Volume>(
    simd: S,
    tree: &BlockTree,
    volume: &V,
    counters: &mut Counters,
    stack: &mut Vec<u32>,
    found: &mut impl FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    stack.clear();
    stack.push(0);
    while let Some(at) = stack.pop() {
        counters.nodes += 1;
        counters.tests += 8;
        let block = &tree.blocks()[at as usize];
        let mut bits = meeting(simd, &block.bounds, volume);
        let is_leaf = at >= tree.first_leaf();
        while bits != 0 {
            let link = block.links[bits.trailing_zeros() as usize];
            bits &= bits - 1;
            if is_leaf {
                found(link)?;
            } else {
                stack.push(link);
            }
        }
    }
    ControlFlow::Continue(())
}

#[inline(always)]
fn body_overlaps<S: Simd, V: Volume>(
    simd: S,
    tree: &Tree,
    volume: &V,
    counters: &mut Counters,
    found: &mut impl FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let levels = tree.level_count();
    let mut stack = Vec::new();
    if levels > 0 {
        stack.push((levels - 1, 0));
    }
    while let Some((level, at)) = stack.pop() {
        counters.nodes += 1;
        counters.tests += 8;
        let mut bits = meeting(simd, &tree.blocks(level)[at], volume);
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if level == 0 {
                found(tree.ids()[at][lane])?;
            } else {
                stack.push((level - 1, 8 * at + lane));
            }
        }
    }
    ControlFlow::Continue(())
}
