//! Marching along time from one certified stretch to the next.

use super::cubic::Gap;
use super::direction::{Feature, Separation};
use super::problem::Problem;
use crate::Piece;
use crate::real::{Real, Vector};
use crate::tolerances::{
    CREEP, CREEPING_ROUNDS, CROSSING_ROUNDING, GOOD_SHARE, TURN_AFTER, UNDERFLOW_CUBIC,
};
use glam::DVec3;
use jostle_geom::PairKind;

/// How a march ended.
pub(super) enum Stop {
    /// All of `[0, t_max]` is certified.
    Free,
    /// Certified beyond the time after which the caller does not care.
    Beyond,
    /// Nothing tried certifies more than `[0, t)`.
    Stalled {
        /// Where it stands.
        t: f64,
        /// Whether the primitives are proved to touch, at most this much later.
        proved_within: Option<f64>,
    },
    /// The budget ended at this time.
    Budget(f64),
}

/// What a march may spend and where it may stop.
pub(super) struct Limits {
    pub(super) t_max: f64,
    /// A march certified beyond this stops.
    pub(super) cut: f64,
    pub(super) max_rounds: u32,
}

/// Marches from `t`, up to which the motion is certified already. `rounds` counts on; `pieces`
/// takes the evidence.
pub(super) fn march<R: Real>(
    problem: &Problem<R>,
    mut t: f64,
    limits: &Limits,
    rounds: &mut u32,
    mut pieces: Option<&mut Vec<Piece>>,
) -> Stop {
    let t_max = limits.t_max;
    let mut record = |piece: Piece| {
        if let Some(pieces) = pieces.as_deref_mut() {
            pieces.push(piece);
        }
    };
    let first_round = *rounds;
    let mut creeping = 0;
    loop {
        if *rounds >= limits.max_rounds {
            return Stop::Budget(t);
        }
        *rounds += 1;
        let round_start = t;
        let sign;

        match problem.cubic.gap(t, t_max) {
            Gap::Clear => {
                record(Piece::Cubic { from: t, to: t_max });
                return Stop::Free;
            }
            Gap::Until(next, kept) => {
                sign = kept;
                if next > t {
                    record(Piece::Cubic { from: t, to: next });
                    t = next;
                }
            }
        }
        if t > limits.cut {
            return Stop::Beyond;
        }

        let (closest, feature) = problem.closest_direction(t);
        let mut best = closest
            .normalised()
            .and_then(|direction| problem.separation(direction, t));
        let good = t + GOOD_SHARE * (t_max - t);
        let reached = |best: &Option<Separation<R>>| best.map_or(t, |s| s.to);
        if reached(&best) < good {
            if feature == Feature::Interior
                && sign != 0
                && let Some(within) = problem.proved_crossing(t, sign, t_max)
            {
                return Stop::Stalled {
                    t,
                    proved_within: Some(within),
                };
            }
            improve(problem, t, good, &mut best);
        }
        let mut piece = best.map(|s| Piece::Direction {
            high: DVec3::from_array(s.direction.high()),
            low: DVec3::from_array(s.direction.low()),
            from: t,
            to: s.to.min(t_max),
        });
        let mut to = reached(&best);
        if *rounds - first_round > TURN_AFTER
            && to < good
            && let Some((turned_to, turned)) = turn(problem, t, to, t_max)
        {
            to = turned_to;
            piece = Some(turned);
        }
        if let Some(piece) = piece
            && (to > t || to >= t_max)
        {
            record(piece);
            t = to;
            if t >= t_max {
                return Stop::Free;
            }
        }
        if t > limits.cut {
            return Stop::Beyond;
        }

        if t - round_start < CREEP {
            creeping += 1;
            if t <= round_start || creeping >= CREEPING_ROUNDS {
                return Stop::Stalled {
                    t,
                    proved_within: None,
                };
            }
        } else {
            creeping = 0;
        }
    }
}

/// Tries the further directions until one is good.
fn improve<R: Real>(problem: &Problem<R>, t: f64, good: f64, best: &mut Option<Separation<R>>) {
    let mut number = 0;
    while let Some(direction) = problem.further_direction(number, t) {
        number += 1;
        let found = direction
            .normalised()
            .and_then(|direction| problem.oriented(direction, t))
            .and_then(|direction| problem.separation(direction, t));
        if let Some(found) = found
            && best.is_none_or(|b| found.to > b.to)
        {
            *best = Some(found);
            if found.to >= good {
                return;
            }
        }
    }
}

