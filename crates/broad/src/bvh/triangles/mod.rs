//! Triangles in a wide tree: rays, overlaps and nearest points on meshes that stand still.

mod collapse;
mod nearest;
mod overlap;
mod ray;
mod sat;

use fearless_simd::Level;
use jostle_geom::{Aabb, Ray, Triangle};
use jostle_simd::{Box8, Triangle8};
use thiserror::Error;

use super::{Builder, Bvh, Counters};
use crate::BoxError;

pub use nearest::{NearestError, NearestPoint};
pub use overlap::Precision;
pub use ray::{RayBatchError, RayHit, RayOptions};

/// Marks the link to a block of triangles.
const BLOCK: u32 = 1 << 31;

/// A link that leads nowhere.
const NOWHERE: u32 = u32::MAX;

/// Up to eight boxes and what is in them: four cache lines.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
struct WideNode {
    boxes: Box8,
    /// A node, or a block with [`BLOCK`] set, or [`NOWHERE`].
    links: [u32; 8],
}

/// Up to eight triangles next to each other: five cache lines.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
struct Block {
    triangles: Triangle8,
    ids: [u32; 8],
}

/// An eight-wide tree over triangles, whose leaves are blocks of up to eight triangles.
///
/// Collapsed from a binary tree of any [`Builder`] so that the expected cost of a query by the
/// surface area heuristic is least among all collapses. Nodes lie in the order of a walk in
/// depth, the blocks of a node next to each other. The triangle of place `i` in the list has the
/// id `i`.
///
/// Every answer is the one that testing all triangles gives, to the last bit, whichever the
/// builder and the level: what decides is a function of the query and one triangle, the tests of
/// boxes are conservative with regard to it, and ties go to the smaller id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleTree {
    nodes: Vec<WideNode>,
    blocks: Vec<Block>,
    triangles: usize,
    bounds: Option<Aabb>,
    /// What a stack of postponed links must hold.
    stack: usize,
}

/// Why there is no tree over some triangles.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TriangleError {
    /// A vertex has a coordinate that is NaN, infinite or beyond [`Ray::MAX_COORDINATE`].
    #[error("triangle {triangle} has a vertex with coordinate {value}, which is not within ±2^60")]
    Vertex {
        /// Which triangle.
        triangle: usize,
        /// The coordinate.
        value: f32,
    },
    /// The tree below cannot be built.
    #[error(transparent)]
    Boxes(#[from] BoxError),
}

impl TriangleTree {
    /// Builds the tree. `level` chooses among kernels that give the same tree.
    ///
    /// # Errors
    /// The first coordinate that is NaN, infinite or beyond ±2⁶⁰ m, or more than
    /// [`Bvh::MAX_BOXES`] triangles.
    pub fn build(
        triangles: &[Triangle],
        builder: Builder,
        level: Level,
    ) -> Result<Self, TriangleError> {
        let mut boxes = Vec::with_capacity(triangles.len());
        for (i, triangle) in triangles.iter().enumerate() {
            for vertex in [triangle.a, triangle.b, triangle.c] {
                for value in vertex.to_array() {
                    if value.is_nan() || value.abs() > Ray::MAX_COORDINATE {
                        return Err(TriangleError::Vertex { triangle: i, value });
                    }
                }
            }
            boxes.push(triangle.bounds());
        }
        let binary = Bvh::build(&boxes, builder, level)?;
        Ok(collapse::collapse(&binary, triangles))
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.triangles
    }

    /// Whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.triangles == 0
    }

    /// The smallest box around all triangles; [`Aabb::EMPTY`] without any.
    pub fn bounds(&self) -> Aabb {
        self.bounds.unwrap_or(Aabb::EMPTY)
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<WideNode>() + self.blocks.capacity() * size_of::<Block>()
    }

    /// Numbers of nodes and of blocks.
    pub fn shape(&self) -> (usize, usize) {
        (self.nodes.len(), self.blocks.len())
    }

    /// Whether every triangle is in exactly one block, and every box in the tree is the smallest one
    /// around what is below it. Cost: O(n).
    pub fn is_valid_for(&self, triangles: &[Triangle]) -> bool {
        let mut seen = vec![false; triangles.len()];
        let mut visited = 0;
        let mut waiting = Vec::new();
        if !self.nodes.is_empty() {
            waiting.push((0_u32, self.bounds()));
        }
        while let Some((link, expected)) = waiting.pop() {
            let mut bounds = Aabb::EMPTY;
            visited += 1;
            if link & BLOCK == 0 {
                let Some(node) = self.nodes.get(link as usize) else {
                    return false;
                };
                for lane in 0..8 {
                    let here = node.boxes.get(lane);
                    if node.links[lane] == NOWHERE {
                        if !here.min.is_nan() {
                            return false;
                        }
                    } else {
                        bounds = bounds.union(here);
                        waiting.push((node.links[lane], here));
                    }
                }
            } else {
                let Some(block) = self.blocks.get((link & !BLOCK) as usize) else {
                    return false;
                };
                for lane in 0..8 {
                    let id = block.ids[lane];
                    if id == NOWHERE {
                        continue;
                    }
                    let same = triangles.get(id as usize) == Some(&block.triangles.get(lane));
                    if !same || core::mem::replace(&mut seen[id as usize], true) {
                        return false;
                    }
                    bounds = bounds.union(block.triangles.get(lane).bounds());
                }
            }
            if bounds != expected || visited > self.nodes.len() + self.blocks.len() {
                return false;
            }
        }
        seen.iter().all(|&seen| seen) && self.triangles == triangles.len()
    }
}

/// The links of a walk that wait to be followed, on the stack of the thread unless the tree is uncommonly
/// deep.
macro_rules! with_stack {
    ($tree:expr, $stack:ident => $body:expr) => {
        if $tree.stack <= $crate::tuning::WALK_STACK {
            let $stack = &mut [0_u64; $crate::tuning::WALK_STACK][..];
            $body
        } else {
            let $stack = &mut vec![0_u64; $tree.stack][..];
            $body
        }
    };
}
use with_stack;

/// A link that waits, and the distance at which it starts to matter, which is not negative: as
/// numbers these order like the distances.
#[inline(always)]
fn waiting(distance: f32, link: u32) -> u64 {
    u64::from(distance.to_bits()) << 32 | u64::from(link)
}

/// The distance of a link that waits.
#[inline(always)]
fn distance_of(waiting: u64) -> f32 {
    f32::from_bits((waiting >> 32) as u32)
}

/// Puts the children of a node that `bits` names on the stack, the nearest on top, and returns the
/// new height.
#[inline(always)]
fn push_nearest_last(
    stack: &mut [u64],
    height: usize,
    mut bits: u8,
    distances: &[f32; 8],
    links: &[u32; 8],
) -> usize {
    let mut top = height;
    while bits != 0 {
        let lane = bits.trailing_zeros() as usize & 7;
        bits &= bits - 1;
        let new = waiting(distances[lane], links[lane]);
        let mut place = top;
        while place > height && stack[place - 1] < new {
            stack[place] = stack[place - 1];
            place -= 1;
        }
        stack[place] = new;
        top += 1;
    }
    top
}
