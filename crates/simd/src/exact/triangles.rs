//! Whether two triangles share a point, exactly.
//!
//! If two triangles meet, an edge of one of them meets the other: the intersection of two planes'
//! triangles is a segment that ends on edges, and triangles in one plane either cross with their
//! edges or lie within one another. The same is true of triangles without area, which are the
//! union of their edges. So all is reduced to a segment against a triangle, and that to signs of
//! volumes, or of areas in a picture along an axis where all four points lie in one plane.

use glam::DVec3;

use super::Points;

/// Indices of two points.
type Segment = [usize; 2];
/// Indices of three points.
type Triangle = [usize; 3];

/// Whether two closed triangles share a point; metres, or any unit.
///
/// The answer is that of exact arithmetic on the coordinates as given, for all finite `f64`:
/// touching at a single point counts, there is no tolerance, and triangles without area (segments
/// and points) or in one plane are nothing special. Coordinates of magnitude 1e-30 to 1e30 or 0
/// are decided by adaptive predicates in well below a microsecond, others by integers of up to some
/// thousand digits. `false` when a coordinate is NaN or infinite.
///
/// ```
/// use jostle_simd::exact::triangles_intersect;
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(Into::into);
/// let above = |z| [[1.0, 1.0, z], [2.0, 1.0, 3.0], [1.0, 2.0, 3.0]].map(Into::into);
/// assert!(triangles_intersect(&floor, &above(0.0)));
/// assert!(!triangles_intersect(&floor, &above(f64::MIN_POSITIVE)));
/// ```
pub fn triangles_intersect(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let at = [a[0], a[1], a[2], b[0], b[1], b[2]];
    Points::new(&at).is_some_and(|points| points.triangles_meet([0, 1, 2], [3, 4, 5]))
}

fn edges([a, b, c]: Triangle) -> [Segment; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Whether all signs are 1 or all are −1.
fn one_side(sides: [i32; 3]) -> bool {
    sides[0] != 0 && sides[0] == sides[1] && sides[0] == sides[2]
}

impl Points<'_> {
    /// Whether two closed triangles share a point.
    pub fn triangles_meet(&self, a: [usize; 3], b: [usize; 3]) -> bool {
        if !self.boxes_meet(a, b) {
            return false;
        }
        let [sides_of_a, sides_of_b] = [(a, b), (b, a)]
            .map(|(corners, [i, j, k])| corners.map(|corner| self.volume([i, j, k, corner])));
        if one_side(sides_of_a) || one_side(sides_of_b) {
            return false;
        }
        let any_edge = |of: Triangle, sides: [i32; 3], other: Triangle| {
            (0..3).any(|i| {
                let j = (i + 1) % 3;
                self.segment_meets(other, [of[i], of[j]], [sides[i], sides[j]])
            })
        };
        any_edge(a, sides_of_a, b) || any_edge(b, sides_of_b, a)
    }

    /// Whether a closed segment and a closed triangle share a point.
    pub fn segment_meets_triangle(&self, [p, q]: [usize; 2], of: [usize; 3]) -> bool {
        let [i, j, k] = of;
        let sides = [p, q].map(|end| self.volume([i, j, k, end]));
        self.segment_meets(of, [p, q], sides)
    }

    /// As [`segment_meets_triangle`](Self::segment_meets_triangle), given on which side of the
    /// triangle's plane the ends are.
    fn segment_meets(&self, triangle: Triangle, [p, q]: Segment, sides: [i32; 2]) -> bool {
        if sides[0] * sides[1] > 0 {
            return false;
        }
        if sides != [0, 0] {
            // The segment crosses the plane of a triangle that has area. The volumes over its
            // line and the three edges are in proportion to the areas that the crossing point cuts
            // off.
            let [r, s, t] = edges(triangle).map(|[i, j]| self.volume([p, q, i, j]));
            return r.max(s).max(t) <= 0 || r.min(s).min(t) >= 0;
        }
        let Some((axis, sign)) = self.picture(triangle) else {
            let mut edges = edges(triangle).into_iter();
            return edges.any(|edge| self.segments_meet([p, q], edge));
        };
        let inside = |point: usize| {
            let mut edges = edges(triangle).into_iter();
            edges.all(|[i, j]| self.area(axis, [i, j, point]) * sign >= 0)
        };
        inside(p)
            || inside(q)
            || edges(triangle).into_iter().any(|edge| {
                self.segments_meet_in_picture(axis, [p, q], edge)
                    .unwrap_or_else(|| self.boxes_meet([p, q], edge))
            })
    }

    /// Whether two closed segments share a point.
    fn segments_meet(&self, a: Segment, b: Segment) -> bool {
        if self.volume([a[0], a[1], b[0], b[1]]) != 0 {
            return false;
        }
        // All in one plane, and if no picture shows an area all on one line, where segments meet
        // when their ranges do on each axis.
        (0..3)
            .find_map(|axis| self.segments_meet_in_picture(axis, a, b))
            .unwrap_or_else(|| self.boxes_meet(a, b))
    }

    /// Whether two segments in one plane meet, as seen along an axis; `None` when they look as if
    /// on one line.
    fn segments_meet_in_picture(
        &self,
        axis: usize,
        [p, q]: Segment,
        [r, s]: Segment,
    ) -> Option<bool> {
        let sides = [[p, q, r], [p, q, s], [r, s, p], [r, s, q]].map(|t| self.area(axis, t));
        // Not all on one line: they meet when the line of each parts the ends of the other.
        (sides != [0; 4]).then(|| sides[0] * sides[1] <= 0 && sides[2] * sides[3] <= 0)
    }

    /// Whether the boxes around two sets of points share a point.
    fn boxes_meet<const N: usize, const M: usize>(&self, a: [usize; N], b: [usize; M]) -> bool {
        let bounds = |points: &[usize]| {
            let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            points.iter().fold(start, |(lo, hi), &p| {
                (lo.min(self.at(p)), hi.max(self.at(p)))
            })
        };
        let ((a_lo, a_hi), (b_lo, b_hi)) = (bounds(&a), bounds(&b));
        a_lo.cmple(b_hi).all() && b_lo.cmple(a_hi).all()
    }
}
