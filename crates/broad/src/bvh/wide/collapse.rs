//! From two children a node to four or eight.
//!
//! Which nodes of the binary tree stay is the classical question of wide trees. The optimal choice
//! under the surface area heuristic is a dynamic program (H. Ylitie, T. Karras and S. Laine,
//! "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", HPG 2017, section 3),
//! here with one box a leaf, so that only the areas of nodes are to be chosen. Opening the largest
//! node first is what came before (I. Wald, C. Benthin and S. Boulos, "Getting rid of packets",
//! RT 2008, section 3).

use super::{Link, WideBvh, WideNode};
use crate::bvh::{Bvh, cost::half_area};

/// How the nodes that stay are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Collapse {
    /// The least sum of the areas of the nodes, by dynamic programming.
    #[default]
    Optimal,
    /// The largest child is opened until all lanes are full. Faster; nodes far down stay emptier.
    Greedy,
}

/// What a node costs besides its relative area: as much as this part of a visit. Among trees of
/// equal area (flat ones, identical boxes) the one with fewer nodes is chosen.
const NODE_COST: f32 = 1e-7;

impl<N: WideNode> WideBvh<N> {
    /// Collapses a binary tree. Cost: O(n), for [`Collapse::Optimal`] times the square of the
    /// number of lanes and with 32 bytes a box of memory for the time being.
    pub fn collapse(tree: &Bvh, how: Collapse) -> Self {
        let nodes = tree.nodes();
        let costs = match how {
            Collapse::Optimal => costs(tree, N::LANES),
            Collapse::Greedy => Vec::new(),
        };
        let mut out = Self {
            nodes: Vec::with_capacity(tree.len().div_ceil(N::LANES / 2)),
            len: tree.len(),
            depth: 0,
        };
        if nodes.is_empty() {
            return out;
        }
        out.nodes.push(N::EMPTY);
        // Places in both trees, and the depth.
        let mut waiting = vec![(0_u32, 0_u32, 0_usize)];
        let mut lanes = [0_u32; MAX_LANES];
        while let Some((from, to, depth)) = waiting.pop() {
            out.depth = out.depth.max(depth);
            let count = match how {
                Collapse::Optimal => best_lanes(tree, &costs, from, N::LANES, &mut lanes),
                Collapse::Greedy => large_lanes(tree, from, N::LANES, &mut lanes),
            };
            let first = waiting.len();
            let mut wide = N::EMPTY;
            let mut lane = 0;
            // Nodes first, then boxes.
            for leaves in [false, true] {
                for &child in &lanes[..count] {
                    let child_node = &nodes[child as usize];
                    if child_node.is_leaf() != leaves {
                        continue;
                    }
                    let link = if leaves {
                        Link::leaf(child_node.id())
                    } else {
                        let place = out.nodes.len() as u32;
                        out.nodes.push(N::EMPTY);
                        waiting.push((child, place, depth + 1));
                        Link::inner(place)
                    };
                    wide.set(lane, &child_node.bounds());
                    wide.set_link(lane, link);
                    lane += 1;
                }
            }
            // The first lane's node next.
            waiting[first..].reverse();
            out.nodes[to as usize] = wide;
        }
        out
    }
}

/// Most lanes of a node.
const MAX_LANES: usize = 8;

/// `costs[k]` is the least cost of everything below a node of the binary tree that is given `k`
/// lanes; `costs[0]` that of the node opened into a whole node of the wide tree, itself not counted.
type Costs = [f32; MAX_LANES];

/// Where the costs of an inner node are kept: nodes of the same pair of children are one.
#[inline(always)]
fn slot(first_child: u32) -> usize {
    (first_child / 2) as usize
}

/// The costs of all inner nodes.
fn costs(tree: &Bvh, lanes: usize) -> Vec<Costs> {
    let nodes = tree.nodes();
    let root = half_area(&tree.bounds());
    let mut costs = vec![[0.0; MAX_LANES]; nodes.len() / 2];
    // Children come after their parents.
    for node in nodes.iter().rev().filter(|node| !node.is_leaf()) {
        let first = node.first_child();
        let a = costs_of(tree, &costs, first);
        let b = costs_of(tree, &costs, first + 1);
        // Of infinite and of zero areas nothing is known: a visit each time, as for the root.
        let area = (half_area(&node.bounds()) / root) as f32;
        let area = if area <= 1.0 { area } else { 1.0 };
        let mut here = [0.0; MAX_LANES];
        here[0] = split(&a, &b, lanes).0;
        here[1] = here[0] + area + NODE_COST;
        for k in 2..lanes {
            here[k] = here[1].min(split(&a, &b, k).0);
        }
        costs[slot(first)] = here;
    }
    costs
}

fn costs_of(tree: &Bvh, costs: &[Costs], node: u32) -> Costs {
    let node = tree.nodes()[node as usize];
    // A box has no nodes below it, whatever lanes it is given.
    if node.is_leaf() {
        [0.0; MAX_LANES]
    } else {
        costs[slot(node.first_child())]
    }
}

