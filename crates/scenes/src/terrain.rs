//! Boxes that move over a terrain with props: the scene on which the broad phase is quoted.

use std::f64::consts::TAU;

use glam::{DVec3, Vec3};

use crate::box_scene::{BoxScene, Mover, Space, nameable};
use crate::scene::at_least;
use crate::{Rng, SceneError, Shape};

/// Triangles of a prop.
const PROP_TRIANGLES: usize = 12;
/// Of this many static triangles one belongs to a prop.
const PROP_SHARE: usize = 5;
/// Waves of the height field: amplitude in metres, then wave numbers along x and y in radians a metre.
const WAVES: [[f64; 3]; 4] = [
    [5.0, 0.033, 0.021],
    [3.0, -0.047, 0.059],
    [1.2, 0.131, 0.083],
    [0.4, -0.29, 0.37],
];
/// Half edges of a prop in metres, across and upward: from, to.
const PROP_HALF: [[f64; 2]; 2] = [[0.25, 1.5], [0.3, 2.0]];
/// How deep a prop is sunk into the ground below its middle, metres.
const PROP_SUNK: f64 = 0.2;
/// Half edges of a moving box, metres: from, to.
const BODY_HALF: [f64; 2] = [0.35, 0.65];
/// Greatest length of a move, metres a frame.
const SPEED: f64 = 0.5;
/// Centres of moving boxes stay between these heights above the ground, metres.
const SLAB: [f64; 2] = [0.25, 2.75];

/// A height field of triangles, props standing on it, and boxes of edge about 1 m that move above.
///
/// **Ground.** With phases `p₁ … p₄` drawn from the seed, the height at `(x, y)` is the sum of four
/// waves `a·sin(k·x + l·y + p)` with `(a, k, l)` = (5, 0.033, 0.021), (3, −0.047, 0.059),
/// (1.2, 0.131, 0.083), (0.4, −0.29, 0.37), in metres. It is sampled on a grid of spacing 1 m; a
/// quad is two triangles, its diagonals alternating like the squares of a chessboard. Of
/// `static_triangles`, a fifth (rounded down to whole props of 12) are props and the rest `T` is
/// ground: `m = ⌈√⌈T/2⌉⌉` quads a row, as many rows as it takes, the last row left incomplete.
/// Extents grow with the count, so the density is the same at every size.
///
/// **Props** are cuboids with half edges in [0.25, 1.5) m across and [0.3, 2) m upward, turned by
/// any angle about the vertical, standing at uniform places 0.2 m deep in the ground.
///
/// **Moving boxes** have half edges in [0.35, 0.65) m, each axis for itself, uniform places over
/// the ground, and centres 0.25 to 2.75 m above it. Each moves by a fixed length in [0, 0.5) m a frame
/// along a uniform direction. A component that would leave the grid turns back. When the centre
/// would come closer to the ground than 0.25 m, the box goes back the way it came and upward; when
/// it would rise above 2.75 m, it goes downward. So no move is longer than 0.5 m.
///
/// 100,000 triangles and 5,000 boxes have about 12,000 pairs a frame with a moving box in them, 760
/// of two moving boxes; 14,000 in frame 0, where centres are still uniform in the slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terrain {
    /// Number of triangles, at least 1. Default 100,000.
    pub static_triangles: usize,
    /// Number of moving boxes. Default 5,000.
    pub dynamic: usize,
    /// What the random numbers come from. Default 0.
    pub seed: u64,
}

impl Default for Terrain {
    fn default() -> Self {
        Self {
            static_triangles: 100_000,
            dynamic: 5_000,
            seed: 0,
        }
    }
}

/// The surface that bodies stay above.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    phases: [f64; WAVES.len()],
    width: f64,
    depth: f64,
}

impl Ground {
    fn height(&self, x: f64, y: f64) -> f64 {
        let mut sum = 0.0;
        for ([amplitude, k, l], phase) in WAVES.iter().zip(self.phases) {
            sum += amplitude * libm::sin(k * x + l * y + phase);
        }
        sum
    }

    fn place(&self, rng: &mut Rng) -> DVec3 {
        let (x, y) = (rng.range(0.0, self.width), rng.range(0.0, self.depth));
        DVec3::new(x, y, self.height(x, y))
    }

    /// Turns a body that would leave the slab above the ground.
    pub(crate) fn steer(&self, body: &mut Mover) {
        for (axis, extent) in [(0, self.width), (1, self.depth)] {
            let next = body.centre[axis] + body.velocity[axis];
            if next < 0.0 || next > extent {
                body.velocity[axis] = -body.velocity[axis];
            }
        }
        let next = body.centre + body.velocity;
        let above = next.z - self.height(next.x, next.y);
        if above < SLAB[0] {
            let v = body.velocity;
            body.velocity = DVec3::new(-v.x, -v.y, v.z.abs());
        } else if above > SLAB[1] {
            body.velocity.z = -body.velocity.z.abs();
        }
    }
}

