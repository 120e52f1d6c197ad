//! How good contacts are: what sinks in, what drifts, what comes to rest.

mod worlds;

use std::sync::Arc;
use std::time::Instant;

use jostle::dynamics::{WorldError, WorldOptions};
use jostle::glam::Vec3;
use jostle::scenes::bodies::{BodyScene, BodySceneError, BodySceneKind, Motion, SceneBody};
use jostle::sdf::contact::Optimizer;
use jostle::sdf::{Field, Shape, ShapeOptions};
use maud::{PreEscaped, html};
use rayon::prelude::*;

use self::worlds::{APART, Drifted, Drop, Settled, pile, tower, tower_of};
use super::{Bench, Half};
use crate::commands::bench::row_table;
use crate::error::CliError;
use crate::output::Table;
use crate::report::{Axes, Curve, Figures, Row, Section, line_plot};

/// Steps of the bar of progress.
pub(super) const PARTS: usize = 5;

/// Sizes of the cache.
const CACHES: [usize; 4] = [1, 2, 4, 8];

/// Samples along each side of the overlap for the reference.
const DENSE: usize = 12;

/// Seconds after which a pile has to be at rest.
const SETTLED: f64 = 10.0;

/// How much is run.
#[derive(Clone, Copy)]
struct Amount {
    seeds: u64,
    drop_frames: usize,
    /// Seconds that towers stand.
    stand: f64,
    /// Before the drift of gears counts, s: they fall a little.
    settle: f64,
    pile: f64,
}

/// What was measured with several seeds.
struct Measured {
    work: String,
    method: String,
    /// A value for each seed: the worst of them counts.
    values: Vec<f64>,
    what: &'static str,
    target: Option<f64>,
    escaped: u64,
    /// Of the whole, ms.
    ms: f64,
}

impl Measured {
    fn worst(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }

    fn row(&self) -> Row {
        Row {
            work: self.work.clone(),
            method: self.method.clone(),
            ms: self.ms,
            figures: Figures::default()
                .with(self.what, self.worst())
                .with("target", self.target)
                .with("seeds", self.values.len())
                .with("escaped", self.escaped),
        }
    }
}

/// The shapes that the tests are made of, from the scenes that have them.
struct Forms {
    bunny: Arc<Shape>,
    cube: Arc<Shape>,
    ground: (SceneBody, Arc<Shape>),
    plane: (SceneBody, Arc<Shape>),
    plate: (SceneBody, Arc<Shape>),
}

impl Forms {
    fn new(seed: u64) -> Result<Self, CliError> {
        let bunnies = BodySceneKind::BunnyPile.with_bodies(2, seed, None)?;
        let boxes = BodySceneKind::BoxStack.with_bodies(2, seed, None)?;
        let cows = BodySceneKind::CowsOnSpikes.with_bodies(3, seed, None)?;
        let plate = |body: &SceneBody, _: usize| body.motion == Motion::Static;
        // Narrower than bodies are apart: each falls onto one of its own.
        let half = 0.45 * APART as f32;
        let plane = Field::cuboid(Vec3::new(half, half, 1.0)).map_err(BodySceneError::from)?;
        let plane = Shape::new(plane, &ShapeOptions::default()).map_err(BodySceneError::from)?;
        Ok(Self {
            bunny: Arc::clone(&take(&bunnies, |body, _| body.motion == Motion::Dynamic).1),
            cube: Arc::clone(&take(&boxes, |body, _| body.motion == Motion::Dynamic).1),
            ground: take(&boxes, |_, at| at == 0),
            plane: (SceneBody::default(), Arc::new(plane)),
            plate: take(&cows, |body, at| at > 0 && plate(body, at)),
        })
    }
}

/// The first body that is like that, or else the first of all, and its shape.
fn take(scene: &BodyScene, like: impl Fn(&SceneBody, usize) -> bool) -> (SceneBody, Arc<Shape>) {
    let found = scene.bodies.iter().enumerate().find(|(i, b)| like(b, *i));
    let body = found.map_or(scene.bodies[0], |(_, body)| *body);
    (body, Arc::clone(&scene.shapes[body.shape as usize]))
}

