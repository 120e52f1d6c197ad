//! `jostle ccd`.

use std::path::PathBuf;

use clap::Args;
use jostle::ccd::step::StepOptions;

use super::common::RawBroadPhase;
use super::{Common, RawCommon, RawQuery, parse};
use crate::error::CliError;

/// `jostle ccd`, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawCcd {
    /// Two or more frames of one mesh (OBJ, PLY or STL)
    #[arg(required = true, num_args = 2.., value_name = "FRAME")]
    frames: Vec<PathBuf>,
    #[command(flatten)]
    broad_phase: RawBroadPhase,
    #[command(flatten)]
    query: RawQuery,
    /// Bytes to use above the mesh itself, such as 64MiB or 2GB [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = parse::size)]
    memory_limit: Option<u64>,
    /// A time of impact for every candidate instead of the earliest only
    #[arg(long)]
    all: bool,
    /// Write all candidate pairs as a JSON array of box ids (one array a step if several)
    #[arg(long, value_name = "FILE")]
    pairs_out: Option<PathBuf>,
    /// With --all, write every candidate that collides or is undecided as CSV
    #[arg(long, value_name = "FILE.csv", requires = "all")]
    hits_out: Option<PathBuf>,
    #[command(flatten)]
    common: RawCommon,
}

/// `jostle ccd`, resolved.
#[derive(Debug)]
pub(crate) struct CcdConfig {
    pub common: Common,
    /// At least two.
    pub frames: Vec<PathBuf>,
    pub options: StepOptions,
    pub all: bool,
    pub pairs_out: Option<PathBuf>,
    pub hits_out: Option<PathBuf>,
}

impl RawCcd {
    pub(crate) fn resolve(self) -> Result<CcdConfig, CliError> {
        let common = self.common.resolve()?;
        if self.pairs_out.is_some() && self.pairs_out == self.hits_out {
            let what = "--pairs-out and --hits-out name the same file";
            return Err(CliError::Usage(what.to_owned()));
        }
        let (narrow_phase, query) = self.query.resolve();
        let options = StepOptions {
            broad_phase: self.broad_phase.broad_phase,
            narrow_phase,
            query,
            memory_limit: self.memory_limit,
            simd: common.simd,
        };
        Ok(CcdConfig {
            common,
            frames: self.frames,
            options,
            all: self.all,
            pairs_out: self.pairs_out,
            hits_out: self.hits_out,
        })
    }
}
