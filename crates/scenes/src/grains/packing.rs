//! Packings of grains that lie on each other from the start.
//!
//! Grains are dropped one after the other and creep downhill until they rest on what is below: ballistic deposition with
//! restructuring (W. M. Visscher and M. Bolsterli, "Random packing of equal and unequal spheres in two and
//! three dimensions", Nature 239, 1972). The packing is random and fills about 0.57 of the volume; nothing overlaps, and
//! every grain touches what it lies on, so that it settles under its weight with hardly a fall.

use glam::{DVec2, DVec3};

use super::Grain;
use crate::Rng;

/// How low the centre of a grain of a radius may be above a point of the ground, m; `None` where it must not be.
pub(super) type Ground<'a> = dyn Fn(DVec2, f64) -> Option<f64> + 'a;

/// Places tried for each grain; it takes the one where it comes to lie lowest, which keeps the surface level.
const TRIES: usize = 3;

/// Cells of the ground along half its width at most.
const MOST_CELLS: f64 = 512.0;

/// A step downhill, and the shortest one, in radii. The drop that remains is at most the latter times a slope.
const STEPS: [f64; 2] = [0.5, 0.004];

/// Drops grains of the given radii, m, within a circle or rectangle of half-widths `half`, m, around the
/// origin.
///
/// Gives up on a grain, and on all that follow, when no place is found for it.
pub(super) fn pour(
    radii: impl Iterator<Item = f64>,
    largest: f64,
    half: DVec2,
    ground: &Ground<'_>,
    rng: &mut Rng,
) -> Vec<Grain> {
    let mut heap = Heap::new(half, largest);
    let mut grains = Vec::new();
    for radius in radii {
        let mut best: Option<DVec3> = None;
        let mut tries = 0;
        // Points outside the ground are no tries; a ground that has no room at all must not hang.
        for _ in 0..1000 {
            let c = rng.cube();
            let start = DVec2::new(c.x * half.x, c.y * half.y);
            let Some(height) = heap.height(start, radius, ground) else {
                continue;
            };
            let place = heap.creep(start, height, radius, ground);
            if best.is_none_or(|b| place.z < b.z) {
                best = Some(place);
            }
            tries += 1;
            if tries == TRIES {
                break;
            }
        }
        let Some(place) = best else { break };
        heap.add(place, radius);
        grains.push(Grain::at_rest(place.as_vec3(), radius as f32));
    }
    grains
}

/// The grains so far, by cells of the ground.
struct Heap {
    edge: f64,
    largest: f64,
    /// Column and row of the first cell, counted from the origin.
    low: DVec2,
    /// Columns and rows; those at the rim are empty.
    size: [usize; 2],
    /// Centres and radii of the grains of a cell, lowest first.
    cells: Vec<Vec<(DVec3, f64)>>,
}

impl Heap {
    fn new(half: DVec2, largest: f64) -> Self {
        // Cells must be as wide as a grain; a bed that is thin and wide has larger ones, or they would fill the memory.
        let edge = (2.0 * largest).max(half.max_element() / MOST_CELLS);
        let half = half.max(DVec2::ZERO);
        // A row of cells beyond those in which grains may be, on every side.
        let low = (-half / edge).floor() - 1.0;
        let high = (half / edge).floor() + 1.0;
        let size = (high - low).to_array().map(|n| (n as usize + 1).max(3));
        Self {
            edge,
            largest,
            low,
            size,
            cells: vec![Vec::new(); size[0] * size[1]],
        }
    }

    /// Column and row of a place. A grain that creeps out of where it may start stays in the outermost cells.
    fn cell(&self, p: DVec2) -> [usize; 2] {
        let place = (p / self.edge).floor() - self.low;
        [
            (place.x as usize).clamp(1, self.size[0] - 2),
            (place.y as usize).clamp(1, self.size[1] - 2),
        ]
    }

    fn add(&mut self, p: DVec3, radius: f64) {
        let [x, y] = self.cell(p.truncate());
        let cell = &mut self.cells[y * self.size[0] + x];
        let at = cell.partition_point(|(q, _)| q.z < p.z);
        cell.insert(at, (p, radius));
        // What is four grains down is out of reach: no gap is that deep and open to the sky. Were one, the grain
        // that falls in would rest on its rim.
        if cell.len() > 24 {
            let low = p.z - 8.0 * self.largest;
            cell.retain(|(q, _)| q.z > low);
        }
    }

    /// The height at which the centre of a grain that falls comes to lie on something.
    fn height(&self, p: DVec2, radius: f64, ground: &Ground<'_>) -> Option<f64> {
        let mut height = ground(p, radius)?;
        let [x, y] = self.cell(p);
        for row in y - 1..=y + 1 {
            let first = row * self.size[0] + x - 1;
            for cell in &self.cells[first..first + 3] {
                for &(q, r) in cell.iter().rev() {
                    if q.z + radius + self.largest <= height {
                        break;
                    }
                    let reach = radius + r;
                    let rest = reach * reach - (q.truncate() - p).length_squared();
                    if rest > 0.0 {
                        height = height.max(q.z + rest.sqrt());
                    }
                }
            }
        }
        Some(height)
    }

    /// Moves a grain downhill until every step leads up.
    fn creep(&self, start: DVec2, height: f64, radius: f64, ground: &Ground<'_>) -> DVec3 {
        const DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;
        const AROUND: [DVec2; 8] = [
            DVec2::new(1.0, 0.0),
            DVec2::new(DIAGONAL, DIAGONAL),
            DVec2::new(0.0, 1.0),
            DVec2::new(-DIAGONAL, DIAGONAL),
            DVec2::new(-1.0, 0.0),
            DVec2::new(-DIAGONAL, -DIAGONAL),
            DVec2::new(0.0, -1.0),
            DVec2::new(DIAGONAL, -DIAGONAL),
        ];
        let (mut at, mut height) = (start, height);
        let mut step = STEPS[0] * radius;
        let mut heading = 0;
        // A grain that rolls from grain to grain down a long slope stops after a while wherever it is.
        for _ in 0..400 {
            let mut moved = false;
            for turn in [0, 1, 7, 2, 6, 3, 5, 4] {
                let to = at + AROUND[(heading + turn) % 8] * step;
                if let Some(lower) = self.height(to, radius, ground)
                    && lower < height
                {
                    (at, height, moved) = (to, lower, true);
                    heading = (heading + turn) % 8;
                    break;
                }
            }
            if !moved {
                step *= 0.5;
                if step < STEPS[1] * radius {
                    break;
                }
            }
        }
        at.extend(height)
    }
}
