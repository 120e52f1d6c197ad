//! `jostle bench`: our own methods against each other on generated scenes.

mod broad;
mod ccd;
mod grains;
mod sdf;
mod simd;

use std::process::ExitCode;
use std::time::Instant;

use maud::html;
use serde::Serialize;

use crate::args::{BenchConfig, Common, Suite};
use crate::error::CliError;
use crate::output::{self, AtomicFile, Header, Table};
use crate::report::{Page, Row, figure_cells};

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    header: Header,
    suite: &'static str,
    seed: u64,
    repeats: usize,
    rows: Vec<Row>,
    report: String,
}

pub(super) fn run(config: &BenchConfig) -> Result<ExitCode, CliError> {
    match config.suite {
        Suite::Ccd => ccd::run(config),
        Suite::Broad => broad::run(config),
        Suite::Simd => simd::run(config),
        Suite::Grains => grains::run(config),
        Suite::Sdf => sdf::run(config),
    }
}

/// Writes the report and prints the rows.
fn finish(
    config: &BenchConfig,
    start: Instant,
    suite: &'static str,
    repeats: usize,
    rows: Vec<Row>,
    page: &Page<'_>,
) -> Result<ExitCode, CliError> {
    let text = readable(&rows);
    finish_with(config, start, suite, repeats, rows, &text, page)
}

/// Writes the report and prints the rows in a form of the suite's own.
fn finish_with(
    config: &BenchConfig,
    start: Instant,
    suite: &'static str,
    repeats: usize,
    rows: Vec<Row>,
    text: &str,
    page: &Page<'_>,
) -> Result<ExitCode, CliError> {
    AtomicFile::write_whole(&config.report, page.render().as_bytes())?;
    let result = Output {
        header: Header::new("bench", start, &config.common),
        suite,
        seed: config.seed,
        repeats,
        rows,
        report: config.report.display().to_string(),
    };
    if config.common.json {
        output::print_json(&result)?;
    } else {
        output::print(&format!("{text}\nreport: {}\n", result.report))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One thread, two, and what was asked for.
fn thread_counts(common: &Common) -> Vec<usize> {
    let mut counts = vec![1, 2, common.threads];
    counts.sort_unstable();
    counts.dedup();
    counts.retain(|&count| count <= common.threads);
    counts
}

/// Threads in words.
fn on_threads(threads: usize) -> String {
    format!("{threads} thread{}", if threads == 1 { "" } else { "s" })
}

/// 10k, 1m.
fn short_count(n: usize) -> String {
    match n {
        _ if n >= 1_000_000 && n.is_multiple_of(1_000_000) => format!("{}m", n / 1_000_000),
        _ if n >= 1_000 && n.is_multiple_of(1_000) => format!("{}k", n / 1_000),
        _ => n.to_string(),
    }
}

fn row_table(rows: &[Row]) -> maud::Markup {
    html! {
        div.scroll {
            table {
                tr { th { "work" } th { "method" } th.number { "ms" } th { "figures" } }
                @for row in rows {
                    tr {
                        td { (row.work) }
                        td { (row.method) }
                        td.number { (format!("{:.3}", row.ms)) }
                        (figure_cells(&row.figures))
                    }
                }
            }
        }
    }
}

fn readable(rows: &[Row]) -> String {
    let mut table = Table::new(&["work", "method", "ms", "figures"])
        .left(1)
        .left(3);
    for row in rows {
        table.row([
            row.work.clone(),
            row.method.clone(),
            format!("{:.3}", row.ms),
            row.figures.to_string(),
        ]);
    }
    table.to_string()
}
