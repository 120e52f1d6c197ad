//! rstar: an R*-tree, bulk-loaded.

use jostle_geom::Aabb as OurAabb;
use rstar::{AABB, RTree, RTreeObject};

use crate::pairs::Pairs;

pub const VERSION: &str = "rstar 0.14.0";

/// A box with its id.
#[derive(Clone, Copy)]
pub struct Item {
    envelope: AABB<[f32; 3]>,
    id: u32,
}

impl RTreeObject for Item {
    type Envelope = AABB<[f32; 3]>;

    fn envelope(&self) -> Self::Envelope {
        self.envelope
    }
}

pub fn items(boxes: &[OurAabb]) -> Vec<Item> {
    let convert = |(id, b): (usize, &OurAabb)| Item {
        envelope: AABB::from_corners(b.min.to_array(), b.max.to_array()),
        id: id as u32,
    };
    boxes.iter().enumerate().map(convert).collect()
}

/// All pairs, by one query a box: faster than the tree against itself, which finds each pair twice
/// as well and makes a list of pairs of nodes.
pub fn self_pairs(tree: &RTree<Item>, items: &[Item], pairs: &mut Pairs) {
    for item in items {
        for other in tree.locate_in_envelope_intersecting(item.envelope) {
            if item.id < other.id {
                pairs.push([item.id, other.id]);
            }
        }
    }
}

/// All pairs, by the tree against itself.
pub fn self_pairs_joint(tree: &RTree<Item>, pairs: &mut Pairs) {
    let found = tree.intersection_candidates_with_other_tree(tree);
    pairs.extend(
        found
            .filter(|(a, b)| a.id < b.id)
            .map(|(a, b)| [a.id, b.id]),
    );
}
