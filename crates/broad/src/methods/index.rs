//! A broad phase of two indexes, one over the fixed boxes and one over the moving ones.

use core::ops::{ControlFlow, Range};

use fearless_simd::Level;
use jostle_geom::Aabb;

use super::tasks::{Flush, Run, Work, Workers};
use super::{BroadPhase, Method, PairError, PairOptions, check_moving, check_scene};
use crate::BoxError;
use crate::bvh::Counters;

/// A structure over boxes that finds its own pairs and those with another one of its kind.
pub(super) trait Index: Default + Send + Sync {
    /// The method it makes.
    const METHOD: Method;
    /// Memory that a worker needs.
    type Scratch: Default + Send;

    /// Forgets the boxes it has and takes these, with ids from `first` on.
    fn fill(&mut self, boxes: &[Aabb], first: u32, level: Level);

    /// Number of tasks that its boxes are cut into; it may not depend on threads.
    fn task_count(&self) -> usize;

    /// Pairs of the boxes of some tasks, smaller id first, each once: with the boxes of `fixed`,
    /// whose ids are all smaller, or, without it, with others of the same index. What the buffer
    /// holds at the end is handed on by the caller.
    fn join(
        &self,
        fixed: Option<&Self>,
        tasks: Range<usize>,
        level: Level,
        work: &mut Work<Self::Scratch>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()>;

    /// Bytes held.
    fn memory_bytes(&self) -> usize;
}

/// The broad phase of an index.
pub(super) struct IndexPhase<I: Index> {
    fixed: I,
    moving: I,
    fixed_len: usize,
    options: PairOptions,
    workers: Workers<I::Scratch>,
}

impl<I: Index> IndexPhase<I> {
    pub(super) fn new(options: &PairOptions) -> Self {
        Self {
            fixed: I::default(),
            moving: I::default(),
            fixed_len: 0,
            options: *options,
            workers: Workers::default(),
        }
    }
}

impl<I: Index> BroadPhase for IndexPhase<I> {
    fn method(&self) -> Method {
        I::METHOD
    }

    fn build(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
        check_scene(fixed, moving)?;
        let level = self.options.level;
        self.fixed_len = fixed.len();
        self.fixed.fill(fixed, 0, level);
        self.moving.fill(moving, fixed.len() as u32, level);
        Ok(())
    }

    fn update(&mut self, moving: &[Aabb]) -> Result<(), BoxError> {
        check_moving(self.fixed_len, moving)?;
        let first = self.fixed_len as u32;
        self.moving.fill(moving, first, self.options.level);
        Ok(())
    }

    fn append_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<Counters, PairError> {
        let run = Joins {
            fixed: (self.fixed_len > 0).then_some(&self.fixed),
            moving: &self.moving,
            level: self.options.level,
        };
        let joins = 1 + usize::from(self.fixed_len > 0);
        let tasks = joins * self.moving.task_count();
        let limit = self.options.pair_limit.unwrap_or(usize::MAX);
        self.workers.collect(tasks, limit, pairs, &run)
    }

    fn memory_bytes(&self) -> usize {
        self.fixed.memory_bytes() + self.moving.memory_bytes() + self.workers.memory_bytes()
    }
}

/// First the tasks of the join with the fixed boxes, if there are any, then those of the self-join.
struct Joins<'a, I> {
    fixed: Option<&'a I>,
    moving: &'a I,
    level: Level,
}

impl<I: Index> Run<I::Scratch> for Joins<'_, I> {
    fn run(
        &self,
        mut tasks: Range<usize>,
        work: &mut Work<I::Scratch>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        if self.fixed.is_some() {
            let count = self.moving.task_count();
            let with_fixed = tasks.start.min(count)..tasks.end.min(count);
            if !with_fixed.is_empty() {
                self.moving
                    .join(self.fixed, with_fixed, self.level, work, flush)?;
            }
            tasks = tasks.start.saturating_sub(count)..tasks.end.saturating_sub(count);
        }
        if !tasks.is_empty() {
            self.moving.join(None, tasks, self.level, work, flush)?;
        }
        work.buffer.finish(&mut |chunk: &[[u32; 2]]| flush(chunk))
    }
}
