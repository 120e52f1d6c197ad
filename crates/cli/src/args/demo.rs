//! `jostle demo`.

use std::path::PathBuf;

use clap::Args;

use super::{Common, RawCommon};
use crate::error::CliError;

/// `jostle demo`, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawDemo {
    /// Where the report goes
    #[arg(long, value_name = "FILE", default_value = "jostle-report.html")]
    report: PathBuf,
    /// Also write the picture of the cloth by itself
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,
    /// Also write all pictures of the report into this directory
    #[arg(long, value_name = "DIR")]
    write_pictures: Option<PathBuf>,
    /// Write sample frames (PLY) and query files (CSV) into this directory
    #[arg(long, value_name = "DIR")]
    write_samples: Option<PathBuf>,
    /// What the random numbers of the scenes come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    common: RawCommon,
}

/// `jostle demo`, resolved.
#[derive(Debug)]
pub(crate) struct DemoConfig {
    pub common: Common,
    pub seed: u64,
    pub report: PathBuf,
    pub picture: Option<PathBuf>,
    pub pictures: Option<PathBuf>,
    pub samples: Option<PathBuf>,
}

impl RawDemo {
    pub(crate) fn resolve(self) -> Result<DemoConfig, CliError> {
        Ok(DemoConfig {
            common: self.common.resolve()?,
            seed: self.seed,
            report: self.report,
            picture: self.picture,
            pictures: self.write_pictures,
            samples: self.write_samples,
        })
    }
}
