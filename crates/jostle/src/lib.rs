//! A collision engine that never misses: one name for all its crates.

pub use jostle_broad as broad;
pub use jostle_ccd as ccd;
pub use jostle_geom as geom;
pub use jostle_io as io;
pub use jostle_scenes as scenes;
pub use jostle_simd as simd;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
