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

mod memory;
mod pass;
mod types;

use jostle_broad::step::StepBroadPhase;
use jostle_geom::{MovingBoxes, MovingMesh};

pub use types::{
    BatchCounts, CandidateCounts, Candidates, Hit, Observer, StepError, StepOptions, StepReport,
    StepTimes,
};

use memory::Budget;
use pass::{Goal, Pass, run, sample};

use crate::tolerances::{SAMPLE_LEVELS, SAMPLE_MARGIN};

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
    options.query.validate()?;
    let level = options.simd.token()?;
    let budget = Budget::new(mesh, options)?;
    let start = observer.now_ns();
    let mut report = StepReport::default();
    let inflation = half_up(options.query.min_separation);

    // The window that the boxes have to cover; only ever shortened.
    let mut t_end = options.query.t_max;
    let mut boxes = MovingBoxes::compute(mesh, t_end, inflation, level);
    let boxes_done = observer.now_ns();
    let mut broad = StepBroadPhase::build(options.broad_phase, mesh.topology(), &boxes, level);
    report.times.boxes_ns = boxes_done - start;
    report.times.broad_ns = observer.now_ns() - boxes_done;

    let mut best = None;
    for (level_index, one_in) in SAMPLE_LEVELS.into_iter().enumerate() {
        // A sample of a few hundred primitives at least, or it is not worth its while.
        if mesh.topology().box_count() < 400 * one_in as usize {
            continue;
        }
        let before = observer.now_ns();
        let found = sample(mesh, options, &broad, &boxes, one_in, t_end, best, observer);
        best = found.best;
        report.counters.add(found.counters);
        report.times.narrow_ns += found.narrow_ns;
        let sampled = observer.now_ns();
        report.times.broad_ns += (sampled - before).saturating_sub(found.narrow_ns);
        observer.progress(0.05 * (level_index + 1) as f64);
        let Some(hit) = best else { continue };
        // A little beyond, so that every pair that could be earlier, by its own lower bound, is
        // found again with the same bound whatever the sample was.
        let shorter = hit.toi * (1.0 + SAMPLE_MARGIN) + SAMPLE_MARGIN;
        if shorter < 0.9 * t_end {
            t_end = shorter;
            boxes.update(mesh, t_end, inflation, level);
            let boxed = observer.now_ns();
            broad.refit(mesh.topology(), &boxes);
            report.times.boxes_ns += boxed - sampled;
            report.times.broad_ns += observer.now_ns() - boxed;
        }
    }

    let pass = Pass::new(mesh, options, Goal::Earliest(best), t_end, level);
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
    let inflation = half_up(options.query.min_separation);
    let t_end = options.query.t_max;
    let boxes = MovingBoxes::compute(mesh, t_end, inflation, level);
    let boxes_done = observer.now_ns();
    let broad = StepBroadPhase::build(options.broad_phase, mesh.topology(), &boxes, level);
    drop(boxes);
    let built = observer.now_ns();

    let pass = Pass::new(mesh, options, Goal::All, t_end, level);
    let mut outcome = run(&pass, &broad, &budget, observer);
    outcome
        .hits
        .sort_unstable_by_key(|hit| (hit.kind, hit.a, hit.b));
    let report = StepReport {
        first: outcome.best,
        candidates: outcome.candidates,
        batches: outcome.batches,
        counters: outcome.counters,
        times: StepTimes {
            boxes_ns: boxes_done - start,
            broad_ns: built - boxes_done + outcome.broad_ns,
            narrow_ns: outcome.narrow_ns,
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
    let inflation = half_up(options.query.min_separation);
    let boxes = MovingBoxes::compute(mesh, options.query.t_max, inflation, level);
    let broad = StepBroadPhase::build(options.broad_phase, mesh.topology(), &boxes, level);
    Ok(pass::collect(mesh.topology(), &broad, observer))
}

/// Half of `x`, not below it: two boxes grown by this overlap when they are within `x`.
fn half_up(x: f64) -> f64 {
    if x > 0.0 { (x * 0.5).next_up() } else { 0.0 }
}
