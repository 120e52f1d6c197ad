//! New bounds for the same tree, and its depth.

use jostle_geom::Aabb;
use thiserror::Error;

use super::Bvh;
use crate::BoxError;
use crate::boxes::check;

/// Why a tree cannot take new bounds.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RefitError {
    /// The tree holds another number of boxes.
    #[error("the tree holds {tree} boxes, there are {boxes}")]
    Count {
        /// In the tree.
        tree: usize,
        /// Given.
        boxes: usize,
    },
    /// A box without a defined answer.
    #[error(transparent)]
    Box(#[from] BoxError),
}

impl Bvh {
    /// Takes new bounds of the same boxes and keeps the tree: leaves get their boxes, inner nodes
    /// the union of their children. Cost: O(n), one pass from the last node to the first.
    ///
    /// The tree is right for any boxes; how fast it is depends on how much they have moved.
    ///
    /// # Errors
    /// A box that is inverted or has a NaN bound, or another number of boxes than the tree has. The
    /// tree is unchanged then.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), RefitError> {
        if boxes.len() != self.len() {
            return Err(RefitError::Count {
                boxes: boxes.len(),
                tree: self.len(),
            });
        }
        check(boxes)?;
        self.fit(boxes);
        Ok(())
    }

    /// As [`refit`](Self::refit), for boxes that are known to be as many and good.
    pub(crate) fn fit(&mut self, boxes: &[Aabb]) {
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            let bounds = if node.is_leaf() {
                boxes[node.id() as usize]
            } else {
                let child = node.first_child() as usize;
                self.nodes[child]
                    .bounds()
                    .union(self.nodes[child + 1].bounds())
            };
            self.nodes[at].set_bounds(&bounds);
        }
    }

    /// The depth of the deepest leaf: 0 for a lone root and for no boxes. Cost: O(n).
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut depths = vec![0_u8; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            // Parents come first, and no depth exceeds MAX_DEPTH.
            depths[at] = depths[node.parent() as usize].saturating_add(1);
            deepest = deepest.max(depths[at]);
        }
        usize::from(deepest)
    }
}
