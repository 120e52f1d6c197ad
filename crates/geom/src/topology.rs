//! Faces, unique edges and the numbering of boxes.

use core::fmt;

use thiserror::Error;

/// What a box was put around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementKind {
    /// A vertex.
    Vertex,
    /// An edge.
    Edge,
    /// A face.
    Face,
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vertex => "vertex",
            Self::Edge => "edge",
            Self::Face => "face",
        })
    }
}

/// One primitive of a mesh: its kind and its index among the primitives of that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Element {
    /// Vertex, edge or face.
    pub kind: ElementKind,
    /// Index into the vertices, edges or faces.
    pub index: u32,
}

/// The two kinds of candidate pairs of continuous collision detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PairKind {
    /// A vertex against a face.
    VertexFace,
    /// An edge against an edge.
    EdgeEdge,
}

impl PairKind {
    /// `"vf"` or `"ee"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VertexFace => "vf",
            Self::EdgeEdge => "ee",
        }
    }
}

impl fmt::Display for PairKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The connectivity of a triangle mesh: faces, unique edges, and the ids of their boxes.
///
/// With `V` vertices, `E` edges and `F` faces, box `i < V` belongs to vertex `i`,
/// `V ≤ i < V + E` to edge `i − V`, and the rest to faces in file order. Edges are the unique
/// undirected edges of the faces (and any loose edges given), each as (smaller, larger) vertex,
/// sorted by the larger vertex, then by the smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    vertex_count: u32,
    edges: Vec<[u32; 2]>,
    faces: Vec<[u32; 3]>,
}

impl Topology {
    /// Builds the unique edges of `faces` and `loose_edges` over `vertex_count` vertices.
    ///
    /// Faces that name a vertex twice are kept as they are (they are segments or points); an edge
    /// from a vertex to itself is dropped. Cost: O(F log F).
    ///
    /// # Errors
    /// An index at or beyond `vertex_count`, no vertex at all, or more boxes than 2³² − 1.
    pub fn new(
        vertex_count: usize,
        faces: Vec<[u32; 3]>,
        loose_edges: &[[u32; 2]],
    ) -> Result<Self, TopologyError> {
        if vertex_count == 0 {
            return Err(TopologyError::NoVertices);
        }
        let limit = u32::MAX as usize;
        let at_most = vertex_count
            .saturating_add(faces.len().saturating_mul(4))
            .saturating_add(loose_edges.len());
        if vertex_count > limit {
            return Err(TopologyError::TooManyBoxes {
                boxes: vertex_count,
            });
        }
        let out_of_range = |kind, index, vertex| TopologyError::IndexOutOfRange {
            kind,
            index,
            vertex,
            vertex_count,
        };
        for (i, face) in faces.iter().enumerate() {
            if let Some(&v) = face.iter().find(|&&v| v as usize >= vertex_count) {
                return Err(out_of_range(ElementKind::Face, i, v));
            }
        }
        for (i, edge) in loose_edges.iter().enumerate() {
            if let Some(&v) = edge.iter().find(|&&v| v as usize >= vertex_count) {
                return Err(out_of_range(ElementKind::Edge, i, v));
            }
        }

        // Larger vertex in the high half: the order of the keys is the order of the edges.
        let key = |a: u32, b: u32| (u64::from(a.max(b)) << 32) | u64::from(a.min(b));
        let mut keys = Vec::with_capacity(faces.len() * 3 + loose_edges.len());
        for &[a, b, c] in &faces {
            keys.extend([key(a, b), key(b, c), key(c, a)]);
        }
        keys.extend(loose_edges.iter().map(|&[a, b]| key(a, b)));
        keys.retain(|&k| (k >> 32) as u32 != k as u32);
        keys.sort_unstable();
        keys.dedup();
        let edges: Vec<_> = keys
            .into_iter()
            .map(|k| [k as u32, (k >> 32) as u32])
            .collect();

        let boxes = vertex_count + edges.len() + faces.len();
        debug_assert!(boxes <= at_most);
        if boxes > limit {
            return Err(TopologyError::TooManyBoxes { boxes });
        }
        Ok(Self {
            vertex_count: vertex_count as u32,
            edges,
            faces,
        })
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count as usize
    }

