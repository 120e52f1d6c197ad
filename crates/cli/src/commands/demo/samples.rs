//! Sample inputs for the other commands.

use std::path::Path;

use jostle::ccd::{NarrowPhase, QueryOptions, time_of_impact};
use jostle::geom::{Mesh, PairKind};
use jostle::io::queries::{self, FileQuery};
use jostle::scenes::{ClothBall, SceneKind};

use super::hard_queries;
use crate::error::CliError;
use crate::output::AtomicFile;

/// Boxes of the sample frames, about.
const BOXES: usize = 20_000;
/// Frames of each sample.
const FRAMES: usize = 3;
/// Sample queries.
const QUERIES: usize = 400;

/// Writes frames of every scene and one query file of each kind. Gives the paths.
pub(super) fn write(directory: &Path, seed: u64) -> Result<Vec<String>, CliError> {
    std::fs::create_dir_all(directory).map_err(|error| CliError::write(directory, error))?;
    let mut paths = Vec::new();
    for kind in SceneKind::ALL {
        let scene = if kind == SceneKind::ClothBall {
            ClothBall {
                frames: FRAMES,
                seed,
                ..ClothBall::default()
            }
            .build()?
        } else {
            kind.with_boxes(BOXES, FRAMES, seed)?
        };
        for (index, positions) in scene.frames.iter().enumerate() {
            let path = directory.join(format!("{kind}-{index}.ply"));
            let mesh = Mesh {
                positions: positions.clone(),
                topology: scene.topology.clone(),
            };
            jostle::io::write_mesh(&path, &mesh)?;
            paths.push(path.display().to_string());
        }
    }
    for (kind, name) in [
        (PairKind::VertexFace, "queries-vertex-face.csv"),
        (PairKind::EdgeEdge, "queries-edge-edge.csv"),
    ] {
        let path = directory.join(name);
        let mut bytes = Vec::new();
        queries::write(&with_truth(seed, kind), &mut bytes)
            .map_err(|error| CliError::write(&path, error))?;
        AtomicFile::write_whole(&path, &bytes)?;
        paths.push(path.display().to_string());
    }
    Ok(paths)
}

/// Hard queries of one kind; whether they collide is decided in exact arithmetic.
fn with_truth(seed: u64, kind: PairKind) -> Vec<FileQuery> {
    let exact = QueryOptions {
        exact: true,
        ..QueryOptions::default()
    };
    hard_queries::generate(seed, 2 * QUERIES)
        .into_iter()
        .filter(|query| query.kind == kind)
        .map(|query| {
            let answer = time_of_impact(&query, NarrowPhase::Separating, &exact);
            FileQuery {
                query,
                collides: answer.ok().map(|answer| answer.outcome.toi().is_some()),
            }
        })
        .collect()
}
