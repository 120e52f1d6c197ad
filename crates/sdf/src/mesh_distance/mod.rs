//! The exact distance to a triangle mesh, and on which side of it a point lies.

mod open_edges;
mod triangle;
mod winding;

use fearless_simd::Level;
use glam::DVec3;
use jostle_broad::bvh::{Builder, Bvh, TriangleError, TriangleTree};
use jostle_geom::{Aabb, Mesh, Ray, Rng, Triangle, rounding};
use thiserror::Error;

pub(crate) use open_edges::OpenEdge;
use winding::WindingTree;

/// How far off a node has to be, in radii, for its dipole to stand for it; and a winding number that close to one half is
/// computed again, with the next distance, and last exactly. The errors measured are half of these at most.
const STAGES: [(f64, f64); 2] = [(2.5, WINDING_ERROR), (8.0, 0.01)];

/// How far off a winding number may be that is not near one half.
pub(crate) const WINDING_ERROR: f64 = 0.06;

/// A mesh without distances.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MeshDistanceError {
    /// There is no face.
    #[error("the mesh has no faces")]
    NoFaces,
    /// A coordinate is not a number or too large.
    #[error("vertex {vertex} has coordinate {value}, which is not within ±2^60")]
    Vertex {
        /// Index of the vertex, from 0.
        vertex: usize,
        /// The coordinate.
        value: f64,
    },
    /// There are more faces than a tree can hold.
    #[error("{faces} faces are too many")]
    TooManyFaces {
        /// How many.
        faces: usize,
    },
}

/// The place of a point relative to a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshSample {
    /// The distance of the nearest point of the mesh, m; negative inside.
    pub signed_distance: f64,
    /// That point.
    pub nearest: DVec3,
    /// A face it lies on, in the order of the file.
    pub face: u32,
}

/// Signed distances from a triangle mesh in double precision, for any point, and winding numbers.
///
/// A point is inside when its generalised winding number (A. Jacobson, L. Kavan and O. Sorkine-Hornung, "Robust
/// inside-outside segmentation using generalized winding numbers", ACM Transactions on Graphics 32(4), 2013) is at least
/// one half and it lies in the box of the mesh: so that meshes may be open, overlap or intersect themselves. A mesh that
/// encloses a negative volume is taken to be turned inside out.
#[derive(Clone, Debug)]
pub struct MeshDistance {
    /// All that follows is relative to this point.
    shift: DVec3,
    /// Turned so that the volume is not negative.
    triangles: Vec<[DVec3; 3]>,
    min: DVec3,
    max: DVec3,
    boxes: Bvh,
    winding: WindingTree,
    tree: TriangleTree,
    open: Vec<OpenEdge>,
    volume: f64,
    flipped: bool,
}

