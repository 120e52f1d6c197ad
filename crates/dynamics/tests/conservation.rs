//! What stays, what only falls, and what nothing may cross.

mod common;

use common::{carpet, elastic, flow, moving, plane, scene};
use glam::{DVec3, Vec3};
use jostle_dynamics::{FlowError, FlowOptions, GrainFlow};
use jostle_scenes::Rng;
use jostle_scenes::grains::{Grain, GrainScene, Hopper, Wall, WallShape};

/// Grains at random places that do not overlap, with random velocities.
fn gas(count: usize, radii: [f64; 2], speed: f64, seed: u64) -> Vec<Grain> {
    let mut rng = Rng::new(seed, 0);
    let side = (1..1000).find(|n| n * n * n >= count).unwrap_or(1);
    let step = 2.4 * radii[1];
    (0..count)
        .map(|i| {
            let cell = DVec3::new(
                (i % side) as f64,
                (i / side % side) as f64,
                (i / (side * side)) as f64,
            );
            let r = rng.range(radii[0], radii[1]);
            let at = cell * step + rng.cube() * (0.4 * step - r * 0.9).max(0.0);
            let v = rng.direction() * speed * rng.unit();
            Grain {
                spin: (rng.cube() * 5.0).as_vec3(),
                ..moving(at.as_vec3(), v.as_vec3(), r as f32)
            }
        })
        .collect()
}

/// Walls around a gas.
fn cage(count: usize, largest: f64) -> Vec<Wall> {
    let side = (1..1000).find(|n| n * n * n >= count).unwrap_or(1);
    let far = (2.4 * largest * side as f64) as f32;
    let near = (-2.0 * largest) as f32;
    [Vec3::X, Vec3::Y, Vec3::Z]
        .into_iter()
        .flat_map(|axis| [plane(axis, near), plane(-axis, -far)])
        .collect()
}

/// The hopper that is timed, shut.
fn bed(grains: usize) -> GrainScene {
    let hopper = Hopper {
        grains,
        outlet: 0.0,
        ..Hopper::default()
    };
    hopper.build().expect("the scene is fine")
}

/// A flow without friction and damping, in the sub-steps that the scene takes with them or so many times as many.
fn without_losses(scene: &GrainScene, times: u32) -> GrainFlow {
    let substeps = flow(scene).time_step().substeps;
    let mut scene = scene.clone();
    scene.material = elastic(scene.material.stiffness);
    let options = FlowOptions {
        substeps: Some(substeps * times),
        ..FlowOptions::default()
    };
    GrainFlow::new(&scene, &options).expect("the scene is fine")
}

/// Without walls and gravity momentum stays to rounding: what grains push on each other cancels to the last
/// bit, and only the sums over the pushes on a grain are rounded.
#[test]
fn momentum_is_conserved() {
    for radii in [[0.5, 0.5], [0.25, 0.5]] {
        let mut grains = gas(600, radii, 8.0, 1);
        // Everything flies to the middle and meets there.
        let middle = grains.iter().map(|g| g.centre).sum::<Vec3>() / 600.0;
        for grain in &mut grains {
            grain.velocity += (middle - grain.centre) * 2.0;
        }
        let material = bed(10).material;
        let scene = scene(material, grains, Vec::new());
        let mut flow = flow(&scene);
        let start = flow.report().momentum;
        let mass = |g: &Grain| {
            let r = f64::from(g.radius);
            material.density * 4.0 / 3.0 * std::f64::consts::PI * r * r * r
        };
        let scale: f64 = scene
            .grains
            .iter()
            .map(|g| mass(g) * f64::from(g.velocity.length()))
            .sum();
        let mut met = 0;
        for _ in 0..120 {
            flow.step().expect("it steps");
            met = met.max(flow.report().contacts);
        }
        assert!(met > 50, "they meet: {met}");
        let moved = (flow.report().momentum - start).length();
        assert!(moved <= 1e-6 * scale, "{moved} of {scale}");
    }
}

