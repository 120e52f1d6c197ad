//! A scene while it is being put together.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use jostle_geom::{Mesh, Pose, Rng, Rotation};
use jostle_sdf::{Field, Shape, ShapeOptions};

use super::forms::{self, Own};
use super::{BodyScene, BodySceneError, Motion, SceneBody};

/// m/s².
const GRAVITY: f64 = 9.81;

/// The ground reaches this far from the origin at least, m, and this far beyond the last body.
const GROUND: f64 = 60.0;

/// Half the thickness of the ground, m.
const GROUND_HALF: f64 = 1.0;

/// The gap between bodies that stand on each other, m: within the margin of contacts, and about where a solver leaves
/// them, so that they are at rest from the start.
pub(super) const GAP: f64 = 0.015;

/// A scene while it is being put together: the ground comes first.
pub(super) struct Builder {
    shapes: Vec<Arc<Shape>>,
    bodies: Vec<SceneBody>,
    /// Where bodies start is drawn from it.
    pub rng: Rng,
}

impl Builder {
    /// Nothing but a place for the ground.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        Self {
            shapes: Vec::new(),
            bodies: vec![SceneBody::default()],
            rng: Rng::new(seed, stream),
        }
    }

    /// A shape for the bodies that follow.
    pub(super) fn shape(&mut self, field: Field) -> Result<u32, BodySceneError> {
        let shape = Shape::new(field, &ShapeOptions::default())?;
        self.shapes.push(Arc::new(shape));
        Ok(self.shapes.len() as u32 - 1)
    }

    /// A mesh as a shape of unit size: the given one, or else the one that the scene has.
    pub(super) fn mesh(&mut self, given: Option<&Mesh>, own: Own) -> Result<u32, BodySceneError> {
        let shape = given.map_or_else(|| own.shape(), forms::baked)?;
        self.shapes.push(shape);
        Ok(self.shapes.len() as u32 - 1)
    }

    /// A body that moves.
    pub(super) fn add(
        &mut self,
        shape: u32,
        scale: f64,
        position: DVec3,
        rotation: Rotation,
    ) -> &mut SceneBody {
        let last = self.bodies.len();
        self.bodies.push(SceneBody {
            shape,
            scale: scale as f32,
            pose: Pose::new(position, rotation),
            ..SceneBody::default()
        });
        &mut self.bodies[last]
    }

    /// A box that does not move, of half extents, m.
    pub(super) fn wall(&mut self, half: DVec3, pose: Pose) -> Result<(), BodySceneError> {
        let shape = self.shape(forms::cuboid(half)?)?;
        self.add(shape, 1.0, pose.position, pose.rotation).motion = Motion::Static;
        Ok(())
    }

    /// A uniform rotation, by rejection: no trigonometry.
    pub(super) fn any_rotation(&mut self) -> Rotation {
        loop {
            let [x, y, z, w] = [(); 4].map(|()| self.rng.range(-1.0, 1.0));
            let squared = x * x + y * y + z * z + w * w;
            if (1e-2..=1.0).contains(&squared)
                && let Some(rotation) = Rotation::from_quaternion(x, y, z, w)
            {
                return rotation;
            }
        }
    }

    /// Of some rotations drawn at random, the one with which a body at a place is least inside the last bodies before it, which have the
    /// same shape and scale.
    pub(super) fn freest(&mut self, shape: u32, scale: f64, at: DVec3, last: usize) -> Rotation {
        const TRIES: usize = 24;
        let inside = self.points_inside(shape);
        let far = inside.iter().map(|p| p.length()).fold(0.0, f64::max) * scale;
        let first = self.bodies.len().saturating_sub(last).max(1);
        let near: Vec<SceneBody> = self.bodies[first..]
            .iter()
            .filter(|other| (other.pose.position - at).length() < 2.0 * far)
            .copied()
            .collect();
        let mut best = (f64::INFINITY, Rotation::IDENTITY);
        for _ in 0..TRIES {
            let rotation = self.any_rotation();
            let pose = Pose::new(at, rotation);
            let mut deepest: f64 = 0.0;
            for other in &near {
                let field = self.shapes[other.shape as usize].field();
                let size = f64::from(other.scale);
                for p in &inside {
                    let world = pose.to_world(*p * scale);
                    let local = other.pose.to_local(world) / size;
                    deepest = deepest.max(-f64::from(field.sample(local.as_vec3()).value) * size);
                }
            }
            if deepest < best.0 {
                best = (deepest, rotation);
            }
            if deepest == 0.0 {
                break;
            }
        }
        best.1
    }

    /// Some points inside a shape, in its own coordinates.
    fn points_inside(&self, shape: u32) -> Vec<DVec3> {
        const STEPS: [usize; 3] = [9, 7, 5];
        let shape = &self.shapes[shape as usize];
        let aabb = shape.aabb();
        let [low, high] = [aabb.min, aabb.max].map(Vec3::as_dvec3);
        let last = DVec3::from(STEPS.map(|n| n as f64 - 1.0));
        cells(STEPS)
            .map(|at| low + (high - low) * DVec3::from(at.map(|i| i as f64)) / last)
            .filter(|p| shape.field().sample(p.as_vec3()).value < 0.02)
            .collect()
    }

    /// Lays the ground and says where the world ends.
    pub(super) fn finish(mut self) -> Result<BodyScene, BodySceneError> {
        let mut reach = GROUND;
        let mut top: f64 = 0.0;
        for body in &self.bodies[1..] {
            let p = body.pose.position.abs();
            reach = reach.max(p.x.max(p.y) + 0.8 * GROUND);
            top = top.max(p.z);
        }
        let half = DVec3::new(reach, reach, GROUND_HALF);
        let shape = self.shape(forms::cuboid(half)?)?;
        self.bodies[0] = SceneBody {
            shape,
            pose: Pose::new(DVec3::NEG_Z * GROUND_HALF, Rotation::IDENTITY),
            motion: Motion::Static,
            ..SceneBody::default()
        };
        Ok(BodyScene {
            shapes: self.shapes,
            bodies: self.bodies,
            gravity: DVec3::NEG_Z * GRAVITY,
            // What is half a metre down has gone through the ground.
            world: [
                DVec3::new(-reach, -reach, -0.5),
                DVec3::new(reach, reach, top + GROUND),
            ],
        })
    }
}

