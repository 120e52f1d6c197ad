//! Which boxes overlap: closed boxes, so that touching counts.
//!
//! # Exactness
//! Six comparisons of stored numbers, nothing is computed: the answer is exact, and
//! [`Aabb::overlaps`], the scalar twin, gives the same one whatever the order of the comparisons.
//! Comparisons with NaN are false: an element of which a bound is NaN, and padding, overlap nothing.
//! Inverted boxes are compared like others: they overlap the boxes that reach across the gap
//! between their bounds on every axis.

use fearless_simd::{Level, dispatch, prelude::*};

use glam::Vec3;

use super::KernelError;
use super::sweep::{Kernel, mask_wide, to_ids, to_mask};
use crate::Aabb;
use crate::batch::{AabbBatch, BLOCK, BitMask, Block, IdLists, MaskMatrix};

/// Which boxes of a batch overlap a box. O(n).
pub fn one_many(one: &Aabb, many: &AabbBatch, out: &mut BitMask, level: Level) {
    to_mask(OneMany::new(one, many), out, level);
}

/// The ids of the boxes of a batch that overlap a box, ascending; `out` is cleared first. O(n).
pub fn one_many_ids(one: &Aabb, many: &AabbBatch, out: &mut Vec<u32>, level: Level) {
    to_ids(OneMany::new(one, many), out, level);
}

/// Whether box `i` of the one batch overlaps box `i` of the other, for every `i`. O(n).
///
/// # Errors
/// [`KernelError::Lengths`] when the batches are not of one length.
pub fn pairwise(
    left: &AabbBatch,
    right: &AabbBatch,
    out: &mut BitMask,
    level: Level,
) -> Result<(), KernelError> {
    KernelError::same_lengths(left.len(), right.len())?;
    to_mask(Pairwise { left, right }, out, level);
    Ok(())
}

/// Which boxes of the one batch overlap which of the other, as a matrix of bits. O(n m), and n m / 8
/// bytes.
pub fn many_many(left: &AabbBatch, right: &AabbBatch, out: &mut MaskMatrix, level: Level) {
    out.clear_and_resize(left.len(), right.len());
    let stride = out.row_words();
    if stride == 0 {
        return;
    }
    let words = out.words_mut();
    dispatch!(level, simd => {
        for (strip, rows) in words.chunks_mut(STRIP * stride).enumerate() {
            strip_masks(simd, left, STRIP * strip, right, rows, stride);
        }
    });
}

/// For each box of the one batch the ids of the boxes of the other that it overlaps, ascending: all
/// pairs, sorted. O(n m); `out` is cleared first.
pub fn many_many_ids(left: &AabbBatch, right: &AabbBatch, out: &mut IdLists, level: Level) {
    out.clear();
    let stride = right.len().div_ceil(64);
    let mut words = vec![0; STRIP * stride];
    dispatch!(level, simd => {
        let mut first = 0;
        while first < left.len() {
            let count = (left.len() - first).min(STRIP);
            strip_masks(simd, left, first, right, &mut words[..count * stride], stride);
            for row in 0..count {
                out.push_row(simd, &words[row * stride..(row + 1) * stride]);
            }
            first += count;
        }
    });
}

/// Rows that are computed together, tile by tile of the right batch.
const STRIP: usize = 32;

/// Words of a tile: 1,024 boxes of 24 bytes are half of a first-level cache of 48 KiB, so that all
/// rows of a strip but the first find them there.
const TILE: usize = 16;

/// The rows of `rows`, `stride` words each, from box `first` of `left` on.
#[inline(always)]
fn strip_masks<S: Simd>(
    simd: S,
    left: &AabbBatch,
    first: usize,
    right: &AabbBatch,
    rows: &mut [u64],
    stride: usize,
) {
    if stride == 0 {
        return;
    }
    if simd.level().is_fallback() {
        strip_scalar(left, first, right, rows, stride);
        return;
    }
    let mut tile = 0;
    while tile < stride {
        let words = (stride - tile).min(TILE);
        let start = tile * 64;
        let part = OneMany {
            columns: right.blocks(),
            start,
            len: (right.len() - start).min(words * 64),
            one: Aabb::EMPTY,
        };
        for (row, to) in rows.chunks_exact_mut(stride).enumerate() {
            let part = OneMany {
                one: left.at(first + row),
                ..part
            };
            mask_wide(simd, part, &mut to[tile..tile + words]);
        }
        tile += words;
    }
}

#[inline(never)]
fn strip_scalar(
    left: &AabbBatch,
    first: usize,
    right: &AabbBatch,
    rows: &mut [u64],
    stride: usize,
) {
    for (row, to) in rows.chunks_exact_mut(stride).enumerate() {
        let one = left.at(first + row);
        to.fill(0);
        for j in 0..right.len() {
            to[j / 64] |= u64::from(one.overlaps(&right.at(j))) << (j % 64);
        }
    }
}

/// The lanes that overlap.
#[inline(always)]
fn overlaps<S: Simd, F: SimdFloat<S, Element = f32>>(
    min: [F; 3],
    max: [F; 3],
    other_min: [F; 3],
    other_max: [F; 3],
) -> F::Mask {
    let x = min[0].simd_le(other_max[0]) & other_min[0].simd_le(max[0]);
    let y = min[1].simd_le(other_max[1]) & other_min[1].simd_le(max[1]);
    let z = min[2].simd_le(other_max[2]) & other_min[2].simd_le(max[2]);
    x & y & z
}

