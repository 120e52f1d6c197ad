//! `jostle bench`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Common, RawCommon};
use crate::error::CliError;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Suite {
    /// Whole steps: broad phases, narrow phases, threads, and scaling with the number of boxes.
    Ccd,
    /// Which boxes overlap: every method over size, mixed frames, builders of trees, upkeep.
    Broad,
    /// The kernels over batches, from L1 to memory: nanoseconds a test, and the share of the roof.
    Simd,
    /// Granular flow: time over size, threads and SIMD levels, every scene of grains.
    Grains,
    /// Contacts of distance fields: every scene and optimizer beside the authors' times, threads, growth.
    Sdf,
}

/// `jostle bench`, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawBench {
    /// Which suite
    #[arg(value_enum, default_value = "ccd")]
    suite: Suite,
    /// Smaller scenes and one repeat
    #[arg(long)]
    quick: bool,
    /// Where the report goes
    #[arg(long, value_name = "FILE", default_value = "jostle-bench.html")]
    report: PathBuf,
    /// What the random numbers of the scenes come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    common: RawCommon,
}

/// `jostle bench`, resolved.
#[derive(Debug)]
pub(crate) struct BenchConfig {
    pub common: Common,
    pub suite: Suite,
    pub quick: bool,
    pub seed: u64,
    pub report: PathBuf,
}

impl RawBench {
    pub(crate) fn resolve(self) -> Result<BenchConfig, CliError> {
        Ok(BenchConfig {
            common: self.common.resolve()?,
            suite: self.suite,
            quick: self.quick,
            seed: self.seed,
            report: self.report,
        })
    }
}
