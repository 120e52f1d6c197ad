//! Separating directions: which to try, and on what interval of time one separates.

use jostle_geom::PairKind;

use super::problem::Problem;
use crate::real::{Real, Vector};
use crate::tolerances::{DIRECTION_ROUNDING, UNDERFLOW_DIRECTION};

/// A direction and how far after the time asked about it is proved to separate.
#[derive(Clone, Copy)]
pub(super) struct Separation<R> {
    pub(super) direction: Vector<R>,
    pub(super) to: f64,
}

/// The part of a hull that lies closest to the origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Feature {
    /// The inside of the triangle or parallelogram.
    Interior,
    /// An edge or a corner.
    Border,
}

impl<R: Real> Problem<R> {
    /// The times around `t` at which `direction` separates by more than the minimum separation,
    /// or `None` when it is not proved to do so at `t`.
    ///
    /// Every product `d·D_k` is linear in time; with `reach` the componentwise maximum of `|D_k|`,
    /// its computed values at 0 and 1, the position of its zero and the comparison with `t` are
    /// together within `DIRECTION_ROUNDING · u · Σ |d_i| reach_i` of the exact ones.
    #[inline(always)]
    pub(super) fn separation(&self, direction: Vector<R>, t: f64) -> Option<Separation<R>> {
        let [x, y, z] = direction.high().map(f64::abs);
        let mut least = UNDERFLOW_DIRECTION;
        if self.separation > 0.0 {
            least += self.separation * (x * x + y * y + z * z).sqrt() * (1.0 + 1e-15);
        }
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for k in 0..self.corner_count() {
            let [a, b, c] = self.reach[k];
            let bound = R::from(DIRECTION_ROUNDING * R::UNIT * (x * a + y * b + z * c) + least);
            let first = direction.dot(self.start[k]) - bound;
            let last = direction.dot(self.end[k]) - bound;
            match (first.high() > 0.0, last.high() > 0.0) {
                (true, true) => {}
                (false, false) => return None,
                (true, false) => to = to.min(round_down(first / (first - last))),
                (false, true) => from = from.max(round_up(first / (first - last))),
            }
        }
        (from <= t && t <= to).then_some(Separation { direction, to })
    }

    /// Lower bound of the distance of the hull from the origin at t = 0.
    pub(super) fn start_distance(&self) -> f64 {
        let Some(direction) = self.closest_direction(0.0).0.normalised() else {
            return -1.0;
        };
        let [x, y, z] = direction.high().map(f64::abs);
        let mut least = f64::INFINITY;
        for k in 0..self.corner_count() {
            let [a, b, c] = self.reach[k];
            let bound =
                DIRECTION_ROUNDING * R::UNIT * (x * a + y * b + z * c) + UNDERFLOW_DIRECTION;
            least = least.min(direction.dot(self.start[k]).high() - bound);
        }
        least / (x * x + y * y + z * z).sqrt() * (1.0 - 1e-15)
    }

    /// The direction from the origin to the closest point of the hull at `t`, made orthogonal to
    /// the feature it lies on. Rounding makes it worse as a direction, never wrong as a proof.
    #[inline(always)]
    pub(super) fn closest_direction(&self, t: f64) -> (Vector<R>, Feature) {
        match self.kind {
            PairKind::VertexFace => self.closest_of_triangle(t),
            PairKind::EdgeEdge => self.closest_of_parallelogram(t),
        }
    }

