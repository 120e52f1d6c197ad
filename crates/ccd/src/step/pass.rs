//! One pass over the candidates of a broad phase: streamed to the narrow phase in chunks, in
//! parallel over tasks, merged in the order of the tasks.

use core::ops::ControlFlow;
use core::sync::atomic::{AtomicU64, Ordering};

use jostle_broad::step::{Scratch, StepBroadPhase};
use jostle_geom::{MovingBoxes, MovingMesh, PairKind, Topology};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::memory::Budget;
use super::rule::Rule;
use super::types::{BatchCounts, CandidateCounts, Candidates, Hit, Observer, StepOptions};
use crate::separating::{self, Batch};
use crate::tolerances::{SAMPLE_LEAST, SAMPLE_ONE_IN};
use crate::{Counters, NarrowPhase, Outcome, QueryOptions};

/// What a pass looks for.
pub(super) enum Goal {
    /// The earliest hit, given the best one known.
    Earliest(Option<Hit>),
    /// Every hit.
    All,
}

/// About how many candidates there are, from a sample of the primitives.
pub(super) fn estimate(topology: &Topology, broad: &StepBroadPhase, boxes: &MovingBoxes) -> u64 {
    let one_in = (topology.box_count() / SAMPLE_LEAST).clamp(1, SAMPLE_ONE_IN as usize) as u32;
    let mut found = 0;
    let mut scratch = Scratch::default();
    let _ = broad.sample(topology, boxes, one_in, &mut scratch, &mut |kind, pairs| {
        // A pair of edges is found when either of them is in the sample.
        found += pairs.len() as u64 * if kind == PairKind::EdgeEdge { 1 } else { 2 };
        ControlFlow::Continue(())
    });
    found * u64::from(one_in) / 2
}

/// The options of a step for a shorter window.
pub(super) fn window(options: &StepOptions, t_end: f64) -> QueryOptions {
    QueryOptions {
        t_max: t_end,
        ..options.query
    }
}

/// A pass over the candidates of one window of time.
pub(super) struct Pass<'a> {
    mesh: MovingMesh<'a>,
    rule: Rule,
    method: NarrowPhase,
    /// What a march is asked for: the whole step, so that its time does not depend on the window.
    query: QueryOptions,
    /// What the rejections are asked for: the window.
    window: QueryOptions,
    /// Bounds and points for the separating march.
    batch: Option<&'a Batch<'a>>,
    goal: Goal,
    /// Bits of the best time so far. Non-negative doubles order as their bits do.
    cut: AtomicU64,
}

/// What a pass, or one task of it, came to.
#[derive(Default)]
pub(super) struct PassOutcome {
    pub(super) best: Option<Hit>,
    pub(super) hits: Vec<Hit>,
    pub(super) candidates: CandidateCounts,
    pub(super) batches: BatchCounts,
    pub(super) counters: Counters,
    pub(super) broad_ns: u64,
    pub(super) narrow_ns: u64,
}

/// What a thread reuses between tasks.
#[derive(Default)]
struct Buffers {
    scratch: Scratch,
    left: Vec<[u32; 2]>,
}

impl<'a> Pass<'a> {
    /// A pass over `[0, t_end]`. `batch` must have been bounded for that window, or not at all.
    pub(super) fn new(
        mesh: &MovingMesh<'a>,
        options: &StepOptions,
        rule: Rule,
        goal: Goal,
        t_end: f64,
        batch: Option<&'a Batch<'a>>,
    ) -> Self {
        let cut = match &goal {
            Goal::Earliest(Some(hit)) => hit.toi,
            _ => f64::INFINITY,
        };
        Self {
            mesh: *mesh,
            rule,
            method: options.narrow_phase,
            query: options.query,
            window: window(options, t_end),
            batch,
            goal,
            cut: AtomicU64::new(cut.to_bits()),
        }
    }

    fn solve_chunk(
        &self,
        kind: PairKind,
        pairs: &[[u32; 2]],
        left: &mut Vec<[u32; 2]>,
        result: &mut PassOutcome,
    ) {
        match kind {
            PairKind::VertexFace => result.candidates.vf += pairs.len() as u64,
            PairKind::EdgeEdge => result.candidates.ee += pairs.len() as u64,
        }
        result.batches.narrow += 1;
        let pairs = if let Some(batch) = &self.batch {
            batch.reject(kind, pairs, &self.window, left);
            left.as_slice()
        } else {
            pairs
        };
        for &pair in pairs {
            let query = separating::query_of(&self.mesh, kind, pair);
            let cut = f64::from_bits(self.cut.load(Ordering::Relaxed));
            let answer = self
                .rule
                .solve(&query, self.method, &self.query, &self.window, cut);
            result.counters.add(answer.counters);
            self.take(kind, pair, answer.outcome, result);
        }
    }

    fn take(&self, kind: PairKind, [a, b]: [u32; 2], outcome: Outcome, result: &mut PassOutcome) {
        let Some(toi) = outcome.toi() else { return };
        let hit = Hit {
            kind,
            a,
            b,
            toi,
            undecided: outcome.is_undecided(),
        };
        if result.best.is_none_or(|best| hit.is_before(&best)) {
            result.best = Some(hit);
        }
        match self.goal {
            Goal::All => result.hits.push(hit),
            Goal::Earliest(_) => {
                self.cut.fetch_min(toi.to_bits(), Ordering::Relaxed);
            }
        }
    }

