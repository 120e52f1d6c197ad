//! Where does a new leaf belong?

use jostle_geom::Aabb;

use super::DynamicTree;
use super::arena::area;
use crate::tuning::INSERT_SEARCH;

impl DynamicTree {
    /// The node beside which a leaf makes the sum of areas grow least, or nearly so.
    ///
    /// As the sibling of a node the leaf costs the area of their union (a new parent) and the growth
    /// of all ancestors. Below a node it costs at least its own area and the growth down to that
    /// node. Among equals the branch with fewer leaves is taken, down to a leaf, so that identical
    /// boxes make a balanced tree.
    pub(super) fn best_sibling(&mut self, leaf: &Aabb) -> u32 {
        let mut open = core::mem::take(&mut self.scratch.open);
        open.clear();
        let own = area(leaf);
        let mut best = (area(&self.nodes[0].bounds().union(*leaf)), 0);
        let mut at = 0;
        let mut growth = 0.0;
        while !self.nodes[at as usize].is_leaf() {
            let [a, b] = self.places(at, leaf, own, &mut growth);
            let (chosen, other) = if (b.least, b.count) < (a.least, a.count) {
                (b, a)
            } else {
                (a, b)
            };
            if chosen.cost <= best.0 {
                best = (chosen.cost, chosen.at);
            }
            if other.cost < best.0 {
                best = (other.cost, other.at);
            }
            if other.least < best.0 && !self.nodes[other.at as usize].is_leaf() {
                open.push((other.least, growth, other.at));
            }
            if chosen.least > best.0 {
                break;
            }
            at = chosen.at;
        }
        let mut looked = 0;
        while let Some((least, mut growth, at)) = open.pop() {
            if least >= best.0 {
                continue;
            }
            looked += 1;
            if looked > INSERT_SEARCH {
                break;
            }
            for place in self.places(at, leaf, own, &mut growth) {
                if place.cost < best.0 {
                    best = (place.cost, place.at);
                }
                if place.least < best.0 && !self.nodes[place.at as usize].is_leaf() {
                    open.push((place.least, growth, place.at));
                }
            }
        }
        self.scratch.open = open;
        best.1
    }

    /// The children of an inner node as places for a leaf; adds the node's own growth.
    fn places(&self, at: u32, leaf: &Aabb, own: f64, growth: &mut f64) -> [Place; 2] {
        let node = &self.nodes[at as usize];
        let bounds = node.bounds();
        *growth += area(&bounds.union(*leaf)) - area(&bounds);
        let first = node.first_child();
        [first, first + 1].map(|at| {
            let child = &self.nodes[at as usize];
            let bounds = child.bounds();
            let cost = *growth + area(&bounds.union(*leaf));
            let least = if child.is_leaf() {
                cost
            } else {
                cost - area(&bounds) + own
            };
            Place {
                at,
                cost,
                least,
                count: self.count(child),
            }
        })
    }
}

/// A node beside which a leaf may be put.
#[derive(Clone, Copy)]
struct Place {
    at: u32,
    /// Growth of the sum of areas with the leaf here.
    cost: f64,
    /// The same with the leaf here or anywhere below, at least.
    least: f64,
    /// Leaves below.
    count: u32,
}
