//! A flow of grains: its state and its frames.

use std::collections::VecDeque;

use fearless_simd::Level;
use jostle_geom::Aabb;
use jostle_scenes::grains::{Drain, Emitter, Grain, GrainMaterial, GrainScene};

use super::chunk::{self, Outcome, Scene};
use super::error::FlowError;
use super::grid::{Grid, Spread};
use super::law::Law;
use super::lists::{CHUNK, Lists};
use super::rows::Row;
use super::substep::{Globals, Variant};
use super::time_step::{TimeStep, damping_ratio};
use super::tolerances::{FARTHEST_PLACE, LONGEST_WAY, MOST_HASTE, RADII};
use super::walls::Touching;

/// How a flow is stepped.
#[derive(Clone, Copy, Debug)]
pub struct FlowOptions {
    /// Length of a frame, s.
    pub frame: f64,
    /// Sub-steps a frame, or as many as stability asks for. More are taken while grains are so fast that
    /// they would move a quarter of the smallest radius in one.
    pub substeps: Option<u32>,
    /// The SIMD level. Results do not depend on it.
    pub level: Level,
}

impl Default for FlowOptions {
    fn default() -> Self {
        Self {
            frame: 1.0 / 60.0,
            substeps: None,
            level: Level::new(),
        }
    }
}

/// What a frame took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameStats {
    /// Sub-steps.
    pub substeps: u32,
    /// How often the lists of neighbours were rebuilt.
    pub rebuilds: u32,
    /// Time of these rebuilds by the clock of [`GrainFlow::step_by`], ns; 0 without one.
    pub rebuild_ns: u64,
    /// Grains that came in.
    pub emitted: u64,
    /// Grains that left.
    pub drained: u64,
}

/// A flow of grains.
///
/// Each sub-step is a kick and a drift (leapfrog) under linear springs and dashpots, see
/// [`GrainMaterial`]. Neighbours come from a uniform grid into which the grains themselves are sorted; lists of
/// neighbours are kept until a grain has moved farther than they allow for. Positions are `f32` and keep six digits of the
/// largest coordinate, so the scene should be near the origin.
///
/// Results depend neither on the number of threads nor on the SIMD level. A frame costs O(grains · sub-steps).
#[derive(Clone, Debug)]
pub struct GrainFlow {
    pub(super) material: GrainMaterial,
    pub(super) gravity: glam::DVec3,
    pub(super) walls: Vec<Touching>,
    pub(super) emitters: Vec<(Emitter, EmitterState)>,
    pub(super) drains: Vec<Drain>,
    pub(super) world: Aabb,
    pub(super) seed: u64,
    pub(super) options: FlowOptions,
    pub(super) time_step: TimeStep,
    pub(super) frame: u64,

    /// The grains in cell order.
    pub(super) rows: Vec<Row>,
    /// The number of each grain, [`GONE`] for rows of grains that have left since the last rebuild.
    pub(super) ids: Vec<u64>,
    /// How many have left since.
    pub(super) gone: usize,
    /// Whether the lists do not hold any more.
    pub(super) stale: bool,
    /// Frames since grains came in.
    pub(super) since_emission: u32,
    /// The row that each grain had when the lists were made, `u32::MAX` for grains that came in since.
    pub(super) listed: Vec<u32>,
    pub(super) lists: Vec<Lists>,
    pub(super) spare: Spare,
    /// Smallest and largest radius so far, m.
    pub(super) radii: [f32; 2],

    pub(super) emitted: u64,
    pub(super) drained: u64,
    /// Radii of grains that left and wait to come in again.
    pub(super) waiting: VecDeque<f32>,
}

/// The number of a grain that is gone.
pub(super) const GONE: u64 = u64::MAX;

/// What an emitter remembers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EmitterState {
    /// Grains it has made.
    pub made: u64,
    /// Grains it owes, and the fraction of the next one.
    pub owed: f64,
}

/// Buffers for the next state.
#[derive(Clone, Debug, Default)]
pub(super) struct Spare {
    pub rows: Vec<Row>,
    pub ids: Vec<u64>,
    pub lists: Vec<Lists>,
    pub grid: Grid,
    pub spread: Spread,
    pub speeds: Vec<f32>,
    pub hasty: Vec<u32>,
    pub order: Vec<u32>,
    pub came_from: Vec<u32>,
    pub columns: [Vec<f32>; 5],
}

