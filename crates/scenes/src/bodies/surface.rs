//! The surface of a field as triangles.

use glam::{IVec3, Vec3};
use jostle_geom::Aabb;

/// Steps that move a vertex towards the planes of its cell. The error halves with each on a right-angled edge.
const RELAXATIONS: usize = 16;

/// Steps that look for the surface on an edge of the grid, after the first guess.
const SECANTS: usize = 2;

/// Triangles, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Corners, m.
    pub positions: Vec<Vec3>,
    /// Three indices of corners a triangle.
    pub faces: Vec<[u32; 3]>,
}

/// The zero set of a field as triangles, with `cells` cells of a grid along the longest side of its box.
///
/// Surface nets (S. Gibson, "Constrained elastic surface nets", MICCAI 1998): one vertex in each cell that the surface
/// goes through, one quad for each edge of the grid that it crosses. The vertex moves towards the tangent planes at
/// these crossings, so that edges and corners stay sharp. Closed when `bounds` encloses the inside, and manifold where no
/// cell holds two sheets.
///
/// `sample` gives value and gradient, m and without unit. Cost: O(cells³) samples.
pub fn triangles(sample: &dyn Fn(Vec3) -> (f32, Vec3), bounds: &Aabb, cells: usize) -> Triangles {
    Grid::new(sample, bounds, cells).triangles()
}

/// Values at the corners of cells.
struct Grid<'a> {
    sample: &'a dyn Fn(Vec3) -> (f32, Vec3),
    low: Vec3,
    edge: f32,
    /// Corners along each axis.
    size: IVec3,
    values: Vec<f32>,
}

impl<'a> Grid<'a> {
    fn new(sample: &'a dyn Fn(Vec3) -> (f32, Vec3), bounds: &Aabb, cells: usize) -> Self {
        let extent = bounds.max - bounds.min;
        let edge = extent.max_element() / cells.max(1) as f32;
        // A cell more on each side, off the grid of round numbers, where surfaces like to be.
        let low = bounds.min - edge * Vec3::new(1.43, 1.37, 1.41);
        let size = (extent / edge).ceil().as_ivec3() + 4;
        let mut grid = Self {
            sample,
            low,
            edge,
            size,
            values: Vec::with_capacity((size.x * size.y * size.z) as usize),
        };
        for z in 0..size.z {
            for y in 0..size.y {
                for x in 0..size.x {
                    let p = grid.corner(IVec3::new(x, y, z));
                    grid.values.push(sample(p).0);
                }
            }
        }
        grid
    }

    fn corner(&self, at: IVec3) -> Vec3 {
        self.low + at.as_vec3() * self.edge
    }

    fn index(&self, at: IVec3) -> usize {
        ((at.z * self.size.y + at.y) * self.size.x + at.x) as usize
    }

    fn inside(&self, at: IVec3) -> bool {
        self.values[self.index(at)] < 0.0
    }

    /// Where the surface crosses an edge of the grid, and its normal there.
    fn crossing(&self, from: IVec3, to: IVec3) -> (Vec3, Vec3) {
        let (mut a, mut b) = (self.corner(from), self.corner(to));
        let [mut at_a, mut at_b] = [from, to].map(|i| self.values[self.index(i)]);
        let mut found = (a, Vec3::ZERO);
        for _ in 0..=SECANTS {
            let share = (at_a / (at_a - at_b)).clamp(0.02, 0.98);
            let p = a + (b - a) * share;
            let (value, gradient) = (self.sample)(p);
            found = (p, gradient.normalize_or_zero());
            if (value < 0.0) == (at_a < 0.0) {
                (a, at_a) = (p, value);
            } else {
                (b, at_b) = (p, value);
            }
        }
        found
    }

    /// The vertex of a cell; nothing when the surface does not go through it.
    fn vertex(&self, cell: IVec3) -> Option<Vec3> {
        const EDGES: [[usize; 2]; 12] = [
            [0, 1],
            [2, 3],
            [4, 5],
            [6, 7],
            [0, 2],
            [1, 3],
            [4, 6],
            [5, 7],
            [0, 4],
            [1, 5],
            [2, 6],
            [3, 7],
        ];
        let corner = |i: usize| cell + IVec3::new(i as i32 & 1, i as i32 >> 1 & 1, i as i32 >> 2);
        let mut planes = [(Vec3::ZERO, Vec3::ZERO); 12];
        let mut count = 0;
        for [a, b] in EDGES {
            let (a, b) = (corner(a), corner(b));
            if self.inside(a) != self.inside(b) {
                planes[count] = self.crossing(a, b);
                count += 1;
            }
        }
        if count == 0 {
            return None;
        }
        let planes = &planes[..count];
        let share = 1.0 / count as f32;
        let mut at = planes.iter().map(|(p, _)| *p).sum::<Vec3>() * share;
        let low = self.corner(cell);
        for _ in 0..RELAXATIONS {
            let push: Vec3 = planes.iter().map(|(p, n)| *n * n.dot(*p - at)).sum();
            at = (at + push * (2.0 * share)).clamp(low, low + self.edge);
        }
        Some(at)
    }

    fn triangles(&self) -> Triangles {
        let mut found = Triangles::default();
        let mut numbers = vec![u32::MAX; self.values.len()];
        let all = |size: IVec3| {
            (0..size.z).flat_map(move |z| {
                (0..size.y).flat_map(move |y| (0..size.x).map(move |x| IVec3::new(x, y, z)))
            })
        };
        for cell in all(self.size - 1) {
            if let Some(vertex) = self.vertex(cell) {
                numbers[self.index(cell)] = found.positions.len() as u32;
                found.positions.push(vertex);
            }
        }
        let units = [IVec3::X, IVec3::Y, IVec3::Z];
        for at in all(self.size - 1) {
            for axis in 0..3 {
                let to = at + units[axis];
                let (u, v) = (units[(axis + 1) % 3], units[(axis + 2) % 3]);
                if self.inside(at) == self.inside(to) || at.dot(u) == 0 || at.dot(v) == 0 {
                    continue;
                }
                let around = [at - u - v, at - v, at, at - u].map(|cell| numbers[self.index(cell)]);
                let [a, b, c, d] = around;
                if self.inside(at) {
                    found.faces.extend([[a, b, c], [a, c, d]]);
                } else {
                    found.faces.extend([[a, c, b], [a, d, c]]);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_and_a_box_keep_their_volume_and_edges() {
        let bounds = Aabb::new(Vec3::splat(-0.5), Vec3::splat(0.5));
        let ball = |p: Vec3| (p.length() - 0.5, p.normalize_or(Vec3::Z));
        let cube = |p: Vec3| {
            let q = p.abs() - 0.5;
            let most = q.max_element();
            let axis = Vec3::new(
                f32::from(q.x == most),
                f32::from(q.y == most),
                f32::from(q.z == most),
            );
            (most, axis * p.signum())
        };
        let volume = |t: &Triangles| {
            let cone = |f: &[u32; 3]| {
                let [a, b, c] = f.map(|i| t.positions[i as usize]);
                a.dot(b.cross(c)) / 6.0
            };
            t.faces.iter().map(cone).sum::<f32>()
        };
        let round = triangles(&ball, &bounds, 24);
        assert!((volume(&round) - std::f32::consts::PI / 6.0).abs() < 0.01);
        let sharp = triangles(&cube, &bounds, 24);
        assert!((volume(&sharp) - 1.0).abs() < 0.002, "{}", volume(&sharp));
    }
}
