//! The value of a voxel field and its gradient: the inner loop of everything that asks for it.

use fearless_simd::{f32x8, i32x8, prelude::*};
use jostle_simd::lanes::{Real, V3};

use super::VoxelField;
use super::grid::{BRICK, COARSE, COARSE_STEP, FINE};
use crate::Sample;

/// Bytes from the first corner of a cell to the end of its last one, rounded up: a look-up takes them as one piece, so
/// that its four loads need no checks of their own. The data are padded by as many.
pub(super) const WINDOW: usize = 256;

/// What stands for a window outside of the data, which no point leads to.
const NOTHING: [u8; WINDOW] = [0; WINDOW];

/// The integers that a look-up needs, one or eight.
pub(super) trait Whole: Real {
    /// Each of the values, which are whole and not negative, as an integer.
    fn whole(self) -> [u32; 8];
    /// Where bit 0 is set.
    fn odd(self, bits: &[u32; 8]) -> Self::Mask;
    /// The lower and the upper half of each, as signed numbers.
    fn halves(self, pairs: &[u32; 8]) -> (Self, Self);
}

impl Whole for f32 {
    #[inline(always)]
    fn whole(self) -> [u32; 8] {
        [self as u32; 8]
    }

    #[inline(always)]
    fn odd(self, bits: &[u32; 8]) -> bool {
        bits[0] & 1 != 0
    }

    #[inline(always)]
    fn halves(self, pairs: &[u32; 8]) -> (f32, f32) {
        let pair = pairs[0];
        (f32::from(pair as i16), f32::from((pair >> 16) as i16))
    }
}

impl<S: Simd> Whole for f32x8<S> {
    #[inline(always)]
    fn whole(self) -> [u32; 8] {
        let whole: i32x8<S> = self.to_int();
        let mut out = [0_u32; 8];
        whole
            .bitcast::<fearless_simd::u32x8<S>>()
            .store_slice(&mut out);
        out
    }

    #[inline(always)]
    fn odd(self, bits: &[u32; 8]) -> Self::Mask {
        let simd = self.token();
        let bits: i32x8<S> = fearless_simd::u32x8::from_slice(simd, bits).bitcast();
        (bits << 31).simd_lt(i32x8::splat(simd, 0))
    }

    #[inline(always)]
    fn halves(self, pairs: &[u32; 8]) -> (Self, Self) {
        let pairs: i32x8<S> = fearless_simd::u32x8::from_slice(self.token(), pairs).bitcast();
        ((pairs << 16 >> 16).to_float(), (pairs >> 16).to_float())
    }
}

