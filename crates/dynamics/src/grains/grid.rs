//! Grains sorted into the cells of a uniform grid.
//!
//! The cells wrap around: cell coordinates count modulo the number of cells along each axis, and that
//! is bounded by the number of grains, whatever their extent. Neighbours stay neighbours, a grain far away shares
//! cells with others and costs a few more tests of distance, and nothing is allocated by extent.

/// Cells along an axis and in all: at most this many times the number of grains, and a little for small scenes.
const CELLS_PER_GRAIN: usize = 2;
const CELLS_AT_LEAST: usize = 4096;

/// Cells along an axis that has to wrap around: enough that the three cells around one are three.
const WRAPPED: usize = 4;

/// A uniform grid, and which items each cell holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    inverse: f32,
    origin: [f32; 3],
    cells: [usize; 3],
    /// The first item of each cell in the sorted order, and the end.
    starts: Vec<u32>,
    keys: Vec<u32>,
}

impl Grid {
    /// Sorts points into cells of an edge: afterwards `order[k]` is the index of the `k`-th point in cell order. Points of a
    /// cell keep their order.
    pub(super) fn sort(&mut self, points: &[[f32; 4]], edge: f32, order: &mut Vec<u32>) {
        self.fit(points, edge);
        let count = self.cells.iter().product::<usize>();
        let mut keys = core::mem::take(&mut self.keys);
        keys.resize(points.len(), 0);
        jostle_geom::chunks::fill_chunks(&mut keys, 4096, |first, keys| {
            let end = (first + keys.len()).min(points.len());
            for (key, p) in keys.iter_mut().zip(&points[first..end]) {
                *key = self.key(self.cell(p)) as u32;
            }
        });
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for &key in &keys {
            self.starts[key as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += core::mem::replace(start, sum);
        }
        order.clear();
        order.resize(points.len(), 0);
        for (i, &key) in keys.iter().enumerate() {
            let at = &mut self.starts[key as usize];
            order[*at as usize] = i as u32;
            *at += 1;
        }
        // Each start has moved to the end of its cell, which is where the next one starts.
        self.starts.rotate_right(1);
        if let Some(first) = self.starts.first_mut() {
            *first = 0;
        }
        self.keys = keys;
    }

    /// Chooses origin and cells for the points.
    fn fit(&mut self, points: &[[f32; 4]], edge: f32) {
        let mut min = [f32::INFINITY; 3];
        let mut max = [f32::NEG_INFINITY; 3];
        for p in points {
            for axis in 0..3 {
                min[axis] = min[axis].min(p[axis]);
                max[axis] = max[axis].max(p[axis]);
            }
        }
        self.inverse = 1.0 / edge;
        self.origin = min;
        // An empty cell on either side, so that nothing wraps where everything fits.
        let most = (CELLS_PER_GRAIN * points.len()).max(CELLS_AT_LEAST);
        let mut cells = [WRAPPED; 3];
        for axis in 0..3 {
            let extent = (f64::from(max[axis]) - f64::from(min[axis])) / f64::from(edge);
            cells[axis] = if points.is_empty() {
                WRAPPED
            } else {
                (extent.min(most as f64) as usize + 3).max(WRAPPED)
            };
        }
        while cells.iter().map(|&c| c as u64).product::<u64>() > most as u64 {
            let longest = (0..3).max_by_key(|&axis| (cells[axis], axis)).unwrap_or(0);
            if cells[longest] <= WRAPPED {
                break;
            }
            cells[longest] = (cells[longest] / 2).max(WRAPPED);
        }
        self.cells = cells;
    }

    /// The cell of a point, before wrapping; far points share the last one.
    #[inline(always)]
    fn cell(&self, p: &[f32; 4]) -> [i64; 3] {
        let mut cell = [0; 3];
        for axis in 0..3 {
            cell[axis] = ((p[axis] - self.origin[axis]) * self.inverse).floor() as i64;
        }
        cell
    }

    #[inline(always)]
    fn wrap(&self, cell: i64, axis: usize) -> usize {
        let n = self.cells[axis];
        if (0..n as i64).contains(&cell) {
            return cell as usize;
        }
        cell.rem_euclid(n as i64) as usize
    }

    #[inline(always)]
    fn key(&self, cell: [i64; 3]) -> usize {
        let [x, y, z] = [
            self.wrap(cell[0], 0),
            self.wrap(cell[1], 1),
            self.wrap(cell[2], 2),
        ];
        (z * self.cells[1] + y) * self.cells[0] + x
    }

    /// Ranges of sorted items that cover the cell of a point and the 26 around it, each item once, and how many
    /// ranges there are.
    #[inline(always)]
    pub(super) fn around(&self, p: &[f32; 4]) -> ([[u32; 2]; 18], usize) {
        let [x, y, z] = self.cell(p);
        let (first, last) = (self.wrap(x - 1, 0), self.wrap(x + 1, 0));
        let mut ranges = [[0; 2]; 18];
        let mut count = 0;
        for dz in -1..=1 {
            for dy in -1..=1 {
                let row = self.key([0, y + dy, z + dz]);
                if first <= last {
                    ranges[count] = [self.starts[row + first], self.starts[row + last + 1]];
                    count += 1;
                } else {
                    ranges[count] = [self.starts[row], self.starts[row + last + 1]];
                    let end = self.starts[row + self.cells[0]];
                    ranges[count + 1] = [self.starts[row + first], end];
                    count += 2;
                }
            }
        }
        (ranges, count)
    }
}
