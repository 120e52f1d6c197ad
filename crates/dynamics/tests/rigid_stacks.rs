//! Bodies on top of each other, on slopes and asleep.

mod rigid_common;

use glam::DVec3;
use jostle_dynamics::{BodyWorld, WorldOptions};
use jostle_geom::Rotation;
use jostle_scenes::bodies::SceneBody;
use jostle_simd::SimdLevel;
use rigid_common::{Builder, exact};

fn rough(friction: f64) -> SceneBody {
    SceneBody {
        friction,
        ..SceneBody::default()
    }
}

/// How far a block slides down a slope in two seconds.
fn slide(slope: f64, friction: f64) -> f64 {
    let mut builder = Builder::new();
    builder.floor(slope, rough(friction));
    let turned = Rotation::from_axis_angle(DVec3::Y, slope);
    let up = turned.rotate(DVec3::Z);
    let mut body = rough(friction);
    body.pose.rotation = turned;
    builder.block(DVec3::new(0.5, 0.5, 0.1), up * 0.11, body);
    let mut world = builder.world(&exact());
    for _ in 0..120 {
        world.step().unwrap();
    }
    (world.bodies().last().unwrap().centre - up * 0.11).length()
}

#[test]
fn blocks_stick_and_slide_at_the_angle_of_friction() {
    let slope = 0.4_f64;
    let angle = libm::tan(slope);
    assert!(
        slide(slope, angle * 1.02) < 0.01,
        "{}",
        slide(slope, angle * 1.02)
    );
    for friction in [0.0, 0.2, 0.35] {
        let acceleration = 9.81 * (libm::sin(slope) - friction * libm::cos(slope));
        let (way, expected) = (slide(slope, friction), 2.0 * acceleration);
        assert!(
            (way / expected - 1.0).abs() < 0.02,
            "{friction}: {way} {expected}"
        );
    }
}

fn tower(blocks: usize) -> Builder {
    let mut builder = Builder::new();
    builder.floor(0.0, rough(0.5));
    for i in 0..blocks {
        let at = DVec3::new(0.0, 0.0, 0.51 + 1.01 * i as f64);
        builder.block(DVec3::splat(0.5), at, rough(0.5));
    }
    builder
}

#[test]
fn ten_boxes_stand() {
    let mut world = tower(10).world(&WorldOptions::default());
    let start = world.bodies().last().unwrap().centre;
    for _ in 0..600 {
        world.step().unwrap();
    }
    let end = world.bodies().last().unwrap().centre;
    assert!((end - start).length() < 0.02, "{end}");
    let report = world.report();
    assert!(report.kinetic < 1e-8, "{report:?}");
    assert!(report.max_penetration < 1e-6, "{report:?}");
    assert_eq!(report.escaped, 0);
}

/// A pyramid with a base of seven.
fn pyramid() -> Builder {
    let mut builder = Builder::new();
    builder.floor(0.0, rough(0.5));
    for row in 0..7_u32 {
        for i in 0..7 - row {
            let x = 1.05 * (f64::from(i) + 0.5 * f64::from(row));
            let at = DVec3::new(x, 0.0, 0.51 + 1.01 * f64::from(row));
            builder.block(DVec3::splat(0.5), at, rough(0.5));
        }
    }
    builder
}

#[test]
fn pyramids_stand() {
    let mut world = pyramid().world(&WorldOptions::default());
    let start: Vec<_> = world.bodies().map(|body| body.centre).collect();
    for _ in 0..300 {
        world.step().unwrap();
    }
    for (body, start) in world.bodies().zip(start) {
        assert!((body.centre - start).length() < 0.02, "{body:?}");
    }
    assert!(world.report().kinetic < 1e-8, "{:?}", world.report());
}

#[test]
fn balls_stand_on_each_other() {
    let mut builder = Builder::new();
    builder.floor(0.0, rough(0.5));
    for i in 0..5 {
        builder.ball(
            0.5,
            DVec3::new(0.0, 0.0, 0.51 + 1.01 * f64::from(i)),
            rough(0.5),
        );
    }
    let mut world = builder.world(&WorldOptions::default());
    for _ in 0..120 {
        world.step().unwrap();
    }
    for (i, body) in world.bodies().skip(1).enumerate() {
        let off = body.centre - DVec3::new(0.0, 0.0, 0.51 + 1.01 * i as f64);
        assert!(off.length() < 0.02, "{i}: {off}");
    }
}

#[test]
fn pushing_bodies_apart_adds_no_energy() {
    let mut builder = Builder::weightless();
    for i in 0..8 {
        let at = DVec3::new(0.9 * f64::from(i), 0.0, 0.0);
        builder.ball(0.5, at, rough(0.5));
    }
    let mut world = builder.world(&exact());
    let depth = |world: &BodyWorld| world.report().max_penetration;
    world.step().unwrap();
    assert!(depth(&world) > 0.05);
    for _ in 0..120 {
        world.step().unwrap();
        assert_eq!(world.report().kinetic, 0.0);
    }
    assert_eq!(depth(&world), 0.0);
}

