//! The default narrow phase: certified marching along time.
//!
//! Write `F = w + u·E + v·G` with w, E, G linear in t. At a fixed t the values of `F` over the valid
//! (u, v) are the convex hull of a few *corner differences*, each linear in t, and the primitives
//! touch exactly when that hull contains the origin. Two things certify a stretch of time without
//! any search in (u, v):
//!
//! - a **direction** d: each product with a corner difference is linear in t, so the times at which
//!   all of them are positive form one interval;
//! - the **cubic** f = (E × G)·w: contact needs f = 0, so a stretch on which its Bernstein
//!   coefficients have one strict sign is free.
//!
//! The march starts at t = 0, advances to a certified lower bound of the cubic's next root, takes
//! the direction to the closest point of the hull there, advances to the end of its interval, and
//! repeats. What stalls near the rounding of `f64` is marched again in double-double from where it
//! stands. Every exit leaves a certified lower bound.
//!
//! The bounds are derived in `docs/guarantees.md`. The method is our own; the subdivision it
//! replaces is kept as [`inclusion`](crate::inclusion).

mod batch;
mod cubic;
mod direction;
mod dop;
mod lanes;
mod march;
mod problem;

pub(crate) use batch::{Batch, query_of};
use march::{Limits, Stop, march};
use problem::Problem;

use crate::real::DoubleDouble;
use crate::tolerances::EXACT_AFTER;
use crate::{
    Answer, Certificate, Counters, Outcome, Piece, Query, QueryOptions, exact, scaling, start,
};

/// Solves a validated query.
///
/// The answer is [`Outcome::Impact`] when the primitives touch, or come so close that double-double
/// cannot tell: relative distances of about 10⁻³⁰, or of 10⁻¹⁶ from a minimum separation and between
/// degenerate primitives. [`QueryOptions::exact`] settles those. Marches that creep along a
/// tangential approach are settled exactly in any case.
pub fn solve(query: &Query, options: &QueryOptions) -> Answer {
    find(query, options, f64::INFINITY, None)
}

/// Solves a validated query and returns the evidence that `[0, toi)`, or all of `[0, t_max]`, is
/// free.
///
/// A march that creeps goes on here until the budget ends, so that there is evidence. Answers
/// settled in exact arithmetic because of [`QueryOptions::exact`] extend beyond the evidence, which
/// then ends where the march ended.
pub fn solve_with_certificate(query: &Query, options: &QueryOptions) -> (Answer, Certificate) {
    let mut pieces = Vec::new();
    let answer = find(query, options, f64::INFINITY, Some(&mut pieces));
    (answer, Certificate { pieces })
}

/// Lower bound of the distance at the start, in metres; negative when no direction is proved to
/// separate.
pub(crate) fn start_distance(query: &Query) -> f64 {
    Problem::<f64>::new(query, 0.0).start_distance()
}

/// Marches until the answer is known, or is certified to lie beyond `cut`: then it is `Free`.
pub(crate) fn find(
    query: &Query,
    options: &QueryOptions,
    cut: f64,
    pieces: Option<&mut Vec<Piece>>,
) -> Answer {
    match scaling::rescale(query, options.min_separation) {
        None => find_scaled(query, query, options.min_separation, options, cut, pieces),
        Some((scaled, separation)) => find_scaled(query, &scaled, separation, options, cut, pieces),
    }
}

fn find_scaled(
    original: &Query,
    query: &Query,
    separation: f64,
    options: &QueryOptions,
    cut: f64,
    mut pieces: Option<&mut Vec<Piece>>,
) -> Answer {
    let limits = Limits {
        t_max: options.t_max,
        cut,
        // Evidence is worth more rounds than an answer is.
        max_rounds: match pieces {
            Some(_) => options.max_iterations,
            None => options.max_iterations.min(EXACT_AFTER),
        },
    };
    let mut rounds = 0;
    let mut counters = Counters::default();

    let problem = Problem::<f64>::new(query, separation);
    let mut stop = march(&problem, 0.0, &limits, &mut rounds, pieces.as_deref_mut());
    if let Stop::Stalled { t: 0.0, .. } = stop {
        counters.exact += 1;
        if start::touches(original, options.min_separation) {
            counters.iterations = rounds;
            let outcome = Outcome::Impact { toi: 0.0 };
            return Answer { outcome, counters };
        }
    }
    if let Stop::Stalled {
        t,
        proved_within: None,
    } = stop
    {
        counters.double_double = 1;
        let problem = Problem::<DoubleDouble>::new(query, separation);
        stop = march(&problem, t, &limits, &mut rounds, pieces.as_deref_mut());
    }
    counters.iterations = rounds;

    let (t, budget, sure) = match stop {
        Stop::Free | Stop::Beyond => {
            let outcome = Outcome::Free;
            return Answer { outcome, counters };
        }
        Stop::Stalled { t, proved_within } => (
            t,
            false,
            proved_within.is_some_and(|within| within <= options.time_tolerance),
        ),
        Stop::Budget(t) => (t, true, false),
    };
    let creeps = budget && pieces.is_none() && options.max_iterations > EXACT_AFTER;
    if (options.exact || creeps) && !sure {
        counters.exact += 1;
        let outcome = exact::first_contact(original, options.min_separation, options.t_max, 0.0);
        return Answer { outcome, counters };
    }
    let (outcome, decisions) = start::outcome(original, options, t, budget);
    counters.exact += decisions;
    if t == 0.0
        && let Some(to) = outcome.toi()
        && to > 0.0
        && let Some(pieces) = pieces
    {
        pieces.push(Piece::Start { to });
    }
    Answer { outcome, counters }
}