    fn run_task(
        &self,
        broad: &StepBroadPhase,
        task: usize,
        buffers: &mut Buffers,
        observer: &dyn Observer,
    ) -> PassOutcome {
        let mut result = PassOutcome::default();
        let Buffers { scratch, left } = buffers;
        let start = observer.now_ns();
        let _ = broad.run_task(self.mesh.topology(), task, scratch, &mut |kind, pairs| {
            let before = observer.now_ns();
            self.solve_chunk(kind, pairs, left, &mut result);
            result.narrow_ns += observer.now_ns() - before;
            ControlFlow::Continue(())
        });
        result.broad_ns = (observer.now_ns() - start).saturating_sub(result.narrow_ns);
        result
    }
}

impl PassOutcome {
    fn merge(&mut self, other: Self) {
        if let Some(hit) = other.best
            && self.best.is_none_or(|best| hit.is_before(&best))
        {
            self.best = Some(hit);
        }
        self.hits.extend(other.hits);
        self.candidates.vf += other.candidates.vf;
        self.candidates.ee += other.candidates.ee;
        self.batches.narrow += other.batches.narrow;
        self.counters.add(other.counters);
        self.broad_ns += other.broad_ns;
        self.narrow_ns += other.narrow_ns;
    }
}

/// Runs all tasks of a broad phase through a pass, batch by batch.
pub(super) fn run(
    pass: &Pass<'_>,
    broad: &StepBroadPhase,
    budget: &Budget,
    observer: &dyn Observer,
) -> PassOutcome {
    let start = observer.now_ns();
    let mut total = PassOutcome::default();
    if let Goal::Earliest(best) = pass.goal {
        total.best = best;
    }
    let tasks = broad.task_count();
    let mut first = 0;
    while first < tasks {
        let last = first.saturating_add(budget.tasks_per_batch).min(tasks);
        let task = |buffers: &mut Buffers, task| {
            let result = pass.run_task(broad, task, buffers, observer);
            observer.progress(0.1 + 0.9 * task as f64 / tasks as f64);
            result
        };
        for result in map_tasks(first..last, task) {
            total.merge(result);
        }
        total.batches.broad += 1;
        first = last;
    }
    // Threads worked side by side: share the time that went by as they shared theirs.
    let wall = observer.now_ns() - start;
    let busy = (total.broad_ns + total.narrow_ns).max(1);
    total.narrow_ns = (u128::from(wall) * u128::from(total.narrow_ns) / u128::from(busy)) as u64;
    total.broad_ns = wall - total.narrow_ns;
    total
}

/// Solves the candidates of a sample of the primitives, to bound the earliest time.
pub(super) fn sample(
    pass: &Pass<'_>,
    broad: &StepBroadPhase,
    boxes: &MovingBoxes,
    observer: &dyn Observer,
) -> PassOutcome {
    let mut result = PassOutcome::default();
    if let Goal::Earliest(best) = pass.goal {
        result.best = best;
    }
    let mut scratch = Scratch::default();
    let mut left = Vec::new();
    let topology = pass.mesh.topology();
    let _ = broad.sample(
        topology,
        boxes,
        SAMPLE_ONE_IN,
        &mut scratch,
        &mut |kind, pairs| {
            let before = observer.now_ns();
            pass.solve_chunk(kind, pairs, &mut left, &mut result);
            result.narrow_ns += observer.now_ns() - before;
            ControlFlow::Continue(())
        },
    );
    result
}

/// Sorts hits by kind and indices, which are unique.
pub(super) fn sort(hits: &mut [Hit]) {
    let key = |hit: &Hit| (hit.kind, hit.a, hit.b);
    #[cfg(feature = "parallel")]
    hits.par_sort_unstable_by_key(key);
    #[cfg(not(feature = "parallel"))]
    hits.sort_unstable_by_key(key);
}

/// Collects all candidates.
pub(super) fn collect(
    topology: &Topology,
    broad: &StepBroadPhase,
    observer: &dyn Observer,
) -> Candidates {
    let tasks = broad.task_count();
    let results = map_tasks(0..tasks, |buffers: &mut Buffers, task| {
        let mut found = Candidates::default();
        let _ = broad.run_task(topology, task, &mut buffers.scratch, &mut |kind, pairs| {
            match kind {
                PairKind::VertexFace => found.vf.extend_from_slice(pairs),
                PairKind::EdgeEdge => found.ee.extend_from_slice(pairs),
            }
            ControlFlow::Continue(())
        });
        observer.progress(task as f64 / tasks as f64);
        found
    });
    let mut all = Candidates {
        vf: Vec::with_capacity(results.iter().map(|r| r.vf.len()).sum()),
        ee: Vec::with_capacity(results.iter().map(|r| r.ee.len()).sum()),
    };
    for result in results {
        all.vf.extend(result.vf);
        all.ee.extend(result.ee);
    }
    all
}

/// Runs tasks in parallel where there are threads; results in the order of the tasks.
#[cfg(feature = "parallel")]
fn map_tasks<T: Send>(
    tasks: core::ops::Range<usize>,
    task: impl Fn(&mut Buffers, usize) -> T + Sync + Send,
) -> Vec<T> {
    tasks
        .into_par_iter()
        .map_init(Buffers::default, task)
        .collect()
}

#[cfg(not(feature = "parallel"))]
fn map_tasks<T>(tasks: core::ops::Range<usize>, task: impl Fn(&mut Buffers, usize) -> T) -> Vec<T> {
    let mut buffers = Buffers::default();
    tasks.map(|t| task(&mut buffers, t)).collect()
}
