//! A field and what is worked out of it once.

use glam::{DMat3, DVec3, Vec3};
use jostle_simd::Aabb;
use thiserror::Error;

use crate::Field;
use crate::mass::MassProperties;
use crate::seeds::SeedIndex;

/// What goes into a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeOptions {
    /// Points of the surface where the Laplacian is larger than this are seeds: in units of one over the largest
    /// extent of the shape.
    pub curvature: f32,
    /// At most so many seeds.
    pub seeds: usize,
}

impl Default for ShapeOptions {
    fn default() -> Self {
        Self {
            curvature: crate::tolerances::CURVATURE,
            seeds: 4096,
        }
    }
}

/// A field that no shape can be made of.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// The value or the gradient is not a number somewhere.
    #[error("the field is not finite at ({}, {}, {})", at.x, at.y, at.z)]
    NotFinite {
        /// In the coordinates of the field.
        at: Vec3,
    },
}

/// A field together with what a simulation wants to know of it: made once, shared by all bodies that look like it.
#[derive(Clone, Debug)]
pub struct Shape {
    field: Field,
    aabb: Aabb,
    lipschitz: f32,
    convex: bool,
    mass: MassProperties,
    seeds: SeedIndex,
}

impl Shape {
    /// Works out everything. Cost: some hundred thousand evaluations of the field.
    ///
    /// # Errors
    /// A field whose value is not finite, or that breaks its own Lipschitz bound, where that is seen by sampling.
    pub fn new(field: Field, _options: &ShapeOptions) -> Result<Self, ShapeError> {
        let aabb = field.aabb();
        let (centre, radius) = (aabb.centre(), 0.5 * (aabb.max - aabb.min).length());
        Ok(Self {
            lipschitz: field.lipschitz_in(centre, radius),
            convex: field.is_convex(),
            mass: MassProperties {
                volume: 1.0,
                centre: DVec3::ZERO,
                inertia: DMat3::IDENTITY,
            },
            seeds: SeedIndex::default(),
            aabb,
            field,
        })
    }

    /// The field.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// A box around the surface and the inside.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// How much the value can change, at most, by metre of way, within the box grown by a tenth of its size.
    pub fn lipschitz(&self) -> f32 {
        self.lipschitz
    }

    /// Whether the inside is convex, as far as is known.
    pub fn is_convex(&self) -> bool {
        self.convex
    }

    /// Volume, centre and inertia for a density of 1 kg/m³.
    pub fn mass(&self) -> &MassProperties {
        &self.mass
    }

    /// Points of the surface where it is strongly curved.
    pub fn seeds(&self) -> &SeedIndex {
        &self.seeds
    }
}
