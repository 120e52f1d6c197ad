//! Rebuilding the treelets that have lost most.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use jostle_geom::Aabb;

use super::DynamicTree;
use super::arena::{area, single};
use crate::bvh::{Bvh, Node};
use crate::tuning::{TREELET_BUILDER, TREELET_ITEMS};

/// Memory of rebuilds, reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    items: Vec<Node>,
    /// Inner nodes to open, those with the largest area first; ties by place.
    open: BinaryHeap<(u64, Reverse<u32>)>,
    /// Pairs that were opened and are used again.
    pairs: Vec<u32>,
}

impl DynamicTree {
    /// Rebuilds the treelets that lost most, `treelets` of them or as many as there are. Returns
    /// how many.
    ///
    /// Cost: bounded for each treelet, plus the depth of the tree.
    pub fn maintain(&mut self, treelets: usize) -> usize {
        self.maintain_while(treelets, &mut || true)
    }

    /// As [`maintain`](Self::maintain), asking `more` before each treelet whether there is time
    /// left.
    pub fn maintain_while(&mut self, treelets: usize, more: &mut dyn FnMut() -> bool) -> usize {
        let mut done = 0;
        while done < treelets
            && let Some(pair) = self.queue.worst()
            && more()
        {
            self.rebuild_treelet(pair);
            done += 1;
        }
        self.work.rebuilt_treelets += done;
        done
    }

    /// Builds the nodes below the parent of a pair anew, over items that are found by opening the
    /// largest nodes first (T. Karras and T. Aila, "Fast parallel construction of high-quality
    /// bounding volume hierarchies", 2013, form treelets so): large nodes are those that hold what
    /// has parted.
    fn rebuild_treelet(&mut self, top: u32) {
        let mut memory = core::mem::take(&mut self.scratch.treelet);
        let at = self.nodes[2 * top as usize + 1].parent();
        self.open_treelet(top, &mut memory);
        // The builder accepts what the tree has accepted.
        let boxes: Vec<Aabb> = memory.items.iter().map(Node::bounds).collect();
        if let Ok(built) = Bvh::build(&boxes, TREELET_BUILDER, self.level) {
            self.transplant(&built, at, &mut memory);
        }
        self.scratch.treelet = memory;
    }

    /// Puts a tree over the items below the node at `top`, in the pairs that were opened.
    fn transplant(&mut self, built: &Bvh, top: u32, memory: &mut Memory) {
        let Memory { items, pairs, .. } = memory;
        pairs.sort_unstable();
        let above = self.nodes[top as usize].parent();
        // Node `i` of the built tree, and the parent of its pair.
        let place = |at: u32| match at {
            0 => top,
            _ => 2 * pairs[Self::pair_of(at) as usize] + 2 - at % 2,
        };
        for (at, node) in (0_u32..).zip(built.nodes()) {
            let parent = match node.parent() {
                Node::NONE => above,
                parent => place(parent),
            };
            if node.is_leaf() {
                let mut item = items[node.id() as usize];
                item.set_parent(parent);
                self.place(place(at), item);
            } else {
                let pair = pairs[Self::children(node) as usize];
                let bounds = node.bounds();
                self.nodes[place(at) as usize] = Node::inner(&bounds, pair, parent);
                let inner = &mut self.inner[pair as usize];
                (inner.built, inner.residue) = (single(area(&bounds)), 0.0);
            }
        }
        // Children come after their parents.
        for node in built.nodes().iter().rev() {
            if !node.is_leaf() {
                self.pull(pairs[Self::children(node) as usize]);
            }
        }
        // Nodes of the treelet that were too small to be opened may have grown too.
        let first = Self::children(&self.nodes[top as usize]);
        let inner = &mut self.inner[first as usize];
        inner.residue = inner.loss;
        for item in &*items {
            if !item.is_leaf() {
                self.requeue(Self::children(item));
            }
        }
        for &pair in &*pairs {
            self.requeue(pair);
        }
        if top != 0 {
            self.climb(Self::pair_of(top));
        }
    }

    /// Collects the items of the treelet below a pair's parent, and the pairs in between.
    fn open_treelet(&self, top: u32, memory: &mut Memory) {
        let Memory {
            items, open, pairs, ..
        } = memory;
        items.clear();
        open.clear();
        pairs.clear();
        let mut pair = top;
        loop {
            pairs.push(pair);
            for at in [2 * pair + 1, 2 * pair + 2] {
                let node = self.nodes[at as usize];
                if node.is_leaf() {
                    items.push(node);
                } else {
                    // Areas are not negative: their bits are in their order.
                    open.push((area(&node.bounds()).to_bits(), Reverse(at)));
                }
            }
            if items.len() + open.len() >= TREELET_ITEMS {
                break;
            }
            match open.pop() {
                Some((_, Reverse(at))) => pair = Self::children(&self.nodes[at as usize]),
                None => break,
            }
        }
        for (_, Reverse(at)) in open.drain() {
            items.push(self.nodes[at as usize]);
        }
    }
}
