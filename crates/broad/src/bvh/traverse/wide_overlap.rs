//! Which boxes of a wide tree meet a volume.
//!
//! One node a step: all lanes are tested at once, the links of the nodes that meet the volume go to
//! the stack and the ids of the boxes to the output, both by a permutation that moves them to the
//! front of a vector, stored whole. No branch depends on a test.

use core::ops::ControlFlow;

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_simd::volume::Volume;

use crate::bvh::{Counters, WideBvh, WideNode};
use crate::h8::join_level;
use crate::tuning::WALK_STACK;

use super::wide_front::batch;

/// Where the boxes found go.
pub(super) trait Sink {
    /// Takes the boxes of some lanes, which may be none.
    fn take<N: WideNode, S: Simd>(&mut self, simd: S, node: &N, lanes: u32) -> ControlFlow<()>;
}

/// Calls a visitor for each. Not generic over the visitor: the walk is compiled for every level, and
/// once for each volume is enough.
struct Each<'a>(&'a mut dyn FnMut(u32) -> ControlFlow<()>);

impl Sink for Each<'_> {
    #[inline(always)]
    fn take<N: WideNode, S: Simd>(&mut self, _: S, node: &N, mut lanes: u32) -> ControlFlow<()> {
        while lanes != 0 {
            (self.0)(node.link(lanes.trailing_zeros() as usize).id())?;
            lanes &= lanes - 1;
        }
        ControlFlow::Continue(())
    }
}

/// A list that is kept longer than what it holds, so that whole vectors can be stored.
pub(super) struct List<'a> {
    pub(super) ids: &'a mut Vec<u32>,
    pub(super) len: usize,
}

impl Sink for List<'_> {
    #[inline(always)]
    fn take<N: WideNode, S: Simd>(&mut self, simd: S, node: &N, lanes: u32) -> ControlFlow<()> {
        if self.ids.len() < self.len + N::LANES {
            self.ids.resize(2 * self.len + 8 * N::LANES, 0);
        }
        node.compress_links::<true, S>(simd, lanes, &mut self.ids[self.len..]);
        self.len += lanes.count_ones() as usize;
        ControlFlow::Continue(())
    }
}

impl<N: WideNode> WideBvh<N> {
    /// Calls `visit(id)` for every box that meets a volume, in an order that depends on the tree
    /// alone; `visit` may stop the walk. Cost: O(log n + hits) for boxes that overlap little, O(n)
    /// at worst.
    pub fn overlaps<V: Volume>(
        &self,
        volume: &V,
        level: Level,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Counters {
        self.query(volume, level, &mut Each(&mut visit))
    }

    /// Appends the boxes that meet a volume to `ids`, in the order of [`overlaps`](Self::overlaps).
    /// Faster than a visitor where there are several.
    pub fn overlaps_into<V: Volume>(
        &self,
        volume: &V,
        level: Level,
        ids: &mut Vec<u32>,
    ) -> Counters {
        let len = ids.len();
        let mut list = List { ids, len };
        let counters = self.query(volume, level, &mut list);
        let len = list.len;
        ids.truncate(len);
        counters
    }

    /// As [`overlaps_into`](Self::overlaps_into) for many volumes: `visit(i, ids)` gets the boxes
    /// that meet volume `i`, none for none, and may stop. The order of the boxes depends on the tree
    /// and the volumes alone. Faster than one by one where the tree does not fit in the cache.
    pub fn overlap_batch<V: Volume>(
        &self,
        volumes: &[V],
        level: Level,
        mut visit: impl FnMut(usize, &[u32]) -> ControlFlow<()>,
    ) -> Counters {
        self.query_batch(volumes, level, &mut visit)
    }

    fn query_batch<V: Volume>(
        &self,
        volumes: &[V],
        level: Level,
        visit: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
    ) -> Counters {
        let mut small = [0; WALK_STACK];
        let mut large = Vec::new();
        let stack = self.stack(&mut small, &mut large);
        let mut nodes = 0;
        // Whether the visitor stopped is the visitor's to know.
        let _ = dispatch!(join_level(level), simd =>
            batch(simd, self.nodes(), volumes, stack, &mut nodes, visit));
        counters::<N>(nodes)
    }

    fn query<V: Volume>(&self, volume: &V, level: Level, sink: &mut impl Sink) -> Counters {
        let mut small = [0; WALK_STACK];
        let mut large = Vec::new();
        let stack = self.stack(&mut small, &mut large);
        let mut nodes = 0;
        let _ = dispatch!(join_level(level), simd =>
            walk(simd, self.nodes(), volume, stack, sink, &mut nodes));
        counters::<N>(nodes)
    }

    /// Room for a walk: the small array if it is enough.
    #[inline]
    fn stack<'a>(
        &self,
        small: &'a mut [u32; WALK_STACK],
        large: &'a mut Vec<u32>,
    ) -> &'a mut [u32] {
        let size = self.stack_size();
        if size <= WALK_STACK {
            small
        } else {
            large.resize(size, 0);
            large
        }
    }
}

fn counters<N: WideNode>(nodes: u64) -> Counters {
    Counters {
        nodes,
        tests: nodes * N::LANES as u64,
    }
}

#[inline(always)]
pub(super) fn walk<N: WideNode, V: Volume, S: Simd>(
    simd: S,
    nodes: &[N],
    volume: &V,
    stack: &mut [u32],
    sink: &mut impl Sink,
    visited: &mut u64,
) -> ControlFlow<()> {
    if nodes.is_empty() {
        return ControlFlow::Continue(());
    }
    stack[0] = 0;
    let mut top = 1;
    while top > 0 {
        top -= 1;
        *visited += 1;
        let node = &nodes[stack[top] as usize];
        let (min, max) = (node.min(simd), node.max(simd));
        let hits = volume.test_lanes(simd, &min, &max).to_bitmask() as u32;
        let leaves = node.leaf_lanes(simd);
        let inner = hits & !leaves;
        node.compress_links::<false, S>(simd, inner, &mut stack[top..]);
        top += inner.count_ones() as usize;
        sink.take(simd, node, hits & leaves)?;
    }
    ControlFlow::Continue(())
}
