//! The difference of the touching points, F(t, u, v) = w(t) + u·E(t) + v·G(t), and its bounds.

use glam::DVec3;
use jostle_geom::PairKind;

use super::cell::Cell;
use crate::Query;
use crate::tolerances::INCLUSION_ROUNDING;

/// F of one query. For a vertex p against a face abc: w = p − a, E = a − b, G = a − c; for edges
/// a₀a₁ and b₀b₁: w = a₀ − b₀, E = a₁ − a₀, G = b₀ − b₁. Each is linear in t and given by its
/// values at t = 0 and 1, differences of the input rounded once.
pub(super) struct Field {
    triangle: bool,
    w: [DVec3; 2],
    e: [DVec3; 2],
    g: [DVec3; 2],
    /// By how much a bound of an image may be wrong, for each axis.
    rounding: DVec3,
}

/// F at one time.
#[derive(Clone, Copy)]
pub(super) struct Slice {
    w: DVec3,
    e: DVec3,
    g: DVec3,
}

impl Slice {
    /// Bounds of F over the cell's range of u and v: the extremes of its values at the corners.
    ///
    /// They come from w + min(u·E) + min(v·G) and likewise max. Rounding is monotonic, so that is
    /// exactly the extreme of the values (w + u·E) + v·G as each of them is rounded, and the error
    /// bound of one evaluation holds for it.
    #[inline]
    fn bounds(&self, cell: &Cell) -> Image {
        let [_, u0, v0] = cell.lo;
        let [_, u1, v1] = cell.hi;
        let (ue, vg) = ([self.e * u0, self.e * u1], [self.g * v0, self.g * v1]);
        Image {
            min: (self.w + least(ue[0], ue[1])) + least(vg[0], vg[1]),
            max: (self.w + largest(ue[0], ue[1])) + largest(vg[0], vg[1]),
        }
    }
}

/// Bounds of F over a cell, as computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    pub(super) min: DVec3,
    pub(super) max: DVec3,
}

impl Image {
    /// Bounds over a cell, given F at the cell's first and last time.
    #[inline]
    pub(super) fn new(first: &Slice, last: &Slice, cell: &Cell) -> Self {
        let (first, last) = (first.bounds(cell), last.bounds(cell));
        Self {
            min: least(first.min, last.min),
            max: largest(first.max, last.max),
        }
    }

    /// The largest extent.
    pub(super) fn width(&self) -> f64 {
        (self.max - self.min).max_element()
    }
}

impl Field {
    pub(super) fn new(query: &Query) -> Self {
        let triangle = query.kind == PairKind::VertexFace;
        let parts = |[p0, p1, p2, p3]: [DVec3; 4]| {
            if triangle {
                [p0 - p1, p1 - p2, p1 - p3]
            } else {
                [p0 - p2, p1 - p0, p2 - p3]
            }
        };
        let ([w0, e0, g0], [w1, e1, g1]) = (parts(query.t0), parts(query.t1));
        let size = w0.abs().max(w1.abs()) + e0.abs().max(e1.abs()) + g0.abs().max(g1.abs());
        Self {
            triangle,
            w: [w0, w1],
            e: [e0, e1],
            g: [g0, g1],
            // Products below the normal range lose up to 2⁻¹⁰⁷⁵ each.
            rounding: size * INCLUSION_ROUNDING + f64::MIN_POSITIVE,
        }
    }

    /// Whether u + v ≤ 1.
    pub(super) const fn is_triangle(&self) -> bool {
        self.triangle
    }

    /// Largest change of a coordinate of F when t, u or v goes from 0 to 1. Only used to choose
    /// what to halve, so rounding does not matter.
    pub(super) fn rates(&self) -> [f64; 3] {
        let [dw, de, dg] = [self.w, self.e, self.g].map(|[start, end]| end - start);
        let far = if self.triangle { dw } else { dw + de + dg };
        let t = [dw, dw + de, dw + dg, far].map(|d| d.abs().max_element());
        let longest = |[start, end]: [DVec3; 2]| start.abs().max(end.abs()).max_element();
        [
            t.into_iter().fold(0.0, f64::max),
            longest(self.e),
            longest(self.g),
        ]
    }

    /// w, E and G at a time.
    #[inline]
    pub(super) fn slice(&self, t: f64) -> Slice {
        let s = 1.0 - t;
        let [w, e, g] = [self.w, self.e, self.g].map(|[start, end]| start * s + end * t);
        Slice { w, e, g }
    }

    /// Whether an image proves that F stays farther than `min_separation` from the origin.
    #[inline]
    pub(super) fn misses(&self, image: &Image, min_separation: f64) -> bool {
        // Lower bounds of |F| on each axis; negative where the image contains 0.
        let gap = image.min.max(-image.max) - self.rounding;
        if gap.max_element() > min_separation {
            return true;
        }
        // Squares of smaller separations could vanish; the box around the origin serves them.
        if min_separation < f64::MIN_POSITIVE.sqrt() * 1e8 {
            return false;
        }
        let gap = gap.max(DVec3::ZERO);
        gap.length_squared() * (1.0 - 8.0 * f64::EPSILON) > min_separation * min_separation
    }
}

/// The smaller of each coordinate. Nothing here is NaN, and without that case it is one
/// instruction.
#[inline]
fn least(a: DVec3, b: DVec3) -> DVec3 {
    let least = |a: f64, b: f64| if a < b { a } else { b };
    DVec3::new(least(a.x, b.x), least(a.y, b.y), least(a.z, b.z))
}

/// The larger of each coordinate.
#[inline]
fn largest(a: DVec3, b: DVec3) -> DVec3 {
    let largest = |a: f64, b: f64| if a > b { a } else { b };
    DVec3::new(largest(a.x, b.x), largest(a.y, b.y), largest(a.z, b.z))
}

#[cfg(test)]
mod tests;
