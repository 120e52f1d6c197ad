//! `jostle queries`: the time of impact of each query of some files.

use std::process::ExitCode;
use std::time::Instant;

use jostle::ccd::{Answer, NarrowPhase, Query, QueryError, QueryOptions, time_of_impact};
use jostle::io::queries::{self, FileQuery};
use rayon::prelude::*;
use serde::Serialize;

use crate::args::QueriesConfig;
use crate::error::CliError;
use crate::output::{self, AtomicFile, Header, Table};
use crate::progress::Progress;

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    header: Header,
    files: usize,
    narrow_phase: &'static str,
    exact: bool,
    queries: usize,
    collisions: usize,
    undecided: usize,
    mean_us: f64,
    max_us: f64,
    /// Queries whose file tells the truth.
    with_truth: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    false_positives: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    false_negatives: Option<usize>,
}

/// An answer and the time it took, alone.
pub(super) struct Timed {
    pub answer: Answer,
    pub ns: u64,
}

impl Timed {
    /// Solves one query between two readings of the clock.
    pub(super) fn solve(
        query: &Query,
        method: NarrowPhase,
        options: &QueryOptions,
    ) -> Result<Self, QueryError> {
        let start = Instant::now();
        let answer = time_of_impact(query, method, options)?;
        let ns = start.elapsed().as_nanos() as u64;
        Ok(Self { answer, ns })
    }

    /// An undecided query counts as a collision: that is the safe reading.
    pub(super) fn collides(&self) -> bool {
        self.answer.outcome.toi().is_some()
    }
}

/// Sums over queries, in the order of the files.
#[derive(Default)]
struct Summary {
    queries: usize,
    collisions: usize,
    undecided: usize,
    total_ns: u64,
    max_ns: u64,
    with_truth: usize,
    false_positives: usize,
    false_negatives: usize,
}

impl Summary {
    fn add(&mut self, timed: &Timed, truth: Option<bool>) {
        let collides = timed.collides();
        self.queries += 1;
        self.collisions += usize::from(collides);
        self.undecided += usize::from(timed.answer.outcome.is_undecided());
        self.total_ns += timed.ns;
        self.max_ns = self.max_ns.max(timed.ns);
        if let Some(truth) = truth {
            self.with_truth += 1;
            self.false_positives += usize::from(collides && !truth);
            self.false_negatives += usize::from(!collides && truth);
        }
    }
}

pub(super) fn run(config: &QueriesConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let mut out = config.out.as_deref().map(AtomicFile::create).transpose()?;
    if let Some(file) = &mut out {
        file.put(b"file,index,collides,toi,undecided\n")?;
    }
    let mut progress = Progress::new(config.files.len());
    let mut summary = Summary::default();
    for path in &config.files {
        progress.message(path.display().to_string());
        let file_queries = queries::read(path, config.kind)?;
        let answers =
            solve_all(&file_queries, config).map_err(|(index, error)| CliError::Query {
                path: path.clone(),
                index,
                error,
            })?;
        let name = csv_field(&path.display().to_string());
        for (index, (timed, query)) in answers.iter().zip(&file_queries).enumerate() {
            summary.add(timed, query.collides);
            if let Some(file) = &mut out {
                let outcome = timed.answer.outcome;
                let toi = outcome.toi().map_or(String::new(), |t| format!("{t:?}"));
                let (collides, undecided) = (timed.collides(), outcome.is_undecided());
                file.put(format!("{name},{index},{collides},{toi},{undecided}\n").as_bytes())?;
            }
        }
        progress.next_part();
    }
    progress.finish();
    if let Some(file) = out {
        file.commit()?;
    }

    let result = summary.output(Header::new("queries", start, &config.common), config);
    if config.common.json {
        output::print_json(&result)?;
    } else {
        output::print(&readable(&result))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Solves queries in parallel; answers come in the order of the queries, and the error is that of
/// the first query refused.
fn solve_all(
    queries: &[FileQuery],
    config: &QueriesConfig,
) -> Result<Vec<Timed>, (usize, QueryError)> {
    let answers: Vec<_> = queries
        .par_iter()
        .with_min_len(64)
        .map(|query| Timed::solve(&query.query, config.method, &config.options))
        .collect();
    let with_index = |(index, answer): (usize, Result<_, _>)| answer.map_err(|e| (index, e));
    answers.into_iter().enumerate().map(with_index).collect()
}

impl Summary {
    fn output(&self, header: Header, config: &QueriesConfig) -> Output {
        let known = self.with_truth > 0;
        Output {
            header,
            files: config.files.len(),
            narrow_phase: config.method.name(),
            exact: config.options.exact,
            queries: self.queries,
            collisions: self.collisions,
            undecided: self.undecided,
            mean_us: self.total_ns as f64 / 1e3 / self.queries.max(1) as f64,
            max_us: self.max_ns as f64 / 1e3,
            with_truth: self.with_truth,
            false_positives: known.then_some(self.false_positives),
            false_negatives: known.then_some(self.false_negatives),
        }
    }
}

/// A field of a CSV file, quoted where it must be.
fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn readable(result: &Output) -> String {
    let mut table = Table::new(&[
        "files",
        "queries",
        "collisions",
        "undecided",
        "false positives",
        "false negatives",
        "mean us",
        "max us",
    ]);
    let count = |count: Option<usize>| count.map_or("unknown".into(), |n| n.to_string());
    table.row([
        result.files.to_string(),
        result.queries.to_string(),
        result.collisions.to_string(),
        result.undecided.to_string(),
        count(result.false_positives),
        count(result.false_negatives),
        format!("{:.3}", result.mean_us),
        format!("{:.1}", result.max_us),
    ]);
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(csv_field("a/ee/b.csv"), "a/ee/b.csv");
        assert_eq!(csv_field("a,\"b\".csv"), "\"a,\"\"b\"\".csv\"");
    }
}
