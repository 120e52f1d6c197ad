//! Runs methods side by side, frame by frame.

use std::time::Instant;

use jostle::broad::{BroadPhase, Method, PairError, PairOptions};
use jostle::ccd::step::Observer;
use jostle::scenes::Fnv;

use super::scene::Boxes;
use crate::commands::times::Times;
use crate::error::CliError;
use crate::progress::Progress;

/// What a method took. Counts are means a frame.
pub(crate) struct MethodRun {
    pub method: Method,
    pub build_ms: f64,
    pub update_ms: Times,
    pub query_ms: Times,
    pub frame_ms: Times,
    pub nodes: f64,
    pub tests: f64,
    pub treelets: f64,
    pub sah_cost: Option<f64>,
    /// The most of any frame.
    pub memory_bytes: usize,
}

/// A run of several methods that agreed.
pub(crate) struct Outcome {
    pub scene: String,
    pub pairs_last: usize,
    pub pairs_mean: f64,
    /// Over the sorted pairs of all frames.
    pub hash: String,
    /// In the order of the methods asked for.
    pub runs: Vec<MethodRun>,
}

/// The methods that take at most `tests` tests a frame when they test every pair, and the others.
pub(crate) fn methods_within(
    fixed: usize,
    moving: usize,
    tests: f64,
) -> (Vec<Method>, Vec<Method>) {
    let (fixed, moving) = (fixed as f64, moving as f64);
    let all = moving * (fixed + moving / 2.0);
    Method::ALL
        .into_iter()
        .partition(|method| !method.tests_every_pair() || all <= tests)
}

/// Runs methods on the same frames and checks after each frame that they report the same pairs.
/// Building, updating and finding pairs are timed, sorting and comparing are not.
pub(crate) fn run_methods(
    mut boxes: Boxes,
    methods: &[Method],
    options: &PairOptions,
    frames: usize,
    progress: &Progress,
) -> Result<Outcome, CliError> {
    let mut hash = Fnv::default();
    let mut pairs_sum = 0;
    let mut started = Vec::with_capacity(methods.len());
    for &method in methods {
        progress.message(format!("building {method}"));
        let failed = failure(method, 0);
        let mut phase = method.start(options);
        let clock = Instant::now();
        phase
            .build(boxes.fixed(), boxes.moving())
            .map_err(|error| failed(error.into()))?;
        let build_ms = elapsed_ms(clock);
        started.push(Started::new(phase, method, build_ms));
    }

    let mut first = Vec::new();
    let mut other = Vec::new();
    for frame in 1..=frames {
        boxes.advance();
        for (index, started) in started.iter_mut().enumerate() {
            let pairs = if index == 0 { &mut first } else { &mut other };
            progress.message(format!("frame {frame} of {frames}, {}", started.run.method));
            started.frame(frame, &boxes, pairs)?;
            pairs.sort_unstable();
            if index > 0 && first != other {
                return Err(CliError::Disagree {
                    frame,
                    method: methods[0],
                    other: methods[index],
                    what: first_difference(&first, &other),
                });
            }
        }
        pairs_sum += first.len();
        hash.eat(&(first.len() as u64).to_le_bytes());
        for &[a, b] in &first {
            hash.eat(&(u64::from(a) << 32 | u64::from(b)).to_le_bytes());
        }
        progress.progress(frame as f64 / frames as f64);
    }
    Ok(Outcome {
        scene: boxes.name(),
        pairs_last: first.len(),
        pairs_mean: pairs_sum as f64 / frames as f64,
        hash: format!("{:016x}", hash.value()),
        runs: started
            .into_iter()
            .map(|started| started.finish(frames))
            .collect(),
    })
}

/// A method at work.
struct Started {
    phase: Box<dyn BroadPhase>,
    run: MethodRun,
}

impl Started {
    fn new(phase: Box<dyn BroadPhase>, method: Method, build_ms: f64) -> Self {
        let run = MethodRun {
            method,
            build_ms,
            update_ms: Times::default(),
            query_ms: Times::default(),
            frame_ms: Times::default(),
            nodes: 0.0,
            tests: 0.0,
            treelets: 0.0,
            sah_cost: phase.sah_cost(),
            memory_bytes: phase.memory_bytes(),
        };
        Self { phase, run }
    }

    fn frame(
        &mut self,
        frame: usize,
        boxes: &Boxes,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<(), CliError> {
        let failed = failure(self.run.method, frame);
        pairs.clear();
        let clock = Instant::now();
        let updated = self.phase.update(boxes.moving());
        let update_ms = elapsed_ms(clock);
        updated.map_err(|error| failed(error.into()))?;
        let found = self.phase.append_pairs(pairs);
        let frame_ms = elapsed_ms(clock);
        let counters = found.map_err(failed)?;
        let run = &mut self.run;
        run.update_ms.push(update_ms);
        run.query_ms.push(frame_ms - update_ms);
        run.frame_ms.push(frame_ms);
        run.nodes += counters.nodes as f64;
        run.tests += counters.tests as f64;
        run.treelets += self.phase.rebuilt_treelets() as f64;
        run.memory_bytes = run.memory_bytes.max(self.phase.memory_bytes());
        Ok(())
    }

    /// Sums become means.
    fn finish(self, frames: usize) -> MethodRun {
        let mut run = self.run;
        for sum in [&mut run.nodes, &mut run.tests, &mut run.treelets] {
            *sum /= frames as f64;
        }
        run
    }
}

fn failure(method: Method, frame: usize) -> impl Fn(PairError) -> CliError {
    move |error| CliError::Pairs {
        method,
        frame,
        error,
    }
}

fn elapsed_ms(clock: Instant) -> f64 {
    clock.elapsed().as_secs_f64() * 1e3
}

/// The first pair that one of two sorted lists has and the other has not.
fn first_difference(a: &[[u32; 2]], b: &[[u32; 2]]) -> String {
    let at = a.iter().zip(b).position(|(a, b)| a != b);
    let at = at.unwrap_or(a.len().min(b.len()));
    let name = |pair: Option<&[u32; 2]>| pair.map_or("nothing".to_owned(), |p| format!("{p:?}"));
    format!(
        "pair {at} is {} and {}; {} and {} pairs in all",
        name(a.get(at)),
        name(b.get(at)),
        a.len(),
        b.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named() {
        let text = first_difference(&[[0, 1], [2, 3]], &[[0, 1]]);
        assert!(text.contains("pair 1 is [2, 3] and nothing"), "{text}");
    }
}
