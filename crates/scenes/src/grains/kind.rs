//! The scenes of grains by name.

use std::fmt;
use std::str::FromStr;

use super::{ColumnCollapse, Drum, GrainScene, Hopper, Tumbler};
use crate::{SceneError, UnknownScene};

/// The scenes of grains by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GrainSceneKind {
    /// [`Hopper`].
    Hopper,
    /// [`ColumnCollapse`].
    ColumnCollapse,
    /// [`Drum`].
    Drum,
    /// [`Tumbler`].
    Tumbler,
}

impl GrainSceneKind {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Hopper,
        Self::ColumnCollapse,
        Self::Drum,
        Self::Tumbler,
    ];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hopper => "hopper",
            Self::ColumnCollapse => "column-collapse",
            Self::Drum => "drum",
            Self::Tumbler => "tumbler",
        }
    }

    /// One line about it.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Hopper => {
                "grains leave a silo through a cone with an outlet and come in again at the top"
            }
            Self::ColumnCollapse => "an upright column of grains that spreads into a heap",
            Self::Drum => "a drum, half full, that turns about its level axis",
            Self::Tumbler => "a drum of grains of two sizes, which part as it turns",
        }
    }

    /// The scene with so many grains.
    ///
    /// # Errors
    /// As the `build` of the scene.
    pub fn with_grains(self, grains: usize, seed: u64) -> Result<GrainScene, SceneError> {
        match self {
            Self::Hopper => Hopper {
                grains,
                seed,
                ..Hopper::default()
            }
            .build(),
            Self::ColumnCollapse => ColumnCollapse {
                grains,
                seed,
                ..ColumnCollapse::default()
            }
            .build(),
            Self::Drum => Drum {
                grains,
                seed,
                ..Drum::default()
            }
            .build(),
            Self::Tumbler => Tumbler {
                grains,
                seed,
                ..Tumbler::default()
            }
            .build(),
        }
    }
}

impl fmt::Display for GrainSceneKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GrainSceneKind {
    type Err = UnknownScene;

    fn from_str(name: &str) -> Result<Self, UnknownScene> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownScene(name.to_owned()))
    }
}
