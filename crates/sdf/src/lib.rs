//! Signed distance fields of the Jostle collision engine and the contacts between them.
//!
//! A [`Field`] gives at each point of space how far it is from a surface, negative inside, and in which direction that
//! distance grows. A [`Shape`] is a field together with all that a simulation wants to know of it once: its box, a bound
//! on how fast its value changes, its mass properties, and the points of high curvature at which contacts like to be.
//! [`contact`] finds sparse, stable contact manifolds between shapes that move.

pub mod contact;
mod field;
mod level;
mod mass;
mod mesh_distance;
pub mod seeds;
mod shape;
mod tolerances;
pub mod voxel;
mod walk;

pub use field::{Field, FieldError, Sample, UserField};
pub use mass::MassProperties;
pub use mesh_distance::{MeshDistance, MeshDistanceError, MeshSample};
pub use shape::{Shape, ShapeError, ShapeOptions};
