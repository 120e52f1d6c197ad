//! Tasks whose pairs come out in the order of the tasks, whatever the threads.

use core::ops::{ControlFlow, Range};

use super::PairError;
use crate::bvh::Counters;
use crate::pair_buffer::PairBuffer;

/// Takes the pairs found, a chunk at a time; may ask to stop.
pub(super) type Flush<'a> = dyn FnMut(&[[u32; 2]]) -> ControlFlow<()> + 'a;

/// Memory of one worker, kept from frame to frame.
#[derive(Debug, Default)]
pub(super) struct Work<S> {
    pub(super) buffer: PairBuffer,
    pub(super) counters: Counters,
    pub(super) scratch: S,
    /// What it found, when there are several workers.
    #[cfg(feature = "parallel")]
    pairs: Vec<[u32; 2]>,
}

/// All workers.
#[derive(Debug)]
pub(super) struct Workers<S> {
    workers: Vec<Work<S>>,
}

impl<S> Default for Workers<S> {
    fn default() -> Self {
        Self {
            workers: Vec::new(),
        }
    }
}

/// What to do for a range of tasks.
pub(super) trait Run<S>: Sync {
    /// Finds the pairs of the tasks, in order, through `work.buffer` into `flush`.
    fn run(
        &self,
        tasks: Range<usize>,
        work: &mut Work<S>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()>;
}

impl<S: Default + Send> Workers<S> {
    /// Bytes held.
    pub(super) fn memory_bytes(&self) -> usize {
        let pairs = |work: &Work<S>| {
            #[cfg(feature = "parallel")]
            let found = work.pairs.capacity();
            #[cfg(not(feature = "parallel"))]
            let found = 0;
            found * size_of::<[u32; 2]>() + work.buffer.memory_bytes()
        };
        self.workers.iter().map(pairs).sum()
    }

    /// Runs all tasks and appends their pairs in order.
    ///
    /// With several threads each takes spans of consecutive tasks. When they find more than `limit`
    /// together they stop, and the first `limit` pairs are found again by one of them: so neither
    /// the memory nor the pairs depend on who was faster.
    pub(super) fn collect(
        &mut self,
        tasks: usize,
        limit: usize,
        pairs: &mut Vec<[u32; 2]>,
        run: &impl Run<S>,
    ) -> Result<Counters, PairError> {
        #[cfg(feature = "parallel")]
        {
            let spans = (SPANS_A_THREAD * rayon::current_num_threads()).min(tasks);
            if rayon::current_num_threads() > 1
                && spans > 1
                && let Some(counters) = self.parallel(tasks, spans, limit, pairs, run)
            {
                return Ok(counters);
            }
        }
        if self.workers.is_empty() {
            self.workers.push(Work::default());
        }
        let work = &mut self.workers[0];
        work.start();
        let before = pairs.len();
        let mut flush = |chunk: &[[u32; 2]]| {
            let room = limit - (pairs.len() - before);
            pairs.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        if run.run(0..tasks, work, &mut flush).is_break() {
            return Err(PairError::TooManyPairs { limit });
        }
        Ok(work.counters)
    }

    /// `None` when there are more pairs than the limit.
    #[cfg(feature = "parallel")]
    fn parallel(
        &mut self,
        tasks: usize,
        spans: usize,
        limit: usize,
        pairs: &mut Vec<[u32; 2]>,
        run: &impl Run<S>,
    ) -> Option<Counters> {
        use core::sync::atomic::{AtomicUsize, Ordering};
        use rayon::prelude::*;

        if self.workers.len() < spans {
            self.workers.resize_with(spans, Work::default);
        }
        let workers = &mut self.workers[..spans];
        let found = AtomicUsize::new(0);
        let within = workers
            .par_iter_mut()
            .with_max_len(1)
            .enumerate()
            .map(|(span, work)| {
                work.start();
                let range = span * tasks / spans..(span + 1) * tasks / spans;
                let mut list = core::mem::take(&mut work.pairs);
                list.clear();
                let mut flush = |chunk: &[[u32; 2]]| {
                    let before = found.fetch_add(chunk.len(), Ordering::Relaxed);
                    if before + chunk.len() > limit {
                        return ControlFlow::Break(());
                    }
                    list.extend_from_slice(chunk);
                    ControlFlow::Continue(())
                };
                let flow = run.run(range, work, &mut flush);
                work.pairs = list;
                flow.is_continue()
            })
            .reduce(|| true, |a, b| a && b);
        if !within {
            return None;
        }
        let mut counters = Counters::default();
        pairs.reserve(workers.iter().map(|work| work.pairs.len()).sum());
        for work in workers {
            pairs.extend_from_slice(&work.pairs);
            counters += work.counters;
        }
        Some(counters)
    }
}

impl<S> Work<S> {
    fn start(&mut self) {
        self.buffer.clear();
        self.counters = Counters::default();
    }
}

/// Several, so that threads that are done early find more to do.
#[cfg(feature = "parallel")]
const SPANS_A_THREAD: usize = 8;
