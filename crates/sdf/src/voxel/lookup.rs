//! The value of a voxel field and its gradient: the inner loop of everything that asks for it.

use core::ops::{Add, BitAnd, Mul, Shl, Shr};

use fearless_simd::{f32x8, i32x8, prelude::*, u32x8};
use jostle_simd::lanes::{Real, V3};

use super::VoxelField;
use super::grid::{BRICK, COARSE_STEP, FINE};
use crate::Sample;

/// Bytes from the first corner of a cell to the end of its last one, rounded up: a look-up takes them as one piece, so
/// that its four loads need no checks of their own. The data are padded by as many.
pub(super) const WINDOW: usize = 256;

/// Nodes from one row to the next, and from one layer.
const ROW: usize = FINE;
const LAYER: usize = FINE * FINE;

/// What stands for a window outside of the data, which no point leads to.
const NOTHING: [u8; WINDOW] = [0; WINDOW];

/// What a look-up needs of integers, one or eight.
pub(super) trait Whole: Real {
    /// Integers, one or eight.
    type Int: Copy
        + Add<Output = Self::Int>
        + Mul<i32, Output = Self::Int>
        + BitAnd<i32, Output = Self::Int>
        + Shl<u32, Output = Self::Int>
        + Shr<u32, Output = Self::Int>;

    /// The whole part of numbers that are not negative, at most `last`.
    fn whole(self, last: i32) -> Self::Int;
    /// As a number.
    fn of(self, whole: Self::Int) -> Self;
    /// Each of them, in the first places.
    fn places(whole: Self::Int) -> [u32; 8];
    /// Where bit 0 is set.
    fn odd(self, bits: &[u32; 8]) -> Self::Mask;
    /// The lower and the upper half of each, as signed numbers.
    fn halves(self, pairs: &[u32; 8]) -> (Self, Self);
}

impl Whole for f32 {
    type Int = i32;

    #[inline(always)]
    fn whole(self, last: i32) -> i32 {
        (self as i32).min(last)
    }

    #[inline(always)]
    fn of(self, whole: i32) -> f32 {
        whole as f32
    }

    #[inline(always)]
    fn places(whole: i32) -> [u32; 8] {
        [whole as u32; 8]
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
    type Int = i32x8<S>;

    #[inline(always)]
    fn whole(self, last: i32) -> i32x8<S> {
        let whole: i32x8<S> = self.to_int();
        whole.min(i32x8::splat(self.token(), last))
    }

    #[inline(always)]
    fn of(self, whole: i32x8<S>) -> Self {
        whole.to_float()
    }

    #[inline(always)]
    fn places(whole: i32x8<S>) -> [u32; 8] {
        let mut out = [0_u32; 8];
        whole.bitcast::<u32x8<S>>().store_slice(&mut out);
        out
    }

    #[inline(always)]
    fn odd(self, bits: &[u32; 8]) -> Self::Mask {
        let simd = self.token();
        let bits: i32x8<S> = u32x8::from_slice(simd, bits).bitcast();
        (bits << 31).simd_lt(i32x8::splat(simd, 0))
    }

    #[inline(always)]
    fn halves(self, pairs: &[u32; 8]) -> (Self, Self) {
        let pairs: i32x8<S> = u32x8::from_slice(self.token(), pairs).bitcast();
        ((pairs << 16 >> 16).to_float(), (pairs >> 16).to_float())
    }
}

/// The place of points along an axis of the grid.
struct Along<R: Whole> {
    /// Which brick.
    brick: R::Int,
    /// Which of its cells, were it fine or coarse, and the place in that cell.
    cells: [R::Int; 2],
    parts: [R; 2],
}

impl<R: Whole> Along<R> {
    /// Of the number `u` of cells from the first node on, in a grid with the given last brick.
    ///
    /// What holds for fine and for coarse bricks is worked out beside each other, before it is known which of them is
    /// right: the table that tells takes its time. All differences are exact.
    #[inline(always)]
    fn new(u: R, last_brick: i32) -> Self {
        let cell = u.whole(BRICK as i32 * last_brick + (BRICK as i32 - 1));
        let inner = cell & (BRICK as i32 - 1);
        let fine = u - u.of(cell);
        let coarse = u.of(inner & (COARSE_STEP as i32 - 1)) + fine;
        Self {
            brick: cell >> BRICK.trailing_zeros(),
            cells: [inner, inner >> COARSE_STEP.trailing_zeros()],
            parts: [fine, coarse * u.all(1.0 / COARSE_STEP as f32)],
        }
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
        let [last_x, last_y, last_z] = self.last_brick;
        let x = Along::new((q.x - all(self.low.x)) * per, last_x);
        let y = Along::new((q.y - all(self.low.y)) * per, last_y);
        let z = Along::new((q.z - all(self.low.z)) * per, last_z);
        let [row, layer] = self.strides;
        let bricks = R::places(x.brick + y.brick * row + z.brick * layer);
        let fine_cells = cells(&x, &y, &z, 0);
        let coarse_cells = cells(&x, &y, &z, 1);
        let mut entries = [0_u32; 8];
        let mut corners = [[0_u32; 8]; 4];
        for lane in 0..R::LANES {
            let entry = self.table.get(bricks[lane] as usize).copied().unwrap_or(0);
            entries[lane] = entry;
            let cell = if entry & 1 != 0 {
                fine_cells[lane]
            } else {
                coarse_cells[lane]
            };
            let window = self.window((entry & !1).wrapping_add(2 * cell) as usize);
            corners[0][lane] = pair(window, 0);
            corners[1][lane] = pair(window, 2 * ROW);
            corners[2][lane] = pair(window, 2 * LAYER);
            corners[3][lane] = pair(window, 2 * (LAYER + ROW));
        }
        let fine = like.odd(&entries);
        let pick = |fine_value: f32, coarse: f32| R::choose(fine, all(fine_value), all(coarse));
        let fx = R::choose(fine, x.parts[0], x.parts[1]);
        let fy = R::choose(fine, y.parts[0], y.parts[1]);
        let fz = R::choose(fine, z.parts[0], z.parts[1]);
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

/// The first corner of cells in their bricks, in nodes, of one of the two kinds.
#[inline(always)]
fn cells<R: Whole>(x: &Along<R>, y: &Along<R>, z: &Along<R>, kind: usize) -> [u32; 8] {
    R::places(x.cells[kind] + y.cells[kind] * ROW as i32 + z.cells[kind] * LAYER as i32)
}

/// Two neighbouring nodes.
#[inline(always)]
fn pair(window: &[u8; WINDOW], at: usize) -> u32 {
    u32::from_le_bytes([window[at], window[at + 1], window[at + 2], window[at + 3]])
}
