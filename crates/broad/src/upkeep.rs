//! Keep a tree from frame to frame, or build one in every frame?

use core::fmt;

use crate::tuning::{REBUILD_BELOW, REBUILD_SHARE, REST_BELOW, REST_SHARE};

/// Treelets that [`DynamicTree::maintain`](crate::dynamic::DynamicTree::maintain) should rebuild a
/// frame, unless there is a reason for another number.
pub const TREELETS: usize = crate::tuning::TREELETS;

/// How a tree over moving bodies follows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Upkeep {
    /// A tree of eights, built from nothing in every frame.
    Rebuild,
    /// What has not moved keeps its place: a dynamic tree, refitted, with the worst of its treelets
    /// rebuilt; or, in a dual tree, trees of the bodies that rest.
    Incremental,
}

impl fmt::Display for Upkeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rebuild => "rebuild",
            Self::Incremental => "incremental",
        })
    }
}

/// The faster way to follow `total` bodies of which `moving` move in a frame, by measurement
/// (`docs/performance.md` has the table): building costs the same whatever moves, keeping costs by
/// what moves.
pub fn choose(total: usize, moving: usize) -> Upkeep {
    if total < REBUILD_BELOW || moving as f64 > REBUILD_SHARE * total as f64 {
        Upkeep::Rebuild
    } else {
        Upkeep::Incremental
    }
}

/// The faster way for a [`DualTree`](crate::dual::DualTree) of `total` bodies of which `moving` move in a
/// frame, by measurement: resting costs nothing, but going to rest and waking cost more than being
/// sorted once.
pub fn choose_resting(total: usize, moving: usize) -> Upkeep {
    if total < REST_BELOW || moving as f64 > REST_SHARE * total as f64 {
        Upkeep::Rebuild
    } else {
        Upkeep::Incremental
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rests_is_kept() {
        assert_eq!(choose(0, 0), Upkeep::Rebuild);
        assert_eq!(choose(100_000, 100_000), Upkeep::Rebuild);
        assert_eq!(choose(100_000, 10), Upkeep::Incremental);
        assert_eq!(choose_resting(100_000, 100_000), Upkeep::Rebuild);
        assert_eq!(choose_resting(100_000, 1_000), Upkeep::Incremental);
    }
}
