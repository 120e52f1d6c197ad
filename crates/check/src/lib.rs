//! Is a mesh fit for collision?
//!
//! [`check`] reports open edges, non-manifold edges and vertices, degenerate and duplicate faces,
//! unreferenced vertices, inconsistent orientation and all self-intersections. Nothing is judged by
//! a tolerance: areas are zero, and triangles meet, exactly or not at all.
//! [`triangles_intersect`] and [`faces_intersect`] are the tests behind it.
//!
//! ```
//! use jostle_check::{CheckOptions, IssueKind, check};
//! use jostle_geom::Mesh;
//!
//! let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3]];
//! let mesh = Mesh::new(corners.map(Into::into).to_vec(), faces, &[])?;
//!
//! let report = check(&mesh, &CheckOptions::default())?;
//!
//! // One face of the tetrahedron is missing.
//! let issues = report.issues();
//! assert_eq!((issues[0].kind, issues[0].count), (IssueKind::OpenEdge, 3));
//! assert_eq!(issues.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! - `parallel` (default): runs on the threads of the current rayon pool. The report does not
//!   depend on how many there are.

mod edges;
mod faces;
mod report;
mod vertices;

use glam::{DVec3, Vec3};
use jostle_broad::{BoxError, h8};
use jostle_geom::chunks::fill_chunks;
use jostle_geom::{Aabb, Mesh, rounding};
use jostle_simd::{SimdLevel, UnsupportedLevel};
use thiserror::Error;

pub use faces::{Face, faces_intersect};
/// Whether two closed triangles share a point, exactly.
pub use jostle_simd::exact::triangles_intersect;
pub use report::{Issue, IssueKind, Location, Report};

/// Faces a task looks at. Changes the time taken, not the answer.
const CHUNK: usize = 1024;

/// How a mesh is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// How many self-intersections are listed at most, the first in order; all are counted. `None`,
    /// the default: all are listed.
    pub pair_limit: Option<usize>,
    /// SIMD level of the search for candidates; changes the time taken alone.
    pub simd: SimdLevel,
}

/// Why a mesh could not be checked.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The number of positions differs from the number of vertices.
    #[error("there are {found} positions for {expected} vertices")]
    PositionCount {
        /// Positions given.
        found: usize,
        /// Vertices of the topology.
        expected: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has coordinate {} = {value}, which is not finite", ["x", "y", "z"][*axis])]
    Coordinate {
        /// Which vertex, from 0.
        vertex: usize,
        /// 0, 1 or 2.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// The machine lacks the SIMD level.
    #[error(transparent)]
    Simd(#[from] UnsupportedLevel),
    /// The broad phase refused the boxes around the faces.
    #[error(transparent)]
    Boxes(#[from] BoxError),
}

/// Finds everything that makes a mesh unfit for collision.
///
/// Broken meshes are what this is for: nothing that can be said of a [`Mesh`] with finite
/// coordinates makes it fail. Positions may lie outside the range of `f32`.
///
/// Cost: O(F log F) and an exact test for every pair of faces whose boxes overlap, about six a face
/// of a clean mesh. Memory: about 100 bytes a face, and 8 for every pair that intersects.
///
/// # Errors
/// A position count that is not that of the topology, a coordinate that is not finite, or a SIMD
/// level that this machine lacks.
pub fn check(mesh: &Mesh, options: &CheckOptions) -> Result<Report, CheckError> {
    let (topology, positions) = (&mesh.topology, &mesh.positions);
    let level = options.simd.token()?;
    if positions.len() != topology.vertex_count() {
        return Err(CheckError::PositionCount {
            found: positions.len(),
            expected: topology.vertex_count(),
        });
    }
    if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
        let p = positions[vertex];
        let axis = (0..3).find(|&i| !p[i].is_finite()).unwrap_or(0);
        let value = p[axis];
        return Err(CheckError::Coordinate {
            vertex,
            axis,
            value,
        });
    }

    let face = |index: usize| face(mesh, index);
    let mut degenerate = vec![false; topology.faces().len()];
    fill_chunks(&mut degenerate, CHUNK, |first, out| {
        for (i, out) in out.iter_mut().enumerate() {
            *out = face(first + i).is_degenerate();
        }
    });
    let mut boxes = vec![Aabb::EMPTY; topology.faces().len()];
    fill_chunks(&mut boxes, CHUNK, |first, out| {
        for (i, out) in out.iter_mut().enumerate() {
            *out = bounds(&face(first + i).corners);
        }
    });
    let mut self_intersections = h8::self_pairs_where(&boxes, level, |[a, b]| {
        faces_intersect(&face(a as usize), &face(b as usize))
    })?;
    let self_intersection_count = self_intersections.len() as u64;
    if let Some(limit) = options.pair_limit {
        self_intersections.truncate(limit);
    }

    let edges = edges::edge_faults(topology.faces());
    let degenerate = (0_u32..).zip(degenerate).filter(|&(_, found)| found);
    Ok(Report {
        open_edges: edges.open,
        non_manifold_edges: edges.non_manifold,
        non_manifold_vertices: vertices::non_manifold(topology),
        degenerate_faces: degenerate.map(|(face, _)| face).collect(),
        duplicate_faces: duplicates(topology.faces()),
        unreferenced_vertices: vertices::unreferenced(topology),
        inconsistent_edges: edges.inconsistent,
        self_intersections,
        self_intersection_count,
    })
}

/// A face by its index, which must exist.
fn face(mesh: &Mesh, index: usize) -> Face {
    let vertices = mesh.topology.faces()[index];
    Face {
        vertices,
        corners: vertices.map(|vertex| mesh.positions[vertex as usize]),
    }
}

/// The smallest `f32` box around a triangle.
fn bounds(&[a, b, c]: &[DVec3; 3]) -> Aabb {
    let (lo, hi) = (a.min(b).min(c), a.max(b).max(c));
    let rounded = |p: DVec3, round: fn(f64) -> f32| Vec3::from_array(p.to_array().map(round));
    Aabb::new(rounded(lo, rounding::down), rounded(hi, rounding::up))
}

/// For every face over the vertices of an earlier one: the earliest such face and itself, sorted by
/// itself. Cost: O(F log F).
fn duplicates(faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let keys = (0_u32..).zip(faces).map(|(index, &face)| {
        let mut vertices = face;
        vertices.sort_unstable();
        (vertices, index)
    });
    let keys = sorted(keys.collect());
    let mut found = Vec::new();
    for same in keys.chunk_by(|a, b| a.0 == b.0) {
        found.extend(same[1..].iter().map(|&(_, index)| [same[0].1, index]));
    }
    found.sort_unstable_by_key(|&[_, index]| index);
    found
}

/// Sorts in parallel where the feature allows it. Equal items must not be told apart.
fn sorted<T: Ord + Send>(mut items: Vec<T>) -> Vec<T> {
    #[cfg(feature = "parallel")]
    rayon::slice::ParallelSliceMut::par_sort_unstable(items.as_mut_slice());
    #[cfg(not(feature = "parallel"))]
    items.sort_unstable();
    items
}
