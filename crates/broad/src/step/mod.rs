//! Candidate pairs of one step of a moving mesh.

mod brute;
mod h8;
mod sample;
mod sweep;

use core::fmt;
use core::ops::ControlFlow;
use core::str::FromStr;

use fearless_simd::Level;
use jostle_geom::{MovingBoxes, PairKind, Topology};
use thiserror::Error;

use crate::h8::Nodes;
pub use crate::pair_buffer::CHUNK;
use crate::pair_buffer::PairBuffer;

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

/// Where the candidates of a task are collected before they are handed on; reused between tasks.
#[derive(Debug, Default)]
pub struct Scratch {
    buffer: PairBuffer,
    nodes: Nodes,
}

/// Takes chunks of candidates, and may ask to stop.
pub type Sink<'a> = &'a mut dyn FnMut(PairKind, &[[u32; 2]]) -> ControlFlow<()>;

/// A broad phase prepared for one step: vertex–face and edge–edge candidates, never sharing a
/// vertex.
///
/// The work is cut into tasks whose number and content depend on the boxes alone, never on the
/// number of threads. Each candidate comes from exactly one task; the vertex–face tasks come
/// first.
#[derive(Debug)]
pub struct StepBroadPhase {
    level: Level,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    H8(Box<h8::H8Step>),
    Sweep(Box<sweep::SweepStep>),
    Brute(Box<brute::BruteStep>),
}

impl StepBroadPhase {
    /// Prepares the boxes of a step. They must be those of a mesh of this topology, as
    /// [`MovingBoxes::compute`] makes them: neither inverted nor NaN.
    ///
    /// Cost: O(n) for `h8` and `sweep`, a copy for `brute`. Parallel with the `parallel` feature.
    ///
    /// # Panics
    /// When there are not as many boxes as the topology says.
    pub fn build(
        method: StepMethod,
        topology: &Topology,
        boxes: &MovingBoxes,
        level: Level,
    ) -> Self {
        check_counts(topology, boxes);
        let phase = match method {
            StepMethod::H8 => Phase::H8(Box::new(h8::H8Step::build(topology, boxes, level))),
            StepMethod::Sweep => Phase::Sweep(Box::new(sweep::SweepStep::build(topology, boxes))),
            StepMethod::Brute => Phase::Brute(Box::new(brute::BruteStep::build(boxes))),
        };
        Self { level, phase }
    }

    /// Takes new boxes of the same mesh, keeping the order of the old ones where that is cheaper.
    /// The candidates are those of the new boxes whatever the old ones were.
    ///
    /// # Panics
    /// When there are not as many boxes as the topology says.
    pub fn refit(&mut self, topology: &Topology, boxes: &MovingBoxes) {
        check_counts(topology, boxes);
        match &mut self.phase {
            Phase::H8(step) => step.refit(topology, boxes, self.level),
            Phase::Sweep(step) => **step = sweep::SweepStep::build(topology, boxes),
            Phase::Brute(step) => **step = brute::BruteStep::build(boxes),
        }
    }

    /// Number of independent tasks.
    pub fn task_count(&self) -> usize {
        match &self.phase {
            Phase::H8(step) => step.task_count(),
            Phase::Sweep(step) => step.task_count(),
            Phase::Brute(step) => step.task_count(),
        }
    }

    /// Hands the candidates of a task to `sink` in chunks of one kind and of at most [`CHUNK`]
    /// pairs, in an order that depends on the boxes alone. Pairs are `[vertex, face]` indices, or
    /// `[edge, edge]` with the smaller index first. A task beyond the last one has no candidates.
    pub fn run_task(
        &self,
        topology: &Topology,
        task: usize,
        scratch: &mut Scratch,
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        if task >= self.task_count() {
            return ControlFlow::Continue(());
        }
        scratch.buffer.clear();
        match &self.phase {
            Phase::H8(step) => step.run_task(task, self.level, scratch, sink),
            Phase::Sweep(step) => step.run_task(task, self.level, &mut scratch.buffer, sink),
            Phase::Brute(step) => step.run_task(topology, task, &mut scratch.buffer, sink),
        }
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
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        scratch.buffer.clear();
        let chosen = sample::Chosen::new(topology, one_in);
        match &self.phase {
            Phase::H8(step) => step.sample(topology, boxes, &chosen, self.level, scratch, sink),
            Phase::Sweep(step) => {
                let sample = step.choose(topology, boxes, &chosen);
                step.sample(&sample, self.level, &mut scratch.buffer, sink)
            }
            Phase::Brute(step) => step.sample(topology, &chosen, &mut scratch.buffer, sink),
        }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        match &self.phase {
            Phase::H8(step) => step.memory_bytes(),
            Phase::Sweep(step) => step.memory_bytes(),
            Phase::Brute(step) => step.memory_bytes(),
        }
    }
}

fn check_counts(topology: &Topology, boxes: &MovingBoxes) {
    assert_eq!(
        boxes.vertices.len(),
        topology.vertex_count(),
        "vertex boxes"
    );
    assert_eq!(boxes.edges.len(), topology.edges().len(), "edge boxes");
    assert_eq!(boxes.faces.len(), topology.faces().len(), "face boxes");
}
