//! The earliest time of impact of a whole mesh step.
//!
//! Boxes of the motion, candidate pairs from a broad phase, a narrow phase on each: candidates are
//! streamed from one to the other in chunks and never stored. The step is first tried on a sample
//! of the primitives; the time found bounds the answer, so that the boxes of all primitives need to
//! cover only the motion up to it, which leaves a fraction of the candidates.
//!
//! Results do not depend on the number of threads, on the memory limit, or on the order of
//! candidates: the time that bounds the search is fixed before a pass, and within a pass the best
//! time so far is used only to stop marches that are already certified beyond it.

mod collision_free;
mod memory;
mod pass;
mod rule;
mod types;

use jostle_broad::step::StepBroadPhase;
use jostle_geom::MovingMesh;

pub use collision_free::{CollisionFreeOptions, CollisionFreeStep, collision_free_step};
pub use types::{
    BatchCounts, CandidateCounts, Candidates, Hit, Observer, StepError, StepOptions, StepReport,
    StepTimes,
};

use memory::Budget;
use pass::{Goal, Pass, estimate, run, sample, window};
use rule::Rule;

use crate::separating::Batch;
use crate::tolerances::{SAMPLE_LEAST, SAMPLE_MARGIN, SAMPLE_ONE_IN};

/// The earliest time of impact of a step.
///
/// The time is never later than the exact first time at which two primitives that share no vertex
/// come within the minimum separation, and `None` only if there is no such time.
///
/// # Errors
/// Options out of range, a SIMD level this machine lacks, a memory limit too small for one batch.
pub fn earliest_impact(
    mesh: &MovingMesh<'_>,
    options: &StepOptions,
    observer: &dyn Observer,
) -> Result<StepReport, StepError> {
    earliest(mesh, options, Rule::Separation, observer)
}

/// The earliest time at which a pair breaks `rule`.
fn earliest(
    mesh: &MovingMesh<'_>,
    options: &StepOptions,
    rule: Rule,
    observer: &dyn Observer,
) -> Result<StepReport, StepError> {
    options.query.validate()?;
    let level = options.simd.token()?;
    let budget = Budget::new(mesh, options)?;
    let start = observer.now_ns();
    let mut report = StepReport::default();

    // The window that the boxes have to cover; only ever shortened.
    let mut t_end = options.query.t_max;
    let mut boxes = rule.boxes(mesh, t_end, options.query.min_separation, level);
    let boxes_done = observer.now_ns();
    let mut broad = StepBroadPhase::build(options.broad_phase, mesh.topology(), &boxes, level);
    report.times.boxes_ns = boxes_done - start;
    report.times.broad_ns = observer.now_ns() - boxes_done;

    let mut batch = options.batches(rule).then(|| Batch::new(mesh, level));
    let mut best = None;
    if mesh.topology().box_count() >= SAMPLE_LEAST * SAMPLE_ONE_IN as usize {
        let before = observer.now_ns();
        let goal = Goal::Earliest(None);
        let pass = Pass::new(mesh, options, rule, goal, t_end, batch.as_ref());
        let found = sample(&pass, &broad, &boxes, observer);
        best = found.best;
        report.counters.add(found.counters);
        report.times.narrow_ns += found.narrow_ns;
        let sampled = observer.now_ns();
        report.times.broad_ns += (sampled - before).saturating_sub(found.narrow_ns);
        observer.progress(0.1);
        // A little beyond, so that every pair that could be earlier, by its own lower bound, is
        // found again with the same bound whatever the sample was.
        let shorter = best.map_or(t_end, |hit| hit.toi * (1.0 + SAMPLE_MARGIN) + SAMPLE_MARGIN);
        if shorter < 0.9 * t_end {
            t_end = shorter;
            let separation = options.query.min_separation;
            rule.update(&mut boxes, mesh, t_end, separation, level);
            let boxed = observer.now_ns();
            broad.refit(mesh.topology(), &boxes);
            report.times.boxes_ns += boxed - sampled;
            report.times.broad_ns += observer.now_ns() - boxed;
        }
    }

    let ready = observer.now_ns();
    if let Some(batch) = &mut batch {
        let expected = estimate(mesh.topology(), &broad, &boxes);
        batch.bound(mesh, &window(options, t_end), expected);
    }
    drop(boxes);
    let goal = Goal::Earliest(best);
    let pass = Pass::new(mesh, options, rule, goal, t_end, batch.as_ref());
    report.times.narrow_ns += observer.now_ns() - ready;
    let outcome = run(&pass, &broad, &budget, observer);
    report.first = outcome.best;
    report.candidates = outcome.candidates;
    report.batches = outcome.batches;
    report.counters.add(outcome.counters);
    report.times.broad_ns += outcome.broad_ns;
    report.times.narrow_ns += outcome.narrow_ns;
    report.times.total_ns = observer.now_ns() - start;
    observer.progress(1.0);
    Ok(report)
}

/// A time of impact for every candidate: the hits, sorted by kind and indices.
///
/// # Errors
/// As [`earliest_impact`].
pub fn all_impacts(
    mesh: &MovingMesh<'_>,
    options: &StepOptions,
    observer: &dyn Observer,
) -> Result<(StepReport, Vec<Hit>), StepError> {
    options.query.validate()?;
    let level = options.simd.token()?;
    let budget = Budget::new(mesh, options)?;
    let start = observer.now_ns();
    let t_end = options.query.t_max;
    let boxes = Rule::Separation.boxes(mesh, t_end, options.query.min_separation, level);
    let boxes_done = observer.now_ns();
    let broad = StepBroadPhase::build(options.broad_phase, mesh.topology(), &boxes, level);
    let built = observer.now_ns();
    let mut batch = options
        .batches(Rule::Separation)
        .then(|| Batch::new(mesh, level));
    if let Some(batch) = &mut batch {
        let expected = estimate(mesh.topology(), &broad, &boxes);
        batch.bound(mesh, &options.query, expected);
    }
    drop(boxes);
    let pass = Pass::new(
        mesh,
        options,
        Rule::Separation,
        Goal::All,
        t_end,
        batch.as_ref(),
    );
    let prepared = observer.now_ns();
    let mut outcome = run(&pass, &broad, &budget, observer);
    pass::sort(&mut outcome.hits);
    let report = StepReport {
        first: outcome.best,
        candidates: outcome.candidates,
        batches: outcome.batches,
        counters: outcome.counters,
        times: StepTimes {
            boxes_ns: boxes_done - start,
            broad_ns: built - boxes_done + outcome.broad_ns,
            narrow_ns: prepared - built + outcome.narrow_ns,
            total_ns: observer.now_ns() - start,
        },
    };
    observer.progress(1.0);
    Ok((report, outcome.hits))
}

/// All candidates of the boxes of a step, in an order that depends on the method but not on the
/// number of threads; [`Candidates::sort`] gives all methods the same.
///
/// Memory: 8 bytes a candidate, whatever the memory limit.
///
/// # Errors
/// As [`earliest_impact`], but for the memory limit.
pub fn candidates(
    mesh: &MovingMesh<'_>,
    options: &StepOptions,
    observer: &dyn Observer,
) -> Result<Candidates, StepError> {
    options.query.validate()?;
    let level = options.simd.token()?;
    let t_end = options.query.t_max;
    let boxes = Rule::Separation.boxes(mesh, t_end, options.query.min_separation, level);
    let broad = StepBroadPhase::build(options.broad_phase, mesh.topology(), &boxes, level);
    Ok(pass::collect(mesh.topology(), &broad, observer))
}
