//! Contacts between shapes: the objective, its optimisers, and manifolds that last from step to step.

mod body;
mod dense;
mod finish;
mod judge;
mod objective;
mod optimise;
mod options;
mod pace;
mod pairs;
mod prepared;
mod sampling;
mod search;
mod separation;
mod side;
mod update;

pub use body::FieldBody;
pub use jostle_geom::{ContactPoint, Impulse, Manifold};
pub use options::{ContactOptions, Optimizer, UnknownOptimizer};
pub use pairs::{ContactError, ContactStats, FieldContacts};
