//! Joins of trees cut into tasks, in parallel where the feature allows it.

use core::ops::ControlFlow;

use crate::PairError;
use crate::bvh::{Bvh, Counters};
use crate::tuning::{PAIR_TASKS, TASKS_AT_ONCE};

use super::pairs::{self, NodePair};

/// What a task found.
pub(super) type Found = (Vec<[u32; 2]>, Counters);

/// Collects pairs until there are more than `limit`.
#[inline(always)]
pub(super) fn collect(
    found: &mut Vec<[u32; 2]>,
    limit: usize,
    chunk: &[[u32; 2]],
) -> ControlFlow<()> {
    found.extend_from_slice(chunk);
    if found.len() > limit {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Appends what was found already, runs tasks `0..count` and appends what they find in their order.
/// With a limit, few tasks run at a time, each stops just after the limit, and so the memory is
/// bounded.
pub(super) fn run(
    (head, mut counters): Found,
    count: usize,
    limit: Option<usize>,
    pairs: &mut Vec<[u32; 2]>,
    task: impl Fn(usize, usize) -> Found + Sync,
) -> Result<Counters, PairError> {
    let before = pairs.len();
    pairs.extend_from_slice(&head);
    let at_once = if limit.is_some() {
        TASKS_AT_ONCE
    } else {
        count
    };
    let mut first = 0;
    loop {
        let found = pairs.len() - before;
        if let Some(limit) = limit
            && found > limit
        {
            pairs.truncate(before + limit);
            return Err(PairError::TooManyPairs { limit });
        }
        if first == count {
            return Ok(counters);
        }
        let end = count.min(first + at_once);
        let left = limit.map_or(usize::MAX, |limit| limit - found);
        for (found, counted) in map(first, end, |at| task(at, left)) {
            counters += counted;
            pairs.extend_from_slice(&found);
        }
        first = end;
    }
}

#[cfg(feature = "parallel")]
fn map(first: usize, end: usize, task: impl Fn(usize) -> Found + Sync) -> Vec<Found> {
    use rayon::prelude::*;
    (first..end).into_par_iter().map(&task).collect()
}

#[cfg(not(feature = "parallel"))]
fn map(first: usize, end: usize, task: impl Fn(usize) -> Found) -> impl Iterator<Item = Found> {
    (first..end).map(task)
}

impl Bvh {
    /// Appends every pair of a box of this tree and a box of `other` that overlap to `pairs`, in
    /// parallel where the feature `parallel` is on, in an order that depends on the trees alone.
    ///
    /// # Errors
    /// More pairs than `limit`; `pairs` then holds that many.
    pub fn append_pairs_with(
        &self,
        other: &Self,
        limit: Option<usize>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<Counters, PairError> {
        append::<false>(self, other, limit, pairs)
    }

    /// As [`append_pairs_with`](Self::append_pairs_with) for the pairs of [`self_pairs`](Self::self_pairs).
    ///
    /// # Errors
    /// More pairs than `limit`; `pairs` then holds that many.
    pub fn append_self_pairs(
        &self,
        limit: Option<usize>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<Counters, PairError> {
        append::<true>(self, self, limit, pairs)
    }
}

fn append<const SELF: bool>(
    a: &Bvh,
    b: &Bvh,
    limit: Option<usize>,
    pairs: &mut Vec<[u32; 2]>,
) -> Result<Counters, PairError> {
    let mut counters = Counters::default();
    let tasks = frontier::<SELF>(a, b, &mut counters);
    run(
        (Vec::new(), counters),
        tasks.len(),
        limit,
        pairs,
        |task, limit| {
            let mut found = Vec::new();
            let mut counters = Counters::default();
            let mut stack = vec![tasks[task]];
            let _ = pairs::walk::<SELF>(a, b, &mut stack, &mut counters, &mut |x, y| {
                collect(&mut found, limit, &[[x, y]])
            });
            (found, counters)
        },
    )
}

/// Opens pairs of nodes, level by level, until there are enough of them for tasks. Pairs of boxes
/// stay what they are.
fn frontier<const SELF: bool>(a: &Bvh, b: &Bvh, counters: &mut Counters) -> Vec<NodePair> {
    let mut tasks = pairs::start(a, b, counters);
    // Each round goes down a level of one of the trees at least.
    for _ in 0..2 * Bvh::MAX_DEPTH {
        if tasks.len() >= PAIR_TASKS {
            break;
        }
        let mut next = Vec::new();
        let mut opened = Vec::new();
        for &[at_a, at_b] in &tasks {
            let boxes = a.nodes()[at_a as usize].is_leaf() && b.nodes()[at_b as usize].is_leaf();
            if boxes {
                next.push([at_a, at_b]);
            } else {
                // No visitor is called: there is an inner node.
                let nobody = &mut |_, _| ControlFlow::Continue(());
                let _ = pairs::step::<SELF>(a, b, [at_a, at_b], &mut opened, counters, nobody);
                next.extend(opened.drain(..).rev());
            }
        }
        if next == tasks {
            break;
        }
        tasks = next;
    }
    tasks
}