impl Bench<'_> {
    fn amount(&self) -> Amount {
        if self.config.quick {
            Amount {
                seeds: 1,
                drop_frames: 60,
                stand: 1.0,
                settle: 0.5,
                pile: 1.0,
            }
        } else {
            Amount {
                seeds: 5,
                drop_frames: 1000,
                stand: 60.0,
                settle: 3.0,
                pile: 20.0,
            }
        }
    }

    /// Runs a test with every seed, in parallel, with the options that `change` makes of the default.
    fn with_seeds<T: Send>(
        &self,
        count: u64,
        change: impl Fn(&mut WorldOptions) + Sync,
        run: impl Fn(&WorldOptions, u64) -> Result<T, WorldError> + Sync,
    ) -> Result<Vec<T>, CliError> {
        let base = self.options(Optimizer::default())?;
        let first = self.config.seed;
        let found: Result<Vec<T>, WorldError> = (first..first + count)
            .into_par_iter()
            .map(|seed| {
                let mut options = base;
                options.contacts.seed = seed;
                change(&mut options);
                run(&options, seed)
            })
            .collect();
        Ok(found?)
    }

    /// All tests of quality.
    pub(super) fn quality(&mut self) -> Result<Half, CliError> {
        let amount = self.amount();
        let forms = Forms::new(self.config.seed)?;
        let mut all = Vec::new();
        let plots = [
            self.drops("plane", &forms, amount, &mut all)?,
            self.drops("spikes", &forms, amount, &mut all)?,
            {
                self.towers(&forms, amount, &mut all)?;
                self.piles(amount, &mut all)?
            },
        ];
        let rows: Vec<Row> = all.iter().map(Measured::row).collect();
        let mut table = Table::new(&["test", "with", "what", "worst", "target"])
            .left(1)
            .left(2);
        for found in &all {
            table.row([
                found.work.clone(),
                found.method.clone(),
                found.what.replace('_', " "),
                format!("{:.2e}", found.worst()),
                found
                    .target
                    .map_or_else(String::new, |target| format!("{target:.0e}")),
            ]);
        }
        let [plane, spikes, energy] = plots;
        let body = html! {
            p { "The worst over " (amount.seeds) " seeds, lengths in metres for bodies of one metre." }
            (row_table(&rows))
        };
        let figure = |title: &str, plot: String| Section {
            title: title.to_owned(),
            body: html! { figure { div.scroll { (PreEscaped(plot)) } } },
        };
        Ok(Half {
            sections: vec![
                Section {
                    title: "Quality".into(),
                    body,
                },
                figure(
                    "A mesh body dropped on a plane: penetration and cache",
                    plane,
                ),
                figure("The same on spikes", spikes),
                figure("Bunny pile: kinetic energy over time", energy),
            ],
            text: table.to_string(),
            rows,
        })
    }

    /// A mesh body dropped from many orientations, for all sizes of the cache, with and without seeds.
    fn drops(
        &mut self,
        onto: &'static str,
        forms: &Forms,
        amount: Amount,
        all: &mut Vec<Measured>,
    ) -> Result<String, CliError> {
        let (body, shape) = if onto == "plane" {
            &forms.plane
        } else {
            &forms.plate
        };
        let drop = Drop {
            body: Arc::clone(&forms.bunny),
            onto: Arc::clone(shape),
            scale: body.scale,
            top: f64::from(shape.aabb().max.z) * f64::from(body.scale),
        };
        let mut curves = Vec::new();
        for (curvature, name, colour) in [
            (true, "seeds of curvature", [38, 132, 168]),
            (false, "uniform samples", [222, 52, 38]),
        ] {
            let mut points = Vec::new();
            for cache in CACHES {
                self.progress
                    .message(format!("drops on {onto}, cache {cache}"));
                let start = Instant::now();
                let change = |options: &mut WorldOptions| {
                    options.contacts.cache = cache;
                    options.contacts.curvature = curvature;
                };
                let found = self.with_seeds(amount.seeds, change, |options, seed| {
                    drop.run(options, amount.drop_frames, seed)
                })?;
                let target = match (onto, curvature, cache) {
                    ("plane", true, 1) => Some(0.04),
                    ("plane", true, 4 | 8) => Some(0.0),
                    ("spikes", true, 4) => Some(0.03),
                    _ => None,
                };
                let measured = Measured {
                    work: format!("20 drops on {onto}"),
                    method: format!("cache {cache}, {name}"),
                    values: found.iter().map(|(worst, _)| *worst).collect(),
                    what: "penetration",
                    target,
                    escaped: found.iter().map(|(_, escaped)| *escaped).sum(),
                    ms: start.elapsed().as_secs_f64() * 1e3,
                };
                points.push((cache as f64, measured.worst()));
                all.push(measured);
            }
            curves.push(Curve {
                name: name.to_owned(),
                colour,
                guide: false,
                points,
            });
        }
        self.progress.next_part();
        let axes = Axes {
            x: "points in the cache",
            y: "worst penetration, sizes of the body",
            logarithmic: false,
        };
        line_plot(&axes, &curves)
    }

    /// Ten boxes and ten gears with every optimiser.
    fn towers(
        &mut self,
        forms: &Forms,
        amount: Amount,
        all: &mut Vec<Measured>,
    ) -> Result<(), CliError> {
        for (work, settle, best) in [
            ("ten boxes", 0.0, 0.006),
            ("ten gears", amount.settle, 0.005),
        ] {
            for optimizer in Optimizer::ALL {
                self.progress.message(format!("{work}, {optimizer}"));
                let start = Instant::now();
                let change = |options: &mut WorldOptions| options.contacts.optimizer = optimizer;
                let gears = work == "ten gears";
                let scenes: Vec<BodyScene> = (0..amount.seeds)
                    .map(|i| {
                        let kind = BodySceneKind::GearStack;
                        if gears {
                            kind.with_bodies(11, self.config.seed + i, None)
                        } else {
                            let (ground, floor) = &forms.ground;
                            Ok(tower_of(&forms.cube, ground, floor))
                        }
                    })
                    .collect::<Result<_, _>>()?;
                let first = self.config.seed;
                let found = self.with_seeds(amount.seeds, change, |options, seed| {
                    tower(
                        &scenes[(seed - first) as usize],
                        options,
                        settle,
                        amount.stand,
                    )
                })?;
                let limit = if optimizer == Optimizer::default() || gears {
                    best
                } else {
                    0.05
                };
                all.push(Measured {
                    work: work.to_owned(),
                    method: optimizer.name().to_owned(),
                    values: found.iter().map(Drifted::value).collect(),
                    what: "drift",
                    target: (optimizer == Optimizer::default() || !gears).then_some(limit),
                    escaped: found.iter().map(|d| d.escaped).sum(),
                    ms: start.elapsed().as_secs_f64() * 1e3,
                });
            }
            self.progress.next_part();
        }
        Ok(())
    }

    /// A pile of bunnies comes to rest, and so does one with contacts from a dense grid.
    fn piles(&mut self, amount: Amount, all: &mut Vec<Measured>) -> Result<String, CliError> {
        let kind = BodySceneKind::BunnyPile;
        let mut curves = Vec::new();
        for (name, dense, seeds, colour) in [
            ("projected", None, amount.seeds, [38, 132, 168]),
            ("dense reference", Some(DENSE), 1, [120, 130, 142]),
        ] {
            self.progress.message(format!("{kind}, {name}"));
            let start = Instant::now();
            let scenes: Vec<BodyScene> = (0..seeds)
                .map(|i| kind.with_bodies(kind.default_bodies(), self.config.seed + i, None))
                .collect::<Result<_, _>>()?;
            let change = |options: &mut WorldOptions| options.contacts.dense = dense;
            let first = self.config.seed;
            let found = self.with_seeds(seeds, change, |options, seed| {
                pile(&scenes[(seed - first) as usize], options, amount.pile)
            })?;
            let ms = start.elapsed().as_secs_f64() * 1e3;
            let escaped: u64 = found.iter().map(|s| s.escaped).sum();
            let late = SETTLED.min(0.5 * amount.pile);
            for (what, target, values) in [
                (
                    "kinetic_energy_after_10_s",
                    Some(1e-4),
                    found.iter().map(|s| s.after(late)).collect::<Vec<_>>(),
                ),
                (
                    "penetration",
                    None,
                    found.iter().map(|s| s.penetration).collect(),
                ),
            ] {
                all.push(Measured {
                    work: kind.name().to_owned(),
                    method: name.to_owned(),
                    values,
                    what,
                    target: target.filter(|_| dense.is_none()),
                    escaped,
                    ms,
                });
            }
            curves.extend(found.first().map(|settled: &Settled| {
                Curve {
                    name: name.to_owned(),
                    colour,
                    guide: false,
                    points: settled
                        .curve
                        .iter()
                        .map(|&(time, energy)| (time, energy.max(1e-12)))
                        .collect(),
                }
            }));
        }
        self.progress.next_part();
        let axes = Axes {
            x: "seconds",
            y: "kinetic energy of a body, J",
            logarithmic: true,
        };
        line_plot(&axes, &curves)
    }
}
