//! Determinism, bookkeeping, and input that is refused.

mod common;

use common::{elastic, flow, moving, plane, scene};
use glam::{DVec3, Vec3};
use jostle_dynamics::{FlowError, FlowOptions, GrainFlow};
use jostle_scenes::grains::{
    Drain, Emitter, Grain, GrainMaterial, GrainScene, GrainSceneKind, Hopper, WallShape,
};
use jostle_simd::{Aabb, SimdLevel};

/// The state is the same to the last bit for any number of threads and at every SIMD level.
#[test]
fn hashes_are_equal_for_threads_and_levels() {
    for kind in GrainSceneKind::ALL {
        let mut scene = kind.with_grains(1300, 0).expect("the scene is fine");
        if kind == GrainSceneKind::Drum {
            scene.material.rolling_friction = 0.1;
        }
        let run = |level: SimdLevel, threads: usize| {
            let options = FlowOptions {
                level: level.token().expect("the level is there"),
                ..FlowOptions::default()
            };
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads start");
            pool.install(|| {
                let mut flow = GrainFlow::new(&scene, &options).expect("the scene is fine");
                // Until grains leave the hopper and come in again.
                let frames = if kind == GrainSceneKind::Hopper {
                    90
                } else {
                    30
                };
                let drained: u64 = (0..frames)
                    .map(|_| flow.step().expect("it steps").drained)
                    .sum();
                assert_eq!(drained > 0, kind == GrainSceneKind::Hopper);
                flow.state_hash()
            })
        };
        let levels = SimdLevel::ALL
            .into_iter()
            .filter(|level| level.token().is_ok());
        let hash = run(SimdLevel::Scalar, 1);
        for level in levels {
            for threads in [1, 2, 7] {
                assert_eq!(
                    run(level, threads),
                    hash,
                    "{kind}, {level:?}, {threads} threads"
                );
            }
        }
    }
}

/// None is lost: emitted = inside + drained after every frame, with and without recycling.
#[test]
fn every_grain_is_accounted_for() {
    for recycle in [false, true] {
        let hopper = Hopper {
            grains: 800,
            recycle,
            ..Hopper::default()
        };
        let mut scene = hopper.build().expect("the scene is fine");
        scene.emitters[0].rate = 40.0;
        scene.emitters[0].limit = 50;
        let mut flow = flow(&scene);
        let (mut emitted, mut drained) = (800, 0);
        for _ in 0..240 {
            let stats = flow.step().expect("it steps");
            emitted += stats.emitted;
            drained += stats.drained;
            assert_eq!(emitted, flow.len() as u64 + drained);
        }
        let report = flow.report();
        assert_eq!([report.emitted, report.drained], [emitted, drained]);
        assert_eq!(report.inside, flow.grains().len() as u64);
        assert_eq!(report.escaped, 0);
        assert!(drained > 50, "{drained}");
        if !recycle {
            assert_eq!(emitted, 850);
        }
    }
}

/// Grains of which no two have the same radius, in a tower that sinks through a drain and comes in again at its top, slowly,
/// so that lists of neighbours are kept.
fn rain(recycle: bool) -> GrainScene {
    let grains = (0..60)
        .map(|i| {
            let z = 1.1 * (i / 4) as f32 + 0.25 * (i % 4) as f32;
            let at = Vec3::new(1.1 * (i % 2) as f32, 1.1 * (i / 2 % 2) as f32, z);
            moving(at, Vec3::Z * -2.0, 0.4 + 0.001 * i as f32)
        })
        .collect();
    let mut scene = scene(elastic(1e6), grains, Vec::new());
    scene.drains.push(Drain {
        normal: Vec3::Z,
        offset: -3.0,
        recycle,
    });
    scene.emitters.push(Emitter {
        region: Aabb::new(Vec3::new(0.0, 0.0, 20.0), Vec3::new(1.2, 1.2, 21.2)),
        velocity: Vec3::Z * -2.0,
        radii: [0.4, 0.5],
        rate: 0.0,
        limit: 0,
    });
    scene
}

