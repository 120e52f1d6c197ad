//! Bounding volume hierarchies over boxes.
//!
//! [`Bvh`] is the binary tree, one box a leaf, built by any [`Builder`]. Wide trees are made from it
//! by collapsing. Traversals take a visitor that may stop early and return [`Counters`].

mod build;
mod cost;
mod node;
mod refit;
mod traverse;
mod triangles;
mod validate;
mod wide;

use jostle_geom::Aabb;

pub use build::{Builder, UnknownBuilder};
pub(crate) use cost::half_area;
pub use node::{Node, sibling};
pub use refit::RefitError;
pub use traverse::{BoxHit, Nearest};
pub use triangles::{
    NearestError, NearestPoint, Precision, RayBatchError, RayHit, RayOptions, TriangleError,
    TriangleTree,
};
pub use validate::BvhFault;
pub use wide::{Bvh4, Bvh8, Collapse, Link, Node4, Node8, WideBvh, WideFault, WideNode};

/// What a traversal did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Nodes, or pairs of nodes, looked at.
    pub nodes: u64,
    /// Tests of one box against another box or volume.
    pub tests: u64,
}

impl core::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.tests += other.tests;
    }
}

/// A binary tree of boxes: leaves hold one box each, inner nodes the bounds of two children that
/// lie side by side.
///
/// `2 n − 1` nodes for n boxes, the root first, none for no boxes; children come after their
/// parents. The depth is at most [`Bvh::MAX_DEPTH`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bvh {
    nodes: Vec<Node>,
}

impl Bvh {
    /// No leaf is deeper than this (a lone root has depth 0), whatever the boxes.
    pub const MAX_DEPTH: usize = 96;

    /// The nodes, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The smallest box around all boxes; [`Aabb::EMPTY`] without boxes.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, Node::bounds)
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }
}
