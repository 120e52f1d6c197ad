//! `jostle check`.

use std::path::PathBuf;

use clap::Args;
use jostle::check::CheckOptions;

use super::{Common, RawCommon};
use crate::error::CliError;

/// `jostle check`, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawCheck {
    /// A mesh (OBJ, PLY or STL)
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// List at most this many pairs of intersecting faces; all are counted [default: all]
    #[arg(long, value_name = "N")]
    pair_limit: Option<usize>,
    #[command(flatten)]
    common: RawCommon,
}

/// `jostle check`, resolved.
#[derive(Debug)]
pub(crate) struct CheckConfig {
    pub common: Common,
    pub mesh: PathBuf,
    pub options: CheckOptions,
}

impl RawCheck {
    pub(crate) fn resolve(self) -> Result<CheckConfig, CliError> {
        let common = self.common.resolve()?;
        let options = CheckOptions {
            pair_limit: self.pair_limit,
            simd: common.simd,
        };
        Ok(CheckConfig {
            common,
            mesh: self.mesh,
            options,
        })
    }
}
