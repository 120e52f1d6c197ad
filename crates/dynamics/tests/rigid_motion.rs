//! Motion without contacts, and single impacts, against formulas.

mod rigid_common;

use glam::DVec3;
use jostle_dynamics::WorldOptions;
use jostle_scenes::bodies::{Motion, SceneBody};
use rigid_common::{Builder, exact};

fn thrown(velocity: DVec3, spin: DVec3) -> SceneBody {
    SceneBody {
        velocity,
        angular_velocity: spin,
        friction: 0.0,
        restitution: 1.0,
        ..SceneBody::default()
    }
}

#[test]
fn bodies_fall_as_they_should() {
    let mut builder = Builder::new();
    let start = DVec3::new(1.0, 2.0, 100.0);
    let velocity = DVec3::new(3.0, -1.0, 5.0);
    builder.ball(0.5, start, thrown(velocity, DVec3::new(0.0, 0.0, 2.0)));
    let options = exact();
    let mut world = builder.world(&options);
    for _ in 0..60 {
        world.step().unwrap();
    }
    let body = world.bodies().next().unwrap();
    // Velocity first, then position: half a sub-step ahead of the parabola.
    let (g, h) = (DVec3::new(0.0, 0.0, -9.81), options.substep());
    let expected = start + velocity + g * (0.5 + 0.5 * h);
    assert!(
        (body.centre - expected).length() < 1e-11,
        "{:?}",
        body.centre
    );
    assert!((body.velocity - (velocity + g)).length() < 1e-12);
    let turned = body.pose.rotation.rotate(DVec3::X);
    let right = DVec3::new(libm::cos(2.0), libm::sin(2.0), 0.0);
    assert!((turned - right).length() < 1e-12);
}

#[test]
fn impacts_keep_momentum_and_energy() {
    let mut builder = Builder::weightless();
    let spin = DVec3::new(0.3, -2.0, 1.0);
    builder.ball(
        0.5,
        DVec3::new(-2.0, 0.1, 0.0),
        thrown(DVec3::X * 3.0, spin),
    );
    builder.ball(
        0.5,
        DVec3::new(0.0, -0.1, 0.2),
        thrown(DVec3::ZERO, DVec3::ZERO),
    );
    builder.ball(
        0.5,
        DVec3::new(2.0, 0.0, 0.1),
        thrown(DVec3::X * -2.0, spin),
    );
    let mut world = builder.world(&exact());
    let start = world.report();
    let mut met = 0;
    for _ in 0..120 {
        met += world.step().unwrap().contacts;
        let now = world.report();
        assert!((now.momentum - start.momentum).length() < 1e-6);
        assert!((now.kinetic / start.kinetic - 1.0).abs() < 1e-5, "{now:?}");
    }
    assert!(met > 0);
}

#[test]
fn rough_impacts_keep_both_momenta_and_lose_energy() {
    let mut builder = Builder::weightless();
    for (x, y, speed) in [(-2.0, 0.0, 3.0), (0.0, 0.3, 0.0), (2.0, 0.1, -4.0)] {
        let body = SceneBody {
            friction: 0.7,
            restitution: 0.4,
            ..thrown(DVec3::X * speed, DVec3::new(0.0, speed, 3.0))
        };
        builder.ball(0.5, DVec3::new(x, y, 0.1 * x), body);
    }
    // Pushing bodies apart moves them and so changes the moment of their momentum.
    let mut world = builder.world(&WorldOptions {
        position_iterations: 0,
        ..exact()
    });
    let start = world.report();
    let mut energy = start.kinetic;
    for _ in 0..120 {
        world.step().unwrap();
        let now = world.report();
        assert!((now.momentum - start.momentum).length() < 2e-6);
        let spun = (now.angular_momentum - start.angular_momentum).length();
        assert!(spun < 2e-6, "{spun}");
        assert!(now.kinetic <= energy * (1.0 + 1e-6));
        energy = now.kinetic;
    }
    assert!(energy < 0.9 * start.kinetic);
}

#[test]
fn balls_bounce_to_the_square_of_their_restitution() {
    for restitution in [0.0, 0.3, 0.5, 0.8, 1.0] {
        let mut builder = Builder::new();
        builder.floor(0.0, SceneBody::default());
        let body = SceneBody {
            restitution,
            ..SceneBody::default()
        };
        builder.ball(0.5, DVec3::new(0.0, 0.0, 2.52), body);
        let mut world = builder.world(&WorldOptions {
            substeps: 40,
            ..exact()
        });
        let (mut touched, mut top) = (false, 0.0_f64);
        for _ in 0..110 {
            touched |= world.step().unwrap().contacts > 0;
            let body = world.bodies().last().unwrap();
            if touched && (top == 0.0 || body.velocity.z > 0.0) {
                top = top.max(body.centre.z - 0.52);
            }
        }
        let expected = 2.0 * restitution * restitution;
        assert!(
            touched && (top - expected).abs() < 0.05,
            "{restitution}: {top}"
        );
    }
}

#[test]
fn bodies_that_move_by_themselves_carry_others() {
    let mut builder = Builder::new();
    let belt = SceneBody {
        motion: Motion::Kinematic,
        velocity: DVec3::new(1.0, 0.0, 0.0),
        friction: 0.8,
        ..SceneBody::default()
    };
    builder.block(DVec3::new(20.0, 2.0, 0.5), DVec3::new(0.0, 0.0, -0.5), belt);
    let rider = SceneBody {
        friction: 0.8,
        ..SceneBody::default()
    };
    builder.block(DVec3::splat(0.5), DVec3::new(0.0, 0.0, 0.51), rider);
    let mut world = builder.world(&exact());
    for _ in 0..120 {
        world.step().unwrap();
    }
    let states: Vec<_> = world.bodies().collect();
    assert!((states[0].centre.x - 2.0).abs() < 1e-12);
    assert!((states[1].velocity.x - 1.0).abs() < 1e-3, "{:?}", states[1]);
    assert!(states[1].centre.x > 1.8);
    assert!(states[1].angular_velocity.length() < 1e-3);
}

#[test]
fn kinematic_bodies_stop_when_told() {
    let mut builder = Builder::new();
    let wall = SceneBody {
        motion: Motion::Kinematic,
        velocity: DVec3::new(1.0, 0.0, 0.0),
        angular_velocity: DVec3::Z,
        until: 0.5,
        ..SceneBody::default()
    };
    builder.block(DVec3::splat(0.5), DVec3::ZERO, wall);
    let mut world = builder.world(&exact());
    for _ in 0..60 {
        world.step().unwrap();
    }
    let state = world.bodies().next().unwrap();
    assert!((state.centre.x - 0.5).abs() < 0.01, "{state:?}");
    assert_eq!(state.velocity, DVec3::ZERO);
    assert_eq!(state.angular_velocity, DVec3::ZERO);
    world.set_velocity(state.id, DVec3::X, DVec3::ZERO).unwrap();
    for _ in 0..60 {
        world.step().unwrap();
    }
    let state = world.bodies().next().unwrap();
    assert!((state.centre.x - 1.5).abs() < 0.01, "{state:?}");
}
