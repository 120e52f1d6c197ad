//! The forms that scenes of bodies are made of: sizes in metres, before bodies are scaled.

use std::sync::{Arc, OnceLock};

use glam::{DVec3, Vec3};
use jostle_geom::Mesh;
use jostle_sdf::voxel::{BakeOptions, VoxelField};
use jostle_sdf::{Field, Shape, ShapeOptions};

use super::{BodySceneError, meshes};

type Made = Result<Field, BodySceneError>;

/// Half extents of the planks.
const PLANK: Vec3 = Vec3::new(1.15, 0.55, 0.28);
/// The one that is bent lies on its side: bending is about z.
const ON_ITS_SIDE: Vec3 = Vec3::new(1.15, 0.28, 0.55);
/// rad/m.
const BEND: f32 = 0.95;
const TWIST: f32 = 1.25;
/// Height of the bumps.
const BUMPS: f32 = 0.1;

/// A box of half extents.
pub(super) fn cuboid(half: DVec3) -> Made {
    Ok(Field::cuboid(half.as_vec3())?)
}

pub(super) fn plank() -> Made {
    Ok(Field::cuboid(PLANK)?)
}

pub(super) fn bent_plank() -> Made {
    Ok(Field::cuboid(ON_ITS_SIDE)?.bend(BEND)?)
}

pub(super) fn twisted_plank() -> Made {
    Ok(Field::cuboid(PLANK)?.twist(TWIST)?)
}

pub(super) fn displaced_plank() -> Made {
    Ok(Field::cuboid(PLANK)?.displace(BUMPS)?)
}

/// A pin.
pub(super) fn capsule() -> Made {
    Ok(Field::capsule(0.3, 0.4)?)
}

pub(super) fn cylinder() -> Made {
    Ok(Field::cylinder(0.4, 0.4)?)
}

/// An axle of a radius and half length.
pub(super) fn axle(radius: f64, half: f64) -> Made {
    Ok(Field::cylinder(radius as f32, half as f32)?)
}

/// Every primitive, each about a metre large.
pub(super) fn primitives() -> Result<[Field; 6], BodySceneError> {
    Ok([
        cuboid(DVec3::splat(0.5))?,
        Field::sphere(0.5)?,
        capsule()?,
        cylinder()?,
        Field::cone(0.5, 0.5)?,
        Field::torus(0.5, 0.2)?,
    ])
}

/// A plate with ten by ten spikes of different heights.
pub(super) fn spike_plate() -> Made {
    let half = Vec3::new(0.7, 0.7, 0.08);
    Ok(Field::spike_plate(half, 10, 0.045, 0.12, 0.26)?)
}

/// A hub with two rings of sixteen spikes.
pub(super) fn spiky_wheel() -> Made {
    Ok(Field::spiky_wheel(0.35, 0.48, 0.08, 1.4, 16)?)
}

/// A mesh that a scene has unless it is given another one.
#[derive(Clone, Copy)]
pub(super) enum Own {
    Gear,
    Chair,
    Bunny,
    Cow,
}

/// The shapes of generated meshes, baked when they are first asked for: the same in every scene.
static BAKED: [OnceLock<Arc<Shape>>; 4] = [const { OnceLock::new() }; 4];

impl Own {
    /// The shape of unit size.
    pub(super) fn shape(self) -> Result<Arc<Shape>, BodySceneError> {
        let cell = &BAKED[self as usize];
        if let Some(shape) = cell.get() {
            return Ok(Arc::clone(shape));
        }
        let mesh = match self {
            Self::Gear => meshes::gear(),
            Self::Chair => meshes::chair(),
            Self::Bunny => meshes::bunny(),
            Self::Cow => meshes::cow(),
        }?;
        let shape = baked(&mesh)?;
        Ok(Arc::clone(cell.get_or_init(|| shape)))
    }
}

/// A mesh as a shape of unit size.
pub(super) fn baked(mesh: &Mesh) -> Result<Arc<Shape>, BodySceneError> {
    let options = BakeOptions {
        normalize: true,
        ..BakeOptions::default()
    };
    let baked = VoxelField::bake(mesh, &options, &|_| ())?;
    let field = Field::voxel(baked.field);
    Ok(Arc::new(Shape::new(field, &ShapeOptions::default())?))
}