impl GrainFlow {
    /// A flow at the start of a scene. Cost: O(n), and O(n log n) in the triangles of its walls.
    ///
    /// # Errors
    /// Whatever in the scene cannot be used: see [`FlowError`]. Nothing is guessed.
    pub fn new(scene: &GrainScene, options: &FlowOptions) -> Result<Self, FlowError> {
        check_material(&scene.material)?;
        if !scene.gravity.is_finite() || scene.gravity.abs().max_element() > 1e12 {
            return Err(FlowError::Material {
                what: "gravity",
                value: scene.gravity.length(),
                range: "finite and at most 1e12 m/s²",
            });
        }
        if scene.grains.len() >= u32::MAX as usize - 64 {
            return Err(FlowError::TooMany {
                grains: scene.grains.len(),
            });
        }
        let mut radii = [f32::INFINITY, 0.0_f32];
        for (i, grain) in scene.grains.iter().enumerate() {
            check_grain(i, grain)?;
            radii = [radii[0].min(grain.radius), radii[1].max(grain.radius)];
        }
        for (i, emitter) in scene.emitters.iter().enumerate() {
            super::traffic::check_emitter(i, emitter)?;
            radii = [
                radii[0].min(emitter.radii[0]),
                radii[1].max(emitter.radii[1]),
            ];
        }
        super::traffic::check_drains(&scene.drains)?;
        if radii[1] == 0.0 {
            // Nothing is there and nothing will come: any radius will do.
            radii = [1.0, 1.0];
        }
        let lightest = mass(scene.material.density, radii[0]);
        if !(lightest.is_normal() && (1.0 / lightest).is_normal()) {
            return Err(FlowError::Material {
                what: "density",
                value: scene.material.density,
                range: "so large that masses are at least 1e-37 kg",
            });
        }
        let time_step = TimeStep::new(
            &scene.material,
            f64::from(lightest),
            options.frame,
            options.substeps,
        )?;
        let walls = super::walls::prepare(&scene.walls, options.level)?;
        super::walls::check_start(&walls, &scene.grains, &scene.emitters, options.level)?;
        let mut flow = Self {
            material: scene.material,
            gravity: scene.gravity,
            walls,
            emitters: scene
                .emitters
                .iter()
                .map(|e| (*e, EmitterState::default()))
                .collect(),
            drains: scene.drains.clone(),
            world: scene.world,
            seed: scene.seed,
            options: *options,
            time_step,
            frame: 0,
            rows: Vec::new(),
            ids: Vec::new(),
            gone: 0,
            stale: true,
            since_emission: 0,
            listed: Vec::new(),
            lists: Vec::new(),
            spare: Spare::default(),
            radii,
            emitted: 0,
            drained: 0,
            waiting: VecDeque::new(),
        };
        for grain in &scene.grains {
            flow.add(grain);
        }
        Ok(flow)
    }

