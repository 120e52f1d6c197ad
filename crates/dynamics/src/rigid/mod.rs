//! Rigid bodies that collide.

mod bodies;
mod broad;
mod error;
mod integrate;
mod islands;
mod options;
mod report;
mod solver;
mod source;
mod start;
mod threads;
mod tolerances;
mod world;

pub use bodies::{BodyId, BodyState};
pub use error::WorldError;
pub use options::WorldOptions;
pub use report::{WorldReport, WorldStats};
pub use source::ContactSource;
pub use world::BodyWorld;
