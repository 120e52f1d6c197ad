//! Every broad phase behind one interface.
//!
//! A scene has *fixed* boxes, which never move, and *moving* ones, which get new bounds each frame.
//! Asked for are all pairs of a moving box with a fixed one or with another moving one. Fixed box `i`
//! has the id `i`, moving box `j` the id `f + j` for `f` fixed boxes. All methods report the
//! same set.

mod auto;
mod blocks;
mod brute;
mod brute8;
mod cells;
mod dual;
mod dynamic;
mod grid;
mod h8;
mod hash;
mod index;
mod sap;
mod sizes;
mod sweep;
mod tasks;
mod trees;

use core::fmt;
use core::str::FromStr;

use fearless_simd::Level;
use jostle_geom::Aabb;
use thiserror::Error;

use index::IndexPhase;
use trees::TreePhase;

use crate::BoxError;
use crate::boxes::{MAX_BOXES, check};
use crate::bvh::{Builder, Bvh, Bvh4, Bvh8, Counters};
use crate::pair_sort::sort_pairs;

/// A broad phase that lives from frame to frame.
pub trait BroadPhase: Send {
    /// Which method this is.
    fn method(&self) -> Method;

    /// Forgets everything and takes the boxes of a new scene.
    ///
    /// # Errors
    /// A box that is inverted or has a NaN bound, or too many boxes; the index is the box's id.
    fn build(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError>;

    /// Takes the moving boxes of the next frame; their number may change.
    ///
    /// # Errors
    /// As for [`build`](Self::build). The boxes of the last frame then stay.
    fn update(&mut self, moving: &[Aabb]) -> Result<(), BoxError>;

    /// Appends the pairs of this frame to `pairs`, smaller id first, each once, in an order that
    /// depends on the boxes alone.
    ///
    /// # Errors
    /// More pairs than [`PairOptions::pair_limit`]; `pairs` then holds that many.
    fn append_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<Counters, PairError>;

    /// Bytes held between frames.
    fn memory_bytes(&self) -> usize;

    /// The surface area cost of the tree over the fixed boxes, or over all of them when there is
    /// only one tree; `None` for methods without a binary tree.
    fn sah_cost(&self) -> Option<f64> {
        None
    }

    /// Treelets rebuilt by the last update.
    fn rebuilt_treelets(&self) -> usize {
        0
    }
}

/// The broad phases over boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// What is fastest for the number of boxes.
    #[default]
    Auto,
    /// The Hilbert tree of eights.
    H8,
    /// A sweep along one axis inside cells of the other two.
    Sweep,
    /// Sorted bounds and pairs that are kept from frame to frame: incremental sweep and prune.
    Sap,
    /// Uniform grids, one for each size of boxes.
    Grid,
    /// Spatial hashes, one for each size of boxes.
    Hash,
    /// Two binary trees.
    Bvh2,
    /// Two trees with four children a node.
    Bvh4,
    /// Two trees with eight children a node.
    Bvh8,
    /// A binary tree over the fixed boxes, a dynamic one over the moving ones, kept from frame to
    /// frame.
    Dynamic,
    /// Trees of static chunks, another one of what moves.
    Dual,
    /// Every pair, eight at a time.
    Brute8,
    /// Every pair.
    Brute,
}

