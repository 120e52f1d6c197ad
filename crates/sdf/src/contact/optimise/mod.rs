//! Minimisers of the objective, eight points at a time.

mod projected;

use fearless_simd::{f32x8, mask32x8, prelude::*};
use jostle_simd::lanes::V3;

use super::objective::Objective;
use super::{ContactOptions, ContactStats, Optimizer};

/// Where eight points start.
#[derive(Clone, Copy)]
pub(super) struct Start<S: Simd> {
    pub x: V3<f32x8<S>>,
    /// The lanes that are to move; the others stay and repel.
    pub live: mask32x8<S>,
    /// How far a cached point came with the bodies, m; negative for a new one.
    pub way: f32x8<S>,
    /// All lengths of the options are to be multiplied by this.
    pub unit: f32,
}

/// Moves the live lanes to minima of the objective.
#[inline(always)]
pub(super) fn minimise<S: Simd>(
    objective: &Objective<'_, S>,
    start: Start<S>,
    options: &ContactOptions,
    stats: &mut ContactStats,
) -> V3<f32x8<S>> {
    match options.optimizer {
        Optimizer::Projected => projected::minimise(objective, start, options, stats),
        _ => projected::minimise(objective, start, options, stats),
    }
}
