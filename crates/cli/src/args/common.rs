//! Options that several commands share.

use clap::Args;
use jostle::broad::step::StepMethod;
use jostle::ccd::{NarrowPhase, QueryOptions};
use jostle::simd::SimdLevel;

use super::parse;
use crate::error::CliError;
use crate::machine::processors;

/// Options of every command, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawCommon {
    /// Number of threads [default: all processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// SIMD level: auto, scalar, sse2, avx2, avx512, neon, wasm128
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    simd: SimdLevel,
    /// Print one JSON object on standard output, and nothing else
    #[arg(long)]
    json: bool,
}

/// Options of every command, resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common {
    /// Threads to run on, at least 1.
    pub threads: usize,
    /// A level that this machine has; never `Auto`.
    pub simd: SimdLevel,
    /// Whether to print JSON.
    pub json: bool,
}

impl RawCommon {
    /// Fills in the machine's processors and best level.
    pub(crate) fn resolve(&self) -> Result<Common, CliError> {
        Ok(Common {
            threads: self.threads.map_or_else(processors, usize::from),
            simd: SimdLevel::of(self.simd.token()?),
            json: self.json,
        })
    }
}

/// How a query is answered, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawQuery {
    /// Narrow phase: separating, inclusion, additive
    #[arg(long, value_name = "METHOD", default_value = "separating")]
    narrow_phase: NarrowPhase,
    /// Distance in metres at or below which primitives count as touching
    #[arg(long, value_name = "D", default_value = "0", allow_negative_numbers = true,
          value_parser = parse::not_negative)]
    min_separation: f64,
    /// Distance in metres at which inclusion and additive stop refining [default: 1e-9]
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = parse::positive)]
    tolerance: Option<f64>,
    /// Share of the step to which inclusion and exact answers are refined [default: 1e-6]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = parse::positive)]
    time_tolerance: Option<f64>,
    /// Settle in exact arithmetic what rounding leaves in doubt
    #[arg(long)]
    exact: bool,
    /// Iterations after which a query is undecided [default: 1000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: Option<u32>,
}

impl RawQuery {
    /// The method and its options.
    pub(crate) fn resolve(&self) -> (NarrowPhase, QueryOptions) {
        let defaults = QueryOptions::default();
        let options = QueryOptions {
            min_separation: self.min_separation,
            tolerance: self.tolerance.unwrap_or(defaults.tolerance),
            time_tolerance: self.time_tolerance.unwrap_or(defaults.time_tolerance),
            max_iterations: self.max_iterations.unwrap_or(defaults.max_iterations),
            exact: self.exact,
            ..defaults
        };
        (self.narrow_phase, options)
    }
}

/// The broad phase of a step, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawBroadPhase {
    /// Broad phase: h8, sweep, brute
    #[arg(long, value_name = "METHOD", default_value = "h8", value_parser = parse::broad_phase)]
    pub(super) broad_phase: StepMethod,
}
