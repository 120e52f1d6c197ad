//! Checks of the broad phases over boxes, and of meshes.

use std::ops::ControlFlow;

use jostle::broad::PairOptions;
use jostle::broad::dual::{DualTree, Filter, StaticFilters};
use jostle::check::{CheckOptions, check};
use jostle::geom::{Aabb, Mesh};
use jostle::scenes::BoxSceneKind;
use jostle::snapshot::publish;

use super::Scenes;
use crate::args::{BoxSource, DemoConfig};
use crate::commands::pairs::{Boxes, methods_within, run_methods};
use crate::error::CliError;
use crate::progress::Progress;
use crate::report::{Capability, Figures};

/// Tests a frame that methods which test every pair may take.
const BRUTE_TESTS: f64 = 1e8;

/// Every method over boxes reports the pairs that brute force reports, frame by frame.
pub(super) fn methods_agree(_: &Scenes, config: &DemoConfig) -> Result<Capability, CliError> {
    let mut figures = Figures::default();
    let mut ok = true;
    for (kind, fixed, moving) in [
        (BoxSceneKind::Mixed, 20_000, 1_000),
        (BoxSceneKind::Uniform, 0, 5_000),
        (BoxSceneKind::Clustered, 0, 5_000),
    ] {
        let source = BoxSource::Scene {
            kind,
            fixed,
            moving,
        };
        let boxes = Boxes::open(&source, config.seed)?;
        let mut options = PairOptions::default();
        options.level = config.common.simd.token()?;
        let (methods, left_out) = methods_within(fixed, moving, BRUTE_TESTS);
        match run_methods(boxes, &methods, &options, 4, &Progress::new(1)) {
            Ok(outcome) => {
                figures.add(format!("{kind}_pairs"), outcome.pairs_mean);
                figures.add(format!("{kind}_hash"), outcome.hash.clone());
                for run in &outcome.runs {
                    let key = format!("{kind}_{}_ms", run.method);
                    figures.add(key, run.frame_ms.median());
                }
            }
            Err(CliError::Disagree { .. }) => ok = false,
            Err(error) => return Err(error),
        }
        ok &= left_out.is_empty();
    }
    Ok(Capability {
        name: "all methods over boxes report the same pairs, frame by frame",
        ok,
        figures,
    })
}

/// A world goes on while a snapshot of it is asked: the snapshot answers for its own frame.
pub(super) fn snapshots(_: &Scenes, config: &DemoConfig) -> Result<Capability, CliError> {
    let source = BoxSource::Scene {
        kind: BoxSceneKind::Mixed,
        fixed: 2_000,
        moving: 200,
    };
    let mut boxes = Boxes::open(&source, config.seed)?;
    let refused = |error: &dyn std::fmt::Display| CliError::Tree(error.to_string());
    let mut world = DualTree::default();
    world
        .add_static(boxes.fixed(), StaticFilters::default())
        .map_err(|e| refused(&e))?;
    let mut bodies = Vec::new();
    for &aabb in boxes.moving() {
        let body = world.insert(aabb, Filter::DEFAULT);
        bodies.push(body.map_err(|e| refused(&e))?);
    }
    world.update();
    let (mut publisher, reader) = publish(world.view());
    let mut kept = Vec::new();
    let (mut events, mut frames) = (0, 0_u64);
    for _ in 0..20 {
        kept.push((reader.latest(), boxes.moving().to_vec()));
        boxes.advance();
        world
            .set_aabbs(&bodies, boxes.moving())
            .map_err(|e| refused(&e))?;
        world.update();
        world.find_pairs().map_err(|e| refused(&e))?;
        let changes = world.track_events();
        events += changes.began().len() + changes.ended().len();
        frames = publisher.publish(world.view());
    }
    let mut found = 0;
    let mut ok = frames == 20;
    for (view, moving) in &kept {
        for query in moving.iter().step_by(10) {
            let mut count = 0;
            view.overlaps(query, |_| {
                count += 1;
                ControlFlow::Continue(())
            });
            let meets = |aabb: &&Aabb| aabb.overlaps(query);
            let fixed = boxes.fixed().iter().filter(meets).count();
            ok &= count == fixed + moving.iter().filter(meets).count();
            found += count;
        }
    }
    Ok(Capability {
        name: "a kept snapshot of a world answers for its own frame",
        ok,
        figures: Figures::default()
            .with("frames", frames)
            .with("items_found", found)
            .with("pairs_began_or_ended", events),
    })
}

/// The generated cloth is open, but nothing else is wrong with it; pulled through itself it is found out.
pub(super) fn meshes(scenes: &Scenes, _: &DemoConfig) -> Result<Capability, CliError> {
    let refused = |error: &dyn std::fmt::Display| CliError::Tree(error.to_string());
    let mut mesh = Mesh {
        positions: scenes.cloth.frames[0].clone(),
        topology: scenes.cloth.topology.clone(),
    };
    let options = CheckOptions::default();
    let sound = check(&mesh, &options).map_err(|e| refused(&e))?;
    let intersections = sound.self_intersections.len();
    // A corner of the cloth is pulled to where another vertex is.
    mesh.positions[0] = mesh.positions[mesh.positions.len() / 3];
    let torn = check(&mesh, &options).map_err(|e| refused(&e))?;
    Ok(Capability {
        name: "self-intersections of a mesh are found, and none where there is none",
        ok: intersections == 0 && !torn.self_intersections.is_empty(),
        figures: Figures::default()
            .with("issues", sound.issues().len())
            .with("self_intersections", intersections)
            .with("after_a_tear", torn.self_intersections.len()),
    })
}
