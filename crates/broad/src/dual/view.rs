//! An immutable state of a world, cheap to share.

use std::sync::Arc;

use fearless_simd::Level;

use super::asleep::Tier;
use super::chunk::Chunk;
use super::ids::{BodyId, ChunkId, Item, Pair};
use super::join::Group;

/// The boxes of a world as of its last update: shares its trees, never changes, and may be sent to
/// other threads. Cost of a clone: four reference counts.
#[derive(Clone, Debug)]
pub struct WorldView {
    pub(super) world: u32,
    pub(super) level: Level,
    pub(super) chunks: Arc<Vec<Chunk>>,
    pub(super) asleep: Arc<Vec<Arc<Tier>>>,
    pub(super) moving: Arc<Group>,
    pub(super) generations: Arc<Vec<u32>>,
}

impl WorldView {
    pub(super) fn new(world: u32, level: Level) -> Self {
        Self {
            world,
            level,
            chunks: Arc::default(),
            asleep: Arc::default(),
            moving: Arc::default(),
            generations: Arc::default(),
        }
    }

    pub(super) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// The name of the body in a slot.
    #[inline(always)]
    pub(super) fn body(&self, slot: u32) -> BodyId {
        BodyId {
            slot,
            generation: self.generations[slot as usize],
            world: self.world,
        }
    }

    #[inline(always)]
    pub(super) fn static_pair(&self, chunk: ChunkId, [index, slot]: [u32; 2]) -> Pair {
        Pair {
            a: Item::Static { chunk, index },
            b: Item::Body(self.body(slot)),
        }
    }

    #[inline(always)]
    pub(super) fn body_pair(&self, [a, b]: [u32; 2]) -> Pair {
        Pair {
            a: Item::Body(self.body(a)),
            b: Item::Body(self.body(b)),
        }
    }
}
