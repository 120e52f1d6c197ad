//! Degraded treelets, those that lost most first.

use super::DynamicTree;
use super::arena::Inner;
use crate::bvh::Node;
use crate::tuning::DEGRADED;

/// Lists by the leading bits of a loss: sign (never set), exponent and one bit of the fraction, so
/// that losses of a list differ by half at most.
const LISTS: usize = 1 << 9;

/// Doubly linked lists of treelets by loss, threaded through [`Inner`]: O(1) to enter, leave and
/// move, and a few words to look at for the worst.
#[derive(Clone, Debug)]
pub(super) struct LossQueue {
    first: Vec<u32>,
    /// Which lists have members.
    filled: [u64; LISTS / 64],
}

impl Default for LossQueue {
    fn default() -> Self {
        Self {
            first: vec![Node::NONE; LISTS],
            filled: [0; LISTS / 64],
        }
    }
}

impl LossQueue {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The treelet that lost most, up to the width of a list.
    pub(super) fn worst(&self) -> Option<u32> {
        let word = (0..self.filled.len())
            .rev()
            .find(|&w| self.filled[w] != 0)?;
        let list = 64 * word + 63 - self.filled[word].leading_zeros() as usize;
        Some(self.first[list])
    }
}

/// The list for a loss that is not negative.
fn list(loss: f32) -> u16 {
    (loss.to_bits() >> 22) as u16
}

impl DynamicTree {
    /// Whether the inner node with this pair is the topmost of its treelet.
    pub(super) fn is_treelet(&self, pair: u32) -> bool {
        let at = self.nodes[2 * pair as usize + 1].parent();
        if at == 0 {
            return true;
        }
        let above = Self::pair_of(at);
        self.inner[above as usize].class() != self.inner[pair as usize].class()
    }

    /// The list in which a treelet should be.
    pub(super) fn wanted_list(&self, pair: u32) -> u16 {
        let Inner {
            cost,
            loss,
            residue,
            ..
        } = self.inner[pair as usize];
        let loss = loss - residue;
        if loss > DEGRADED * (cost - loss) && self.is_treelet(pair) {
            list(loss)
        } else {
            Inner::UNQUEUED
        }
    }

    /// Puts a treelet where its loss belongs; out of the queue if it lost little, or if the node
    /// begins no treelet.
    #[inline]
    pub(super) fn requeue(&mut self, pair: u32) {
        let wanted = self.wanted_list(pair);
        if self.inner[pair as usize].list == wanted {
            return;
        }
        self.unqueue(pair);
        if wanted == Inner::UNQUEUED {
            return;
        }
        let list = usize::from(wanted);
        let next = self.queue.first[list];
        if next != Node::NONE {
            self.inner[next as usize].prev = pair;
        }
        let here = &mut self.inner[pair as usize];
        (here.prev, here.next, here.list) = (Node::NONE, next, wanted);
        self.queue.first[list] = pair;
        self.queue.filled[list / 64] |= 1 << (list % 64);
    }

    /// Takes a treelet out of the queue.
    pub(super) fn unqueue(&mut self, pair: u32) {
        let Inner {
            prev, next, list, ..
        } = self.inner[pair as usize];
        if list == Inner::UNQUEUED {
            return;
        }
        if next != Node::NONE {
            self.inner[next as usize].prev = prev;
        }
        if prev == Node::NONE {
            let list = usize::from(list);
            self.queue.first[list] = next;
            if next == Node::NONE {
                self.queue.filled[list / 64] &= !(1 << (list % 64));
            }
        } else {
            self.inner[prev as usize].next = next;
        }
        self.inner[pair as usize].list = Inner::UNQUEUED;
    }

    /// Treelets in the queue.
    pub(super) fn queued(&self) -> usize {
        let chain = |&first: &u32| {
            core::iter::successors(Some(first).filter(|&p| p != Node::NONE), |&p| {
                Some(self.inner[p as usize].next).filter(|&p| p != Node::NONE)
            })
            .count()
        };
        self.queue.first.iter().map(chain).sum()
    }
}
