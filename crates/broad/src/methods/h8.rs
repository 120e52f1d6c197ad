//! A tree of eights over the fixed boxes, another one over the moving ones each frame.

use core::ops::{ControlFlow, Range};

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::Aabb;

use super::Method;
use super::index::Index;
use super::tasks::{Flush, Work};
use crate::h8::{All, BuildMemory, Join, Nodes, Tree, join_level};

/// The tree and the memory to build it again.
#[derive(Debug, Default)]
pub(super) struct H8Index {
    tree: Tree,
    memory: BuildMemory,
}

/// Joins the blocks `tasks` with another tree, or, when `SELF`, with the rest of their own.
fn join<const SELF: bool>(
    a: &Tree,
    b: &Tree,
    tasks: Range<usize>,
    level: Level,
    work: &mut Work<Nodes>,
    flush: &mut Flush<'_>,
) -> ControlFlow<()> {
    let join = Join {
        a,
        b,
        filter: All::<true>,
    };
    work.scratch.counters = work.counters;
    let flow = dispatch!(join_level(level), simd =>
        run::<SELF, _>(simd, &join, tasks, work, flush));
    work.counters = work.scratch.counters;
    flow
}

#[inline(always)]
fn run<const SELF: bool, S: Simd>(
    simd: S,
    join: &Join<'_, All<true>>,
    tasks: Range<usize>,
    work: &mut Work<Nodes>,
    flush: &mut Flush<'_>,
) -> ControlFlow<()> {
    let mut flush = |chunk: &[[u32; 2]]| flush(chunk);
    for task in tasks {
        let Work {
            scratch, buffer, ..
        } = &mut *work;
        join.run::<SELF, S>(simd, task, scratch, buffer, &mut flush)?;
    }
    ControlFlow::Continue(())
}

impl Index for H8Index {
    const METHOD: Method = Method::H8;
    type Scratch = Nodes;

    fn fill(&mut self, boxes: &[Aabb], first: u32, level: Level) {
        self.tree.rebuild(boxes, first, level, &mut self.memory);
    }

    fn task_count(&self) -> usize {
        self.tree.task_count()
    }

    fn join(
        &self,
        fixed: Option<&Self>,
        tasks: Range<usize>,
        level: Level,
        work: &mut Work<Nodes>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        match fixed {
            Some(fixed) => join::<false>(&self.tree, &fixed.tree, tasks, level, work, flush),
            None => join::<true>(&self.tree, &self.tree, tasks, level, work, flush),
        }
    }

    fn memory_bytes(&self) -> usize {
        self.tree.memory_bytes() + self.memory.memory_bytes()
    }
}
