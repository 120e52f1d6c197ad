//! Granular flow.

mod chunk;
mod error;
mod flow;
mod grid;
mod haste;
mod law;
mod lists;
mod neighbours;
mod rebuild;
mod report;
mod rows;
mod substep;
mod time_step;
mod tolerances;
mod traffic;
mod twin;
mod walls;

pub use error::FlowError;
pub use flow::{FlowOptions, FrameStats, GrainFlow};
pub use report::FlowReport;
pub use time_step::TimeStep;
