//! Nodes, pairs of siblings, and what is known about each inner node.

use jostle_geom::Aabb;

use super::DynamicTree;
use crate::bvh::{Bvh, Node, sibling};
use crate::tuning::TREELET_BITS;

/// What belongs to an inner node, under the number of its pair of children: that stays when nodes
/// move in memory.
///
/// A *treelet* is a set of connected inner nodes whose numbers of leaves have as many digits to the
/// base `2^TREELET_BITS`. Losses and costs are sums over the node and what is below it in the same
/// treelet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    /// Area when the node was made.
    pub(super) built: f32,
    /// By how much areas have grown since.
    pub(super) loss: f32,
    /// What a rebuild of the treelet could not reach of its loss, or less.
    pub(super) residue: f32,
    /// Sum of areas now.
    pub(super) cost: f32,
    /// Leaves below.
    pub(super) count: u32,
    /// Length of the longest path down to a leaf.
    pub(super) height: u32,
    /// The frame in which a leaf below moved last.
    pub(super) moved: u32,
    /// Neighbours in a list of the queue, [`Node::NONE`] at its ends.
    pub(super) prev: u32,
    /// As `prev`; the next unused pair while this one is not in use.
    pub(super) next: u32,
    /// List of the queue this treelet is in, [`Inner::UNQUEUED`] when in none.
    pub(super) list: u16,
}

impl Inner {
    pub(super) const UNQUEUED: u16 = u16::MAX;

    const UNUSED: Self = Self {
        built: 0.0,
        loss: 0.0,
        residue: 0.0,
        cost: 0.0,
        count: 0,
        height: 0,
        moved: 0,
        prev: Node::NONE,
        next: Node::NONE,
        list: Self::UNQUEUED,
    };

    /// Digits of the number of leaves: the treelet ends where it changes.
    pub(super) fn class(&self) -> u32 {
        self.count.max(1).ilog2() / TREELET_BITS
    }
}

/// Half the surface of a box, in double precision; infinite bounds count as the largest finite
/// ones, so that areas and their differences are always finite.
#[inline(always)]
pub(super) fn area(b: &Aabb) -> f64 {
    let extent = |axis: usize| {
        let high = f64::from(b.max[axis].clamp(-f32::MAX, f32::MAX));
        high - f64::from(b.min[axis].clamp(-f32::MAX, f32::MAX))
    };
    let (x, y, z) = (extent(0), extent(1), extent(2));
    x * y + y * z + z * x
}

/// A cost in single precision, never infinite.
#[inline(always)]
pub(super) fn single(cost: f64) -> f32 {
    (cost as f32).min(f32::MAX)
}

impl DynamicTree {
    /// The pair that a node with a parent is part of.
    #[inline(always)]
    pub(super) fn pair_of(at: u32) -> u32 {
        (at - 1) / 2
    }

    /// The pair of children of an inner node.
    #[inline(always)]
    pub(super) fn children(node: &Node) -> u32 {
        node.first_child() / 2
    }

    pub(super) fn height(&self, node: &Node) -> u32 {
        if node.is_leaf() {
            0
        } else {
            self.inner[Self::children(node) as usize].height
        }
    }

    pub(super) fn count(&self, node: &Node) -> u32 {
        if node.is_leaf() {
            1
        } else {
            self.inner[Self::children(node) as usize].count
        }
    }

    /// The frame in which something at or below a node moved last.
    #[inline(always)]
    pub(super) fn moved(&self, node: &Node) -> u32 {
        if node.is_leaf() {
            self.slots[node.id() as usize].moved
        } else {
            self.inner[Self::children(node) as usize].moved
        }
    }

    /// Puts a node, whose parent link is right, in a place and tells those who name it.
    pub(super) fn place(&mut self, at: u32, node: Node) {
        self.nodes[at as usize] = node;
        if node.is_leaf() {
            self.slots[node.id() as usize].node = at;
        } else {
            let child = node.first_child() as usize;
            self.nodes[child].set_parent(at);
            self.nodes[child + 1].set_parent(at);
        }
    }

    fn claim_pair(&mut self) -> u32 {
        let pair = self.free_pair;
        if pair != Node::NONE {
            self.free_pair = self.inner[pair as usize].next;
            self.inner[pair as usize] = Inner::UNUSED;
            return pair;
        }
        let blank = self.nodes[0];
        self.nodes.extend([blank, blank]);
        self.inner.push(Inner::UNUSED);
        self.pending.push(0);
        self.inner.len() as u32 - 1
    }

    fn free_pair(&mut self, pair: u32) {
        self.unqueue(pair);
        self.inner[pair as usize] = Inner {
            next: self.free_pair,
            ..Inner::UNUSED
        };
        self.free_pair = pair;
    }