    /// C. Ericson, "Real-Time Collision Detection", 2005, section 5.1.5, seen from the origin.
    #[inline(always)]
    fn closest_of_triangle(&self, t: f64) -> (Vector<R>, Feature) {
        let a = self.corner_at(0, t);
        let b = self.corner_at(1, t);
        let c = self.corner_at(2, t);
        // The hull's edges from a are −E and −G.
        let e = self.e[0].lerp(self.e[1], t);
        let g = self.g[0].lerp(self.g[1], t);
        let zero = R::from(0.0);

        let (d1, d2) = (e.dot(a), g.dot(a));
        if d1 <= zero && d2 <= zero {
            return (a, Feature::Border);
        }
        let (d3, d4) = (e.dot(b), g.dot(b));
        if d3 >= zero && d4 <= d3 {
            return (b, Feature::Border);
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= zero && d1 >= zero && d3 <= zero {
            return (on_edge(a, b, e), Feature::Border);
        }
        let (d5, d6) = (e.dot(c), g.dot(c));
        if d6 >= zero && d5 <= d6 {
            return (c, Feature::Border);
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= zero && d2 >= zero && d6 <= zero {
            return (on_edge(a, c, g), Feature::Border);
        }
        let va = d3 * d6 - d5 * d4;
        if va <= zero && (d4 - d3) >= zero && (d5 - d6) >= zero {
            return (on_edge(b, c, g - e), Feature::Border);
        }
        (plane_normal(e, g, a), Feature::Interior)
    }

    /// Ericson, section 5.1.9, for the hull `w + s·E − v·G`.
    #[inline(always)]
    fn closest_of_parallelogram(&self, t: f64) -> (Vector<R>, Feature) {
        let e = self.e[0].lerp(self.e[1], t);
        let g = self.g[0].lerp(self.g[1], t);
        let w = self.w[0].lerp(self.w[1], t);
        let (zero, one) = (R::from(0.0), R::from(1.0));
        let clamp = |x: R| {
            if x < zero {
                zero
            } else if x > one {
                one
            } else {
                x
            }
        };
        let (ee, gg, eg) = (e.dot(e), g.dot(g), e.dot(g));
        let (ew, gw) = (e.dot(w), g.dot(w));
        let over = |x: R, y: R| if y > zero { x / y } else { zero };

        let determinant = ee * gg - eg * eg;
        let parallel = determinant.high() <= 1e-12 * (ee * gg).high();
        let mut s = if parallel {
            zero
        } else {
            clamp((eg * gw - ew * gg) / determinant)
        };
        let mut v = over(eg * s + gw, gg);
        if v < zero {
            v = zero;
            s = clamp(over(-ew, ee));
        } else if v > one {
            v = one;
            s = clamp(over(eg - ew, ee));
        }
        let s_inside = s > zero && s < one;
        let v_inside = v > zero && v < one;
        if s_inside && v_inside && !parallel {
            return (plane_normal(e, g, w), Feature::Interior);
        }
        let corner = |s_end: bool, v_end: bool| {
            self.corner_at(2 * usize::from(s_end) + usize::from(v_end), t)
        };
        let half = R::from(0.5);
        let (s_end, v_end) = (s > half, v > half);
        let direction = match (s_inside, v_inside) {
            (true, _) => on_edge(corner(false, v_end), corner(true, v_end), e),
            (_, true) => on_edge(corner(s_end, false), corner(s_end, true), g),
            _ => corner(s_end, v_end),
        };
        (direction, Feature::Border)
    }

    /// More directions for when the closest one brings no progress, by number, until `None`:
    /// normals in and across the plane, corners, axes.
    pub(super) fn further_direction(&self, number: usize, t: f64) -> Option<Vector<R>> {
        let e = self.e[0].lerp(self.e[1], t);
        let g = self.g[0].lerp(self.g[1], t);
        let direction = match number {
            0 => e.cross(g),
            1 => e.cross(g).cross(e),
            2 => e.cross(g).cross(g),
            3 => e.cross(g).cross(g - e),
            4..=7 => self.corner_at(number - 4, t),
            8 => g.reject_from(e),
            9 => e.reject_from(g),
            10..=13 => self.corner_at(number - 10, t).reject_from(e),
            14..=17 => self.corner_at(number - 14, t).reject_from(g),
            18..=20 => {
                let mut axis = [0.0; 3];
                axis[number - 18] = 1.0;
                Vector::from_array(axis)
            }
            _ => return None,
        };
        Some(direction)
    }

    /// `direction` or its opposite, whichever has positive products with all corners at `t`.
    #[inline(always)]
    pub(super) fn oriented(&self, direction: Vector<R>, t: f64) -> Option<Vector<R>> {
        let (mut above, mut below) = (true, true);
        for k in 0..self.corner_count() {
            let product = direction.dot(self.corner_at(k, t)).high();
            above &= product > 0.0;
            below &= product < 0.0;
        }
        if above {
            Some(direction)
        } else if below {
            Some(-direction)
        } else {
            None
        }
    }

    /// Whether the direction that turns from `start` at `from` to `end` at `to` separates on all
    /// of `[from, to]`: the three Bernstein coefficients of each quadratic are above the bound.
    pub(super) fn turning_separates(
        &self,
        (start, from): (Vector<R>, f64),
        (end, to): (Vector<R>, f64),
    ) -> bool {
        let size = super::problem::larger(start.high(), end.high());
        let mut least = UNDERFLOW_DIRECTION;
        if self.separation > 0.0 {
            let norm = size.iter().map(|c| c * c).sum::<f64>().sqrt();
            least += self.separation * norm * (1.0 + 1e-15);
        }
        (0..self.corner_count()).all(|k| {
            let reach = self.reach[k];
            let weight = size[0] * reach[0] + size[1] * reach[1] + size[2] * reach[2];
            let bound = DIRECTION_ROUNDING * R::UNIT * weight + least;
            let (first, last) = (self.corner_at(k, from), self.corner_at(k, to));
            let middle = (start.dot(last) + end.dot(first)).high() * 0.5;
            start.dot(first).high() > bound && middle > bound && end.dot(last).high() > bound
        })
    }
}

/// The normal of the plane of E and G, pointing to the side on which w lies.
#[inline(always)]
fn plane_normal<R: Real>(e: Vector<R>, g: Vector<R>, w: Vector<R>) -> Vector<R> {
    let n = e.cross(g);
    if n.dot(w).high() < 0.0 { -n } else { n }
}

/// The direction from the origin to the line through `a` and `b`, whose difference is `axis`.
#[inline(always)]
fn on_edge<R: Real>(a: Vector<R>, b: Vector<R>, axis: Vector<R>) -> Vector<R> {
    // Started from the nearer end: less to take away, less to lose.
    let nearer = if a.dot(a) <= b.dot(b) { a } else { b };
    nearer.reject_from(axis).reject_from(axis)
}

/// A double not above `x`. The quotient's error is in the bound; this rounds its representation.
#[inline(always)]
fn round_down<R: Real>(x: R) -> f64 {
    if x.low() < 0.0 {
        x.high().next_down()
    } else {
        x.high()
    }
}

/// A double not below `x`.
#[inline(always)]
fn round_up<R: Real>(x: R) -> f64 {
    if x.low() > 0.0 {
        x.high().next_up()
    } else {
        x.high()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::DoubleDouble;
    use crate::{Query, exact_reference};
    use dashu::rational::RBig;

    /// The largest error of a product of a direction with a corner, in units of `u · Σ |d| reach`.
    fn worst_error<R: Real>() -> f64 {
        let mut random = exact_reference::Random::new(5);
        let mut worst = 0.0_f64;
        for round in 0..2000 {
            let mut points = || core::array::from_fn(|_| random.point(round % 3));
            let query = Query::edge_edge(points(), points());
            let problem = Problem::<R>::new(&query, 0.0);
            let direction = random.point(0).to_array();
            for k in 0..4 {
                let computed = Vector::<R>::from_array(direction).dot(problem.start[k]);
                let computed = RBig::try_from(computed.high()).unwrap()
                    + RBig::try_from(computed.low()).unwrap();
                let (a, b) = (query.t0[k / 2], query.t0[2 + k % 2]);
                let expected = (0..3).fold(RBig::ZERO, |sum, i| {
                    let exact = |x: f64| RBig::try_from(x).unwrap();
                    sum + exact(direction[i]) * (exact(a[i]) - exact(b[i]))
                });
                let weight: f64 = (0..3)
                    .map(|i| direction[i].abs() * problem.reach[k][i])
                    .sum();
                let error = (computed - expected).to_f64().value().abs();
                worst = worst.max(error / (R::UNIT * weight));
            }
        }
        worst
    }

    /// The derivation gives 4u for the products.
    #[test]
    fn products_stay_within_the_derived_bound() {
        let single = worst_error::<f64>();
        assert!((0.3..4.0).contains(&single), "{single}");
        let double = worst_error::<DoubleDouble>();
        assert!((1e-3..4.0).contains(&double), "{double}");
    }
}
