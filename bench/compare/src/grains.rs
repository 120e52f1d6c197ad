//! Grains in a hopper: `hopper-10k` and `hopper-100k`.

use glam::Vec3;
use jostle_dynamics::{FlowOptions, GrainFlow};
use jostle_scenes::grains::{GrainScene, Hopper};

use crate::clock::{median, time};
use crate::peers::rapier::{self, Balls};
use crate::row::Row;
use crate::{Options, short};

/// Numbers of grains.
const SIZES: [usize; 2] = [10_000, 100_000];
/// Frames that one alternative runs before the other takes over.
const BLOCK: usize = 6;
/// Frames of a hopper that is shut, before its grains are compared.
const SETTLE: usize = 60;
/// How far mean heights may differ, as a share.
const HEIGHT: f64 = 0.05;

pub fn run(options: &Options, rows: &mut Vec<Row>) -> Result<(), String> {
    for grains in SIZES {
        let work = format!("hopper-{}", short(grains));
        if options.wants(&work, 10 * grains) {
            eprintln!("{work}");
            rows.push(compare(&work, grains, options)?);
        }
    }
    Ok(())
}

fn hopper(grains: usize, outlet: f64) -> Result<GrainScene, String> {
    let hopper = Hopper {
        grains,
        outlet,
        recycle: false,
        ..Hopper::default()
    };
    hopper.build().map_err(|error| error.to_string())
}

/// Both engines at the start of a scene.
fn start(scene: &GrainScene) -> Result<(GrainFlow, Balls), String> {
    let options = FlowOptions::default();
    let flow = GrainFlow::new(scene, &options).map_err(|error| error.to_string())?;
    Ok((flow, Balls::new(scene, options.frame as f32)?))
}

fn step(flow: &mut GrainFlow) -> Result<(), String> {
    flow.step().map(drop).map_err(|error| error.to_string())
}

fn mean_height(centres: impl ExactSizeIterator<Item = Vec3>) -> f64 {
    let count = centres.len() as f64;
    centres.map(|p| f64::from(p.z)).sum::<f64>() / count
}

/// Mean overlap of balls that touch, in radii.
fn mean_overlap(mut centres: Vec<Vec3>, radius: f32) -> f64 {
    centres.sort_by(|a, b| a.x.total_cmp(&b.x));
    let (mut sum, mut count) = (0.0, 0_u32);
    for (i, a) in centres.iter().enumerate() {
        let near = centres[i + 1..].iter();
        for b in near.take_while(|b| b.x - a.x < 2.0 * radius) {
            let overlap = 2.0 * radius - a.distance(*b);
            if overlap > 0.0 {
                sum += f64::from(overlap / radius);
                count += 1;
            }
        }
    }
    sum / f64::from(count.max(1))
}

/// Lets the grains settle with the outlet shut and compares how high they lie.
fn verify(grains: usize) -> Result<(), String> {
    let scene = hopper(grains, 0.0)?;
    let (mut flow, mut balls) = start(&scene)?;
    for _ in 0..SETTLE {
        step(&mut flow)?;
        balls.step();
    }
    let report = flow.report();
    if report.escaped > 0 || report.inside != grains as u64 {
        return Err(format!("ours: {} of {grains} grains inside", report.inside));
    }
    balls.drain();
    let ours = mean_height(flow.grains().iter().map(|grain| grain.centre));
    let centres = balls.centres();
    let peer = mean_height(centres.iter().copied());
    eprintln!(
        "  shut, after {SETTLE} frames: mean height ours {ours:.4} m, peer {peer:.4} m, peer lost {}; \
         mean overlap ours {:.2} %, peer {:.2} % of a radius",
        grains - centres.len(),
        100.0 * report.overlap_mean,
        100.0 * mean_overlap(centres, scene.grains[0].radius)
    );
    if (ours / peer - 1.0).abs() > HEIGHT {
        return Err(format!("mean heights {ours} m and {peer} m differ"));
    }
    Ok(())
}

fn compare(work: &str, grains: usize, options: &Options) -> Result<Row, String> {
    let large = grains > SIZES[0];
    if !large {
        verify(grains)?;
    }
    let scene = hopper(grains, Hopper::default().outlet)?;
    let (mut flow, mut balls) = start(&scene)?;
    let (warm, timed) = if large || options.quick {
        (12, 12)
    } else {
        (60, options.frames.min(60))
    };
    for _ in 0..warm {
        step(&mut flow)?;
        balls.step();
        balls.drain();
    }
    let (mut ours_ms, mut peer_ms) = (Vec::new(), Vec::new());
    while ours_ms.len() < timed {
        for _ in 0..BLOCK {
            let mut done = Ok(());
            ours_ms.push(time(|| done = step(&mut flow)));
            done?;
        }
        for _ in 0..BLOCK {
            peer_ms.push(time(|| balls.step()));
            balls.drain();
        }
    }
    let report = flow.report();
    if report.escaped > 0 || report.emitted != report.inside + report.drained {
        return Err(format!("{work}: grains were lost: {report:?}"));
    }
    let inside = balls.centres().len();
    eprintln!(
        "  open, after {} frames: inside ours {}, peer {inside}; contacts ours {}, mean overlap {:.2} % of a radius",
        flow.frame(),
        report.inside,
        report.contacts,
        100.0 * report.overlap_mean
    );
    Ok(Row {
        work: work.to_owned(),
        ours: "grains".to_owned(),
        ours_ms: median(&mut ours_ms),
        peer: "rapier3d, balls and walls of triangles, default solver".to_owned(),
        peer_version: rapier::VERSION,
        peer_ms: median(&mut peer_ms),
        threads: options.threads,
        ours_inside: Some(report.inside),
        peer_inside: Some(inside as u64),
        ..Row::default()
    })
}
