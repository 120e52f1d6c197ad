//! Builders of the binary tree.

mod cluster;
mod emit;
mod median;
mod morton;
mod record;
mod reinsert;
mod sah;
mod small;
mod sweep;

use core::fmt;
use core::str::FromStr;

use fearless_simd::Level;
use jostle_geom::Aabb;
use thiserror::Error;

use self::record::{Record, Scale};
use super::Bvh;
use crate::BoxError;
use crate::boxes::check;
use crate::h8::join_level;
use crate::tuning::{
    BALANCED_BINS, BALANCED_CLUSTER, BEST_BINS, FAST_CLUSTER, HLBVH_BINS, HLBVH_CLUSTER,
    REINSERT_ROUNDS, SAH_BINS,
};

/// The ways to build a [`Bvh`]. All give the same tree for any number of threads and any SIMD
/// level.
///
/// The presets are [`Fast`](Self::Fast), [`Balanced`](Self::Balanced) and [`Best`](Self::Best);
/// `docs/bvh.md` has their costs and times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Builder {
    /// Halves the boxes at the median centre of the longest axis.
    Median,
    /// The surface area heuristic at every split on three axes.
    SahFull,
    /// The surface area heuristic with bins on three axes.
    SahBinned,
    /// Splits where bits of 30-bit Morton codes change.
    Lbvh30,
    /// Splits where bits of 63-bit Morton codes change.
    Lbvh63,
    /// The surface area heuristic over small clusters of Morton codes.
    Hlbvh,
    /// For trees that are used once or twice: small clusters along a Hilbert curve, few bins.
    Fast,
    /// For trees that are used for a while: large clusters along a Hilbert curve, bins on three axes.
    #[default]
    Balanced,
    /// For trees that are built once: bins on three axes, then improved by reinsertion.
    Best,
}

impl Builder {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Median,
        Self::SahFull,
        Self::SahBinned,
        Self::Lbvh30,
        Self::Lbvh63,
        Self::Hlbvh,
        Self::Fast,
        Self::Balanced,
        Self::Best,
    ];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Median => "median",
            Self::SahFull => "sah-full",
            Self::SahBinned => "sah-binned",
            Self::Lbvh30 => "lbvh",
            Self::Lbvh63 => "lbvh63",
            Self::Hlbvh => "hlbvh",
            Self::Fast => "fast",
            Self::Balanced => "balanced",
            Self::Best => "best",
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
        if boxes.is_empty() {
            return Ok(Self::default());
        }
        let level = join_level(level);
        let scale = Scale::of(boxes);
        let records = || scale.records(boxes);
        let mut tree = match builder {
            Builder::Median => {
                let mut records = records();
                emit::tree(boxes.len(), |place| median::build(&mut records, place))
            }
            Builder::SahFull => {
                let records = records();
                emit::tree(boxes.len(), |place| sweep::build(&records, place))
            }
            Builder::SahBinned => binned::<SAH_BINS>(&mut records(), level),
            Builder::Lbvh30 => morton::lbvh(boxes, scale, level),
            Builder::Lbvh63 => morton::lbvh63(boxes, scale),
            Builder::Hlbvh => morton::hlbvh::<HLBVH_BINS>(boxes, scale, HLBVH_CLUSTER, level),
            Builder::Fast => morton::hlbvh::<HLBVH_BINS>(boxes, scale, FAST_CLUSTER, level),
            Builder::Balanced => {
                cluster::hilbert::<BALANCED_BINS, true>(boxes, scale, BALANCED_CLUSTER, level)
            }
            Builder::Best => {
                let tree = binned::<BEST_BINS>(&mut records(), level);
                reinsert::improve(&tree, REINSERT_ROUNDS, level).unwrap_or(tree)
            }
        };
        if scale.changes() {
            tree.fit(boxes);
        }
        Ok(tree)
    }
}

/// Bins on three axes over all records.
fn binned<const BINS: usize>(records: &mut [Record], level: Level) -> Bvh {
    let mut spare = record::room(records.len());
    emit::tree(records.len(), |place| {
        sah::build::<BINS, true>(records, &mut spare, place, 0, level);
    })
}