/// A grain that left is nowhere to be seen from the frame in which it does, also while the lists of neighbours are kept:
/// neither among the grains nor in any sum of the report.
#[test]
fn grains_that_left_are_gone_at_once() {
    for recycle in [false, true] {
        let scene = rain(recycle);
        let mut flow = flow(&scene);
        let (mut emitted, mut drained, mut last) = (60, 0, 0);
        let mut kept = 0;
        for frame in 0..600 {
            let stats = flow.step().expect("it steps");
            emitted += stats.emitted;
            drained += stats.drained;
            kept += u32::from(stats.drained > 0 && stats.rebuilds == 0);
            let inside = flow.numbered_grains();
            let hash = flow.state_hash();
            let report = flow.report();
            assert_eq!(hash, flow.state_hash(), "a report changes nothing");
            assert_eq!(
                [report.emitted, report.drained, report.inside],
                [emitted, drained, inside.len() as u64]
            );
            assert_eq!([flow.len(), flow.grains().len()], [inside.len(); 2]);
            assert_eq!(report.escaped, 0);

            // Numbers are never given twice: what came in this frame has the last ones.
            assert!(inside.windows(2).all(|w| w[0].0 < w[1].0));
            let new = inside.iter().filter(|(id, _)| *id >= last).count() as u64;
            assert_eq!(new, if frame == 0 { 60 } else { stats.emitted });
            assert!(inside.iter().all(|(id, _)| *id < emitted));
            last = emitted;

            // Sizes tell which is which: those that come in are those that left.
            let mut radii: Vec<f32> = inside.iter().map(|(_, g)| g.radius).collect();
            radii.sort_by(f32::total_cmp);
            assert!(radii.windows(2).all(|w| w[0] < w[1]), "none is there twice");
            let known = |r: &f32| scene.grains.iter().any(|g| g.radius == *r);
            assert!(radii.iter().all(known));

            let (mut momentum, mut kinetic, mut sum) = (DVec3::ZERO, 0.0, 0.0);
            for (_, g) in &inside {
                let r = f64::from(g.radius);
                let m = scene.material.density * 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
                // What has passed the drain in this frame is taken out at the start of the next one.
                assert!(g.centre.z > -8.0 && g.centre.z < 25.0, "{}", g.centre);
                momentum += g.velocity.as_dvec3() * m;
                kinetic += 0.5 * m * g.velocity.as_dvec3().length_squared();
                sum += m;
            }
            assert!((report.momentum - momentum).length() <= 1e-5 * sum);
            // Grains that come in may come in touching distance: there the two differ.
            if report.contacts == 0 {
                assert!((report.kinetic - kinetic).abs() <= 1e-5 * kinetic);
            }
            assert!(report.energy().is_finite());
        }
        assert!(drained > 40, "{drained}");
        assert_eq!(emitted > 60, recycle);
        // What comes in again comes at once here, which takes new lists.
        assert!(
            kept > 10 || recycle,
            "lists are kept while grains leave: {kept}"
        );
    }
}

/// Grains come in by batches, as each time costs new lists, but no fewer than the rate asks for.
#[test]
fn emission_by_batches_keeps_the_rate() {
    let mut scene = scene(elastic(1e6), Vec::new(), Vec::new());
    scene.emitters.push(Emitter {
        region: Aabb::new(Vec3::ZERO, Vec3::splat(5.0)),
        velocity: Vec3::X,
        radii: [0.2, 0.25],
        rate: 90.0,
        limit: 200,
    });
    let mut flow = flow(&scene);
    let mut times = Vec::new();
    let mut emitted = 0;
    for frame in 1..=180 {
        let stats = flow.step().expect("it steps");
        emitted += stats.emitted;
        if stats.emitted > 0 {
            times.push(frame);
        }
        // One and a half a frame are due, and wait for six frames at most.
        let due = (1.5 * f64::from(frame)).min(200.0);
        let came = emitted as f64;
        assert!(
            came <= due && came >= due - 10.5,
            "{frame}: {came} of {due}"
        );
        assert_eq!(flow.len() as u64, emitted);
    }
    assert_eq!(emitted, 200, "up to the limit");
    assert!(times.len() < 80, "by batches: {times:?}");
    let ids: Vec<u64> = flow.numbered_grains().iter().map(|&(id, _)| id).collect();
    assert_eq!(ids, (0..200).collect::<Vec<u64>>());
}

