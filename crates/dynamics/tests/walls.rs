//! Walls of triangles and distance fields: what pushes, what is refused.

mod common;

use std::sync::Arc;

use common::{carpet, cuboid, elastic, fine_flow, flow, moving, plane, scene};
use glam::{DVec3, Vec3};
use jostle_dynamics::{FlowError, FlowOptions, GrainFlow};
use jostle_scenes::Rng;
use jostle_scenes::grains::{Grain, Wall, WallField, WallShape, WallSpin};

fn triangles(vertices: Vec<Vec3>, faces: Vec<[u32; 3]>, solid: bool) -> Wall {
    WallShape::Triangles {
        vertices,
        faces,
        solid,
    }
    .into()
}

/// Why a wall is refused.
fn refusal(wall: Wall, grains: Vec<Grain>) -> String {
    let scene = scene(elastic(1e6), grains, vec![plane(Vec3::Z, -1e3), wall]);
    match GrainFlow::new(&scene, &FlowOptions::default()) {
        Err(FlowError::Wall { wall: 1, reason }) => reason,
        other => panic!("not refused: {:?}", other.map(|f| f.len())),
    }
}

/// A ball that glides over the diagonal of a floor of two triangles is pushed once and straight up.
#[test]
fn bug_m04_a_ball_over_an_inner_edge_is_pushed_straight_up() {
    let vertices = vec![
        Vec3::new(-20.0, 0.0, -20.0),
        Vec3::new(20.0, 0.0, -20.0),
        Vec3::new(20.0, 0.0, 20.0),
        Vec3::new(-20.0, 0.0, 20.0),
    ];
    let floor = triangles(vertices, vec![[0, 2, 1], [0, 3, 2]], false);
    for at in [-0.003, 0.0, 0.003, 1e-8, -1e-8] {
        let ball = Grain::at_rest(Vec3::new(at, 0.499, at), 0.5);
        let mut flow = flow(&scene(elastic(1e6), vec![ball], vec![floor.clone()]));
        let report = flow.report();
        assert_eq!(report.contacts, 1, "at {at}");
        assert!((report.overlap_max * 0.5 - 0.001).abs() < 1e-7);
        flow.step().expect("it steps");
        let v = flow.grains()[0].velocity;
        assert!(v.y > 0.0);
        // Half a degree is allowed.
        assert!(v.x.abs() + v.z.abs() <= 1e-6 * v.y, "at {at}: {v}");
    }
}

/// A ball that slides without friction over a flat floor of many triangles goes straight on, as over a plane.
#[test]
fn a_floor_of_triangles_is_as_smooth_as_a_plane() {
    let (vertices, faces) = carpet(4.0, 16, |_, _| 0.0);
    let ball = moving(Vec3::new(-2.0, -1.3, 0.0995), Vec3::new(1.0, 0.7, 0.0), 0.1);
    let run = |wall: Wall| {
        let mut scene = scene(elastic(1e5), vec![ball], vec![wall]);
        scene.gravity = DVec3::new(0.0, 0.0, -9.81);
        let mut flow = flow(&scene);
        for _ in 0..180 {
            flow.step().expect("it steps");
        }
        flow.grains()[0]
    };
    let over = run(triangles(vertices, faces, false));
    let plain = run(plane(Vec3::Z, 0.0));
    assert!(plain.centre.x > 0.9, "it crosses many edges");
    assert!((over.centre - plain.centre).length() < 1e-4);
    assert!((over.velocity - plain.velocity).length() < 1e-3);
}

/// A heavy, fast rain on bent sheets, seen from either side, and on solids: nothing passes.
#[test]
fn nothing_passes_triangles() {
    let (vertices, mut faces) = carpet(2.0, 12, |x, y| 0.3 * (x * x + y * y) - 0.2 * x.abs());
    for turned in [false, true] {
        if turned {
            for face in &mut faces {
                face.swap(1, 2);
            }
        }
        let mut rng = Rng::new(5, 0);
        let grains: Vec<_> = (0..1000)
            .map(|i| {
                let (x, y, z) = (i % 10, i / 10 % 10, i / 100);
                let at = Vec3::new(x as f32, y as f32, z as f32) - Vec3::new(4.5, 4.5, 0.0);
                let jitter = rng.cube().as_vec3() * 0.01;
                let v = Vec3::new(0.0, 0.0, -20.0);
                moving(at * 0.21 + Vec3::Z * 1.2 + jitter, v, 0.1)
            })
            .collect();
        let bowl = triangles(vertices.clone(), faces.clone(), false);
        let (corners, sides) = cuboid(Vec3::splat(0.3));
        let mut walls = vec![bowl, triangles(corners, sides, true)];
        for k in 0..4 {
            let normal = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y][k];
            walls.push(plane(normal, -1.5));
        }
        let mut scene = scene(elastic(3e6), grains, walls);
        scene.material.restitution = 0.8;
        scene.material.friction = 0.3;
        scene.gravity = DVec3::new(0.0, 0.0, -9.81);
        let mut flow = flow(&scene);
        for _ in 0..120 {
            flow.step().expect("it steps");
        }
        for grain in flow.grains() {
            let Vec3 { x, y, z } = grain.centre;
            let floor = 0.3 * (x * x + y * y) - 0.2 * x.abs();
            // Chords of the mesh are up to 0.02 above the surface.
            assert!(z > floor - 0.02, "{} passed", grain.centre);
            assert!(
                grain.centre.abs().max_element() > 0.3,
                "{} is in the box",
                grain.centre
            );
        }
    }
}

