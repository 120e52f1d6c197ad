//! Pairs of boxes of wide trees, with a stack of pairs of nodes.
//!
//! A step tests all lanes of one node against all lanes of another: up to 64 bits. Since lanes with
//! nodes come before lanes with boxes, masks cut the bits into four blocks: pairs of nodes go to the
//! stack, pairs of boxes to the output, and a box that meets a node walks down there alone.

use core::ops::ControlFlow;

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::Aabb;
use jostle_simd::volume::Volume;

use crate::PairError;
use crate::bvh::{Counters, WideBvh, WideNode};
use crate::h8::join_level;
use crate::pair_buffer::PairBuffer;
use crate::tuning::PAIR_TASKS;

use super::tasks::{collect, run};

impl<N: WideNode> WideBvh<N> {
    /// Hands every pair `[a, b]` of a box of this tree and a box of `other` that overlap to
    /// `visit`, in chunks of at most [`CHUNK`](crate::CHUNK) pairs, in an order that depends on the
    /// trees alone; `visit` may stop the walk.
    pub fn pairs_with(
        &self,
        other: &Self,
        level: Level,
        mut visit: impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> Counters {
        join::<false, N>(self, other, level, &mut visit)
    }

    /// As [`pairs_with`](Self::pairs_with) for the pairs of this tree's own boxes, smaller id
    /// first, each once.
    pub fn self_pairs(
        &self,
        level: Level,
        mut visit: impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> Counters {
        join::<true, N>(self, self, level, &mut visit)
    }

    /// Appends the pairs of [`pairs_with`](Self::pairs_with) to `pairs`, in parallel where the
    /// feature `parallel` is on, in an order that depends on the trees alone.
    ///
    /// # Errors
    /// More pairs than `limit`; `pairs` then holds that many.
    pub fn append_pairs_with(
        &self,
        other: &Self,
        level: Level,
        limit: Option<usize>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<Counters, PairError> {
        append::<false, N>(self, other, level, limit, pairs)
    }

    /// As [`append_pairs_with`](Self::append_pairs_with) for the pairs of
    /// [`self_pairs`](Self::self_pairs).
    ///
    /// # Errors
    /// More pairs than `limit`; `pairs` then holds that many.
    pub fn append_self_pairs(
        &self,
        level: Level,
        limit: Option<usize>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<Counters, PairError> {
        append::<true, N>(self, self, level, limit, pairs)
    }
}

/// What takes the chunks. Not generic: the walk is compiled for every level, once is enough.
type Flush<'a> = &'a mut dyn FnMut(&[[u32; 2]]) -> ControlFlow<()>;

fn join<const SELF: bool, N: WideNode>(
    a: &WideBvh<N>,
    b: &WideBvh<N>,
    level: Level,
    visit: Flush<'_>,
) -> Counters {
    let mut walk = Walk::new(a, b);
    walk.start();
    walk.run::<SELF>(level, usize::MAX, visit);
    walk.counters
}

fn append<const SELF: bool, N: WideNode>(
    a: &WideBvh<N>,
    b: &WideBvh<N>,
    level: Level,
    limit: Option<usize>,
    pairs: &mut Vec<[u32; 2]>,
) -> Result<Counters, PairError> {
    let task = |tasks: &mut Walk<'_, N>, enough: usize, limit: usize| {
        let mut found = Vec::new();
        let mut flush = |chunk: &[[u32; 2]]| collect(&mut found, limit, chunk);
        tasks.run::<SELF>(level, enough, &mut flush);
        (found, tasks.counters)
    };
    // Down from the roots until there are enough pairs of nodes; the pairs of boxes met on the way
    // come first.
    let mut tasks = Walk::new(a, b);
    tasks.start();
    let head = task(&mut tasks, PAIR_TASKS, limit.unwrap_or(usize::MAX));
    let tasks = tasks.stack;
    run(head, tasks.len(), limit, pairs, |at, limit| {
        let mut walk = Walk::new(a, b);
        walk.stack.push(tasks[at]);
        task(&mut walk, usize::MAX, limit)
    })
}

/// A walk over two trees, or twice the same one.
struct Walk<'a, N> {
    a: &'a [N],
    b: &'a [N],
    /// Pairs of nodes that overlap, or one node with itself.
    stack: Vec<[u32; 2]>,
    /// Nodes that a single box overlaps.
    singles: Vec<u32>,
    buffer: PairBuffer,
    counters: Counters,
}

impl<'a, N: WideNode> Walk<'a, N> {
    fn new(a: &'a WideBvh<N>, b: &'a WideBvh<N>) -> Self {
        let mut buffer = PairBuffer::default();
        buffer.clear();
        Self {
            a: a.nodes(),
            b: b.nodes(),
            stack: Vec::new(),
            singles: vec![0; a.stack_size().max(b.stack_size())],
            buffer,
            counters: Counters::default(),
        }
    }

    /// Puts the roots on the stack.
    fn start(&mut self) {
        if !self.a.is_empty() && !self.b.is_empty() {
            self.stack.push([0, 0]);
        }
    }

    /// Opens pairs of nodes until there are none, or `enough` that are opened first in, first out
    /// if that is not endless. Then hands on what is left in the buffer.
    fn run<const SELF: bool>(&mut self, level: Level, enough: usize, mut flush: Flush<'_>) {
        // Whether the visitor stopped is the visitor's to know.
        let _ = dispatch!(join_level(level), simd =>
            self.run_at::<SELF, _>(simd, enough, &mut flush));
    }

    #[inline(always)]
    fn run_at<const SELF: bool, S: Simd>(
        &mut self,
        simd: S,
        enough: usize,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if enough == usize::MAX {
            while let Some(pair) = self.stack.pop() {
                self.step::<SELF, S>(simd, pair, flush)?;
            }
        } else {
            while !self.stack.is_empty() && self.stack.len() < enough {
                for pair in core::mem::take(&mut self.stack) {
                    self.step::<SELF, S>(simd, pair, flush)?;
                }
            }
        }
        self.buffer.finish(flush)
    }

    #[inline(always)]
    fn step<const SELF: bool, S: Simd>(
        &mut self,
        simd: S,
        [at_a, at_b]: [u32; 2],
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let lanes = N::LANES;
        self.counters.nodes += 1;
        self.counters.tests += (lanes * lanes) as u64;
        let (a, b) = (&self.a[at_a as usize], &self.b[at_b as usize]);
        let mut bits = a.overlaps(simd, b);
        let nodes_a = inner_lanes(simd, a);
        let nodes_b = inner_lanes(simd, b);
        if SELF && at_a == at_b {
            bits &= above_diagonal(lanes);
            for lane in (0..nodes_a).rev() {
                let node = a.link(lane).node();
                self.stack.push([node, node]);
            }
        }
        let (rows, columns) = (first_rows(lanes, nodes_a), first_columns(lanes, nodes_b));

        let mut both = bits & rows & columns;
        while both != 0 {
            let (i, j) = lanes_of(lanes, &mut both);
            self.stack.push([a.link(i).node(), b.link(j).node()]);
        }

        let boxes = bits & !rows & !columns;
        if boxes != 0 {
            self.buffer.reserve(64, flush)?;
            let (ids_a, ids_b) = (a.ids(simd), b.ids(simd));
            if lanes == 8 {
                self.buffer
                    .push_rows::<SELF, S>(simd, boxes, &ids_a, &ids_b);
            } else {
                let mut boxes = boxes;
                while boxes != 0 {
                    let (i, j) = lanes_of(lanes, &mut boxes);
                    let (x, y) = (ids_a[i], ids_b[j]);
                    self.buffer
                        .push(if SELF { [x.min(y), x.max(y)] } else { [x, y] });
                }
            }
        }

        let mut box_node = bits & !rows & columns;
        while box_node != 0 {
            let (i, j) = lanes_of(lanes, &mut box_node);
            let (aabb, id, node) = (a.get(i), a.link(i).id(), b.link(j).node());
            self.single::<SELF, false, S>(simd, &aabb, id, self.b, node, flush)?;
        }
        let mut node_box = bits & rows & !columns;
        while node_box != 0 {
            let (i, j) = lanes_of(lanes, &mut node_box);
            let (aabb, id, node) = (b.get(j), b.link(j).id(), a.link(i).node());
            self.single::<SELF, true, S>(simd, &aabb, id, self.a, node, flush)?;
        }
        ControlFlow::Continue(())
    }

    /// The pairs of a box with the boxes below a node. `SWAPPED` when the box is of the second tree.
    #[inline(always)]
    fn single<const SELF: bool, const SWAPPED: bool, S: Simd>(
        &mut self,
        simd: S,
        aabb: &Aabb,
        id: u32,
        nodes: &[N],
        node: u32,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.singles[0] = node;
        let mut top = 1;
        while top > 0 {
            top -= 1;
            self.counters.nodes += 1;
            self.counters.tests += N::LANES as u64;
            let node = &nodes[self.singles[top] as usize];
            let (min, max) = (node.min(simd), node.max(simd));
            let hits = aabb.test_lanes(simd, &min, &max).to_bitmask() as u32;
            let leaves = node.leaf_lanes(simd);
            let inner = hits & !leaves;
            node.compress_links::<false, S>(simd, inner, &mut self.singles[top..]);
            top += inner.count_ones() as usize;
            let mut boxes = hits & leaves;
            self.buffer.reserve(8, flush)?;
            if SELF || !SWAPPED {
                let ids = node.ids(simd);
                self.buffer.push_row::<SELF, S>(simd, boxes, id, &ids);
            } else {
                while boxes != 0 {
                    let lane = boxes.trailing_zeros() as usize;
                    self.buffer.push([node.link(lane).id(), id]);
                    boxes &= boxes - 1;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// How many lanes lead to nodes: these are the first ones.
#[inline(always)]
fn inner_lanes<N: WideNode, S: Simd>(simd: S, node: &N) -> usize {
    (node.leaf_lanes(simd) | 1 << N::LANES).trailing_zeros() as usize
}

/// The pair of lanes that the lowest bit names, which is cleared.
#[inline(always)]
fn lanes_of(lanes: usize, bits: &mut u64) -> (usize, usize) {
    let bit = bits.trailing_zeros() as usize;
    *bits &= *bits - 1;
    (bit / lanes, bit % lanes)
}

/// All pairs of the first `count` lanes of the one node.
#[inline(always)]
fn first_rows(lanes: usize, count: usize) -> u64 {
    ((1_u128 << (lanes * count)) - 1) as u64
}

/// All pairs of the first `count` lanes of the other node.
#[inline(always)]
fn first_columns(lanes: usize, count: usize) -> u64 {
    // A one in each row.
    let rows = first_rows(lanes, lanes) / ((1 << lanes) - 1);
    rows * ((1 << count) - 1)
}

/// All pairs of a lane with a later one.
#[inline(always)]
const fn above_diagonal(lanes: usize) -> u64 {
    let mut bits = 0;
    let mut i = 0;
    while i < lanes {
        let later = ((1 << lanes) - 1) & !((2 << i) - 1);
        bits |= later << (lanes * i);
        i += 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_cut_where_they_should() {
        for lanes in [4, 8] {
            for count in 0..=lanes {
                let (rows, columns) = (first_rows(lanes, count), first_columns(lanes, count));
                for i in 0..lanes {
                    for j in 0..lanes {
                        let bit = 1 << (lanes * i + j);
                        assert_eq!(rows & bit != 0, i < count);
                        assert_eq!(columns & bit != 0, j < count);
                        assert_eq!(above_diagonal(lanes) & bit != 0, i < j);
                    }
                }
            }
        }
    }
}
