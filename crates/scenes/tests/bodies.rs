//! Scenes of bodies: numbers, seeds, and that nothing starts inside something else.

use glam::DVec3;
use jostle_geom::Mesh;
use jostle_scenes::bodies::{BodyScene, BodySceneError, BodySceneKind, Motion, SceneBody, meshes};

/// Sizes that tests build: scenes of more are as slow to check as they are dull.
fn sizes(kind: BodySceneKind) -> Vec<usize> {
    let default = kind.default_bodies();
    let mut sizes = vec![kind.least_bodies(), 31, 333];
    if default < 1_000 {
        sizes.push(default);
    }
    sizes.retain(|&n| n >= kind.least_bodies());
    sizes
}

fn centre(scene: &BodyScene, body: &SceneBody) -> DVec3 {
    let centre = scene.shapes[body.shape as usize].mass().centre;
    body.pose.to_world(centre * f64::from(body.scale))
}

#[test]
fn scenes_have_as_many_bodies_as_asked_for_and_depend_on_the_seed_alone() {
    for kind in BodySceneKind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
        assert!(!kind.summary().is_empty());
        for bodies in sizes(kind) {
            let [a, b] = [1, 1].map(|seed| kind.with_bodies(bodies, seed, None).unwrap());
            assert_eq!(a.bodies.len(), bodies, "{kind}");
            assert_eq!(a.bodies, b.bodies, "{kind}");
            let ground = &a.bodies[0];
            assert_eq!(ground.motion, Motion::Static, "{kind}");
            let shape = &a.shapes[ground.shape as usize];
            let top = f64::from(shape.aabb().max.z) + ground.pose.position.z;
            assert!(top.abs() < 1e-6, "{kind}: {top}");
            let moving = a.bodies.iter().filter(|b| b.motion == Motion::Dynamic);
            assert!(moving.count() >= 1, "{kind}");
            for body in &a.bodies[1..] {
                let centre = centre(&a, body);
                let [low, high] = a.world;
                assert!(
                    centre.cmpgt(low).all() && centre.cmplt(high).all(),
                    "{kind}: {centre} starts outside"
                );
                let mass = a.shapes[body.shape as usize].mass();
                assert!(mass.volume > 1e-4 && mass.volume.is_finite(), "{kind}");
                assert!(body.pose.position.is_finite() && body.scale > 0.0);
            }
            assert!(
                a.bodies
                    .iter()
                    .all(|body| (body.shape as usize) < a.shapes.len())
            );
        }
        let random = !matches!(
            kind,
            BodySceneKind::BoxStack
                | BodySceneKind::SpikyWheel
                | BodySceneKind::SpinningGears
                | BodySceneKind::Colosseum
        );
        let [a, b] = [1, 2].map(|seed| kind.with_bodies(31, seed, None).unwrap());
        assert_eq!(a.bodies != b.bodies, random, "{kind}");
    }
}

#[test]
fn scenes_of_the_authors_have_their_numbers() {
    let counts = [
        (BodySceneKind::BoxStack, 29),
        (BodySceneKind::GearStack, 11),
        (BodySceneKind::FallingBoxes, 13),
        (BodySceneKind::Bend, 13),
        (BodySceneKind::Twist, 13),
        (BodySceneKind::Displace, 13),
        (BodySceneKind::Chairs, 28),
        (BodySceneKind::SpikyWheel, 12),
        (BodySceneKind::CowsOnSpikes, 20),
        (BodySceneKind::BunnyPile, 28),
        (BodySceneKind::Primitives, 49),
    ];
    for (kind, bodies) in counts {
        assert_eq!(kind.default_bodies(), bodies, "{kind}");
    }
    for (kind, moving) in [
        (BodySceneKind::Colosseum, 8_819),
        (BodySceneKind::Funnel, 16_000),
    ] {
        let scene = kind.with_bodies(kind.default_bodies(), 0, None).unwrap();
        let dynamic = |body: &&SceneBody| body.motion == Motion::Dynamic;
        assert_eq!(
            scene.bodies.iter().filter(dynamic).count(),
            moving,
            "{kind}"
        );
    }
}