    /// Hangs the leaf of a slot into the tree, beside the node that makes areas grow least.
    pub(super) fn attach(&mut self, index: u32, stored: &Aabb) {
        if self.live == 0 {
            let leaf = Node::leaf(stored, index, Node::NONE);
            if self.nodes.is_empty() {
                self.nodes.push(leaf);
            }
            self.place(0, leaf);
            return;
        }
        let at = self.best_sibling(stored);
        let pair = self.claim_pair();
        let mut beside = self.nodes[at as usize];
        let parent = beside.parent();
        let bounds = beside.bounds().union(*stored);
        beside.set_parent(at);
        self.place(2 * pair + 1, beside);
        self.place(2 * pair + 2, Node::leaf(stored, index, at));
        self.nodes[at as usize] = Node::inner(&bounds, pair, parent);
        self.inner[pair as usize].built = single(area(&bounds));
        self.climb(pair);
        if !beside.is_leaf() {
            self.requeue(Self::children(&beside));
        }
    }

    /// Takes a leaf out: its sibling takes the place of their parent.
    pub(super) fn detach(&mut self, leaf: u32) {
        let at = self.nodes[leaf as usize].parent();
        if at == Node::NONE {
            return;
        }
        let pair = Self::pair_of(leaf);
        let mut other = self.nodes[sibling(leaf) as usize];
        other.set_parent(self.nodes[at as usize].parent());
        self.place(at, other);
        self.free_pair(pair);
        if at != 0 {
            self.climb(Self::pair_of(at));
        }
        if !other.is_leaf() {
            self.requeue(Self::children(&other));
        }
    }

    /// Brings a pair's parent and everything above it up to date.
    pub(super) fn climb(&mut self, mut pair: u32) {
        while self.pull(pair) {
            let at = self.nodes[2 * pair as usize + 1].parent();
            if at == 0 {
                return;
            }
            pair = Self::pair_of(at);
        }
    }

    /// Computes everything about a pair's parent from its children. Returns whether that changed
    /// anything.
    pub(super) fn pull(&mut self, pair: u32) -> bool {
        let first = 2 * pair as usize + 1;
        let (a, b) = (self.nodes[first], self.nodes[first + 1]);
        let count = self.count(&a) + self.count(&b);
        let height = 1 + self.height(&a).max(self.height(&b));
        let moved = self.moved(&a).max(self.moved(&b));
        let here = &mut self.inner[pair as usize];
        let changed = here.count != count || here.height != height || here.moved != moved;
        let class = here.class();
        (here.count, here.height, here.moved) = (count, height, moved);
        let new_class = here.class() != class;
        // What was removed leaves room that must not hide what the others do later.
        here.built = here.built.min(single(area(&a.bounds().union(b.bounds()))));
        let refitted = self.refit_node(pair);
        if new_class {
            // Children may begin a treelet now, or begin one no longer.
            for child in [a, b] {
                if !child.is_leaf() {
                    self.requeue(Self::children(&child));
                }
            }
            self.requeue(pair);
        }
        changed || refitted
    }

    /// Computes bounds, cost and loss of a pair's parent from its children, whose number is the
    /// same. Returns whether anything changed.
    #[inline]
    pub(super) fn refit_node(&mut self, pair: u32) -> bool {
        let first = 2 * pair as usize + 1;
        let (a, b) = (self.nodes[first], self.nodes[first + 1]);
        let bounds = a.bounds().union(b.bounds());
        let area = area(&bounds);
        let here = self.inner[pair as usize];
        let mut cost = area;
        let mut loss = (area - f64::from(here.built)).max(0.0);
        for child in [a, b] {
            if !child.is_leaf() {
                let below = &self.inner[Self::children(&child) as usize];
                if below.class() == here.class() {
                    cost += f64::from(below.cost);
                    loss += f64::from(below.loss);
                }
            }
        }
        let (cost, loss) = (single(cost), single(loss));
        let node = &mut self.nodes[a.parent() as usize];
        let same_bounds = node.bounds() == bounds;
        if same_bounds && here.cost == cost && here.loss == loss {
            return false;
        }
        node.set_bounds(&bounds);
        let here = &mut self.inner[pair as usize];
        (here.cost, here.loss) = (cost, loss);
        here.residue = here.residue.min(loss);
        self.requeue(pair);
        true
    }

    /// Takes over a tree that was built over the boxes of `ids`, in their order.
    pub(super) fn take(&mut self, built: &Bvh, ids: &[u32]) {
        self.queue.clear();
        self.nodes.clear();
        self.nodes.extend_from_slice(built.nodes());
        self.inner.clear();
        self.inner
            .resize(self.nodes.len().saturating_sub(1) / 2, Inner::UNUSED);
        self.pending.clear();
        self.pending.resize(self.inner.len(), 0);
        self.free_pair = Node::NONE;
        for (at, node) in self.nodes.iter_mut().enumerate() {
            if node.is_leaf() {
                let id = ids[node.id() as usize];
                *node = Node::leaf(&node.bounds(), id, node.parent());
                self.slots[id as usize].node = at as u32;
            } else {
                let built = single(area(&node.bounds()));
                self.inner[Self::children(node) as usize].built = built;
            }
        }
        // Children come after their parents.
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            if !node.is_leaf() {
                self.pull(Self::children(&node));
            }
        }
    }
}
