//! Worlds in which contacts have to be good, and how good they were.

use core::f64::consts::TAU;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use jostle::dynamics::{BodyWorld, WorldError, WorldOptions};
use jostle::geom::{Pose, Rng, Rotation};
use jostle::scenes::bodies::{BodyScene, Motion, SceneBody};
use jostle::sdf::Shape;

/// Bodies that are dropped side by side.
pub(super) const DROPS: usize = 20;

/// Between them, m.
pub(super) const APART: f64 = 8.0;

/// Cells along the longest side for samples of a surface.
const CELLS: usize = 56;

/// Samples of the surface of a shape, in its own coordinates: the nearest points of a grid around it.
pub(super) fn surface(shape: &Shape) -> Vec<Vec3> {
    let bounds = shape.aabb();
    let extent = bounds.max - bounds.min;
    let edge = extent.max_element() / CELLS as f32;
    let counts = (extent / edge).ceil();
    let mut points = Vec::new();
    for z in 0..=counts.z as usize {
        for y in 0..=counts.y as usize {
            for x in 0..=counts.x as usize {
                let mut p = bounds.min + Vec3::new(x as f32, y as f32, z as f32) * edge;
                let mut value = shape.field().sample(p).value;
                if value.abs() > edge {
                    continue;
                }
                for _ in 0..4 {
                    let s = shape.field().sample(p);
                    let gradient = Vec3::from(s.gradient);
                    p -= gradient * (s.value / gradient.length_squared().max(0.25));
                    value = shape.field().sample(p).value;
                }
                if value.abs() < 1e-4 * extent.max_element() {
                    points.push(p);
                }
            }
        }
    }
    points
}

fn fixed(shape: u32, scale: f32, position: DVec3) -> SceneBody {
    SceneBody {
        shape,
        scale,
        pose: Pose::new(position, Rotation::IDENTITY),
        motion: Motion::Static,
        ..SceneBody::default()
    }
}

fn scene(shapes: Vec<Arc<Shape>>, bodies: Vec<SceneBody>, half: f64) -> BodyScene {
    BodyScene {
        shapes,
        bodies,
        gravity: DVec3::NEG_Z * 9.81,
        world: [
            DVec3::new(-half, -half, -0.5),
            DVec3::new(half, half, 100.0),
        ],
    }
}

/// A body dropped from many orientations onto one that does not move.
pub(super) struct Drop {
    /// Of unit size.
    pub body: Arc<Shape>,
    /// What it falls onto, by how much larger, and how far its top is above its origin.
    pub onto: Arc<Shape>,
    pub scale: f32,
    pub top: f64,
}

impl Drop {
    /// The deepest that the true surfaces overlapped, in sizes of the body, and how many bodies escaped.
    ///
    /// All points of the one surface are looked up in the other field, in every fourth frame.
    pub(super) fn run(
        &self,
        options: &WorldOptions,
        frames: usize,
        seed: u64,
    ) -> Result<(f64, u64), WorldError> {
        let mut bodies = Vec::new();
        for i in 0..DROPS {
            let mut rng = Rng::new(seed, i as u64);
            let at = DVec3::new((i % 5) as f64, (i / 5) as f64, 0.0) * APART;
            bodies.push(fixed(1, self.scale, at));
            let turn = rng.direction();
            bodies.push(SceneBody {
                pose: Pose::new(
                    at + DVec3::Z * (self.top + 1.2),
                    Rotation::from_axis_angle(turn, rng.range(0.0, TAU)),
                ),
                ..SceneBody::default()
            });
        }
        let scene = scene(
            vec![Arc::clone(&self.body), Arc::clone(&self.onto)],
            bodies,
            1e3,
        );
        let mut world = BodyWorld::new(&scene, options)?;
        let points = [surface(&self.body), surface(&self.onto)];
        let mut worst: f64 = 0.0;
        for frame in 0..frames {
            world.step()?;
            if frame % 4 == 3 {
                let states: Vec<_> = world.bodies().collect();
                for pair in states.chunks_exact(2) {
                    let (onto, body) = (&pair[0], &pair[1]);
                    let scale = f64::from(onto.scale);
                    worst = worst.max(deepest(
                        &points[0], &body.pose, 1.0, &onto.pose, scale, &self.onto,
                    ));
                    worst = worst.max(deepest(
                        &points[1], &onto.pose, scale, &body.pose, 1.0, &self.body,
                    ));
                }
            }
        }
        Ok((worst, world.report().escaped))
    }
}