/// The best way to give `k` lanes to two siblings: its cost and how many go to the first.
#[inline(always)]
fn split(a: &Costs, b: &Costs, k: usize) -> (f32, usize) {
    let mut best = (a[1] + b[k - 1], 1);
    for i in 2..k {
        let cost = a[i] + b[k - i];
        if cost < best.0 {
            best = (cost, i);
        }
    }
    best
}

/// The nodes of the binary tree that become the lanes of a wide node at `node`, from left to right.
fn best_lanes(
    tree: &Bvh,
    costs: &[Costs],
    node: u32,
    lanes: usize,
    out: &mut [u32; MAX_LANES],
) -> usize {
    let nodes = tree.nodes();
    if nodes[node as usize].is_leaf() {
        out[0] = node;
        return 1;
    }
    let mut count = 0;
    // Each entry has a lane at least, so there are never more than lanes.
    let mut stack = [(0_u32, 0_usize); MAX_LANES];
    stack[0] = (node, lanes);
    let mut top = 1;
    while top > 0 {
        top -= 1;
        let (at, k) = stack[top];
        let here = &nodes[at as usize];
        // The node itself is opened; others only where that is better than a node of their own.
        let stays = here.is_leaf() || {
            let costs = &costs[slot(here.first_child())];
            k < lanes && costs[1] <= costs[k]
        };
        if stays {
            out[count] = at;
            count += 1;
            continue;
        }
        let first = here.first_child();
        let a = costs_of(tree, costs, first);
        let b = costs_of(tree, costs, first + 1);
        let (_, i) = split(&a, &b, k);
        stack[top] = (first + 1, k - i);
        stack[top + 1] = (first, i);
        top += 2;
    }
    count
}

/// As [`best_lanes`], the largest opened first.
fn large_lanes(tree: &Bvh, node: u32, lanes: usize, out: &mut [u32; MAX_LANES]) -> usize {
    let nodes = tree.nodes();
    out[0] = node;
    let mut count = 1;
    let mut areas = [-1.0; MAX_LANES];
    areas[0] = f64::INFINITY;
    while count < lanes {
        let mut largest = None;
        for lane in 0..count {
            let opens = !nodes[out[lane] as usize].is_leaf();
            if opens && largest.is_none_or(|l: usize| areas[lane] > areas[l]) {
                largest = Some(lane);
            }
        }
        let Some(lane) = largest else { break };
        let first = nodes[out[lane] as usize].first_child();
        // From left to right, as in the binary tree.
        out.copy_within(lane + 1..count, lane + 2);
        areas.copy_within(lane + 1..count, lane + 2);
        for side in 0..2 {
            let child = first + side as u32;
            out[lane + side] = child;
            areas[lane + side] = half_area(&nodes[child as usize].bounds());
        }
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use jostle_geom::Aabb;

    use super::*;
    use crate::bvh::{Builder, Bvh4, Bvh8};

    fn check<N: WideNode>(tree: &Bvh, boxes: &[Aabb]) -> [f64; 2] {
        [Collapse::Optimal, Collapse::Greedy].map(|how| {
            let mut wide = WideBvh::<N>::collapse(tree, how);
            wide.validate(boxes).unwrap();
            let moved: Vec<Aabb> = boxes
                .iter()
                .map(|b| Aabb::new(b.min - 1.0, b.max + b.max.x))
                .collect();
            let cost = wide.sah_cost();
            wide.refit(&moved).unwrap();
            wide.validate(&moved).unwrap();
            assert!(wide.validate(&boxes[1..]).is_err());
            assert!(wide.refit(&boxes[1..]).is_err());
            cost
        })
    }

    #[test]
    fn both_ways_keep_every_box_and_the_optimal_one_is_no_worse() {
        for n in [1, 2, 3, 4, 5, 8, 9, 64, 65, 700] {
            let boxes: Vec<Aabb> = (0..n)
                .map(|i: u32| {
                    let p: [f32; 3] = [i.wrapping_mul(2654435761) % 97, i * i % 89, i % 13]
                        .map(|x| x as f32 * 0.3);
                    Aabb::new(p.into(), glam::Vec3::from(p) + (i % 7) as f32 * 0.2)
                })
                .collect();
            let tree = Bvh::build(&boxes, Builder::default(), Level::fallback()).unwrap();
            for [optimal, greedy] in [
                check::<crate::bvh::Node4>(&tree, &boxes),
                check::<crate::bvh::Node8>(&tree, &boxes),
            ] {
                assert!(optimal <= greedy * 1.001, "{n}: {optimal}, {greedy}");
            }
        }
    }

    #[test]
    fn no_boxes_and_equal_boxes() {
        let empty = Bvh8::from(&Bvh::default());
        empty.validate(&[]).unwrap();
        assert!(empty.is_empty() && empty.sah_cost() == 0.0 && empty.bounds() == Aabb::EMPTY);
        let boxes = vec![Aabb::new([0.0; 3].into(), [0.0; 3].into()); 4096];
        let tree = Bvh::build(&boxes, Builder::Median, Level::fallback()).unwrap();
        let wide = Bvh8::from(&tree);
        wide.validate(&boxes).unwrap();
        assert_eq!(wide.nodes().len(), 1 + 8 + 64 + 512);
        assert_eq!(
            Bvh4::from(&tree).nodes().len(),
            1 + 4 + 16 + 64 + 256 + 1024
        );
    }
}
