//! Steps a scene of bodies.

mod picture;
mod record;
mod run;

use std::process::ExitCode;
use std::time::Instant;

use jostle::scenes::bodies::{Motion, SceneBody};
use serde::Serialize;

use crate::args::BodySim;
use crate::error::CliError;
use crate::output::{self, AtomicFile, Header, Table};
use crate::progress::Progress;

pub(crate) use picture::draw_bodies;
pub(crate) use run::BodyRun;

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    header: Header,
    scene: &'static str,
    /// All of them, fixed ones too.
    bodies: usize,
    /// Those that contacts move.
    moving: usize,
    frames: usize,
    warm_up: usize,
    substeps: u32,
    optimizer: &'static str,
    /// The next five are means of a sub-step.
    pairs_mean: f64,
    apart_mean: f64,
    contacts_mean: f64,
    field_evaluations_mean: f64,
    iterations_mean: f64,
    time_ms: Time,
    real_time_factor: f64,
    /// J.
    kinetic_energy_end: f64,
    kinetic_energy_mean: f64,
    potential_energy_end: f64,
    momentum: [f64; 3],
    /// m.
    max_penetration: f64,
    escaped: u64,
    asleep: u64,
    state_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
}

/// Medians over frames, and a mean.
#[derive(Debug, Serialize)]
struct Time {
    /// Boxes and candidate pairs.
    broad: f64,
    /// Contacts of the pairs.
    collide: f64,
    /// Impulses and motion.
    solve: f64,
    step: f64,
    step_mean: f64,
    step_p99: f64,
    /// All frames together, without the reports between them.
    total: f64,
}

pub(super) fn run(config: &BodySim) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let sim = &config.run;
    let progress = Progress::new(1);
    progress.message("scene");
    let scene = config.build()?;
    let mut run = BodyRun::new(&scene, &config.options)?;
    run.run(sim.warm_up, sim.frames, sim.record.as_deref(), &progress)?;
    if let Some(path) = &sim.picture {
        progress.message("picture");
        AtomicFile::write_whole(path, &draw_bodies(&run.world).to_png()?)?;
    }
    progress.finish();

    let (report, times) = (run.world.report(), &run.times);
    let frames = sim.frames as f64;
    let moving = |body: &&SceneBody| body.motion == Motion::Dynamic;
    let result = Output {
        header: Header::new("sim", start, &sim.common),
        scene: config.kind.name(),
        bodies: scene.bodies.len(),
        moving: scene.bodies.iter().filter(moving).count(),
        frames: sim.frames,
        warm_up: sim.warm_up,
        substeps: config.options.substeps,
        optimizer: config.options.contacts.optimizer.name(),
        pairs_mean: run.mean(|s| s.pairs),
        apart_mean: run.mean(|s| s.apart),
        contacts_mean: run.mean(|s| s.contacts),
        field_evaluations_mean: run.mean(|s| s.evaluations),
        iterations_mean: run.mean(|s| s.iterations),
        time_ms: Time {
            broad: times.broad.median(),
            collide: times.collide.median(),
            solve: times.solve.median(),
            step: times.step.median(),
            step_mean: times.step.total() / frames,
            step_p99: times.step.quantile(0.99),
            total: times.step.total(),
        },
        real_time_factor: frames * config.options.frame / (times.step.total() / 1e3),
        kinetic_energy_end: report.kinetic,
        kinetic_energy_mean: run.kinetic_mean,
        potential_energy_end: report.potential,
        momentum: report.momentum.to_array(),
        max_penetration: run.max_penetration,
        escaped: run.escaped,
        asleep: report.asleep,
        state_hash: format!("{:016x}", run.world.state_hash()),
        record: sim.record.as_ref().map(|p| p.display().to_string()),
        picture: sim.picture.as_ref().map(|p| p.display().to_string()),
    };
    if sim.common.json {
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
    table.row(["boxes and pairs".into(), ms(time.broad)]);
    table.row(["contacts".into(), ms(time.collide)]);
    table.row(["impulses and motion".into(), ms(time.solve)]);
    table.row(["frame".into(), ms(time.step), ms(time.step_p99)]);
    format!(
        "{}: {} bodies, {} frames of {} sub-steps, {:.2} times real time\n{table}\
         a sub-step: {:.1} pairs, {:.1} of them proved apart, {:.1} contacts, {:.0} evaluations by {}\n\
         kinetic energy {:.6e} J, overlap at most {:.4} m, escaped {}\n\
         state {}\n",
        result.scene,
        result.bodies,
        result.frames,
        result.substeps,
        result.real_time_factor,
        result.pairs_mean,
        result.apart_mean,
        result.contacts_mean,
        result.field_evaluations_mean,
        result.optimizer,
        result.kinetic_energy_end,
        result.max_penetration,
        result.escaped,
        result.state_hash
    )
}
