//! Structure-of-arrays batches and batch kernels of the Jostle collision engine.
//!
//! Plain data ([`Aabb`], [`Ray`], [`Triangle`]) lives here so that kernels and geometry share one definition;
//! `jostle-geom` re-exports it. Wide code is written once over the safe tokens of `fearless_simd`
//! and compiled for every level; [`SimdLevel`] names the levels, and a kernel is entered once a
//! pass with the token of the level chosen, never once a pair.
//!
//! Every kernel gives the same bits at every level: no fused multiply-add, no approximate reciprocal, no
//! reduction whose order depends on the width. Where single precision could decide wrongly, the
//! lanes in doubt are asked again exactly.
//!
//! [`batch`] holds the structures of arrays, [`kernels`] the tests over them:
//!
//! ```
//! use jostle_simd::batch::{AabbBatch, BitMask};
//! use jostle_simd::{Aabb, SimdLevel, kernels::aabb_aabb};
//!
//! let cube = |x: f32| Aabb::new([x, 0.0, 0.0].into(), [x + 1.0, 1.0, 1.0].into());
//! let boxes: AabbBatch = (0..100).map(|i| cube(2.0 * i as f32)).collect();
//! let level = SimdLevel::Auto.token()?;
//!
//! let (mut mask, mut ids) = (BitMask::new(), Vec::new());
//! aabb_aabb::one_many(&cube(5.0), &boxes, &mut mask, level);
//! aabb_aabb::one_many_ids(&cube(5.0), &boxes, &mut ids, level);
//! assert!(mask.get(2) && mask.get(3));
//! assert_eq!(ids, [2, 3]);
//! # Ok::<(), jostle_simd::UnsupportedLevel>(())
//! ```

mod aabb;
pub mod batch;
mod box4;
mod box8;
pub mod exact;
mod hilbert;
pub mod kernels;
pub mod lanes;
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
