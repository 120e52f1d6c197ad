//! `jostle queries`.

use std::path::PathBuf;

use clap::Args;
use jostle::ccd::{NarrowPhase, QueryOptions};
use jostle::geom::PairKind;

use super::{Common, RawCommon, RawQuery, parse};
use crate::error::CliError;

/// `jostle queries`, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawQueries {
    /// Files in the public CCD query format
    #[arg(required = true, value_name = "FILE.csv")]
    files: Vec<PathBuf>,
    /// Kind of all queries: ee, edge-edge, vf, vertex-face [default: as each path says]
    #[arg(long, value_name = "KIND", value_parser = parse::pair_kind)]
    kind: Option<PairKind>,
    #[command(flatten)]
    query: RawQuery,
    /// Write one row a query: file,index,collides,toi,undecided
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: RawCommon,
}

/// `jostle queries`, resolved.
#[derive(Debug)]
pub(crate) struct QueriesConfig {
    pub common: Common,
    pub files: Vec<PathBuf>,
    pub kind: Option<PairKind>,
    pub method: NarrowPhase,
    pub options: QueryOptions,
    pub out: Option<PathBuf>,
}

impl RawQueries {
    pub(crate) fn resolve(self) -> Result<QueriesConfig, CliError> {
        let (method, options) = self.query.resolve();
        Ok(QueriesConfig {
            common: self.common.resolve()?,
            files: self.files,
            kind: self.kind,
            method,
            options,
            out: self.out,
        })
    }
}
