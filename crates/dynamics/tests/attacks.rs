//! Input at the edge of what is possible, and what a flow makes of it.

mod common;

use std::collections::HashMap;
use std::sync::Arc;

use common::{elastic, flow, moving, plane, scene};
use glam::{DVec3, Vec3};
use jostle_dynamics::{FlowError, FlowOptions, GrainFlow};
use jostle_scenes::Rng;
use jostle_scenes::grains::{
    Drain, Emitter, Grain, GrainMaterial, GrainScene, WallField, WallShape,
};
use jostle_simd::{Aabb, SimdLevel};

fn rough(stiffness: f64, rolling: f64) -> GrainMaterial {
    GrainMaterial {
        restitution: 0.7,
        friction: 0.5,
        rolling_friction: rolling,
        ..elastic(stiffness)
    }
}

fn refused(scene: &GrainScene) -> FlowError {
    match GrainFlow::new(scene, &FlowOptions::default()) {
        Err(error) => error,
        Ok(_) => panic!("not refused"),
    }
}

/// Every pair of grains in double precision, with springs that remember: no lists, no lanes.
struct Reference {
    material: GrainMaterial,
    gravity: DVec3,
    radii: Vec<f64>,
    masses: Vec<f64>,
    /// Centre, velocity and surface velocity.
    grains: Vec<[DVec3; 3]>,
    springs: HashMap<(usize, usize), [DVec3; 2]>,
    contacts: usize,
}

impl Reference {
    fn new(scene: &GrainScene) -> Self {
        let radii: Vec<f64> = scene.grains.iter().map(|g| f64::from(g.radius)).collect();
        let mass = |r: &f64| scene.material.density * 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let state = |g: &Grain| [g.centre, g.velocity, g.spin * g.radius].map(Vec3::as_dvec3);
        Self {
            material: scene.material,
            gravity: scene.gravity,
            masses: radii.iter().map(mass).collect(),
            radii,
            grains: scene.grains.iter().map(state).collect(),
            springs: HashMap::new(),
            contacts: 0,
        }
    }

    fn step(&mut self, dt: f64) {
        let n = self.radii.len();
        let mut pushes = vec![[DVec3::ZERO; 2]; n];
        for a in 0..n {
            for b in a + 1..n {
                self.push([a, b], dt, &mut pushes);
            }
        }
        for (i, [centre, velocity, surface]) in self.grains.iter_mut().enumerate() {
            *velocity += (pushes[i][0] / self.masses[i] + self.gravity) * dt;
            *surface += pushes[i][1] * (2.5 * dt / self.masses[i]);
            *centre += *velocity * dt;
        }
    }

    fn push(&mut self, [a, b]: [usize; 2], dt: f64, pushes: &mut [[DVec3; 2]]) {
        let m = &self.material;
        let ([p, v, u], [q, w, s]) = (self.grains[a], self.grains[b]);
        let (reach, distance) = (self.radii[a] + self.radii[b], p.distance(q));
        if distance >= reach {
            self.springs.remove(&(a, b));
            return;
        }
        self.contacts += 1;
        let ln = -libm::log(m.restitution);
        let zeta = ln / (std::f64::consts::PI * std::f64::consts::PI + ln * ln).sqrt();
        let reduced = self.masses[a] * self.masses[b] / (self.masses[a] + self.masses[b]);
        let damping = 2.0 * zeta * (m.stiffness * reduced).sqrt();
        let normal = (q - p) / distance;
        let velocity = v - w + (u + s).cross(normal);
        let closing = velocity.dot(normal);
        let force = (m.stiffness * (reach - distance) + damping * closing).max(0.0);
        let slider = |spring: &mut DVec3, rate: DVec3, limit: f64| {
            *spring += rate * dt;
            *spring -= normal * spring.dot(normal);
            let trial = (*spring * m.stiffness + rate * damping) * m.tangential_stiffness;
            let share = (limit / trial.length()).min(1.0);
            *spring *= share;
            trial * share
        };
        let [slide, roll] = self.springs.entry((a, b)).or_default();
        let slide = slider(slide, velocity - normal * closing, force * m.friction);
        let (own, its) = (self.radii[b] / reach, self.radii[a] / reach);
        let rate = normal.cross(u * own - s * its);
        let roll = normal.cross(slider(roll, rate, force * m.rolling_friction));
        let along = slide + normal * force;
        pushes[a][0] -= along;
        pushes[b][0] += along;
        pushes[a][1] += slide.cross(normal) + roll * own;
        pushes[b][1] += slide.cross(normal) - roll * its;
    }
}

