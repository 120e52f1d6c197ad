//! A step length that keeps every pair apart, for line searches.

use jostle_broad::step::StepMethod;
use jostle_geom::MovingMesh;
use jostle_simd::SimdLevel;

use super::rule::Rule;
use super::types::{Hit, Observer, StepError, StepOptions, StepReport};
use crate::{QueryError, QueryOptions};

/// What a step may come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionFreeOptions {
    /// The share of its distance at the start that every pair has to keep, in (0, 1). Default 0.2.
    pub fraction: f64,
    /// Which broad phase. Default `h8`.
    pub broad_phase: StepMethod,
    /// Bytes that the step may use above what the mesh itself takes; `None` for no limit.
    pub memory_limit: Option<u64>,
    /// SIMD level. Default `Auto`.
    pub simd: SimdLevel,
}

impl Default for CollisionFreeOptions {
    fn default() -> Self {
        Self {
            fraction: 0.2,
            broad_phase: StepMethod::default(),
            memory_limit: None,
            simd: SimdLevel::default(),
        }
    }
}

/// How far a motion may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionFreeStep {
    /// Share of the motion, in `[0, 1]`. 0 only when two primitives touch at the start, or the
    /// exact step is below the smallest positive double.
    pub step: f64,
    /// The pair that limits it, with the step as its `toi`; `None` when all of the motion is free.
    pub limited_by: Option<Hit>,
    /// How it was found.
    pub report: StepReport,
}

/// The longest step that keeps every pair of primitives at least a fraction of its distance at the
/// start apart, as line searches of barrier methods need it.
///
/// Never beyond the exact longest such step, and close to it (the distance at the start is taken
/// up to a relative 10⁻⁶ too large); never zero when nothing touches at the start.
///
/// # Errors
/// A fraction outside (0, 1); else as [`earliest_impact`](super::earliest_impact).
pub fn collision_free_step(
    mesh: &MovingMesh<'_>,
    options: &CollisionFreeOptions,
    observer: &dyn Observer,
) -> Result<CollisionFreeStep, StepError> {
    let CollisionFreeOptions {
        fraction,
        broad_phase,
        memory_limit,
        simd,
    } = *options;
    if !(fraction > 0.0 && fraction < 1.0) {
        return Err(QueryError::Option {
            name: "fraction",
            value: fraction,
        }
        .into());
    }
    let options = StepOptions {
        broad_phase,
        memory_limit,
        simd,
        query: QueryOptions::default(),
        ..StepOptions::default()
    };
    let report = super::earliest(mesh, &options, Rule::Fraction(fraction), observer)?;
    Ok(CollisionFreeStep {
        step: report.first.map_or(1.0, |hit| hit.toi),
        limited_by: report.first,
        report,
    })
}
