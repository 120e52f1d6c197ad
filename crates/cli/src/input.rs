//! Frames of one mesh from files.

use std::path::{Path, PathBuf};

use glam::DVec3;
use jostle::geom::{Frame, Mesh, MovingMesh, Topology};
use jostle::io::read_mesh;

use crate::error::CliError;

/// The frames of a mesh, of which two are held at a time.
pub(crate) struct Frames<'a> {
    paths: &'a [PathBuf],
    topology: Topology,
    start: Vec<DVec3>,
    end: Vec<DVec3>,
    step: usize,
}

impl<'a> Frames<'a> {
    /// Reads the first two frames. There must be two paths at least.
    pub(crate) fn open(paths: &'a [PathBuf]) -> Result<Self, CliError> {
        let [first, second, ..] = paths else {
            return Err(CliError::Usage("a step needs at least two frames".into()));
        };
        let Mesh {
            positions: start,
            topology,
        } = read_mesh(first)?;
        let end = next_frame(&topology, first, second)?;
        Ok(Self {
            paths,
            topology,
            start,
            end,
            step: 0,
        })
    }

    /// Number of steps.
    pub(crate) fn step_count(&self) -> usize {
        self.paths.len() - 1
    }

    /// The connectivity of all frames.
    pub(crate) fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The names of the two frames of this step.
    pub(crate) fn step_paths(&self) -> [&'a Path; 2] {
        [&self.paths[self.step], &self.paths[self.step + 1]]
    }

    /// Reads the frame after the two that are held and drops the earlier of them.
    pub(crate) fn advance(&mut self) -> Result<(), CliError> {
        self.step += 1;
        std::mem::swap(&mut self.start, &mut self.end);
        // Freed before the next is read: never three frames at a time.
        self.end = Vec::new();
        self.end = next_frame(&self.topology, &self.paths[0], &self.paths[self.step + 1])?;
        Ok(())
    }

    /// The motion between the two frames that are held.
    pub(crate) fn motion(&self) -> Result<MovingMesh<'_>, CliError> {
        MovingMesh::new(&self.topology, &self.start, &self.end).map_err(|error| {
            let [start, end] = self.step_paths();
            let path = match &error {
                jostle::geom::MotionError::Coordinate {
                    frame: Frame::Start,
                    ..
                }
                | jostle::geom::MotionError::PositionCount {
                    frame: Frame::Start,
                    ..
                } => start,
                _ => end,
            };
            CliError::Motion {
                path: path.to_owned(),
                error,
            }
        })
    }
}

/// Reads a later frame and checks that it is a frame of the same mesh.
fn next_frame(topology: &Topology, first_path: &Path, path: &Path) -> Result<Vec<DVec3>, CliError> {
    let mesh = read_mesh(path)?;
    match difference(topology, &mesh.topology, first_path) {
        None => Ok(mesh.positions),
        Some(what) => Err(CliError::Frames {
            path: path.to_owned(),
            what,
        }),
    }
}

/// In what the topology of a later frame differs from that of the first.
fn difference(first: &Topology, later: &Topology, first_path: &Path) -> Option<String> {
    let first_path = first_path.display();
    let count = |name, expected: usize, found: usize| {
        (expected != found).then(|| format!("{found} {name}, but {first_path} has {expected}"))
    };
    count("vertices", first.vertex_count(), later.vertex_count())
        .or_else(|| count("faces", first.faces().len(), later.faces().len()))
        .or_else(|| {
            let (i, expected, found) = first_unequal(first.faces(), later.faces())?;
            Some(format!(
                "face {i} is {found:?}, but in {first_path} it is {expected:?}"
            ))
        })
        .or_else(|| count("edges", first.edges().len(), later.edges().len()))
        .or_else(|| {
            let (i, expected, found) = first_unequal(first.edges(), later.edges())?;
            Some(format!(
                "edge {i} is {found:?}, but in {first_path} it is {expected:?}"
            ))
        })
}

/// The first place where two lists of one length differ, and the two values.
fn first_unequal<T: PartialEq + Copy>(a: &[T], b: &[T]) -> Option<(usize, T, T)> {
    let i = a.iter().zip(b).position(|(x, y)| x != y)?;
    Some((i, a[i], b[i]))
}
