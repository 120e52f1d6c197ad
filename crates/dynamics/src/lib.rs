//! Dynamics of the Jostle collision engine: granular flow.
//!
//! [`GrainFlow`] steps a [`GrainScene`](jostle_scenes::grains::GrainScene): many equal or unequal spheres that
//! push each other and walls through springs, dashpots and friction, by the ten thousand within the time of a frame.
//!
//! ```
//! use jostle_dynamics::{FlowOptions, GrainFlow};
//! use jostle_scenes::grains::Hopper;
//!
//! let scene = Hopper { grains: 500, ..Hopper::default() }.build()?;
//! let mut flow = GrainFlow::new(&scene, &FlowOptions::default())?;
//! for _ in 0..30 {
//!     flow.step()?;
//! }
//! let report = flow.report();
//! assert_eq!(report.emitted, report.inside + report.drained);
//! assert_eq!(report.escaped, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod grains;
mod pairs;
mod rigid;

pub use grains::{FlowError, FlowOptions, FlowReport, FrameStats, GrainFlow, TimeStep};
pub use pairs::{BallPair, touching_pairs};
pub use rigid::{
    BodyId, BodyState, BodyWorld, ContactSource, WorldError, WorldOptions, WorldReport, WorldStats,
};
