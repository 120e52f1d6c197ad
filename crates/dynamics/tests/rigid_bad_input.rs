//! Input at the edge of what is possible.

mod rigid_common;

use glam::{DVec3, Vec3};
use jostle_dynamics::{BodyId, BodyWorld, WorldError, WorldOptions};
use jostle_geom::{ContactPoint, Impulse, Manifold};
use jostle_scenes::bodies::{Motion, SceneBody};
use rigid_common::{Builder, MARGIN, exact};

fn one(body: SceneBody) -> Builder {
    let mut builder = Builder::new();
    builder.ball(0.5, body.pose.position, body);
    builder
}

fn refused(builder: &Builder, options: &WorldOptions) -> WorldError {
    BodyWorld::new(&builder.scene, options).err().unwrap()
}

#[test]
fn bodies_that_make_no_sense_are_named() {
    type Spoil = fn(&mut SceneBody);
    let cases: [(&str, Spoil); 12] = [
        ("scale", |b| b.scale = f32::NAN),
        ("scale", |b| b.scale = 0.0),
        ("scale", |b| b.scale = -1.0),
        ("scale", |b| b.scale = f32::INFINITY),
        ("position", |b| b.pose.position.y = f64::NAN),
        ("position", |b| b.pose.position.z = f64::INFINITY),
        ("speed", |b| b.velocity.x = f64::NAN),
        ("angular speed", |b| b.angular_velocity.x = f64::INFINITY),
        ("density", |b| b.density = 0.0),
        ("density", |b| b.density = f64::NAN),
        ("friction", |b| b.friction = -0.1),
        ("restitution", |b| b.restitution = 1.5),
    ];
    for (expected, spoil) in cases {
        let mut builder = one(SceneBody::default());
        builder.ball(0.5, DVec3::X * 3.0, SceneBody::default());
        spoil(&mut builder.scene.bodies[1]);
        match refused(&builder, &WorldOptions::default()) {
            WorldError::Body { body, what, .. } => assert_eq!((body, what), (1, expected)),
            other => panic!("{expected}: {other}"),
        }
    }
    let mut builder = one(SceneBody::default());
    builder.scene.bodies[0].shape = 7;
    let error = refused(&builder, &WorldOptions::default());
    assert_eq!(error.to_string(), "body 0 has shape 7, but there are 1");
    let builder = one(SceneBody {
        density: 1e-60,
        ..SceneBody::default()
    });
    let error = refused(&builder, &WorldOptions::default());
    assert!(matches!(error, WorldError::Mass { body: 0, .. }), "{error}");
}

#[test]
fn options_and_scenes_that_make_no_sense_are_named() {
    type Spoil = fn(&mut WorldOptions);
    let good = one(SceneBody::default());
    let cases: [(&str, Spoil); 5] = [
        ("frame", |o| o.frame = 0.0),
        ("frame", |o| o.frame = f64::NAN),
        ("substeps", |o| o.substeps = 0),
        ("iterations", |o| o.iterations = 0),
        ("linear_damping", |o| o.linear_damping = -1.0),
    ];
    for (expected, spoil) in cases {
        let mut options = WorldOptions::default();
        spoil(&mut options);
        match refused(&good, &options) {
            WorldError::Option { what, .. } => assert_eq!(what, expected),
            other => panic!("{expected}: {other}"),
        }
    }
    let mut builder = one(SceneBody::default());
    builder.scene.gravity.z = f64::NAN;
    assert!(matches!(
        refused(&builder, &WorldOptions::default()),
        WorldError::Option {
            what: "gravity",
            ..
        }
    ));
}

#[test]
fn names_of_bodies_that_are_gone_are_refused() {
    let builder = one(SceneBody::default());
    let mut world = builder.world(&exact());
    let id = world.bodies().next().unwrap().id;
    world.remove_body(id).unwrap();
    assert!(world.is_empty());
    let gone = WorldError::NoSuchBody {
        index: 0,
        generation: 0,
    };
    assert_eq!(world.remove_body(id), Err(gone.clone()));
    assert_eq!(world.set_velocity(id, DVec3::X, DVec3::ZERO), Err(gone));
    let never = BodyId {
        index: 99,
        generation: 0,
    };
    assert!(world.body(never).is_none());
    assert!(world.step().is_ok());
    let id = world.add_body(&builder.scene.bodies[0]).unwrap();
    assert!(world.set_velocity(id, DVec3::NAN, DVec3::ZERO).is_err());
    assert_eq!((id.index, id.generation, world.len()), (0, 1, 1));
}

