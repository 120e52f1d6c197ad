//! Signs and intersections that are never wrong: what kernels fall back to where rounding leaves a
//! test in doubt, and what decides faces of a mesh.

mod predicates;
mod sums;
mod triangles;

pub use predicates::Points;
pub(crate) use sums::sign_of_sum;
pub use triangles::triangles_intersect;
