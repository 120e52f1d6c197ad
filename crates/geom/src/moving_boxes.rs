//! Boxes around linear motion.

use fearless_simd::Level;
use jostle_simd::motion_boxes;

use crate::chunks::fill_chunks;
use crate::{Aabb, MovingMesh};

/// Boxes a chunk of parallel work holds; the boxes do not depend on it.
const CHUNK: usize = 8192;

/// The smallest `f32` boxes around the motion of every vertex, edge and face of a step.
///
/// A vertex box has each bound of the motion, taken in `f64`, moved to the next float outside of
/// it. The boxes of edges and faces are unions of those: points between vertices stay between
/// them, and because rounding is monotone the union of rounded bounds is the rounded bound of the
/// union, so these boxes are the smallest as well.
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
    ///
    /// `t_end ≥ 1` (or NaN) takes the end positions as they are, `t_end ≤ 0` the start alone. In
    /// between, the exact position `p0 + t_end (p1 − p0)` is contained and the box is never larger
    /// than that of the whole step. An inflation that is negative or NaN counts as 0; bounds that
    /// leave the range of `f32` become infinite. The boxes are the same bits for any number of
    /// threads and any level. Cost: O(V + E + F).
    pub fn compute(mesh: &MovingMesh<'_>, t_end: f64, inflation: f64, level: Level) -> Self {
        let mut boxes = Self::default();
        boxes.update(mesh, t_end, inflation, level);
        boxes
    }

    /// As [`compute`](Self::compute), into the memory of earlier boxes.
    pub fn update(&mut self, mesh: &MovingMesh<'_>, t_end: f64, inflation: f64, level: Level) {
        let topology = mesh.topology();
        self.vertices.resize(topology.vertex_count(), Aabb::EMPTY);
        self.edges.resize(topology.edges().len(), Aabb::EMPTY);
        self.faces.resize(topology.faces().len(), Aabb::EMPTY);
        fill_chunks(&mut self.vertices, CHUNK, |first, out| {
            let range = first..first + out.len();
            let (t0, t1) = (&mesh.t0()[range.clone()], &mesh.t1()[range]);
            motion_boxes(t0, t1, t_end, inflation, out, level);
        });
        let vertices = &self.vertices[..];
        fill_chunks(&mut self.edges, CHUNK, |first, out| {
            for (edge, out) in topology.edges()[first..].iter().zip(out) {
                *out = union(edge.map(|v| &vertices[v as usize]));
            }
        });
        fill_chunks(&mut self.faces, CHUNK, |first, out| {
            for (face, out) in topology.faces()[first..].iter().zip(out) {
                *out = union(face.map(|v| &vertices[v as usize]));
            }
        });
    }
}

/// The union of boxes without NaN. Comparisons, not `min`: they compile to single instructions.
#[inline(always)]
fn union<const N: usize>(boxes: [&Aabb; N]) -> Aabb {
    let mut out = *boxes[0];
    for other in &boxes[1..] {
        for axis in 0..3 {
            if other.min[axis] < out.min[axis] {
                out.min[axis] = other.min[axis];
            }
            if other.max[axis] > out.max[axis] {
                out.max[axis] = other.max[axis];
            }
        }
    }
    out
}
