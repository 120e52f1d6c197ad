//! Which boxes overlap: the broad phases of the Jostle collision engine.
//!
//! - [`step`]: vertex–face and edge–edge candidates of one step of a moving mesh, by any of three
//!   methods that report the same set.
//! - [`h8`]: the Hilbert tree of eights over any boxes; [`h8::self_pairs`] and
//!   [`h8::pairs_between`] take boxes and return pairs.
//! - [`brute`]: the same two functions by testing every pair, to compare with.
//!
//! Boxes are closed: two that only touch are a pair.

mod boxes;
pub mod brute;
pub mod h8;
mod pair_buffer;
mod radix;
pub mod step;
mod tuning;

pub use boxes::BoxError;
pub use pair_buffer::CHUNK;
