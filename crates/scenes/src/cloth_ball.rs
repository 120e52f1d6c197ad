//! A sheet draped over a ball.

use std::f64::consts::TAU;

use glam::DVec3;
use jostle_geom::Topology;

use crate::scene::at_least;
use crate::shapes::rotate;
use crate::{Rng, Scene, SceneError, SceneKind, Shape};

/// Half the side of the sheet, in ball radii (the ball's radius is 1 m).
const HALF_SIDE: f64 = 2.1;
/// Number of folds around the ball.
const FOLDS: f64 = 11.0;
/// Polar angle at which the draped sheet leaves the ball, radians.
const LEAVE: f64 = 0.95;
/// Radius of the bend after that when fully draped: wider than the ball, or the sheet would cut in.
const BEND: f64 = 1.3;
/// Heading at which the bend ends and the sheet hangs straight, radians below the horizon.
const HANG: f64 = 1.42;
/// How the sheet is pushed in the last step, metres: down and a little aside.
const PUSH: DVec3 = DVec3::new(-0.02, 0.03, -0.06);
/// Fewer quads a side do not resolve the folds, which then cut into the ball.
const LEAST_CELLS: usize = 24;
/// How strongly folds are pinched before and after the last step. Above 1 a fold crosses itself.
const PINCH: [f64; 2] = [0.7, 1.2];

/// A square sheet draped over a ball in folds; in the last step it is pushed into the ball and its
/// folds are pinched until they touch themselves.
///
/// The ball is an icosphere of radius 1 m about the origin, turning about z. The sheet is a grid of
/// `cells`² quads over [−2.1, 2.1]² with coordinates `(a, b)`; `s = √(a² + b²)` is the distance
/// from its middle and `θ` the angle. Its meridian has arc length `s`: a circle of radius
/// `R = 1 + gap` up to the polar angle α, then a circle of radius 1.3·0.95/α until the heading is
/// 1.42 radians below the horizon, then straight. With `ρ(s)` its distance from the axis, a circle of
/// cloth of length `2πs` must fit around `2πρ`; the surplus goes into folds along the normal:
/// `A(s)·(1 + cos Φ)` with `A = 2√(ρ(s − ρ))/k`, `k = 11`,
/// `Φ = kθ + 0.9 sin(2θ + p₁) + 0.6 sin(3θ + p₂)`, faded in where the sheet leaves the ball. Folds
/// are pinched by turning each point by `q·sin Φ / k` about the axis: for `q < 1` a fold is open,
/// for `q > 1` it crosses itself.
///
/// All frames but the last are accepted states, without contact, with α growing to 0.95 and
/// `q = 0.7`; the last is what a solver would propose before it asks for the time of impact: the
/// sheet moved by (−0.02, 0.03, −0.06) m with `q = 1.2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClothBall {
    /// Quads along a side of the sheet, at least 24, so that the grid resolves the folds. Default 64.
    pub cells: usize,
    /// Number of frames, at least 2. Default 2.
    pub frames: usize,
    /// What the phases of the folds come from. Default 0.
    pub seed: u64,
}

impl Default for ClothBall {
    fn default() -> Self {
        Self {
            cells: 64,
            frames: 2,
            seed: 0,
        }
    }
}

/// The shape of the sheet in one frame.
struct Pose {
    gap: f64,
    leave: f64,
    push: DVec3,
    pinch: f64,
    phases: [f64; 2],
}

impl ClothBall {
    /// Parameters for about `boxes` boxes, never below the smallest scene there is.
    pub fn with_boxes(boxes: usize, frames: usize, seed: u64) -> Self {
        let mut cells = LEAST_CELLS;
        while box_count(cells + 1) <= boxes {
            cells += 1;
        }
        Self {
            cells,
            frames,
            seed,
        }
    }

    /// Number of vertices of the sheet; those of the ball come after them.
    pub fn sheet_vertex_count(&self) -> usize {
        (self.cells + 1) * (self.cells + 1)
    }

    /// Number of faces of the sheet; those of the ball come after them.
    pub fn sheet_face_count(&self) -> usize {
        2 * self.cells * self.cells
    }

    /// Builds the scene.
    ///
    /// # Errors
    /// Fewer than 24 cells or two frames; more boxes than 32-bit ids can name.
    pub fn build(&self) -> Result<Scene, SceneError> {
        at_least("cells", self.cells, LEAST_CELLS)?;
        at_least("frames", self.frames, 2)?;
        let ball = Shape::icosphere(ball_subdivisions(self.cells));
        let sheet = self.sheet_vertex_count() as u32;
        let mut faces = self.sheet_faces();
        faces.extend(ball.faces.iter().map(|face| face.map(|i| sheet + i)));
        let vertex_count = self.sheet_vertex_count() + ball.positions.len();
        let topology = Topology::new(vertex_count, faces, &[])?;

        let frames = (0..self.frames)
            .map(|frame| {
                let pose = self.pose(frame);
                let mut positions = Vec::with_capacity(vertex_count);
                for row in 0..=self.cells {
                    for column in 0..=self.cells {
                        let at = |i: usize| HALF_SIDE * (2.0 * i as f64 / self.cells as f64 - 1.0);
                        positions.push(pose.point(at(column), at(row)));
                    }
                }
                let turn = 0.05 * frame as f64;
                positions.extend(ball.positions.iter().map(|&p| rotate(p, DVec3::Z, turn)));
                positions
            })
            .collect();
        Ok(Scene::new(SceneKind::ClothBall, topology, frames))
    }