impl VoxelField {
    /// Value and gradient. A point that is not a number has a value that is none.
    #[inline(always)]
    pub(super) fn look_up<R: Whole>(&self, p: V3<R>) -> Sample<R> {
        let like = p.x;
        let all = |value: f32| like.all(value);
        let q = V3::new(
            p.x.between(all(self.low.x), all(self.high.x)),
            p.y.between(all(self.low.y), all(self.high.y)),
            p.z.between(all(self.low.z), all(self.high.z)),
        );
        // In cells, from the first node.
        let per = all(self.per_cell);
        let (ux, bx) = axis((q.x - all(self.low.x)) * per, self.last_brick[0]);
        let (uy, by) = axis((q.y - all(self.low.y)) * per, self.last_brick[1]);
        let (uz, bz) = axis((q.z - all(self.low.z)) * per, self.last_brick[2]);
        let [row, layer] = self.strides;
        let bricks = (bx + all(row) * by + all(layer) * bz).whole();
        let mut entries = [0_u32; 8];
        for lane in 0..R::LANES {
            entries[lane] = self.table.get(bricks[lane] as usize).copied().unwrap_or(0);
        }
        let fine = like.odd(&entries);
        let pick = |fine_value: f32, coarse: f32| R::choose(fine, all(fine_value), all(coarse));
        let scale = pick(1.0, 1.0 / COARSE_STEP as f32);
        let last = pick((FINE - 2) as f32, (COARSE - 2) as f32);
        let stride = pick(FINE as f32, COARSE as f32);
        let (cx, fx) = cell(ux * scale, last);
        let (cy, fy) = cell(uy * scale, last);
        let (cz, fz) = cell(uz * scale, last);
        let cells = (cx + stride * (cy + stride * cz)).whole();

        let mut corners = [[0_u32; 8]; 4];
        for lane in 0..R::LANES {
            // Nodes have two bytes, which leaves the lowest bit of their place for the mark of fine bricks.
            let entry = entries[lane];
            let (row, layer) = if entry & 1 != 0 {
                (2 * FINE, 2 * FINE * FINE)
            } else {
                (2 * COARSE, 2 * COARSE * COARSE)
            };
            let first = ((entry & !1).wrapping_add(cells[lane].wrapping_mul(2))) as usize;
            let window = self.window(first);
            corners[0][lane] = pair(window, 0);
            corners[1][lane] = pair(window, row);
            corners[2][lane] = pair(window, layer);
            corners[3][lane] = pair(window, layer + row);
        }
        let (v000, v100) = like.halves(&corners[0]);
        let (v010, v110) = like.halves(&corners[1]);
        let (v001, v101) = like.halves(&corners[2]);
        let (v011, v111) = like.halves(&corners[3]);

        let (x00, x10, x01, x11) = (v100 - v000, v110 - v010, v101 - v001, v111 - v011);
        let (v00, v10) = (v000 + fx * x00, v010 + fx * x10);
        let (v01, v11) = (v001 + fx * x01, v011 + fx * x11);
        let (y0, y1) = (v10 - v00, v11 - v01);
        let (x0, x1) = (x00 + fy * (x10 - x00), x01 + fy * (x11 - x01));
        let (v0, v1) = (v00 + fy * y0, v01 + fy * y1);
        let unit = pick(self.unit[0], self.unit[1]);
        let slope = pick(self.slope[0], self.slope[1]);
        let value = (v0 + fz * (v1 - v0)) * unit;
        let gradient = V3::new(
            (x0 + fz * (x1 - x0)) * slope,
            (y0 + fz * (y1 - y0)) * slope,
            (v1 - v0) * slope,
        );

        // Outside of the grid: the distance to a point as far off as the value says, sideways.
        let off = p - q;
        let squared = off.dot(off);
        let within = squared.at_most(all(0.0));
        // Contacts are looked for where both bodies are, which is inside of both grids.
        if R::every(within) {
            return Sample { value, gradient };
        }
        let far = (value * value + squared).root();
        let ratio = value / far;
        let beyond = V3::new(
            outside(off.x, gradient.x, ratio, far),
            outside(off.y, gradient.y, ratio, far),
            outside(off.z, gradient.z, ratio, far),
        );
        Sample {
            value: R::choose(within, value, far),
            gradient: V3::choose(within, gradient, beyond),
        }
    }

    #[inline(always)]
    fn window(&self, first: usize) -> &[u8; WINDOW] {
        match self.nodes.get(first..).and_then(<[u8]>::first_chunk) {
            Some(window) => window,
            None => &NOTHING,
        }
    }
}

/// A component of the gradient outside of the grid.
#[inline(always)]
fn outside<R: Real>(off: R, gradient: R, ratio: R, far: R) -> R {
    let zero = off.all(0.0);
    R::choose(off.size().at_most(zero), gradient * ratio, off / far)
}

/// The place within a brick, in cells, and which brick along the axis.
#[inline(always)]
fn axis<R: Real>(u: R, last: f32) -> (R, R) {
    let brick = (u * u.all(1.0 / BRICK as f32)).floored().least(u.all(last));
    (u - brick * u.all(BRICK as f32), brick)
}

/// The cell along an axis of a brick, and the place in it.
#[inline(always)]
fn cell<R: Real>(u: R, last: R) -> (R, R) {
    let cell = u.floored().least(last);
    (cell, u - cell)
}

/// Two neighbouring nodes.
#[inline(always)]
fn pair(window: &[u8; WINDOW], at: usize) -> u32 {
    u32::from_le_bytes([window[at], window[at + 1], window[at + 2], window[at + 3]])
}
