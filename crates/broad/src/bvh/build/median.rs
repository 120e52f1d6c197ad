//! Top-down halving.

use jostle_geom::Aabb;

use crate::bvh::{Bvh, Node};

/// Halves the boxes by count at the median centre of the axis on which the centres spread most.
/// O(n log n); the depth is that of a balanced tree.
pub(super) fn build(boxes: &[Aabb]) -> Bvh {
    if boxes.is_empty() {
        return Bvh::default();
    }
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let blank = Node::leaf(&boxes[0], 0, Node::NONE);
    let mut nodes = vec![blank; 2 * boxes.len() - 1];
    let mut pairs = 0;
    let mut waiting = vec![(0_u32, Node::NONE, 0, boxes.len())];
    while let Some((at, parent, first, end)) = waiting.pop() {
        let ids = &mut order[first..end];
        if let [id] = *ids {
            nodes[at as usize] = Node::leaf(&boxes[id as usize], id, parent);
            continue;
        }
        let (mut bounds, mut centres) = (Aabb::EMPTY, Aabb::EMPTY);
        for &id in &*ids {
            let b = boxes[id as usize];
            bounds = bounds.union(b);
            centres = centres.union(Aabb::new(b.centre(), b.centre()));
        }
        let spread = centres.max - centres.min;
        let axis = (0..3).fold(0, |best, axis| {
            if spread[axis] > spread[best] {
                axis
            } else {
                best
            }
        });
        let middle = ids.len() / 2;
        ids.select_nth_unstable_by(middle, |&a, &b| {
            let key = |id: u32| boxes[id as usize].centre()[axis];
            key(a).total_cmp(&key(b)).then(a.cmp(&b))
        });
        nodes[at as usize] = Node::inner(&bounds, pairs, parent);
        let child = nodes[at as usize].first_child();
        pairs += 1;
        waiting.push((child + 1, at, first + middle, end));
        waiting.push((child, at, first, first + middle));
    }
    Bvh { nodes }
}
