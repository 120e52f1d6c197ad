//! What a step is asked for and what it came to.

use jostle_broad::step::StepMethod;
use jostle_geom::{MotionError, PairKind};
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

impl Hit {
    /// The order in which the earliest hit is chosen: time, then kind, then indices.
    pub(super) fn is_before(&self, other: &Self) -> bool {
        let key = |hit: &Self| (hit.kind, hit.a, hit.b);
        self.toi < other.toi || (self.toi == other.toi && key(self) < key(other))
    }
}

/// The candidates of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// `[vertex, face]` indices.
    pub vf: Vec<[u32; 2]>,
    /// `[edge, edge]` indices, smaller first.
    pub ee: Vec<[u32; 2]>,
}

impl Candidates {
    /// Sorts both lists, so that those of different methods can be compared.
    pub fn sort(&mut self) {
        self.vf.sort_unstable();
        self.ee.sort_unstable();
    }
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
