//! Takes subtrees out of a tree and puts them back where they cost least.
//!
//! D. Meister and J. Bittner, "Parallel reinsertion for bounding volume hierarchy optimization",
//! 2018: for every node the best place is searched in parallel, by branch and bound from its parent
//! outward, and the moves that do not touch each other are made. Differences: moves are made one
//! by one in a fixed order, so that the tree does not depend on threads; a batch is a part of the
//! nodes, by surface, and sees the moves of the batches before it; within a batch the search goes
//! along the tree, whose nodes then stay in the cache; a move keeps its pair of siblings, so that
//! no node is ever free.

use bytemuck::allocation::zeroed_vec;
use bytemuck::{Pod, Zeroable, cast};
use fearless_simd::{Level, dispatch, f32x8, prelude::*};
use jostle_geom::chunks::fill_chunks;

use super::emit::room;
use super::record::{Record, half_area_of};
use crate::bvh::{Bvh, Node, sibling};
use crate::radix::{float_key, sort_by_key};
use crate::tuning::{BUILD_CHUNK, REINSERT_BATCHES, REINSERT_CHUNK};

/// A node as one register: the smallest corner, the link, the largest corner negated, the parent.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(32))]
struct Packed([f32; 8]);

/// Marks the link of a leaf.
const LEAF: u32 = 1 << 31;

impl Packed {
    fn new(node: &Node) -> Self {
        let bounds = node.bounds();
        let link = if node.is_leaf() {
            node.id() | LEAF
        } else {
            node.first_child() / 2
        };
        let mut packed = Record::new(&bounds, link).0;
        packed[7] = f32::from_bits(node.parent());
        Self(packed)
    }

    fn node(&self, parent: u32, pair: u32) -> Node {
        let record = Record(self.0);
        if self.is_leaf() {
            Node::leaf(&record.bounds(), self.link() & !LEAF, parent)
        } else {
            Node::inner(&record.bounds(), pair, parent)
        }
    }

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> f32x8<S> {
        f32x8::load_array_ref(simd, &self.0)
    }

    #[inline(always)]
    fn link(&self) -> u32 {
        self.0[3].to_bits()
    }

    #[inline(always)]
    fn parent(&self) -> u32 {
        self.0[7].to_bits()
    }

    #[inline(always)]
    fn is_leaf(&self) -> bool {
        self.link() & LEAF != 0
    }

    #[inline(always)]
    fn first_child(&self) -> u32 {
        2 * self.link() + 1
    }

    #[inline(always)]
    fn with(mut self, link: u32, parent: u32) -> Self {
        self.0[3] = f32::from_bits(link);
        self.0[7] = f32::from_bits(parent);
        self
    }

    #[inline(always)]
    fn set_parent(&mut self, parent: u32) {
        self.0[7] = f32::from_bits(parent);
    }

    fn area(&self) -> f32 {
        Record(self.0).half_area()
    }

    fn union(&self, other: &Self) -> Self {
        Self(Record(self.0).union(&Record(other.0)).0)
    }
}

/// Where to put a node, and how much surface that saves.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Move {
    gain: f32,
    node: u32,
    to: u32,
}

struct Tree {
    nodes: Vec<Packed>,
    areas: Vec<f32>,
    /// The last batch in which a move touched the node.
    touched: Vec<u32>,
}

