//! Boxes against triangles.

use core::ops::ControlFlow;

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::Aabb;

use super::sat::triangle_meets_box;
use super::{BLOCK, Counters, TriangleTree, with_stack};
use crate::BoxError;
use crate::boxes::check;
use crate::h8::join_level;

/// How closely triangles are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// A triangle is its bounds: candidates for a closer test.
    #[default]
    Bounds,
    /// The triangle itself, in double precision, conservative: a gap may be missed only if it is less than
    /// 2⁻⁴⁰ of the coordinates.
    Triangles,
}

impl TriangleTree {
    /// Calls `visit` with the id of every triangle that overlaps a closed box, in no particular
    /// order, until it stops the walk. O(log n + triangles found) for common meshes.
    ///
    /// # Errors
    /// A box that is inverted or has a NaN bound; it may be infinite.
    pub fn overlaps(
        &self,
        query: &Aabb,
        precision: Precision,
        level: Level,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Result<Counters, BoxError> {
        check(core::slice::from_ref(query))?;
        Ok(with_stack!(self, stack => dispatch!(
            join_level(level), simd => walk(simd, self, query, precision, stack, &mut visit)
        )))
    }
}

#[inline(always)]
fn walk<S: Simd>(
    simd: S,
    tree: &TriangleTree,
    query: &Aabb,
    precision: Precision,
    stack: &mut [u64],
    visit: &mut impl FnMut(u32) -> ControlFlow<()>,
) -> Counters {
    let mut counters = Counters::default();
    let mut height = 0;
    if !tree.is_empty() {
        stack[0] = 0;
        height = 1;
    }
    while height > 0 {
        height -= 1;
        let node = &tree.nodes[stack[height] as usize];
        counters.nodes += 1;
        counters.tests += 8;
        let mut bits = node.boxes.overlaps_one(simd, query);
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize & 7;
            bits &= bits - 1;
            let link = node.links[lane];
            if link & BLOCK == 0 {
                stack[height] = u64::from(link);
                height += 1;
                continue;
            }
            let block = &tree.blocks[(link & !BLOCK) as usize];
            counters.tests += 8;
            let mut bits = block.triangles.bounds_overlap(simd, query);
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize & 7;
                bits &= bits - 1;
                let met = precision == Precision::Bounds
                    || triangle_meets_box(&block.triangles.get(lane), query);
                if met && visit(block.ids[lane]).is_break() {
                    return counters;
                }
            }
        }
    }
    counters
}