/// How deep the deepest point of one surface is in another body, m; 0 when none is.
fn deepest(
    points: &[Vec3],
    from: &Pose,
    from_scale: f64,
    to: &Pose,
    to_scale: f64,
    shape: &Shape,
) -> f64 {
    let bounds = shape.aabb();
    let turn = to.rotation.inverse().after(from.rotation);
    let matrix = turn.matrix() * (from_scale / to_scale);
    let offset = to.rotation.inverse().rotate(from.position - to.position) / to_scale;
    let mut worst: f32 = 0.0;
    for p in points {
        let q = (matrix * p.as_dvec3() + offset).as_vec3();
        if q.cmpge(bounds.min).all() && q.cmple(bounds.max).all() {
            let s = shape.field().sample(q);
            let slope = Vec3::from(s.gradient).length().max(0.25);
            worst = worst.max(-s.value / slope);
        }
    }
    f64::from(worst) * to_scale
}

/// A tower: how far it drifts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drifted {
    /// Of the top body across, at most, m.
    pub drift: f64,
    /// When the top had sunk by more than it could while the tower stands, s.
    pub fell: Option<f64>,
    pub escaped: u64,
}

/// How many boxes stand on each other.
const BOXES: u32 = 10;

/// Unit boxes on each other, with gaps, on a ground whose top is at 0.
pub(super) fn tower_of(shape: &Arc<Shape>, ground: &SceneBody, floor: &Arc<Shape>) -> BodyScene {
    const GAP: f64 = 0.015;
    let mut bodies = vec![SceneBody {
        shape: 1,
        ..*ground
    }];
    for level in 0..BOXES {
        let z = 0.5 + GAP + f64::from(level) * (1.0 + GAP);
        bodies.push(SceneBody {
            pose: Pose::new(DVec3::Z * z, Rotation::IDENTITY),
            ..SceneBody::default()
        });
    }
    scene(vec![Arc::clone(shape), Arc::clone(floor)], bodies, 50.0)
}

impl Drifted {
    /// What counts: a tower that fell has drifted by a body at least.
    pub(super) fn value(&self) -> f64 {
        match self.fell {
            Some(_) => self.drift.max(1.0),
            None => self.drift,
        }
    }
}

/// Watches the last body of a scene from one time to another, s.
pub(super) fn tower(
    scene: &BodyScene,
    options: &WorldOptions,
    from: f64,
    to: f64,
) -> Result<Drifted, WorldError> {
    let mut world = BodyWorld::new(scene, options)?;
    let (first, last) = ((from / options.frame) as u64, (to / options.frame) as u64);
    let mut start = DVec3::ZERO;
    let mut found = Drifted {
        drift: 0.0,
        fell: None,
        escaped: 0,
    };
    for frame in 0..last.max(first + 1) {
        if frame == first {
            start = top(&world);
        }
        world.step()?;
        if frame >= first {
            let way = top(&world) - start;
            found.drift = found.drift.max(way.truncate().length());
            if way.z < -0.2 && found.fell.is_none() {
                found.fell = Some(frame as f64 * options.frame);
            }
        }
    }
    found.escaped = world.report().escaped;
    Ok(found)
}

fn top(world: &BodyWorld) -> DVec3 {
    world.bodies().last().map_or(DVec3::ZERO, |b| b.centre)
}

/// What a pile did.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    /// Time and kinetic energy of a body in the mean, s and J: in the mean over a tenth of a second.
    pub curve: Vec<(f64, f64)>,
    /// The deepest contact after the first second, m.
    pub penetration: f64,
    pub escaped: u64,
}

impl Settled {
    /// The largest value of the curve after a time.
    pub(super) fn after(&self, time: f64) -> f64 {
        let late = self.curve.iter().filter(|(t, _)| *t > time);
        late.map(|(_, e)| *e).fold(0.0, f64::max)
    }
}

/// Lets a scene run.
pub(super) fn pile(
    scene: &BodyScene,
    options: &WorldOptions,
    seconds: f64,
) -> Result<Settled, WorldError> {
    const MEAN: usize = 6;
    let mut world = BodyWorld::new(scene, options)?;
    let moving = scene.bodies.iter().filter(|b| b.motion == Motion::Dynamic);
    let share = 1.0 / (moving.count().max(1) * MEAN) as f64;
    let mut found = Settled {
        curve: Vec::new(),
        penetration: 0.0,
        escaped: 0,
    };
    let mut sum = 0.0;
    for frame in 1..=(seconds / options.frame) as usize {
        world.step()?;
        let report = world.report();
        sum += report.kinetic;
        let time = frame as f64 * options.frame;
        if time > 1.0 {
            found.penetration = found.penetration.max(report.max_penetration);
        }
        if frame % MEAN == 0 {
            found.curve.push((time, sum * share));
            sum = 0.0;
        }
        found.escaped = found.escaped.max(report.escaped);
    }
    Ok(found)
}
