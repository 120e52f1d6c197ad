//! Keys along a Hilbert or a Morton curve through a grid of 1024³ cells.
//!
//! The transform is that of J. Skilling, "Programming the Hilbert curve", AIP Conference
//! Proceedings 707 (2004), for three axes of ten bits, with its branches turned into masks so that
//! eight points go through it at once.

use bytemuck::cast_slice;
use fearless_simd::{Level, dispatch, f32x4, prelude::*, u32x4, u32x8};

use crate::Aabb;

/// Bits of a key.
pub const HILBERT_BITS: u32 = 30;

/// Cells along an axis.
const CELLS: u32 = 1 << AXIS_BITS;
const AXIS_BITS: u32 = HILBERT_BITS / 3;

/// A grid of cubic cells: one scale for all axes, so that flat scenes stay flat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HilbertGrid {
    /// The corner of cell (0, 0, 0).
    pub origin: [f32; 3],
    /// Cells a metre, finite.
    pub scale: f32,
}

impl HilbertGrid {
    /// The grid whose 1024 cells span `min..max` on the longest axis.
    ///
    /// Bounds must be finite. An extent so small that the scale would overflow gets fewer cells.
    pub fn new(min: [f32; 3], max: [f32; 3]) -> Self {
        let extent = (0..3)
            .map(|axis| f64::from(max[axis]) - f64::from(min[axis]))
            .fold(0.0, f64::max);
        let scale = if extent > 0.0 {
            (f64::from(CELLS) / extent).min(f64::from(f32::MAX)) as f32
        } else {
            0.0
        };
        Self { origin: min, scale }
    }
}

/// Writes `key << 32 | index` of the centre of every box, indices counted from `first`.
///
/// Centres outside the grid go to its border cells. Boxes must not be NaN; infinite bounds count
/// as the largest finite ones.
///
/// # Panics
/// When the slices differ in length.
pub fn hilbert_keys(grid: &HilbertGrid, boxes: &[Aabb], first: u32, out: &mut [u64], level: Level) {
    assert_eq!(boxes.len(), out.len());
    dispatch!(level, simd => keys::<_, true>(simd, grid, boxes, first, out));
}

/// As [`hilbert_keys`] along the Morton curve, whose keys interleave the bits of the cells: x
/// first. A step of it can be long, but every bit of a key halves a cell by a plane.
///
/// # Panics
/// When the slices differ in length.
pub fn morton_keys(grid: &HilbertGrid, boxes: &[Aabb], first: u32, out: &mut [u64], level: Level) {
    assert_eq!(boxes.len(), out.len());
    dispatch!(level, simd => keys::<_, false>(simd, grid, boxes, first, out));
}

#[inline(always)]
fn keys<S: Simd, const HILBERT: bool>(
    simd: S,
    grid: &HilbertGrid,
    boxes: &[Aabb],
    first: u32,
    out: &mut [u64],
) {
    let (groups, rest) = boxes.as_chunks::<8>();
    let (out_groups, out_rest) = out.as_chunks_mut::<8>();
    let mut index = first;
    for (group, out) in groups.iter().zip(out_groups) {
        store(&keys8::<_, HILBERT>(simd, grid, group), index, out);
        index += 8;
    }
    if let Some(&last) = rest.last() {
        let mut group = [last; 8];
        group[..rest.len()].copy_from_slice(rest);
        store(&keys8::<_, HILBERT>(simd, grid, &group), index, out_rest);
    }
}

#[inline(always)]
fn store(keys: &[u32; 8], first: u32, out: &mut [u64]) {
    for (lane, out) in out.iter_mut().enumerate() {
        *out = (u64::from(keys[lane]) << 32) | u64::from(first + lane as u32);
    }
}

#[inline(always)]
fn keys8<S: Simd, const HILBERT: bool>(simd: S, grid: &HilbertGrid, boxes: &[Aabb; 8]) -> [u32; 8] {
    let values: &[f32] = cast_slice(boxes);
    let [x, y, z] = grid.origin;
    let grid = (
        f32x4::load_array(simd, [x, y, z, 0.0]),
        f32x4::splat(simd, grid.scale),
    );
    let (x0, y0, z0) = transposed(
        cell(simd, grid, &values[..6]),
        cell(simd, grid, &values[6..12]),
        cell(simd, grid, &values[12..18]),
        cell(simd, grid, &values[18..24]),
    );
    let (x1, y1, z1) = transposed(
        cell(simd, grid, &values[24..30]),
        cell(simd, grid, &values[30..36]),
        cell(simd, grid, &values[36..42]),
        cell(simd, grid, &values[42..48]),
    );
    let (x, y, z) = (x0.combine(x1), y0.combine(y1), z0.combine(z1));
    if HILBERT {
        curve(simd, x, y, z).into()
    } else {
        interleaved(simd, x, y, z).into()
    }
}

