//! Lists of pairs from a grid.

use fearless_simd::{f32x8, prelude::*, u32x8};

use super::grid::Grid;
use super::law::Stretch;
use super::lists::{CHUNK, FAR, Lists, OUTSIDE, ROWS, Slot, WITHIN};
use super::rows::Row;

/// What a search reads: all grains in cell order.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub grid: &'a Grid,
    pub rows: &'a [Row],
    /// Tethers in columns, the radius of the grain added to that of the ball; the last column has NaN for hasty
    /// grains, the one before it has not. Eight more lanes at the end hold NaN.
    pub columns: [&'a [f32]; 5],
    /// The row that each grain had in the lists before, `u32::MAX` for new ones.
    pub came_from: &'a [u32],
    /// The lists before.
    pub old: &'a [Lists],
    /// Pairs of which one is hasty, chunk by chunk, both ways.
    pub hasty: &'a [Vec<[u32; 2]>],
    /// Centres of pairs that touch are nearer than the root of this, m².
    pub near_square: f32,
    /// Whether rolling is resisted.
    pub rolling: bool,
}

/// Buffers of [`fill`], kept from chunk to chunk.
#[derive(Default)]
pub(super) struct Found {
    ranges: Vec<[u32; 2]>,
    /// Grains of the ranges, packed: columns like those of [`Search`] and rows.
    packed: [Vec<f32>; 4],
    packed_rows: Vec<u32>,
    count: usize,
    /// Who comes near, and how near: squared distances, m².
    others: Vec<u32>,
    squares: Vec<f32>,
    /// Pairs of the four kinds of [`Lists::slots`], and how many.
    kinds: [Vec<(u16, u32)>; 4],
    counts: [usize; 4],
    /// The row that each grain of another chunk has in the table; 0 when it has none.
    outside: Vec<u16>,
}

/// Fills the lists of the grains from `first`, at most [`CHUNK`] of them. Tells whether they fit: a chunk has room for some
/// 65,000 neighbours outside.
#[inline(always)]
pub(super) fn fill<S: Simd>(
    simd: S,
    search: Search<'_>,
    first: usize,
    found: &mut Found,
    lists: &mut Lists,
) -> bool {
    let end = (first + CHUNK).min(search.rows.len());
    let [xs, ys, zs, _, common] = search.columns;
    found.counts = [0; 4];
    let mut cell = None;
    for i in first..end {
        if common[i].is_nan() {
            continue;
        }
        let tether = &search.rows[i].tether;
        let key = search.grid.key_of(tether);
        if cell != Some(key) {
            search.grid.around(tether, &mut found.ranges);
            pack(simd, [xs, ys, zs, common], found);
            cell = Some(key);
        }
        let count = near(simd, [xs[i], ys[i], zs[i], common[i]], i, first, found);
        note(search, found, [first, end], i, count);
    }
    for &[i, other] in search
        .hasty
        .get(first / CHUNK)
        .map_or(&[][..], |pairs| pairs)
    {
        if i < other || !(first..end).contains(&(other as usize)) {
            let (a, b) = (
                search.rows[i as usize].tether,
                search.rows[other as usize].tether,
            );
            let d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
            found.others.resize(found.others.len().max(1), 0);
            found.squares.resize(found.squares.len().max(1), 0.0);
            found.others[0] = other;
            found.squares[0] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            note(search, found, [first, end], i as usize, 1);
        }
    }
    enlist(search, first, found, lists)
}

/// Notes the first of those found near a grain as pairs, under their kinds. No branch depends on the kind.
#[inline(always)]
fn note(search: Search<'_>, found: &mut Found, [first, end]: [usize; 2], i: usize, count: usize) {
    for (pairs, &noted) in found.kinds.iter_mut().zip(&found.counts) {
        if pairs.len() < noted + count {
            pairs.resize((noted + count) * 2, (0, 0));
        }
    }
    let one = (i - first) as u16;
    for (&other, &square) in found.others[..count].iter().zip(&found.squares) {
        let across = (other as usize).wrapping_sub(first) >= end - first;
        let kind = 2 * usize::from(square >= search.near_square) + usize::from(across);
        found.kinds[kind][found.counts[kind]] = (one, other);
        found.counts[kind] += 1;
    }
}

/// Turns the pairs found into slots, with what their contacts remember, and tells whether there are rows for all.
fn enlist(search: Search<'_>, first: usize, found: &mut Found, lists: &mut Lists) -> bool {
    lists.first = first as u32;
    lists.slots.clear();
    lists.slide.clear();
    lists.live.clear();
    lists.roll.clear();
    lists.outside.clear();
    found.outside.resize(search.rows.len(), 0);
    for (kind, within) in WITHIN.into_iter().enumerate() {
        for pairs in found.kinds[kind][..found.counts[kind]].chunks(8) {
            let slot = lists.slots.len();
            lists.slots.push(Slot::EMPTY);
            lists.slide.push([[0.0; 8]; 3]);
            lists.live.push(false);
            if search.rolling {
                lists.roll.push([[0.0; 8]; 3]);
            }
            for (lane, &(one, other)) in pairs.iter().enumerate() {
                let row = if within {
                    other as usize - first
                } else {
                    let row = &mut found.outside[other as usize];
                    if *row == 0 {
                        *row = (OUTSIDE + lists.outside.len()) as u16;
                        lists.outside.push(other);
                    }
                    usize::from(*row)
                };
                lists.slots[slot].one[lane] = one;
                lists.slots[slot].other[lane] = row as u16;
                // Only what touches remembers, and that is near.
                let near = kind < FAR;
                let stretch = near.then(|| remembered(search, first + usize::from(one), other));
                if let Some(stretch) = stretch.flatten() {
                    lists.set_stretch(slot, lane, stretch);
                    lists.live[slot] = true;
                }
            }
        }
        lists.ends[kind] = lists.slots.len();
    }
    for &grain in &lists.outside {
        found.outside[grain as usize] = 0;
    }
    lists.outside.len() <= ROWS - OUTSIDE
}

