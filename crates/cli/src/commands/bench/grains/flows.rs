//! Runs a flow in several ways at once.

use jostle::dynamics::{FlowOptions, FlowReport};
use jostle::scenes::grains::GrainSceneKind;
use jostle::simd::SimdLevel;
use rayon::ThreadPool;

use super::{Bench, Frames};
use crate::commands::bench::{on_threads, short_count, thread_counts};
use crate::commands::sim::Flow;
use crate::error::CliError;
use crate::report::{Bar, Curve, Figures, Row};

/// From this size on, memory has room for few copies of a flow.
const LARGE: usize = 1_000_000;

/// Colours of the ways to run a flow.
const COLOURS: [[u8; 3]; 6] = [
    [38, 132, 168],
    [222, 52, 38],
    [246, 150, 60],
    [84, 160, 72],
    [130, 88, 172],
    [120, 80, 60],
];

/// A way to run a flow.
struct Way {
    simd: SimdLevel,
    threads: usize,
    pool: ThreadPool,
}

impl Way {
    fn new(simd: SimdLevel, threads: usize) -> Result<Self, CliError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        Ok(Self {
            simd,
            threads,
            pool,
        })
    }

    fn name(&self) -> String {
        format!("{}, {}", self.simd, on_threads(self.threads))
    }
}

/// What a way came to.
struct Ran {
    way: Way,
    flow: Flow,
}

impl Bench<'_> {
    /// The hopper at every size: the level asked for on every number of threads, the other levels on one.
    pub(super) fn growth(
        &mut self,
        sizes: &[usize],
        frames: impl Fn(usize) -> Frames,
    ) -> Result<Vec<Curve>, CliError> {
        let mut curves: Vec<Curve> = Vec::new();
        for &grains in sizes {
            let mut ways = self.on_all_threads()?;
            if grains < LARGE {
                for level in SimdLevel::available() {
                    if level != self.config.common.simd {
                        ways.push(Way::new(level, 1)?);
                    }
                }
            }
            for ran in self.work(GrainSceneKind::Hopper, grains, ways, frames(grains))? {
                let name = ran.way.name();
                let point = (grains as f64, ran.flow.times.step.median());
                match curves.iter_mut().find(|curve| curve.name == name) {
                    Some(curve) => curve.points.push(point),
                    None => curves.push(Curve {
                        name,
                        colour: COLOURS[curves.len() % COLOURS.len()],
                        guide: false,
                        points: vec![point],
                    }),
                }
            }
        }
        Ok(curves)
    }

    /// Every scene.
    pub(super) fn scenes(&mut self, grains: usize, frames: Frames) -> Result<Vec<Bar>, CliError> {
        let mut bars = Vec::new();
        for scene in GrainSceneKind::ALL {
            let ways = self.on_all_threads()?;
            let ran = self.work(scene, grains, ways, frames)?;
            bars.extend(ran.iter().map(|ran| Bar {
                label: format!("{}, {}", scene.name(), on_threads(ran.way.threads)),
                parts: vec![ran.flow.times.broad.median(), ran.flow.times.solve.median()],
            }));
        }
        Ok(bars)
    }

    /// The level asked for, on every number of threads.
    fn on_all_threads(&self) -> Result<Vec<Way>, CliError> {
        let common = &self.config.common;
        let counts = thread_counts(common).into_iter();
        counts.map(|n| Way::new(common.simd, n)).collect()
    }

    /// Runs a scene in several ways side by side, checks that they agree and adds a row for each.
    fn work(
        &mut self,
        scene: GrainSceneKind,
        grains: usize,
        ways: Vec<Way>,
        frames: Frames,
    ) -> Result<Vec<Ran>, CliError> {
        let work = format!("{}-{}", scene.name(), short_count(grains));
        self.progress.message(work.clone());
        let built = scene.with_grains(grains, self.config.seed)?;
        let options = FlowOptions {
            level: self.config.common.simd.token()?,
            ..FlowOptions::default()
        };
        let mut first = Flow::new(&built, &options)?;
        drop(built);
        // The pool with the most threads is the last of its level.
        let widest = ways.iter().max_by_key(|way| way.threads);
        let warm = || (0..frames.warm).try_for_each(|_| first.step().map(drop));
        match widest {
            Some(way) => way.pool.install(warm)?,
            None => return Ok(Vec::new()),
        }
        let report = first.grains.report();
        let mut ran = Vec::with_capacity(ways.len());
        for way in ways {
            let mut flow = Flow::from(first.grains.clone());
            flow.grains.set_level(way.simd.token()?);
            ran.push(Ran { way, flow });
        }
        drop(first);
        for _ in 0..frames.timed {
            for Ran { way, flow } in &mut ran {
                way.pool.install(|| flow.step().map(drop))?;
            }
        }
        check_equal(&work, &ran)?;
        let row = |one: &Ran| Row {
            work: work.clone(),
            method: one.way.name(),
            ms: one.flow.times.step.median(),
            figures: figures(one, &ran, grains, frames, &report),
        };
        self.rows.extend(ran.iter().map(row));
        self.progress.next_part();
        Ok(ran)
    }
}

/// All ways must end in the same state.
fn check_equal(work: &str, ran: &[Ran]) -> Result<(), CliError> {
    let hashes: Vec<_> = ran.iter().map(|ran| ran.flow.grains.state_hash()).collect();
    let differs = hashes.iter().position(|hash| *hash != hashes[0]);
    differs.map_or(Ok(()), |at| {
        Err(CliError::Diverged {
            work: work.to_owned(),
            method: ran[at].way.name(),
            other: ran[0].way.name(),
        })
    })
}

/// What is known of one way beside its time; `all` were run with it.
fn figures(ran: &Ran, all: &[Ran], grains: usize, frames: Frames, report: &FlowReport) -> Figures {
    let times = &ran.flow.times;
    let ms = times.step.median();
    let substeps = ran.flow.substeps as f64 / frames.timed as f64;
    let mut figures = Figures::default()
        .with("grains", grains)
        .with(
            "ns_per_grain_substep",
            ms * 1e6 / (grains as f64 * substeps),
        )
        .with("frames_per_second", 1e3 / ms)
        .with("real_time_factor", 1e3 / 60.0 / ms)
        .with("lists_ms", times.broad.median())
        .with("contacts_ms", times.solve.median())
        .with("p99_ms", times.step.quantile(0.99))
        .with("substeps", substeps)
        .with("rebuilds", ran.flow.rebuilds as f64 / frames.timed as f64)
        .with("pairs", report.pairs)
        .with("contacts", report.contacts)
        .with("overlap_mean", report.overlap_mean);
    let on_one = |simd: SimdLevel| {
        let found = all
            .iter()
            .find(|r| r.way.threads == 1 && r.way.simd == simd)?;
        Some(found.flow.times.step.median() / ms)
    };
    let (name, other) = if ran.way.threads > 1 {
        ("times_one_thread", on_one(ran.way.simd))
    } else {
        ("times_scalar", on_one(SimdLevel::Scalar))
    };
    if let Some(times) = other {
        figures.add(name, times);
    }
    figures
}

/// Time in proportion to the grains, through the first point of the first curve.
pub(super) fn guide(curves: &[Curve]) -> Option<Curve> {
    let first = curves.first()?;
    let &(x, y) = first.points.first()?;
    Some(Curve {
        name: "in proportion, through the first point".to_owned(),
        colour: [120, 130, 142],
        guide: true,
        points: first
            .points
            .iter()
            .map(|&(at, _)| (at, y * at / x))
            .collect(),
    })
}