#[test]
fn contacts_that_are_not_numbers_are_dropped_and_counted() {
    let mut builder = Builder::weightless();
    builder.ball(0.5, DVec3::ZERO, SceneBody::default());
    builder.ball(0.5, DVec3::X * 5.0, SceneBody::default());
    let good = ContactPoint {
        position: DVec3::X,
        normal: Vec3::X,
        separation: 0.0,
        depth: 0.0,
        active: true,
        cached: false,
        impulse: Impulse::default(),
    };
    let point = |change: &dyn Fn(&mut ContactPoint)| {
        let mut point = good;
        change(&mut point);
        point
    };
    let points = vec![
        point(&|p| p.position.y = f64::NAN),
        point(&|p| p.normal = Vec3::NAN),
        point(&|p| p.normal = Vec3::ZERO),
        point(&|p| p.normal = Vec3::splat(f32::INFINITY)),
        point(&|p| p.separation = f32::NEG_INFINITY),
    ];
    let manifold = |a, b, points: &[ContactPoint]| Manifold {
        a,
        b,
        margin: MARGIN,
        points: points.to_vec(),
    };
    let mut contacts = builder.contacts();
    contacts.extra = vec![
        manifold(0, 1, &points),
        manifold(0, 9, &[good]),
        manifold(1, 1, &[good]),
        // Impulses that are not numbers are forgotten, the contact stays.
        manifold(0, 1, &[point(&|p| p.impulse.normal = f32::NAN)]),
    ];
    let options = WorldOptions {
        substeps: 1,
        ..exact()
    };
    let mut world = BodyWorld::with_contacts(&builder.scene, &options, Box::new(contacts)).unwrap();
    let stats = world.step().unwrap();
    assert_eq!((stats.dropped, stats.contacts), (7, 1));
    for body in world.bodies() {
        assert!(body.centre.is_finite() && body.velocity.is_finite());
    }
    assert!(world.report().max_penetration.is_finite());
}

#[test]
fn whatever_contacts_say_poses_stay_finite() {
    for (separation, impulse) in [(-1e30, 0.0), (0.0, 1e38), (f32::MIN, f32::MAX)] {
        let mut builder = Builder::new();
        builder.ball(0.5, DVec3::ZERO, SceneBody::default());
        builder.ball(0.5, DVec3::X * 1e-30, SceneBody::default());
        let mut contacts = builder.contacts();
        contacts.extra = vec![Manifold {
            a: 0,
            b: 1,
            margin: MARGIN,
            points: vec![ContactPoint {
                position: DVec3::splat(1e5),
                normal: Vec3::X,
                separation,
                depth: 0.0,
                active: true,
                cached: true,
                impulse: Impulse {
                    normal: impulse,
                    friction: Vec3::Y * impulse,
                },
            }],
        }];
        let mut world =
            BodyWorld::with_contacts(&builder.scene, &exact(), Box::new(contacts)).unwrap();
        for _ in 0..20 {
            world.step().unwrap();
            for body in world.bodies() {
                assert!(body.centre.is_finite() && body.velocity.length() <= 1.001e4);
                assert!(body.angular_velocity.length() <= 1.001e4);
                assert!(body.pose.rotation.to_array().iter().all(|p| p.is_finite()));
            }
        }
    }
}

#[test]
fn coincident_bodies_part() {
    let mut builder = Builder::weightless();
    for _ in 0..3 {
        builder.ball(0.5, DVec3::splat(2.0), SceneBody::default());
    }
    let mut world = builder.world(&exact());
    for _ in 0..240 {
        world.step().unwrap();
    }
    assert_eq!(world.report().max_penetration, 0.0);
}

#[test]
fn sizes_may_differ_by_ten_thousand() {
    let mut builder = Builder::new();
    builder.floor(0.0, SceneBody::default());
    builder.ball(100.0, DVec3::new(0.0, 0.0, 100.01), SceneBody::default());
    builder.ball(0.01, DVec3::new(0.0, 0.0, 200.05), SceneBody::default());
    builder.ball(0.01, DVec3::new(150.0, 0.0, 0.02), SceneBody::default());
    let mut world = builder.world(&WorldOptions::default());
    for _ in 0..240 {
        world.step().unwrap();
        for body in world.bodies() {
            assert!(body.centre.is_finite());
        }
    }
    let states: Vec<_> = world.bodies().collect();
    assert!(
        (states[1].centre.z - 100.01).abs() < 0.02,
        "{:?}",
        states[1]
    );
    assert!((states[3].centre.z - 0.02).abs() < 0.02, "{:?}", states[3]);
    assert!(states[2].centre.z > 199.9, "{:?}", states[2]);
    assert_eq!(world.report().max_penetration, 0.0);
}

#[test]
fn a_world_of_nothing_steps() {
    let builder = Builder::new();
    let mut world = builder.world(&WorldOptions::default());
    let stats = world.step().unwrap();
    assert_eq!((stats.pairs, stats.contacts), (0, 0));
    let mut builder = Builder::new();
    builder.floor(0.0, SceneBody::default());
    let still = SceneBody {
        motion: Motion::Static,
        ..SceneBody::default()
    };
    builder.ball(0.5, DVec3::ZERO, still);
    let mut world = builder.world(&WorldOptions::default());
    assert_eq!(world.step().unwrap().pairs, 0);
    assert_eq!(world.report().kinetic, 0.0);
}
