//! Every method on moving boxes alone, over size, and on mixed frames.

use jostle::broad::{Method, PairOptions};
use jostle::scenes::BoxSceneKind;

use super::Bench;
use crate::args::BoxSource;
use crate::commands::bench::{on_threads, short_count, thread_counts};
use crate::commands::pairs::{Boxes, MethodRun, Outcome, methods_within, run_methods};
use crate::error::CliError;
use crate::report::{Bar, Curve, Figures, Part, Row};

/// Tests a frame that methods which test every pair may take.
const BRUTE_TESTS: f64 = 3e9;

/// A method whose frame at the last size, ten times smaller, took longer is left out.
const SLOWEST_MS: f64 = 80.0;

/// The parts of a frame, in the order of the bars.
pub(super) const FRAME_PARTS: [Part; 2] = [
    Part {
        name: "update",
        colour: [150, 166, 184],
    },
    Part {
        name: "pairs",
        colour: [38, 132, 168],
    },
];

/// Colours of methods, by their place in the list of all.
const COLOURS: [[u8; 3]; 14] = [
    [38, 132, 168],
    [222, 52, 38],
    [246, 150, 60],
    [84, 160, 72],
    [130, 88, 172],
    [120, 80, 60],
    [220, 110, 170],
    [110, 120, 130],
    [180, 180, 40],
    [30, 180, 190],
    [20, 60, 120],
    [150, 30, 60],
    [0, 110, 80],
    [230, 190, 120],
];

/// Curves of one scene.
pub(super) struct Join {
    pub scene: BoxSceneKind,
    pub times: Vec<Curve>,
    pub memory: Vec<Curve>,
}

impl Bench<'_> {
    /// All pairs of boxes that all move, on one thread, every method at every size.
    pub(super) fn self_joins(
        &mut self,
        sizes: &[usize],
        frames: usize,
    ) -> Result<Vec<Join>, CliError> {
        let mut joins = Vec::new();
        for scene in [BoxSceneKind::Uniform, BoxSceneKind::Clustered] {
            let mut join = Join {
                scene,
                times: Vec::new(),
                memory: Vec::new(),
            };
            let mut slow = Vec::new();
            for &boxes in sizes {
                let (mut methods, _) = methods_within(0, boxes, BRUTE_TESTS);
                methods.retain(|method| !slow.contains(method));
                let work = format!("self-join-{scene}-{}", short_count(boxes));
                let outcome = self.work(&work, scene, [0, boxes], &methods, 1, frames)?;
                for run in &outcome.runs {
                    if run.frame_ms.median() > SLOWEST_MS {
                        slow.push(run.method);
                    }
                    let x = boxes as f64;
                    join.add(run.method, x, run);
                }
                for threads in thread_counts(&self.config.common) {
                    if threads > 1 {
                        let methods = [Method::default()];
                        self.work(&work, scene, [0, boxes], &methods, threads, frames)?;
                    }
                }
                self.progress.next_part();
            }
            joins.push(join);
        }
        Ok(joins)
    }

    /// Boxes that move over triangles that do not.
    pub(super) fn mixed(
        &mut self,
        fixed: usize,
        moving: usize,
        frames: usize,
    ) -> Result<Vec<Bar>, CliError> {
        let (methods, _) = methods_within(fixed, moving, BRUTE_TESTS / 10.0);
        let work = format!("mixed-{}-{}", short_count(fixed), short_count(moving));
        let scene = BoxSceneKind::Mixed;
        let mut bars = Vec::new();
        for threads in thread_counts(&self.config.common) {
            let outcome = self.work(&work, scene, [fixed, moving], &methods, threads, frames)?;
            bars.extend(outcome.runs.iter().map(|run| Bar {
                label: format!("{}, {}", run.method, on_threads(threads)),
                parts: vec![run.update_ms.median(), run.query_ms.median()],
            }));
        }
        // One bar that is a hundred times longer than the rest would hide them.
        let fastest = bars.iter().map(length).fold(f64::MAX, f64::min);
        bars.retain(|bar| length(bar) <= 40.0 * fastest);
        self.progress.next_part();
        Ok(bars)
    }

    /// Runs methods side by side and adds a row for each.
    fn work(
        &mut self,
        work: &str,
        kind: BoxSceneKind,
        [fixed, moving]: [usize; 2],
        methods: &[Method],
        threads: usize,
        frames: usize,
    ) -> Result<Outcome, CliError> {
        self.progress.message(work.to_owned());
        let source = BoxSource::Scene {
            kind,
            fixed,
            moving,
        };
        let boxes = Boxes::open(&source, self.config.seed)?;
        let mut options = PairOptions::default();
        options.level = self.config.common.simd.token()?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        let outcome =
            pool.install(|| run_methods(boxes, methods, &options, frames, &self.progress))?;
        for run in &outcome.runs {
            self.rows
                .push(row(work, threads, fixed + moving, run, &outcome));
        }
        Ok(outcome)
    }
}

impl Join {
    fn add(&mut self, method: Method, boxes: f64, run: &MethodRun) {
        let name = method.name();
        let at = Method::ALL.iter().position(|&m| m == method).unwrap_or(0);
        for (curves, y) in [
            (&mut self.times, run.frame_ms.median()),
            (&mut self.memory, run.memory_bytes as f64 / boxes),
        ] {
            match curves.iter_mut().find(|curve| curve.name == name) {
                Some(curve) => curve.points.push((boxes, y)),
                None => curves.push(Curve {
                    name: name.to_owned(),
                    colour: COLOURS[at % COLOURS.len()],
                    guide: false,
                    points: vec![(boxes, y)],
                }),
            }
        }
    }
}

fn length(bar: &Bar) -> f64 {
    bar.parts.iter().sum()
}

fn row(work: &str, threads: usize, boxes: usize, run: &MethodRun, outcome: &Outcome) -> Row {
    // Boxes that were tested against each other and do not overlap, for each pair that does.
    let false_positives = (run.tests - outcome.pairs_mean).max(0.0) / outcome.pairs_mean.max(1.0);
    let figures = Figures::default()
        .with("boxes", boxes)
        .with("pairs", outcome.pairs_mean)
        .with("build_ms", run.build_ms)
        .with("update_ms", run.update_ms.median())
        .with("query_ms", run.query_ms.median())
        .with("frame_p99_ms", run.frame_ms.quantile(0.99))
        .with("memory_bytes", run.memory_bytes)
        .with("box_tests", run.tests)
        .with("false_tests_per_pair", false_positives);
    Row {
        work: work.to_owned(),
        method: format!("{}, {}", run.method, on_threads(threads)),
        ms: run.frame_ms.median(),
        figures,
    }
}
