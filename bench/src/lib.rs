//! What the benches and the peer comparison share.
//!
//! - [`Step`]: two frames of a mesh, read from files.
//! - [`stream`] and [`collect`]: all candidates of a step, handed on or delivered to memory.

mod candidates;
mod step;

pub use candidates::{Collected, Counts, collect, stream};
pub use step::{Step, StepFileError};