    /// Two triangles a quad, the diagonals alternating like the squares of a chessboard.
    fn sheet_faces(&self) -> Vec<[u32; 3]> {
        let row_length = self.cells as u32 + 1;
        let mut faces = Vec::with_capacity(self.sheet_face_count());
        for row in 0..self.cells as u32 {
            for column in 0..self.cells as u32 {
                let a = row * row_length + column;
                let (b, c, d) = (a + 1, a + row_length + 1, a + row_length);
                if (row + column) % 2 == 0 {
                    faces.extend([[a, b, c], [a, c, d]]);
                } else {
                    faces.extend([[a, b, d], [b, c, d]]);
                }
            }
        }
        faces
    }

    fn pose(&self, frame: usize) -> Pose {
        let mut rng = Rng::new(self.seed, 0);
        let phases = [rng.range(0.0, TAU), rng.range(0.0, TAU)];
        // A chord of the grid's longest edge (a diagonal) may dip below the arc by h²/4.
        let cell = 2.0 * HALF_SIDE / self.cells as f64;
        let gap = 0.02 + 0.5 * cell * cell;
        let accepted = self.frames - 1;
        let last = frame == accepted;
        let draped = if last { accepted } else { frame + 1 };
        Pose {
            gap,
            leave: LEAVE * draped as f64 / accepted as f64,
            push: if last { PUSH } else { DVec3::ZERO },
            pinch: PINCH[usize::from(last)],
            phases,
        }
    }
}

impl Pose {
    fn point(&self, a: f64, b: f64) -> DVec3 {
        let s = (a * a + b * b).sqrt();
        let (rho, z, heading) = self.meridian(s);
        let theta = libm::atan2(b, a);
        let wave = FOLDS * theta
            + 0.9 * libm::sin(2.0 * theta + self.phases[0])
            + 0.6 * libm::sin(3.0 * theta + self.phases[1]);
        let fade = smooth_step((s - 0.75 * self.leave) / 0.9);
        let amplitude = fade * 2.0 * (rho * (s - rho)).max(0.0).sqrt() / FOLDS;
        let offset = amplitude * (1.0 + libm::cos(wave));
        let (sin_heading, cos_heading) = libm::sincos(heading);
        let (rho, z) = (rho + offset * sin_heading, z + offset * cos_heading);
        let turned = theta + fade * self.pinch * libm::sin(wave) / FOLDS;
        let (sin, cos) = libm::sincos(turned);
        DVec3::new(rho * cos, rho * sin, z) + self.push
    }

    /// Distance from the axis, height and heading (radians below the horizon) at arc length `s`.
    fn meridian(&self, s: f64) -> (f64, f64, f64) {
        let radius = 1.0 + self.gap;
        let on_ball = radius * self.leave;
        if s <= on_ball {
            let (sin, cos) = libm::sincos(s / radius);
            return (radius * sin, radius * cos, s / radius);
        }
        let (sin_leave, cos_leave) = libm::sincos(self.leave);
        let bend_radius = BEND * LEAVE / self.leave;
        let bend = (s - on_ball).min(bend_radius * (HANG - self.leave));
        let heading = self.leave + bend / bend_radius;
        let (sin, cos) = libm::sincos(heading);
        let straight = s - on_ball - bend;
        (
            radius * sin_leave + bend_radius * (sin - sin_leave) + straight * cos,
            radius * cos_leave - bend_radius * (cos_leave - cos) - straight * sin,
            heading,
        )
    }
}

fn smooth_step(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// Subdivisions that make the ball's edges about as long as the sheet's, at most 7.
fn ball_subdivisions(cells: usize) -> u32 {
    let cell = 2.0 * HALF_SIDE / cells as f64;
    // The edges of an icosahedron of radius 1 are 1.05 long and halve with each subdivision.
    (1..7)
        .find(|&s| 1.05 / f64::from(1_u32 << s) <= 1.2 * cell)
        .unwrap_or(7)
}

fn box_count(cells: usize) -> usize {
    let sheet = (cells + 1) * (cells + 1) + cells * (3 * cells + 2) + 2 * cells * cells;
    sheet + 60 * 4_usize.pow(ball_subdivisions(cells)) + 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn box_counts_are_known_beforehand() {
        for cells in [24, 25, 40] {
            let scene = ClothBall {
                cells,
                ..ClothBall::default()
            }
            .build()
            .unwrap();
            assert_eq!(scene.topology.box_count(), box_count(cells));
        }
        let scene = ClothBall::with_boxes(50_000, 2, 0);
        assert!(box_count(scene.cells) <= 50_000 && box_count(scene.cells + 1) > 50_000);
    }

    #[test]
    fn the_sheet_starts_outside_the_ball() {
        for (cells, seed) in [(24, 0), (27, 1), (33, 2), (64, 3), (100, 4)] {
            let parameters = ClothBall {
                cells,
                frames: 4,
                seed,
            };
            let scene = parameters.build().unwrap();
            for frame in &scene.frames[..3] {
                for face in &scene.topology.faces()[..parameters.sheet_face_count()] {
                    let [a, b, c] = face.map(|i| frame[i as usize]);
                    for p in [
                        (a + b) / 2.0,
                        (b + c) / 2.0,
                        (c + a) / 2.0,
                        (a + b + c) / 3.0,
                    ] {
                        assert!(p.length() > 1.0, "{cells}: {p}");
                    }
                }
            }
        }
    }
}
