//! Kernels: tests over whole batches, entered once a batch with the token of a level.
//!
//! Each file holds a test over single items, the wide version of it, and the reason why both give the
//! same bits.

pub mod aabb_aabb;
mod lanes;
pub mod plane_aabb;
pub mod point_aabb;
pub mod ray_aabb;
pub mod ray_triangle;
mod reach;
pub mod segment_aabb;
pub mod sphere_aabb;
pub mod sphere_sphere;
mod sweep;
pub mod triangle_triangle;
pub mod volume_aabb;

use thiserror::Error;

/// Why a kernel cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A pairwise kernel was given batches of different lengths.
    #[error("pairwise tests need batches of one length: {left} elements against {right}")]
    Lengths {
        /// Elements of the first batch.
        left: usize,
        /// Elements of the second one.
        right: usize,
    },
}

impl KernelError {
    /// The error of two batches whose lengths differ.
    #[inline]
    pub(crate) const fn same_lengths(left: usize, right: usize) -> Result<(), Self> {
        if left == right {
            Ok(())
        } else {
            Err(Self::Lengths { left, right })
        }
    }
}
