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

/// Delivers all candidates in one array of each kind, as peers do.
pub fn collect(phase: &StepBroadPhase, topology: &Topology) -> Collected {
    let tasks: Vec<Collected> = (0..phase.task_count())
        .into_par_iter()
        .map_init(Scratch::default, |scratch, task| {
            let mut found = Collected::default();
            let _ = phase.run_task(topology, task, scratch, &mut |kind, pairs| {
                match kind {
                    PairKind::VertexFace => found.vf.extend_from_slice(pairs),
                    PairKind::EdgeEdge => found.ee.extend_from_slice(pairs),
                }
                ControlFlow::Continue(())
            });
            found
        })
        .collect();
    Collected {
        vf: concatenate(&tasks, |task| &task.vf),
        ee: concatenate(&tasks, |task| &task.ee),
    }
}

/// One array out of those of the tasks; copied, and its fresh pages touched, in parallel.
fn concatenate(
    tasks: &[Collected],
    part: impl Fn(&Collected) -> &Vec<[u32; 2]> + Sync,
) -> Vec<[u32; 2]> {
    let total = tasks.iter().map(|task| part(task).len()).sum();
    let mut all = vec![[0; 2]; total];
    let mut rest = all.as_mut_slice();
    let mut copies = Vec::with_capacity(tasks.len());
    for task in tasks {
        let source = part(task);
        let (target, after) = rest.split_at_mut(source.len());
        copies.push((target, source));
        rest = after;
    }
    copies
        .into_par_iter()
        .for_each(|(target, source)| target.copy_from_slice(source));
    all
}