/// A direction that turns with the hull, from the closest one at `t` to the closest one at a later
/// time: reaches further than a fixed one where the primitives turn or arrive tangentially.
fn turn<R: Real>(problem: &Problem<R>, t: f64, reached: f64, t_max: f64) -> Option<(f64, Piece)> {
    let unit = |v: Vector<R>| {
        let v = v.normalised()?;
        let [x, y, z] = v.high();
        let norm = (x * x + y * y + z * z).sqrt();
        (norm > 0.0).then(|| v.scale(R::from(1.0 / norm)))
    };
    let start = unit(problem.closest_direction(t).0)?;
    let mut length = (t_max - t).min(64.0 * (reached - t).max(CREEP));
    let mut found = None;
    for _ in 0..8 {
        let to = t + length;
        if to <= reached || to <= t {
            break;
        }
        if let Some(end) = unit(problem.closest_direction(to).0)
            && problem.turning_separates((start, t), (end, to))
        {
            let parts = |v: Vector<R>| [DVec3::from_array(v.high()), DVec3::from_array(v.low())];
            let piece = Piece::TurningDirection {
                start: parts(start),
                end: parts(end),
                from: t,
                to,
            };
            found = Some((to, piece));
            break;
        }
        length *= 0.4;
    }
    found
}

impl<R: Real> Problem<R> {
    /// Proves that the primitives touch soon after `t`, where the cubic is known to have `sign`: it has the opposite sign a little later, and all the while the origin lies strictly
    /// inside the hull seen along the plane's normal at `t`. Returns how much later at most.
    ///
    /// Where the cubic is zero in between, the corner differences lie in one plane through the
    /// origin; seen along a fixed direction in which that plane is not edge-on (it is not, since
    /// the signed areas below are not zero), the origin is inside the hull when it is inside its
    /// picture.
    pub(super) fn proved_crossing(&self, t: f64, sign: i32, t_max: f64) -> Option<f64> {
        let before = self.cubic.value(t);
        let bound = self.cubic.bound;
        let slope = (self.cubic.value((t + 1e-6).min(1.0)) - before)
            / ((t + 1e-6).min(1.0) - t).max(1e-300);
        let mut length = (8.0 * bound / slope.abs()).clamp(4.0 * f64::EPSILON * t, 1e-9);
        for _ in 0..3 {
            let later = (t + length).min(t_max);
            let after = self.cubic.sign_on(later, later);
            if after != 0 && later > t {
                let crossed = after == -sign && self.origin_inside(t, later);
                return crossed.then_some(later - t);
            }
            length *= 32.0;
        }
        None
    }

    /// Whether the origin is strictly inside the hull over `[from, to]`, seen along the normal at
    /// `from`.
    fn origin_inside(&self, from: f64, to: f64) -> bool {
        let e = self.e[0].lerp(self.e[1], from);
        let g = self.g[0].lerp(self.g[1], from);
        let Some(normal) = e.cross(g).normalised() else {
            return false;
        };
        let [nx, ny, nz] = normal.high().map(f64::abs);
        // The corners in the order of the hull's border.
        let order: &[usize] = match self.kind {
            PairKind::VertexFace => &[0, 1, 2],
            PairKind::EdgeEdge => &[0, 1, 3, 2],
        };
        let mut sign = 0.0;
        for (i, &p) in order.iter().enumerate() {
            let q = order[(i + 1) % order.len()];
            let (a, b) = (self.reach[p], self.reach[q]);
            let weight = nx * (a[1] * b[2] + a[2] * b[1])
                + ny * (a[2] * b[0] + a[0] * b[2])
                + nz * (a[0] * b[1] + a[1] * b[0]);
            let bound = CROSSING_ROUNDING * R::UNIT * weight + UNDERFLOW_CUBIC;
            let (p0, p1) = (self.corner_at(p, from), self.corner_at(p, to));
            let (q0, q1) = (self.corner_at(q, from), self.corner_at(q, to));
            let areas = [
                normal.dot(p0.cross(q0)).high(),
                (normal.dot(p0.cross(q1)) + normal.dot(p1.cross(q0))).high() * 0.5,
                normal.dot(p1.cross(q1)).high(),
            ];
            if sign == 0.0 {
                sign = areas[0].signum();
            }
            if areas.iter().any(|&area| area * sign <= bound) {
                return false;
            }
        }
        true
    }
}
