//! Chunks of static boxes, built at once or in the background.

use std::sync::{Arc, OnceLock};

use fearless_simd::Level;
use jostle_geom::Aabb;
use thiserror::Error;

use super::blocks::BlockTree;
use super::filter::{ChunkFilters, Filter, StaticFilters};
use super::ids::{ChunkId, HandleError};
use crate::BoxError;
use crate::bvh::{Builder, Bvh};

/// Why a chunk was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StaticError {
    /// A box without a defined answer, or too many of them.
    #[error(transparent)]
    Box(#[from] BoxError),
    /// A chunk that does not exist.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// Not one filter for each box.
    #[error("{filters} filters for {boxes} boxes")]
    Filters {
        /// How many filters there are.
        filters: usize,
        /// How many boxes.
        boxes: usize,
    },
    /// More chunks than can be named.
    #[error("more chunks than ids can name")]
    TooManyChunks,
}

/// A chunk in the world: its tree, and what it was built from by way of it.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) id: ChunkId,
    pub(super) built: Arc<Built>,
}

/// A built tree, not yet in a world.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) tree: BlockTree,
    pub(super) filters: ChunkFilters,
    pub(super) cost: f64,
}

impl Built {
    fn new(
        boxes: &[Aabb],
        filters: &StaticFilters,
        builder: Builder,
        level: Level,
    ) -> Result<Self, StaticError> {
        if let StaticFilters::Each(each) = filters
            && each.len() != boxes.len()
        {
            return Err(StaticError::Filters {
                filters: each.len(),
                boxes: boxes.len(),
            });
        }
        let binary = Bvh::build(boxes, builder, level)?;
        let tree = BlockTree::collapse(&binary);
        Ok(Self {
            filters: ChunkFilters::new(filters, &tree),
            cost: binary.sah_cost(),
            tree,
        })
    }

    /// Whether every box of the chunk has the default filter.
    pub(super) fn is_default(&self) -> bool {
        matches!(self.filters, ChunkFilters::Same(Filter::DEFAULT))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.tree.memory_bytes() + self.filters.memory_bytes()
    }
}

/// How a chunk is built.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StaticOptions {
    /// The builder of its tree.
    pub builder: Builder,
    /// The kernels to use; the tree is the same at every level.
    pub level: Level,
    /// The filters of its boxes.
    pub filters: StaticFilters,
}

impl Default for StaticOptions {
    fn default() -> Self {
        Self {
            builder: STATIC_BUILDER,
            level: Level::new(),
            filters: StaticFilters::default(),
        }
    }
}

/// The builder of static trees: they are built once and asked every frame.
pub(super) const STATIC_BUILDER: Builder = Builder::Best;

/// A chunk being built, in the background where there are threads.
///
/// [`DualTree::install`](super::DualTree::install) puts it into a world; until then the world
/// answers as before.
#[derive(Debug)]
pub struct StaticBuild {
    result: Arc<OnceLock<Result<Arc<Built>, StaticError>>>,
}

impl StaticBuild {
    /// Starts to build. With the feature `parallel` the work goes to the thread pool and the call
    /// returns at once; without it the chunk is built before the call returns.
    pub fn start(boxes: Vec<Aabb>, options: StaticOptions) -> Self {
        let result = Arc::new(OnceLock::new());
        let writer = Arc::clone(&result);
        let work = move || {
            let built = Built::new(&boxes, &options.filters, options.builder, options.level);
            // Nobody else writes.
            let _ = writer.set(built.map(Arc::new));
        };
        #[cfg(feature = "parallel")]
        rayon::spawn(work);
        #[cfg(not(feature = "parallel"))]
        work();
        Self { result }
    }

    /// Builds before the call returns.
    ///
    /// # Errors
    /// What is wrong with the boxes or filters.
    pub(super) fn now(boxes: &[Aabb], options: &StaticOptions) -> Result<Arc<Built>, StaticError> {
        Built::new(boxes, &options.filters, options.builder, options.level).map(Arc::new)
    }

    /// Whether it is finished, so that installing it does not wait.
    pub fn is_ready(&self) -> bool {
        self.result.get().is_some()
    }

    /// Waits for the tree.
    pub(super) fn finish(self) -> Result<Arc<Built>, StaticError> {
        // A thread of the pool must not block: the build may be waiting for that very thread.
        #[cfg(feature = "parallel")]
        while !self.is_ready() {
            match rayon::yield_now() {
                Some(rayon::Yield::Executed) => {}
                Some(rayon::Yield::Idle) => std::thread::yield_now(),
                None => break,
            }
        }
        self.result.wait().clone()
    }
}
