//! Every pair of boxes: slow, and plain enough to be believed. The other methods are compared
//! with it.

use jostle_geom::Aabb;

use crate::BoxError;
use crate::boxes::check;

/// All pairs of overlapping boxes as ascending ids, sorted. Cost: O(n²).
///
/// # Errors
/// A box that is inverted or has a NaN bound.
pub fn self_pairs(boxes: &[Aabb]) -> Result<Vec<[u32; 2]>, BoxError> {
    check(boxes)?;
    let mut pairs = Vec::new();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if a.overlaps(b) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    Ok(pairs)
}

/// All pairs of a box of `a` and a box of `b` that overlap, sorted. Cost: O(n m).
///
/// # Errors
/// A box that is inverted or has a NaN bound.
pub fn pairs_between(a: &[Aabb], b: &[Aabb]) -> Result<Vec<[u32; 2]>, BoxError> {
    check(a)?;
    check(b)?;
    let mut pairs = Vec::new();
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            if a.overlaps(b) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    Ok(pairs)
}
