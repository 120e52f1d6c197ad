//! Names of boxes that outlive them.

use core::sync::atomic::{AtomicU32, Ordering};

use glam::Vec3;
use thiserror::Error;

use super::DynamicTree;
use crate::BoxError;
use crate::bvh::Node;

/// Names a box of a [`DynamicTree`] from its insertion to its removal. A handle that was removed,
/// or that belongs to another tree, is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle {
    index: u32,
    generation: u32,
    tree: u32,
}

impl Handle {
    /// The place of the box in the tree's tables: what queries report. Indices are small, and used
    /// again after a removal.
    pub fn index(self) -> u32 {
        self.index
    }
}

/// Why a handle names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HandleError {
    /// The box was removed.
    #[error("box {index} of the dynamic tree was removed")]
    Removed {
        /// The index it had.
        index: u32,
    },
    /// The handle comes from another tree.
    #[error("the handle with index {index} belongs to another tree")]
    Foreign {
        /// Its index there.
        index: u32,
    },
}

/// Why a box cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum InsertError {
    /// A box without a defined answer.
    #[error(transparent)]
    Box(#[from] BoxError),
    /// The tree is full.
    #[error("the tree holds {limit} boxes already, no more can be named")]
    Full {
        /// How many it can hold.
        limit: usize,
    },
}

/// Why a box cannot be moved.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// A box without a defined answer.
    #[error(transparent)]
    Box(#[from] BoxError),
    /// A handle that names nothing.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// A displacement that is not finite.
    #[error("move {index} has a displacement that is not finite: {displacement}")]
    Displacement {
        /// Which move, from 0.
        index: usize,
        /// The displacement, metres a frame.
        displacement: Vec3,
    },
}

/// What the tree knows about an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// The node of the leaf; the next unused slot while there is none.
    pub(super) node: u32,
    /// Odd while there is a box; one more at each insertion and each removal.
    pub(super) generation: u32,
    /// The frame in which the box moved last.
    pub(super) moved: u32,
    /// Whether the update that is going on has seen it.
    pub(super) dirty: bool,
}

impl Slot {
    pub(super) fn is_live(&self) -> bool {
        self.generation & 1 == 1
    }
}

/// A number that no other tree of this process has (until four billion of them were made).
pub(super) fn next_tree() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl DynamicTree {
    /// The present handle of a slot.
    pub(super) fn handle(&self, index: u32) -> Handle {
        Handle {
            index,
            generation: self.slots[index as usize].generation,
            tree: self.tree,
        }
    }

    /// The slot that a handle names.
    pub(super) fn resolve(&self, handle: Handle) -> Result<u32, HandleError> {
        let index = handle.index;
        if handle.tree != self.tree {
            return Err(HandleError::Foreign { index });
        }
        match self.slots.get(index as usize) {
            Some(slot) if slot.generation == handle.generation => Ok(index),
            _ => Err(HandleError::Removed { index }),
        }
    }

    /// An unused slot.
    pub(super) fn claim_slot(&mut self) -> Result<u32, InsertError> {
        if self.free_slot != Node::NONE {
            let index = self.free_slot;
            self.free_slot = self.slots[index as usize].node;
            return Ok(index);
        }
        let index = self.slots.len();
        if index >= Self::MAX_BOXES {
            return Err(InsertError::Full {
                limit: Self::MAX_BOXES,
            });
        }
        self.slots.push(Slot {
            node: Node::NONE,
            generation: 0,
            moved: 0,
            dirty: false,
        });
        self.tight.push(jostle_geom::Aabb::EMPTY);
        Ok(index as u32)
    }
}
