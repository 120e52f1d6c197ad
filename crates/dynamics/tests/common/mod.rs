//! Small scenes for the tests.

#![allow(dead_code, unreachable_pub, reason = "each test file uses some of it")]

use glam::{DVec3, Vec3};
use jostle_dynamics::{FlowOptions, GrainFlow};
use jostle_scenes::grains::{Grain, GrainMaterial, GrainScene, Wall, WallShape};
use jostle_simd::Aabb;

/// A material of a stiffness without friction and damping.
pub fn elastic(stiffness: f64) -> GrainMaterial {
    GrainMaterial {
        density: 2500.0,
        stiffness,
        tangential_stiffness: 2.0 / 7.0,
        restitution: 1.0,
        friction: 0.0,
        rolling_friction: 0.0,
    }
}

/// Grains and walls in a world that is large, without gravity.
pub fn scene(material: GrainMaterial, grains: Vec<Grain>, walls: Vec<Wall>) -> GrainScene {
    GrainScene {
        name: "test",
        material,
        gravity: DVec3::ZERO,
        grains,
        walls,
        emitters: Vec::new(),
        drains: Vec::new(),
        world: Aabb::new(Vec3::splat(-1e6), Vec3::splat(1e6)),
        seed: 0,
    }
}

/// A grain that moves.
pub fn moving(centre: Vec3, velocity: Vec3, radius: f32) -> Grain {
    Grain {
        velocity,
        ..Grain::at_rest(centre, radius)
    }
}

/// A plane.
pub fn plane(normal: Vec3, offset: f32) -> Wall {
    WallShape::Plane { normal, offset }.into()
}

/// A flow with frames of 1/60 s.
pub fn flow(scene: &GrainScene) -> GrainFlow {
    GrainFlow::new(scene, &FlowOptions::default()).expect("the scene is fine")
}

/// A flow with four times as many sub-steps as it needs.
pub fn fine_flow(scene: &GrainScene) -> GrainFlow {
    let options = FlowOptions {
        substeps: Some(4 * flow(scene).time_step().substeps),
        ..FlowOptions::default()
    };
    GrainFlow::new(scene, &options).expect("the scene is fine")
}

/// Triangles of a height field over a square of cells, seen from above counter-clockwise.
pub fn carpet(
    half: f32,
    cells: u32,
    height: impl Fn(f32, f32) -> f32,
) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    let mut faces = Vec::new();
    for j in 0..=cells {
        for i in 0..=cells {
            let at = |k: u32| half * (2.0 * k as f32 / cells as f32 - 1.0);
            vertices.push(Vec3::new(at(i), at(j), height(at(i), at(j))));
            if i < cells && j < cells {
                let v = j * (cells + 1) + i;
                faces.push([v, v + 1, v + cells + 2]);
                faces.push([v, v + cells + 2, v + cells + 1]);
            }
        }
    }
    (vertices, faces)
}

/// The faces of a box, counter-clockwise seen from outside.
pub fn cuboid(half: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let vertices = (0..8)
        .map(|i| {
            let side = |bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
            half * Vec3::new(side(1), side(2), side(4))
        })
        .collect();
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let faces = quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    (vertices, faces)
}