/// A grain a million kilometres away costs no memory by extent and changes nothing for the others.
#[test]
fn a_far_grain_is_harmless() {
    let near = || {
        let mut grains = Vec::new();
        for i in 0..64 {
            let at = Vec3::new((i % 4) as f32, (i / 4 % 4) as f32, (i / 16) as f32);
            grains.push(moving(
                at * 0.21,
                Vec3::new(1.0, -0.5, 0.2) * (i % 3) as f32,
                0.1,
            ));
        }
        grains
    };
    let mut with = near();
    with.push(Grain::at_rest(Vec3::splat(1e9), 0.1));
    with.push(moving(Vec3::new(-1e9, 0.0, 1e12), Vec3::splat(3.0), 0.1));
    let mut plain = flow(&scene(elastic(1e5), near(), Vec::new()));
    let mut far = flow(&scene(elastic(1e5), with, Vec::new()));
    for _ in 0..30 {
        plain.step().expect("it steps");
        far.step().expect("it steps");
    }
    let distance = |(a, b): (&Grain, &Grain)| a.centre.distance(b.centre);
    let (a, b) = (plain.grains(), far.grains());
    assert!(a.iter().zip(&b).map(distance).fold(0.0, f32::max) < 1e-4);
}

fn error(scene: &GrainScene, options: &FlowOptions) -> FlowError {
    match GrainFlow::new(scene, options) {
        Err(error) => error,
        Ok(_) => panic!("not refused"),
    }
}

/// Two grains and a wall, all fine.
fn good_scene() -> GrainScene {
    let grains = vec![Grain::at_rest(Vec3::X, 0.1), Grain::at_rest(Vec3::Z, 0.1)];
    scene(elastic(1e5), grains, vec![plane(Vec3::Z, -5.0)])
}

/// Sets a property of a grain.
type Set = fn(&mut Grain, f32);

/// Every number of a scene that is not one, or out of range, is refused by name.
#[test]
fn bad_numbers_are_refused() {
    let options = FlowOptions::default();
    let good = good_scene;
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-9] {
        let mut bad = good();
        bad.grains[1].radius = radius;
        assert!(matches!(
            error(&bad, &options),
            FlowError::Radius { grain: 1, .. }
        ));
    }
    let set: [(&str, Set); 3] = [
        ("centre", |g, x| g.centre.y = x),
        ("velocity", |g, x| g.velocity.z = x),
        ("spin", |g, x| g.spin.x = x),
    ];
    for (name, set) in set {
        for x in [f32::NAN, f32::INFINITY, -1e30] {
            let mut bad = good();
            set(&mut bad.grains[1], x);
            match error(&bad, &options) {
                FlowError::Grain { grain: 1, what, .. } => assert_eq!(what, name),
                other => panic!("{other}"),
            }
        }
    }
    let set: [fn(&mut GrainMaterial, f64); 6] = [
        |m, x| m.density = x,
        |m, x| m.stiffness = x,
        |m, x| m.tangential_stiffness = x,
        |m, x| m.restitution = x,
        |m, x| m.friction = x,
        |m, x| m.rolling_friction = x,
    ];
    for set in set {
        for x in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            let mut bad = good();
            set(&mut bad.material, x);
            assert!(matches!(error(&bad, &options), FlowError::Material { .. }));
        }
    }
}