impl Method {
    /// All of them, the default first.
    pub const ALL: [Self; 13] = [
        Self::Auto,
        Self::H8,
        Self::Sweep,
        Self::Sap,
        Self::Grid,
        Self::Hash,
        Self::Bvh2,
        Self::Bvh4,
        Self::Bvh8,
        Self::Dynamic,
        Self::Dual,
        Self::Brute8,
        Self::Brute,
    ];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::H8 => "h8",
            Self::Sweep => "sweep",
            Self::Sap => "sap",
            Self::Grid => "grid",
            Self::Hash => "hash",
            Self::Bvh2 => "bvh2",
            Self::Bvh4 => "bvh4",
            Self::Bvh8 => "bvh8",
            Self::Dynamic => "dynamic",
            Self::Dual => "dual",
            Self::Brute8 => "brute8",
            Self::Brute => "brute",
        }
    }

    /// Whether the work grows with the square of the number of boxes whatever they are.
    pub const fn tests_every_pair(self) -> bool {
        matches!(self, Self::Brute8 | Self::Brute)
    }

    /// A broad phase of this kind, without boxes yet.
    pub fn start(self, options: &PairOptions) -> Box<dyn BroadPhase> {
        match self {
            Self::Auto => Box::new(auto::AutoPhase::new(options)),
            Self::H8 => Box::new(IndexPhase::<h8::H8Index>::new(options)),
            Self::Sweep => Box::new(IndexPhase::<sweep::SweepIndex>::new(options)),
            Self::Sap => Box::new(sap::SapPhase::new(options)),
            Self::Grid => Box::new(IndexPhase::<grid::GridIndex>::new(options)),
            Self::Hash => Box::new(IndexPhase::<hash::HashIndex>::new(options)),
            Self::Bvh2 => Box::new(TreePhase::<Bvh>::new(self, options)),
            Self::Bvh4 => Box::new(TreePhase::<Bvh4>::new(self, options)),
            Self::Bvh8 => Box::new(TreePhase::<Bvh8>::new(self, options)),
            Self::Dynamic => Box::new(dynamic::DynamicPhase::new(options)),
            Self::Dual => Box::new(dual::DualPhase::new(options)),
            Self::Brute8 => Box::new(IndexPhase::<brute8::Brute8Index>::new(options)),
            Self::Brute => Box::new(brute::BrutePhase::new(options)),
        }
    }

    /// All pairs of overlapping boxes as ascending ids, sorted.
    ///
    /// # Errors
    /// Boxes without a defined answer, or more pairs than the limit.
    pub fn self_pairs(
        self,
        boxes: &[Aabb],
        options: &PairOptions,
    ) -> Result<Vec<[u32; 2]>, PairError> {
        let mut phase = self.start(options);
        phase.build(&[], boxes)?;
        let mut pairs = Vec::new();
        phase.append_pairs(&mut pairs)?;
        sort_pairs(&mut pairs, boxes.len());
        Ok(pairs)
    }
}

/// How to look for pairs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PairOptions {
    /// The kernels to use; the pairs are the same at every level.
    pub level: Level,
    /// The builder of the binary trees, where the method has any.
    pub builder: Builder,
    /// Most pairs that may be reported in a frame; `None` for as many as there are.
    pub pair_limit: Option<usize>,
}

impl Default for PairOptions {
    fn default() -> Self {
        Self {
            level: Level::new(),
            builder: Builder::default(),
            pair_limit: None,
        }
    }
}

/// Why there is no list of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PairError {
    /// A box without a defined answer.
    #[error(transparent)]
    Box(#[from] BoxError),
    /// More pairs than were allowed.
    #[error("more than the {limit} pairs allowed")]
    TooManyPairs {
        /// How many are allowed.
        limit: usize,
    },
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Self::ALL
            .into_iter()
            .find(|method| method.name() == name)
            .ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

/// A method name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown method {0:?}: one of {names}", names = Method::ALL.map(Method::name).join(", "))]
pub struct UnknownMethod(pub String);

/// Checks both lists; the index of an error is the id of the box.
pub(crate) fn check_scene(fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
    check(fixed)?;
    check_moving(fixed.len(), moving)
}

/// Checks the moving boxes of a scene with `fixed` fixed ones.
pub(crate) fn check_moving(fixed: usize, moving: &[Aabb]) -> Result<(), BoxError> {
    let boxes = fixed + moving.len();
    if boxes > MAX_BOXES {
        return Err(BoxError::TooMany {
            boxes,
            limit: MAX_BOXES,
        });
    }
    check(moving).map_err(|error| error.shifted(fixed))
}
