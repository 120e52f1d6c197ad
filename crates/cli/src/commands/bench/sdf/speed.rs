//! Every scene of the authors with every optimiser, on one thread.

use jostle::scenes::bodies::BodySceneKind;
use jostle::sdf::contact::Optimizer;
use maud::html;

use super::authors::{SCENES, Scene};
use super::{Bench, Half};
use crate::commands::sim::BodyRun;
use crate::error::CliError;
use crate::output::Table;
use crate::report::{Figures, Row, Section};

/// Scenes of a quick run.
const QUICK: [BodySceneKind; 3] = [
    BodySceneKind::BoxStack,
    BodySceneKind::Twist,
    BodySceneKind::BunnyPile,
];

/// Heads of the columns.
const COLUMNS: [&str; 12] = [
    "scene",
    "optimizer",
    "bodies",
    "pairs",
    "contacts",
    "share",
    "evaluations",
    "collide ms",
    "solve ms",
    "step ms",
    "authors ms",
    "times",
];

/// A scene run with an optimiser.
struct Ran<'a> {
    scene: &'a Scene,
    optimizer: Optimizer,
    run: BodyRun,
}

impl Ran<'_> {
    /// How many times the time of the authors is ours.
    fn times(&self) -> f64 {
        self.scene.ms(self.optimizer) / self.run.times.collide.median()
    }

    /// The smaller share of the authors' pairs and contacts that this run had, percent.
    fn share(&self) -> f64 {
        let pairs = self.run.mean(|s| s.pairs) / self.scene.pairs;
        let contacts = self.run.mean(|s| s.contacts) / self.scene.contacts;
        100.0 * pairs.min(contacts)
    }

    fn cells(&self) -> [String; COLUMNS.len()] {
        let (run, times) = (&self.run, &self.run.times);
        [
            self.scene.kind.name().to_owned(),
            self.optimizer.name().to_owned(),
            run.world.len().to_string(),
            format!("{:.1}", run.mean(|s| s.pairs)),
            format!("{:.1}", run.mean(|s| s.contacts)),
            format!("{:.0} %", self.share()),
            format!("{:.0}", run.mean(|s| s.evaluations)),
            format!("{:.3}", times.collide.median()),
            format!("{:.3}", times.solve.median()),
            format!("{:.3}", times.step.median()),
            format!("{:.2}", self.scene.ms(self.optimizer)),
            format!("{:.1}", self.times()),
        ]
    }

    fn row(&self) -> Row {
        let (run, times) = (&self.run, &self.run.times);
        Row {
            work: self.scene.kind.name().to_owned(),
            method: format!("{}, 1 thread", self.optimizer),
            ms: times.collide.median(),
            figures: Figures::default()
                .with("bodies", run.world.len())
                .with("pairs", run.mean(|s| s.pairs))
                .with("apart", run.mean(|s| s.apart))
                .with("contacts", run.mean(|s| s.contacts))
                .with("authors_pairs", self.scene.pairs)
                .with("authors_contacts", self.scene.contacts)
                .with("evaluations", run.mean(|s| s.evaluations))
                .with("broad_ms", times.broad.median())
                .with("solve_ms", times.solve.median())
                .with("step_ms", times.step.median())
                .with("authors_ms", self.scene.ms(self.optimizer))
                .with("times_authors", self.times())
                .with("max_penetration", run.max_penetration)
                .with("escaped", run.escaped),
        }
    }
}

impl Bench<'_> {
    /// Every scene of the authors.
    pub(super) fn speed(&mut self) -> Result<Half, CliError> {
        let frames = self.frames();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let mut all = Vec::new();
        for scene in &SCENES {
            if !self.config.quick || QUICK.contains(&scene.kind) {
                let kind = scene.kind;
                let built = kind.with_bodies(kind.default_bodies(), self.config.seed, None)?;
                for optimizer in Optimizer::ALL {
                    self.progress.message(format!("{kind}, {optimizer}"));
                    let mut run = BodyRun::new(&built, &self.options(optimizer)?)?;
                    pool.install(|| {
                        (0..frames.warm).try_for_each(|_| run.warm_up())?;
                        (0..frames.timed).try_for_each(|_| run.step().map(drop))
                    })?;
                    all.push(Ran {
                        scene,
                        optimizer,
                        run,
                    });
                }
            }
            self.progress.next_part();
        }
        let mut table = Table::new(&COLUMNS).left(1);
        for ran in &all {
            table.row(ran.cells());
        }
        let note = "Collision of a frame (4 sub-steps) on one thread. Authors ms: the authors' code, Zen 3, with the \
                    same optimizer, or with Nelder–Mead beside projected. Pairs, contacts and evaluations are means of a \
                    sub-step; share is the smaller one of our pairs and contacts in percent of theirs.";
        let body = html! {
            p { (note) }
            div.scroll {
                table {
                    tr { @for head in COLUMNS { th { (head) } } }
                    @for ran in &all {
                        tr {
                            @for (at, cell) in ran.cells().iter().enumerate() {
                                @if at < 2 { td { (cell) } } @else { td.number { (cell) } }
                            }
                        }
                    }
                }
            }
        };
        Ok(Half {
            rows: all.iter().map(Ran::row).collect(),
            sections: vec![Section {
                title: "Speed: scenes of the authors".into(),
                body,
            }],
            text: format!("{note}\n{table}"),
        })
    }
}
