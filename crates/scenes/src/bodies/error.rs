//! Why a scene of bodies cannot be built.

use jostle_geom::TopologyError;
use jostle_sdf::voxel::BakeError;
use jostle_sdf::{FieldError, ShapeError};
use thiserror::Error;

use crate::SceneError;

/// Why a scene of bodies cannot be built.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum BodySceneError {
    /// A parameter is out of range.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A field was refused.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// No shape can be made of a field.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A mesh cannot be baked: it is empty, has no size, or is not finite.
    #[error(transparent)]
    Bake(#[from] BakeError),
    /// The scene has no mesh that could be replaced.
    #[error("the scene {scene} takes no mesh")]
    NoMesh {
        /// Its name.
        scene: &'static str,
    },
    /// A generated mesh was refused.
    #[error(transparent)]
    Topology(#[from] TopologyError),
}