/// The cell of a box given as six bounds; the fourth lane means nothing.
///
/// The centre of a box from −∞ to ∞ is NaN: the clamp sends it to a border cell, to the same one
/// on every platform, since conversions of NaN give 0 where `max` lets it through.
#[inline(always)]
fn cell<S: Simd>(simd: S, (origin, scale): (f32x4<S>, f32x4<S>), bounds: &[f32]) -> u32x4<S> {
    let half = f32x4::splat(simd, 0.5);
    let min = f32x4::from_slice(simd, &bounds[..4]);
    let max = f32x4::from_slice(simd, &bounds[2..6]);
    let max = max.slide::<1>(max);
    let centre = min * half + max * half;
    let cell = (centre - origin) * scale;
    cell.max(f32x4::splat(simd, 0.0))
        .min(f32x4::splat(simd, (CELLS - 1) as f32))
        .to_int()
}

/// Four points of three coordinates as three coordinates of four points.
#[inline(always)]
fn transposed<S: Simd>(
    a: u32x4<S>,
    b: u32x4<S>,
    c: u32x4<S>,
    d: u32x4<S>,
) -> (u32x4<S>, u32x4<S>, u32x4<S>) {
    let (ac_low, ac_high) = (a.zip_low(c), a.zip_high(c));
    let (bd_low, bd_high) = (b.zip_low(d), b.zip_high(d));
    (
        ac_low.zip_low(bd_low),
        ac_low.zip_high(bd_low),
        ac_high.zip_low(bd_high),
    )
}

/// The position of a cell along the curve.
#[inline(always)]
fn curve<S: Simd>(simd: S, mut x: u32x8<S>, mut y: u32x8<S>, mut z: u32x8<S>) -> u32x8<S> {
    let one = u32x8::splat(simd, 1);
    let zero = u32x8::splat(simd, 0);
    for bit in (1..AXIS_BITS).rev() {
        let low = u32x8::splat(simd, (1 << bit) - 1);
        // All ones below the bit in lanes where it is set, else zero.
        x ^= (zero - ((x >> bit) & one)) & low;
        let set = (zero - ((y >> bit) & one)) & low;
        let swap = (x ^ y) & (low ^ set);
        x ^= swap | set;
        y ^= swap;
        let set = (zero - ((z >> bit) & one)) & low;
        let swap = (x ^ z) & (low ^ set);
        x ^= swap | set;
        z ^= swap;
    }
    // Gray encoding across the axes.
    y ^= x;
    z ^= y;
    // The parity of the bits of z above each place. Bits at and above ten are zero.
    let mut parity = z >> 1;
    parity ^= parity >> 1;
    parity ^= parity >> 2;
    parity ^= parity >> 4;
    parity ^= parity >> 8;
    interleaved(simd, x ^ parity, y ^ parity, z ^ parity)
}

/// The bits of three coordinates in turn, those of x highest.
#[inline(always)]
fn interleaved<S: Simd>(simd: S, x: u32x8<S>, y: u32x8<S>, z: u32x8<S>) -> u32x8<S> {
    (spread(simd, x) << 2) | (spread(simd, y) << 1) | spread(simd, z)
}