impl MeshDistance {
    /// Builds the trees. Vertices that no face uses count for nothing. Cost: O(n log n).
    ///
    /// # Errors
    /// No face, a coordinate that is NaN or beyond ±2⁶⁰ m, or more than [`Bvh::MAX_BOXES`] faces.
    pub fn new(mesh: &Mesh) -> Result<Self, MeshDistanceError> {
        let limit = f64::from(Ray::MAX_COORDINATE);
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let bad = |value: &f64| value.is_nan() || value.abs() > limit;
            if let Some(value) = position.to_array().into_iter().find(bad) {
                return Err(MeshDistanceError::Vertex { vertex, value });
            }
        }
        let faces = mesh.topology.faces();
        let corner = |v: u32| mesh.positions[v as usize];
        Self::of(faces.iter().map(|face| face.map(corner)).collect())
    }

    /// Of triangles with sound coordinates.
    pub(crate) fn of(mut triangles: Vec<[DVec3; 3]>) -> Result<Self, MeshDistanceError> {
        let faces = triangles.len();
        if faces == 0 {
            return Err(MeshDistanceError::NoFaces);
        }
        let mut min = DVec3::INFINITY;
        let mut max = DVec3::NEG_INFINITY;
        for &vertex in triangles.as_flattened() {
            min = min.min(vertex);
            max = max.max(vertex);
        }
        let shift = 0.5 * min + 0.5 * max;
        let mut volume = 0.0;
        for triangle in &mut triangles {
            *triangle = triangle.map(|vertex| vertex - shift);
            let [a, b, c] = *triangle;
            volume += a.dot(b.cross(c)) / 6.0;
        }
        let flipped = volume < 0.0;
        if flipped {
            for triangle in &mut triangles {
                triangle.swap(1, 2);
            }
        }
        let bounds: Vec<_> = triangles.iter().map(bounds).collect();
        let too_many = MeshDistanceError::TooManyFaces { faces };
        let boxes =
            Bvh::build(&bounds, Builder::Balanced, Level::new()).map_err(|_| too_many.clone())?;
        let single: Vec<_> = triangles
            .iter()
            .map(|triangle| Triangle::from(triangle.map(DVec3::as_vec3)))
            .collect();
        let tree = match TriangleTree::build(&single, Builder::Balanced, Level::new()) {
            Ok(tree) => tree,
            Err(TriangleError::Vertex { triangle, value }) => {
                return Err(MeshDistanceError::Vertex {
                    vertex: 3 * triangle,
                    value: f64::from(value),
                });
            }
            Err(_) => return Err(too_many),
        };
        Ok(Self {
            shift,
            min: min - shift,
            max: max - shift,
            winding: WindingTree::new(&boxes, &triangles),
            open: open_edges::open_edges(&triangles),
            triangles,
            boxes,
            tree,
            volume: volume.abs(),
            flipped,
        })
    }

    /// The smallest box around all faces: its corners.
    pub fn bounds(&self) -> [DVec3; 2] {
        [self.min + self.shift, self.max + self.shift]
    }

    /// Whether every edge has as many faces on its one side as on its other: vertices at the same place count as one.
    pub fn is_closed(&self) -> bool {
        self.open.is_empty()
    }

    /// Number of edges whose faces do not cancel.
    pub fn open_edges(&self) -> usize {
        self.open.len()
    }

    /// Whether the faces were turned inside out, as the sign of the volume tells.
    pub fn is_flipped(&self) -> bool {
        self.flipped
    }

    /// The volume enclosed, m³; of an open mesh that of the cones from the centre of its box. Overlaps count twice.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The signed distance of a point, exact but for the rounding of double precision; `None` when a coordinate is NaN
    /// or beyond ±2⁶⁰ m. Cost: O(log n) as a rule.
    pub fn sample(&self, point: DVec3) -> Option<MeshSample> {
        let p = point - self.shift;
        let limit = f64::from(Ray::MAX_COORDINATE);
        if !(p.abs().cmple(DVec3::splat(limit)).all()) {
            return None;
        }
        let (_, guess) = self.near(p, None);
        let (face, nearest) = self.exact_nearest(p, guess);
        let distance = nearest.distance(p);
        let inside = distance > 0.0 && self.is_inside_local(p);
        Some(MeshSample {
            signed_distance: if inside { -distance } else { distance },
            nearest: nearest + self.shift,
            face,
        })
    }

    /// The generalised winding number, by the solid angle of every face: 1 inside of a closed surface, 0 outside, in
    /// between where the surface is open. Cost: O(n).
    pub fn winding_number(&self, point: DVec3) -> f64 {
        self.exact_winding(point - self.shift)
    }

    /// Whether a point is inside: what gives the distance its sign. Cost: O(log n), O(n) where the winding number is
    /// within 0.01 of one half.
    pub fn is_inside(&self, point: DVec3) -> bool {
        self.is_inside_local(point - self.shift)
    }

    /// A random point of a random face.
    pub(crate) fn random_point(&self, rng: &mut Rng) -> DVec3 {
        let [a, b, c] = self.triangles[rng.index(self.triangles.len())];
        let (mut s, mut t) = (rng.unit(), rng.unit());
        if s + t > 1.0 {
            (s, t) = (1.0 - s, 1.0 - t);
        }
        a + (b - a) * s + (c - a) * t + self.shift
    }

    /// Whether the winding number of a point is within 0.1 of one half.
    pub(crate) fn is_ambiguous(&self, point: DVec3) -> bool {
        let p = point - self.shift;
        let off = |far: f64| (self.winding.at(p, &self.boxes, &self.triangles, far) - 0.5).abs();
        off(STAGES[0].0) < 0.1 + WINDING_ERROR && off(STAGES[1].0) < 0.1
    }

    /// The point that internal coordinates are relative to.
    pub(crate) fn shift(&self) -> DVec3 {
        self.shift
    }

    /// Relative to the shift.
    pub(crate) fn open(&self) -> &[OpenEdge] {
        &self.open
    }

    /// Whether a point, relative to the shift, is outside of the box of the mesh.
    pub(crate) fn is_beyond(&self, p: DVec3) -> bool {
        !(p.cmpge(self.min).all() && p.cmple(self.max).all())
    }

    /// The winding number within [`WINDING_ERROR`], and on the right side of one half.
    pub(crate) fn fast_winding(&self, p: DVec3) -> f64 {
        for (far, doubt) in STAGES {
            let winding = self.winding.at(p, &self.boxes, &self.triangles, far);
            if (winding - 0.5).abs() > doubt {
                return winding;
            }
        }
        self.exact_winding(p)
    }

    /// The winding number within 0.01.
    pub(crate) fn near_winding(&self, p: DVec3) -> f64 {
        self.winding
            .at(p, &self.boxes, &self.triangles, STAGES[1].0)
    }

    fn is_inside_local(&self, p: DVec3) -> bool {
        !self.is_beyond(p) && self.fast_winding(p) >= 0.5
    }

    fn exact_winding(&self, p: DVec3) -> f64 {
        self.triangles
            .iter()
            .map(|triangle| triangle::winding(p, triangle))
            .sum()
    }

    /// A nearest face, but for the rounding of single precision, and its distance; `guess` is a face that may be near.
    /// Relative to the shift.
    pub(crate) fn near(&self, p: DVec3, guess: Option<u32>) -> (f64, u32) {
        let distance = |face: u32| {
            let triangle = &self.triangles[face as usize];
            triangle::nearest_point(p, triangle).distance(p)
        };
        let (limit, face) = guess.map_or((f64::INFINITY, 0), |face| (distance(face), face));
        let reach = rounding::up(limit * (1.0 + 1e-6));
        match self.tree.nearest(p.as_vec3(), reach, Level::new()) {
            Ok((Some(found), _)) if Some(found.triangle) != guess => {
                let other = distance(found.triangle);
                if other < limit {
                    (other, found.triangle)
                } else {
                    (limit, face)
                }
            }
            _ if guess.is_some() => (limit, face),
            _ => (distance(0), 0),
        }
    }

    /// The distance, but for the rounding of single precision, where it is less than a limit. Relative to the shift.
    pub(crate) fn within(&self, p: DVec3, limit: f64) -> Option<f64> {
        // No box is nearer than that of them all.
        if p.distance_squared(p.clamp(self.min, self.max)) >= limit * limit {
            return None;
        }
        let reach = rounding::up(limit * (1.0 + 1e-6));
        let (found, _) = self.tree.nearest(p.as_vec3(), reach, Level::new()).ok()?;
        let triangle = &self.triangles[found?.triangle as usize];
        let distance = triangle::nearest_point(p, triangle).distance(p);
        (distance < limit).then_some(distance)
    }

    /// The nearest face and its point, from one that may be near: by branch and bound in double precision.
    fn exact_nearest(&self, p: DVec3, guess: u32) -> (u32, DVec3) {
        let mut face = guess;
        let mut best = triangle::nearest_point(p, &self.triangles[guess as usize]);
        let mut limit = best.distance_squared(p);
        let nodes = self.boxes.nodes();
        let squared = |at: u32| {
            let bounds = nodes[at as usize].bounds();
            p.distance_squared(p.clamp(bounds.min.as_dvec3(), bounds.max.as_dvec3()))
        };
        let mut stack = [(0_u32, 0.0_f64); Bvh::MAX_DEPTH + 2];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (at, bound) = stack[height];
            if bound >= limit {
                continue;
            }
            let node = &nodes[at as usize];
            if node.is_leaf() {
                let near = triangle::nearest_point(p, &self.triangles[node.id() as usize]);
                let distance = near.distance_squared(p);
                if distance < limit {
                    (limit, best, face) = (distance, near, node.id());
                }
                continue;
            }
            let first = node.first_child();
            let (a, b) = ((first, squared(first)), (first + 1, squared(first + 1)));
            let (near, far) = if a.1 <= b.1 { (a, b) } else { (b, a) };
            stack[height] = far;
            stack[height + 1] = near;
            height += 2;
        }
        (face, best)
    }
}

/// The box of a triangle, rounded outward.
fn bounds(triangle: &[DVec3; 3]) -> Aabb {
    let [a, b, c] = triangle;
    let (min, max) = (a.min(*b).min(*c), a.max(*b).max(*c));
    Aabb::new(
        min.to_array().map(rounding::down).into(),
        max.to_array().map(rounding::up).into(),
    )
}
