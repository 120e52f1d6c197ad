//! The pairs of a frame.

use fearless_simd::Level;
use thiserror::Error;

use super::asleep::Sleepers;
use super::ids::{ChunkId, Pair};
use super::join::{Part, Scratch, Source, Surroundings};
use super::view::WorldView;
use crate::bvh::Counters;

/// More pairs than were allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("more than the {limit} pairs allowed")]
pub struct TooManyPairs {
    /// How many are allowed.
    pub limit: usize,
}

/// The pairs of bodies that move, as the tasks found them.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) parts: Vec<Part>,
    pub(super) counters: Counters,
    spare: Vec<Scratch>,
}

impl Found {
    /// Forgets the pairs.
    pub(super) fn clear(&mut self) {
        for part in &mut self.parts {
            part.clear();
        }
        self.counters = Counters::default();
    }

    /// Number of pairs.
    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.pairs.len()).sum()
    }

    /// Scratch memory for work outside tasks.
    pub(super) fn scratch(&mut self) -> &mut Scratch {
        if self.spare.is_empty() {
            self.spare.push(Scratch::default());
        }
        &mut self.spare[0]
    }

    /// Runs all tasks. With an error the parts together hold `limit` pairs.
    pub(super) fn search(
        &mut self,
        around: &Surroundings<'_>,
        limit: usize,
        level: Level,
    ) -> Result<(), TooManyPairs> {
        let tasks = around.moving.tree.task_count();
        self.parts.resize_with(tasks, Part::default);
        self.clear();
        #[cfg(feature = "parallel")]
        let complete = if tasks > 1 && rayon::current_num_threads() > 1 {
            self.search_parallel(around, limit, level)
        } else {
            false
        };
        #[cfg(not(feature = "parallel"))]
        let complete = false;
        // One after the other, also when there are too many: then the first tasks decide which.
        if !complete {
            self.search_serial(around, limit, level)?;
        }
        for part in &self.parts {
            self.counters += part.counters;
        }
        Ok(())
    }

    fn search_serial(
        &mut self,
        around: &Surroundings<'_>,
        limit: usize,
        level: Level,
    ) -> Result<(), TooManyPairs> {
        self.clear();
        self.scratch();
        let mut left = limit;
        for (task, part) in self.parts.iter_mut().enumerate() {
            let scratch = &mut self.spare[0];
            let flow = around.run(task, left, scratch, part, level);
            left -= part.pairs.len();
            if flow.is_break() {
                return Err(TooManyPairs { limit });
            }
        }
        Ok(())
    }

    /// Whether all tasks ran to their end and together stayed within the limit.
    #[cfg(feature = "parallel")]
    fn search_parallel(&mut self, around: &Surroundings<'_>, limit: usize, level: Level) -> bool {
        use core::sync::atomic::{AtomicUsize, Ordering};
        use rayon::prelude::*;
        use std::sync::{Mutex, PoisonError};

        let total = AtomicUsize::new(0);
        let spare = Mutex::new(core::mem::take(&mut self.spare));
        let lock = || spare.lock().unwrap_or_else(PoisonError::into_inner);
        self.parts
            .par_iter_mut()
            .enumerate()
            .with_max_len(1)
            .for_each(|(task, part)| {
                let left = limit.saturating_sub(total.load(Ordering::Relaxed));
                let mut scratch = lock().pop().unwrap_or_default();
                let flow = around.run(task, left, &mut scratch, part, level);
                lock().push(scratch);
                let stopped = usize::from(flow.is_break());
                total.fetch_add(part.pairs.len() + stopped, Ordering::Relaxed);
            });
        self.spare = spare.into_inner().unwrap_or_else(PoisonError::into_inner);
        total.into_inner() <= limit
    }
}

/// The pairs of a frame: each once, those of bodies that move in an order that depends on the boxes
/// alone, then those of bodies that rest.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    pub(super) found: &'a Found,
    pub(super) sleepers: &'a Sleepers,
    pub(super) view: &'a WorldView,
}

impl<'a> Pairs<'a> {
    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.moving_len() + self.resting_len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of pairs with a body that moves.
    pub fn moving_len(&self) -> usize {
        self.found.len()
    }

    /// Number of pairs of bodies that rest, with each other or with static boxes.
    pub fn resting_len(&self) -> usize {
        let with_static = self.sleepers.with_static.iter();
        self.sleepers.among.len() + with_static.map(|(_, pairs)| pairs.len()).sum::<usize>()
    }

    /// All pairs, each once.
    pub fn iter(&self) -> impl Iterator<Item = Pair> + 'a {
        self.moving().chain(self.resting())
    }

    /// The pairs with a body that moves.
    pub fn moving(&self) -> impl Iterator<Item = Pair> + 'a {
        let view = self.view;
        self.found.parts.iter().flat_map(move |part| {
            let mut start = 0;
            part.segments.iter().flat_map(move |&(source, end)| {
                let pairs = &part.pairs[core::mem::replace(&mut start, end)..end];
                pairs.iter().map(move |&pair| match source {
                    Source::Chunk(at) => view.static_pair(view.chunks()[at as usize].id, pair),
                    Source::Bodies => view.body_pair(pair),
                })
            })
        })
    }

    /// The pairs of bodies that rest, with each other or with static boxes.
    pub fn resting(&self) -> impl Iterator<Item = Pair> + 'a {
        let view = self.view;
        let with_static = self.sleepers.with_static.iter();
        with_static
            .flat_map(move |(chunk, pairs)| {
                pairs
                    .iter()
                    .map(move |&pair| view.static_pair(*chunk, pair))
            })
            .chain(
                self.sleepers
                    .among
                    .iter()
                    .map(move |&pair| view.body_pair(pair)),
            )
    }

    /// Appends all pairs.
    pub fn append_to(&self, pairs: &mut Vec<Pair>) {
        pairs.reserve(self.len());
        pairs.extend(self.iter());
    }

    /// Hands on the pairs as plain numbers: runs of `[index, slot]` with a chunk, or of two
    /// slots, the smaller first, when the chunk is `None`. The fastest way to read them.
    pub fn for_each_run(&self, mut visit: impl FnMut(Option<ChunkId>, &[[u32; 2]])) {
        self.for_each_moving_run(&mut visit);
        self.for_each_resting_run(visit);
    }

    pub(super) fn for_each_moving_run(&self, mut visit: impl FnMut(Option<ChunkId>, &[[u32; 2]])) {
        for part in &self.found.parts {
            let mut start = 0;
            for &(source, end) in &part.segments {
                let chunk = match source {
                    Source::Chunk(at) => Some(self.view.chunks()[at as usize].id),
                    Source::Bodies => None,
                };
                visit(chunk, &part.pairs[start..end]);
                start = end;
            }
        }
    }

    pub(super) fn for_each_resting_run(&self, mut visit: impl FnMut(Option<ChunkId>, &[[u32; 2]])) {
        for (chunk, pairs) in &self.sleepers.with_static {
            visit(Some(*chunk), pairs);
        }
        visit(None, &self.sleepers.among);
    }
}