#[test]
fn results_depend_neither_on_threads_nor_on_levels() {
    let mut scene = pyramid();
    // Something that falls in, and is deep in something else.
    scene.ball(0.6, DVec3::new(3.0, 0.1, 9.5), rough(0.3));
    scene.block(DVec3::splat(0.4), DVec3::new(1.0, 0.3, 2.0), rough(0.3));
    // Enough to be solved on two threads.
    for i in 0..256 {
        let (x, y) = (f64::from(i % 16), f64::from(i / 16));
        let at = DVec3::new(12.0 + 0.95 * x, 0.95 * y, 0.45);
        scene.ball(0.5, at, rough(0.3));
    }
    let run = |threads: usize, level: SimdLevel| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut world = scene.world(&WorldOptions {
                level: level.token().unwrap(),
                sleeping: true,
                ..WorldOptions::default()
            });
            for _ in 0..40 {
                world.step().unwrap();
            }
            world.state_hash()
        })
    };
    let expected = run(1, SimdLevel::Scalar);
    for level in SimdLevel::available() {
        assert_eq!(run(2, level), expected, "{level}");
    }
    for threads in [1, 4] {
        assert_eq!(run(threads, SimdLevel::Auto), expected, "{threads}");
    }
}

#[test]
fn islands_sleep_and_wake_together() {
    let mut builder = tower(3);
    builder.ball(0.5, DVec3::new(30.0, 0.0, 0.51), rough(0.5));
    let mut world = builder.world(&WorldOptions {
        sleeping: true,
        ..WorldOptions::default()
    });
    let asleep = |world: &BodyWorld| world.report().asleep;
    for _ in 0..90 {
        world.step().unwrap();
    }
    assert_eq!(asleep(&world), 4);
    let still = world.state_hash();
    let stats = world.step().unwrap();
    assert_eq!((stats.contacts, stats.asleep), (0, 4));
    assert_eq!(world.state_hash(), still);
    // A user wakes the tower by its top, and not the ball far away.
    let top = world.bodies().nth(3).unwrap();
    world
        .set_velocity(top.id, DVec3::X * 0.2, DVec3::ZERO)
        .unwrap();
    assert_eq!(asleep(&world), 1);
    for _ in 0..90 {
        world.step().unwrap();
    }
    assert_eq!(asleep(&world), 4);
    // What falls on the ball wakes the ball alone.
    let ball = SceneBody {
        shape: 4,
        ..rough(0.5)
    };
    let mut falling = ball;
    falling.pose.position = DVec3::new(30.2, 0.0, 2.0);
    let lowest = world.bodies().nth(1).unwrap();
    world.remove_body(lowest.id).unwrap();
    assert_eq!(asleep(&world), 1);
    for _ in 0..120 {
        world.step().unwrap();
    }
    // Two blocks fell by one and sleep again.
    assert_eq!(asleep(&world), 3);
    let top = world.bodies().nth(2).unwrap();
    assert!((top.centre.z - 1.52).abs() < 0.03, "{top:?}");
    // The place of the block is taken by a ball that falls on the other one.
    let id = world.add_body(&falling).unwrap();
    assert_eq!((id.index, id.generation), (1, 1));
}

#[test]
fn sleepers_are_woken_by_what_hits_them() {
    let mut builder = tower(2);
    let rest = builder.ball(0.5, DVec3::new(5.0, 0.0, 0.51), rough(0.5));
    let mut late = rough(0.5);
    late.velocity = DVec3::new(-4.0, 0.0, 0.0);
    builder.ball(0.5, DVec3::new(12.0, 0.0, 0.51), late);
    let mut world = builder.world(&WorldOptions {
        sleeping: true,
        ..WorldOptions::default()
    });
    let mut slept = false;
    for _ in 0..180 {
        world.step().unwrap();
        slept |= world.bodies().nth(rest).unwrap().asleep;
    }
    let ball = world.bodies().nth(rest).unwrap();
    assert!(slept && !ball.asleep && ball.centre.x < 4.9, "{ball:?}");
}

#[test]
fn far_from_the_origin_motion_is_the_same() {
    let run = |shift: DVec3| {
        let mut builder = tower(3);
        let mut thrown = rough(0.4);
        thrown.velocity = DVec3::new(5.0, 0.3, 0.0);
        builder.block(DVec3::splat(0.3), DVec3::new(-3.0, 0.1, 2.5), thrown);
        for body in &mut builder.scene.bodies {
            body.pose.position += shift;
        }
        let mut world = builder.world(&WorldOptions::default());
        for _ in 0..60 {
            world.step().unwrap();
        }
        world
            .bodies()
            .map(|body| body.centre - shift)
            .collect::<Vec<_>>()
    };
    let near = run(DVec3::ZERO);
    for (far, tolerance) in [(1e4, 1e-6), (1e6, 1e-4)] {
        for (a, b) in near.iter().zip(run(DVec3::new(far, -far, far))) {
            assert!((*a - b).length() < tolerance, "{far}: {a} {b}");
        }
    }
}
