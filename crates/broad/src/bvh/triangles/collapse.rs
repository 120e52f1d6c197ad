//! From a binary tree to the wide one with the least expected cost.

use jostle_geom::Triangle;
use jostle_simd::{Box8, Triangle8};

use super::{BLOCK, Block, NOWHERE, TriangleTree, WideNode};
use crate::bvh::Bvh;
use crate::bvh::cost::half_area;
use crate::tuning::{BLOCK_COST, BLOCK_TRIANGLES};

/// For each node of the binary tree, how to spread its subtree over at most 1 … 8 places of a wide
/// node: entry `j − 1` is how many of `j` places go to the first child, or 0 for "as with one place
/// less". Entry 0 says how to spread over a wide node of its own, or 0 for a block of triangles.
struct Plan {
    first: Vec<[u8; 8]>,
}

impl Plan {
    /// Dynamic programming from the leaves to the root (H. Ylitie, T. Karras and S. Laine, "Efficient
    /// incoherent ray traversal on GPUs through compressed wide BVHs", 2017, section 3.1): the least cost
    /// of a subtree in at most `j` places is that of fewer places, or the best way to share them among
    /// its two children. A visit of a wide node costs its area, that of a block
    /// [`BLOCK_COST`] times its area, however many triangles it holds. O(n), 72 bytes a node.
    fn new(tree: &Bvh) -> Self {
        let nodes = tree.nodes();
        let mut first = vec![[0_u8; 8]; nodes.len()];
        let mut costs = vec![[0.0_f32; 8]; nodes.len()];
        let mut sizes = vec![1_u32; nodes.len()];
        let whole = half_area(&tree.bounds());
        let scale = if whole > 0.0 { 1.0 / whole } else { 1.0 };
        for at in (0..nodes.len()).rev() {
            let node = &nodes[at];
            let area = (half_area(&node.bounds()) * scale) as f32;
            if node.is_leaf() {
                costs[at] = [area * BLOCK_COST; 8];
                continue;
            }
            let child = node.first_child() as usize;
            let (a, b) = (costs[child], costs[child + 1]);
            sizes[at] = sizes[child] + sizes[child + 1];
            let mut shared = [f32::INFINITY; 8];
            for places in 2..=8 {
                for to_first in 1..places {
                    let cost = a[to_first - 1] + b[places - to_first - 1];
                    if cost < shared[places - 1] {
                        shared[places - 1] = cost;
                        first[at][places - 1] = to_first as u8;
                    }
                }
            }
            let as_node = area + shared[7];
            let as_block = if sizes[at] as usize <= BLOCK_TRIANGLES {
                area * BLOCK_COST
            } else {
                f32::INFINITY
            };
            let (cost, choice) = (&mut costs[at], &mut first[at]);
            if as_block <= as_node {
                cost[0] = as_block;
            } else {
                (cost[0], choice[0]) = (as_node, choice[7]);
            }
            for places in 1..8 {
                if shared[places] < cost[places - 1] {
                    cost[places] = shared[places];
                } else {
                    (cost[places], choice[places]) = (cost[places - 1], 0);
                }
            }
        }
        Self { first }
    }

    fn is_block(&self, at: u32) -> bool {
        self.first[at as usize][0] == 0
    }

    /// The nodes of the binary tree that become the children of the wide node made of `root`.
    fn children(&self, tree: &Bvh, root: u32, out: &mut Vec<u32>) {
        let child = tree.nodes()[root as usize].first_child();
        let to_first = self.first[root as usize][0];
        let mut open = [(0, 0_u8); 8];
        open[0] = (child + 1, 8 - to_first);
        open[1] = (child, to_first);
        let mut count = 2;
        while count > 0 {
            count -= 1;
            let (at, mut places) = open[count];
            while places > 1 && self.first[at as usize][usize::from(places) - 1] == 0 {
                places -= 1;
            }
            if places <= 1 {
                out.push(at);
                continue;
            }
            let child = tree.nodes()[at as usize].first_child();
            let to_first = self.first[at as usize][usize::from(places) - 1];
            open[count] = (child + 1, places - to_first);
            open[count + 1] = (child, to_first);
            count += 2;
        }
    }
}

/// A subtree to be written, and the lane that leads to it.
struct Task {
    from: u32,
    parent: u32,
    lane: usize,
    depth: usize,
}

pub(super) fn collapse(tree: &Bvh, triangles: &[Triangle]) -> TriangleTree {
    let mut out = TriangleTree::default();
    if tree.is_empty() {
        return out;
    }
    let plan = Plan::new(tree);
    out.triangles = triangles.len();
    out.bounds = Some(tree.bounds());
    let mut children = Vec::with_capacity(8);
    let mut deepest = 0;
    let mut tasks = vec![Task {
        from: 0,
        parent: NOWHERE,
        lane: 0,
        depth: 1,
    }];
    while let Some(Task {
        from,
        parent,
        lane,
        depth,
    }) = tasks.pop()
    {
        let at = out.nodes.len() as u32;
        if let Some(parent) = out.nodes.get_mut(parent as usize) {
            parent.links[lane] = at;
        }
        deepest = deepest.max(depth);
        children.clear();
        if plan.is_block(from) {
            // Only the root: few triangles.
            children.push(from);
        } else {
            plan.children(tree, from, &mut children);
        }
        let mut node = WideNode {
            boxes: Box8::EMPTY,
            links: [NOWHERE; 8],
        };
        for (lane, &child) in children.iter().enumerate() {
            node.boxes.set(lane, &tree.nodes()[child as usize].bounds());
            if plan.is_block(child) {
                node.links[lane] = out.blocks.len() as u32 | BLOCK;
                out.blocks.push(block(tree, child, triangles));
            }
        }
        out.nodes.push(node);
        for (lane, &child) in children.iter().enumerate().rev() {
            if !plan.is_block(child) {
                tasks.push(Task {
                    from: child,
                    parent: at,
                    lane,
                    depth: depth + 1,
                });
            }
        }
    }
    out.stack = 7 * deepest + 1;
    out.nodes.shrink_to_fit();
    out.blocks.shrink_to_fit();
    out
}

/// The triangles of a subtree, which are at most eight.
fn block(tree: &Bvh, root: u32, triangles: &[Triangle]) -> Block {
    let mut out = Block {
        triangles: Triangle8::EMPTY,
        ids: [NOWHERE; 8],
    };
    let mut open = [root; 8];
    let (mut count, mut lane) = (1, 0);
    while count > 0 {
        count -= 1;
        let node = &tree.nodes()[open[count] as usize];
        if node.is_leaf() {
            out.triangles.set(lane, &triangles[node.id() as usize]);
            out.ids[lane] = node.id();
            lane += 1;
        } else {
            open[count] = node.first_child() + 1;
            open[count + 1] = node.first_child();
            count += 2;
        }
    }
    out
}
