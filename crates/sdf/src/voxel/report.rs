//! What goes into baking, and what comes out.

use glam::DVec3;
use thiserror::Error;

use super::VoxelField;
use crate::mesh_distance::{MeshDistance, MeshDistanceError};

/// How to bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BakeOptions {
    /// Cells along the longest side of the box of the mesh.
    pub resolution: u32,
    /// Cells around that box, at least 1.
    pub padding: u32,
    /// Whether to move the centre of the box to the origin and to scale its longest side to 1.
    pub normalize: bool,
    /// Bytes that may be held while baking, no more than 4 GiB.
    pub memory_limit: u64,
}

impl Default for BakeOptions {
    fn default() -> Self {
        Self {
            resolution: 100,
            padding: 3,
            normalize: false,
            memory_limit: 1 << 30,
        }
    }
}

/// Why a mesh cannot be baked.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum BakeError {
    /// The mesh has no faces or a bad vertex.
    #[error(transparent)]
    Mesh(#[from] MeshDistanceError),
    /// All faces lie in one point.
    #[error("the mesh has no extent")]
    NoExtent,
    /// There would be no cells, or too many.
    #[error("{option} is {value}, which is not between 1 and {most}")]
    Option {
        /// Which option.
        option: &'static str,
        /// As given.
        value: u32,
        /// The largest value.
        most: u32,
    },
    /// The limit is too low.
    #[error("a resolution of {resolution} needs {needed} bytes; the limit is {limit}")]
    Memory {
        /// As given.
        resolution: u32,
        /// So many at least.
        needed: u64,
        /// As given.
        limit: u64,
    },
}

/// What was met while baking.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BakeReport {
    /// Whether the mesh is closed.
    pub closed: bool,
    /// Edges whose faces do not cancel.
    pub open_edges: usize,
    /// Whether the faces were turned inside out.
    pub flipped: bool,
    /// The volume that the faces enclose, in units of the field cubed.
    pub volume: f64,
    /// A vertex v of the mesh is at (v − `centre`) `scale` in the field.
    pub centre: DVec3,
    /// See `centre`.
    pub scale: f64,
    /// Distances computed.
    pub distances: u64,
    /// Winding numbers computed.
    pub winding_numbers: u64,
}

/// A field and what was met while baking it.
#[derive(Clone, Debug)]
pub struct Baked {
    /// The field.
    pub field: VoxelField,
    /// Of its mesh.
    pub report: BakeReport,
    /// Exact distances from the same mesh, in the coordinates of the field.
    pub mesh: MeshDistance,
    /// What closes the mesh: the field has it as a surface too.
    pub cap: Option<MeshDistance>,
}