/// Grains go where a sum over all pairs in double precision takes them: no contact is missed, none counts twice.
#[test]
fn grains_move_as_all_pairs_say() {
    for (radii, rolling) in [([0.1, 0.1], 0.0), ([0.1, 0.2], 0.2), ([0.1, 1.0], 0.2)] {
        let mut rng = Rng::new(77, 0);
        let mut grains: Vec<Grain> = Vec::new();
        for i in 0..1300 {
            let radius = if i % 80 == 0 { radii[1] } else { radii[0] };
            let side = f64::from(radii[0] + radii[1]) * 3.0;
            let new = Grain {
                centre: (rng.cube() * side).as_vec3(),
                velocity: (rng.cube() * 0.2).as_vec3(),
                spin: (rng.cube() * 2.0).as_vec3(),
                radius,
            };
            let overlap = |g: &Grain| g.radius + radius - g.centre.distance(new.centre);
            if grains.iter().all(|g| overlap(g) < 0.06 * radii[0]) {
                grains.push(new);
            }
        }
        let mut scene = scene(rough(1e4, rolling), grains, Vec::new());
        scene.gravity = DVec3::new(0.3, 0.0, -1.0);
        let options = FlowOptions {
            frame: flow(&scene).time_step().dt,
            substeps: Some(1),
            ..FlowOptions::default()
        };
        let mut flow = GrainFlow::new(&scene, &options).expect("the scene is fine");
        let mut reference = Reference::new(&scene);
        for _ in 0..40 {
            let substeps = flow.step().expect("it steps").substeps;
            for _ in 0..substeps {
                reference.step(options.frame / f64::from(substeps));
            }
        }
        assert!(reference.contacts > 200, "{}", reference.contacts);
        for (grain, [centre, ..]) in flow.grains().iter().zip(&reference.grains) {
            let off = grain.centre.as_dvec3().distance(*centre);
            assert!(off < 2e-5, "{radii:?} {rolling}: {off} m");
        }
    }
}

/// A far grain changes nothing about which of the others touch, wherever cells begin.
#[test]
fn far_grains_hide_no_contacts() {
    let row: Vec<Grain> = (0..1000)
        .map(|i| Grain::at_rest(Vec3::X * (0.19 * i as f32), 0.1))
        .collect();
    for far in [-1e6, -1e7, -1e9, -1e14] {
        let mut grains = row.clone();
        grains.push(Grain::at_rest(Vec3::X * far, 0.1));
        let flow = flow(&scene(elastic(1e4), grains, Vec::new()));
        assert_eq!(flow.report().contacts, 999, "{far}");
    }
}

/// The smallest grains at the farthest places: cells have numbers there, too.
#[test]
fn the_smallest_grains_go_as_far_as_any() {
    let grains = [Vec3::ZERO, Vec3::splat(1e15), Vec3::splat(-1e15)];
    let grains = grains.map(|p| Grain::at_rest(p, 1e-6)).to_vec();
    let mut flow = flow(&scene(elastic(1e-6), grains, Vec::new()));
    flow.step().expect("it steps");
    assert_eq!(flow.report().contacts, 0);
}