/// Puts two zero bits between the ten low bits.
#[inline(always)]
fn spread<S: Simd>(simd: S, mut v: u32x8<S>) -> u32x8<S> {
    v = (v | (v << 16)) & u32x8::splat(simd, 0x0300_00FF);
    v = (v | (v << 8)) & u32x8::splat(simd, 0x0300_F00F);
    v = (v | (v << 4)) & u32x8::splat(simd, 0x030C_30C3);
    (v | (v << 2)) & u32x8::splat(simd, 0x0924_9249)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimdLevel;

    /// The published algorithm with its branches, one point at a time.
    fn reference(mut c: [u32; 3]) -> u32 {
        let top = 1 << (AXIS_BITS - 1);
        let mut q = top;
        while q > 1 {
            let p = q - 1;
            for i in 0..3 {
                if c[i] & q != 0 {
                    c[0] ^= p;
                } else {
                    let t = (c[0] ^ c[i]) & p;
                    c[0] ^= t;
                    c[i] ^= t;
                }
            }
            q >>= 1;
        }
        c[1] ^= c[0];
        c[2] ^= c[1];
        let mut t = 0;
        q = top;
        while q > 1 {
            if c[2] & q != 0 {
                t ^= q - 1;
            }
            q >>= 1;
        }
        let mut key = 0;
        for bit in (0..AXIS_BITS).rev() {
            for axis in c {
                key = (key << 1) | (((axis ^ t) >> bit) & 1);
            }
        }
        key
    }

    fn cell_box([x, y, z]: [u32; 3]) -> Aabb {
        let p = glam::Vec3::new(x as f32 + 0.5, y as f32 + 0.5, z as f32 + 0.5);
        Aabb::new(p, p)
    }

    #[test]
    fn keys_follow_the_published_curve_at_every_level() {
        let grid = HilbertGrid::new([0.0; 3], [1024.0; 3]);
        let mut cells = vec![[0, 0, 0], [1023, 1023, 1023], [1023, 0, 511]];
        let mut state = 1_u32;
        for _ in 0..1000 {
            let mut draw = || {
                state = state.wrapping_mul(1664525).wrapping_add(1013904223);
                state >> 22
            };
            cells.push([draw(), draw(), draw()]);
        }
        let boxes: Vec<_> = cells.iter().map(|&c| cell_box(c)).collect();
        for level in SimdLevel::available() {
            let mut keys = vec![0; boxes.len()];
            hilbert_keys(&grid, &boxes, 7, &mut keys, level.token().unwrap());
            for (i, (&cell, &key)) in cells.iter().zip(&keys).enumerate() {
                assert_eq!((key >> 32) as u32, reference(cell), "{level} {cell:?}");
                assert_eq!(key as u32, 7 + i as u32);
            }
            morton_keys(&grid, &boxes, 7, &mut keys, level.token().unwrap());
            for (&[x, y, z], &key) in cells.iter().zip(&keys) {
                let mut expected = 0;
                for bit in (0..AXIS_BITS).rev() {
                    for axis in [x, y, z] {
                        expected = (expected << 1) | ((axis >> bit) & 1);
                    }
                }
                assert_eq!((key >> 32) as u32, expected, "{level} {x} {y} {z}");
            }
        }
    }

    #[test]
    fn neighbours_along_the_curve_are_neighbours_in_space() {
        // Sixteen cells a side cover the first 4,096 keys.
        let mut by_key = vec![None; 4096];
        for x in 0..16 {
            for y in 0..16 {
                for z in 0..16 {
                    by_key[reference([x, y, z]) as usize] = Some([x, y, z]);
                }
            }
        }
        for pair in by_key.windows(2) {
            let (a, b) = (pair[0].unwrap(), pair[1].unwrap());
            let distance: u32 = (0..3).map(|i| a[i].abs_diff(b[i])).sum();
            assert_eq!(distance, 1);
        }
    }

    #[test]
    fn extremes_stay_in_the_grid() {
        let grid = HilbertGrid::new([-f32::MAX; 3], [f32::MAX; 3]);
        assert!(grid.scale > 0.0);
        let boxes = [
            Aabb::new(glam::Vec3::NEG_INFINITY, glam::Vec3::INFINITY),
            Aabb::new(glam::Vec3::MIN, glam::Vec3::MIN),
            Aabb::new(glam::Vec3::MAX, glam::Vec3::MAX),
        ];
        let tiny = HilbertGrid::new([0.0; 3], [f32::from_bits(1); 3]);
        assert!(tiny.scale.is_finite());
        for grid in [grid, tiny, HilbertGrid::new([0.0; 3], [0.0; 3])] {
            let mut keys = [0; 3];
            hilbert_keys(&grid, &boxes, 0, &mut keys, Level::new());
            assert!(keys.iter().all(|key| key >> 32 < 1 << HILBERT_BITS));
        }
    }
}
