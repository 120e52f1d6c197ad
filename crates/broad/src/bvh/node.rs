//! The node of the binary tree.

use bytemuck::{Pod, Zeroable};
use jostle_geom::Aabb;

/// Marks the link of a leaf.
const LEAF: u32 = 1 << 31;

/// One node of a [`Bvh`](super::Bvh): 32 bytes, half a cache line, so that two siblings fill one.
///
/// The link of an inner node names a pair of siblings, that of a leaf its box: pair `p` lies at
/// nodes `2 p + 1` and `2 p + 2`, after the root at node 0. Counting pairs instead of nodes leaves a
/// bit to tell leaves from inner nodes, for up to 2³¹ − 1 boxes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct Node {
    min: [f32; 3],
    link: u32,
    max: [f32; 3],
    parent: u32,
}

impl Node {
    /// The parent of the root.
    pub const NONE: u32 = u32::MAX;

    /// A leaf around box `id < 2³¹`.
    #[inline(always)]
    pub fn leaf(bounds: &Aabb, id: u32, parent: u32) -> Self {
        debug_assert!(id < LEAF, "ids of leaves have 31 bits");
        Self {
            min: bounds.min.to_array(),
            link: id | LEAF,
            max: bounds.max.to_array(),
            parent,
        }
    }

    /// An inner node with the children `2 pair + 1` and `2 pair + 2`.
    #[inline(always)]
    pub fn inner(bounds: &Aabb, pair: u32, parent: u32) -> Self {
        debug_assert!(pair < LEAF, "pairs of siblings have 31 bits");
        Self {
            min: bounds.min.to_array(),
            link: pair,
            max: bounds.max.to_array(),
            parent,
        }
    }

    /// The smallest box around everything below.
    #[inline(always)]
    pub fn bounds(&self) -> Aabb {
        Aabb::new(self.min.into(), self.max.into())
    }

    /// Replaces the bounds.
    #[inline(always)]
    pub fn set_bounds(&mut self, bounds: &Aabb) {
        self.min = bounds.min.to_array();
        self.max = bounds.max.to_array();
    }

    /// Whether there is a box here instead of children.
    #[inline(always)]
    pub fn is_leaf(&self) -> bool {
        self.link & LEAF != 0
    }

    /// The box of a leaf; without meaning for an inner node.
    #[inline(always)]
    pub fn id(&self) -> u32 {
        self.link & !LEAF
    }

    /// The first child of an inner node, the second comes right after it; without meaning for a
    /// leaf.
    #[inline(always)]
    pub fn first_child(&self) -> u32 {
        2 * self.link + 1
    }

    /// The parent, [`Node::NONE`] for the root.
    #[inline(always)]
    pub fn parent(&self) -> u32 {
        self.parent
    }

    /// Replaces the parent.
    #[inline(always)]
    pub fn set_parent(&mut self, parent: u32) {
        self.parent = parent;
    }
}

/// The sibling of a node that is not the root.
#[inline(always)]
pub fn sibling(node: u32) -> u32 {
    // Pairs start at odd places.
    ((node - 1) ^ 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_round_trip() {
        let bounds = Aabb::new([0.0; 3].into(), [1.0; 3].into());
        let leaf = Node::leaf(&bounds, 7, 3);
        assert!(leaf.is_leaf());
        assert_eq!((leaf.id(), leaf.parent(), leaf.bounds()), (7, 3, bounds));
        let inner = Node::inner(&bounds, 4, Node::NONE);
        assert!(!inner.is_leaf());
        assert_eq!(inner.first_child(), 9);
        assert_eq!((sibling(9), sibling(10)), (10, 9));
        assert_eq!(size_of::<Node>(), 32);
    }
}