/// Emitters, drains and walls that cannot be are refused by name.
#[test]
fn bad_parts_are_refused() {
    let options = FlowOptions::default();
    let good = good_scene;
    let emitter = Emitter {
        region: Aabb::new(Vec3::ZERO, Vec3::ONE),
        velocity: Vec3::ZERO,
        radii: [0.1, 0.1],
        rate: 1.0,
        limit: 1,
    };
    let set: [fn(&mut Emitter); 7] = [
        |e| e.region.max.x = f32::NAN,
        |e| e.region.max.x = -1.0,
        |e| e.region.max = Vec3::splat(1e5),
        |e| e.velocity.x = f32::NAN,
        |e| e.radii = [0.2, 0.1],
        |e| e.rate = f64::NAN,
        |e| e.rate = -1.0,
    ];
    for set in set {
        let mut bad = good();
        bad.emitters.push(emitter);
        set(&mut bad.emitters[0]);
        match error(&bad, &options) {
            FlowError::Traffic { what, index: 0, .. } => assert_eq!(what, "emitter"),
            other => panic!("{other}"),
        }
    }
    for (normal, offset) in [(Vec3::ZERO, 0.0), (Vec3::NAN, 0.0), (Vec3::Z, f32::NAN)] {
        let mut bad = good();
        bad.drains.push(Drain {
            normal,
            offset,
            recycle: true,
        });
        assert!(matches!(
            error(&bad, &options),
            FlowError::Traffic { what: "drain", .. }
        ));
    }
    let frustum = |length, radii| WallShape::Frustum {
        base: Vec3::ZERO,
        axis: Vec3::Z,
        length,
        radii,
    };
    for shape in [
        WallShape::Plane {
            normal: Vec3::NAN,
            offset: 0.0,
        },
        WallShape::Plane {
            normal: Vec3::Z * 2.0,
            offset: 0.0,
        },
        WallShape::Plane {
            normal: Vec3::Z,
            offset: f32::NAN,
        },
        frustum(0.0, [1.0, 1.0]),
        frustum(-1.0, [1.0, 1.0]),
        frustum(1.0, [f32::NAN, 1.0]),
    ] {
        let mut bad = good();
        bad.walls.push(shape.into());
        assert!(matches!(
            error(&bad, &options),
            FlowError::Wall { wall: 1, .. }
        ));
    }
}

/// Time steps that cannot be are refused, with the limit and where it comes from.
#[test]
fn bad_time_steps_are_refused() {
    let scene = scene(
        elastic(1e6),
        vec![Grain::at_rest(Vec3::ZERO, 0.1)],
        Vec::new(),
    );
    for frame in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e6] {
        let options = FlowOptions {
            frame,
            ..FlowOptions::default()
        };
        assert!(matches!(error(&scene, &options), FlowError::Frame { .. }));
    }
    let options = FlowOptions {
        substeps: Some(1),
        ..FlowOptions::default()
    };
    match error(&scene, &options) {
        FlowError::Unstable {
            asked,
            limit,
            reason,
        } => {
            assert!(asked > limit && reason.contains("stiffness"), "{reason}");
        }
        other => panic!("{other}"),
    }
}

/// Grains that are too fast for any sensible number of sub-steps stop the flow, and so do those that a wall cannot hold.
#[test]
fn flows_that_cannot_go_on_stop() {
    let fast = moving(Vec3::Z, Vec3::Z * -9e5, 0.1);
    let mut flow_of_one = flow(&scene(elastic(1e5), vec![fast], Vec::new()));
    assert!(matches!(flow_of_one.step(), Err(FlowError::TooFast { .. })));
    assert_eq!(
        flow_of_one.grains()[0].centre,
        Vec3::Z,
        "it stays where it was"
    );

    let heavy = moving(Vec3::Z * 0.5, Vec3::Z * -20.0, 0.1);
    let mut scene = scene(elastic(1e3), vec![heavy], vec![plane(Vec3::Z, 0.0)]);
    scene.gravity = DVec3::new(0.0, 0.0, -9.81);
    let mut flow = flow(&scene);
    let stopped = (0..60).find_map(|_| flow.step().err());
    assert!(
        matches!(stopped, Some(FlowError::Pierced { .. })),
        "{stopped:?}"
    );
}