/// The energy of balls that bounce in a bowl of many triangles stays: contacts do not jump from face to face.
#[test]
fn a_bowl_of_triangles_keeps_energy() {
    for cells in [8, 40] {
        let (vertices, faces) = carpet(3.0, cells, |x, y| 0.3 * (x * x + y * y));
        let grains = (0..9)
            .map(|i| {
                let (x, y) = (i % 3, i / 3);
                let at = Vec3::new(x as f32 - 1.0, y as f32 - 1.1, 2.0);
                Grain::at_rest(at, 0.1)
            })
            .collect();
        let mut scene = scene(
            elastic(1e6),
            grains,
            vec![triangles(vertices, faces, false)],
        );
        scene.gravity = DVec3::new(0.0, 0.0, -9.81);
        let mut flow = fine_flow(&scene);
        let start = flow.report().energy();
        for _ in 0..120 {
            flow.step().expect("it steps");
            let energy = flow.report().energy();
            assert!(
                (energy / start - 1.0).abs() < 3e-3,
                "{cells}: {energy} from {start}"
            );
        }
    }
}

/// What is no wall of triangles is refused, and the reason says where.
#[test]
fn bad_triangles_are_refused() {
    let far = vec![Grain::at_rest(Vec3::splat(50.0), 0.1)];
    let (corners, sides) = cuboid(Vec3::ONE);
    let refuse = |vertices: &[Vec3], faces: &[[u32; 3]], solid, words: &str| {
        let reason = refusal(
            triangles(vertices.to_vec(), faces.to_vec(), solid),
            far.clone(),
        );
        assert!(reason.contains(words), "{reason}");
    };
    refuse(&corners, &[[0, 1, 8]], false, "vertex 8");
    refuse(&corners, &[[0, 1, 1]], false, "no area");
    let line = [Vec3::ZERO, Vec3::X, Vec3::X * 3.0];
    refuse(&line, &[[0, 1, 2]], false, "triangle 0 has no area");
    let mut broken = corners.clone();
    broken[3].y = f32::NAN;
    refuse(&broken, &sides, false, "vertex 3");
    refuse(&corners, &sides[1..], true, "nothing on its other side");
    let mut turned = sides.clone();
    turned[4].swap(0, 1);
    refuse(&corners, &turned, true, "face opposite ways");
    let inwards: Vec<_> = sides.iter().map(|&[a, b, c]| [a, c, b]).collect();
    refuse(&corners, &inwards, true, "inwards");
    let mut doubled = sides.clone();
    doubled.push(sides[0]);
    refuse(&corners, &doubled, true, "more than two");
    // The same open surface is fine as a sheet, and corners may be repeated for each triangle.
    let soup: Vec<Vec3> = sides
        .iter()
        .flatten()
        .map(|&v| corners[v as usize])
        .collect();
    let apart: Vec<[u32; 3]> = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    for (faces, vertices, solid) in [(&sides[1..], &corners, false), (&apart[..], &soup, true)] {
        let wall = triangles(vertices.clone(), faces.to_vec(), solid);
        flow(&scene(elastic(1e6), far.clone(), vec![wall]));
    }
}

/// Grains must start outside of solids, however far inside they are, and not halfway through a sheet.
#[test]
fn grains_must_start_outside() {
    let (corners, sides) = cuboid(Vec3::new(1.0, 2.0, 3.0));
    let solid = || triangles(corners.clone(), sides.clone(), true);
    let mut rng = Rng::new(3, 0);
    for _ in 0..200 {
        let p = (rng.cube() * 4.0).as_vec3();
        let outside = p.abs() - Vec3::new(1.0, 2.0, 3.0);
        let inside = outside.max_element() < 0.0;
        let grain = vec![Grain::at_rest(p, 0.01)];
        if inside {
            assert!(refusal(solid(), grain).contains("grain 0 starts in it"));
        } else if outside.max_element() > 0.01 {
            flow(&scene(elastic(1e6), grain, vec![solid()]));
        }
    }
    let (vertices, faces) = carpet(1.0, 3, |_, _| 0.0);
    let grain = vec![Grain::at_rest(Vec3::new(0.1, 0.2, 0.01), 0.1)];
    let reason = refusal(triangles(vertices, faces, false), grain.clone());
    assert!(reason.contains("grain 0"), "{reason}");
    refusal(plane(Vec3::Z, 0.05), grain);
}

/// The inside of a torus around z.
#[derive(Debug)]
struct InTorus {
    ring: f32,
    tube: f32,
}

