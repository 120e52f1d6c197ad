//! All candidates of a prepared step, on the threads of the current pool.

use std::ops::ControlFlow;

use jostle::broad::step::{Scratch, StepBroadPhase};
use jostle::geom::{PairKind, Topology};
use rayon::prelude::*;

/// Numbers of candidates by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Vertex–face.
    pub vf: usize,
    /// Edge–edge.
    pub ee: usize,
}

/// Candidates in memory, in the order of the tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// `[vertex, face]`.
    pub vf: Vec<[u32; 2]>,
    /// `[edge, edge]`.
    pub ee: Vec<[u32; 2]>,
}

impl Collected {
    /// How many there are.
    pub fn counts(&self) -> Counts {
        Counts {
            vf: self.vf.len(),
            ee: self.ee.len(),
        }
    }
}

/// Hands all candidates on in chunks to a consumer that only counts them.
pub fn stream(phase: &StepBroadPhase, topology: &Topology) -> Counts {
    (0..phase.task_count())
        .into_par_iter()
        .map_init(Scratch::default, |scratch, task| {
            let mut counts = Counts::default();
            let _ = phase.run_task(topology, task, scratch, &mut |kind, pairs| {
                match kind {
                    PairKind::VertexFace => counts.vf += pairs.len(),
                    PairKind::EdgeEdge => counts.ee += pairs.len(),
                }
                // What is not looked at might as well not have been written.
                std::hint::black_box(pairs);
                ControlFlow::Continue(())
            });
            counts
        })
        .reduce(Counts::default, |a, b| Counts {
            vf: a.vf + b.vf,
            ee: a.ee + b.ee,
        })
}

/// How many tasks are gathered at a time: few enough for their candidates to stay in the cache
/// until they are appended, many enough to keep some threads busy.
const WAVE: usize = 16;

/// Delivers all candidates in one array of each kind, as peers do, in place of what `all` held.
/// Memory that `all` has already is used again.
///
/// Tasks are gathered into buffers that are used again, because the first touch of fresh memory
/// costs as much as finding what is written there; while one wave is appended in the order of its
/// tasks, the next is gathered.
pub fn collect(phase: &StepBroadPhase, topology: &Topology, all: &mut Collected) {
    all.vf.clear();
    all.ee.clear();
    let mut full = vec![Collected::default(); WAVE];
    let mut next = full.clone();
    for first in (0..phase.task_count()).step_by(WAVE) {
        rayon::join(
            || append(all, &full),
            || gather(phase, topology, first, &mut next),
        );
        std::mem::swap(&mut full, &mut next);
    }
    append(all, &full);
}

/// Fills `wave` with the candidates of the tasks from `first` on.
fn gather(phase: &StepBroadPhase, topology: &Topology, first: usize, wave: &mut [Collected]) {
    wave.par_iter_mut()
        .enumerate()
        .for_each_init(Scratch::default, |scratch, (i, found)| {
            found.vf.clear();
            found.ee.clear();
            if first + i >= phase.task_count() {
                return;
            }
            let _ = phase.run_task(topology, first + i, scratch, &mut |kind, pairs| {
                match kind {
                    PairKind::VertexFace => found.vf.extend_from_slice(pairs),
                    PairKind::EdgeEdge => found.ee.extend_from_slice(pairs),
                }
                ControlFlow::Continue(())
            });
        });
}

fn append(all: &mut Collected, wave: &[Collected]) {
    for found in wave {
        all.vf.extend_from_slice(&found.vf);
        all.ee.extend_from_slice(&found.ee);
    }
}
