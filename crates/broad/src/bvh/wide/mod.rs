//! Trees with four or eight boxes a node.

mod collapse;
mod node;
mod validate;

use jostle_geom::Aabb;

pub use collapse::Collapse;
pub use node::{Link, Node4, Node8, WideNode};
pub use validate::WideFault;

use super::{Bvh, cost::half_area};

/// A tree of nodes with [`WideNode::LANES`] lanes, each a box or another node, made from a [`Bvh`].
///
/// Nodes come after their parents, the root first, and the nodes below one node side by side. No
/// boxes, no nodes. No node is deeper than [`Bvh::MAX_DEPTH`]; a walk that goes down by the last
/// lane it met needs a stack of at most [`stack_size`](Self::stack_size) links.
#[derive(Clone, Debug, PartialEq)]
pub struct WideBvh<N> {
    nodes: Vec<N>,
    len: usize,
    depth: usize,
}

/// Four lanes a node.
pub type Bvh4 = WideBvh<Node4>;

/// Eight lanes a node.
pub type Bvh8 = WideBvh<Node8>;

impl<N: WideNode> WideBvh<N> {
    /// The nodes, the root first.
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The smallest box around all boxes; [`Aabb::EMPTY`] without boxes.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, N::bounds)
    }

    /// Number of nodes between the root and the deepest one: 0 for a lone root.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Room that a depth-first walk needs if it takes one node from the stack and puts back what is
    /// below it, and may store whole vectors of links.
    pub fn stack_size(&self) -> usize {
        (N::LANES - 1) * self.depth + 2 * N::LANES
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<N>()
    }

    /// The expected cost of a query by the surface area heuristic, with unit costs for a node and
    /// for a box: the areas of all nodes and all boxes over the area of the root. For a binary tree
    /// the same definition gives [`Bvh::sah_cost`].
    ///
    /// Zero without boxes; when the root has no area or an infinite one, the number of nodes and
    /// boxes.
    pub fn sah_cost(&self) -> f64 {
        let root = half_area(&self.bounds());
        // The root has no lane of its own; all other nodes have, and so have the boxes.
        let mut sum = if self.is_empty() { 0.0 } else { root };
        for node in &self.nodes {
            for lane in 0..node.len() {
                sum += half_area(&node.get(lane));
            }
        }
        let cost = sum / root;
        if self.is_empty() || cost.is_finite() {
            if self.is_empty() { 0.0 } else { cost }
        } else {
            (self.nodes.len() + self.len) as f64
        }
    }

    /// Takes new bounds of the same boxes and keeps the structure. Cost: O(n).
    ///
    /// Boxes must be neither inverted nor NaN: such a box may be missed, or miss others.
    ///
    /// # Errors
    /// Another number of boxes than the tree holds; the tree is then unchanged.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), WideFault> {
        if boxes.len() != self.len {
            return Err(WideFault::Count {
                tree: self.len,
                boxes: boxes.len(),
            });
        }
        for at in (0..self.nodes.len()).rev() {
            for lane in 0..self.nodes[at].len() {
                let link = self.nodes[at].link(lane);
                let bounds = if link.is_leaf() {
                    boxes[link.id() as usize]
                } else {
                    self.nodes[link.node() as usize].bounds()
                };
                self.nodes[at].set(lane, &bounds);
            }
        }
        Ok(())
    }
}

impl<N> Default for WideBvh<N> {
    /// No boxes.
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            len: 0,
            depth: 0,
        }
    }
}

impl<N: WideNode> From<&Bvh> for WideBvh<N> {
    /// The best collapse, [`Collapse::Optimal`].
    fn from(tree: &Bvh) -> Self {
        Self::collapse(tree, Collapse::Optimal)
    }
}
