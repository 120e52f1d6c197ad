//! Steps a scene of grains.

mod picture;
mod record;
mod run;
mod shell;

use std::process::ExitCode;
use std::time::Instant;

use serde::Serialize;

use crate::args::GrainSim;
use crate::error::CliError;
use crate::output::{self, AtomicFile, Header, Table};
use crate::progress::Progress;

pub(crate) use picture::{Moment, draw};
pub(crate) use run::Flow;

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    header: Header,
    scene: &'static str,
    /// At the start.
    bodies: usize,
    frames: usize,
    /// Sub-steps that stability asks for in a frame.
    substeps: u32,
    /// Sub-steps taken: more where grains were fast.
    substeps_mean: f64,
    rebuilds_mean: f64,
    time_step_s: f64,
    time_step_limit_s: f64,
    pairs_mean: f64,
    contacts_mean: f64,
    /// Of distance fields of bodies, which grains are not.
    field_evaluations_mean: f64,
    time_ms: Time,
    real_time_factor: f64,
    kinetic_energy_end: f64,
    energy: f64,
    momentum: [f64; 3],
    /// m.
    max_penetration: f64,
    /// Shares of a radius.
    overlap_mean: f64,
    overlap_max: f64,
    emitted: u64,
    inside: u64,
    drained: u64,
    escaped: u64,
    state_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
}

/// Medians over frames, and a mean.
#[derive(Debug, Serialize)]
struct Time {
    /// Making the lists of neighbours, in frames that make them.
    broad: f64,
    /// Nothing: contacts are found and answered in one pass, which is `solve`.
    collide: Option<f64>,
    /// All else: contacts, forces, motion, grains that come and go.
    solve: f64,
    step: f64,
    step_mean: f64,
    step_p99: f64,
    /// All frames together, without the reports between them.
    total: f64,
}

pub(super) fn run(config: &GrainSim) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let run = &config.run;
    let progress = Progress::new(1);
    progress.message("scene");
    let scene = config.build()?;
    let bodies = scene.grains.len();
    let mut flow = Flow::new(&scene, &config.options)?;
    for _ in 0..run.warm_up {
        flow.grains.step()?;
    }
    flow.run(run.frames, run.record.as_deref(), &progress)?;
    if let Some(path) = &run.picture {
        progress.message("picture");
        let moment = Moment::of(&flow.grains, config.options.frame);
        AtomicFile::write_whole(path, &draw(&scene, &[moment]).to_png()?)?;
    }
    progress.finish();

    let (report, times) = (flow.last_report(), &flow.times);
    let frames = run.frames as f64;
    let time_step = flow.grains.time_step();
    let result = Output {
        header: Header::new("sim", start, &run.common),
        scene: config.kind.name(),
        bodies,
        frames: run.frames,
        substeps: time_step.substeps,
        substeps_mean: flow.substeps as f64 / frames,
        rebuilds_mean: flow.rebuilds as f64 / frames,
        time_step_s: time_step.dt,
        time_step_limit_s: time_step.limit,
        pairs_mean: flow.mean(|r| r.pairs as f64),
        contacts_mean: flow.mean(|r| r.contacts as f64),
        field_evaluations_mean: 0.0,
        time_ms: Time {
            broad: times.broad.median(),
            collide: None,
            solve: times.solve.median(),
            step: times.step.median(),
            step_mean: times.step.total() / frames,
            step_p99: times.step.quantile(0.99),
            total: times.step.total(),
        },
        real_time_factor: frames * config.options.frame / (times.step.total() / 1e3),
        kinetic_energy_end: report.kinetic,
        energy: report.energy(),
        momentum: report.momentum.to_array(),
        max_penetration: flow.most(|r| r.overlap_most),
        overlap_mean: flow.overlap_mean(),
        overlap_max: flow.most(|r| r.overlap_max),
        emitted: report.emitted,
        inside: report.inside,
        drained: report.drained,
        escaped: flow.most(|r| r.escaped as f64) as u64,
        state_hash: format!("{:016x}", flow.grains.state_hash()),
        record: run.record.as_ref().map(|p| p.display().to_string()),
        picture: run.picture.as_ref().map(|p| p.display().to_string()),
    };
    if run.common.json {
        output::print_json(&result)?;
    } else {
        output::print(&readable(&result))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn readable(result: &Output) -> String {
    let time = &result.time_ms;
    let mut table = Table::new(&["ms a frame", "median", "p99"]);
    let ms = |ms: f64| format!("{ms:.3}");
    table.row(["lists of neighbours".into(), ms(time.broad)]);
    table.row(["contacts and motion".into(), ms(time.solve)]);
    table.row(["frame".into(), ms(time.step), ms(time.step_p99)]);
    format!(
        "{}: {} grains, {} frames of {} sub-steps, {:.2} times real time\n{table}\
         contacts {:.0} of {:.0} pairs listed, overlap {:.3} % of a radius, at most {:.2} %\n\
         energy {:.6e} J, of it kinetic {:.6e} J\n\
         emitted {} = inside {} + drained {}; escaped {}\n\
         state {}\n",
        result.scene,
        result.bodies,
        result.frames,
        result.substeps,
        result.real_time_factor,
        result.contacts_mean,
        result.pairs_mean,
        100.0 * result.overlap_mean,
        100.0 * result.overlap_max,
        result.energy,
        result.kinetic_energy_end,
        result.emitted,
        result.inside,
        result.drained,
        result.escaped,
        result.state_hash
    )
}
