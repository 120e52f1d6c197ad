//! Seeds: points of a surface where it is strongly curved, and an index to find those in a box.

mod find;

use glam::{UVec3, Vec3};
use jostle_simd::Aabb;

pub(crate) use find::find;

/// Cells along a side of the grid at most: asking goes over all rows of cells that a box meets, and a box of contact is
/// often half a body.
const MOST_SIDE: f32 = 8.0;

/// Points in the cells of a grid.
#[derive(Clone, Debug)]
pub struct SeedIndex {
    /// In the order of their cells.
    points: Vec<Vec3>,
    /// Where the points of each cell start; one more than there are cells.
    starts: Vec<u32>,
    counts: UVec3,
    low: Vec3,
    per_cell: Vec3,
}

impl Default for SeedIndex {
    fn default() -> Self {
        Self::new(&[])
    }
}

impl SeedIndex {
    /// Sorts points into cells, about one of the surface for every eight points. Points that are not finite are left out. Cost: O(n).
    pub fn new(points: &[Vec3]) -> Self {
        let points: Vec<Vec3> = points.iter().copied().filter(|p| p.is_finite()).collect();
        let (mut low, mut high) = (Vec3::ZERO, Vec3::ZERO);
        for (at, p) in points.iter().enumerate() {
            (low, high) = if at == 0 {
                (*p, *p)
            } else {
                (low.min(*p), high.max(*p))
            };
        }
        // Points lie on a surface: of n³ cells some n² are not empty.
        let extent = high - low;
        let side = (0.125 * points.len() as f32).sqrt().clamp(1.0, MOST_SIDE);
        let cell = extent.max_element().max(f32::MIN_POSITIVE) / side;
        let counts = (extent / cell)
            .ceil()
            .clamp(Vec3::ONE, Vec3::splat(MOST_SIDE));
        let per_cell = Vec3::select(extent.cmpgt(Vec3::ZERO), counts / extent, Vec3::ZERO);
        let mut made = Self {
            starts: Vec::new(),
            counts: counts.as_uvec3(),
            low,
            per_cell,
            points: Vec::new(),
        };
        let cells = (made.counts.x * made.counts.y * made.counts.z) as usize;
        let mut starts = vec![0; cells + 1];
        let cell_of = |p: &Vec3| made.index(made.cell(*p));
        for p in &points {
            starts[cell_of(p) + 1] += 1;
        }
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut sorted = vec![Vec3::ZERO; points.len()];
        for p in &points {
            let place = &mut next[cell_of(p)];
            sorted[*place as usize] = *p;
            *place += 1;
        }
        (made.points, made.starts) = (sorted, starts);
        made
    }

    /// The cell of a point, or the one next to it.
    fn cell(&self, p: Vec3) -> UVec3 {
        // NaN and negative numbers turn into 0.
        ((p - self.low) * self.per_cell)
            .as_uvec3()
            .min(self.counts - 1)
    }

    fn index(&self, cell: UVec3) -> usize {
        ((cell.z * self.counts.y + cell.y) * self.counts.x + cell.x) as usize
    }

    /// All of them, in the order of their cells.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Adds up to `most` points inside a box to `found`, met in a walk of the cells that the box meets, which starts at a
    /// point of these cells given by `start`, each of them as likely as the others when that is random; the same for the
    /// same arguments. Allocates nothing but what `found` needs.
    ///
    /// Cost: O(rows of cells in the box + points in these), of the points fewer when `most` is reached.
    pub fn in_box(&self, bounds: &Aabb, start: u64, most: usize, found: &mut Vec<Vec3>) {
        if self.points.is_empty() || most == 0 || !bounds.min.cmple(bounds.max).all() {
            return;
        }
        let (from, to) = (self.cell(bounds.min), self.cell(bounds.max));
        let rows = || (from.z..=to.z).flat_map(|z| (from.y..=to.y).map(move |y| (y, z)));
        let total: usize = rows().map(|row| self.row(from.x, to.x, row).len()).sum();
        let mut skip = ((u128::from(start) * total as u128) >> 64) as usize;
        let mut left = most;
        let mut walked = 0;
        // Round to where it began, in the row that is met twice.
        for row in rows().chain(rows()) {
            let points = self.row(from.x, to.x, row);
            if skip >= points.len() {
                skip -= points.len();
                continue;
            }
            for p in &points[skip..] {
                if walked == total {
                    return;
                }
                walked += 1;
                if (p.cmpge(bounds.min) & p.cmple(bounds.max)).all() {
                    found.push(*p);
                    left -= 1;
                    if left == 0 {
                        return;
                    }
                }
            }
            skip = 0;
        }
    }

    /// The points of a row of cells, from one x to another, at (y, z).
    #[inline]
    fn row(&self, from: u32, to: u32, (y, z): (u32, u32)) -> &[Vec3] {
        let row = (z * self.counts.y + y) * self.counts.x;
        let (begin, end) = ((row + from) as usize, (row + to) as usize + 1);
        &self.points[self.starts[begin] as usize..self.starts[end] as usize]
    }
}
