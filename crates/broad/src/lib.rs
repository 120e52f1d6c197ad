//! Which boxes overlap: the broad phases of the Jostle collision engine.
//!
//! - [`step`]: vertex–face and edge–edge candidates of one step of a moving mesh, by any of three
//!   methods that report the same set.
//! - [`methods`]: every broad phase over any boxes behind one interface, [`BroadPhase`].
//! - [`bvh`]: binary and wide trees, their builders and their queries.
//! - [`dual`]: a world of static and moving boxes, each kind in trees of its own.
//! - [`dynamic`]: a binary tree of boxes that come, go and move, with bounded upkeep.
//! - [`upkeep`]: when such a tree pays, and when to build one in every frame.
//! - [`h8`]: the Hilbert tree of eights over any boxes; [`h8::self_pairs`] and
//!   [`h8::pairs_between`] take boxes and return pairs.
//! - [`brute`]: the same two functions by testing every pair, to compare with.
//!
//! Boxes are closed: two that only touch are a pair.

mod boxes;
pub mod brute;
pub mod bvh;
pub mod dual;
pub mod dynamic;
pub mod h8;
pub mod methods;
mod pair_buffer;
mod pair_sort;
mod radix;
pub mod step;
mod tuning;
pub mod upkeep;

pub use boxes::BoxError;
pub use methods::{BroadPhase, Method, PairError, PairOptions};
pub use pair_buffer::CHUNK;
