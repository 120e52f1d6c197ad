//! Builders of the binary tree.

mod median;

use core::fmt;
use core::str::FromStr;

use fearless_simd::Level;
use jostle_geom::Aabb;
use thiserror::Error;

use super::Bvh;
use crate::BoxError;
use crate::boxes::check;

/// The ways to build a [`Bvh`]. All give the same tree for any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Builder {
    /// Halves the boxes at the median centre of the longest axis.
    #[default]
    Median,
}

impl Builder {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::Median];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Median => "median",
        }
    }
}

impl fmt::Display for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Builder {
    type Err = UnknownBuilder;

    fn from_str(name: &str) -> Result<Self, UnknownBuilder> {
        Self::ALL
            .into_iter()
            .find(|builder| builder.name() == name)
            .ok_or_else(|| UnknownBuilder(name.to_owned()))
    }
}

/// A builder name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown builder {0:?}: one of {names}", names = Builder::ALL.map(Builder::name).join(", "))]
pub struct UnknownBuilder(pub String);

impl Bvh {
    /// Most boxes a tree can hold.
    pub const MAX_BOXES: usize = (1 << 31) - 1;

    /// Builds a tree over boxes; the leaf of box `i` carries the id `i`. `level` chooses among
    /// kernels that give the same tree.
    ///
    /// # Errors
    /// A box that is inverted or has a NaN bound, or more than [`Bvh::MAX_BOXES`] boxes.
    pub fn build(boxes: &[Aabb], builder: Builder, level: Level) -> Result<Self, BoxError> {
        check(boxes)?;
        if boxes.len() > Self::MAX_BOXES {
            return Err(BoxError::TooMany {
                boxes: boxes.len(),
                limit: Self::MAX_BOXES,
            });
        }
        let _ = level;
        Ok(match builder {
            Builder::Median => median::build(boxes),
        })
    }
}
