//! What can be wrong with a file.

use core::fmt;
use std::io;
use std::path::{Path, PathBuf};

use jostle_geom::TopologyError;
use thiserror::Error;

use crate::boxes::BoxFileError;
use crate::queries::QueryFileError;
use crate::truth::TruthFileError;

/// Where in a file something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// A line of text, counted from 1.
    Line(usize),
    /// An offset in a binary file, counted from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// Why the bytes of a mesh file were refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshFileError {
    /// The text or the header is not what the format asks for.
    #[error("{at}: {what}")]
    Syntax {
        /// Where.
        at: Place,
        /// What was found, and what was expected.
        what: String,
    },
    /// A coordinate is NaN or infinite, or too large for an `f64`.
    #[error("{at}: vertex {vertex} has coordinate {} = {value}, which is not finite", ["x", "y", "z"][*axis])]
    Coordinate {
        /// Where.
        at: Place,
        /// The vertex, counted from 0 (in an STL file: three to a triangle).
        vertex: usize,
        /// 0, 1 or 2.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// A face, edge or point names a vertex that does not exist.
    #[error("{at}: {what}")]
    Index {
        /// Where.
        at: Place,
        /// Which element and which index.
        what: String,
    },
    /// The file ends before everything it announces has come.
    #[error("{at}: the file ends in {missing}")]
    Truncated {
        /// Where it ends.
        at: Place,
        /// What is not complete.
        missing: String,
    },
    /// There are vertices, but no record uses them.
    #[error("the file has {vertices} vertices but no face, line or point")]
    NoElements {
        /// How many vertices there are.
        vertices: usize,
    },
    /// Neither the name nor the content tells the format.
    #[error("neither an OBJ, a PLY nor an STL file, by its name or its content")]
    UnknownFormat,
    /// The parts are sound but make no mesh.
    #[error(transparent)]
    Topology(#[from] TopologyError),
}

/// Why a file could not be read; its message starts with the path.
#[derive(Debug, Error)]
#[error("{}: {kind}", path.display())]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// What went wrong.
    pub kind: ReadErrorKind,
}

/// What went wrong in reading a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The system could not read it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not a sound mesh file.
    #[error(transparent)]
    Mesh(#[from] MeshFileError),
    /// It is not a sound file of boxes.
    #[error(transparent)]
    Boxes(#[from] BoxFileError),
    /// It is not a sound query file.
    #[error(transparent)]
    Queries(#[from] QueryFileError),
    /// It is not a sound file of right answers.
    #[error(transparent)]
    Truth(#[from] TruthFileError),
}

impl ReadError {
    pub(crate) fn new(path: &Path, kind: impl Into<ReadErrorKind>) -> Self {
        Self {
            path: path.to_owned(),
            kind: kind.into(),
        }
    }
}

/// All bytes of a file.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    std::fs::read(path).map_err(|error| ReadError::new(path, error))
}