impl Terrain {
    /// Builds the scene at frame 0. Cost: O(triangles + boxes).
    ///
    /// # Errors
    /// No triangle, or more boxes than 32-bit ids can name.
    pub fn build(&self) -> Result<BoxScene, SceneError> {
        at_least("static_triangles", self.static_triangles, 1)?;
        nameable(self.static_triangles.saturating_add(self.dynamic))?;
        let props = self.static_triangles / PROP_SHARE / PROP_TRIANGLES;
        let of_ground = self.static_triangles - PROP_TRIANGLES * props;
        let quads = of_ground.div_ceil(2);
        let row = root_ceil(quads);
        let mut rng = Rng::new(self.seed, 0);
        let ground = Ground {
            phases: [(); WAVES.len()].map(|()| rng.range(0.0, TAU)),
            width: row as f64,
            depth: quads.div_ceil(row) as f64,
        };
        let mut triangles = Vec::with_capacity(self.static_triangles + 1);
        for quad in 0..quads {
            push_quad(&mut triangles, &ground, quad % row, quad / row);
        }
        triangles.truncate(of_ground);
        let cube = Shape::cube();
        for prop in 0..props {
            let mut rng = Rng::new(self.seed, 2 * prop as u64 + 1);
            push_prop(&mut triangles, &cube, &ground, &mut rng);
        }
        let bodies = (0..self.dynamic)
            .map(|index| body(&ground, &mut Rng::new(self.seed, 2 * index as u64 + 2)))
            .collect();
        Ok(BoxScene::new(triangles, bodies, Space::Above(ground)))
    }
}

fn push_quad(triangles: &mut Vec<[Vec3; 3]>, ground: &Ground, column: usize, row: usize) {
    let corner = |dx: usize, dy: usize| {
        let (x, y) = ((column + dx) as f64, (row + dy) as f64);
        DVec3::new(x, y, ground.height(x, y)).as_vec3()
    };
    let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
    if (row + column).is_multiple_of(2) {
        triangles.extend([[a, b, c], [a, c, d]]);
    } else {
        triangles.extend([[a, b, d], [b, c, d]]);
    }
}

fn push_prop(triangles: &mut Vec<[Vec3; 3]>, cube: &Shape, ground: &Ground, rng: &mut Rng) {
    let foot = ground.place(rng);
    let [across, upward] = PROP_HALF;
    let half = DVec3::new(
        rng.range(across[0], across[1]),
        rng.range(across[0], across[1]),
        rng.range(upward[0], upward[1]),
    );
    let (sin, cos) = libm::sincos(rng.range(0.0, TAU));
    let middle = foot + DVec3::Z * (half.z - PROP_SUNK);
    let corner = |id: u32| {
        // The cube's vertices lie on the unit sphere.
        let p = cube.positions[id as usize] * 3.0_f64.sqrt() * half;
        let turned = DVec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z);
        (middle + turned).as_vec3()
    };
    triangles.extend(cube.faces.iter().map(|face| face.map(corner)));
}

fn body(ground: &Ground, rng: &mut Rng) -> Mover {
    let foot = ground.place(rng);
    let mut half = || rng.range(BODY_HALF[0], BODY_HALF[1]);
    let half = DVec3::new(half(), half(), half());
    Mover {
        centre: foot + DVec3::Z * rng.range(SLAB[0], SLAB[1]),
        half,
        velocity: rng.direction() * rng.range(0.0, SPEED),
    }
}

/// The smallest `m` with `m² ≥ n`.
fn root_ceil(n: usize) -> usize {
    let floor = n.isqrt();
    floor + usize::from(floor * floor < n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_at_every_size() {
        for static_triangles in [1, 2, 3, 59, 60, 61, 1_000, 9_999] {
            for dynamic in [0, 1, 77] {
                let scene = Terrain {
                    static_triangles,
                    dynamic,
                    seed: 3,
                }
                .build()
                .unwrap();
                assert_eq!(scene.triangles.len(), static_triangles);
                assert_eq!(scene.fixed.len(), static_triangles);
                assert_eq!(scene.moving.len(), dynamic);
            }
        }
    }

    #[test]
    fn bodies_move_by_half_a_metre_at_most_and_stay_in_the_slab() {
        let mut scene = Terrain {
            static_triangles: 2_000,
            dynamic: 300,
            seed: 5,
        }
        .build()
        .unwrap();
        let relief: f64 = WAVES.iter().map(|w| w[0]).sum();
        let (mut moved, mut before) = (0.0_f32, scene.moving.clone());
        for _ in 0..500 {
            scene.advance();
            for (now, before) in scene.moving.iter().zip(&before) {
                moved = moved.max((now.min - before.min).length());
                assert!(
                    f64::from(now.min.z) > -relief - 1.5 && f64::from(now.max.z) < relief + 8.0
                );
                assert!(now.min.x > -1.0 && now.max.x < 31.0);
            }
            before.clone_from(&scene.moving);
        }
        assert!((0.45..0.5001).contains(&moved), "{moved}");
    }
}
