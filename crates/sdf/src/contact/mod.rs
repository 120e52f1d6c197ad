//! Contacts between shapes: the objective, its optimisers, and manifolds that last from step to step.

mod body;
mod options;
mod pairs;

pub use body::FieldBody;
pub use jostle_geom::{ContactPoint, Impulse, Manifold};
pub use options::{ContactOptions, Optimizer, UnknownOptimizer};
pub use pairs::{ContactError, ContactStats, FieldContacts};