/// Without friction and damping the total energy, contacts included, stays: within 0.1 % for two seconds in the hopper that
/// is timed, with its stiffness and its sub-steps. Lone impacts, which last four sub-steps, are another matter: a gas stays within
/// 0.5 %, with twice as many sub-steps within 0.15 %, with four times as many within 0.05 %, as the error goes with
/// their square.
#[test]
fn energy_stays_without_losses() {
    let bed = bed(3000);
    let mut gas_scene = bed.clone();
    gas_scene.grains = gas(800, [0.5, 0.5], 6.0, 2);
    gas_scene.walls = cage(800, 0.5);
    for (name, scene, times, most) in [
        ("bed", &bed, 1, 1e-3),
        ("gas", &gas_scene, 1, 5e-3),
        ("gas", &gas_scene, 2, 1.5e-3),
        ("gas", &gas_scene, 4, 5e-4),
    ] {
        let mut flow = without_losses(scene, times);
        let start = flow.report().energy();
        let mut worst = 0.0_f64;
        for _ in 0..120 {
            flow.step().expect("it steps");
            worst = worst.max((flow.report().energy() / start - 1.0).abs());
        }
        assert!(worst <= most, "{name} {times}: {worst}");
        assert!(
            flow.report().kinetic > 0.0,
            "{name} {times}: nothing comes to rest"
        );
    }
}

/// With friction and damping the energy never grows: not by more than rounding, a millionth of it a frame.
#[test]
fn energy_never_grows_with_losses() {
    let bed = bed(1500);
    let mut gas_scene = bed.clone();
    gas_scene.grains = gas(800, [0.4, 0.5], 6.0, 2);
    gas_scene.walls = cage(800, 0.5);
    let mut rolling = gas_scene.clone();
    rolling.material.rolling_friction = 0.1;
    for (name, scene) in [("bed", bed), ("gas", gas_scene), ("rolling", rolling)] {
        let mut flow = flow(&scene);
        let mut before = flow.report().energy();
        let start = before;
        for frame in 0..180 {
            flow.step().expect("it steps");
            let energy = flow.report().energy();
            assert!(
                energy <= before + 1e-6 * start,
                "{name} {frame}: {energy} after {before}"
            );
            before = energy;
        }
        assert!(before < start, "{name}: it lost some");
    }
}

/// A heavy column in a funnel, a box and on a carpet, at the longest stable sub-step, and grains as fast as are
/// taken at all: nothing is on the other side. Where the stiffness is too small the flow stops and says so.
#[test]
fn nothing_passes_a_wall_at_any_time_step() {
    let mut stopped = 0;
    let mut held = 0;
    for (stiffness, speed) in [
        (1e6, 0.0),
        (3e4, 0.0),
        (1e6, 5.0),
        (1e6, 10.0),
        (1e6, 200.0),
        (1e6, 2000.0),
    ] {
        for shape in 0..3 {
            let mut grains = gas(500, [0.1, 0.1], 1.0, 3);
            for grain in &mut grains {
                grain.centre += Vec3::new(-0.9, -0.9, 0.3);
                grain.velocity.z -= speed;
            }
            let mut walls: Vec<Wall> = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y]
                .into_iter()
                .map(|normal| plane(normal, -1.3))
                .collect();
            walls.push(match shape {
                0 => plane(Vec3::Z, 0.0),
                1 => WallShape::Frustum {
                    base: Vec3::Z * -1.0,
                    axis: Vec3::Z,
                    length: 1.0,
                    radii: [0.0, 2.0],
                }
                .into(),
                _ => {
                    let (vertices, faces) = carpet(2.0, 9, |_, _| 0.0);
                    let solid = false;
                    WallShape::Triangles {
                        vertices,
                        faces,
                        solid,
                    }
                    .into()
                }
            });
            let mut scene = scene(bed(10).material, grains, walls);
            scene.material.stiffness = stiffness;
            scene.gravity = DVec3::new(0.0, 0.0, -9.80665);
            let easy = flow(&scene).time_step();
            let least = (1.0 / 60.0 / easy.limit).ceil() as u32;
            let options = FlowOptions {
                substeps: Some(least),
                ..FlowOptions::default()
            };
            let mut flow = GrainFlow::new(&scene, &options).expect("the scene is fine");
            let result = (0..90).try_for_each(|_| flow.step().map(|_| ()));
            match &result {
                Ok(()) => held += 1,
                Err(FlowError::Pierced { .. } | FlowError::TooFast { .. }) => stopped += 1,
                Err(other) => panic!("{other}"),
            }
            // Where the flow stopped, the grain for which it did is in the wall by less than a step.
            let margin = if result.is_ok() { 0.0 } else { 0.03 };
            for grain in flow.grains() {
                let Vec3 { x, y, z } = grain.centre;
                let floor = if shape == 1 {
                    x.hypot(y) * 0.5 - 1.0
                } else {
                    0.0
                };
                assert!(
                    z > floor - margin && x.abs().max(y.abs()) < 1.3 + margin,
                    "{stiffness} {speed} {shape}: {}",
                    grain.centre
                );
            }
        }
    }
    assert!(held >= 6 && stopped >= 3, "{held} held, {stopped} stopped");
}
