//! `jostle bench ccd`: whole steps of moving meshes.
//!
//! Methods of one work are run in turn, repeat by repeat, so that a slow moment of the machine
//! hits all of them; the median of each counts. Methods of one work must give the same answer.

use std::process::ExitCode;
use std::time::Instant;

use jostle::broad::step::StepMethod;
use jostle::ccd::NarrowPhase;
use jostle::ccd::step::{StepError, StepOptions, StepReport, all_impacts, earliest_impact};
use jostle::geom::MovingMesh;
use jostle::scenes::SceneKind;
use maud::{PreEscaped, html};

use super::{finish, on_threads, row_table, short_count, thread_counts};
use crate::args::BenchConfig;
use crate::commands::work::{Sample, TIME_PARTS, curve, first_step, guide, time_bar};
use crate::error::CliError;
use crate::machine::available_memory;
use crate::output::milliseconds;
use crate::progress::{Clock, Progress};
use crate::report::{Axes, Bar, Figures, Page, Row, Section, bar_plot, line_plot};

/// Bytes a box that a scene and its step may take; larger scenes than fit are left out.
const BYTES_PER_BOX: u64 = 900;

/// A way to do a work.
struct Method {
    name: String,
    threads: usize,
    options: StepOptions,
    /// A time for every candidate instead of the earliest only.
    all: bool,
}

/// The median run of a method.
struct Run {
    report: StepReport,
    hits: usize,
}

pub(super) fn run(config: &BenchConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let repeats = if config.quick { 1 } else { 3 };
    let sizes: &[usize] = if config.quick {
        &[10_000, 30_000, 100_000]
    } else {
        &[10_000, 100_000, 1_000_000, 10_000_000]
    };
    let mut bench = Bench {
        config,
        repeats,
        progress: Progress::new(4 + sizes.len()),
        rows: Vec::new(),
    };
    let size = if config.quick { 20_000 } else { 100_000 };
    let mut bars = Vec::new();
    for kind in [SceneKind::ClothBall, SceneKind::Tumbling] {
        bars.extend(bench.broad_phases(kind, size)?);
        bench.narrow_phases(kind, size / 10)?;
    }
    let curves = bench.scaling(sizes)?;
    let rows = bench.rows;
    drop(bench.progress);

    let page = Page {
        title: "Jostle bench: steps of moving meshes",
        summary: format!(
            "medians of {repeats}, generated scenes, seed {}",
            config.seed
        ),
        common: &config.common,
        sections: vec![
            Section {
                title: "Earliest time of impact".into(),
                body: html! { div.scroll { (PreEscaped(bar_plot(&TIME_PARTS, &bars, "ms")?)) } },
            },
            Section {
                title: "A time of impact for every candidate, over the number of boxes".into(),
                body: html! { div.scroll { (PreEscaped(line_plot(&Axes::SCALING, &curves)?)) } },
            },
            Section {
                title: "All rows".into(),
                body: row_table(&rows),
            },
        ],
    };
    finish(config, start, "ccd", repeats, rows, &page)
}

struct Bench<'a> {
    config: &'a BenchConfig,
    repeats: usize,
    progress: Progress,
    rows: Vec<Row>,
}

