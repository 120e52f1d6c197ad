//! `jostle bench broad`: every broad phase over size, mixed frames, builders of trees, and whether a
//! tree that is kept gets worse over time.
//!
//! Methods run side by side, frame by frame, so that a slow moment of the machine hits all of them,
//! and must report the same pairs in every frame.

mod builders;
mod drift;
mod methods;

use std::process::ExitCode;
use std::time::Instant;

use maud::{PreEscaped, html};

use super::{finish, row_table};
use crate::args::BenchConfig;
use crate::error::CliError;
use crate::progress::Progress;
use crate::report::{Axes, Page, Row, Section, bar_plot, line_plot};

/// Time over size.
const TIME: Axes = Axes {
    x: "boxes",
    y: "milliseconds a frame",
    logarithmic: true,
};

/// Memory over size.
const MEMORY: Axes = Axes {
    x: "boxes",
    y: "bytes a box",
    logarithmic: true,
};

/// Cost of a tree over time.
const DRIFT: Axes = Axes {
    x: "frames",
    y: "surface area cost",
    logarithmic: false,
};

/// What the suite has found so far.
struct Bench<'a> {
    config: &'a BenchConfig,
    progress: Progress,
    rows: Vec<Row>,
}

pub(super) fn run(config: &BenchConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let frames = if config.quick { 2 } else { 9 };
    let (sizes, mixed): (&[usize], &[_]) = if config.quick {
        (&[1_000, 10_000], &[(10_000, 500)])
    } else {
        (
            &[1_000, 10_000, 100_000, 1_000_000],
            &[(100_000, 5_000), (1_000_000, 10_000)],
        )
    };
    let mut bench = Bench {
        config,
        progress: Progress::new(2 * sizes.len() + 2 * mixed.len() + 1),
        rows: Vec::new(),
    };
    let joins = bench.self_joins(sizes, frames)?;
    let mut bars = Vec::new();
    for &(fixed, moving) in mixed {
        bars.push((fixed, moving, bench.mixed(fixed, moving, 5 * frames)?));
    }
    for &(triangles, _) in mixed {
        bench.builders(triangles, if config.quick { 1 } else { 5 })?;
    }
    let (bodies, stirred) = if config.quick {
        (1_000, 200)
    } else {
        (10_000, 10_000)
    };
    let drift = bench.drift(bodies, stirred)?;
    let rows = bench.rows;
    bench.progress.finish();

    let mut sections = Vec::new();
    for join in &joins {
        sections.push(Section {
            title: format!("All pairs of moving boxes, {}: build and join", join.scene),
            body: html! { div.scroll { (PreEscaped(line_plot(&TIME, &join.times)?)) } },
        });
    }
    if let Some(join) = joins.first() {
        sections.push(Section {
            title: format!("Memory, {}", join.scene),
            body: html! { div.scroll { (PreEscaped(line_plot(&MEMORY, &join.memory)?)) } },
        });
    }
    for (fixed, moving, bars) in &bars {
        sections.push(Section {
            title: format!("A frame of {moving} boxes moving over {fixed} triangles"),
            body: html! {
                div.scroll { (PreEscaped(bar_plot(&methods::FRAME_PARTS, bars, "ms")?)) }
            },
        });
    }
    sections.push(Section {
        title: format!("A tree kept for {stirred} frames of {bodies} stirred bodies"),
        body: html! { div.scroll { (PreEscaped(line_plot(&DRIFT, &drift)?)) } },
    });
    sections.push(Section {
        title: "All rows".into(),
        body: row_table(&rows),
    });
    let page = Page {
        title: "Jostle bench: broad phases",
        summary: format!(
            "medians of {frames} frames or more, generated scenes, seed {}, all methods compared",
            config.seed
        ),
        common: &config.common,
        sections,
    };
    finish(config, start, "broad", frames, rows, &page)
}
