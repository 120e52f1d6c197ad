//! Boxes in, pairs out.

use core::ops::ControlFlow;

use fearless_simd::{Level, dispatch};
use jostle_geom::Aabb;

use super::{All, Join, Nodes, Tree, join_level};
use crate::BoxError;
use crate::boxes::check;
use crate::pair_buffer::PairBuffer;
use crate::pair_sort::sort_pairs;

/// All pairs of overlapping boxes as ascending ids, sorted.
///
/// Cost: O(n + pairs) for boxes of similar size, plus the sort of the pairs.
///
/// # Errors
/// A box that is inverted or has a NaN bound.
pub fn self_pairs(boxes: &[Aabb], level: Level) -> Result<Vec<[u32; 2]>, BoxError> {
    check(boxes)?;
    let tree = Tree::build(boxes, level);
    let mut pairs = collect::<true>(&tree, &tree, level, take_all);
    sort_pairs(&mut pairs, boxes.len());
    Ok(pairs)
}

/// Those of the [`self_pairs`] that `keep` holds for, without ever storing the others.
///
/// `keep` is called once a pair, in no particular order and from several threads at a time.
///
/// # Errors
/// A box that is inverted or has a NaN bound.
pub fn self_pairs_where(
    boxes: &[Aabb],
    level: Level,
    keep: impl Fn([u32; 2]) -> bool + Sync,
) -> Result<Vec<[u32; 2]>, BoxError> {
    check(boxes)?;
    let tree = Tree::build(boxes, level);
    let mut pairs = collect::<true>(&tree, &tree, level, |pairs, chunk| {
        pairs.extend(chunk.iter().filter(|&&pair| keep(pair)));
    });
    pairs.sort_unstable();
    Ok(pairs)
}

/// All pairs of a box of `a` and a box of `b` that overlap, sorted.
///
/// # Errors
/// A box that is inverted or has a NaN bound; its index counts within its own list.
pub fn pairs_between(a: &[Aabb], b: &[Aabb], level: Level) -> Result<Vec<[u32; 2]>, BoxError> {
    check(a)?;
    check(b)?;
    let mut pairs = collect::<false>(
        &Tree::build(a, level),
        &Tree::build(b, level),
        level,
        take_all,
    );
    pairs.sort_unstable();
    Ok(pairs)
}

fn take_all(pairs: &mut Vec<[u32; 2]>, chunk: &[[u32; 2]]) {
    pairs.extend_from_slice(chunk);
}

fn collect<const SELF: bool>(
    a: &Tree,
    b: &Tree,
    level: Level,
    take: impl Fn(&mut Vec<[u32; 2]>, &[[u32; 2]]) + Sync,
) -> Vec<[u32; 2]> {
    let join = Join {
        a,
        b,
        filter: All::<false>,
    };
    let run = |task: usize| {
        let mut pairs = Vec::new();
        let mut buffer = PairBuffer::default();
        let mut nodes = Nodes::default();
        buffer.clear();
        let mut flush = |chunk: &[[u32; 2]]| {
            take(&mut pairs, chunk);
            ControlFlow::Continue(())
        };
        // The closure never asks to stop.
        let _ = dispatch!(join_level(level), simd =>
            join.run::<SELF, _>(simd, task, &mut nodes, &mut buffer, &mut flush));
        let _ = buffer.finish(&mut flush);
        pairs
    };
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let parts: Vec<_> = (0..a.task_count()).into_par_iter().map(run).collect();
        parts.concat()
    }
    #[cfg(not(feature = "parallel"))]
    (0..a.task_count()).flat_map(run).collect()
}
