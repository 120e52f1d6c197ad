//! Why a command failed.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jostle::broad::{Method, PairError};
use jostle::ccd::QueryError;
use jostle::ccd::step::StepError;
use jostle::check::CheckError;
use jostle::dynamics::{FlowError, WorldError};
use jostle::geom::{MotionError, TopologyError};
use jostle::io::{ReadError, WriteError};
use jostle::scenes::SceneError;
use jostle::scenes::bodies::BodySceneError;
use jostle::simd::UnsupportedLevel;
use thiserror::Error;

/// Why a command failed. Messages name the file, line or element.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// Options that do not go together; what a single option gets wrong clap reports itself.
    #[error("{0}")]
    Usage(String),
    /// An input file is unreadable or wrong.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A mesh file could not be written.
    #[error(transparent)]
    WriteMesh(#[from] WriteError),
    /// Two frames are not frames of one mesh.
    #[error("{}: {what}", path.display())]
    Frames {
        /// The later frame.
        path: PathBuf,
        /// In what it differs.
        what: String,
    },
    /// A frame has bad coordinates.
    #[error("{}: {error}", path.display())]
    Motion {
        /// The frame.
        path: PathBuf,
        /// What is wrong.
        error: MotionError,
    },
    /// A step was refused.
    #[error("{step}: {error}")]
    Step {
        /// Which step, in words.
        step: String,
        /// Why.
        error: StepError,
    },
    /// A mesh could not be checked.
    #[error("{}: {error}", path.display())]
    Check {
        /// The file.
        path: PathBuf,
        /// Why.
        error: CheckError,
    },
    /// A mesh could not be baked, or its field is broken.
    #[error("{}: {what}", path.display())]
    Bake {
        /// The file.
        path: PathBuf,
        /// Why.
        what: String,
    },
    /// A query was refused.
    #[error("{}: query {index}: {error}", path.display())]
    Query {
        /// The file.
        path: PathBuf,
        /// Its index in the file, from 0.
        index: usize,
        /// Why.
        error: QueryError,
    },
    /// A broad phase gave no list of pairs.
    #[error("{method}, frame {frame}: {error}")]
    Pairs {
        /// The method.
        method: Method,
        /// The frame, 0 for the boxes that the scene starts with.
        frame: usize,
        /// Why.
        error: PairError,
    },
    /// Two methods report different pairs: a defect of the engine.
    #[error("frame {frame}: {method} and {other} disagree: {what}")]
    Disagree {
        /// The frame.
        frame: usize,
        /// One method.
        method: Method,
        /// The other.
        other: Method,
        /// The first pair that only one of them has.
        what: String,
    },
    /// A flow run in two ways ended in different states: a defect of the engine.
    #[error("{work}: {method} and {other} end in different states")]
    Diverged {
        /// The scene and its size.
        work: String,
        /// One way of running it.
        method: String,
        /// The other.
        other: String,
    },
    /// A tree refused generated boxes: a defect of the engine.
    #[error("a tree: {0}")]
    Tree(String),
    /// A flow of grains was refused or cannot go on.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// Ways to run a kernel give different answers, or one refuses generated data: a defect of the
    /// engine.
    #[error("kernel {kernel}, {elements} elements: {what}")]
    Kernel {
        /// The kernel.
        kernel: &'static str,
        /// Elements of the batch.
        elements: usize,
        /// What is wrong.
        what: String,
    },
    /// A generated scene was refused.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A scene of bodies was refused, or the mesh for it.
    #[error(transparent)]
    BodyScene(#[from] BodySceneError),
    /// A world of bodies was refused or cannot go on.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Generated frames make no mesh.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The machine lacks a SIMD level.
    #[error(transparent)]
    Simd(#[from] UnsupportedLevel),
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// An output file could not be written.
    #[error("{}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Standard output is closed or full.
    #[error("standard output: {0}")]
    Stdout(io::Error),
    /// A plot or picture could not be made.
    #[error("cannot draw {0}")]
    Draw(String),
}

impl CliError {
    /// A failure to write `path`.
    pub(crate) fn write(path: &Path, error: io::Error) -> Self {
        Self::Write {
            path: path.to_owned(),
            error,
        }
    }

    /// 2 for wrong usage, 1 for everything else.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }
}
