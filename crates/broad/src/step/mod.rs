//! Candidate pairs of one step of a moving mesh.

use core::fmt;
use core::ops::ControlFlow;
use core::str::FromStr;

use fearless_simd::Level;
use jostle_geom::{MovingBoxes, PairKind, Topology};
use thiserror::Error;

/// The broad phases for steps. All report the same set of candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepMethod {
    /// The Hilbert tree of eights.
    #[default]
    H8,
    /// Sort along the axis of largest variance and sweep.
    Sweep,
    /// Every pair.
    Brute,
}

impl StepMethod {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::H8, Self::Sweep, Self::Brute];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::H8 => "h8",
            Self::Sweep => "sweep",
            Self::Brute => "brute",
        }
    }
}

impl fmt::Display for StepMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for StepMethod {
    type Err = UnknownStepMethod;

    fn from_str(name: &str) -> Result<Self, UnknownStepMethod> {
        Self::ALL
            .into_iter()
            .find(|method| method.name() == name)
            .ok_or_else(|| UnknownStepMethod(name.to_owned()))
    }
}

/// A broad-phase name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown broad phase {0:?}: one of h8, sweep, brute")]
pub struct UnknownStepMethod(pub String);

/// How many pairs a chunk holds at most.
pub const CHUNK: usize = 4096;

/// Where the candidates of a task are collected before they are handed on; reused between tasks.
#[derive(Debug, Default)]
pub struct Scratch {}

/// A broad phase prepared for one step: vertex–face and edge–edge candidates, never sharing a
/// vertex.
///
/// The work is cut into tasks whose number and content depend on the boxes alone, never on the
/// number of threads. Each candidate comes from exactly one task.
#[derive(Debug)]
pub struct StepBroadPhase {}

impl StepBroadPhase {
    /// Prepares the boxes of a step.
    pub fn build(
        method: StepMethod,
        topology: &Topology,
        boxes: &MovingBoxes,
        level: Level,
    ) -> Self {
        let _ = (method, topology, boxes, level);
        todo!()
    }

    /// Takes new boxes of the same mesh, keeping the order of the old ones where that is cheaper.
    /// The candidates are those of the new boxes whatever the old ones were.
    pub fn refit(&mut self, topology: &Topology, boxes: &MovingBoxes) {
        let _ = (topology, boxes);
        todo!()
    }

    /// Number of independent tasks.
    pub fn task_count(&self) -> usize {
        todo!()
    }

    /// Hands the candidates of a task to `sink` in chunks of one kind and of at most [`CHUNK`]
    /// pairs, in an order that depends on the boxes alone. Pairs are `[vertex, face]` indices, or
    /// `[edge, edge]` with the smaller index first.
    pub fn run_task(
        &self,
        topology: &Topology,
        task: usize,
        scratch: &mut Scratch,
        sink: &mut dyn FnMut(PairKind, &[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let _ = (topology, task, scratch, sink);
        todo!()
    }

    /// Hands on the candidates of a sample of the primitives: those with a vertex, or at least one
    /// edge, whose index is chosen by a fixed hash with odds of one in `one_in`. The set depends on
    /// the boxes alone, not on the method; an edge–edge candidate may come twice.
    pub fn sample(
        &self,
        topology: &Topology,
        boxes: &MovingBoxes,
        one_in: u32,
        scratch: &mut Scratch,
        sink: &mut dyn FnMut(PairKind, &[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let _ = (topology, boxes, one_in, scratch, sink);
        todo!()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        todo!()
    }
}
