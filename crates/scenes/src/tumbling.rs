//! A cloud of tumbling bodies.

use glam::DVec3;
use jostle_geom::Topology;

use crate::scene::at_least;
use crate::shapes::rotate;
use crate::{Rng, Scene, SceneError, SceneKind, Shape};

/// Boxes of a cube and of an icosphere split once, and their mean.
const CUBE_BOXES: usize = 8 + 18 + 12;
const SPHERE_BOXES: usize = 42 + 120 + 80;
const MEAN_BOXES: usize = usize::midpoint(CUBE_BOXES, SPHERE_BOXES);

/// A cloud of cubes and icospheres on a jittered lattice, each moving and turning on its own.
///
/// Body `i` of `n` stands at cell `(i mod m, i/m mod m, i/m²)` of a lattice with spacing 1 m and
/// `m = ⌈∛n⌉`, moved by up to 0.06 m a side, and has a circumscribed radius `r` in [0.25, 0.42) m:
/// no two bodies touch in the first frame. From frame to frame it moves by a fixed vector of length
/// 0.2 to 0.9 m and turns by a fixed angle of up to 1 radian about a fixed axis through its centre:
/// `x_f = c + f·v + R(axis, f·ω)·r·p` for a vertex `p` of the unit shape. Bodies pass through each
/// other. Density does not depend on `n`, so candidates grow linearly with the boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tumbling {
    /// About how many boxes (vertices, edges and faces together); at least one body is made.
    /// Default 100,000.
    pub boxes: usize,
    /// Number of frames, at least 2. Default 2.
    pub frames: usize,
    /// What the random numbers come from. Default 0.
    pub seed: u64,
}

impl Default for Tumbling {
    fn default() -> Self {
        Self {
            boxes: 100_000,
            frames: 2,
            seed: 0,
        }
    }
}

struct Body {
    round: bool,
    centre: DVec3,
    radius: f64,
    velocity: DVec3,
    axis: DVec3,
    spin: f64,
}

impl Body {
    fn draw(seed: u64, index: usize, side: usize) -> Self {
        let mut rng = Rng::new(seed, index as u64);
        let cell = DVec3::new(
            (index % side) as f64,
            (index / side % side) as f64,
            (index / (side * side)) as f64,
        );
        Self {
            round: rng.next_u64() & 1 == 1,
            centre: cell + rng.cube() * 0.06,
            radius: rng.range(0.25, 0.42),
            velocity: rng.direction() * rng.range(0.2, 0.9),
            axis: rng.direction(),
            spin: rng.range(-1.0, 1.0),
        }
    }
}

impl Tumbling {
    /// Builds the scene. Cost: O(boxes · log boxes) for the edges.
    ///
    /// # Errors
    /// Fewer than two frames or one box; more boxes than 32-bit ids can name.
    pub fn build(&self) -> Result<Scene, SceneError> {
        at_least("frames", self.frames, 2)?;
        at_least("boxes", self.boxes, 1)?;
        let count = self.boxes.div_ceil(MEAN_BOXES);
        let side = cube_root_ceil(count);
        let shapes = [Shape::cube(), Shape::icosphere(1)];
        let bodies: Vec<Body> = (0..count)
            .map(|index| Body::draw(self.seed, index, side))
            .collect();

        let mut faces = Vec::new();
        let mut vertex_count = 0;
        for body in &bodies {
            let shape = &shapes[usize::from(body.round)];
            let base = vertex_count as u32;
            faces.extend(shape.faces.iter().map(|face| face.map(|i| base + i)));
            vertex_count += shape.positions.len();
        }
        let topology = Topology::new(vertex_count, faces, &[])?;

        let frames = (0..self.frames)
            .map(|frame| {
                let time = frame as f64;
                let mut positions = Vec::with_capacity(vertex_count);
                for body in &bodies {
                    let centre = body.centre + body.velocity * time;
                    let turned =
                        |p: &DVec3| centre + rotate(*p, body.axis, body.spin * time) * body.radius;
                    let shape = &shapes[usize::from(body.round)];
                    positions.extend(shape.positions.iter().map(turned));
                }
                positions
            })
            .collect();
        Ok(Scene::new(SceneKind::Tumbling, topology, frames))
    }
}

/// The smallest `m` with `m³ ≥ n`.
fn cube_root_ceil(n: usize) -> usize {
    let mut m = libm::cbrt(n as f64) as usize;
    while m * m * m < n {
        m += 1;
    }
    m.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_roots_round_up() {
        for (n, m) in [
            (1, 1),
            (2, 2),
            (8, 2),
            (9, 3),
            (27, 3),
            (28, 4),
            (1_000_000, 100),
        ] {
            assert_eq!(cube_root_ceil(n), m, "{n}");
        }
    }

    #[test]
    fn sizes_follow_the_boxes_asked_for() {
        for boxes in [1, 10_000, 200_000] {
            let scene = Tumbling {
                boxes,
                ..Tumbling::default()
            }
            .build()
            .unwrap();
            let made = scene.topology.box_count();
            assert!(
                made.abs_diff(boxes) < boxes / 20 + SPHERE_BOXES,
                "{made} for {boxes}"
            );
        }
    }
}
