//! Dynamics of the Jostle collision engine: granular flow and rigid bodies.
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
//!
//! [`BodyWorld`] steps a [`BodyScene`](jostle_scenes::bodies::BodyScene): rigid bodies whose forms are distance fields,
//! stacked, piled and thrown.
//!
//! ```
//! use std::sync::Arc;
//!
//! use glam::DVec3;
//! use jostle_dynamics::{BodyWorld, WorldOptions};
//! use jostle_geom::{Pose, Rotation};
//! use jostle_scenes::bodies::{BodyScene, Motion, SceneBody};
//! use jostle_sdf::{Field, Shape, ShapeOptions};
//!
//! let ball = Arc::new(Shape::new(Field::sphere(0.5)?, &ShapeOptions::default())?);
//! let at = |z| Pose::new(DVec3::new(0.0, 0.0, z), Rotation::IDENTITY);
//! let scene = BodyScene {
//!     shapes: vec![ball],
//!     bodies: vec![
//!         SceneBody { pose: at(0.0), motion: Motion::Static, ..SceneBody::default() },
//!         SceneBody { pose: at(2.0), ..SceneBody::default() },
//!     ],
//!     gravity: DVec3::new(0.0, 0.0, -9.81),
//!     world: [DVec3::splat(-10.0), DVec3::splat(10.0)],
//! };
//! let mut world = BodyWorld::new(&scene, &WorldOptions::default())?;
//! for _ in 0..60 {
//!     world.step()?;
//! }
//! // It rests on the other one, a margin apart.
//! assert!(world.bodies().last().is_some_and(|body| body.centre.z > 1.0));
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
