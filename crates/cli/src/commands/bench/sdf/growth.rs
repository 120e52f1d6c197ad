//! Larger scenes: what threads give, and how time grows with the bodies.

use jostle::scenes::bodies::BodySceneKind;
use jostle::sdf::contact::Optimizer;
use maud::{PreEscaped, html};

use super::{Bench, Frames, Half};
use crate::commands::bench::{on_threads, row_table, thread_counts};
use crate::commands::sim::BodyRun;
use crate::error::CliError;
use crate::output::Table;
use crate::report::{Axes, Curve, Figures, Row, Section, line_plot};

/// Steps of the bar of progress.
pub(super) const PARTS: usize = WORKS.len();

/// Scenes and their bodies; the sizes of a scene one after the other.
const WORKS: [(BodySceneKind, usize); 9] = [
    (BodySceneKind::BunnyPile, 100),
    (BodySceneKind::BunnyPile, 200),
    (BodySceneKind::Primitives, 300),
    (BodySceneKind::Primitives, 1_000),
    (BodySceneKind::Colosseum, 1_000),
    (BodySceneKind::Colosseum, 3_000),
    (BodySceneKind::Colosseum, 8_820),
    (BodySceneKind::Funnel, 4_000),
    (BodySceneKind::Funnel, 16_013),
];

/// The scenes of [`WORKS`], by colour.
const CURVES: [(BodySceneKind, [u8; 3]); 4] = [
    (BodySceneKind::BunnyPile, [222, 52, 38]),
    (BodySceneKind::Primitives, [246, 150, 60]),
    (BodySceneKind::Colosseum, [38, 132, 168]),
    (BodySceneKind::Funnel, [84, 160, 72]),
];

const TIME: Axes = Axes {
    x: "bodies",
    y: "milliseconds a frame",
    logarithmic: true,
};

/// Frames that a world runs until it is the turn of the next: with fewer, each finds its threads asleep and the caches full
/// of another one.
const TURN: usize = 30;

impl Bench<'_> {
    /// Every work on every number of threads, side by side.
    pub(super) fn growth(&mut self) -> Result<Half, CliError> {
        let mut rows = Vec::new();
        let mut curves: Vec<Curve> = Vec::new();
        for (kind, bodies) in WORKS {
            let bodies = if self.config.quick {
                bodies.min(120)
            } else {
                bodies
            };
            let repeated = self.config.quick
                && rows
                    .iter()
                    .any(|row: &Row| row.work == work_name(kind, bodies));
            if !repeated {
                let found = self.work(kind, bodies)?;
                if let Some(most) = found.last() {
                    let name = format!("{kind}, {}", most.method);
                    let point = (bodies as f64, most.step_ms);
                    match curves.iter_mut().find(|curve| curve.name == name) {
                        Some(curve) => curve.points.push(point),
                        None => curves.push(Curve {
                            name,
                            colour: CURVES
                                .iter()
                                .find(|(of, _)| *of == kind)
                                .map_or([120, 130, 142], |(_, colour)| *colour),
                            guide: false,
                            points: vec![point],
                        }),
                    }
                }
                rows.extend(found.into_iter().map(|found| found.row));
            }
            self.progress.next_part();
        }
        let mut table = Table::new(&["scene", "on", "collide ms", "figures"])
            .left(1)
            .left(3);
        for row in &rows {
            table.row([
                row.work.clone(),
                row.method.clone(),
                format!("{:.3}", row.ms),
                row.figures.to_string(),
            ]);
        }
        let plot = line_plot(&TIME, &curves)?;
        Ok(Half {
            sections: vec![
                Section {
                    title: "Time grows with the bodies".into(),
                    body: html! { figure { div.scroll { (PreEscaped(plot)) } } },
                },
                Section {
                    title: "Larger scenes".into(),
                    body: row_table(&rows),
                },
            ],
            text: table.to_string(),
            rows,
        })
    }

    /// A scene on one thread, on two, and on all, some frames each in turns. All must end in the same state.
    fn work(&mut self, kind: BodySceneKind, bodies: usize) -> Result<Vec<Found>, CliError> {
        let work = work_name(kind, bodies);
        self.progress.message(work.clone());
        let frames = if bodies > 2_000 && !self.config.quick {
            Frames {
                warm: 30,
                timed: 60,
            }
        } else {
            self.frames()
        };
        let built = kind.with_bodies(bodies, self.config.seed, None)?;
        let options = self.options(Optimizer::default())?;
        let mut ways = Vec::new();
        for threads in thread_counts(&self.config.common) {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()?;
            ways.push((threads, pool, BodyRun::new(&built, &options)?));
        }
        let all = frames.warm + frames.timed;
        for first in (0..all).step_by(TURN) {
            for (_, pool, run) in &mut ways {
                pool.install(|| {
                    (first..all.min(first + TURN)).try_for_each(|frame| {
                        if frame < frames.warm {
                            run.warm_up()
                        } else {
                            run.step().map(drop)
                        }
                    })
                })?;
            }
        }
        let mut found = Vec::new();
        let mut single = None;
        for (threads, _, run) in &ways {
            let (_, _, first) = &ways[0];
            if run.world.state_hash() != first.world.state_hash() {
                return Err(CliError::Diverged {
                    work,
                    method: on_threads(*threads),
                    other: on_threads(ways[0].0),
                });
            }
            let times = &run.times;
            let (collide, step) = (times.collide.median(), times.step.median());
            let (one_collide, one_step) = *single.get_or_insert((collide, step));
            let mut figures = Figures::default()
                .with("bodies", run.world.len())
                .with("pairs", run.mean(|s| s.pairs))
                .with("contacts", run.mean(|s| s.contacts))
                .with("step_ms", step)
                .with("p99_ms", times.step.quantile(0.99))
                .with("broad_ms", times.broad.median())
                .with("solve_ms", times.solve.median())
                .with("us_per_body", 1e3 * step / run.world.len() as f64)
                .with("real_time_factor", 1e3 / 60.0 / step)
                .with("max_penetration", run.max_penetration)
                .with("escaped", run.escaped);
            if *threads > 1 {
                figures.add("times_collide", one_collide / collide);
                figures.add("times_step", one_step / step);
            }
            found.push(Found {
                method: on_threads(*threads),
                step_ms: step,
                row: Row {
                    work: work.clone(),
                    method: on_threads(*threads),
                    ms: collide,
                    figures,
                },
            });
        }
        Ok(found)
    }
}

/// A row and what is plotted of it.
struct Found {
    method: String,
    step_ms: f64,
    row: Row,
}

fn work_name(kind: BodySceneKind, bodies: usize) -> String {
    format!("{kind}-{bodies}")
}
