//! Conservative continuous collision detection of deforming meshes, in double precision.
//!
//! Two primitives move linearly over a step, `t` in `[0, 1]`. The time of impact (TOI) is the first
//! time at which their distance is at most the minimum separation. **The time returned is never
//! later than the exact one and no contact is missed**; `docs/guarantees.md` derives it.

pub mod additive;
mod certificate;
pub mod exact;
#[cfg(test)]
mod exact_reference;
pub mod inclusion;
mod query;
mod real;
mod scaling;
pub mod separating;
mod start;
pub mod step;
mod tolerances;

pub use certificate::{Certificate, Piece};
pub use query::{
    Answer, Counters, NarrowPhase, Outcome, Query, QueryError, QueryOptions, UnknownNarrowPhase,
    time_of_impact,
};
