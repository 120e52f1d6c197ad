//! The joins of a frame, task by task: bodies with bodies, and bodies with chunks.

use core::ops::ControlFlow;

use fearless_simd::{Level, dispatch, prelude::*};

use super::chunk::Chunk;
use super::filter::{BodyFilters, ChunkSieve, LaneFilters, Masks};
use super::wave::{Open, Shore, Wave};
use crate::bvh::Counters;
use crate::h8::{All, Filter, Join, Nodes, Tree, join_level};
use crate::pair_buffer::PairBuffer;

/// Leaves of eight bodies in a task.
const TASK_LEAVES: usize = 64;

/// A tree of bodies by slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) tree: Tree,
    /// The filters of its lanes; empty when every body of the world has the default one.
    pub(super) filters: LaneFilters,
}

/// Memory of the joins, reused.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    wave: Wave,
    nodes: Nodes,
    buffer: PairBuffer,
}

/// What the pairs of a segment are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A static box of the chunk at this place of the list of chunks, and a body.
    Chunk(u32),
    /// Two bodies, the smaller slot first.
    Bodies,
}

/// Pairs found by a task, in an order that depends on the boxes alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) pairs: Vec<[u32; 2]>,
    /// What the pairs are, up to an end.
    pub(super) segments: Vec<(Source, usize)>,
    pub(super) counters: Counters,
}

impl Part {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.segments.clear();
        self.counters = Counters::default();
    }

    /// Ends a segment.
    fn close(&mut self, source: Source) {
        let start = self.segments.last().map_or(0, |&(_, end)| end);
        if self.pairs.len() > start {
            self.segments.push((source, self.pairs.len()));
        }
    }
}

/// Appends a chunk of pairs unless there are too many; then fills up to the limit and stops.
#[inline(always)]
fn append(pairs: &mut Vec<[u32; 2]>, limit: usize, chunk: &[[u32; 2]]) -> ControlFlow<()> {
    let room = limit - pairs.len();
    if chunk.len() > room {
        pairs.extend_from_slice(&chunk[..room]);
        return ControlFlow::Break(());
    }
    pairs.extend_from_slice(chunk);
    ControlFlow::Continue(())
}

/// What the bodies that move are joined with.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) moving: &'a Group,
    pub(super) asleep: &'a [&'a Group],
    pub(super) chunks: &'a [Chunk],
}

impl Surroundings<'_> {
    /// Finds the pairs of the bodies of one task that move; stops with an error beyond `limit`
    /// pairs.
    pub(super) fn run(
        &self,
        task: usize,
        limit: usize,
        scratch: &mut Scratch,
        part: &mut Part,
        level: Level,
    ) -> ControlFlow<()> {
        let moving = self.moving;
        let bounds = moving.tree.task_bounds(task);
        dispatch!(join_level(level), simd => {
            let mut flow = between::<true, _>(simd, moving, moving, task, limit, scratch, part);
            for group in self.asleep {
                if flow.is_continue() && group.tree.bounds().overlaps(&bounds) {
                    flow = between::<false, _>(simd, moving, group, task, limit, scratch, part);
                }
            }
            part.close(Source::Bodies);
            for (at, chunk) in self.chunks.iter().enumerate() {
                if flow.is_continue() && chunk.built.tree.bounds().overlaps(&bounds) {
                    flow = with_chunk(simd, moving, chunk, task, limit, scratch, part);
                    part.close(Source::Chunk(at as u32));
                }
            }
            flow
        })
    }
}

impl Group {
    /// Finds all pairs of a box of the chunk and a body: `[index, slot]`.
    pub(super) fn join_chunk(
        &self,
        chunk: &Chunk,
        scratch: &mut Scratch,
        part: &mut Part,
        level: Level,
    ) {
        dispatch!(join_level(level), simd => {
            for task in 0..self.tree.task_count() {
                // There is no limit, so no end.
                let _ = with_chunk(simd, self, chunk, task, usize::MAX, scratch, part);
            }
        });
    }

