//! Pairs by plain recursion: the reference that the faster walks are compared with.

use core::ops::ControlFlow;

use crate::bvh::{Bvh, Counters};

type Visitor<'a> = &'a mut dyn FnMut(u32, u32) -> ControlFlow<()>;

impl Bvh {
    /// Calls `visit(a, b)` for every pair of a box of this tree and a box of `other` that overlap,
    /// by recursion; `visit` may stop the walk. The depth of the recursion is at most twice
    /// [`Bvh::MAX_DEPTH`].
    pub fn pairs_with_recursive(
        &self,
        other: &Self,
        visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Counters {
        let mut counters = Counters::default();
        if !self.is_empty() && !other.is_empty() {
            // Whether the visitor stopped is the visitor's to know.
            let _ = between(self, 0, other, 0, &mut counters, visit);
        }
        counters
    }

    /// As [`pairs_with_recursive`](Self::pairs_with_recursive) for the pairs of this tree's own
    /// boxes, smaller id first, each once.
    pub fn self_pairs_recursive(
        &self,
        visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Counters {
        let mut counters = Counters::default();
        if !self.is_empty() {
            let mut ascending = |a: u32, b: u32| visit(a.min(b), a.max(b));
            let _ = within(self, 0, &mut counters, &mut ascending);
        }
        counters
    }
}

fn within(tree: &Bvh, at: u32, counters: &mut Counters, visit: Visitor<'_>) -> ControlFlow<()> {
    counters.nodes += 1;
    let node = tree.nodes()[at as usize];
    if node.is_leaf() {
        return ControlFlow::Continue(());
    }
    let child = node.first_child();
    within(tree, child, counters, visit)?;
    within(tree, child + 1, counters, visit)?;
    between(tree, child, tree, child + 1, counters, visit)
}

fn between(
    a: &Bvh,
    at_a: u32,
    b: &Bvh,
    at_b: u32,
    counters: &mut Counters,
    visit: Visitor<'_>,
) -> ControlFlow<()> {
    counters.nodes += 1;
    counters.tests += 1;
    let (node_a, node_b) = (a.nodes()[at_a as usize], b.nodes()[at_b as usize]);
    if !node_a.bounds().overlaps(&node_b.bounds()) {
        return ControlFlow::Continue(());
    }
    match (node_a.is_leaf(), node_b.is_leaf()) {
        (true, true) => visit(node_a.id(), node_b.id()),
        (false, _) => {
            let child = node_a.first_child();
            between(a, child, b, at_b, counters, visit)?;
            between(a, child + 1, b, at_b, counters, visit)
        }
        (true, false) => {
            let child = node_b.first_child();
            between(a, at_a, b, child, counters, visit)?;
            between(a, at_a, b, child + 1, counters, visit)
        }
    }
}
