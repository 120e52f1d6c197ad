//! Worlds whose contacts come from distance fields.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use jostle_dynamics::{BodyWorld, WorldOptions};
use jostle_geom::{Pose, Rng, Rotation};
use jostle_scenes::bodies::{BodyScene, BodySceneKind, Motion, SceneBody};
use jostle_sdf::{Field, Shape, ShapeOptions};
use jostle_simd::SimdLevel;
use jostle_testkit::surface_points;

fn shape(field: Field) -> Arc<Shape> {
    Arc::new(Shape::new(field, &ShapeOptions::default()).unwrap())
}

/// A ground whose face is at z = 0, boxes of a metre and balls of radius 0.5.
fn ground() -> BodyScene {
    let ground = Field::cuboid(Vec3::new(50.0, 50.0, 1.0)).unwrap();
    let cube = Field::cuboid(Vec3::splat(0.5)).unwrap();
    let ball = Field::sphere(0.5).unwrap();
    BodyScene {
        shapes: [ground, cube, ball].map(shape).to_vec(),
        bodies: vec![SceneBody {
            motion: Motion::Static,
            pose: Pose::new(DVec3::new(0.0, 0.0, -1.0), Rotation::IDENTITY),
            ..SceneBody::default()
        }],
        gravity: DVec3::new(0.0, 0.0, -9.81),
        world: [DVec3::new(-50.0, -50.0, -0.5), DVec3::splat(50.0)],
    }
}

const CUBE: u32 = 1;
const BALL: u32 = 2;

fn put(scene: &mut BodyScene, shape: u32, at: DVec3) -> &mut SceneBody {
    scene.bodies.push(SceneBody {
        shape,
        pose: Pose::new(at, Rotation::IDENTITY),
        ..SceneBody::default()
    });
    scene.bodies.last_mut().unwrap()
}

fn tower(cubes: usize) -> BodyScene {
    let mut scene = ground();
    for i in 0..cubes {
        put(&mut scene, CUBE, DVec3::Z * (0.52 + 1.02 * i as f64));
    }
    scene
}

fn pyramid(base: usize) -> BodyScene {
    let mut scene = ground();
    for row in 0..base {
        for i in 0..base - row {
            let x = 1.02 * (i as f64 + 0.5 * row as f64);
            put(
                &mut scene,
                CUBE,
                DVec3::new(x, 0.0, 0.52 + 1.02 * row as f64),
            );
        }
    }
    scene
}

fn run(scene: &BodyScene, options: &WorldOptions, frames: usize) -> BodyWorld {
    let mut world = BodyWorld::new(scene, options).unwrap();
    for _ in 0..frames {
        world.step().unwrap();
    }
    world
}

#[test]
fn a_ball_comes_to_rest_a_margin_above_the_ground() {
    let mut scene = ground();
    put(&mut scene, BALL, DVec3::new(0.3, 0.2, 1.5));
    let world = run(&scene, &WorldOptions::default(), 240);
    let ball = world.bodies().last().unwrap();
    assert!((0.5..0.53).contains(&ball.centre.z), "{ball:?}");
    assert!(ball.velocity.length() < 1e-3, "{ball:?}");
    assert_eq!(world.report().max_penetration, 0.0);
}

#[test]
fn towers_and_pyramids_of_fields_stand() {
    for scene in [tower(5), pyramid(4)] {
        let world = run(&scene, &WorldOptions::default(), 240);
        let report = world.report();
        assert!(report.kinetic < 1e-4, "{report:?}");
        assert_eq!((report.escaped, report.max_penetration), (0, 0.0));
        for (body, start) in world.bodies().zip(&scene.bodies) {
            let way = body.pose.position - start.pose.position;
            assert!(way.length() < 0.08, "{body:?}");
        }
    }
}

#[test]
fn towers_stand_far_from_the_origin() {
    let mut scene = tower(4);
    let shift = DVec3::new(1e4, -1e4, 1e4);
    for body in &mut scene.bodies {
        body.pose.position += shift;
    }
    let world = run(&scene, &WorldOptions::default(), 180);
    let top = world.bodies().last().unwrap();
    let off = top.centre - shift - DVec3::Z * (0.51 + 3.0 * 1.01);
    assert!(off.length() < 0.08, "{off}");
    assert!(world.report().kinetic < 1e-4);
}

#[test]
fn worlds_of_fields_depend_neither_on_threads_nor_on_levels() {
    let mut scene = pyramid(5);
    put(&mut scene, BALL, DVec3::new(1.0, 0.3, 6.5)).velocity = DVec3::new(1.0, 0.0, -3.0);
    let hash = |threads: usize, level: SimdLevel| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let options = WorldOptions {
            level: level.token().unwrap(),
            ..WorldOptions::default()
        };
        pool.install(|| run(&scene, &options, 30).state_hash())
    };
    let expected = hash(1, SimdLevel::Scalar);
    assert_eq!(hash(1, SimdLevel::Auto), expected);
    assert_eq!(hash(2, SimdLevel::Auto), expected);
    assert_eq!(hash(4, SimdLevel::Auto), expected);
}