/// Improves a tree in rounds over all its nodes. Returns `None` when it would get too deep.
///
/// Cost of a round: O(n log n) for trees of boxes that overlap little.
pub(super) fn improve(tree: &Bvh, rounds: usize, level: Level) -> Option<Bvh> {
    let count = tree.nodes.len();
    let mut nodes: Vec<Packed> = zeroed_vec(count);
    fill_chunks(&mut nodes, BUILD_CHUNK, |first, out| {
        for (out, node) in out.iter_mut().zip(&tree.nodes[first..]) {
            *out = Packed::new(node);
        }
    });
    let mut areas = vec![0.0; count];
    fill_chunks(&mut areas, BUILD_CHUNK, |first, out| {
        for (out, node) in out.iter_mut().zip(&nodes[first..]) {
            *out = node.area();
        }
    });
    let mut tree = Tree {
        nodes,
        areas,
        touched: vec![0; count],
    };
    // Room that is kept: fresh memory costs as much as what is done with it.
    let mut order = vec![0_u64; count.saturating_sub(1)];
    let size = order.len().div_ceil(REINSERT_BATCHES).max(REINSERT_CHUNK);
    let mut found: Vec<Move> = zeroed_vec(size.min(order.len()));
    let (mut batch, mut moves, mut spare) = (Vec::new(), Vec::new(), Vec::new());
    let mut batch_number = 0;
    for _ in 0..rounds {
        fill_chunks(&mut order, BUILD_CHUNK, |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let node = first + i + 1;
                let key = !float_key(tree.areas[node]);
                *out = (u64::from(key) << 32) | node as u64;
            }
        });
        sort_by_key(&mut order, &mut spare);
        for part in order.chunks(size) {
            batch_number += 1;
            // Neighbours in the tree look at the same nodes, one after the other.
            batch.clear();
            batch.extend(part.iter().map(|&item| item << 32));
            sort_by_key(&mut batch, &mut spare);
            let found = &mut found[..batch.len()];
            fill_chunks(found, REINSERT_CHUNK, |first, out| {
                dispatch!(level, simd => tree.search(simd, &batch[first..], out));
            });
            moves.clear();
            moves.extend(found.iter().filter(|found| found.gain > 0.0));
            tree.make(&mut moves, batch_number);
        }
    }
    tree.finish()
}

impl Tree {
    /// Finds the best place of each node of a batch.
    #[inline(always)]
    fn search<S: Simd>(&self, simd: S, batch: &[u64], out: &mut [Move]) {
        let mut stack = Vec::new();
        for (out, &item) in out.iter_mut().zip(batch) {
            *out = self.best_place(simd, (item >> 32) as u32, &mut stack);
        }
    }

    #[inline(always)]
    fn best_place<S: Simd>(&self, simd: S, node: u32, stack: &mut Vec<(f32, u32)>) -> Move {
        let v = self.nodes[node as usize].load(simd);
        let own = self.areas[node as usize];
        let mut best = Move {
            gain: 0.0,
            node,
            to: node,
        };
        let parent = self.nodes[node as usize].parent();
        let beside = sibling(node);
        // What is saved above a place that is looked at: first the parent, which goes away.
        let mut saved = self.areas[parent as usize];
        // The node on the way up as it is without `node`.
        let mut rest = self.nodes[beside as usize].load(simd);
        let mut pivot = parent;
        // The place beside the sibling is the present one: go on below it.
        if !self.nodes[beside as usize].is_leaf() {
            let below = saved - half_area_of(v.min(rest)) + self.areas[beside as usize];
            if below - own > best.gain {
                let child = self.nodes[beside as usize].first_child();
                stack.push((below, child));
                stack.push((below, child + 1));
            }
        }
        loop {
            while let Some((saved, at)) = stack.pop() {
                if saved - own <= best.gain {
                    continue;
                }
                let here = &self.nodes[at as usize];
                let grown = half_area_of(v.min(here.load(simd)));
                let gain = saved - grown;
                if gain > best.gain {
                    best.gain = gain;
                    best.to = at;
                }
                let below = gain + self.areas[at as usize];
                if !here.is_leaf() && below - own > best.gain {
                    let child = here.first_child();
                    stack.push((below, child));
                    stack.push((below, child + 1));
                }
            }
            if pivot == 0 {
                return best;
            }
            let beside = sibling(pivot);
            stack.push((saved, beside));
            pivot = self.nodes[pivot as usize].parent();
            rest = rest.min(self.nodes[beside as usize].load(simd));
            saved += self.areas[pivot as usize] - half_area_of(rest);
        }
    }