/// The box of six values.
#[inline(always)]
pub(super) fn aabb_of([a, b, c, d, e, f]: [f32; 6]) -> Aabb {
    Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f))
}

/// The three coordinates of a point in all lanes.
#[inline(always)]
pub(super) fn splat3<S: Simd, F: SimdFloat<S, Element = f32>>(simd: S, p: Vec3) -> [F; 3] {
    [
        F::splat(simd, p.x),
        F::splat(simd, p.y),
        F::splat(simd, p.z),
    ]
}

/// A batch, or a tile of it, against one box.
#[derive(Clone, Copy)]
struct OneMany<'a> {
    columns: [&'a [Block]; 6],
    /// First element of the tile, a multiple of [`BLOCK`].
    start: usize,
    /// Elements of the tile.
    len: usize,
    one: Aabb,
}

impl<'a> OneMany<'a> {
    #[inline(always)]
    fn new(one: &Aabb, many: &'a AabbBatch) -> Self {
        Self {
            columns: many.blocks(),
            start: 0,
            len: many.len(),
            one: *one,
        }
    }
}

impl Kernel<6> for OneMany<'_> {
    const EXACT: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 6] {
        let mut columns = self.columns;
        for column in &mut columns {
            *column = &column[self.start / BLOCK..];
        }
        columns
    }

    #[inline(always)]
    fn near<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 6]) -> F::Mask {
        let [x0, y0, z0, x1, y1, z1] = *at;
        let min = splat3(simd, self.one.min);
        let max = splat3(simd, self.one.max);
        overlaps([x0, y0, z0], [x1, y1, z1], min, max)
    }

    #[inline(always)]
    fn test(self, _: usize, at: &[f32; 6]) -> bool {
        aabb_of(*at).overlaps(&self.one)
    }
}

#[derive(Clone, Copy)]
struct Pairwise<'a> {
    left: &'a AabbBatch,
    right: &'a AabbBatch,
}

impl Kernel<12> for Pairwise<'_> {
    const EXACT: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        self.left.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 12] {
        let [a, b, c, d, e, f] = self.left.blocks();
        let [g, h, i, j, k, l] = self.right.blocks();
        [a, b, c, d, e, f, g, h, i, j, k, l]
    }

    #[inline(always)]
    fn near<S: Simd, F: SimdFloat<S, Element = f32>>(self, _: S, at: &[F; 12]) -> F::Mask {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = *at;
        overlaps([a, b, c], [d, e, f], [g, h, i], [j, k, l])
    }

    #[inline(always)]
    fn test(self, _: usize, at: &[f32; 12]) -> bool {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = *at;
        aabb_of([a, b, c, d, e, f]).overlaps(&aabb_of([g, h, i, j, k, l]))
    }
}

/// References for measurement: how the same is written without a kernel.
pub mod baseline {
    use super::{Aabb, AabbBatch};

    /// The early-out test over an array of structs; `out` is cleared first.
    #[inline(never)]
    pub fn one_many_aos(one: &Aabb, many: &[Aabb], out: &mut Vec<u32>) {
        out.clear();
        for (i, other) in many.iter().enumerate() {
            if one.overlaps(other) {
                out.push(i as u32);
            }
        }
    }

    /// The early-out test over two arrays of structs, one byte a pair; as many as the shortest of the
    /// three has.
    #[inline(never)]
    pub fn pairwise_aos(left: &[Aabb], right: &[Aabb], out: &mut [u8]) {
        for ((a, b), out) in left.iter().zip(right).zip(out) {
            *out = u8::from(a.overlaps(b));
        }
    }

    /// A plain loop without branches over columns, one byte an element, which the compiler turns into
    /// vector code; as many as the shorter one has.
    #[inline(never)]
    pub fn one_many_soa(one: &Aabb, many: &AabbBatch, out: &mut [u8]) {
        let n = many.len().min(out.len());
        let [x0, y0, z0] = many.min().map(|c| &c.as_slice()[..n]);
        let [x1, y1, z1] = many.max().map(|c| &c.as_slice()[..n]);
        let out = &mut out[..n];
        for i in 0..n {
            out[i] = u8::from(x0[i] <= one.max.x)
                & u8::from(one.min.x <= x1[i])
                & u8::from(y0[i] <= one.max.y)
                & u8::from(one.min.y <= y1[i])
                & u8::from(z0[i] <= one.max.z)
                & u8::from(one.min.z <= z1[i]);
        }
    }

    /// [`one_many_soa`] for pairs.
    #[inline(never)]
    pub fn pairwise_soa(left: &AabbBatch, right: &AabbBatch, out: &mut [u8]) {
        let n = left.len().min(right.len()).min(out.len());
        let [ax, ay, az] = left.min().map(|c| &c.as_slice()[..n]);
        let [bx, by, bz] = left.max().map(|c| &c.as_slice()[..n]);
        let [cx, cy, cz] = right.min().map(|c| &c.as_slice()[..n]);
        let [dx, dy, dz] = right.max().map(|c| &c.as_slice()[..n]);
        let out = &mut out[..n];
        for i in 0..n {
            out[i] = u8::from(ax[i] <= dx[i])
                & u8::from(cx[i] <= bx[i])
                & u8::from(ay[i] <= dy[i])
                & u8::from(cy[i] <= by[i])
                & u8::from(az[i] <= dz[i])
                & u8::from(cz[i] <= bz[i]);
        }
    }
}
