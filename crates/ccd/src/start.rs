//! The start of the step: what a method that could not exclude time 0 says.

use glam::DVec3;
use jostle_geom::PairKind;
use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::tolerances::PREDICATE_LIMIT;
use crate::{Answer, Counters, Outcome, Query, QueryOptions, exact};

/// Whether the primitives are within the separation at t = 0, exactly.
///
/// Most contacts at the start are decided by adaptive predicates (J. R. Shewchuk, "Adaptive
/// Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997) at a hundredth
/// of the cost of rational arithmetic, which has the rest.
pub(crate) fn touches(query: &Query, min_separation: f64) -> bool {
    let decided = if min_separation == 0.0 {
        by_predicates(query)
    } else {
        None
    };
    decided.unwrap_or_else(|| !exact::distance_exceeds_at_start(query, min_separation))
}

/// Contact at t = 0 by the signs of volumes and areas; `None` when all of them vanish, or could
/// by underflow.
fn by_predicates(query: &Query) -> Option<bool> {
    let points = query.t0;
    let fits = |x: f64| x == 0.0 || (1.0 / PREDICATE_LIMIT..PREDICATE_LIMIT).contains(&x.abs());
    if !points.iter().all(|p| fits(p.x) && fits(p.y) && fits(p.z)) {
        return None;
    }
    let space = points.map(|p| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    });
    if orient3d(space[0], space[1], space[2], space[3]) != 0.0 {
        return Some(false);
    }
    // All four points lie in one plane. Seen along an axis its picture is one to one unless every
    // area in the picture is zero.
    (0..3).find_map(|axis| in_picture(query.kind, points, axis))
}

/// Contact of coplanar primitives as seen along an axis; `None` when the picture is degenerate.
fn in_picture(kind: PairKind, points: [DVec3; 4], axis: usize) -> Option<bool> {
    let [p, q, r, s] = points.map(|p| Coord {
        x: p[(axis + 1) % 3],
        y: p[(axis + 2) % 3],
    });
    match kind {
        PairKind::VertexFace => {
            let area = orient2d(q, r, s);
            let inside = |a, b| orient2d(a, b, p) * area.signum() >= 0.0;
            (area != 0.0).then(|| inside(q, r) && inside(r, s) && inside(s, q))
        }
        PairKind::EdgeEdge => {
            let sides = [
                orient2d(p, q, r),
                orient2d(p, q, s),
                orient2d(r, s, p),
                orient2d(r, s, q),
            ]
            .map(|area| if area == 0.0 { 0.0 } else { area.signum() });
            // Not all on one line: the segments meet when each line parts the other's ends.
            sides
                .iter()
                .any(|&side| side != 0.0)
                .then(|| sides[0] * sides[1] <= 0.0 && sides[2] * sides[3] <= 0.0)
        }
    }
}

/// The outcome of a method that proved `[0, t)` free and could not go on: [`Outcome::Impact`], or
/// [`Outcome::Undecided`] when its budget ended.
///
/// A solver that is told 0 stalls, so 0 is only returned for what really touches at the start,
/// which is decided exactly; otherwise an exact computation supplies a positive time, and only
/// where that is below the smallest positive `f64` the answer is `Undecided` with 0. The second
/// value counts the exact decisions.
pub(crate) fn outcome(
    query: &Query,
    options: &QueryOptions,
    t: f64,
    undecided: bool,
) -> (Outcome, u32) {
    let at = |toi| {
        if undecided {
            Outcome::Undecided { toi }
        } else {
            Outcome::Impact { toi }
        }
    };
    if t > 0.0 {
        return (at(t), 0);
    }
    if touches(query, options.min_separation) {
        return (Outcome::Impact { toi: 0.0 }, 1);
    }
    let bound = exact::positive_start_bound(query, options.min_separation);
    let outcome = if bound >= options.t_max {
        Outcome::Free
    } else if bound > 0.0 {
        at(bound)
    } else {
        // The bound of the speed was too coarse for a double.
        let tolerance = options.time_tolerance;
        exact::first_contact(query, options.min_separation, options.t_max, tolerance)
    };
    (outcome, 2)
}

/// What a search along time ended with; all of `[0, t)` is free.
#[derive(Clone, Copy)]
pub(crate) enum Found {
    /// All of `[0, t_max]` is free.
    Nothing,
    /// What is left from `t` on is within the tolerance, or nothing brings the search on.
    Close { t: f64 },
    /// The budget ended.
    Budget { t: f64 },
}

impl Found {
    /// The answer to the query that was searched, at this cost.
    pub(crate) fn answer(self, query: &Query, options: &QueryOptions, iterations: u32) -> Answer {
        let (outcome, exact) = match self {
            Self::Nothing => (Outcome::Free, 0),
            Self::Close { t } => outcome(query, options, t, false),
            Self::Budget { t } => outcome(query, options, t, true),
        };
        let counters = Counters {
            iterations,
            exact,
            ..Counters::default()
        };
        Answer { outcome, counters }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every configuration of four points on a small grid agrees with rational arithmetic.
    #[test]
    fn predicates_agree_with_exact_arithmetic() {
        let mut state = 7_u64;
        let mut decided = [0; 2];
        for _ in 0..20_000 {
            let mut next = || {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                ((state >> 40) % 3) as f64 * 0.1
            };
            let points: [DVec3; 4] = core::array::from_fn(|_| DVec3::new(next(), next(), next()));
            for query in [
                Query::vertex_face(points, points),
                Query::edge_edge(points, points),
            ] {
                let expected = !exact::distance_exceeds_at_start(&query, 0.0);
                if let Some(found) = by_predicates(&query) {
                    decided[usize::from(found)] += 1;
                    assert_eq!(found, expected, "{query:?}");
                }
                assert_eq!(touches(&query, 0.0), expected, "{query:?}");
            }
        }
        assert!(decided.iter().all(|&n| n > 1000), "{decided:?}");
    }
}
