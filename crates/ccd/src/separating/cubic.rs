//! The coplanarity cubic `f(t) = (E × G)·w` in Bernstein form, with the bound of its rounding.

use super::problem::larger;
use crate::real::{Real, Vector};
use crate::tolerances::{CROSSING_SHORTENED, CUBIC_ROUNDING, UNDERFLOW_CUBIC, UNDERFLOW_NORM};

/// Bernstein coefficients of the cubic on [0, 1]. They are never replaced by those of a smaller
/// interval: every interval restarts from them, so that its error does not grow.
pub(super) struct Cubic<R> {
    coefficients: [R; 4],
    /// A coefficient on any subinterval beyond this magnitude has the sign of the exact one, and
    /// the exact cubic is so large that the distance is above the minimum separation.
    pub(super) bound: f64,
}

/// What the signs of the cubic say about the time after `t`.
pub(super) enum Gap {
    /// It keeps its sign to the end.
    Clear,
    /// It keeps this sign up to this time, which is not before the one asked about. The sign is
    /// zero when it is not certain at the time asked about.
    Until(f64, i32),
}

impl<R: Real> Cubic<R> {
    pub(super) fn new(
        [e0, e1]: [Vector<R>; 2],
        [g0, g1]: [Vector<R>; 2],
        [w0, w1]: [Vector<R>; 2],
        separation: f64,
    ) -> Self {
        let n0 = e0.cross(g0);
        let n1 = e0.cross(g1) + e1.cross(g0);
        let n2 = e1.cross(g1);
        let three = R::from(3.0);
        let coefficients = [
            n0.dot(w0),
            (n0.dot(w1) + n1.dot(w0)) / three,
            (n2.dot(w0) + n1.dot(w1)) / three,
            n2.dot(w1),
        ];
        let (e, g, w) = (
            larger(e0.high(), e1.high()),
            larger(g0.high(), g1.high()),
            larger(w0.high(), w1.high()),
        );
        let permanent = w[0] * (e[1] * g[2] + e[2] * g[1])
            + w[1] * (e[2] * g[0] + e[0] * g[2])
            + w[2] * (e[0] * g[1] + e[1] * g[0]);
        let mut bound = CUBIC_ROUNDING * R::UNIT * permanent + UNDERFLOW_CUBIC;
        if separation > 0.0 {
            // |E × G| at any time is at most the largest norm of its control vectors.
            let norm = |n: Vector<R>, scale: f64| {
                let [x, y, z] = n.high().map(|c| c * scale);
                (x * x + y * y + z * z).sqrt() + UNDERFLOW_NORM
            };
            let largest = norm(n0, 1.0).max(norm(n1, 0.5)).max(norm(n2, 1.0));
            // The norm's own rounding: 12u of |n| and 8u of the permanent of |E| and |G|.
            let slack = (e[1] * g[2] + e[2] * g[1])
                + (e[2] * g[0] + e[0] * g[2])
                + (e[0] * g[1] + e[1] * g[0]);
            bound += separation * (largest * (1.0 + 1e-14) + 1e-15 * slack) * (1.0 + 1e-15);
        }
        Self {
            coefficients,
            bound,
        }
    }

    /// Bernstein coefficients on `[from, to]`, by blossoming.
    #[inline(always)]
    fn on(&self, from: f64, to: f64) -> [R; 4] {
        let [a, b, c, d] = self.coefficients;
        if from == 0.0 && to == 1.0 {
            return [a, b, c, d];
        }
        let mix = |t: f64| {
            let (s, t) = (R::difference(1.0, t), R::from(t));
            move |x: R, y: R| x * s + y * t
        };
        let (at_from, at_to) = (mix(from), mix(to));
        let first = [at_from(a, b), at_from(b, c), at_from(c, d)];
        let last = [at_to(a, b), at_to(b, c), at_to(c, d)];
        let from_from = [at_from(first[0], first[1]), at_from(first[1], first[2])];
        let to_to = [at_to(last[0], last[1]), at_to(last[1], last[2])];
        [
            at_from(from_from[0], from_from[1]),
            at_to(from_from[0], from_from[1]),
            at_from(to_to[0], to_to[1]),
            at_to(to_to[0], to_to[1]),
        ]
    }

