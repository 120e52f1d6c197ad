//! Which boxes of a binary tree meet a volume: without a stack, over the links to parents.
//!
//! After a subtree comes the sibling of the first ancestor that is a first child (M. Hapala,
//! T. Davidovič, I. Wald, V. Havran and P. Slusallek, "Efficient stack-less BVH traversal for ray
//! tracing", SCCG 2011). Pairs of siblings begin at odd places, so a node knows which child it is.

use core::ops::ControlFlow;

use jostle_simd::volume::Volume;

use crate::bvh::{Bvh, Counters, Node, sibling};

impl Bvh {
    /// As [`overlaps`](Self::overlaps), with the same boxes in the same order and no memory besides
    /// the place it is at. Slower: nodes are read again on the way up.
    pub fn overlaps_stackless<V: Volume>(
        &self,
        volume: &V,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Counters {
        let nodes = self.nodes();
        let mut counters = Counters::default();
        let mut at = if self.is_empty() { Node::NONE } else { 0 };
        while at != Node::NONE {
            let node = &nodes[at as usize];
            counters.nodes += 1;
            counters.tests += 1;
            if volume.test(&node.bounds()) {
                if !node.is_leaf() {
                    at = node.first_child();
                    continue;
                }
                if visit(node.id()).is_break() {
                    break;
                }
            }
            at = self.after(at);
        }
        counters
    }

    /// The node that comes after the subtree of `at` in depth-first order.
    #[inline]
    fn after(&self, mut at: u32) -> u32 {
        // Second children are even, and so is the root.
        while at.is_multiple_of(2) {
            at = self.nodes()[at as usize].parent();
            if at == Node::NONE {
                return at;
            }
        }
        sibling(at)
    }
}