/// Motion so small that squares of forces vanish is the same at every level.
#[test]
fn tiny_motion_is_the_same_at_every_level() {
    let mut grains = vec![
        Grain::at_rest(Vec3::ZERO, 0.1),
        Grain::at_rest(Vec3::X * 0.19, 0.1),
    ];
    for i in 1..6 {
        let at = Vec3::Y * i as f32;
        grains.push(moving(at, Vec3::Z * 1e-30, 0.1));
        grains.push(moving(at + Vec3::X * 0.2005, Vec3::Z * -1e-30, 0.1));
    }
    let scene = scene(rough(1e4, 0.1), grains, Vec::new());
    let run = |level: SimdLevel| {
        let options = FlowOptions {
            level: level.token().expect("the level is there"),
            ..FlowOptions::default()
        };
        let mut flow = GrainFlow::new(&scene, &options).expect("the scene is fine");
        flow.step().expect("it steps");
        flow.state_hash()
    };
    for level in SimdLevel::ALL {
        if level.token().is_ok() {
            assert_eq!(run(level), run(SimdLevel::Scalar), "{level:?}");
        }
    }
}

fn emitter(region: Aabb) -> Emitter {
    Emitter {
        region,
        velocity: Vec3::ZERO,
        radii: [0.1, 0.1],
        rate: 0.0,
        limit: 0,
    }
}

/// Regions of more places than can be counted, and beyond where grains may be, are refused.
#[test]
fn huge_emitters_are_refused() {
    let mut scene = scene(elastic(1e4), Vec::new(), Vec::new());
    for x in [1e10, 1e30, f32::MAX] {
        let (line, point) = (Vec3::X * x, Vec3::splat(x.max(1e16)));
        for region in [Aabb::new(Vec3::ZERO, line), Aabb::new(point, point)] {
            scene.emitters = vec![emitter(region)];
            let error = refused(&scene);
            assert!(matches!(error, FlowError::Traffic { .. }), "{error}");
        }
    }
}

/// Grains that come in again where smaller ones are made do not overlap.
#[test]
fn large_grains_come_in_again_apart() {
    let grains = (0..20).map(|i| Grain::at_rest(Vec3::new(3.0 * i as f32, 0.0, -9.0), 1.0));
    let mut scene = scene(elastic(1e4), grains.collect(), Vec::new());
    scene.emitters = vec![emitter(Aabb::new(Vec3::ZERO, Vec3::new(10.0, 10.0, 0.0)))];
    scene.drains.push(Drain {
        normal: Vec3::Z,
        offset: -1.0,
        recycle: true,
    });
    let mut flow = flow(&scene);
    for _ in 0..10 {
        flow.step().expect("it steps");
    }
    let report = flow.report();
    assert!(report.inside > 10, "{report:?}");
    assert_eq!(report.contacts, 0);
    assert_eq!(report.emitted, report.inside + report.drained);
}

/// Masses and accelerations that no arithmetic can use are refused.
#[test]
fn impossible_masses_and_gravity_are_refused() {
    let good = scene(
        elastic(1e4),
        vec![Grain::at_rest(Vec3::ZERO, 1e-6)],
        Vec::new(),
    );
    let mut light = good.clone();
    (light.material.density, light.material.stiffness) = (1e-24, 1e-40);
    assert!(matches!(
        refused(&light),
        FlowError::Material {
            what: "density",
            ..
        }
    ));
    for g in [f64::NAN, f64::INFINITY, 1e39] {
        let mut bad = good.clone();
        bad.gravity.z = g;
        assert!(matches!(
            refused(&bad),
            FlowError::Material {
                what: "gravity",
                ..
            }
        ));
    }
}

/// No sub-steps at all are too few.
#[test]
fn no_substeps_are_too_few() {
    let scene = scene(elastic(1e4), Vec::new(), Vec::new());
    let options = FlowOptions {
        substeps: Some(0),
        ..FlowOptions::default()
    };
    assert!(matches!(
        GrainFlow::new(&scene, &options),
        Err(FlowError::Unstable { .. })
    ));
}

/// A grain that was about to pass a wall does not pass it when the flow is asked to go on.
#[test]
fn going_on_after_an_error_takes_nothing_through_walls() {
    let heavy = moving(Vec3::Z * 0.5, Vec3::Z * -20.0, 0.1);
    let mut flow = flow(&scene(elastic(1e3), vec![heavy], vec![plane(Vec3::Z, 0.0)]));
    let errors = (0..20).filter(|_| flow.step().is_err()).count();
    assert!(errors > 10, "{errors}");
    assert!(flow.grains()[0].centre.z > 0.0);
}

