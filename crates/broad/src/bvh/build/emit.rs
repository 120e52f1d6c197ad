//! Where the nodes of a subtree go.

use bytemuck::allocation::zeroed_vec;
use jostle_geom::Aabb;

use super::record::Record;
use crate::bvh::{Bvh, Node};

/// The place of a subtree in the array of nodes: that of its root, and of the pairs below.
///
/// Nodes come depth first: the pair of children, all that is below the first child, all that is
/// below the second. So the place of a subtree follows from the numbers of boxes before it, and
/// subtrees can be written at the same time.
pub(super) struct Place<'a> {
    pub(super) root: &'a mut Node,
    /// `2 (n − 1)` nodes for n boxes.
    pub(super) below: &'a mut [Node],
    /// Which pair `below` starts with.
    pub(super) first_pair: u32,
    /// Which node the root is.
    pub(super) at: u32,
    pub(super) parent: u32,
}

/// Room for the nodes of a tree over `count` boxes. Memory that the system hands out zeroed is not
/// written, so that the thread that fills it is the first to touch it.
pub(super) fn room(count: usize) -> Vec<Node> {
    zeroed_vec((2 * count).saturating_sub(1))
}

impl<'a> Place<'a> {
    /// Writes a leaf.
    pub(super) fn leaf(self, record: &Record) {
        *self.root = leaf(record, self.parent);
    }

    /// Writes an inner node whose first child has `left` boxes; returns the root, whose bounds may
    /// be set later, and the places of the children.
    pub(super) fn inner(self, bounds: &Aabb, left: usize) -> (&'a mut Node, Place<'a>, Place<'a>) {
        *self.root = Node::inner(bounds, self.first_pair, self.parent);
        let (pair, rest) = self.below.split_at_mut(2);
        let (first, second) = pair.split_at_mut(1);
        let (below_first, below_second) = rest.split_at_mut(2 * (left - 1));
        let child = 2 * self.first_pair + 1;
        let places = (
            Place {
                root: &mut first[0],
                below: below_first,
                first_pair: self.first_pair + 1,
                at: child,
                parent: self.at,
            },
            Place {
                root: &mut second[0],
                below: below_second,
                first_pair: self.first_pair + left as u32,
                at: child + 1,
                parent: self.at,
            },
        );
        (self.root, places.0, places.1)
    }
}

/// A tree over `count` boxes, written by `fill`; none without boxes.
pub(super) fn tree(count: usize, fill: impl FnOnce(Place<'_>)) -> Bvh {
    let mut nodes = room(count);
    if let [root, below @ ..] = &mut nodes[..] {
        fill(Place {
            root,
            below,
            first_pair: 0,
            at: 0,
            parent: Node::NONE,
        });
    }
    Bvh { nodes }
}

/// A leaf of a record.
#[inline(always)]
pub(super) fn leaf(record: &Record, parent: u32) -> Node {
    Node::leaf(&record.bounds(), record.id(), parent)
}

/// The most levels that halving `count` boxes takes.
#[inline(always)]
pub(super) fn halvings(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros()) as usize
}

/// Whether `count` boxes at this depth must be halved from here on to stay within
/// [`Bvh::MAX_DEPTH`].
#[inline(always)]
pub(super) fn must_halve(depth: usize, count: usize) -> bool {
    depth + halvings(count) >= Bvh::MAX_DEPTH
}