/// What a contact remembers from the lists before.
#[inline(always)]
fn remembered(search: Search<'_>, one: usize, other: u32) -> Option<Stretch<f32>> {
    let (a, b) = (search.came_from[one], search.came_from[other as usize]);
    let chunk = a as usize / CHUNK;
    let old = search.old.get(chunk)?;
    // Pairs within a chunk are listed with the smaller row first, others with the row of the chunk first.
    if a < b || chunk != b as usize / CHUNK {
        old.remembered(a as usize % CHUNK, b)
    } else {
        old.remembered(b as usize % CHUNK, a).map(Stretch::turned)
    }
}

/// Packs the grains of the ranges, with NaN to a whole vector. Copies whole vectors: what is too much is overwritten by the
/// next range.
#[inline(always)]
fn pack<S: Simd>(simd: S, columns: [&[f32]; 4], found: &mut Found) {
    let mut count = 0;
    for &[from, to] in &found.ranges {
        count += (to - from) as usize;
    }
    found.count = count;
    if found.packed_rows.len() < count + 16 {
        for packed in &mut found.packed {
            packed.resize(count + 16, 0.0);
        }
        found.packed_rows.resize(count + 16, 0);
    }
    let [xs, ys, zs, rs] = columns;
    let [px, py, pz, pr] = &mut found.packed;
    let steps = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
    let mut at = 0;
    for &[from, to] in &found.ranges {
        let (from, to) = (from as usize, to as usize);
        for k in (from..to).step_by(8) {
            f32x8::from_slice(simd, &xs[k..k + 8]).store_slice(&mut px[at..at + 8]);
            f32x8::from_slice(simd, &ys[k..k + 8]).store_slice(&mut py[at..at + 8]);
            f32x8::from_slice(simd, &zs[k..k + 8]).store_slice(&mut pz[at..at + 8]);
            f32x8::from_slice(simd, &rs[k..k + 8]).store_slice(&mut pr[at..at + 8]);
            let rows = u32x8::splat(simd, k as u32) + steps;
            rows.store_slice(&mut found.packed_rows[at..at + 8]);
            at += (to - k).min(8);
        }
    }
    f32x8::splat(simd, f32::NAN).store_slice(&mut pr[count..count + 8]);
}

/// Collects who comes near a grain among those packed: of its chunk only those after it, all of other chunks. Returns
/// how many.
#[inline(always)]
fn near<S: Simd>(simd: S, own: [f32; 4], i: usize, first: usize, found: &mut Found) -> usize {
    let [xs, ys, zs, rs] = &found.packed;
    let packed = found.count;
    if found.others.len() < packed + 8 {
        found.others.resize(packed + 8, 0);
        found.squares.resize(packed + 8, 0.0);
    }
    let [x, y, z, r] = own;
    let (x, y, z) = (
        f32x8::splat(simd, x),
        f32x8::splat(simd, y),
        f32x8::splat(simd, z),
    );
    let r = f32x8::splat(simd, r);
    let (before, after) = (
        u32x8::splat(simd, first as u32),
        u32x8::splat(simd, i as u32),
    );
    let mut count = 0;
    for k in (0..packed).step_by(8) {
        let dx = f32x8::from_slice(simd, &xs[k..k + 8]) - x;
        let dy = f32x8::from_slice(simd, &ys[k..k + 8]) - y;
        let dz = f32x8::from_slice(simd, &zs[k..k + 8]) - z;
        let reach = f32x8::from_slice(simd, &rs[k..k + 8]) + r;
        let rows = u32x8::from_slice(simd, &found.packed_rows[k..k + 8]);
        let square = dx * dx + dy * dy + dz * dz;
        let counts = square.simd_le(reach * reach) & (rows.simd_lt(before) | rows.simd_gt(after));
        // What is too much is overwritten by what follows.
        rows.compress(counts)
            .store_slice(&mut found.others[count..count + 8]);
        square
            .compress(counts)
            .store_slice(&mut found.squares[count..count + 8]);
        count += counts.to_bitmask().count_ones() as usize;
    }
    count
}

/// Collects who comes near a hasty grain, itself excluded.
#[inline(always)]
pub(super) fn near_hasty<S: Simd>(
    simd: S,
    search: Search<'_>,
    i: u32,
    farthest: f32,
    found: &mut Found,
    pairs: &mut Vec<[u32; 2]>,
) {
    let [xs, ys, zs, reaches, common] = search.columns;
    let own = i as usize;
    search.grid.within(
        &search.rows[own].tether,
        reaches[own] + farthest,
        &mut found.ranges,
    );
    pack(simd, [xs, ys, zs, reaches], found);
    // Those of the chunk that starts with the grain and come after it, and all before: all but the grain itself.
    let ball = [xs[own], ys[own], zs[own], reaches[own]];
    let count = near(simd, ball, own, own, found);
    for &other in &found.others[..count] {
        pairs.push([i, other]);
        if !common[other as usize].is_nan() {
            pairs.push([other, i]);
        }
    }
}