/// Grains in one place are refused before lists of all their pairs fill the memory, whoever asks how often.
#[test]
fn crowds_are_refused() {
    let crowd = vec![Grain::at_rest(Vec3::ZERO, 0.1); 3600];
    let mut flow = flow(&scene(elastic(1e4), crowd, Vec::new()));
    for _ in 0..2 {
        assert_eq!(flow.step(), Err(FlowError::Crowded));
        assert_eq!(flow.report().inside, 3600);
    }
}

/// Lists of small grains stay short beside one that is much larger, however fast the small ones are.
#[test]
fn a_large_grain_makes_no_long_lists_for_small_ones() {
    let mut rng = Rng::new(5, 0);
    let mut grains = vec![Grain::at_rest(Vec3::Z * -3.11, 3.0)];
    for i in 0..1000 {
        let at = Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32);
        grains.push(moving(at * 0.21, (rng.cube() * 10.0).as_vec3(), 0.1));
    }
    let mut flow = flow(&scene(rough(1e7, 0.0), grains, Vec::new()));
    flow.step().expect("it steps");
    let pairs = flow.report().pairs;
    assert!(pairs < 60_000, "{pairs}");
}

/// A sheet of which every triangle is there from both sides pushes once.
#[test]
fn triangles_that_are_there_twice_push_once() {
    let vertices = vec![
        Vec3::new(-9.0, -9.0, 0.0),
        Vec3::new(9.0, -9.0, 0.0),
        Vec3::Y * 9.0,
    ];
    let run = |faces: &[[u32; 3]]| {
        let wall = WallShape::Triangles {
            vertices: vertices.clone(),
            faces: faces.to_vec(),
            solid: false,
        };
        let ball = moving(Vec3::Z * 0.15, Vec3::Z * -3.0, 0.1);
        let mut flow = flow(&scene(elastic(1e6), vec![ball], vec![wall.into()]));
        for _ in 0..10 {
            flow.step().expect("it steps");
        }
        flow.grains()
    };
    assert_eq!(run(&[[0, 1, 2], [0, 2, 1], [1, 2, 0]]), run(&[[0, 1, 2]]));
}

/// A floor that is no distance field below where it is checked.
#[derive(Debug)]
struct Liar(Vec3);

impl WallField for Liar {
    fn distance(&self, p: Vec3) -> (f32, Vec3) {
        if p.z > 0.4 {
            (p.z, Vec3::Z)
        } else {
            (0.05, self.0)
        }
    }
}

/// What is not a number any more does not go on in silence.
#[test]
fn motion_that_is_no_number_stops_the_flow() {
    for away in [Vec3::Z * 1e30, Vec3::Z * f32::MAX] {
        let field = WallShape::Field(Arc::new(Liar(away)));
        let ball = moving(Vec3::Z * 0.5, Vec3::Z * -3.0, 0.1);
        let mut flow = flow(&scene(rough(1e4, 0.1), vec![ball], vec![field.into()]));
        let error = (0..60).find_map(|_| flow.step().err());
        assert!(
            matches!(error, Some(FlowError::TooFast { .. })),
            "{error:?}"
        );
    }
}

/// A floor that asks other threads where it is: while this one waits it takes up other work.
#[derive(Debug)]
struct Threads;

impl WallField for Threads {
    fn distance(&self, p: Vec3) -> (f32, Vec3) {
        rayon::yield_now();
        (p.z, Vec3::Z)
    }
}

/// A field may use threads: a thread that waits in the midst of a chunk takes up another one.
#[test]
fn fields_may_use_threads() {
    let mut rng = Rng::new(1, 0);
    let grains = (0..3000).map(|_| {
        let at = (rng.cube() * 1e3).as_vec3();
        Grain::at_rest(Vec3::new(at.x, at.y, 0.0999), 0.1)
    });
    let wall = WallShape::Field(Arc::new(Threads));
    let mut flow = flow(&scene(rough(1e4, 0.0), grains.collect(), vec![wall.into()]));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let stepped = pool.expect("threads start").install(|| flow.step().is_ok());
    assert!(stepped);
}
