//! Names of what is in a world.

use core::sync::atomic::{AtomicU32, Ordering};

use thiserror::Error;

/// A body of a [`DualTree`](super::DualTree). Names of removed bodies, and of bodies of other worlds,
/// are recognised and refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId {
    pub(super) slot: u32,
    pub(super) generation: u32,
    pub(super) world: u32,
}

impl BodyId {
    /// The place of the body in the world's tables, which is used again after a removal: a compact
    /// index for tables of the caller's own.
    pub fn slot(self) -> usize {
        self.slot as usize
    }
}

/// A chunk of static boxes of a [`DualTree`](super::DualTree). Recognised and refused as
/// [`BodyId`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkId {
    pub(super) slot: u32,
    pub(super) generation: u32,
    pub(super) world: u32,
}

impl ChunkId {
    /// The place of the chunk in the world's tables, which is used again after a removal.
    pub fn slot(self) -> usize {
        self.slot as usize
    }
}

/// A box of a world. Static boxes come before bodies in the order of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Item {
    /// A static box.
    Static {
        /// Its chunk.
        chunk: ChunkId,
        /// Its place in the list the chunk was built from.
        index: u32,
    },
    /// A body.
    Body(BodyId),
}

/// Two items whose boxes overlap, the smaller first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// The smaller item.
    pub a: Item,
    /// The larger item; always a body, except among static–static pairs.
    pub b: Item,
}

/// A name that means nothing in this world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HandleError {
    /// The body has been removed.
    #[error("body {} (generation {}) has been removed", .0.slot, .0.generation)]
    RemovedBody(BodyId),
    /// The body belongs to another world.
    #[error("body {} belongs to world {}, not to this one", .0.slot, .0.world)]
    ForeignBody(BodyId),
    /// The chunk has been removed or replaced.
    #[error("chunk {} (generation {}) has been removed or replaced", .0.slot, .0.generation)]
    RemovedChunk(ChunkId),
    /// The chunk belongs to another world.
    #[error("chunk {} belongs to world {}, not to this one", .0.slot, .0.world)]
    ForeignChunk(ChunkId),
}

/// A number no other world of this process has had (until 2³² worlds have been made).
pub(super) fn new_world() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
