//! Grains sorted into the cells of a uniform grid.
//!
//! The cells wrap around: cell coordinates count modulo the number of cells along each axis, and that
//! is bounded by the number of grains, whatever their extent. Neighbours stay neighbours, a grain far away shares
//! cells with others and costs a few more tests of distance, and nothing is allocated by extent.
//!
//! Cells are numbered brick by brick, 8³ cells each, and along a Morton curve within a brick: consecutive
//! grains fill a compact piece of space, so that few contacts cross from one chunk to another.

use jostle_geom::chunks::fill_chunks;

use super::rows::Row;

/// Cells in all: at most this many times the number of points, and a little for small scenes.
const CELLS_PER_POINT: usize = 4;
const CELLS_AT_LEAST: usize = 1 << 14;

/// Cells along the edge of a brick; also the fewest cells along an axis, more than the three around one.
const BRICK: usize = 8;

/// The last cell along an axis, so that its neighbours have numbers.
const LAST: i64 = 1 << 62;

/// The smallest box around points, corner by corner.
pub(super) fn bounds(rows: &[Row]) -> [[f32; 3]; 2] {
    let mut min = [f32::INFINITY; 3];
    let mut max = [f32::NEG_INFINITY; 3];
    for row in rows {
        let p = &row.place;
        for axis in 0..3 {
            if p[axis] < min[axis] {
                min[axis] = p[axis];
            }
            if p[axis] > max[axis] {
                max[axis] = p[axis];
            }
        }
    }
    [min, max]
}

/// Where the cells of a wrapping grid lie.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    inverse: f64,
    origin: [f32; 3],
    cells: [usize; 3],
}

impl Frame {
    /// Cells of an edge around a box with so many points.
    pub(super) fn new([min, max]: [[f32; 3]; 2], points: usize, edge: f32) -> Self {
        let most = (CELLS_PER_POINT * points).max(CELLS_AT_LEAST);
        let mut bricks = [1; 3];
        for axis in 0..3 {
            let extent = (f64::from(max[axis]) - f64::from(min[axis])) / f64::from(edge);
            if extent > 0.0 {
                // An empty cell on either side, so that nothing wraps where everything fits.
                bricks[axis] = (extent.min(most as f64) as usize + 3).div_ceil(BRICK);
            }
        }
        let volume = BRICK * BRICK * BRICK;
        while bricks.iter().map(|&b| b as u128).product::<u128>() * volume as u128 > most as u128 {
            let longest = (0..3).max_by_key(|&axis| (bricks[axis], axis)).unwrap_or(0);
            if bricks[longest] == 1 {
                break;
            }
            bricks[longest] /= 2;
        }
        Self {
            inverse: 1.0 / f64::from(edge),
            origin: if points == 0 { [0.0; 3] } else { min },
            cells: bricks.map(|b| b * BRICK),
        }
    }

    /// The cell of a point, before wrapping; far points share the last one.
    #[inline(always)]
    fn cell(&self, p: &[f32; 4]) -> [i64; 3] {
        let mut cell = [0; 3];
        for axis in 0..3 {
            // In double precision: the origin may be so far off that single precision would put grains that touch into
            // cells that do not.
            let at = (f64::from(p[axis]) - f64::from(self.origin[axis])) * self.inverse;
            let whole = (at as i64).clamp(-LAST, LAST);
            cell[axis] = whole - i64::from(at < whole as f64);
        }
        cell
    }

    #[inline(always)]
    fn wrap(&self, cell: i64, axis: usize) -> usize {
        let n = self.cells[axis];
        if (cell as u64) < n as u64 {
            return cell as usize;
        }
        cell.rem_euclid(n as i64) as usize
    }

    /// Number of cells.
    fn count(&self) -> usize {
        self.cells.iter().product()
    }
}

/// The largest of values around each point: in its cell or one of the 26 around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    keys: Vec<u32>,
    largest: Vec<f32>,
    before: Vec<f32>,
}

impl Spread {
    /// Replaces the value of each point by the largest one around it. Values are not negative.
    pub(super) fn apply(&mut self, frame: &Frame, rows: &[Row], values: &mut [f32]) {
        let [nx, ny, nz] = frame.cells;
        self.keys.resize(rows.len(), 0);
        fill_chunks(&mut self.keys, 4096, |first, keys| {
            for (key, row) in keys.iter_mut().zip(&rows[first..]) {
                let [x, y, z] = frame.cell(&row.place);
                let at = (frame.wrap(z, 2) * ny + frame.wrap(y, 1)) * nx + frame.wrap(x, 0);
                *key = at as u32;
            }
        });
        self.largest.clear();
        self.largest.resize(frame.count(), 0.0);
        for (&key, &value) in self.keys.iter().zip(values.iter()) {
            let largest = &mut self.largest[key as usize];
            if value > *largest {
                *largest = value;
            }
        }
        for (stride, n) in [(1, nx), (nx, ny), (nx * ny, nz)] {
            core::mem::swap(&mut self.before, &mut self.largest);
            let before = &self.before;
            self.largest.resize(before.len(), 0.0);
            fill_chunks(&mut self.largest, 4096, |first, largest| {
                for (i, out) in (first..).zip(largest) {
                    let at = i / stride % n;
                    let low = if at == 0 {
                        i + (n - 1) * stride
                    } else {
                        i - stride
                    };
                    let high = if at + 1 == n {
                        i - (n - 1) * stride
                    } else {
                        i + stride
                    };
                    let (a, b, c) = (before[low], before[i], before[high]);
                    let most = if a > b { a } else { b };
                    *out = if c > most { c } else { most };
                }
            });
        }
        let (largest, keys) = (&self.largest, &self.keys);
        fill_chunks(values, 4096, |first, values| {
            for (value, &key) in values.iter_mut().zip(&keys[first..]) {
                *value = largest[key as usize];
            }
        });
    }
}

