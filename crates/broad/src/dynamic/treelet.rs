//! Rebuilding the treelets that have lost most.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use jostle_geom::Aabb;

use super::DynamicTree;
use super::arena::{area, single};
use crate::bvh::Node;
use crate::tuning::TREELET_ITEMS;

/// Memory of rebuilds, reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    items: Vec<Item>,
    /// Inner nodes to open, those with the largest area first; ties by place.
    open: BinaryHeap<(u64, Reverse<u32>)>,
    /// Pairs that were opened and are used again.
    pairs: Vec<u32>,
    waiting: Vec<(u32, u32, usize, usize)>,
    order: [Vec<u64>; 3],
    best: Vec<u64>,
    right: Vec<f64>,
}

/// A node that a treelet is built over.
#[derive(Clone, Copy, Debug)]
struct Item {
    node: Node,
    bounds: Aabb,
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
        let parent = self.nodes[at as usize].parent();
        self.open_treelet(top, &mut memory);
        memory.pairs.sort_unstable_by_key(|&pair| Reverse(pair));
        let Memory {
            items,
            pairs,
            waiting,
            ..
        } = &mut memory;
        let mut made = core::mem::take(pairs);
        let mut used = made.len();
        waiting.clear();
        waiting.push((at, parent, 0, items.len()));
        while let Some((at, parent, first, end)) = memory.waiting.pop() {
            if end - first == 1 {
                let mut node = memory.items[first].node;
                node.set_parent(parent);
                self.place(at, node);
                continue;
            }
            let middle = first + memory.split(first, end);
            used -= 1;
            let pair = made[used];
            let bounds = memory.items[first..end]
                .iter()
                .fold(Aabb::EMPTY, |bounds, item| bounds.union(item.bounds));
            self.nodes[at as usize] = Node::inner(&bounds, pair, parent);
            let inner = &mut self.inner[pair as usize];
            (inner.built, inner.residue) = (single(area(&bounds)), 0.0);
            memory.waiting.push((2 * pair + 2, at, middle, end));
            memory.waiting.push((2 * pair + 1, at, first, middle));
        }
        // Pairs were taken from the end of the list, parents before their children.
        for &pair in &made {
            self.pull(pair);
        }
        // Nodes of the treelet that were too small to be opened may have grown too.
        if let Some(&pair) = made.last() {
            let inner = &mut self.inner[pair as usize];
            inner.residue = inner.loss;
        }
        for item in &memory.items {
            if !item.node.is_leaf() {
                self.requeue(Self::children(&item.node));
            }
        }
        for &pair in &made {
            self.requeue(pair);
        }
        if at != 0 {
            self.climb(Self::pair_of(at));
        }
        made.clear();
        memory.pairs = made;
        self.scratch.treelet = memory;
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
                let bounds = node.bounds();
                if node.is_leaf() {
                    items.push(Item { node, bounds });
                } else {
                    // Areas are not negative: their bits are in their order.
                    open.push((area(&bounds).to_bits(), Reverse(at)));
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
            let node = self.nodes[at as usize];
            items.push(Item {
                node,
                bounds: node.bounds(),
            });
        }
    }
}

impl Memory {
    /// Orders items so that the cheapest split of them, by area times number, is a cut, and returns
    /// how many come before it. Among equals the most even one.
    fn split(&mut self, first: usize, end: usize) -> usize {
        let items = &mut self.items[first..end];
        let n = items.len();
        if n == 2 {
            return 1;
        }
        let mut best = (f64::INFINITY, n, n / 2, 0);
        for axis in 0..3 {
            let order = &mut self.order[axis];
            order.clear();
            order.extend(items.iter().enumerate().map(|(i, item)| {
                let centre = item.bounds.centre()[axis];
                u64::from(ascending(centre)) << 32 | i as u64
            }));
            order.sort_unstable();
            let item = |i: usize| &items[order[i] as u32 as usize].bounds;
            self.right.clear();
            self.right.resize(n, 0.0);
            let mut bounds = Aabb::EMPTY;
            for i in (1..n).rev() {
                bounds = bounds.union(*item(i));
                self.right[i] = area(&bounds) * (n - i) as f64;
            }
            bounds = Aabb::EMPTY;
            for i in 1..n {
                bounds = bounds.union(*item(i - 1));
                let cost = area(&bounds) * i as f64 + self.right[i];
                let uneven = i.abs_diff(n - i);
                if (cost, uneven) < (best.0, best.1) {
                    best = (cost, uneven, i, axis);
                }
            }
        }
        let (_, _, cut, axis) = best;
        self.best.clone_from(&self.order[axis]);
        let sorted: Vec<Item> = self
            .best
            .iter()
            .map(|&key| items[key as u32 as usize])
            .collect();
        items.copy_from_slice(&sorted);
        cut
    }
}

/// Bits that ascend with a number. NaN, the centre of a box without ends, is in the middle: its own bits
/// depend on the machine.
fn ascending(x: f32) -> u32 {
    let bits = if x.is_nan() { 0 } else { x.to_bits() };
    if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    }
}
