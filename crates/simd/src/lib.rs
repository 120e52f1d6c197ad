//! Structure-of-arrays batches and batch kernels of the Jostle collision engine.
//!
//! Plain data ([`Aabb`], [`Ray`], [`Triangle`]) lives here so that kernels and geometry share one definition;
//! `jostle-geom` re-exports it. Wide code is written once over the safe tokens of `fearless_simd`
//! and compiled for every level; [`SimdLevel`] names the levels, and a kernel is entered once a
//! pass with the token of the level chosen, never once a pair.
//!
//! Every kernel gives the same bits at every level: fixed widths, no fused multiply-add, no
//! approximate reciprocal, no reduction whose order depends on the width.

mod aabb;
pub mod batch;
mod box4;
mod box8;
pub mod exact;
mod hilbert;
pub mod kernels;
mod level;
mod motion;
mod ray;
mod ray_packet;
mod ray_triangle;
pub mod rounding;
mod triangle;
pub mod volume;

pub use aabb::Aabb;
pub use box4::Box4;
pub use box8::Box8;
pub use hilbert::{HILBERT_BITS, HilbertGrid, hilbert_keys, morton_keys};
pub use level::{SimdLevel, UnknownLevel, UnsupportedLevel};
pub use motion::motion_boxes;
pub use ray::{Ray, RayError, RaySlabs};
pub use ray_packet::RayPacket;
pub use ray_triangle::{ShearedRay, Sides, TriangleHit};
pub use triangle::{Triangle, Triangle8};

/// The crate whose tokens carry the proof that a level is available.
pub use fearless_simd;
