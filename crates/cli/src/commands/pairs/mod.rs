//! `jostle pairs`: a broad phase alone.

mod run;
mod scene;

use std::process::ExitCode;
use std::time::Instant;

use jostle::broad::Method;
use serde::Serialize;

use crate::args::PairsConfig;
use crate::error::CliError;
use crate::output::{self, Header, Table};
use crate::progress::Progress;

pub(super) use run::{MethodRun, Outcome, methods_within, run_methods};
pub(super) use scene::Boxes;

/// Tests a frame that the slowest methods may take in a comparison.
const BRUTE_TESTS: f64 = 2e10;

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    header: Header,
    scene: String,
    boxes: usize,
    frames: usize,
    method: &'static str,
    builder: &'static str,
    /// Of the last frame.
    pairs: usize,
    pairs_mean: f64,
    /// Over the sorted pairs of all frames.
    pairs_hash: String,
    /// With `--compare`.
    #[serde(skip_serializing_if = "Option::is_none")]
    agree: Option<Vec<&'static str>>,
    /// With `--compare`: methods that test every pair, where that would take too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<Vec<&'static str>>,
    /// Of convex shapes; none yet.
    manifolds: Option<u64>,
    time_ms: TimeOutput,
    sah_cost: Option<f64>,
    nodes_visited: f64,
    box_tests: f64,
    rebuilt_treelets_per_frame: f64,
    memory_bytes: usize,
    /// With `--compare`.
    #[serde(skip_serializing_if = "Option::is_none")]
    methods: Option<Vec<MethodOutput>>,
}

/// Medians over frames.
#[derive(Debug, Serialize)]
struct TimeOutput {
    build: f64,
    update: f64,
    query: f64,
    frame: f64,
    frame_p99: f64,
}

#[derive(Debug, Serialize)]
struct MethodOutput {
    method: &'static str,
    time_ms: TimeOutput,
    memory_bytes: usize,
    box_tests: f64,
}

impl TimeOutput {
    fn new(run: &MethodRun) -> Self {
        Self {
            build: run.build_ms,
            update: run.update_ms.median(),
            query: run.query_ms.median(),
            frame: run.frame_ms.median(),
            frame_p99: run.frame_ms.quantile(0.99),
        }
    }
}

pub(super) fn run(config: &PairsConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let progress = Progress::new(1);
    progress.message("boxes");
    let boxes = Boxes::open(&config.source, config.seed)?;
    let (fixed, moving) = (boxes.fixed().len(), boxes.moving().len());
    let mut methods = vec![config.method];
    let mut left_out = Vec::new();
    if config.compare {
        let (used, left) = methods_within(fixed, moving, BRUTE_TESTS);
        methods.extend(used.into_iter().filter(|&m| m != config.method));
        left_out = left;
        left_out.retain(|&method| method != config.method);
    }
    for method in &left_out {
        eprintln!("jostle: {method} left out of the comparison: it tests every pair");
    }
    let outcome = run_methods(boxes, &methods, &config.options, config.frames, &progress)?;
    progress.finish();

    let first = &outcome.runs[0];
    let names = |methods: &[Method]| methods.iter().map(|m| m.name()).collect();
    let result = Output {
        header: Header::new("pairs", start, &config.common),
        scene: outcome.scene.clone(),
        boxes: fixed + moving,
        frames: config.frames,
        method: config.method.name(),
        builder: config.options.builder.name(),
        pairs: outcome.pairs_last,
        pairs_mean: outcome.pairs_mean,
        pairs_hash: outcome.hash.clone(),
        agree: config.compare.then(|| names(&methods)),
        left_out: config.compare.then(|| names(&left_out)),
        manifolds: None,
        time_ms: TimeOutput::new(first),
        sah_cost: first.sah_cost,
        nodes_visited: first.nodes,
        box_tests: first.tests,
        rebuilt_treelets_per_frame: first.treelets,
        memory_bytes: first.memory_bytes,
        methods: config.compare.then(|| {
            let method = |run: &MethodRun| MethodOutput {
                method: run.method.name(),
                time_ms: TimeOutput::new(run),
                memory_bytes: run.memory_bytes,
                box_tests: run.tests,
            };
            outcome.runs.iter().map(method).collect()
        }),
    };
    if config.common.json {
        output::print_json(&result)?;
    } else {
        output::print(&readable(&outcome, &result))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn readable(outcome: &Outcome, result: &Output) -> String {
    let mut table = Table::new(&[
        "method",
        "build ms",
        "update ms",
        "query ms",
        "frame ms",
        "p99 ms",
        "MiB",
        "tests",
    ]);
    for run in &outcome.runs {
        let time = TimeOutput::new(run);
        table.row([
            run.method.to_string(),
            format!("{:.3}", time.build),
            format!("{:.3}", time.update),
            format!("{:.3}", time.query),
            format!("{:.3}", time.frame),
            format!("{:.3}", time.frame_p99),
            format!("{:.1}", run.memory_bytes as f64 / f64::from(1 << 20)),
            format!("{:.0}", run.tests),
        ]);
    }
    let agree = if result.agree.is_some() {
        "all methods report the same pairs in every frame\n"
    } else {
        ""
    };
    format!(
        "{}: {} boxes, {} frames, {:.1} pairs a frame, hash {}\n{table}{agree}",
        result.scene, result.boxes, result.frames, result.pairs_mean, result.pairs_hash
    )
}
