//! The corners of the set of differences, and certified bounds from them.

use glam::DVec3;
use jostle_geom::PairKind;

use crate::Query;
use crate::tolerances::{ADDITIVE_ROUNDING, ADDITIVE_SPEED_ROUNDING, NORM_ROUNDING};

/// The differences of all pairs of end points of two primitives, over a step.
///
/// The differences of all pairs of *points* are their convex hull: a triangle for a vertex against
/// a face (p − a, p − b, p − c), a parallelogram for two edges. The distance of the primitives is
/// that of the hull to the origin. Corners are in cyclic order; a triangle repeats its last one.
pub(super) struct Corners {
    count: usize,
    at_t0: [DVec3; 4],
    at_t1: [DVec3; 4],
    /// The larger magnitude of the two, for each coordinate.
    size: [DVec3; 4],
}

impl Corners {
    pub(super) fn new(query: &Query) -> Self {
        let differences = |[p0, p1, p2, p3]: [DVec3; 4]| match query.kind {
            PairKind::VertexFace => [p0 - p1, p0 - p2, p0 - p3, p0 - p3],
            PairKind::EdgeEdge => [p0 - p2, p1 - p2, p1 - p3, p0 - p3],
        };
        let (at_t0, at_t1) = (differences(query.t0), differences(query.t1));
        Self {
            count: match query.kind {
                PairKind::VertexFace => 3,
                PairKind::EdgeEdge => 4,
            },
            at_t0,
            at_t1,
            size: core::array::from_fn(|k| at_t0[k].abs().max(at_t1[k].abs())),
        }
    }

    /// The corners at time `t`, each coordinate within 4u of its size.
    #[inline]
    pub(super) fn at(&self, t: f64) -> [DVec3; 4] {
        let s = 1.0 - t;
        core::array::from_fn(|k| self.at_t0[k] * s + self.at_t1[k] * t)
    }

    /// Upper bound of the speed at which two points of the primitives approach, in lengths a step:
    /// the difference of their positions is a convex combination of the corners, and so is its
    /// derivative of theirs.
    pub(super) fn speed(&self) -> f64 {
        let mut largest = 0.0_f64;
        for k in 0..self.count {
            let displacement = (self.at_t1[k] - self.at_t0[k]).abs()
                + self.size[k] * ADDITIVE_SPEED_ROUNDING
                + f64::MIN_POSITIVE;
            let longest = displacement.max_element();
            let length = longest * (displacement / longest).length();
            largest = largest.max(length * (1.0 + NORM_ROUNDING));
        }
        largest
    }

    /// The mean of the corners: a cheap direction.
    #[inline]
    pub(super) fn centre(&self, now: &[DVec3; 4]) -> DVec3 {
        now[..self.count].iter().sum()
    }

    /// Lower bound of the distance from the least extent along a direction of any length, or a
    /// negative number when the direction separates nothing. `now` are the corners at some time.
    #[inline]
    pub(super) fn distance_along(&self, now: &[DVec3; 4], direction: DVec3) -> f64 {
        let Some(n) = unit(direction) else {
            return -1.0;
        };
        let mut least = f64::INFINITY;
        for (k, corner) in now.iter().enumerate() {
            least = least.min(n.dot(*corner) - self.rounding(k, n));
        }
        // The direction may be longer than 1 by its own rounding.
        least * (1.0 - NORM_ROUNDING)
    }

    /// By how much the product of a direction and a corner may be wrong, at any time.
    #[inline]
    fn rounding(&self, k: usize, n: DVec3) -> f64 {
        n.abs().dot(self.size[k]) * ADDITIVE_ROUNDING + f64::MIN_POSITIVE
    }

    /// Lower bound of the distance: tight up to rounding unless the corners are degenerate, and
    /// true in any case. Negative when nothing separates.
    pub(super) fn distance(&self, now: &[DVec3; 4]) -> f64 {
        // The closest point of the hull is inside, where the normal is the direction, or on the
        // edge that is closest.
        let edge = |k: usize| (now[k], now[(k + 1) % self.count]);
        let mut closest = (f64::INFINITY, DVec3::ZERO);
        for k in 0..self.count {
            let (start, end) = edge(k);
            let direction = from_segment(start, end);
            let squared = direction.length_squared();
            if squared < closest.0 {
                closest = (squared, direction);
            }
        }
        let along = self.edges(now);
        let normal = along[0].cross(along[1]);
        let normal = if normal.dot(now[0]) < 0.0 {
            -normal
        } else {
            normal
        };
        let best = self
            .distance_along(now, closest.1)
            .max(self.distance_along(now, normal));
        if best > 0.0 {
            return best;
        }

        // Near the rounding bound, or degenerate: any direction may be the one.
        let mut best = best;
        for k in 0..self.count {
            let (start, end) = edge(k);
            let in_plane = normal.cross(end - start);
            for direction in [start, from_segment(start, end), in_plane, -in_plane] {
                best = best.max(self.distance_along(now, direction));
            }
        }
        best.max(self.distance_along(now, -normal))
    }

    /// Two edges that span the plane, scaled to magnitude 1 so that their product cannot vanish.
    fn edges(&self, now: &[DVec3; 4]) -> [DVec3; 2] {
        [now[1] - now[0], now[self.count - 1] - now[0]].map(|edge| {
            let longest = edge.abs().max_element();
            if longest > 0.0 { edge / longest } else { edge }
        })
    }
}

/// The direction from the origin to its closest point on a segment, orthogonal to the segment if
/// that is inside it.
///
/// The point itself is only as orthogonal as its rounding against the length of the segment
/// allows, which near contact is not enough; projecting again restores that.
fn from_segment(start: DVec3, end: DVec3) -> DVec3 {
    let edge = end - start;
    let squared = edge.length_squared();
    let along = -start.dot(edge);
    if along <= 0.0 || squared == 0.0 {
        return start;
    }
    if along >= squared {
        return end;
    }
    let mut point = start + edge * (along / squared);
    for _ in 0..2 {
        point -= edge * (point.dot(edge) / squared);
    }
    point
}

/// A vector of length 1 within 5u, or `None` for zero.
#[inline]
fn unit(direction: DVec3) -> Option<DVec3> {
    let longest = direction.abs().max_element();
    if !(longest > 0.0 && longest < f64::INFINITY) {
        return None;
    }
    let n = direction / longest;
    Some(n / n.length())
}

#[cfg(test)]
mod tests;
