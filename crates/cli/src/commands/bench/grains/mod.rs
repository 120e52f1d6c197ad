//! `jostle bench grains`: granular flow over size, threads and SIMD levels, and every scene of grains.
//!
//! A flow is stepped until it has developed; then copies of it go on side by side, frame by frame, one for each way
//! of running it, so that a slow moment of the machine hits all of them. At the end all must be in the same state.

mod flows;

use std::process::ExitCode;
use std::time::Instant;

use jostle::scenes::grains::GrainSceneKind;
use maud::{PreEscaped, html};

use super::{finish, row_table, short_count};
use crate::args::BenchConfig;
use crate::error::CliError;
use crate::progress::Progress;
use crate::report::{Axes, Page, Part, Row, Section, bar_plot, line_plot};

/// Time over size.
const TIME: Axes = Axes {
    x: "grains",
    y: "milliseconds a frame",
    logarithmic: true,
};

/// The parts of a frame, in the order of the bars.
const FRAME_PARTS: [Part; 2] = [
    Part {
        name: "lists of neighbours",
        colour: [150, 166, 184],
    },
    Part {
        name: "contacts and motion",
        colour: [38, 132, 168],
    },
];

/// Grains of the scenes that are compared with each other.
const SCENE_GRAINS: usize = 10_000;

/// What the suite has found so far.
struct Bench<'a> {
    config: &'a BenchConfig,
    progress: Progress,
    rows: Vec<Row>,
}

/// How long a flow is stepped.
#[derive(Clone, Copy)]
struct Frames {
    /// Before anything is timed.
    warm: usize,
    /// Timed.
    timed: usize,
}

pub(super) fn run(config: &BenchConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let sizes: &[usize] = if config.quick {
        &[500, 2_000]
    } else {
        &[1_000, 10_000, 100_000, 1_000_000]
    };
    let scene_grains = if config.quick { 1_000 } else { SCENE_GRAINS };
    let mut bench = Bench {
        config,
        progress: Progress::new(sizes.len() + GrainSceneKind::ALL.len()),
        rows: Vec::new(),
    };
    let timed = if config.quick { 3 } else { 30 };
    let mut curves = bench.growth(sizes, |grains| {
        if grains >= 1_000_000 {
            Frames { warm: 20, timed: 5 }
        } else {
            Frames {
                warm: if config.quick { 10 } else { 90 },
                timed,
            }
        }
    })?;
    curves.extend(flows::guide(&curves));
    let warm = if config.quick { 10 } else { 45 };
    let bars = bench.scenes(scene_grains, Frames { warm, timed })?;
    let rows = bench.rows;
    bench.progress.finish();

    let sections = vec![
        Section {
            title: "Time grows with the grains".into(),
            body: html! {
                figure {
                    div.scroll { (PreEscaped(line_plot(&TIME, &curves)?)) }
                    figcaption { "The hopper: a frame of 1/60 s with all its sub-steps." }
                }
            },
        },
        Section {
            title: format!(
                "A frame of {} grains in each scene",
                short_count(scene_grains)
            ),
            body: html! { div.scroll { (PreEscaped(bar_plot(&FRAME_PARTS, &bars, "ms")?)) } },
        },
        Section {
            title: "All rows".into(),
            body: row_table(&rows),
        },
    ];
    let page = Page {
        title: "Jostle bench: granular flow",
        summary: format!(
            "medians over {timed} frames of developed flow (5 of a million grains), seed {}; every way of running \
             a flow ends in the same state",
            config.seed
        ),
        common: &config.common,
        sections,
    };
    finish(config, start, "grains", timed, rows, &page)
}