    /// The cubic's value.
    #[inline(always)]
    pub(super) fn value(&self, t: f64) -> f64 {
        let s = 1.0 - t;
        let [a, b, c, d] = self.coefficients.map(R::high);
        ((a * s + 3.0 * b * t) * s + 3.0 * c * t * t) * s + d * t * t * t
    }

    /// The sign the cubic keeps on `[from, to]`, or zero when that is not proved.
    #[inline(always)]
    pub(super) fn sign_on(&self, from: f64, to: f64) -> i32 {
        let coefficients = self.on(from, to).map(R::high);
        if coefficients.iter().all(|&c| c > self.bound) {
            1
        } else if coefficients.iter().all(|&c| c < -self.bound) {
            -1
        } else {
            0
        }
    }

    /// How far after `t` the cubic is proved to keep its sign, by clipping the hull of its control
    /// points. The windows shrink towards the root, so that a few rounds reach the noise.
    pub(super) fn gap(&self, mut t: f64, t_max: f64) -> Gap {
        let mut window_end = t_max;
        let mut kept = 0;
        for _ in 0..16 {
            let b = self.on(t, window_end).map(R::high);
            let sign = if b[0] > self.bound {
                1.0
            } else if b[0] < -self.bound {
                -1.0
            } else {
                return Gap::Until(t, kept);
            };
            kept = sign as i32;
            let height = b.map(|c| c * sign - self.bound);
            // Where the lower hull of the control points first comes down to zero: the smallest
            // crossing of all descending pairs (the first pair alone is not enough).
            let mut crossing = f64::INFINITY;
            for j in 1..4 {
                if height[j] <= 0.0 {
                    for i in 0..j {
                        if height[i] > 0.0 {
                            let share = height[i] / (height[i] - height[j]);
                            crossing = crossing.min((i as f64 + (j - i) as f64 * share) / 3.0);
                        }
                    }
                }
            }
            let width = window_end - t;
            if crossing == f64::INFINITY {
                if window_end >= t_max {
                    return Gap::Clear;
                }
                t = window_end;
                window_end = t_max.min(t + 4.0 * width);
                continue;
            }
            // Shortened by more than the rounding of the crossing and of the sum.
            let next = (t + width * crossing * (1.0 - CROSSING_SHORTENED)).next_down();
            if next <= t {
                return Gap::Until(t, kept);
            }
            let step = next - t;
            t = next;
            if step <= 1e-15 * t {
                return Gap::Until(t, kept);
            }
            window_end = t_max.min(t + 3.0 * step);
            if window_end <= t {
                return Gap::Until(t, kept);
            }
        }
        Gap::Until(t, kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::DoubleDouble;
    use crate::separating::problem::Problem;
    use crate::{Query, exact_reference};
    use dashu::rational::RBig;

    /// The largest error of a coefficient on random subintervals, in units of `u · S`.
    fn worst_error<R: Real>() -> f64 {
        let mut random = exact_reference::Random::new(11);
        let mut worst = 0.0_f64;
        for round in 0..400 {
            let mut points = || core::array::from_fn(|_| random.point(round % 3));
            let (t0, t1) = (points(), points());
            let query = if round % 2 == 0 {
                Query::vertex_face(t0, t1)
            } else {
                Query::edge_edge(t0, t1)
            };
            let cubic = Problem::<R>::new(&query, 0.0).cubic;
            let unit = (cubic.bound - UNDERFLOW_CUBIC) / CUBIC_ROUNDING;
            let (a, b) = (random.unit(), random.unit());
            let (from, to) = if round % 5 == 0 {
                (0.0, 1.0)
            } else {
                (a.min(b), a.max(b))
            };
            let expected = exact_reference::cubic_on(&query, from, to);
            for (computed, expected) in cubic.on(from, to).into_iter().zip(expected) {
                let computed = RBig::try_from(computed.high()).unwrap()
                    + RBig::try_from(computed.low()).unwrap();
                let error = (computed - expected).to_f64().value().abs();
                worst = worst.max(error / unit);
            }
        }
        worst
    }

    /// The derived bound is 22u; random queries come within a factor of it that shows the constant
    /// is not there for show.
    #[test]
    fn coefficients_stay_within_the_derived_bound() {
        let single = worst_error::<f64>();
        assert!((0.3..22.0).contains(&single), "{single}");
        let double = worst_error::<DoubleDouble>();
        assert!((1e-3..22.0).contains(&double), "{double}");
    }
}