    /// Number of grains inside.
    pub fn len(&self) -> usize {
        self.ids.len() - self.gone
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sub-step and its limit.
    pub fn time_step(&self) -> TimeStep {
        self.time_step
    }

    /// Goes on at another SIMD level, which changes the speed and nothing else.
    pub fn set_level(&mut self, level: Level) {
        self.options.level = level;
    }

    /// Number of frames so far.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// The grains inside, in the order in which they came in. Cost: O(n log n).
    pub fn grains(&self) -> Vec<Grain> {
        let all = self.numbered_grains();
        all.into_iter().map(|(_, grain)| grain).collect()
    }

    /// The grains inside with their numbers: how many came in before. A grain that leaves and comes in again gets a
    /// new one. Sorted by number. Cost: O(n log n).
    pub fn numbered_grains(&self) -> Vec<(u64, Grain)> {
        let mut out: Vec<(u64, Grain)> = (0..self.rows.len())
            .filter(|&i| self.ids[i] != GONE)
            .map(|i| (self.ids[i], self.grain(i)))
            .collect();
        out.sort_unstable_by_key(|&(id, _)| id);
        out
    }

    /// The grain of a row.
    pub(super) fn grain(&self, i: usize) -> Grain {
        let [x, y, z, radius] = self.rows[i].place;
        let [vx, vy, vz, _] = self.rows[i].velocity;
        let [ux, uy, uz, _] = self.rows[i].surface;
        Grain {
            centre: [x, y, z].into(),
            velocity: [vx, vy, vz].into(),
            spin: glam::Vec3::new(ux, uy, uz) / radius,
            radius,
        }
    }

    /// Adds a grain behind the last one.
    pub(super) fn add(&mut self, grain: &Grain) {
        let [x, y, z] = grain.centre.to_array();
        let [vx, vy, vz] = grain.velocity.to_array();
        let [ux, uy, uz] = (grain.spin * grain.radius).to_array();
        let mass = mass(self.material.density, grain.radius);
        self.rows.push(Row {
            place: [x, y, z, grain.radius],
            velocity: [vx, vy, vz, 0.0],
            surface: [ux, uy, uz, 1.0 / mass],
            tether: [x, y, z, 0.0],
        });
        self.ids.push(self.emitted);
        self.listed.push(u32::MAX);
        self.emitted += 1;
    }

    /// Takes a grain out: its row stays until the next rebuild, far off, where it touches nothing.
    pub(super) fn take_out(&mut self, i: usize) {
        // Apart from the others that are gone, and not so far that squares overflow.
        let place = [1e18, 1e9 * (i + 1) as f32, 1e18, 0.0];
        self.rows[i] = Row {
            place,
            tether: [place[0], place[1], place[2], 1e18],
            ..Row::NOWHERE
        };
        self.ids[i] = GONE;
        self.gone += 1;
    }

    /// Drops the rows of grains that are gone.
    pub(super) fn sweep(&mut self) {
        if self.gone == 0 {
            return;
        }
        let mut to = 0;
        for from in 0..self.rows.len() {
            if self.ids[from] == GONE {
                continue;
            }
            self.rows[to] = self.rows[from];
            self.ids[to] = self.ids[from];
            self.listed[to] = self.listed[from];
            to += 1;
        }
        self.rows.truncate(to);
        self.ids.truncate(to);
        self.listed.truncate(to);
        self.gone = 0;
    }

    /// Steps a frame of [`FlowOptions::frame`] seconds. Cost: O(n) a sub-step.
    ///
    /// # Errors
    /// [`FlowError::TooFast`], [`FlowError::Pierced`] and [`FlowError::Crowded`]; the flow stays where it was when they
    /// were found.
    pub fn step(&mut self) -> Result<FrameStats, FlowError> {
        self.step_by(&|| 0)
    }

    /// Steps a frame and tells how much of it went into rebuilding the lists of neighbours, by a clock that counts
    /// nanoseconds.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_by(&mut self, now_ns: &dyn Fn() -> u64) -> Result<FrameStats, FlowError> {
        let mut stats = FrameStats {
            substeps: self.substeps()?,
            ..FrameStats::default()
        };
        self.traffic(&mut stats);
        let dt = self.options.frame / f64::from(stats.substeps);
        let (globals, variant) = self.globals(dt);
        for _ in 0..stats.substeps {
            if self.stale {
                let start = now_ns();
                let fits = self.rebuild(variant.rolling);
                if !fits {
                    self.stale = true;
                    return Err(FlowError::Crowded);
                }
                stats.rebuild_ns += now_ns().saturating_sub(start);
                stats.rebuilds += 1;
            }
            let outcome = self.substep(&globals, variant);
            if outcome.pierced {
                return Err(FlowError::Pierced { frame: self.frame });
            }
            self.stale = outcome.stale;
        }
        self.frame += 1;
        Ok(stats)
    }

    /// Sub-steps of the next frame: as many as stability and the fastest grain ask for.
    fn substeps(&self) -> Result<u32, FlowError> {
        let mut square = 0.0_f32;
        for row in self.rows.iter().filter(|row| row.place[3] > 0.0) {
            let [x, y, z, _] = row.velocity;
            let s = x * x + y * y + z * z;
            // What is no number, as forces of a field that is no distance make it, stays and is refused.
            if s > square || s.is_nan() {
                square = s;
            }
        }
        let frame = self.options.frame;
        let speed = f64::from(square).sqrt() + self.gravity.length() * frame;
        let way = LONGEST_WAY * f64::from(self.radii[0]);
        let needed = (speed * frame / way).ceil();
        let most = self.time_step.substeps.saturating_mul(MOST_HASTE);
        if needed.is_nan() || needed > f64::from(most) {
            return Err(FlowError::TooFast {
                speed,
                substeps: needed as u64,
                most,
            });
        }
        Ok(self.time_step.substeps.max(needed as u32))
    }

