//! Is a tree what it claims to be?

use jostle_geom::Aabb;
use thiserror::Error;

use super::{Bvh, Node};

/// What is wrong with a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BvhFault {
    /// The tree holds another number of boxes.
    #[error("the tree has {nodes} nodes, which is not what {boxes} boxes need")]
    Count {
        /// In the tree.
        nodes: usize,
        /// Given.
        boxes: usize,
    },
    /// A node does not name its parent, or its children do not come after it.
    #[error("node {node} is not linked to its parent and children as it should be")]
    Link {
        /// Which node.
        node: usize,
    },
    /// A leaf names a box that does not exist or has a leaf already.
    #[error("leaf {node} names box {id}, which does not exist or has a leaf already")]
    Id {
        /// Which node.
        node: usize,
        /// The box it names.
        id: u32,
    },
    /// The bounds of a node are not those of what is below it.
    #[error("node {node} does not hold the bounds of what is below it")]
    Bounds {
        /// Which node.
        node: usize,
    },
    /// A leaf is too deep.
    #[error("node {node} is deeper than {}", Bvh::MAX_DEPTH)]
    Depth {
        /// Which node.
        node: usize,
    },
}

impl Bvh {
    /// Checks the tree against the boxes it was built from: every box in exactly one leaf, tight
    /// bounds, links both ways, bounded depth. Cost: O(n).
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, boxes: &[Aabb]) -> Result<(), BvhFault> {
        let count = self.nodes.len();
        if count != (2 * boxes.len()).saturating_sub(1) {
            return Err(BvhFault::Count {
                nodes: count,
                boxes: boxes.len(),
            });
        }
        let mut depth = vec![0_usize; count];
        let mut seen = vec![false; boxes.len()];
        if self.nodes.first().is_some_and(|n| n.parent() != Node::NONE) {
            return Err(BvhFault::Link { node: 0 });
        }
        for (node, here) in self.nodes.iter().enumerate() {
            if depth[node] > Self::MAX_DEPTH {
                return Err(BvhFault::Depth { node });
            }
            if here.is_leaf() {
                let id = here.id();
                match seen.get_mut(id as usize) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(BvhFault::Id { node, id }),
                }
                if here.bounds() != boxes[id as usize] {
                    return Err(BvhFault::Bounds { node });
                }
                continue;
            }
            let first = here.first_child() as usize;
            let Some([a, b]) = self.nodes.get(first..first + 2).map(|s| [s[0], s[1]]) else {
                return Err(BvhFault::Link { node });
            };
            if first <= node || [a, b].iter().any(|n| n.parent() as usize != node) {
                return Err(BvhFault::Link { node });
            }
            if here.bounds() != a.bounds().union(b.bounds()) {
                return Err(BvhFault::Bounds { node });
            }
            depth[first] = depth[node] + 1;
            depth[first + 1] = depth[node] + 1;
        }
        // As many leaves as boxes, none of them twice: all boxes have one.
        Ok(())
    }
}
