//! Checks of granular flow.

use jostle::dynamics::{FlowOptions, GrainFlow};
use jostle::scenes::grains::{GrainScene, Hopper};

use super::everywhere::ways_that_agree;
use super::pictures::Picture;
use crate::args::DemoConfig;
use crate::commands::sim::{Flow, Moment, draw};
use crate::error::CliError;
use crate::report::{Capability, Figures, grouped};

/// Grains of the hopper.
const GRAINS: usize = 6_000;
/// Frames of 1/60 s between two pictures.
const PART: usize = 90;
/// Parts.
const PARTS: usize = 2;
/// Grains of the flow that is run in many ways, and its frames.
const SMALL: usize = 1_500;
const SMALL_FRAMES: usize = 30;

/// A flow that was checked, and its picture.
pub(super) struct Checked {
    pub capability: Capability,
    pub picture: Picture,
}

/// The hopper whose grains stay away once they left, with room below for those that fall.
fn hopper(grains: usize, config: &DemoConfig) -> Result<GrainScene, CliError> {
    let hopper = Hopper {
        grains,
        recycle: false,
        seed: config.seed,
        ..Hopper::default()
    };
    let mut scene = hopper.build()?;
    let room = 16.0 * hopper.radius as f32;
    for drain in &mut scene.drains {
        drain.offset -= room;
    }
    scene.world.min.z -= room;
    Ok(scene)
}

/// A hopper runs for three seconds: no grain is lost, none goes through a wall, energy only falls. A smaller
/// one ends in the same state for every number of threads and every SIMD level.
pub(super) fn granular_flow(config: &DemoConfig) -> Result<Checked, CliError> {
    let scene = hopper(GRAINS, config)?;
    let options = FlowOptions {
        level: config.common.simd.token()?,
        ..FlowOptions::default()
    };
    let mut flow = Flow::new(&scene, &options)?;
    let mut moments = vec![Moment::of(&flow.grains, options.frame)];
    let mut before = flow.grains.report();
    let mut ok = true;
    let mut overlap = 0.0;
    for _ in 0..PARTS {
        for _ in 0..PART {
            flow.step()?;
        }
        let now = flow.grains.report();
        ok &= now.escaped == 0 && now.emitted == now.inside + now.drained;
        ok &= now.energy() < before.energy() && now.overlap_mean < 0.02;
        overlap = now.overlap_mean;
        before = now;
        moments.push(Moment::of(&flow.grains, options.frame));
    }
    ok &= before.drained > 0;
    let small = hopper(SMALL, config)?;
    let runs = ways_that_agree(config, |level| {
        let options = FlowOptions {
            level: level.token()?,
            ..FlowOptions::default()
        };
        let mut flow = GrainFlow::new(&small, &options)?;
        (0..SMALL_FRAMES).try_for_each(|_| flow.step().map(drop))?;
        Ok(flow.state_hash())
    })?;
    ok &= runs.is_some();

    let seconds = (PARTS * PART) as f64 * options.frame;
    let figures = Figures::default()
        .with("grains", scene.grains.len())
        .with("frames", PARTS * PART)
        .with("substeps", u64::from(flow.grains.time_step().substeps))
        .with("emitted", before.emitted)
        .with("inside", before.inside)
        .with("drained", before.drained)
        .with("escaped", before.escaped)
        .with("overlap_mean", overlap)
        .with("frame_ms", flow.times.step.median())
        .with("real_time_factor", seconds * 1e3 / flow.times.step.total())
        .with("equal_runs", runs.unwrap_or(0))
        .with("state_hash", format!("{:016x}", flow.grains.state_hash()));
    let picture = Picture {
        png: draw(&scene, &moments).to_png()?,
        caption: format!(
            "{} grains in a hopper, cut open in the middle and coloured by the layer in which they started. After \
             {seconds} s {} have left through the outlet of eight diameters.",
            grouped(scene.grains.len() as u64),
            grouped(before.drained),
        ),
    };
    Ok(Checked {
        capability: Capability {
            name: "granular flow: no grain is lost or passes a wall, the same bits everywhere",
            ok,
            figures,
        },
        picture,
    })
}
