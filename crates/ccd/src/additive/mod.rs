//! Conservative advancement by distance over relative speed.
//!
//! M. Li, D. M. Kaufman, C. Jiang, "Codimensional Incremental Potential Contact", ACM TOG 40(4),
//! 2021, section 5 (additive CCD). While the primitives are farther apart than the minimum
//! separation by a gap g and no two of their points approach faster than l, there is no contact
//! for another g / l.
//!
//! Differences from the paper, whose method can miss contacts by rounding:
//! - The distance is replaced by a certified lower bound: the least product of the four or three
//!   corner differences with a unit direction, less its rounding bound. The direction comes from
//!   the closest features but any direction gives a true bound, so degenerate triangles and
//!   parallel edges cost time, never a contact.
//! - The speed is the largest displacement of a corner difference, rounded up. That is at most the
//!   paper's sum of the largest displacements of both primitives about their mean, and needs no
//!   mean.
//! - Every advance uses the whole gap, and the gap left at the end is advanced as well, so the
//!   slack factor is the accuracy only, not the safety.
//! - Time 0 is only reported when the primitives touch there, which is decided exactly.

mod corners;

use crate::start::Found;
use crate::tolerances::ADDITIVE_SLACK;
use crate::{Answer, Query, QueryOptions, scaling};
use corners::Corners;

/// Solves a query with a slack factor of 1e-6.
///
/// `query` and `options` must be valid ([`time_of_impact`](crate::time_of_impact) checks them).
/// See [`solve_with_slack`].
pub fn solve(query: &Query, options: &QueryOptions) -> Answer {
    solve_with_slack(query, options, ADDITIVE_SLACK)
}

/// Solves a query: advances until the gap (distance less minimum separation) has shrunk below
/// `slack` times the initial one or below [`tolerance`](QueryOptions::tolerance), whichever is
/// larger, and reports `Impact` there.
///
/// So a pair that comes closer than that and parts again is reported as well. Each iteration is
/// one advance; their number grows with speed × duration / gap while primitives pass each other
/// closely, and is bounded by the budget only. `slack` is clamped to `[0, 1]`; any is conservative
/// (the published method uses 0.1).
pub fn solve_with_slack(query: &Query, options: &QueryOptions, slack: f64) -> Answer {
    let mut iterations = 0;
    let found = match scaling::rescale_all(query, options) {
        Some((query, options)) => march(&query, &options, slack, &mut iterations),
        None => march(query, options, slack, &mut iterations),
    };
    found.answer(query, options, iterations)
}

fn march(query: &Query, options: &QueryOptions, slack: f64, iterations: &mut u32) -> Found {
    let corners = Corners::new(query);
    let speed = corners.speed();
    let mut t = 0.0_f64;
    let mut threshold = options.tolerance;
    loop {
        if *iterations == options.max_iterations {
            return Found::Budget { t };
        }
        *iterations += 1;
        let now = corners.at(t);
        // Rounded down, as everything that adds to the time.
        let advance = |distance: f64| {
            let gap = (distance - options.min_separation).next_down();
            let step = (gap / speed).next_down();
            (gap, (t + step).next_down())
        };

        // Most candidates of a broad phase pass far from each other: a crude direction shows it.
        let (_, past) = advance(corners.distance_along(&now, corners.centre(&now)));
        if past > options.t_max {
            return Found::Nothing;
        }
        let (gap, next) = advance(corners.distance(&now));
        if next > options.t_max {
            return Found::Nothing;
        }
        if next <= t || gap <= 0.0 {
            return Found::Close { t };
        }
        if *iterations == 1 {
            threshold = threshold.max(gap * slack.clamp(0.0, 1.0));
        } else if gap <= threshold {
            return Found::Close { t: next };
        }
        t = next;
    }
}
