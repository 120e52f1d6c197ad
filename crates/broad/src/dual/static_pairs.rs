//! Pairs of static boxes, on request.

use core::ops::ControlFlow;

use fearless_simd::{dispatch, prelude::*};

use super::chunk::{Built, Chunk};
use super::ids::{Item, Pair};
use super::view::WorldView;
use crate::bvh::Counters;
use crate::h8::{ABOVE_DIAGONAL, FROM_DIAGONAL, join_level};

impl WorldView {
    /// Calls `visit` for every pair of static boxes that overlap and may collide by their filters,
    /// each once, of the same chunk and of different ones; `visit` may stop. Not part of a frame:
    /// static boxes that overlap do so for ever. Cost: O(n + pairs) for boxes that overlap little, plus
    /// the square of the number of chunks.
    pub fn static_pairs(&self, mut visit: impl FnMut(Pair) -> ControlFlow<()>) -> Counters {
        let mut counters = Counters::default();
        // Whether the visitor stopped is the visitor's to know.
        let _ = dispatch!(join_level(self.level), simd =>
            between_all(simd, self.chunks(), &mut counters, &mut visit));
        counters
    }
}

#[inline(always)]
fn between_all<S: Simd>(
    simd: S,
    chunks: &[Chunk],
    counters: &mut Counters,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut stack = Vec::new();
    for (at, a) in chunks.iter().enumerate() {
        for b in &chunks[at..] {
            if a.built.tree.bounds().overlaps(&b.built.tree.bounds()) {
                let mut found = |first: u32, second: u32| {
                    let same = a.id == b.id;
                    let (first, second) = if same && second < first {
                        (second, first)
                    } else {
                        (first, second)
                    };
                    visit(Pair {
                        a: Item::Static {
                            chunk: a.id,
                            index: first,
                        },
                        b: Item::Static {
                            chunk: b.id,
                            index: second,
                        },
                    })
                };
                let same = a.id == b.id;
                between(
                    simd, &a.built, &b.built, same, &mut stack, counters, &mut found,
                )?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Walks two trees at once, or one with itself.
#[inline(always)]
fn between<S: Simd>(
    simd: S,
    a: &Built,
    b: &Built,
    same: bool,
    stack: &mut Vec<[u32; 2]>,
    counters: &mut Counters,
    found: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (tree_a, tree_b) = (&a.tree, &b.tree);
    stack.clear();
    if !tree_a.blocks().is_empty() && !tree_b.blocks().is_empty() {
        stack.push([0, 0]);
    }
    while let Some([at_a, at_b]) = stack.pop() {
        let (block_a, block_b) = (
            &tree_a.blocks()[at_a as usize],
            &tree_b.blocks()[at_b as usize],
        );
        let (leaf_a, leaf_b) = (at_a >= tree_a.first_leaf(), at_b >= tree_b.first_leaf());
        counters.nodes += 1;
        if leaf_a != leaf_b {
            // One stays, the other one goes down.
            counters.tests += 8;
            let (block, whole) = if leaf_a {
                (block_b, block_a.bounds.bounds(8))
            } else {
                (block_a, block_b.bounds.bounds(8))
            };
            let mut bits = block.bounds.overlaps_one(simd, &whole);
            while bits != 0 {
                let link = block.links[bits.trailing_zeros() as usize];
                stack.push(if leaf_a { [at_a, link] } else { [link, at_b] });
                bits &= bits - 1;
            }
            continue;
        }
        counters.tests += 64;
        let mut bits = block_a.bounds.overlaps(simd, &block_b.bounds);
        if same && at_a == at_b {
            bits &= if leaf_a {
                ABOVE_DIAGONAL
            } else {
                FROM_DIAGONAL
            };
        }
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let (lane_a, lane_b) = (bit >> 3, bit & 7);
            let (link_a, link_b) = (block_a.links[lane_a], block_b.links[lane_b]);
            let (filter_a, filter_b) = (
                a.filters.get(at_a as usize, lane_a),
                b.filters.get(at_b as usize, lane_b),
            );
            if !filter_a.allows(filter_b) {
                continue;
            }
            if leaf_a {
                found(link_a, link_b)?;
            } else {
                stack.push([link_a, link_b]);
            }
        }
    }
    ControlFlow::Continue(())
}