/// The least number of cells of a lattice that holds so many bodies, wider and higher than `base` in equal shares, but with
/// at most `layers` layers.
pub(super) fn lattice(count: usize, base: [usize; 3], layers: usize) -> [usize; 3] {
    let [x, y, z] = base;
    let whole = x * y * z;
    if count <= whole {
        return base;
    }
    let times = libm::cbrt(count as f64 / whole as f64);
    let height = ((z as f64 * times).ceil() as usize).min(layers.max(z));
    let each = count.div_ceil(height);
    let wider = (each as f64 / (x * y) as f64).sqrt();
    let columns = (x as f64 * wider).ceil() as usize;
    [columns, each.div_ceil(columns), height]
}

/// The cells of a lattice, the lowest layer first.
pub(super) fn cells([x, y, z]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
}

/// How far a cell is from the middle of a row of `count`, in cells.
pub(super) fn middle(index: usize, count: usize) -> f64 {
    index as f64 - (count as f64 - 1.0) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lattices_hold_what_they_should_and_little_more() {
        for count in [1, 27, 28, 100, 1_000, 20_000] {
            let size = lattice(count, [3, 3, 3], 8);
            let room: usize = size.iter().product();
            assert!(room >= count && size[2] <= 8, "{count}: {size:?}");
            assert!(room <= 27.max(count + count / 3 + 20), "{count}: {size:?}");
            assert_eq!(cells(size).count(), room);
        }
    }
}
