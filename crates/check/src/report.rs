//! What a check found.

use core::fmt;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum IssueKind {
    /// An edge with a face on one side only.
    OpenEdge,
    /// An edge of more than two faces.
    NonManifoldEdge,
    /// A vertex around which the faces form more than one fan.
    NonManifoldVertex,
    /// A face that names a vertex twice, or whose area is exactly zero.
    DegenerateFace,
    /// A face over the same three vertices as an earlier one.
    DuplicateFace,
    /// A vertex that no face and no edge names.
    UnreferencedVertex,
    /// An edge of two faces that both run along it in the same direction.
    InconsistentOrientation,
    /// Two faces that share more than the vertices they have in common.
    SelfIntersection,
}

impl IssueKind {
    /// The name used in reports, such as `open-edge`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenEdge => "open-edge",
            Self::NonManifoldEdge => "non-manifold-edge",
            Self::NonManifoldVertex => "non-manifold-vertex",
            Self::DegenerateFace => "degenerate-face",
            Self::DuplicateFace => "duplicate-face",
            Self::UnreferencedVertex => "unreferenced-vertex",
            Self::InconsistentOrientation => "inconsistent-orientation",
            Self::SelfIntersection => "self-intersection",
        }
    }
}

impl fmt::Display for IssueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// A vertex.
    Vertex(u32),
    /// An edge, by its vertices.
    Edge([u32; 2]),
    /// A face.
    Face(u32),
    /// Two faces.
    Faces([u32; 2]),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(v) => write!(f, "vertex {v}"),
            Self::Edge([a, b]) => write!(f, "vertices {a} and {b}"),
            Self::Face(face) => write!(f, "face {face}"),
            Self::Faces([a, b]) => write!(f, "faces {a} and {b}"),
        }
    }
}

/// How often a fault was found, and where first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// What.
    pub kind: IssueKind,
    /// How many; at least 1.
    pub count: u64,
    /// The first in the order of the report's list; `None` when a limit of 0 kept none.
    pub first: Option<Location>,
}

/// What a check found. All ids count from 0 in the order of the file; every list is sorted and does
/// not depend on threads or SIMD level.
///
/// Edges are `[smaller, larger]` vertex, sorted by larger, then by smaller vertex. Faces that name a
/// vertex twice have no three edges, so they count neither at edges nor in fans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Edges of one face.
    pub open_edges: Vec<[u32; 2]>,
    /// Edges of more than two faces.
    pub non_manifold_edges: Vec<[u32; 2]>,
    /// Vertices whose faces form more than one fan. Faces are of one fan when an edge at the vertex
    /// joins them, one of more than two faces too: that is a fault of the edge.
    pub non_manifold_vertices: Vec<u32>,
    /// Faces that name a vertex twice, or whose area is exactly zero.
    pub degenerate_faces: Vec<u32>,
    /// `[earliest face, this face]` for every face over the same three vertices as an earlier one,
    /// in whichever order; sorted by this face.
    pub duplicate_faces: Vec<[u32; 2]>,
    /// Vertices that no face and no loose edge names.
    pub unreferenced_vertices: Vec<u32>,
    /// Edges of two faces that run along it in the same direction.
    pub inconsistent_edges: Vec<[u32; 2]>,
    /// Ascending pairs of faces that intersect, as [`faces_intersect`](crate::faces_intersect)
    /// decides; the first ones, when there is a limit.
    pub self_intersections: Vec<[u32; 2]>,
    /// How many pairs intersect, listed or not.
    pub self_intersection_count: u64,
}

impl Report {
    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.issues().is_empty()
    }

    /// The kinds of faults that were found, in the order of [`IssueKind`].
    pub fn issues(&self) -> Vec<Issue> {
        fn of<T: Copy>(kind: IssueKind, found: &[T], at: fn(T) -> Location) -> Issue {
            Issue {
                kind,
                count: found.len() as u64,
                first: found.first().copied().map(at),
            }
        }
        let pairs = &self.self_intersections;
        let mut intersections = of(IssueKind::SelfIntersection, pairs, Location::Faces);
        intersections.count = self.self_intersection_count;
        let inconsistent = &self.inconsistent_edges;
        let all = [
            of(IssueKind::OpenEdge, &self.open_edges, Location::Edge),
            of(
                IssueKind::NonManifoldEdge,
                &self.non_manifold_edges,
                Location::Edge,
            ),
            of(
                IssueKind::NonManifoldVertex,
                &self.non_manifold_vertices,
                Location::Vertex,
            ),
            of(
                IssueKind::DegenerateFace,
                &self.degenerate_faces,
                Location::Face,
            ),
            of(
                IssueKind::DuplicateFace,
                &self.duplicate_faces,
                Location::Faces,
            ),
            of(
                IssueKind::UnreferencedVertex,
                &self.unreferenced_vertices,
                Location::Vertex,
            ),
            of(
                IssueKind::InconsistentOrientation,
                inconsistent,
                Location::Edge,
            ),
            intersections,
        ];
        all.into_iter().filter(|issue| issue.count > 0).collect()
    }
}