/// A uniform grid, and which items each cell holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    frame: Frame,
    /// From one brick to the next along each axis, in cells.
    strides: [usize; 3],
    /// The first item of each cell in the sorted order, and the end.
    starts: Vec<u32>,
    keys: Vec<u32>,
}

impl Grid {
    /// Sorts grains into cells: afterwards `order[k]` is the row of the `k`-th grain in cell order. Grains of a
    /// cell keep their order.
    pub(super) fn sort(&mut self, frame: Frame, rows: &[Row], order: &mut Vec<u32>) {
        self.frame = frame;
        let [nx, ny, _] = frame.cells.map(|n| n / BRICK);
        self.strides = [1, nx, nx * ny].map(|n| n * BRICK * BRICK * BRICK);
        let mut keys = core::mem::take(&mut self.keys);
        keys.resize(rows.len(), 0);
        fill_chunks(&mut keys, 4096, |first, keys| {
            for (key, row) in keys.iter_mut().zip(&rows[first..]) {
                *key = self.key_of(&row.place);
            }
        });
        self.starts.clear();
        self.starts.resize(frame.count() + 1, 0);
        for &key in &keys {
            self.starts[key as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += core::mem::replace(start, sum);
        }
        order.resize(rows.len(), 0);
        for (i, &key) in keys.iter().enumerate() {
            let at = &mut self.starts[key as usize];
            order[*at as usize] = i as u32;
            *at += 1;
        }
        // Each start has moved to the end of its cell, which is where the next one starts.
        self.starts.rotate_right(1);
        self.starts[0] = 0;
        self.keys = keys;
    }

    /// The number of a cell that is not wrapped yet: the sum of what each axis gives.
    #[inline(always)]
    fn key(&self, [x, y, z]: [i64; 3]) -> u32 {
        self.part(x, 0) + self.part(y, 1) + self.part(z, 2)
    }

    /// What a coordinate gives to the number of a cell.
    #[inline(always)]
    fn part(&self, cell: i64, axis: usize) -> u32 {
        let at = self.frame.wrap(cell, axis);
        (at / BRICK * self.strides[axis]) as u32 + (SPACED[at % BRICK] << axis)
    }

    /// The number of the cell of a point: points with the same number have the same [`around`](Self::around).
    #[inline(always)]
    pub(super) fn key_of(&self, p: &[f32; 4]) -> u32 {
        self.key(self.frame.cell(p))
    }

    /// Ranges of sorted items that cover the cell of a point and the 26 around it, each item once.
    pub(super) fn around(&self, p: &[f32; 4], ranges: &mut Vec<[u32; 2]>) {
        self.cover(self.frame.cell(p), [1; 3], ranges);
    }

    /// Ranges of sorted items that cover all cells within a distance of a point along each axis, each item once.
    pub(super) fn within(&self, p: &[f32; 4], distance: f32, ranges: &mut Vec<[u32; 2]>) {
        let far = ((f64::from(distance) * self.frame.inverse) as i64 + 1).min(MOST as i64);
        self.cover(
            self.frame.cell(p),
            self.frame.cells.map(|n| far.min(n as i64)),
            ranges,
        );
    }

    /// Ranges of the items of all cells as far as `far` from a cell along each axis.
    #[inline(always)]
    fn cover(&self, [x, y, z]: [i64; 3], far: [i64; 3], ranges: &mut Vec<[u32; 2]>) {
        ranges.clear();
        let mut parts = [[0; 2 * MOST + 1]; 2];
        let (xs, ys) = (self.steps(far[0], 0), self.steps(far[1], 1));
        let (nx, ny) = ((xs.end - xs.start) as usize, (ys.end - ys.start) as usize);
        for (part, dx) in parts[0].iter_mut().zip(xs) {
            *part = self.part(x + dx, 0);
        }
        for (part, dy) in parts[1].iter_mut().zip(ys) {
            *part = self.part(y + dy, 1);
        }
        let mut open = [0; 2];
        for dz in self.steps(far[2], 2) {
            let row = self.part(z + dz, 2);
            for &y in &parts[1][..ny] {
                for &x in &parts[0][..nx] {
                    let key = (row + y + x) as usize;
                    let (from, to) = (self.starts[key], self.starts[key + 1]);
                    if from == open[1] {
                        open[1] = to;
                    } else if from < to {
                        if open[0] < open[1] {
                            ranges.push(open);
                        }
                        open = [from, to];
                    }
                }
            }
        }
        if open[0] < open[1] {
            ranges.push(open);
        }
    }

    /// Steps from a cell along an axis, so that each cell is met once.
    #[inline(always)]
    fn steps(&self, far: i64, axis: usize) -> core::ops::Range<i64> {
        let n = self.frame.cells[axis] as i64;
        if 2 * far + 1 >= n {
            0..n
        } else {
            -far..far + 1
        }
    }
}

/// The farthest that a search goes, in cells.
const MOST: usize = 8;

/// The bits of numbers below eight with two zeros between them.
const SPACED: [u32; BRICK] = [0, 1, 8, 9, 64, 65, 72, 73];
