//! Rounding `f64` to `f32` in one direction.
//!
//! This is the one boundary between the two precisions: world boxes are `f32`, positions are
//! `f64`.

pub use jostle_simd::rounding::{down, up};