impl Bench<'_> {
    fn options(&self) -> StepOptions {
        StepOptions {
            simd: self.config.common.simd,
            ..StepOptions::default()
        }
    }

    fn broad_phases(&mut self, kind: SceneKind, boxes: usize) -> Result<Vec<Bar>, CliError> {
        let mut methods = Vec::new();
        for broad_phase in [StepMethod::H8, StepMethod::Sweep] {
            for threads in thread_counts(&self.config.common) {
                methods.push(Method {
                    name: format!("{broad_phase}, {}", on_threads(threads)),
                    threads,
                    options: StepOptions {
                        broad_phase,
                        ..self.options()
                    },
                    all: false,
                });
            }
        }
        let work = format!("earliest-{kind}-{}", short_count(boxes));
        let runs = self.work(&work, kind, boxes, &methods)?;
        self.progress.next_part();
        let bar = |(run, method): (&Run, &Method)| {
            time_bar(format!("{kind}, {}", method.name), &run.report)
        };
        Ok(runs.iter().zip(&methods).map(bar).collect())
    }

    fn narrow_phases(&mut self, kind: SceneKind, boxes: usize) -> Result<(), CliError> {
        let methods: Vec<_> = NarrowPhase::ALL
            .into_iter()
            .map(|narrow_phase| Method {
                name: format!("{narrow_phase}, {}", on_threads(self.config.common.threads)),
                threads: self.config.common.threads,
                options: StepOptions {
                    narrow_phase,
                    ..self.options()
                },
                all: true,
            })
            .collect();
        let work = format!("narrow-{kind}-{}", short_count(boxes));
        self.work(&work, kind, boxes, &methods)?;
        self.progress.next_part();
        Ok(())
    }

    fn scaling(&mut self, sizes: &[usize]) -> Result<Vec<crate::report::Curve>, CliError> {
        let mut samples: [Vec<Sample>; 2] = Default::default();
        for &boxes in sizes {
            let needed = boxes as u64 * BYTES_PER_BOX;
            if available_memory().is_some_and(|available| available < needed) {
                eprintln!("jostle: {boxes} boxes left out: they may need {needed} bytes");
                continue;
            }
            // The sweep has a term that grows faster than the pairs.
            let broad_phases = [StepMethod::H8, StepMethod::Sweep];
            let used = if boxes > 1_000_000 { 1 } else { 2 };
            let methods: Vec<_> = broad_phases[..used]
                .iter()
                .map(|&broad_phase| Method {
                    name: format!("{broad_phase}, {}", on_threads(self.config.common.threads)),
                    threads: self.config.common.threads,
                    options: StepOptions {
                        broad_phase,
                        ..self.options()
                    },
                    all: true,
                })
                .collect();
            let work = format!("all-tumbling-{}", short_count(boxes));
            let runs = self.work(&work, SceneKind::Tumbling, boxes, &methods)?;
            for (run, samples) in runs.iter().zip(&mut samples) {
                samples.push(Sample {
                    boxes: boxes as u64,
                    pairs: run.report.candidates.vf + run.report.candidates.ee,
                    ms: milliseconds(run.report.times.total_ns),
                });
            }
            self.progress.next_part();
        }
        Ok(vec![
            guide(&samples[0]),
            curve("h8", [38, 132, 168], &samples[0]),
            curve("sweep", [222, 52, 38], &samples[1]),
        ])
    }

    /// Runs all methods of a work, adds a row for each and gives the medians.
    fn work(
        &mut self,
        work: &str,
        kind: SceneKind,
        boxes: usize,
        methods: &[Method],
    ) -> Result<Vec<Run>, CliError> {
        self.progress.message(work.to_owned());
        let scene = kind.with_boxes(boxes, 2, self.config.seed)?;
        let mesh = first_step(&scene)?;
        let mut runs: Vec<Vec<Run>> = methods.iter().map(|_| Vec::new()).collect();
        for _ in 0..self.repeats {
            for (method, runs) in methods.iter().zip(&mut runs) {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(method.threads)
                    .build()?;
                let run = pool.install(|| once(&mesh, method));
                runs.push(run.map_err(|error| CliError::Step {
                    step: work.to_owned(),
                    error,
                })?);
            }
        }
        let mut medians = Vec::with_capacity(methods.len());
        for (method, mut runs) in methods.iter().zip(runs) {
            runs.sort_by_key(|run| run.report.times.total_ns);
            let run = runs.swap_remove(runs.len() / 2);
            self.rows
                .push(row(work, method, &run, scene.topology.box_count()));
            medians.push(run);
        }
        Ok(medians)
    }
}

fn once(mesh: &MovingMesh<'_>, method: &Method) -> Result<Run, StepError> {
    let clock = Clock::start();
    if method.all {
        let (report, hits) = all_impacts(mesh, &method.options, &clock)?;
        let hits = hits.len();
        return Ok(Run { report, hits });
    }
    let report = earliest_impact(mesh, &method.options, &clock)?;
    Ok(Run { report, hits: 0 })
}

fn row(work: &str, method: &Method, run: &Run, boxes: usize) -> Row {
    let report = &run.report;
    let pairs = report.candidates.vf + report.candidates.ee;
    let mut figures = Figures::default()
        .with("boxes", boxes)
        .with("pairs", pairs)
        .with("boxes_ms", milliseconds(report.times.boxes_ns))
        .with("broad_ms", milliseconds(report.times.broad_ns))
        .with("narrow_ms", milliseconds(report.times.narrow_ns))
        .with("toi", report.first.map(|hit| hit.toi));
    if method.all {
        figures.add("hits", run.hits);
        let narrow = report.times.narrow_ns as f64 / pairs.max(1) as f64;
        figures.add("narrow_ns_per_pair", narrow);
    }
    Row {
        work: work.to_owned(),
        method: method.name.clone(),
        ms: milliseconds(report.times.total_ns),
        figures,
    }
}
