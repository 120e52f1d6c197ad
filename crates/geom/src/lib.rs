//! Meshes, boxes and outward rounding for the Jostle collision engine.
//!
//! - [`Topology`]: faces, unique edges and the numbering of their boxes.
//! - [`Mesh`]: a topology with one set of vertex positions.
//! - [`Manifold`]: the contacts of two bodies.
//! - [`MovingMesh`]: a topology with the positions at the start and the end of a step, validated.
//! - [`MovingBoxes`]: the smallest `f32` boxes around the motion of every vertex, edge and face.
//! - [`Pose`] and [`Rotation`]: where a rigid body is.
//! - [`rounding`]: `f64` to `f32`, rounded outward.

pub mod chunks;
mod contact;
mod fnv;
mod mesh;
mod moving_boxes;
mod moving_mesh;
mod pose;
mod rng;
pub mod rounding;
mod topology;

pub use contact::{ContactPoint, Impulse, Manifold};
pub use fnv::Fnv;
pub use jostle_simd::{Aabb, Ray, RayError, Sides, Triangle, TriangleHit};
pub use mesh::Mesh;
pub use moving_boxes::MovingBoxes;
pub use moving_mesh::{Frame, MotionError, MovingMesh};
pub use pose::{Pose, Rotation};
pub use rng::Rng;
pub use topology::{Element, ElementKind, PairKind, Topology, TopologyError};
