//! Checks of bodies that collide as distance fields.

use jostle::dynamics::WorldOptions;
use jostle::scenes::bodies::BodySceneKind;
use jostle::sdf::contact::ContactOptions;
use jostle::simd::SimdLevel;

use super::everywhere::ways_that_agree;
use super::pictures::Picture;
use crate::args::DemoConfig;
use crate::commands::sim::{BodyRun, draw_bodies};
use crate::error::CliError;
use crate::report::{Capability, Figures, grouped};

/// Scenes that are stepped; the last one is drawn.
const SCENES: [BodySceneKind; 3] = [
    BodySceneKind::BoxStack,
    BodySceneKind::Twist,
    BodySceneKind::BunnyPile,
];
/// Frames of each, until all have come to lie.
const FRAMES: usize = 150;
/// Bodies and frames of the scene that is run in many ways.
const SMALL: usize = 12;
const SMALL_FRAMES: usize = 40;
/// Frames of the large scene.
const LARGE_FRAMES: usize = 6;

/// Bodies that were checked, and pictures of them.
pub(super) struct Checked {
    pub capability: Capability,
    pub pile: Picture,
    pub colosseum: Picture,
}

fn options(level: SimdLevel, config: &DemoConfig) -> Result<WorldOptions, CliError> {
    let level = level.token()?;
    Ok(WorldOptions {
        contacts: ContactOptions {
            seed: config.seed,
            level,
            ..ContactOptions::default()
        },
        level,
        ..WorldOptions::default()
    })
}

/// A stack, warped planks and a pile of bunnies: nobody leaves the world, nothing stays deep inside something else, and
/// a pile ends in the same state for every number of threads and every SIMD level.
pub(super) fn field_contacts(config: &DemoConfig) -> Result<Checked, CliError> {
    let mut figures = Figures::default();
    let mut ok = true;
    let mut pile = None;
    for kind in SCENES {
        let scene = kind.with_bodies(kind.default_bodies(), config.seed, None)?;
        let mut run = BodyRun::new(&scene, &options(config.common.simd, config)?)?;
        let first = run.world.report();
        let mut last = first;
        for _ in 0..FRAMES {
            last = run.step()?;
        }
        // What fell has come to rest, but for a body that rolls.
        let at_rest = last.kinetic < 0.05 * (first.kinetic + first.potential);
        ok &= run.escaped == 0 && last.max_penetration < 0.06 && at_rest;
        let name = |what: &str| format!("{kind}_{what}").replace('-', "_");
        figures = figures
            .with(name("bodies"), scene.bodies.len())
            .with(name("contacts"), run.mean(|s| s.contacts))
            .with(name("step_ms"), run.times.step.median())
            .with(name("escaped"), run.escaped)
            .with(name("kinetic_energy"), last.kinetic)
            .with(name("penetration"), last.max_penetration);
        pile = Some((scene.bodies.len() - 1, run));
    }
    let small = BodySceneKind::BunnyPile.with_bodies(SMALL, config.seed, None)?;
    let runs = ways_that_agree(config, |level| {
        let mut run = BodyRun::new(&small, &options(level, config)?)?;
        (0..SMALL_FRAMES).try_for_each(|_| run.step().map(drop))?;
        Ok(run.world.state_hash())
    })?;
    ok &= runs.is_some();
    figures = figures.with("equal_runs", runs.unwrap_or(0));

    let (bunnies, pile) = pile.ok_or_else(|| CliError::Draw("a pile: there is none".into()))?;
    let pile = Picture {
        png: draw_bodies(&pile.world).to_png()?,
        caption: format!(
            "{bunnies} bunnies, a mesh baked into a field of 100³ cells, after {:.1} s; {:.0} contacts, found and solved \
             in {:.2} ms a frame.",
            FRAMES as f64 / 60.0,
            pile.mean(|s| s.contacts),
            pile.times.step.median(),
        ),
    };
    let kind = BodySceneKind::Colosseum;
    let scene = kind.with_bodies(kind.default_bodies(), config.seed, None)?;
    let mut run = BodyRun::new(&scene, &options(config.common.simd, config)?)?;
    for _ in 0..LARGE_FRAMES {
        run.step()?;
    }
    ok &= run.escaped == 0;
    let colosseum = Picture {
        png: draw_bodies(&run.world).to_png()?,
        caption: format!(
            "{} boxes at rest on each other: {} contacts, {:.0} ms a frame of four sub-steps.",
            grouped(scene.bodies.len() as u64 - 1),
            grouped(run.mean(|s| s.contacts) as u64),
            run.times.step.median(),
        ),
    };
    Ok(Checked {
        capability: Capability {
            name: "field contacts: stacks stand, piles come to rest, no body escapes, the same bits everywhere",
            ok,
            figures,
        },
        pile,
        colosseum,
    })
}