    /// Makes the moves, those that save most first, each unless one before touched its
    /// nodes.
    fn make(&mut self, moves: &mut [Move], batch: u32) {
        moves.sort_unstable_by(|a, b| b.gain.total_cmp(&a.gain).then(a.node.cmp(&b.node)));
        for &Move { node, to, .. } in &*moves {
            let parent = self.nodes[node as usize].parent();
            let around = [
                node,
                sibling(node),
                parent,
                to,
                self.nodes[to as usize].parent(),
                self.nodes[parent as usize].parent(),
            ];
            let touched = |&n: &u32| n != Node::NONE && self.touched[n as usize] == batch;
            if around.iter().any(touched)
                || to == parent
                || to == sibling(node)
                || self.is_below(to, node)
            {
                continue;
            }
            for n in around {
                if n != Node::NONE {
                    self.touched[n as usize] = batch;
                }
            }
            self.reinsert(node, to);
        }
    }

    /// Whether `at` is `node` or lies below it.
    fn is_below(&self, mut at: u32, node: u32) -> bool {
        while at != Node::NONE {
            if at == node {
                return true;
            }
            at = self.nodes[at as usize].parent();
        }
        false
    }

    /// Makes `node` the sibling of `to`, which is neither below it nor its parent or sibling.
    fn reinsert(&mut self, node: u32, to: u32) {
        let parent = self.nodes[node as usize].parent();
        let beside = sibling(node);
        let above = self.nodes[parent as usize].parent();
        // The sibling takes the place of the parent,
        self.put(parent, self.nodes[beside as usize], above);
        // what is at the new place becomes the sibling,
        self.put(beside, self.nodes[to as usize], to);
        // and the pair gets its parent there.
        let union = self.nodes[node as usize].union(&self.nodes[beside as usize]);
        let over = self.nodes[to as usize].parent();
        self.nodes[to as usize] = union.with((node - 1) / 2, over);
        self.areas[to as usize] = union.area();
        self.nodes[node as usize].set_parent(to);
        self.refit(over);
        self.refit(above);
    }

    /// Copies a node to another place.
    fn put(&mut self, at: u32, node: Packed, parent: u32) {
        self.nodes[at as usize] = node.with(node.link(), parent);
        self.areas[at as usize] = node.area();
        if !node.is_leaf() {
            let child = node.first_child() as usize;
            self.nodes[child].set_parent(at);
            self.nodes[child + 1].set_parent(at);
        }
    }

    /// Fits the bounds from a node upward, until they stay.
    fn refit(&mut self, mut at: u32) {
        while at != Node::NONE {
            let here = self.nodes[at as usize];
            let child = here.first_child() as usize;
            let union = self.nodes[child].union(&self.nodes[child + 1]);
            let new = union.with(here.link(), here.parent());
            if cast::<_, [u32; 8]>(new) == cast::<_, [u32; 8]>(here) {
                return;
            }
            self.nodes[at as usize] = new;
            self.areas[at as usize] = new.area();
            at = here.parent();
        }
    }

    /// The tree with its nodes depth first.
    fn finish(&self) -> Option<Bvh> {
        let mut nodes = room(self.nodes.len() / 2 + 1);
        let mut pair = 0;
        let mut waiting = vec![(0_u32, 0_u32, Node::NONE, 0)];
        while let Some((from, at, parent, depth)) = waiting.pop() {
            if depth > Bvh::MAX_DEPTH {
                return None;
            }
            let here = &self.nodes[from as usize];
            nodes[at as usize] = here.node(parent, pair);
            if !here.is_leaf() {
                let (child, to) = (here.first_child(), 2 * pair + 1);
                pair += 1;
                waiting.push((child + 1, to + 1, at, depth + 1));
                waiting.push((child, to, at, depth + 1));
            }
        }
        Some(Bvh { nodes })
    }
}
