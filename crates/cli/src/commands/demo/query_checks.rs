//! Checks of single queries against exact arithmetic.

use jostle::ccd::step::{StepOptions, candidates};
use jostle::ccd::{NarrowPhase, Query, QueryError, QueryOptions};
use rayon::prelude::*;

use super::checks::method_key;
use super::{Scenes, hard_queries, options};
use crate::args::DemoConfig;
use crate::commands::queries::Timed;
use crate::commands::work::{first_step, pairs_of, query_of};
use crate::error::CliError;
use crate::report::{Capability, Figures};

/// Share of the step to which the exact answers are certified.
const EXACT_TIME: f64 = 1e-12;
/// Boxes after which `inclusion` gives up on a degenerate query: enough for all but those that
/// would take half a second.
const BUDGET: u32 = 20_000;
/// How many pairs of the cloth are solved by all three methods.
const PAIRS: usize = 40_000;
/// How many hard queries are solved.
const HARD: usize = 3_000;

/// How answers compare with exact ones.
#[derive(Default)]
struct Comparison {
    solved: u64,
    total_ns: u64,
    max_ns: u64,
    undecided: u64,
    missed: u64,
    late: u64,
    false_positives: u64,
    /// The largest exact − reported time over decided hits.
    early: f64,
}

impl Comparison {
    fn of(exact: &[Timed], other: &[Timed]) -> Self {
        let mut sum = Self::default();
        for (exact, other) in exact.iter().zip(other) {
            sum.solved += 1;
            sum.total_ns += other.ns;
            sum.max_ns = sum.max_ns.max(other.ns);
            let undecided = other.answer.outcome.is_undecided();
            sum.undecided += u64::from(undecided);
            match (exact.answer.outcome.toi(), other.answer.outcome.toi()) {
                (Some(truth), Some(toi)) => {
                    sum.late += u64::from(toi > truth + EXACT_TIME);
                    if !undecided {
                        sum.early = sum.early.max(truth - toi);
                    }
                }
                (Some(_), None) => sum.missed += 1,
                (None, Some(_)) => sum.false_positives += 1,
                (None, None) => {}
            }
        }
        sum
    }

    fn safe(&self) -> bool {
        self.missed == 0 && self.late == 0
    }

    fn add_to(&self, figures: &mut Figures, method: NarrowPhase) {
        let mean = self.total_ns as f64 / 1e3 / self.solved.max(1) as f64;
        figures.add(method_key(method, "mean_us"), mean);
        figures.add(method_key(method, "max_us"), self.max_ns as f64 / 1e3);
        figures.add(method_key(method, "missed"), self.missed);
        figures.add(method_key(method, "late"), self.late);
        figures.add(method_key(method, "false_positives"), self.false_positives);
        figures.add(method_key(method, "undecided"), self.undecided);
        figures.add(method_key(method, "most_early"), self.early);
    }
}

/// Answers of one method, in the order of the queries.
fn solve(
    queries: &[Query],
    method: NarrowPhase,
    options: &QueryOptions,
) -> Result<Vec<Timed>, QueryError> {
    queries
        .par_iter()
        .with_min_len(64)
        .map(|query| Timed::solve(query, method, options))
        .collect()
}

/// Compares the three methods with exact mode.
fn compare(name: &'static str, queries: &[Query]) -> Result<Capability, CliError> {
    let generated = |error| CliError::Query {
        path: "generated".into(),
        index: 0,
        error,
    };
    let exact_options = QueryOptions {
        exact: true,
        time_tolerance: EXACT_TIME,
        ..QueryOptions::default()
    };
    let exact = solve(queries, NarrowPhase::Separating, &exact_options).map_err(generated)?;
    let collide = exact.iter().filter(|timed| timed.collides()).count();
    let undecided = exact
        .iter()
        .filter(|timed| timed.answer.outcome.is_undecided())
        .count();
    let mut figures = Figures::default()
        .with("queries", queries.len())
        .with("collide", collide)
        .with("exact_undecided", undecided);
    let mut ok = undecided == 0;
    for method in NarrowPhase::ALL {
        let options = QueryOptions {
            max_iterations: BUDGET,
            ..QueryOptions::default()
        };
        let answers = solve(queries, method, &options).map_err(generated)?;
        let comparison = Comparison::of(&exact, &answers);
        ok &= comparison.safe();
        comparison.add_to(&mut figures, method);
    }
    Ok(Capability { name, ok, figures })
}

/// Three narrow phases on pairs of the cloth: none misses a contact or is later than exact.
pub(super) fn narrow_phases(scenes: &Scenes, config: &DemoConfig) -> Result<Capability, CliError> {
    let scene = &scenes.cloth;
    let mesh = first_step(scene)?;
    let options: StepOptions = options(&config.common);
    let mut pairs = candidates(&mesh, &options, &()).map_err(|error| CliError::Step {
        step: scene.kind.to_string(),
        error,
    })?;
    pairs.sort();
    let every = (pairs.vf.len() + pairs.ee.len()).div_ceil(PAIRS).max(1);
    let queries: Vec<_> = pairs_of(&pairs)
        .step_by(every)
        .map(|(kind, pair)| query_of(&mesh, kind, pair))
        .collect();
    compare(
        "three narrow phases miss no contact of the cloth and are never late",
        &queries,
    )
}

/// The same on queries that are hard on purpose.
pub(super) fn hard_queries(_scenes: &Scenes, config: &DemoConfig) -> Result<Capability, CliError> {
    let queries = hard_queries::generate(config.seed, HARD);
    compare(
        "nor those of coplanar, parallel, touching, sliding, tiny and far queries",
        &queries,
    )
}
