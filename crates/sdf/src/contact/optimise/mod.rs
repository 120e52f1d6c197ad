//! Minimisers of the objective, eight points at a time.

mod descent;
mod ellipsoid;
mod nelder_mead;
mod projected;

use fearless_simd::{f32x8, mask32x8};
use jostle_simd::lanes::V3;

use super::objective::{LANES, Objective};
use super::{ContactOptions, ContactStats, Optimizer};
use crate::level::Lanes;

/// Where eight points start.
#[derive(Clone, Copy)]
pub(super) struct Start<S: Lanes> {
    pub x: V3<f32x8<S>>,
    /// The lanes that are to move; the others stay and repel.
    pub live: mask32x8<S>,
    /// How far a cached point came with the bodies, m; negative for a new one.
    pub way: f32x8<S>,
    /// All lengths of the options are to be multiplied by this.
    pub unit: f32,
    /// Whether the bodies move against each other.
    pub moving: bool,
    /// What the random numbers of the batch come from.
    pub key: u32,
}

/// The ellipsoid {y : (y − x)ᵀ E⁻¹ (y − x) ≤ 1} that an optimiser has left around a point: the entries xx, yy, zz, xy,
/// xz, yz of E, m². Zero where there is none.
pub(super) type Ellipsoid = [f32; 6];

/// Moves the live lanes to minima of the objective.
///
/// `ellipsoids` are those of the lanes, read and written by the method of that name only.
#[inline(never)]
pub(super) fn minimise<S: Lanes>(
    objective: &Objective<'_, S>,
    start: &Start<S>,
    options: &ContactOptions,
    ellipsoids: &mut [Ellipsoid; LANES],
    stats: &mut ContactStats,
) -> V3<f32x8<S>> {
    objective.simd.vectorize(
        #[inline(always)]
        || match options.optimizer {
            Optimizer::Projected => projected::minimise(objective, start, options, stats),
            Optimizer::NelderMead => nelder_mead::minimise(objective, start, options, stats),
            Optimizer::Ellipsoid => {
                ellipsoid::minimise(objective, start, options, ellipsoids, stats)
            }
            Optimizer::GradientDescent => descent::minimise(objective, start, options, stats),
        },
    )
}
