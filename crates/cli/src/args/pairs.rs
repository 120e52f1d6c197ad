//! `jostle pairs`.

use std::path::PathBuf;

use clap::Args;
use jostle::broad::bvh::Builder;
use jostle::broad::{Method, PairOptions};
use jostle::scenes::BoxSceneKind;

use super::{Common, RawCommon};
use crate::error::CliError;

/// `jostle pairs`, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawPairs {
    /// uniform, clustered, mixed, or a file of boxes: min x, y, z, max x, y, z a line
    #[arg(value_name = "SCENE")]
    scene: String,
    /// Boxes of the scenes uniform and clustered [default: 100000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    boxes: Option<u32>,
    /// Triangles of the scene mixed that stand still [default: 100000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    static_triangles: Option<u32>,
    /// Boxes of the scene mixed that move [default: 5000]
    #[arg(long, value_name = "N")]
    dynamic: Option<u32>,
    /// Frames after the first
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// The method; `--method help` names all
    #[arg(long, value_name = "METHOD", default_value_t = Method::default())]
    method: Method,
    /// Builder of the binary trees, where the method has any; `--builder help` names all
    #[arg(long, value_name = "BUILDER", default_value_t = Builder::default())]
    builder: Builder,
    /// Run every method and check in each frame that all report the same pairs
    #[arg(long)]
    compare: bool,
    /// Most pairs a frame may have; more are an error [default: no limit]
    #[arg(long, value_name = "N")]
    pair_limit: Option<usize>,
    /// Contacts of convex shapes in the boxes
    #[arg(long)]
    narrow_phase: bool,
    /// What the random numbers of the scene come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    common: RawCommon,
}

/// Where boxes come from.
#[derive(Debug)]
pub(crate) enum BoxSource {
    /// A generated scene of so many static boxes and so many that move.
    Scene {
        kind: BoxSceneKind,
        fixed: usize,
        moving: usize,
    },
    /// A file.
    File(PathBuf),
}

/// `jostle pairs`, resolved.
#[derive(Debug)]
pub(crate) struct PairsConfig {
    pub common: Common,
    pub source: BoxSource,
    pub frames: usize,
    pub method: Method,
    pub compare: bool,
    pub options: PairOptions,
    pub seed: u64,
}

impl RawPairs {
    pub(crate) fn resolve(self) -> Result<PairsConfig, CliError> {
        if self.narrow_phase {
            let what = "--narrow-phase: there are no convex shapes yet";
            return Err(CliError::Usage(what.to_owned()));
        }
        let common = self.common.resolve()?;
        let mut options = PairOptions::default();
        options.level = common.simd.token()?;
        options.builder = self.builder;
        options.pair_limit = self.pair_limit;
        let source = self.source()?;
        Ok(PairsConfig {
            common,
            source,
            frames: self.frames as usize,
            method: self.method,
            compare: self.compare,
            options,
            seed: self.seed,
        })
    }

    fn source(&self) -> Result<BoxSource, CliError> {
        let kind = self.scene.parse::<BoxSceneKind>().ok();
        let mixed = kind == Some(BoxSceneKind::Mixed);
        let unused = [
            ("--boxes", self.boxes.is_some() && (mixed || kind.is_none())),
            (
                "--static-triangles",
                self.static_triangles.is_some() && !mixed,
            ),
            ("--dynamic", self.dynamic.is_some() && !mixed),
        ];
        if let Some((option, _)) = unused.iter().find(|(_, unused)| *unused) {
            let what = format!("{option} means nothing for the scene {}", self.scene);
            return Err(CliError::Usage(what));
        }
        let Some(kind) = kind else {
            return Ok(BoxSource::File(self.scene.clone().into()));
        };
        let (fixed, moving) = if mixed {
            (
                self.static_triangles.unwrap_or(100_000),
                self.dynamic.unwrap_or(5_000),
            )
        } else {
            (0, self.boxes.unwrap_or(100_000))
        };
        Ok(BoxSource::Scene {
            kind,
            fixed: fixed as usize,
            moving: moving as usize,
        })
    }
}
