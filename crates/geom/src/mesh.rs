//! A mesh at rest.

use glam::DVec3;

use crate::{Topology, TopologyError};

/// A triangle mesh: one position a vertex, in metres, and the connectivity.
///
/// Codimensional meshes (points or edges without faces) are valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// One position for each vertex of the topology.
    pub positions: Vec<DVec3>,
    /// Faces and unique edges.
    pub topology: Topology,
}

impl Mesh {
    /// Builds the topology over `positions`.
    ///
    /// # Errors
    /// As [`Topology::new`].
    pub fn new(
        positions: Vec<DVec3>,
        faces: Vec<[u32; 3]>,
        loose_edges: &[[u32; 2]],
    ) -> Result<Self, TopologyError> {
        let topology = Topology::new(positions.len(), faces, loose_edges)?;
        Ok(Self {
            positions,
            topology,
        })
    }
}
