//! Subdivision of (t, u, v) with inclusion boxes.

use crate::{Answer, Query, QueryOptions};

/// Solves a validated query.
pub fn solve(query: &Query, options: &QueryOptions) -> Answer {
    let _ = (query, options);
    todo!()
}