    /// Finds all pairs of its bodies.
    pub(super) fn join_self(&self, scratch: &mut Scratch, part: &mut Part, level: Level) {
        dispatch!(join_level(level), simd => {
            for task in 0..self.tree.task_count() {
                let _ = between::<true, _>(simd, self, self, task, usize::MAX, scratch, part);
            }
        });
    }

    /// Finds all pairs of one of its bodies and one of another group.
    pub(super) fn join_group(
        &self,
        other: &Self,
        scratch: &mut Scratch,
        part: &mut Part,
        level: Level,
    ) {
        dispatch!(join_level(level), simd => {
            for task in 0..self.tree.task_count() {
                let _ = between::<false, _>(simd, self, other, task, usize::MAX, scratch, part);
            }
        });
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.tree.memory_bytes() + self.filters.memory_bytes()
    }
}

#[inline(always)]
fn between<const SELF: bool, S: Simd>(
    simd: S,
    a: &Group,
    b: &Group,
    task: usize,
    limit: usize,
    scratch: &mut Scratch,
    part: &mut Part,
) -> ControlFlow<()> {
    let (tree_a, tree_b) = (&a.tree, &b.tree);
    if a.filters.is_empty() {
        let join = Join {
            a: tree_a,
            b: tree_b,
            filter: All::<true>,
        };
        return join_task::<SELF, S, All<true>>(simd, &join, task, limit, scratch, part);
    }
    let filter = Masks {
        a: &a.filters,
        b: &b.filters,
    };
    let join = Join {
        a: tree_a,
        b: tree_b,
        filter,
    };
    join_task::<SELF, S, Masks<'_>>(simd, &join, task, limit, scratch, part)
}

#[inline(always)]
fn join_task<const SELF: bool, S: Simd, F: Filter>(
    simd: S,
    join: &Join<'_, F>,
    task: usize,
    limit: usize,
    scratch: &mut Scratch,
    part: &mut Part,
) -> ControlFlow<()> {
    let pairs = &mut part.pairs;
    let mut flush = |chunk: &[[u32; 2]]| append(pairs, limit, chunk);
    let Scratch { nodes, buffer, .. } = scratch;
    buffer.clear();
    nodes.counters = Counters::default();
    let flow = join.run::<SELF, S>(simd, task, nodes, buffer, &mut flush);
    part.counters += nodes.counters;
    flow?;
    buffer.finish(&mut flush)
}

#[inline(always)]
fn with_chunk<S: Simd>(
    simd: S,
    bodies: &Group,
    chunk: &Chunk,
    task: usize,
    limit: usize,
    scratch: &mut Scratch,
    part: &mut Part,
) -> ControlFlow<()> {
    let tree = &bodies.tree;
    let first = TASK_LEAVES * task;
    let leaves = first..tree.ids().len().min(first + TASK_LEAVES);
    let pairs = &mut part.pairs;
    let mut flush = |chunk: &[[u32; 2]]| append(pairs, limit, chunk);
    let built = &*chunk.built;
    let wave = &mut scratch.wave;
    wave.counters = Counters::default();
    let flow = if bodies.filters.is_empty() && built.is_default() {
        let shore = Shore {
            tree: &built.tree,
            bodies: tree,
            sieve: Open,
        };
        wave.run(simd, shore, leaves, &mut flush)
    } else {
        let filters = if bodies.filters.is_empty() {
            BodyFilters::Default
        } else {
            BodyFilters::Lanes(&bodies.filters)
        };
        let sieve = ChunkSieve {
            bodies: filters,
            chunk: &built.filters,
        };
        let shore = Shore {
            tree: &built.tree,
            bodies: tree,
            sieve,
        };
        wave.run(simd, shore, leaves, &mut flush)
    };
    part.counters += wave.counters;
    flow
}
