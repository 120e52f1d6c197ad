//! The start of the step: what a method that could not exclude time 0 says.

use crate::{Outcome, Query, QueryOptions, exact};

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
    if !exact::distance_exceeds_at_start(query, options.min_separation) {
        return (Outcome::Impact { toi: 0.0 }, 1);
    }
    let bound = exact::positive_start_bound(query, options.min_separation);
    let outcome = if bound > options.t_max {
        Outcome::Free
    } else if bound > 0.0 {
        at(bound)
    } else if options.t_max == 0.0 {
        // Decided above: apart at the only time that counts.
        Outcome::Free
    } else {
        Outcome::Undecided { toi: 0.0 }
    };
    (outcome, 2)
}