#[test]
fn momentum_survives_impacts_of_fields() {
    let mut scene = ground();
    scene.bodies.clear();
    scene.gravity = DVec3::ZERO;
    for (shape, x, v) in [(CUBE, -1.5, 2.0), (BALL, 0.0, 0.0), (CUBE, 1.6, -1.0)] {
        let body = put(&mut scene, shape, DVec3::new(x, 0.1 * x, 0.0));
        body.velocity = DVec3::X * v;
        body.angular_velocity = DVec3::new(0.2, v, 0.3);
    }
    let options = WorldOptions {
        linear_damping: 0.0,
        angular_damping: 0.0,
        position_iterations: 0,
        ..WorldOptions::default()
    };
    let start = run(&scene, &options, 0).report();
    let end = run(&scene, &options, 120).report();
    assert!((end.momentum - start.momentum).length() < 1e-5);
    assert!((end.angular_momentum - start.angular_momentum).length() < 1e-5);
    assert!(end.kinetic < 0.9 * start.kinetic);
}

#[test]
fn coincident_fields_part() {
    let mut scene = ground();
    scene.gravity = DVec3::ZERO;
    for _ in 0..2 {
        put(&mut scene, CUBE, DVec3::splat(5.0));
    }
    let world = run(&scene, &WorldOptions::default(), 180);
    let report = world.report();
    assert!(report.max_penetration < 0.01, "{report:?}");
    assert!(report.kinetic < 1e-3, "{report:?}");
}

#[test]
fn towers_of_fields_sleep_and_wake() {
    let scene = tower(3);
    let options = WorldOptions {
        sleeping: true,
        ..WorldOptions::default()
    };
    let mut world = run(&scene, &options, 180);
    assert_eq!(world.report().asleep, 3);
    let before = world.bodies().last().unwrap().centre;
    let lowest = world.bodies().nth(1).unwrap();
    world
        .set_velocity(lowest.id, DVec3::ZERO, DVec3::ZERO)
        .unwrap();
    assert_eq!(world.report().asleep, 0);
    // They wake with the impulses that hold them.
    for _ in 0..10 {
        world.step().unwrap();
        assert!(world.report().kinetic < 1e-4, "{:?}", world.report());
    }
    let after = world.bodies().last().unwrap().centre;
    assert!((after - before).length() < 1e-3);
}

/// How deep any of some bodies with knobs is in the ground at any time after they fell onto it, m.
fn deepest_of_dropped(watch_moving: bool) -> f64 {
    let pile = BodySceneKind::BunnyPile.with_bodies(2, 0, None).unwrap();
    let mut scene = ground();
    scene
        .shapes
        .push(Arc::clone(&pile.shapes[pile.bodies[1].shape as usize]));
    let form = scene.shapes.len() as u32 - 1;
    for i in 0..25 {
        let mut rng = Rng::new(3, i);
        let at = DVec3::new((i % 5) as f64, (i / 5) as f64, 0.0) * 3.0 + DVec3::Z * 1.2;
        let turn = Rotation::from_axis_angle(rng.direction(), rng.range(0.0, 6.3));
        put(&mut scene, form, at).pose.rotation = turn;
    }
    let mut options = WorldOptions::default();
    options.contacts.watch_moving = watch_moving;
    let mut world = BodyWorld::new(&scene, &options).unwrap();
    let shape = &scene.shapes[form as usize];
    let field = |p| {
        let s = shape.field().sample(p);
        (s.value, s.gradient.into())
    };
    let points = surface_points(field, [shape.aabb().min, shape.aabb().max], 40);
    let mut deepest: f64 = 0.0;
    for _ in 0..200 {
        world.step().unwrap();
        for body in world.bodies().skip(1) {
            for p in &points {
                deepest = deepest.max(-body.pose.to_world(p.as_dvec3()).z);
            }
        }
    }
    deepest
}

#[test]
fn bodies_that_fall_and_roll_do_not_sink_in() {
    let (with, without) = (deepest_of_dropped(true), deepest_of_dropped(false));
    assert!(with < 1e-3, "{with} m deep");
    assert!(without > 3e-3, "nothing is to be missed here: {without}");
}

/// Where the gradient of a grid is short, between two ears or legs, it says nothing of where the surface is; contacts found by
/// it would be deep, and kick bodies that are at rest.
#[test]
fn bodies_at_rest_have_no_deep_contacts() {
    for seed in [2, 3] {
        let scene = BodySceneKind::BunnyPile
            .with_bodies(28, seed, None)
            .unwrap();
        let mut options = WorldOptions::default();
        options.contacts.seed = seed;
        let mut world = run(&scene, &options, 130);
        for _ in 130..480 {
            world.step().unwrap();
            let report = world.report();
            assert!(report.max_penetration < 0.005, "{seed}: {report:?}");
        }
        let kinetic = world.report().kinetic / 27.0;
        assert!(kinetic < 1e-3, "{seed}: {kinetic} J");
    }
}
