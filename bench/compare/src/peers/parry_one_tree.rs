//! One parry tree over everything, kept the way the physics engine rapier 0.36 does it.
//!
//! Leaves are enlarged by 4 cm, and only those that leave their enlarged box are touched. When
//! fewer than one in sixteen moved, they are inserted anew, otherwise they are changed in place and
//! the tree is optimised. Pairs are found among the changed leaves only and kept in a hash map with
//! adjacency lists, from which those that came apart are removed.

use parry3d::partitioning::{Bvh, BvhLeafUpdateStatus, BvhWorkspace};
use parry3d::utils::hashmap::HashMap;

use super::parry::{Aabb, VERSION, build};
use super::{Frame, MixedPeer};
use crate::pairs::Pairs;

/// The margin rapier uses at a length unit of 1 m.
const SKIN: f32 = 0.04;

pub struct OneTree {
    fixed_count: u32,
    tree: Bvh,
    workspace: BvhWorkspace,
    changed: Vec<u32>,
    changed_before: Vec<u32>,
    is_changed: Vec<bool>,
    reinsert: bool,
    since_optimised: usize,
    optimise_after: bool,
    frame: usize,
    candidates: Vec<(u32, u32)>,
    kept: HashMap<(u32, u32), ()>,
    neighbours: Vec<Vec<u32>>,
}

impl OneTree {
    pub fn new(fixed: &[Aabb], first: &Frame) -> Self {
        let all = [fixed, &first.parry].concat();
        let mut this = Self {
            fixed_count: fixed.len() as u32,
            tree: build(&all),
            workspace: BvhWorkspace::default(),
            changed: Vec::new(),
            changed_before: Vec::new(),
            is_changed: vec![false; all.len()],
            reinsert: false,
            since_optimised: 0,
            optimise_after: false,
            frame: 0,
            candidates: Vec::new(),
            kept: HashMap::default(),
            neighbours: vec![Vec::new(); all.len()],
        };
        // Leaves count as changed only when they leave their box: move them out and in again.
        let far = first.parry.iter().map(|b| {
            let away = parry3d::math::Vector::new(1.0, 0.0, 0.0);
            Aabb::new(b.mins + away, b.maxs + away)
        });
        let far = Frame {
            jostle: Vec::new(),
            parry: far.collect(),
            obvhs: Vec::new(),
        };
        for frame in [&far, first] {
            this.update(frame);
            this.pairs(&mut Vec::new());
        }
        this
    }
}

impl MixedPeer for OneTree {
    fn name(&self) -> &'static str {
        "one tree, as rapier uses it"
    }

    fn version(&self) -> &'static str {
        VERSION
    }

    fn enlarges(&self) -> bool {
        true
    }

    fn update(&mut self, frame: &Frame) {
        // What rapier puts off to the end of a step: the tree is ready for the next one.
        if std::mem::take(&mut self.optimise_after) {
            self.tree.optimize_incremental(&mut self.workspace);
            self.tree.refit_without_resolve(&mut self.workspace);
        }
        self.frame += 1;
        self.changed.clear();
        let leaves = self.tree.leaf_count() as usize;
        let reinsert = self.reinsert && frame.parry.len() * 16 < leaves;
        for (&aabb, id) in frame.parry.iter().zip(self.fixed_count..) {
            let status = if reinsert {
                self.tree.reinsert_or_update_if_present(aabb, id, SKIN)
            } else {
                self.tree.update_partially_if_present(aabb, id, SKIN)
            };
            if !matches!(status, Some(BvhLeafUpdateStatus::Unchanged)) {
                self.changed.push(id);
            }
        }
        let changed = self.changed.len();
        if !reinsert {
            self.since_optimised += changed;
        }
        self.reinsert = changed * 16 < leaves;
        let often = changed * 16 >= leaves;
        let due = self.frame.is_multiple_of(8) && self.since_optimised * 64 >= leaves;
        if self.since_optimised > 0 && (often || due) {
            self.since_optimised = 0;
            self.optimise_after = true;
        }
        if (changed + self.changed_before.len()) * 16 >= leaves {
            self.tree.refit(&mut self.workspace);
        } else {
            self.tree.refit_partial(&self.changed_before, &self.changed);
        }
    }

    fn pairs(&mut self, _: &mut Pairs) {
        let first = self.fixed_count;
        self.candidates.clear();
        let candidates = &mut self.candidates;
        self.tree
            .traverse_bvtt_single_tree::<true>(&mut self.workspace, &mut |a, b| {
                candidates.push((a, b));
            });
        for &(a, b) in &self.candidates {
            let (a, b) = (a.min(b), a.max(b));
            if b >= first && self.kept.insert((a, b), ()).is_none() {
                self.neighbours[a as usize].push(b);
                self.neighbours[b as usize].push(a);
            }
        }
        for &id in &self.changed {
            self.is_changed[id as usize] = true;
        }
        let mut apart = Vec::new();
        for &id in &self.changed {
            let Some(node) = self.tree.leaf_node(id) else {
                continue;
            };
            for &other in &self.neighbours[id as usize] {
                // A pair of two that changed is looked at once.
                if other < id && self.is_changed[other as usize] {
                    continue;
                }
                let meets = |other| node.intersects(other);
                if !self.tree.leaf_node(other).is_some_and(meets) {
                    apart.push((id.min(other), id.max(other)));
                }
            }
        }
        for (a, b) in apart {
            if self.kept.remove(&(a, b)).is_some() {
                for (from, gone) in [(a, b), (b, a)] {
                    let list = &mut self.neighbours[from as usize];
                    if let Some(place) = list.iter().position(|&id| id == gone) {
                        list.swap_remove(place);
                    }
                }
            }
        }
        for &id in &self.changed {
            self.is_changed[id as usize] = false;
        }
        std::mem::swap(&mut self.changed_before, &mut self.changed);
    }

    fn kept_pairs(&self) -> Option<Pairs> {
        Some(self.kept.keys().map(|&(a, b)| [a, b]).collect())
    }
}
