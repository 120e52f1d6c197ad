//! The earliest time of impact of a whole mesh step.

use jostle_broad::step::StepMethod;
use jostle_geom::{MotionError, MovingMesh, PairKind};
use jostle_simd::{SimdLevel, UnsupportedLevel};
use thiserror::Error;

use crate::{Counters, NarrowPhase, QueryError, QueryOptions};

/// How a step is worked on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepOptions {
    /// Which broad phase. Default `h8`.
    pub broad_phase: StepMethod,
    /// Which narrow phase. Default `separating`.
    pub narrow_phase: NarrowPhase,
    /// What each query is asked for.
    pub query: QueryOptions,
    /// Bytes that the step may use above what the mesh itself takes; `None` for no limit.
    pub memory_limit: Option<u64>,
    /// SIMD level. Default `Auto`.
    pub simd: SimdLevel,
}

/// A pair that collides or is undecided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Vertex–face or edge–edge.
    pub kind: PairKind,
    /// Index of the vertex, or of the smaller edge.
    pub a: u32,
    /// Index of the face, or of the larger edge.
    pub b: u32,
    /// Lower bound of the exact time of impact.
    pub toi: f64,
    /// Whether the budget ended before the answer.
    pub undecided: bool,
}

/// Numbers of candidates by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CandidateCounts {
    /// Vertex–face.
    pub vf: u64,
    /// Edge–edge.
    pub ee: u64,
}

/// Numbers of batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchCounts {
    /// Batches of boxes whose candidates were sought together.
    pub broad: u64,
    /// Batches of candidates solved together.
    pub narrow: u64,
}

/// Nanoseconds spent, by the observer's clock; all zero without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepTimes {
    /// Boxes of the motion.
    pub boxes_ns: u64,
    /// Building trees and finding candidates.
    pub broad_ns: u64,
    /// Solving candidates.
    pub narrow_ns: u64,
    /// All of it.
    pub total_ns: u64,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// The earliest hit; ties go to vertex–face, then to the smaller indices. `None` when the
    /// whole step is free.
    pub first: Option<Hit>,
    /// Candidates of the boxes that the narrow phase was given.
    pub candidates: CandidateCounts,
    /// Batches they came in.
    pub batches: BatchCounts,
    /// What the narrow phase cost.
    pub counters: Counters,
    /// Where the time went.
    pub times: StepTimes,
}

/// The candidates of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// `[vertex, face]` indices, sorted.
    pub vf: Vec<[u32; 2]>,
    /// `[edge, edge]` indices, smaller first, sorted.
    pub ee: Vec<[u32; 2]>,
}

/// Watches a step: libraries read no clock and draw no bar.
pub trait Observer: Sync {
    /// Nanoseconds since any fixed moment.
    fn now_ns(&self) -> u64 {
        0
    }

    /// Told now and then how much of the step is done, from 0 to 1. May be called from any thread.
    fn progress(&self, done: f64) {
        let _ = done;
    }
}

/// Watches nothing.
impl Observer for () {}

/// Why a step was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// An option is out of range.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The frames do not fit each other.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The SIMD level is not available.
    #[error(transparent)]
    Simd(#[from] UnsupportedLevel),
    /// The memory limit does not hold the boxes and one batch of candidates.
    #[error(
        "a memory limit of {limit} bytes is too small: the boxes and one batch of candidates need {needed}"
    )]
    MemoryLimit {
        /// The limit.
        limit: u64,
        /// What is needed at least.
        needed: u64,
    },
}

/// The earliest time of impact of a step.
///
/// # Errors
/// Options out of range, a SIMD level this machine lacks, a memory limit too small for one batch.
pub fn earliest_impact(
    mesh: &MovingMesh<'_>,
    options: &StepOptions,
    observer: &dyn Observer,
) -> Result<StepReport, StepError> {
    let _ = (mesh, options, observer);
    todo!()
}

/// A time of impact for every candidate: the hits, sorted by kind and indices.
///
/// # Errors
/// As [`earliest_impact`].
pub fn all_impacts(
    mesh: &MovingMesh<'_>,
    options: &StepOptions,
    observer: &dyn Observer,
) -> Result<(StepReport, Vec<Hit>), StepError> {
    let _ = (mesh, options, observer);
    todo!()
}

/// All candidates of the boxes of a step.
///
/// # Errors
/// As [`earliest_impact`].
pub fn candidates(
    mesh: &MovingMesh<'_>,
    options: &StepOptions,
    observer: &dyn Observer,
) -> Result<Candidates, StepError> {
    let _ = (mesh, options, observer);
    todo!()
}
