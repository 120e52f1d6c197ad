//! Fields: what they are made of, and their values.

mod sample;
mod user;

use std::sync::Arc;

use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;
use jostle_simd::Aabb;
use jostle_simd::lanes::{Real, V3};
use thiserror::Error;

pub use sample::Sample;
pub use user::UserField;

use crate::voxel::VoxelField;

/// A field that cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FieldError {
    /// A parameter is not a number, not positive, or too large.
    #[error("{field}: {parameter} is {value}, which is not {range}")]
    Parameter {
        /// Of which field.
        field: &'static str,
        /// Of what.
        parameter: &'static str,
        /// As given.
        value: f32,
        /// What it has to be.
        range: &'static str,
    },
}

/// A signed distance field in its own coordinates, in metres: negative inside, positive outside.
///
/// Cheap to clone. Axes of symmetry lie along z.
#[derive(Clone, Debug)]
pub struct Field {
    node: Arc<Node>,
}

/// What a field is made of.
#[derive(Debug)]
pub(crate) enum Node {
    Sphere { radius: f32 },
    Voxel(VoxelField),
    User(Box<dyn UserField>),
}

impl Field {
    pub(crate) fn new(node: Node) -> Self {
        Self {
            node: Arc::new(node),
        }
    }

    /// A ball about the origin.
    ///
    /// # Errors
    /// A radius that is not positive and finite.
    pub fn sphere(radius: f32) -> Result<Self, FieldError> {
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(FieldError::Parameter {
                field: "sphere",
                parameter: "radius",
                value: radius,
                range: "positive and finite",
            });
        }
        Ok(Self::new(Node::Sphere { radius }))
    }

    /// A field on a grid.
    pub fn voxel(voxels: VoxelField) -> Self {
        Self::new(Node::Voxel(voxels))
    }

    /// Value and gradient at a point. The scalar twin of [`eval8`](Self::eval8), bit for bit.
    pub fn sample(&self, p: Vec3) -> Sample<f32> {
        match &*self.node {
            Node::Sphere { radius } => ball(p.into(), *radius),
            Node::Voxel(voxels) => voxels.sample(p),
            Node::User(user) => user.sample(p),
        }
    }

    /// Value and gradient at eight points.
    ///
    /// To be called from within `dispatch!`; operators call it again for their parts, each time through
    /// `vectorize`, because a vector operation has to be inlined into a function that carries its target feature.
    #[inline(never)]
    pub fn eval8<S: Simd>(&self, simd: S, p: V3<f32x8<S>>) -> Sample<f32x8<S>> {
        simd.vectorize(
            #[inline(always)]
            || match &*self.node {
                Node::Sphere { radius } => ball(p, *radius),
                Node::Voxel(voxels) => voxels.eval8(simd, p),
                Node::User(user) => user::eval8(&**user, p),
            },
        )
    }

    /// A box around the surface and the inside.
    pub fn aabb(&self) -> Aabb {
        match &*self.node {
            Node::Sphere { radius } => Aabb::new(Vec3::splat(-radius), Vec3::splat(*radius)),
            Node::Voxel(voxels) => voxels.aabb(),
            Node::User(user) => user.aabb(),
        }
    }

    /// How much the value can change, at most, by metre of way, between points of a ball about `centre`.
    pub fn lipschitz_in(&self, centre: Vec3, radius: f32) -> f32 {
        match &*self.node {
            Node::Sphere { .. } => 1.0,
            Node::Voxel(voxels) => voxels.lipschitz_in(centre, radius),
            Node::User(user) => user.lipschitz(),
        }
    }

    /// Whether the inside is convex, as far as is known.
    pub fn is_convex(&self) -> bool {
        match &*self.node {
            Node::Sphere { .. } => true,
            Node::Voxel(_) => false,
            Node::User(user) => user.is_convex(),
        }
    }
}

#[inline(always)]
fn ball<R: Real>(p: V3<R>, radius: f32) -> Sample<R> {
    let length = p.length();
    let tiny = length.below(length.all(1e-30));
    let up = V3::all(length, Vec3::Z);
    let one = length.all(1.0);
    Sample {
        value: length - length.all(radius),
        gradient: V3::choose(tiny, up, p.times(one / R::choose(tiny, one, length))),
    }
}
