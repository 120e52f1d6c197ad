//! Is a dynamic tree what it claims to be?

use thiserror::Error;

use super::DynamicTree;
use super::arena::{Inner, area, single};
use crate::bvh::Node;

/// What is wrong with a dynamic tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DynamicFault {
    /// Nodes, pairs, slots or the lists of unused ones do not add up.
    #[error("the tree has {found} {what}, there should be {expected}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A node does not name its parent, or a slot not its leaf.
    #[error("node {node} is not linked as it should be")]
    Link {
        /// Which node.
        node: usize,
    },
    /// The bounds of a node are not those of what is below it, or a leaf does not contain its box.
    #[error("node {node} does not hold the bounds of what is below it")]
    Bounds {
        /// Which node.
        node: usize,
    },
    /// What an inner node knows about the nodes below is not so.
    #[error("the sums of node {node} are wrong")]
    Sums {
        /// Which node.
        node: usize,
    },
    /// A treelet is not in the list it belongs to.
    #[error("the treelet of node {node} is in the wrong place of the queue")]
    Queue {
        /// Which node.
        node: usize,
    },
}

impl DynamicTree {
    /// Checks the whole structure: links both ways, bounds, sums, the queue, unused slots and pairs.
    /// Cost: O(n).
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self) -> Result<(), DynamicFault> {
        let mut leaves = 0;
        let mut pairs = 0;
        let mut queued = 0;
        let mut waiting = Vec::new();
        if let Some(root) = self.root() {
            if root.parent() != Node::NONE {
                return Err(DynamicFault::Link { node: 0 });
            }
            waiting.push(0_u32);
        }
        while let Some(at) = waiting.pop() {
            let node = at as usize;
            let Some(here) = self.nodes.get(node) else {
                return Err(DynamicFault::Link { node });
            };
            if here.is_leaf() {
                leaves += 1;
                self.validate_leaf(node, here)?;
            } else {
                pairs += 1;
                // A cycle would go on for ever.
                if pairs > self.inner.len() {
                    break;
                }
                let child = here.first_child();
                self.validate_inner(at, here)?;
                queued +=
                    usize::from(self.inner[Self::children(here) as usize].list != Inner::UNQUEUED);
                waiting.extend([child, child + 1]);
            }
        }
        count("leaves", leaves, self.live)?;
        let live = self.slots.iter().filter(|slot| slot.is_live()).count();
        count("live slots", live, self.live)?;
        count("pairs", pairs, self.live.saturating_sub(1))?;
        let unused = self.chain(self.free_pair, |p| self.inner[p as usize].next);
        count("unused pairs", unused, self.inner.len() - pairs)?;
        let unused = self.chain(self.free_slot, |s| self.slots[s as usize].node);
        let retired = |slot: &&super::Slot| slot.generation == u32::MAX - 1;
        let retired = self.slots.iter().filter(retired).count();
        count("unused slots", unused, self.slots.len() - live - retired)?;
        count("queued treelets", self.queued(), queued)
    }

    fn validate_leaf(&self, node: usize, leaf: &Node) -> Result<(), DynamicFault> {
        let index = leaf.id() as usize;
        match self.slots.get(index) {
            Some(slot) if slot.is_live() && slot.node as usize == node && !slot.dirty => {}
            _ => return Err(DynamicFault::Link { node }),
        }
        let (stored, tight) = (leaf.bounds(), self.tight[index]);
        if !stored.contains(&tight) || (!self.is_enlarging() && stored != tight) {
            return Err(DynamicFault::Bounds { node });
        }
        Ok(())
    }

    fn validate_inner(&self, at: u32, here: &Node) -> Result<(), DynamicFault> {
        let node = at as usize;
        let first = here.first_child() as usize;
        let Some([a, b]) = self.nodes.get(first..first + 2).map(|s| [s[0], s[1]]) else {
            return Err(DynamicFault::Link { node });
        };
        if a.parent() != at || b.parent() != at {
            return Err(DynamicFault::Link { node });
        }
        let bounds = a.bounds().union(b.bounds());
        if here.bounds() != bounds {
            return Err(DynamicFault::Bounds { node });
        }
        let pair = Self::children(here);
        let sums = self.inner[pair as usize];
        let mut cost = area(&bounds);
        let mut loss = (cost - f64::from(sums.built)).max(0.0);
        for child in [a, b].iter().filter(|child| !child.is_leaf()) {
            let below = self.inner[Self::children(child) as usize];
            if below.class() == sums.class() {
                cost += f64::from(below.cost);
                loss += f64::from(below.loss);
            }
        }
        let right = sums.count == self.count(&a) + self.count(&b)
            && sums.height == 1 + self.height(&a).max(self.height(&b))
            && sums.moved == self.moved(&a).max(self.moved(&b))
            && sums.cost == single(cost)
            && sums.loss == single(loss)
            && self.pending[pair as usize] == 0;
        if !right {
            return Err(DynamicFault::Sums { node });
        }
        if sums.list != self.wanted_list(pair) {
            return Err(DynamicFault::Queue { node });
        }
        Ok(())
    }

    /// Length of a list of unused things; stops where a list would be endless.
    fn chain(&self, first: u32, next: impl Fn(u32) -> u32) -> usize {
        let mut length = 0;
        let mut at = first;
        while at != Node::NONE && length <= self.slots.len() {
            length += 1;
            at = next(at);
        }
        length
    }
}

fn count(what: &'static str, found: usize, expected: usize) -> Result<(), DynamicFault> {
    if found == expected {
        Ok(())
    } else {
        Err(DynamicFault::Count {
            what,
            found,
            expected,
        })
    }
}
