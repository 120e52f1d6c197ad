//! Is a wide tree what it claims to be?

use jostle_geom::Aabb;
use thiserror::Error;

use super::{Bvh, WideBvh, WideNode};

/// What is wrong with a wide tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WideFault {
    /// The tree holds another number of boxes.
    #[error("the tree holds {tree} boxes, there are {boxes}")]
    Count {
        /// In the tree.
        tree: usize,
        /// Given.
        boxes: usize,
    },
    /// A lane leads to a node that does not exist, comes before its parent or has one already.
    #[error("lane {lane} of node {node} does not lead to a node of its own")]
    Link {
        /// Which node.
        node: usize,
        /// Which lane.
        lane: usize,
    },
    /// A lane names a box that does not exist or has a lane already.
    #[error(
        "lane {lane} of node {node} names box {id}, which does not exist or has a lane already"
    )]
    Id {
        /// Which node.
        node: usize,
        /// Which lane.
        lane: usize,
        /// The box it names.
        id: u32,
    },
    /// The bounds of a lane are not those of what is below it, or lanes are out of order.
    #[error("lane {lane} of node {node} does not hold the bounds of what is below it")]
    Bounds {
        /// Which node.
        node: usize,
        /// Which lane.
        lane: usize,
    },
    /// A node is deeper than the tree says, or has nothing below it, or nothing leads there.
    #[error("node {node} is too deep, or empty, or out of reach")]
    Node {
        /// Which node.
        node: usize,
    },
}

impl<N: WideNode> WideBvh<N> {
    /// Checks the tree against the boxes it was built from: every box in exactly one lane, every
    /// node below one other, tight bounds, nodes before boxes before empty lanes, which are NaN, and
    /// bounded depth. Cost: O(n).
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, boxes: &[Aabb]) -> Result<(), WideFault> {
        let mut seen = vec![false; boxes.len()];
        let mut depth = vec![None; self.nodes.len()];
        if let Some(root) = depth.first_mut() {
            *root = Some(0);
        }
        let mut count = 0;
        for (node, here) in self.nodes.iter().enumerate() {
            let lanes = here.len();
            let Some(depth_here) = depth[node]
                .filter(|&depth| depth <= self.depth && depth <= Bvh::MAX_DEPTH && lanes > 0)
            else {
                return Err(WideFault::Node { node });
            };
            for lane in 0..N::LANES {
                let (bounds, link) = (here.get(lane), here.link(lane));
                let right = if link.is_empty() {
                    lane >= lanes
                        && bounds.min.is_nan_mask().all()
                        && bounds.max.is_nan_mask().all()
                } else if lane >= lanes
                    || (lane > 0 && here.link(lane - 1).is_leaf() && !link.is_leaf())
                {
                    false
                } else if link.is_leaf() {
                    let id = link.id();
                    match seen.get_mut(id as usize) {
                        Some(seen) if !*seen => *seen = true,
                        _ => return Err(WideFault::Id { node, lane, id }),
                    }
                    count += 1;
                    bounds == boxes[id as usize]
                } else {
                    let child = link.node() as usize;
                    match depth.get_mut(child) {
                        Some(depth @ None) if child > node => *depth = Some(depth_here + 1),
                        _ => return Err(WideFault::Link { node, lane }),
                    }
                    bounds == self.nodes[child].bounds()
                };
                if !right {
                    return Err(WideFault::Bounds { node, lane });
                }
            }
        }
        if count != boxes.len() || self.len != count {
            return Err(WideFault::Count {
                tree: self.len,
                boxes: boxes.len(),
            });
        }
        Ok(())
    }
}
