//! The tree of a chunk of static boxes: blocks of eight lanes.

use jostle_geom::Aabb;
use jostle_simd::Box8;

use crate::bvh::{Bvh, half_area};

/// Eight boxes and what they stand for: blocks further down, or the boxes of a chunk. Four cache
/// lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block {
    pub(crate) bounds: Box8,
    /// In a leaf block the index of the box of each lane, in an inner one the block it holds the
    /// bounds of; `u32::MAX` in lanes without a box.
    pub(crate) links: [u32; 8],
}

impl Block {
    /// Loads a word of each of its cache lines.
    #[inline(always)]
    pub(crate) fn touch(&self) -> u32 {
        let Box8 { min, max } = &self.bounds;
        self.links[7] ^ min[0][0].to_bits() ^ min[2][0].to_bits() ^ max[1][0].to_bits()
    }
}

/// An 8-wide tree in which a block has either only boxes or only blocks below it, so that a walk
/// handles both kinds alike.
#[derive(Clone, Debug)]
pub(crate) struct BlockTree {
    /// Inner blocks first, the root first of all; then the leaf blocks.
    blocks: Vec<Block>,
    first_leaf: u32,
    bounds: Aabb,
}

/// Marks the links to leaf blocks until the number of inner blocks is known.
const LEAF: u32 = 1 << 31;

impl BlockTree {
    /// Collapses a binary tree: its largest subtrees of at most eight boxes become leaf blocks, and
    /// inner blocks open the child of the largest surface until they have eight. Cost: O(n).
    pub(crate) fn collapse(tree: &Bvh) -> Self {
        let nodes = tree.nodes();
        if nodes.is_empty() {
            return Self {
                blocks: Vec::new(),
                first_leaf: 0,
                bounds: Aabb::EMPTY,
            };
        }
        let mut sizes = vec![1_u32; nodes.len()];
        for (at, node) in nodes.iter().enumerate().rev() {
            if !node.is_leaf() {
                let child = node.first_child() as usize;
                sizes[at] = sizes[child] + sizes[child + 1];
            }
        }
        let fits = |node: u32| sizes[node as usize] <= 8;
        let mut inner: Vec<Block> = Vec::new();
        let mut leaves: Vec<Block> = Vec::new();
        let blank = Block {
            bounds: Box8::EMPTY,
            links: [u32::MAX; 8],
        };
        let root = if fits(0) { LEAF } else { 0 };
        push(&mut inner, &mut leaves, root, blank);
        // Binary nodes and the block that each becomes.
        let mut waiting = vec![(0_u32, root)];
        let mut lanes: Vec<u32> = Vec::with_capacity(8);
        while let Some((node, slot)) = waiting.pop() {
            lanes.clear();
            lanes.push(node);
            if slot & LEAF != 0 {
                let mut at = 0;
                while at < lanes.len() {
                    let node = &nodes[lanes[at] as usize];
                    if node.is_leaf() {
                        at += 1;
                    } else {
                        lanes[at] = node.first_child();
                        lanes.insert(at + 1, node.first_child() + 1);
                    }
                }
                let block = &mut leaves[(slot & !LEAF) as usize];
                for (lane, &at) in lanes.iter().enumerate() {
                    let node = &nodes[at as usize];
                    block.bounds.set(lane, &node.bounds());
                    block.links[lane] = node.id();
                }
                continue;
            }
            while lanes.len() < 8 {
                let mut largest = None;
                let mut area = f64::NEG_INFINITY;
                for (lane, &at) in lanes.iter().enumerate() {
                    let here = half_area(&nodes[at as usize].bounds());
                    if !fits(at) && here > area {
                        (largest, area) = (Some(lane), here);
                    }
                }
                let Some(lane) = largest else { break };
                let child = nodes[lanes[lane] as usize].first_child();
                lanes[lane] = child;
                lanes.insert(lane + 1, child + 1);
            }
            for (lane, &at) in lanes.iter().enumerate() {
                let link = if fits(at) {
                    leaves.len() as u32 | LEAF
                } else {
                    inner.len() as u32
                };
                push(&mut inner, &mut leaves, link, blank);
                let block = &mut inner[slot as usize];
                block.bounds.set(lane, &nodes[at as usize].bounds());
                block.links[lane] = link;
            }
            let block = &inner[slot as usize];
            for (lane, &at) in lanes.iter().enumerate().rev() {
                waiting.push((at, block.links[lane]));
            }
        }
        let first_leaf = inner.len() as u32;
        for block in &mut inner {
            for link in &mut block.links {
                if *link != u32::MAX && *link & LEAF != 0 {
                    *link = (*link & !LEAF) + first_leaf;
                }
            }
        }
        inner.append(&mut leaves);
        Self {
            blocks: inner,
            first_leaf,
            bounds: tree.bounds(),
        }
    }

    /// All blocks, the root first; none without boxes.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Blocks from here on hold boxes.
    #[inline(always)]
    pub(crate) fn first_leaf(&self) -> u32 {
        self.first_leaf
    }

    /// The smallest box around everything.
    pub(crate) fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
    }
}

fn push(inner: &mut Vec<Block>, leaves: &mut Vec<Block>, link: u32, blank: Block) {
    if link & LEAF == 0 {
        inner.push(blank);
    } else {
        leaves.push(blank);
    }
}
