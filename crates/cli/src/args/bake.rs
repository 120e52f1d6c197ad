//! `jostle bake`.

use std::path::PathBuf;

use clap::Args;
use jostle::sdf::voxel::BakeOptions;

use super::{Common, RawCommon, parse};
use crate::error::CliError;

/// `jostle bake`, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawBake {
    /// A mesh (OBJ, PLY or STL)
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// Cells along the longest side of the mesh
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=2000))]
    resolution: u32,
    /// Write the field to a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Fail when the field breaks a promise: numbers, Lipschitz bound, error, sides
    #[arg(long)]
    check: bool,
    /// Move the centre of the mesh to the origin and scale its longest side to 1
    #[arg(long)]
    normalize: bool,
    /// Bytes to use for the field, such as 64MiB or 2GB
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse::size)]
    memory_limit: u64,
    /// Random points at which the field is compared with exact distances
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    points: u32,
    /// Seed of these points
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    common: RawCommon,
}

/// `jostle bake`, resolved.
#[derive(Debug)]
pub(crate) struct BakeConfig {
    pub common: Common,
    pub mesh: PathBuf,
    pub options: BakeOptions,
    pub out: Option<PathBuf>,
    pub check: bool,
    pub points: usize,
    pub seed: u64,
}

impl RawBake {
    pub(crate) fn resolve(self) -> Result<BakeConfig, CliError> {
        Ok(BakeConfig {
            common: self.common.resolve()?,
            mesh: self.mesh,
            options: BakeOptions {
                resolution: self.resolution,
                normalize: self.normalize,
                memory_limit: self.memory_limit,
                ..BakeOptions::default()
            },
            out: self.out,
            check: self.check,
            points: self.points as usize,
            seed: self.seed,
        })
    }
}
