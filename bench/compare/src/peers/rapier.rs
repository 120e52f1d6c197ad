//! The physics engine rapier: balls between walls of triangles, stepped with its default solver.

use jostle_scenes::grains::{GrainScene, WallShape};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector};

pub const VERSION: &str = "0.36.1";

/// A scene of grains as rigid balls.
pub struct Balls {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
    drain: f32,
}

impl Balls {
    /// The grains and walls of a scene, with the same radii, density, friction and restitution. Rapier knows no
    /// rolling resistance of balls.
    pub fn new(scene: &GrainScene, frame: f32) -> Result<Self, String> {
        let mut world = PhysicsWorld::new();
        world.gravity = vector(scene.gravity.as_vec3());
        world.integration_parameters.dt = frame;
        let material = &scene.material;
        let (friction, restitution) = (material.friction as f32, material.restitution as f32);
        for wall in &scene.walls {
            let WallShape::Frustum {
                base,
                axis,
                length,
                radii,
            } = wall.shape
            else {
                return Err("only walls of revolution can be compared".to_owned());
            };
            let size = 2.0 * scene.grains[0].radius;
            let (points, faces) = revolve(base, axis, length, radii, size);
            let mesh = ColliderBuilder::trimesh(points, faces).map_err(|e| e.to_string())?;
            let mesh = mesh.friction(friction).restitution(restitution);
            world.insert(RigidBodyBuilder::fixed(), mesh);
        }
        let mut handles = Vec::with_capacity(scene.grains.len());
        for grain in &scene.grains {
            let body = RigidBodyBuilder::dynamic().translation(vector(grain.centre));
            let ball = ColliderBuilder::ball(grain.radius)
                .density(material.density as f32)
                .friction(friction)
                .restitution(restitution);
            handles.push(world.insert(body, ball).0);
        }
        let drain = scene.drains.first().map_or(f32::NEG_INFINITY, |d| d.offset);
        Ok(Self {
            world,
            handles,
            drain,
        })
    }

    /// One frame.
    pub fn step(&mut self) {
        self.world.step();
    }

    /// Takes away the balls that left through the drain.
    pub fn drain(&mut self) {
        let (world, drain) = (&mut self.world, self.drain);
        self.handles.retain(|&handle| {
            let stays = world.bodies[handle].translation().z >= drain;
            if !stays {
                world.remove_body(handle);
            }
            stays
        });
    }

    /// Where the balls are.
    pub fn centres(&self) -> Vec<glam::Vec3> {
        let at = |&handle: &RigidBodyHandle| {
            let v = self.world.bodies[handle].translation();
            glam::Vec3::new(v.x, v.y, v.z)
        };
        self.handles.iter().map(at).collect()
    }
}

fn vector(v: glam::Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// The side of a frustum as triangles of about a size.
fn revolve(
    base: glam::Vec3,
    axis: glam::Vec3,
    length: f32,
    radii: [f32; 2],
    size: f32,
) -> (Vec<Vector>, Vec<[u32; 3]>) {
    let widest = radii[0].max(radii[1]);
    let around = ((std::f32::consts::TAU * widest / size) as u32).max(24);
    let along = ((length / (2.0 * size)) as u32).max(1);
    let u = axis.any_orthonormal_vector();
    let v = axis.cross(u);
    let mut points = Vec::new();
    let mut faces = Vec::new();
    for j in 0..=along {
        let share = j as f32 / along as f32;
        let radius = radii[0] + (radii[1] - radii[0]) * share;
        for i in 0..around {
            let (sin, cos) = (std::f32::consts::TAU * i as f32 / around as f32).sin_cos();
            points.push(vector(
                base + axis * (length * share) + (u * cos + v * sin) * radius,
            ));
            if j < along {
                let (row, next) = (j * around, (i + 1) % around);
                let [a, b] = [row + i, row + next];
                let [c, d] = [a + around, b + around];
                faces.extend([[a, b, d], [a, d, c]]);
            }
        }
    }
    // The tip of a cone has no width.
    faces.retain(|face| {
        let [a, b, c] = face.map(|i| points[i as usize]);
        (b - a).cross(c - a).length() > 1e-9
    });
    (points, faces)
}
