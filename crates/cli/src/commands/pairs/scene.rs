//! The boxes of a run: a generated scene, or a file.

use jostle::geom::Aabb;
use jostle::io::read_boxes;
use jostle::scenes::{BoxScene, BoxSceneKind};

use crate::args::BoxSource;
use crate::error::CliError;

/// Boxes that stand still and boxes that move.
pub(crate) enum Boxes {
    /// Move as the scene says.
    Scene { kind: BoxSceneKind, scene: BoxScene },
    /// All count as moving, but stay where they are.
    File { name: String, boxes: Vec<Aabb> },
}

impl Boxes {
    /// Generates or reads them.
    pub(crate) fn open(source: &BoxSource, seed: u64) -> Result<Self, CliError> {
        Ok(match *source {
            BoxSource::Scene {
                kind,
                fixed,
                moving,
            } => Self::Scene {
                kind,
                scene: kind.with_boxes(fixed, moving, seed)?,
            },
            BoxSource::File(ref path) => Self::File {
                name: path.display().to_string(),
                boxes: read_boxes(path)?,
            },
        })
    }

    /// What to call them.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Scene { kind, .. } => kind.to_string(),
            Self::File { name, .. } => name.clone(),
        }
    }

    /// Those that stand still: ids from 0.
    pub(crate) fn fixed(&self) -> &[Aabb] {
        match self {
            Self::Scene { scene, .. } => &scene.fixed,
            Self::File { .. } => &[],
        }
    }

    /// Those that move: ids after the fixed ones.
    pub(crate) fn moving(&self) -> &[Aabb] {
        match self {
            Self::Scene { scene, .. } => &scene.moving,
            Self::File { boxes, .. } => boxes,
        }
    }

    /// The next frame.
    pub(crate) fn advance(&mut self) {
        if let Self::Scene { scene, .. } = self {
            scene.advance();
        }
    }
}