/// A box around a body, m.
fn bounds(scene: &BodyScene, body: &SceneBody) -> [DVec3; 2] {
    let aabb = scene.shapes[body.shape as usize].aabb();
    let mut found = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    for corner in 0..8 {
        let pick = |bit: u32, low: f32, high: f32| {
            f64::from(if corner >> bit & 1 == 0 { low } else { high })
        };
        let p = DVec3::new(
            pick(0, aabb.min.x, aabb.max.x),
            pick(1, aabb.min.y, aabb.max.y),
            pick(2, aabb.min.z, aabb.max.z),
        );
        let p = body.pose.to_world(p * f64::from(body.scale));
        found = [found[0].min(p), found[1].max(p)];
    }
    found
}

/// How far a point of the world is inside both bodies.
fn depth(scene: &BodyScene, bodies: [&SceneBody; 2], p: DVec3) -> f64 {
    let inside = bodies.map(|body| {
        let scale = f64::from(body.scale);
        let local = (body.pose.to_local(p) / scale).as_vec3();
        -f64::from(
            scene.shapes[body.shape as usize]
                .field()
                .sample(local)
                .value,
        ) * scale
    });
    inside[0].min(inside[1])
}

#[test]
fn nothing_starts_inside_something_else() {
    const STEPS: usize = 12;
    for kind in BodySceneKind::ALL {
        let bodies = kind.default_bodies().min(400);
        let scene = kind.with_bodies(bodies, 3, None).unwrap();
        let boxes: Vec<_> = scene.bodies.iter().map(|b| bounds(&scene, b)).collect();
        let mut deepest: f64 = 0.0;
        for (j, b) in scene.bodies.iter().enumerate() {
            for (i, a) in scene.bodies[..j].iter().enumerate() {
                let low = boxes[i][0].max(boxes[j][0]);
                let high = boxes[i][1].min(boxes[j][1]);
                let fixed = a.motion != Motion::Dynamic && b.motion != Motion::Dynamic;
                if fixed || !low.cmplt(high).all() {
                    continue;
                }
                for step in 0..STEPS * STEPS * STEPS {
                    let share = [step % STEPS, step / STEPS % STEPS, step / STEPS / STEPS]
                        .map(|n| (n as f64 + 0.5) / STEPS as f64);
                    let p = low + (high - low) * DVec3::from(share);
                    deepest = deepest.max(depth(&scene, [a, b], p));
                }
            }
        }
        assert!(deepest < 0.08, "{kind}: {deepest} m deep");
    }
}

#[test]
fn meshes_take_the_place_of_generated_ones() {
    let mesh = meshes::chair().unwrap();
    let scene = BodySceneKind::BunnyPile
        .with_bodies(28, 0, Some(&mesh))
        .unwrap();
    let own = BodySceneKind::BunnyPile.with_bodies(28, 0, None).unwrap();
    let volume = |scene: &BodyScene| scene.shapes[scene.bodies[1].shape as usize].mass().volume;
    assert!((volume(&scene) / volume(&own) - 1.0).abs() > 0.05);
    assert!(matches!(
        BodySceneKind::BoxStack.with_bodies(29, 0, Some(&mesh)),
        Err(BodySceneError::NoMesh { scene: "box-stack" })
    ));
    let point = Mesh::new(vec![DVec3::X], vec![], &[]).unwrap();
    assert!(matches!(
        BodySceneKind::BunnyPile.with_bodies(28, 0, Some(&point)),
        Err(BodySceneError::Bake(_))
    ));
    for kind in BodySceneKind::ALL {
        let few = kind.with_bodies(kind.least_bodies() - 1, 0, None);
        assert!(matches!(few, Err(BodySceneError::Scene(_))), "{kind}");
    }
}
