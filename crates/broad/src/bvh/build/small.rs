//! The best trees over few boxes.

use fearless_simd::{f32x8, prelude::*};

use super::emit::{Place, leaf};
use super::record::{Record, half_area_of};
use crate::bvh::Node;

/// The nodes of a place by their index in the tree.
pub(super) struct Nodes<'a> {
    root: &'a mut Node,
    below: &'a mut [Node],
    at: u32,
    first: u32,
}

impl<'a> Nodes<'a> {
    #[inline(always)]
    pub(super) fn new(place: Place<'a>) -> Self {
        let Place {
            root,
            below,
            first_pair,
            at,
            ..
        } = place;
        Self {
            root,
            below,
            at,
            first: 2 * first_pair + 1,
        }
    }

    #[inline(always)]
    pub(super) fn put(&mut self, index: u32, node: Node) {
        if index == self.at {
            *self.root = node;
        } else if let Some(slot) = self.below.get_mut(index.wrapping_sub(self.first) as usize) {
            *slot = node;
        }
    }
}

/// Writes the tree of one to four records whose inner nodes have the least surface in all.
#[inline(always)]
pub(super) fn write_small<S: Simd>(
    simd: S,
    records: &[Record],
    nodes: &mut Nodes<'_>,
    at: u32,
    parent: u32,
    pair: u32,
) {
    match records {
        [a] => nodes.put(at, leaf(a, parent)),
        [a, b] => write_two(simd, [a, b], nodes, at, parent, pair),
        [a, b, c] => {
            let v = [a.load(simd), b.load(simd), c.load(simd)];
            let areas = [
                half_area_of(v[0].min(v[1])),
                half_area_of(v[0].min(v[2])),
                half_area_of(v[1].min(v[2])),
            ];
            let order = if areas[0] <= areas[1] && areas[0] <= areas[2] {
                [a, b, c]
            } else if areas[1] <= areas[2] {
                [a, c, b]
            } else {
                [b, c, a]
            };
            write_three(simd, order, nodes, at, parent, pair);
        }
        [a, b, c, d] => write_four(simd, [a, b, c, d], nodes, at, parent, pair),
        _ => {}
    }
}

#[inline(always)]
fn write_two<S: Simd>(
    simd: S,
    [a, b]: [&Record; 2],
    nodes: &mut Nodes<'_>,
    at: u32,
    parent: u32,
    pair: u32,
) {
    let union = a.load(simd).min(b.load(simd));
    nodes.put(at, inner(union, pair, parent));
    nodes.put(2 * pair + 1, leaf(a, at));
    nodes.put(2 * pair + 2, leaf(b, at));
}

/// The first two below one node.
#[inline(always)]
fn write_three<S: Simd>(
    simd: S,
    [a, b, c]: [&Record; 3],
    nodes: &mut Nodes<'_>,
    at: u32,
    parent: u32,
    pair: u32,
) {
    let union = a.load(simd).min(b.load(simd)).min(c.load(simd));
    nodes.put(at, inner(union, pair, parent));
    write_two(simd, [a, b], nodes, 2 * pair + 1, at, pair + 1);
    nodes.put(2 * pair + 2, leaf(c, at));
}

/// Which two of four come below a node.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

#[inline(always)]
fn write_four<S: Simd>(
    simd: S,
    records: [&Record; 4],
    nodes: &mut Nodes<'_>,
    at: u32,
    parent: u32,
    pair: u32,
) {
    let v = [
        records[0].load(simd),
        records[1].load(simd),
        records[2].load(simd),
        records[3].load(simd),
    ];
    let (mut best, mut choice) = (f32::INFINITY, ([0, 1, 2, 3], false));
    for (i, [a, b]) in PAIRS.into_iter().enumerate() {
        // The opposite pair comes at the mirrored place.
        let [c, d] = PAIRS[5 - i];
        let two = v[a].min(v[b]);
        let area = half_area_of(two);
        let options = [
            (area + half_area_of(v[c].min(v[d])), [a, b, c, d], true),
            (area + half_area_of(two.min(v[c])), [a, b, c, d], false),
            (area + half_area_of(two.min(v[d])), [a, b, d, c], false),
        ];
        for (cost, order, balanced) in options {
            if cost < best {
                best = cost;
                choice = (order, balanced);
            }
        }
    }
    let ([a, b, c, d], balanced) = choice;
    let union = v[0].min(v[1]).min(v[2]).min(v[3]);
    nodes.put(at, inner(union, pair, parent));
    let [a, b, c, d] = [records[a], records[b], records[c], records[d]];
    let child = 2 * pair + 1;
    if balanced {
        write_two(simd, [a, b], nodes, child, at, pair + 1);
        write_two(simd, [c, d], nodes, child + 1, at, pair + 2);
    } else {
        write_three(simd, [a, b, c], nodes, child, at, pair + 1);
        nodes.put(child + 1, leaf(d, at));
    }
}

#[inline(always)]
fn inner<S: Simd>(union: f32x8<S>, pair: u32, parent: u32) -> Node {
    Node::inner(&Record(union.into()).bounds(), pair, parent)
}
