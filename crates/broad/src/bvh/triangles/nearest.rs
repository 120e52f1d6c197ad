//! The point of a mesh nearest to a given one.

use fearless_simd::{Level, dispatch, f32x8, prelude::*};
use glam::{DVec3, Vec3};
use jostle_geom::{Ray, Triangle};
use jostle_simd::volume::{squared_distance, squared_distances};
use jostle_simd::{Box8, Triangle8};
use thiserror::Error;

use super::{BLOCK, Counters, TriangleTree, distance_of, push_nearest_last, waiting, with_stack};
use crate::h8::join_level;

/// The point of a mesh nearest to another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// Which triangle it lies on.
    pub triangle: u32,
    /// The point, rounded.
    pub point: Vec3,
    /// Its distance, metres.
    pub distance: f32,
}

/// Why there is no nearest point.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NearestError {
    /// A coordinate is NaN or beyond [`Ray::MAX_COORDINATE`].
    #[error("the point has coordinate {value} on axis {axis}, which is not within ±2^60")]
    Point {
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// The coordinate.
        value: f32,
    },
    /// The largest distance is NaN.
    #[error("the largest distance is NaN")]
    Reach,
}

impl TriangleTree {
    /// The nearest point of the mesh not farther than a distance, which may be infinite; of several
    /// triangles at the same distance the one with the smallest id. The same answer as looking at
    /// all triangles, whatever the tree. Distances are computed in double precision.
    ///
    /// # Errors
    /// A point with a coordinate that is NaN or beyond ±2⁶⁰ m, or a NaN distance.
    pub fn nearest(
        &self,
        point: Vec3,
        max_distance: f32,
        level: Level,
    ) -> Result<(Option<NearestPoint>, Counters), NearestError> {
        for axis in 0..3 {
            let value = point[axis];
            if value.is_nan() || value.abs() > Ray::MAX_COORDINATE {
                return Err(NearestError::Point { axis, value });
            }
        }
        if max_distance.is_nan() {
            return Err(NearestError::Reach);
        }
        if max_distance < 0.0 {
            return Ok((None, Counters::default()));
        }
        let reach = f64::from(max_distance);
        let mut best = Best {
            squared: reach * reach,
            found: None,
        };
        let counters = with_stack!(self, stack => dispatch!(
            join_level(level), simd => walk(simd, self, point, stack, &mut best)
        ));
        let nearest = best.found.map(|(triangle, point)| NearestPoint {
            triangle,
            point: point.as_vec3(),
            distance: best.squared.sqrt() as f32,
        });
        Ok((nearest, counters))
    }
}

struct Best {
    squared: f64,
    found: Option<(u32, DVec3)>,
}

impl Best {
    /// Looks at one triangle. Its distance is never taken to be less than the bound of its box,
    /// which is not less than those of the boxes around it: no walk passes over a triangle that would
    /// have been better.
    #[inline(always)]
    fn offer(&mut self, point: Vec3, id: u32, triangle: &Triangle) {
        let near = nearest_on_triangle(point.as_dvec3(), triangle);
        let bound = f64::from(squared_distance(point, &triangle.bounds()));
        let squared = near.distance_squared(point.as_dvec3()).max(bound);
        let better = squared < self.squared
            || squared == self.squared && self.found.is_none_or(|(best, _)| id < best);
        if better {
            self.squared = squared;
            self.found = Some((id, near));
        }
    }

    /// The limit for bounds in single precision.
    #[inline(always)]
    fn limit(&self) -> f32 {
        jostle_geom::rounding::up(self.squared)
    }
}

#[inline(always)]
fn walk<S: Simd>(
    simd: S,
    tree: &TriangleTree,
    point: Vec3,
    stack: &mut [u64],
    best: &mut Best,
) -> Counters {
    let mut counters = Counters::default();
    let mut limit = best.limit();
    let mut height = 0;
    if !tree.is_empty() {
        stack[0] = waiting(0.0, 0);
        height = 1;
    }
    while height > 0 {
        height -= 1;
        let next = stack[height];
        if distance_of(next) > limit {
            continue;
        }
        let link = next as u32;
        counters.nodes += 1;
        counters.tests += 8;
        if link & BLOCK == 0 {
            let node = &tree.nodes[link as usize];
            let (bits, squared) = near_boxes(simd, point, &node.boxes, limit);
            height = push_nearest_last(stack, height, bits, &squared, &node.links);
            continue;
        }
        let block = &tree.blocks[(link & !BLOCK) as usize];
        let (mut bits, squared) = near_bounds(simd, point, &block.triangles, limit);
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize & 7;
            bits &= bits - 1;
            if squared[lane] <= limit {
                best.offer(point, block.ids[lane], &block.triangles.get(lane));
                limit = best.limit();
            }
        }
    }
    counters
}