    /// What is the same for all contacts, and which variant of the sub-step serves.
    pub(super) fn globals(&self, dt: f64) -> (Globals, Variant) {
        let m = &self.material;
        let zeta = damping_ratio(m.restitution);
        let globals = Globals {
            law: Law {
                dt: dt as f32,
                stiffness: m.stiffness as f32,
                damping: (2.0 * zeta * m.stiffness.sqrt()) as f32,
                across: m.tangential_stiffness as f32,
                friction: m.friction as f32,
                rolling: m.rolling_friction as f32,
            },
            gravity: self.gravity.as_vec3().to_array(),
            inverse_mass: 1.0 / mass(m.density, self.radii[0]),
            radius: self.radii[0],
        };
        let variant = Variant {
            rolling: m.rolling_friction > 0.0,
            equal: self.radii[0] == self.radii[1],
        };
        (globals, variant)
    }

    /// One sub-step: every chunk reads the state before and writes its part of the state after.
    fn substep(&mut self, globals: &Globals, variant: Variant) -> Outcome {
        self.spare.rows.resize(self.rows.len(), Row::NOWHERE);
        let scene = Scene {
            level: self.options.level,
            variant,
            globals,
            walls: &self.walls,
            before: &self.rows,
        };
        let outcome = each_chunk(&scene, &mut self.lists, &mut self.spare.rows);
        // A grain that is about to pass a wall stays on its side, however often the flow is asked to go on.
        if !outcome.pierced {
            core::mem::swap(&mut self.rows, &mut self.spare.rows);
        }
        outcome
    }
}

/// Steps every chunk and combines what happened, in any order: it is a union.
pub(super) fn each_chunk(scene: &Scene<'_>, lists: &mut [Lists], after: &mut [Row]) -> Outcome {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        lists
            .par_iter_mut()
            .zip(after.par_chunks_mut(CHUNK))
            .enumerate()
            .map(|(i, (lists, after))| chunk::step(scene, i * CHUNK, lists, after))
            .reduce(Outcome::default, Outcome::or)
    }
    #[cfg(not(feature = "parallel"))]
    lists
        .iter_mut()
        .zip(after.chunks_mut(CHUNK))
        .enumerate()
        .map(|(i, (lists, after))| chunk::step(scene, i * CHUNK, lists, after))
        .fold(Outcome::default(), Outcome::or)
}

/// Mass of a solid sphere, kg.
pub(super) fn mass(density: f64, radius: f32) -> f32 {
    let r = f64::from(radius);
    (density * 4.0 / 3.0 * std::f64::consts::PI * r * r * r) as f32
}

pub(super) fn check_radius(grain: usize, radius: f32) -> Result<(), FlowError> {
    if (RADII[0]..=RADII[1]).contains(&radius) {
        Ok(())
    } else {
        Err(FlowError::Radius { grain, radius })
    }
}

fn check_grain(index: usize, grain: &Grain) -> Result<(), FlowError> {
    check_radius(index, grain.radius)?;
    for (what, v, most) in [
        ("centre", grain.centre, FARTHEST_PLACE),
        ("velocity", grain.velocity, 1e6),
        ("spin", grain.spin, 1e9),
    ] {
        for value in v.to_array() {
            if value.is_nan() || value.abs() > most {
                return Err(FlowError::Grain {
                    grain: index,
                    what,
                    value,
                });
            }
        }
    }
    Ok(())
}

fn check_material(m: &GrainMaterial) -> Result<(), FlowError> {
    let finite = 0.0..=1e12;
    let checks = [
        (
            "density",
            m.density,
            m.density > 0.0 && finite.contains(&m.density),
            "positive and at most 1e12 kg/m³",
        ),
        (
            "stiffness",
            m.stiffness,
            m.stiffness > 0.0 && finite.contains(&m.stiffness),
            "positive and at most 1e12 N/m",
        ),
        (
            "tangential stiffness",
            m.tangential_stiffness,
            (0.0..=1.0).contains(&m.tangential_stiffness),
            "between 0 and 1",
        ),
        (
            "restitution",
            m.restitution,
            (0.01..=1.0).contains(&m.restitution),
            "between 0.01 and 1",
        ),
        (
            "friction",
            m.friction,
            (0.0..=100.0).contains(&m.friction),
            "between 0 and 100",
        ),
        (
            "rolling friction",
            m.rolling_friction,
            (0.0..=100.0).contains(&m.rolling_friction),
            "between 0 and 100",
        ),
    ];
    for (what, value, fine, range) in checks {
        if !fine {
            return Err(FlowError::Material { what, value, range });
        }
    }
    Ok(())
}