impl WallField for InTorus {
    fn distance(&self, p: Vec3) -> (f32, Vec3) {
        let out = p.with_z(0.0);
        let from = p - out.normalize_or_zero() * self.ring;
        (self.tube - from.length(), -from.normalize_or_zero())
    }
}

/// Grains that start with a speed along a tube stay in it and keep their energy.
#[test]
fn a_field_holds_grains() {
    let field = Arc::new(InTorus {
        ring: 2.0,
        tube: 0.5,
    });
    let grains: Vec<_> = (0..40)
        .map(|i| {
            let a = f64::from(i) * std::f64::consts::TAU / 40.0;
            let (s, c) = libm::sincos(a);
            let (s, c) = (s as f32, c as f32);
            moving(Vec3::new(c, s, 0.0) * 2.0, Vec3::new(-s, c, 0.3) * 2.0, 0.1)
        })
        .collect();
    let mut scene = scene(elastic(1e6), grains, vec![WallShape::Field(field).into()]);
    scene.gravity = DVec3::new(0.0, 0.0, -9.81);
    let mut flow = fine_flow(&scene);
    let start = flow.report().energy();
    for _ in 0..120 {
        flow.step().expect("it steps");
    }
    let change = flow.report().energy() / start - 1.0;
    assert!(change.abs() < 1e-2, "{change}");
    for grain in flow.grains() {
        let p = grain.centre;
        let from = p - p.with_z(0.0).normalize() * 2.0;
        assert!(from.length() < 0.5, "{p}");
    }
}

/// A field by a rule.
struct Rule(fn(Vec3) -> (f32, Vec3));

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rule")
    }
}

impl WallField for Rule {
    fn distance(&self, p: Vec3) -> (f32, Vec3) {
        (self.0)(p)
    }
}

/// Fields that are no distances where grains start are refused; where one fails later there is no wall.
#[test]
fn bad_fields_are_refused_or_have_no_effect() {
    let grains = || {
        vec![
            Grain::at_rest(Vec3::new(0.0, 0.0, 1.0), 0.1),
            Grain::at_rest(Vec3::new(0.0, 0.0, 2.0), 0.1),
        ]
    };
    let refuse = |rule, words: &str| {
        let wall = WallShape::Field(Arc::new(Rule(rule))).into();
        let reason = refusal(wall, grains());
        assert!(reason.contains(words), "{reason}");
    };
    refuse(|_| (f32::NAN, Vec3::Z), "not a number");
    refuse(|p| (p.z, Vec3::new(0.0, f32::NAN, 1.0)), "not a number");
    refuse(|p| (p.z, Vec3::Z * 2.0), "length 2");
    refuse(|p| (p.z * p.z * p.z, Vec3::Z), "not a distance");
    refuse(|p| (p.z - 1.95, Vec3::Z), "starts in it");

    let rule: fn(Vec3) -> (f32, Vec3) = |p| (if p.z < 0.5 { f32::NAN } else { p.z }, Vec3::Z);
    let wall = WallShape::Field(Arc::new(Rule(rule))).into();
    let mut scene = scene(elastic(1e6), grains(), vec![wall]);
    scene.gravity = DVec3::new(0.0, 0.0, -9.81);
    let mut flow = flow(&scene);
    for _ in 0..60 {
        flow.step().expect("it steps");
    }
    let fallen = flow.grains()[0].centre;
    assert!(fallen.is_finite() && fallen.z < -3.0, "{fallen}");
}

/// A wall may only turn within itself.
#[test]
fn walls_that_would_move_cannot_spin() {
    let (corners, sides) = cuboid(Vec3::ONE);
    let frustum = WallShape::Frustum {
        base: Vec3::ZERO,
        axis: Vec3::Y,
        length: 2.0,
        radii: [1.0, 2.0],
    };
    let spin = |pivot, rate| Some(WallSpin { pivot, rate });
    let far = vec![Grain::at_rest(Vec3::splat(50.0), 0.1)];
    let plane = WallShape::Plane {
        normal: Vec3::Z,
        offset: -100.0,
    };
    let solid = WallShape::Triangles {
        vertices: corners,
        faces: sides,
        solid: true,
    };
    for (shape, pivot, rate) in [
        (plane.clone(), Vec3::ZERO, Vec3::X),
        (frustum.clone(), Vec3::ZERO, Vec3::X),
        (frustum.clone(), Vec3::X, Vec3::Y),
        (frustum.clone(), Vec3::ZERO, Vec3::Y * f32::NAN),
        (solid, Vec3::ZERO, Vec3::Z),
    ] {
        let spin = spin(pivot, rate);
        let reason = refusal(Wall { shape, spin }, far.clone());
        assert!(reason.contains("spin"), "{reason}");
    }
    for (shape, pivot, rate) in [
        (plane, Vec3::X, Vec3::Z * -3.0),
        (frustum, Vec3::Y * 7.0, Vec3::Y * 2.0),
    ] {
        let spin = spin(pivot, rate);
        flow(&scene(
            elastic(1e6),
            far.clone(),
            vec![Wall { shape, spin }],
        ));
    }
}