/// Which boxes are not farther than the limit, a squared distance, and the squared distances.
#[inline(always)]
fn near_boxes<S: Simd>(simd: S, point: Vec3, boxes: &Box8, limit: f32) -> (u8, f32x8<S>) {
    let mut lo = [f32x8::splat(simd, 0.0); 3];
    let mut hi = lo;
    for axis in 0..3 {
        lo[axis] = f32x8::load_array_ref(simd, &boxes.min[axis]);
        hi[axis] = f32x8::load_array_ref(simd, &boxes.max[axis]);
    }
    within(simd, point, &lo, &hi, limit)
}

/// The same for the bounds of triangles.
#[inline(always)]
fn near_bounds<S: Simd>(simd: S, point: Vec3, triangles: &Triangle8, limit: f32) -> (u8, f32x8<S>) {
    let mut lo = [f32x8::splat(simd, 0.0); 3];
    let mut hi = lo;
    for axis in 0..3 {
        (lo[axis], hi[axis]) = triangles.extent(simd, axis);
    }
    within(simd, point, &lo, &hi, limit)
}

#[inline(always)]
fn within<S: Simd>(
    simd: S,
    point: Vec3,
    lo: &[f32x8<S>; 3],
    hi: &[f32x8<S>; 3],
    limit: f32,
) -> (u8, f32x8<S>) {
    let squared = squared_distances(simd, point, lo, hi);
    // Distances of lanes without a box, all NaN, depend on the platform.
    let mask = squared.simd_le(f32x8::splat(simd, limit)) & lo[0].simd_eq(lo[0]);
    (mask.to_bitmask() as u8, squared)
}

/// Sine of the angle below which a triangle is a sliver.
const SLIVER: f64 = 1.0 / (1 << 26) as f64;

/// The point of a triangle nearest to `p`, by the regions of its corners, edges and face
/// (C. Ericson, "Real-time collision detection", 2005, section 5.1.5). Without area it is the nearest
/// point of an edge or corner.
fn nearest_on_triangle(p: DVec3, triangle: &Triangle) -> DVec3 {
    let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(Vec3::as_dvec3);
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let (ap, bp) = (p - a, p - b);
    let normal = ab.cross(ac);
    // Inside of all three edges: the face.
    let inside = |edge: DVec3, from: DVec3| normal.dot(edge.cross(from)) >= 0.0;
    let area = normal.length_squared();
    // The normal of a sliver thinner than this has no direction to rely on, and its face adds less
    // than its width to what its edges give.
    let wide = area > ab.length_squared() * ac.length_squared() * SLIVER * SLIVER;
    if wide && inside(ab, ap) && inside(bc, bp) && inside(-ac, p - c) {
        return p - normal * (normal.dot(ap) / area);
    }
    let mut best = a;
    for (from, edge) in [(a, ab), (a, ac), (b, bc)] {
        let length = edge.length_squared();
        let s = if length > 0.0 {
            ((p - from).dot(edge) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let near = from + edge * s;
        if near.distance_squared(p) < best.distance_squared(p) {
            best = near;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_edges_and_corners_are_nearest_in_their_regions() {
        let triangle = Triangle::new(Vec3::ZERO, 4.0 * Vec3::X, 4.0 * Vec3::Y);
        for (p, near) in [
            ([1.0, 1.0, 3.0], [1.0, 1.0, 0.0]),
            ([1.0, -2.0, 1.0], [1.0, 0.0, 0.0]),
            ([-1.0, -2.0, 1.0], [0.0, 0.0, 0.0]),
            ([3.0, 3.0, -5.0], [2.0, 2.0, 0.0]),
            ([9.0, 0.0, 0.0], [4.0, 0.0, 0.0]),
            ([-1.0, 9.0, 0.0], [0.0, 4.0, 0.0]),
        ] {
            let found = nearest_on_triangle(p.into(), &triangle);
            assert_eq!(found, DVec3::from(near), "{p:?}");
        }
        let segment = Triangle::new(Vec3::ZERO, 4.0 * Vec3::X, 2.0 * Vec3::X);
        let found = nearest_on_triangle(DVec3::new(3.0, 1.0, 0.0), &segment);
        assert_eq!(found, DVec3::new(3.0, 0.0, 0.0));
    }
}
