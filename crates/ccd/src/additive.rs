//! Conservative advancement by distance over relative speed.

use crate::{Answer, Query, QueryOptions};

/// Solves a validated query.
pub fn solve(query: &Query, options: &QueryOptions) -> Answer {
    let _ = (query, options);
    todo!()
}