    /// The unique edges, each `[smaller, larger]`, sorted by larger, then by smaller vertex.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The faces in file order.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Number of boxes: vertices, edges and faces together.
    pub fn box_count(&self) -> usize {
        self.vertex_count() + self.edges.len() + self.faces.len()
    }

    /// The box id of an element. The index is not checked.
    pub fn box_id(&self, element: Element) -> u32 {
        match element.kind {
            ElementKind::Vertex => element.index,
            ElementKind::Edge => self.vertex_count + element.index,
            ElementKind::Face => self.vertex_count + self.edges.len() as u32 + element.index,
        }
    }

    /// The element a box belongs to, or `None` when there is no such box.
    pub fn element(&self, box_id: u32) -> Option<Element> {
        let id = box_id as usize;
        let (v, e) = (self.vertex_count(), self.edges.len());
        let (kind, index) = match id {
            _ if id < v => (ElementKind::Vertex, id),
            _ if id < v + e => (ElementKind::Edge, id - v),
            _ if id < self.box_count() => (ElementKind::Face, id - v - e),
            _ => return None,
        };
        Some(Element {
            kind,
            index: index as u32,
        })
    }

    /// The box ids of a candidate pair given by element indices (vertex and face, or two edges).
    pub fn pair_box_ids(&self, kind: PairKind, [a, b]: [u32; 2]) -> [u32; 2] {
        let (first, second) = match kind {
            PairKind::VertexFace => (ElementKind::Vertex, ElementKind::Face),
            PairKind::EdgeEdge => (ElementKind::Edge, ElementKind::Edge),
        };
        [
            self.box_id(Element {
                kind: first,
                index: a,
            }),
            self.box_id(Element {
                kind: second,
                index: b,
            }),
        ]
    }
}

/// Why a topology was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// There is no vertex.
    #[error("the mesh has no vertices")]
    NoVertices,
    /// A face or edge names a vertex that does not exist.
    #[error("{kind} {index} names vertex {vertex}, but there are only {vertex_count} vertices")]
    IndexOutOfRange {
        /// Edge or face.
        kind: ElementKind,
        /// Index of that edge or face, from 0.
        index: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertex_count: usize,
    },
    /// Ids are 32 bits wide.
    #[error("{boxes} boxes are more than the 4294967295 that 32-bit ids can name")]
    TooManyBoxes {
        /// How many there would be.
        boxes: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_sorted_by_larger_then_smaller_vertex() {
        let t = Topology::new(5, vec![[2, 1, 0], [3, 2, 1]], &[[4, 0], [0, 1]]).unwrap();
        assert_eq!(t.edges(), [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [0, 4]]);
        assert_eq!(t.box_count(), 5 + 6 + 2);
        for id in 0..t.box_count() as u32 {
            assert_eq!(t.box_id(t.element(id).unwrap()), id);
        }
        assert_eq!(t.element(13), None);
        assert_eq!(t.pair_box_ids(PairKind::VertexFace, [4, 1]), [4, 12]);
    }

    #[test]
    fn bad_indices_are_named() {
        assert_eq!(
            Topology::new(0, vec![], &[]),
            Err(TopologyError::NoVertices)
        );
        let error = Topology::new(3, vec![[0, 1, 2], [0, 1, 3]], &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "face 1 names vertex 3, but there are only 3 vertices"
        );
    }

    #[test]
    fn degenerate_faces_give_no_degenerate_edges() {
        let t = Topology::new(2, vec![[0, 0, 0], [0, 1, 1]], &[[1, 1]]).unwrap();
        assert_eq!(t.edges(), [[0, 1]]);
    }
}
