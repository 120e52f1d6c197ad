//! New bounds for boxes, one at a time or many at once.

use glam::Vec3;
use jostle_geom::Aabb;

use super::arena::area;
use super::{DynamicTree, Handle, UpdateError};
use crate::boxes::check;
use crate::bvh::Node;
use crate::tuning::STORED_SLACK;

/// New bounds of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// Which box.
    pub handle: Handle,
    /// Its new bounds.
    pub aabb: Aabb,
    /// By how much it is expected to move in the next frame, metres a frame; zero when unknown. Used
    /// with [`look_ahead`](super::DynamicOptions::look_ahead) only.
    pub displacement: Vec3,
}

impl Move {
    /// New bounds without a displacement.
    pub fn new(handle: Handle, aabb: Aabb) -> Self {
        Self {
            handle,
            aabb,
            displacement: Vec3::ZERO,
        }
    }
}

/// What new bounds of a leaf mean for the tree.
enum Change {
    /// Nothing, or nothing more than is known already.
    None,
    /// Nodes above have to be computed.
    Refit,
    /// The leaf belongs elsewhere.
    Jump,
}

/// Set beside the number of pending children when one of them changed.
const CHANGED: u8 = 0x80;

impl DynamicTree {
    /// Gives a box new bounds. Cost: O(1) while they stay inside the stored box, else O(depth).
    ///
    /// # Errors
    /// A handle that was removed or belongs to another tree; a box that is inverted or has a NaN
    /// bound (named with index 0).
    pub fn set(&mut self, handle: Handle, aabb: Aabb) -> Result<(), UpdateError> {
        self.update(&[Move::new(handle, aabb)])
    }

    /// As [`set`](Self::set) for a box that is expected to move by `displacement` metres in the next
    /// frame.
    ///
    /// # Errors
    /// As for `set`; a displacement that is not finite.
    pub fn set_moving(
        &mut self,
        handle: Handle,
        aabb: Aabb,
        displacement: Vec3,
    ) -> Result<(), UpdateError> {
        self.update(&[Move {
            handle,
            aabb,
            displacement,
        }])
    }

    /// Gives many boxes new bounds; where a handle comes twice the last one counts. Every inner
    /// node above a changed leaf is computed once, and none above one that stays as it is. A leaf whose
    /// new box does not meet its parent's old bounds is taken out and inserted anew.
    ///
    /// Cost: O(moves + nodes above them), and an insertion for each leaf that jumped.
    ///
    /// # Errors
    /// As for [`set_moving`](Self::set_moving); the index is that of the move. The tree is then as
    /// before.
    pub fn update(&mut self, moves: &[Move]) -> Result<(), UpdateError> {
        for (index, one) in moves.iter().enumerate() {
            check(&[one.aabb]).map_err(|error| error.shifted(index))?;
            self.resolve(one.handle)?;
            if !one.displacement.is_finite() {
                return Err(UpdateError::Displacement {
                    index,
                    displacement: one.displacement,
                });
            }
        }
        let mut dirty = core::mem::take(&mut self.scratch.dirty);
        let mut jumped = core::mem::take(&mut self.scratch.jumped);
        for one in moves {
            let index = one.handle.index();
            match self.take_box(index, &one.aabb, one.displacement) {
                Change::None => {}
                Change::Refit => dirty.push(index),
                Change::Jump => jumped.push(index),
            }
        }
        self.refit(&dirty);
        for &index in &jumped {
            let at = self.slots[index as usize].node;
            let stored = self.nodes[at as usize].bounds();
            self.detach(at);
            self.live -= 1;
            self.attach(index, &stored);
            self.live += 1;
        }
        self.work.reinserted += jumped.len();
        dirty.clear();
        jumped.clear();
        (self.scratch.dirty, self.scratch.jumped) = (dirty, jumped);
        Ok(())
    }

    /// Takes the bounds of a leaf and says what has to be done about it.
    fn take_box(&mut self, index: u32, aabb: &Aabb, displacement: Vec3) -> Change {
        self.tight[index as usize] = *aabb;
        let at = self.slots[index as usize].node as usize;
        let bounds = self.nodes[at].bounds();
        let slot = &mut self.slots[index as usize];
        let fresh = slot.moved != self.frame;
        slot.moved = self.frame;
        let stored = self.enlarged(aabb, displacement);
        // A stored box that has become much too large prunes badly.
        let stays = bounds == stored
            || self.is_enlarging()
                && bounds.contains(aabb)
                && area(&bounds) <= STORED_SLACK * area(&stored);
        if stays {
            if fresh {
                self.mark_moved(at as u32);
            }
            return Change::None;
        }
        self.work.restored += 1;
        let parent = self.nodes[at].parent();
        self.nodes[at].set_bounds(&stored);
        if parent != Node::NONE && !self.nodes[parent as usize].bounds().overlaps(&stored) {
            return Change::Jump;
        }
        let slot = &mut self.slots[index as usize];
        if core::mem::replace(&mut slot.dirty, true) {
            Change::None
        } else {
            Change::Refit
        }
    }

    /// Marks the ancestors of a leaf as having something below that moved.
    fn mark_moved(&mut self, mut at: u32) {
        while at != 0 {
            let pair = Self::pair_of(at);
            let inner = &mut self.inner[pair as usize];
            if inner.moved == self.frame {
                return;
            }
            inner.moved = self.frame;
            at = self.nodes[at as usize].parent();
        }
    }

    /// Brings everything above the leaves of these slots up to date: a first climb counts for each
    /// ancestor the children that will report to it, a second one computes each when the last of
    /// them has.
    fn refit(&mut self, dirty: &[u32]) {
        for &index in dirty {
            let slot = &mut self.slots[index as usize];
            slot.dirty = false;
            let mut at = slot.node;
            while at != 0 {
                let pair = Self::pair_of(at) as usize;
                self.inner[pair].moved = self.frame;
                self.pending[pair] += 1;
                if self.pending[pair] > 1 {
                    break;
                }
                at = self.nodes[at as usize].parent();
            }
        }
        for &index in dirty {
            let mut at = self.slots[index as usize].node;
            let mut changed = true;
            while at != 0 {
                let pair = Self::pair_of(at);
                let pending = &mut self.pending[pair as usize];
                *pending -= 1;
                if changed {
                    *pending |= CHANGED;
                }
                if *pending & !CHANGED != 0 {
                    break;
                }
                changed = *pending != 0;
                *pending = 0;
                if changed {
                    self.work.refitted += 1;
                    changed = self.refit_node(pair);
                }
                at = self.nodes[at as usize].parent();
            }
        }
        debug_assert!(self.nodes.first().is_none_or(|n| n.parent() == Node::NONE));
    }
}
