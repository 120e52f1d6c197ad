//! Plots of time.

use jostle::broad::step::StepMethod;
use jostle::ccd::step::{StepError, StepOptions, StepReport, all_impacts, earliest_impact};
use jostle::scenes::{Scene, SceneKind};

use super::options;
use crate::args::DemoConfig;
use crate::commands::work::{Sample, TIME_PARTS, curve, first_step, guide, time_bar};
use crate::error::CliError;
use crate::output::milliseconds;
use crate::progress::Clock;
use crate::report::{Axes, Capability, Figures, bar_plot, grouped, line_plot};

/// Boxes of the scenes whose parts are timed.
const BOXES: usize = 100_000;
/// Sizes of the scaling plot.
const SIZES: [usize; 5] = [10_000, 30_000, 100_000, 300_000, 1_000_000];
/// The sweep stops here: its cost has a term that grows faster.
const SWEEP_LIMIT: usize = 300_000;

/// A plot and the line below it.
pub(super) struct Plot {
    pub svg: String,
    pub caption: String,
}

/// A plot and the check that came with it.
pub(super) struct Scaling {
    pub svg: String,
    pub caption: String,
    pub capability: Capability,
}

fn refused(scene: &Scene, error: StepError) -> CliError {
    CliError::Step {
        step: scene.kind.to_string(),
        error,
    }
}

/// Earliest impacts: two scenes, two broad phases, one thread and all.
pub(super) fn whole_steps(config: &DemoConfig) -> Result<Plot, CliError> {
    let mut bars = Vec::new();
    let mut thread_counts = vec![1, config.common.threads];
    thread_counts.dedup();
    for kind in [SceneKind::ClothBall, SceneKind::Tumbling] {
        let scene = kind.with_boxes(BOXES, 2, config.seed)?;
        let mesh = first_step(&scene)?;
        for broad_phase in [StepMethod::H8, StepMethod::Sweep] {
            for &threads in &thread_counts {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()?;
                let step = StepOptions {
                    broad_phase,
                    ..options(&config.common)
                };
                let run = || Ok((earliest_impact(&mesh, &step, &Clock::start())?, ()));
                let best = pool.install(|| best_of(3, run));
                let (report, ()) = best.map_err(|error| refused(&scene, error))?;
                let plural = if threads == 1 { "" } else { "s" };
                let label = format!("{kind}, {broad_phase}, {threads} thread{plural}");
                bars.push(time_bar(label, &report));
            }
        }
    }
    Ok(Plot {
        svg: bar_plot(&TIME_PARTS, &bars, "ms")?,
        caption: format!(
            "Earliest time of impact of a step with about {} boxes, the best of three runs.",
            grouped(BOXES as u64)
        ),
    })
}

/// The quickest of some runs, which all give the same answer.
fn best_of<T>(
    repeats: usize,
    run: impl Fn() -> Result<(StepReport, T), StepError>,
) -> Result<(StepReport, T), StepError> {
    let mut best = run()?;
    for _ in 1..repeats {
        let next = run()?;
        if next.0.times.total_ns < best.0.times.total_ns {
            best = next;
        }
    }
    Ok(best)
}

/// A time of impact for every candidate of clouds of growing size and constant density.
pub(super) fn scaling(config: &DemoConfig) -> Result<Scaling, CliError> {
    let mut h8 = Vec::new();
    let mut sweep = Vec::new();
    let mut ok = true;
    for size in SIZES {
        let scene = SceneKind::Tumbling.with_boxes(size, 2, config.seed)?;
        let mesh = first_step(&scene)?;
        // Short runs are the ones that anything else on the machine disturbs.
        let repeats = if size <= 100_000 { 5 } else { 1 };
        let run = |broad_phase| {
            let step = StepOptions {
                broad_phase,
                ..options(&config.common)
            };
            best_of(repeats, || all_impacts(&mesh, &step, &Clock::start()))
                .map_err(|error| refused(&scene, error))
        };
        let sample = |report: &StepReport| Sample {
            boxes: scene.topology.box_count() as u64,
            pairs: report.candidates.vf + report.candidates.ee,
            ms: milliseconds(report.times.total_ns),
        };
        let (report, hits) = run(StepMethod::H8)?;
        h8.push(sample(&report));
        if size <= SWEEP_LIMIT {
            let (other, other_hits) = run(StepMethod::Sweep)?;
            sweep.push(sample(&other));
            ok &= other.candidates == report.candidates && other_hits == hits;
        }
    }
    let mut figures = Figures::default();
    for sample in &h8 {
        figures.add(format!("pairs_at_{}", sample.boxes), sample.pairs);
        figures.add(format!("ms_at_{}", sample.boxes), sample.ms);
    }
    let curves = [
        guide(&h8),
        curve("h8", [38, 132, 168], &h8),
        curve("sweep", [222, 52, 38], &sweep),
    ];
    Ok(Scaling {
        svg: line_plot(&Axes::SCALING, &curves)?,
        caption: "Boxes, candidates and a time of impact for every candidate of the tumbling \
                  cloud. The command jostle bench ccd goes on to ten million boxes."
            .to_owned(),
        capability: Capability {
            name: "h8 and sweep give the same hits from ten thousand boxes on",
            ok,
            figures,
        },
    })
}
