//! What a scene is, and the scenes by name.

use core::fmt;
use core::str::FromStr;

use glam::DVec3;
use jostle_geom::{MotionError, MovingMesh, Topology, TopologyError};
use thiserror::Error;

use crate::{ClothBall, Fnv, Strands, Tumbling};

/// A topology and two or more frames of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Which scene.
    pub kind: SceneKind,
    /// Faces, edges and the numbering of their boxes; the same in every frame.
    pub topology: Topology,
    /// Positions in metres, one a vertex, frame by frame. At least two frames.
    pub frames: Vec<Vec<DVec3>>,
}

impl Scene {
    pub(crate) fn new(kind: SceneKind, topology: Topology, frames: Vec<Vec<DVec3>>) -> Self {
        Self {
            kind,
            topology,
            frames,
        }
    }

    /// Number of steps: one less than there are frames.
    pub fn step_count(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    /// The motion from frame `index` to the next, or `None` when there is no such step.
    pub fn step(&self, index: usize) -> Option<MovingMesh<'_>> {
        let (t0, t1) = (self.frames.get(index)?, self.frames.get(index + 1)?);
        let step: Result<_, MotionError> = MovingMesh::new(&self.topology, t0, t1);
        // Scenes are finite and of one length by construction; their tests check it.
        step.ok()
    }

    /// FNV-1a over faces, edges and the bits of every coordinate: equal for equal scenes.
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv::default();
        for id in self.topology.faces().iter().flatten() {
            hash.eat(&id.to_le_bytes());
        }
        for id in self.topology.edges().iter().flatten() {
            hash.eat(&id.to_le_bytes());
        }
        for p in self.frames.iter().flatten() {
            for x in p.to_array() {
                hash.eat(&x.to_bits().to_le_bytes());
            }
        }
        hash.value()
    }
}

/// The scenes by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SceneKind {
    /// [`ClothBall`].
    ClothBall,
    /// [`Tumbling`].
    Tumbling,
    /// [`Strands`].
    Strands,
}

impl SceneKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::ClothBall, Self::Tumbling, Self::Strands];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClothBall => "cloth-ball",
            Self::Tumbling => "tumbling",
            Self::Strands => "strands",
        }
    }

    /// One line about it.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::ClothBall => "a sheet draped over a ball, pushed and pinched in the last step",
            Self::Tumbling => "a cloud of cubes and icospheres, each moving and turning",
            Self::Strands => "swaying polylines and falling points over a floor",
        }
    }

    /// The scene with about `boxes` boxes (vertices, edges and faces together) and `frames`
    /// frames.
    ///
    /// # Errors
    /// As the `build` of the scene.
    pub fn with_boxes(self, boxes: usize, frames: usize, seed: u64) -> Result<Scene, SceneError> {
        match self {
            Self::ClothBall => ClothBall::with_boxes(boxes, frames, seed).build(),
            Self::Tumbling => Tumbling {
                boxes,
                frames,
                seed,
            }
            .build(),
            Self::Strands => Strands::with_boxes(boxes, frames, seed).build(),
        }
    }
}

impl fmt::Display for SceneKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SceneKind {
    type Err = UnknownScene;

    fn from_str(name: &str) -> Result<Self, UnknownScene> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownScene(name.to_owned()))
    }
}

/// A scene name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "unknown scene {0:?}: one of cloth-ball, tumbling, strands; of boxes mixed, uniform, clustered, stirred; \
     of grains hopper, column-collapse, drum, tumbler; of bodies box-stack, gear-stack, falling-boxes, bend, twist, \
     displace, chairs, spiky-wheel, cows-on-spikes, bunny-pile, iron-maiden, spinning-gears, primitives, colosseum, \
     funnel"
)]
pub struct UnknownScene(pub String);

/// Why a scene cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A parameter is out of range.
    #[error("scene parameter {name} = {value} must be at least {least}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: usize,
        /// The least value there is.
        least: usize,
    },
    /// A length, angle or ratio is not positive and finite.
    #[error("scene parameter {name} must be positive and finite")]
    NotPositive {
        /// Its name.
        name: &'static str,
    },
    /// Ids are 32 bits wide.
    #[error("{boxes} boxes are more than the 4294967294 that 32-bit ids can name")]
    TooManyBoxes {
        /// How many were asked for.
        boxes: usize,
    },
    /// The mesh is too large.
    #[error(transparent)]
    Topology(#[from] TopologyError),
}

/// Refuses a parameter that is not positive and finite.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), SceneError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(SceneError::NotPositive { name })
    }
}

/// Refuses a parameter below its least value.
pub(crate) fn at_least(name: &'static str, value: usize, least: usize) -> Result<(), SceneError> {
    if value < least {
        return Err(SceneError::Parameter { name, value, least });
    }
    Ok(())
}
