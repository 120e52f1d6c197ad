//! Pairs of boxes of binary trees, with a stack of pairs of nodes.

use core::ops::ControlFlow;

use crate::bvh::{Bvh, Counters, Node};

/// What is still to be walked: two nodes that overlap, or one node with itself.
pub(super) type NodePair = [u32; 2];

impl Bvh {
    /// Calls `visit(a, b)` for every pair of a box of this tree and a box of `other` that overlap;
    /// `visit` may stop the walk.
    ///
    /// Both nodes of a pair are opened at once. The stack holds at most three pairs of nodes for
    /// each level of both trees.
    pub fn pairs_with(
        &self,
        other: &Self,
        mut visit: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Counters {
        let mut counters = Counters::default();
        let mut stack = start(self, other, &mut counters);
        // Whether the visitor stopped is the visitor's to know.
        let _ = walk::<false>(self, other, &mut stack, &mut counters, &mut visit);
        counters
    }

    /// Calls `visit(a, b)` with `a < b` for every pair of overlapping boxes, each once; `visit` may
    /// stop the walk.
    pub fn self_pairs(&self, mut visit: impl FnMut(u32, u32) -> ControlFlow<()>) -> Counters {
        let mut counters = Counters::default();
        let mut stack = start(self, self, &mut counters);
        let _ = walk::<true>(self, self, &mut stack, &mut counters, &mut visit);
        counters
    }
}

/// The roots, if they overlap.
pub(super) fn start(a: &Bvh, b: &Bvh, counters: &mut Counters) -> Vec<NodePair> {
    let mut stack = Vec::new();
    if !a.is_empty() && !b.is_empty() {
        push_overlapping(a.nodes(), b.nodes(), [0, 0], &mut stack, counters);
    }
    stack
}

/// Walks until the stack is empty. With `SELF` both trees are the same one.
pub(super) fn walk<const SELF: bool>(
    a: &Bvh,
    b: &Bvh,
    stack: &mut Vec<NodePair>,
    counters: &mut Counters,
    visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    while let Some(pair) = stack.pop() {
        step::<SELF>(a, b, pair, stack, counters, visit)?;
    }
    ControlFlow::Continue(())
}

/// Opens a pair of nodes: puts the pairs of their children that overlap on the stack, or visits
/// the pair of boxes.
#[inline]
pub(super) fn step<const SELF: bool>(
    a: &Bvh,
    b: &Bvh,
    [at_a, at_b]: NodePair,
    stack: &mut Vec<NodePair>,
    counters: &mut Counters,
    visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    counters.nodes += 1;
    let (a, b) = (a.nodes(), b.nodes());
    let (node_a, node_b) = (&a[at_a as usize], &b[at_b as usize]);
    if SELF && at_a == at_b {
        if !node_a.is_leaf() {
            let first = node_a.first_child();
            push_overlapping(a, b, [first, first + 1], stack, counters);
            stack.push([first + 1, first + 1]);
            stack.push([first, first]);
        }
        return ControlFlow::Continue(());
    }
    match (node_a.is_leaf(), node_b.is_leaf()) {
        (true, true) => {
            let (x, y) = (node_a.id(), node_b.id());
            return if SELF {
                visit(x.min(y), x.max(y))
            } else {
                visit(x, y)
            };
        }
        (true, false) => {
            let first = node_b.first_child();
            push_overlapping(a, b, [at_a, first + 1], stack, counters);
            push_overlapping(a, b, [at_a, first], stack, counters);
        }
        (false, true) => {
            let first = node_a.first_child();
            push_overlapping(a, b, [first + 1, at_b], stack, counters);
            push_overlapping(a, b, [first, at_b], stack, counters);
        }
        (false, false) => {
            let (first_a, first_b) = (node_a.first_child(), node_b.first_child());
            for pair in [
                [first_a + 1, first_b + 1],
                [first_a + 1, first_b],
                [first_a, first_b + 1],
                [first_a, first_b],
            ] {
                push_overlapping(a, b, pair, stack, counters);
            }
        }
    }
    ControlFlow::Continue(())
}

#[inline]
fn push_overlapping(
    a: &[Node],
    b: &[Node],
    pair: NodePair,
    stack: &mut Vec<NodePair>,
    counters: &mut Counters,
) {
    counters.tests += 1;
    let [at_a, at_b] = pair;
    if a[at_a as usize]
        .bounds()
        .overlaps(&b[at_b as usize].bounds())
    {
        stack.push(pair);
    }
}
