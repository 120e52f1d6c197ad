//! Which boxes of a binary tree meet a volume: with a stack.

use core::ops::ControlFlow;

use jostle_simd::volume::Volume;

use crate::bvh::{Bvh, Counters};

impl Bvh {
    /// Calls `visit(id)` for every box that meets a volume; `visit` may stop the walk. Cost:
    /// O(log n + hits) for boxes that overlap little, O(n) at worst.
    ///
    /// Children are tested before they are put on the stack, which holds one node a level at most.
    pub fn overlaps<V: Volume>(
        &self,
        volume: &V,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Counters {
        let nodes = self.nodes();
        let mut counters = Counters::default();
        let Some(root) = nodes.first() else {
            return counters;
        };
        counters.tests = 1;
        if !volume.test(&root.bounds()) {
            return counters;
        }
        let mut stack = [0; Self::MAX_DEPTH + 1];
        let mut top = 0;
        let mut at = 0;
        loop {
            counters.nodes += 1;
            let node = &nodes[at as usize];
            if node.is_leaf() {
                if visit(node.id()).is_break() {
                    return counters;
                }
            } else {
                let first = node.first_child();
                counters.tests += 2;
                let a = volume.test(&nodes[first as usize].bounds());
                let b = volume.test(&nodes[first as usize + 1].bounds());
                if a || b {
                    if a && b {
                        stack[top] = first + 1;
                        top += 1;
                    }
                    at = if a { first } else { first + 1 };
                    continue;
                }
            }
            if top == 0 {
                return counters;
            }
            top -= 1;
            at = stack[top];
        }
    }
}
