//! One step of a mesh, read from two files.

use std::path::{Path, PathBuf};

use glam::DVec3;
use jostle::geom::{MotionError, MovingMesh, Topology};

/// Two frames with the same faces.
#[derive(Clone, Debug)]
pub struct Step {
    /// The connectivity of both.
    pub topology: Topology,
    /// Positions at the start.
    pub t0: Vec<DVec3>,
    /// Positions at the end.
    pub t1: Vec<DVec3>,
}

impl Step {
    /// Reads the frames at the start and the end of a step.
    ///
    /// # Errors
    /// A file that cannot be read, or frames whose faces differ.
    pub fn read(start: &Path, end: &Path) -> Result<Self, StepFileError> {
        let read = |path: &Path| {
            jostle::io::read_mesh(path).map_err(|error| StepFileError::Read {
                path: path.to_owned(),
                message: error.to_string(),
            })
        };
        let (start, end) = (read(start)?, read(end)?);
        if start.topology != end.topology {
            return Err(StepFileError::Topology);
        }
        Ok(Self {
            topology: start.topology,
            t0: start.positions,
            t1: end.positions,
        })
    }

    /// The step as the engine takes it.
    ///
    /// # Errors
    /// As [`MovingMesh::new`].
    pub fn mesh(&self) -> Result<MovingMesh<'_>, MotionError> {
        MovingMesh::new(&self.topology, &self.t0, &self.t1)
    }
}

/// Why two files do not make a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepFileError {
    /// A file could not be read.
    Read {
        /// Which one.
        path: PathBuf,
        /// What the reader said.
        message: String,
    },
    /// The two frames have different faces.
    Topology,
}

impl core::fmt::Display for StepFileError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Read { path, message } => write!(f, "{}: {message}", path.display()),
            Self::Topology => f.write_str("the two frames have different faces"),
        }
    }
}

impl core::error::Error for StepFileError {}
