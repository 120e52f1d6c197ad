//! Boxes in a cube that is stirred: neighbours part for ever.

use std::f64::consts::PI;

use glam::DVec3;

use crate::box_scene::{BoxScene, Mover, Space, nameable};
use crate::clouds::{side, uniform_mover};
use crate::scene::at_least;
use crate::{Rng, SceneError};

/// Cells of the two flows along an axis.
const CELLS: [f64; 2] = [1.0, 2.0];
/// Shares of x, y and z in the two flows; each adds up to zero, so that nothing is compressed.
const SHARES: [DVec3; 2] = [DVec3::new(1.0, -0.6, -0.4), DVec3::new(-0.45, 1.0, -0.55)];
/// Frames in which the weights of the two flows turn once.
const PERIOD: f64 = 240.0;
/// Speed of each flow at its greatest, metres a frame.
const SPEED: f64 = 0.2;
/// Greatest random step along an axis, metres a frame.
const NOISE: f64 = 0.05;

/// Boxes like those of [`UniformBoxes`](crate::UniformBoxes), carried around by two flows and shaken.
///
/// With `q = centre / S` for a cube of side `S`, flow `j` of `c = 1, 2` cells an axis moves a box by
/// `(a sin(πcx) cos(πcy) cos(πcz), b cos(πcx) sin(πcy) cos(πcz), d cos(πcx) cos(πcy) sin(πcz))` of `q`,
/// `(a, b, d)` = (1, −0.6, −0.4) and (−0.45, 1, −0.55). As `a + b + d = 0` it is free of divergence,
/// and it does not cross the walls: boxes stay spread evenly. The flows are weighted by 0.2 m a
/// frame times the cosine and the sine of an angle that turns once in 240 frames, which is what
/// mixes. Each box also takes a uniform step in [−0.05, 0.05)³ m a frame, drawn from the seed, the frame
/// and its index, and turns back at the walls. Every box moves in every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StirredBoxes {
    /// Number of boxes, at least 1. Default 10,000.
    pub boxes: usize,
    /// What the random numbers come from. Default 0.
    pub seed: u64,
}

impl Default for StirredBoxes {
    fn default() -> Self {
        Self {
            boxes: 10_000,
            seed: 0,
        }
    }
}

impl StirredBoxes {
    /// Builds the scene at frame 0. Cost: O(n).
    ///
    /// # Errors
    /// No box, or more than 32-bit ids can name.
    pub fn build(&self) -> Result<BoxScene, SceneError> {
        at_least("boxes", self.boxes, 1)?;
        nameable(self.boxes)?;
        let side = side(self.boxes);
        let bodies = (0..self.boxes)
            .map(|index| uniform_mover(&mut Rng::new(self.seed, index as u64), side));
        let stir = Stir {
            side,
            seed: self.seed,
        };
        Ok(BoxScene::new(
            Vec::new(),
            bodies.collect(),
            Space::Stirred(stir),
        ))
    }
}

/// The flow in the cube [0, side]³.
#[derive(Clone, Debug)]
pub(crate) struct Stir {
    side: f64,
    seed: u64,
}

impl Stir {
    /// Sets the velocity with which a body comes into a frame.
    pub(crate) fn steer(&self, body: &mut Mover, frame: u64, index: u64) {
        let (sin, cos) = libm::sincos(2.0 * PI / PERIOD * frame as f64);
        let mut velocity = DVec3::ZERO;
        for ((cells, shares), weight) in CELLS.iter().zip(SHARES).zip([cos, sin]) {
            let q = body.centre * (PI * cells / self.side);
            let (x, y, z) = (libm::sincos(q.x), libm::sincos(q.y), libm::sincos(q.z));
            let flow = DVec3::new(x.0 * y.1 * z.1, x.1 * y.0 * z.1, x.1 * y.1 * z.0);
            velocity += shares * flow * (SPEED * weight);
        }
        // Streams of the bodies' starts are below 2³².
        velocity += Rng::new(self.seed, frame << 32 | index).cube() * NOISE;
        let next = body.centre + velocity;
        for axis in 0..3 {
            if next[axis] < 0.0 || next[axis] > self.side {
                velocity[axis] = -velocity[axis];
            }
        }
        body.velocity = velocity;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_mix_and_stay_spread_evenly() {
        let boxes = 2_000;
        let mut scene = StirredBoxes { boxes, seed: 1 }.build().unwrap();
        let start = scene.moving.clone();
        let mut before = start.clone();
        let mut fastest = 0.0_f32;
        for _ in 0..500 {
            scene.advance();
            for (now, before) in scene.moving.iter().zip(&before) {
                fastest = fastest.max((now.centre() - before.centre()).length());
            }
            before.clone_from(&scene.moving);
        }
        assert!((0.1..0.4).contains(&fastest), "{fastest}");
        let side = side(boxes) as f32;
        let mut counts = [0; 8];
        let mut strayed = 0.0;
        for (now, start) in scene.moving.iter().zip(&start) {
            let octant = now.centre().cmpgt(glam::Vec3::splat(0.5 * side)).bitmask();
            counts[octant as usize] += 1;
            strayed += now.centre().distance(start.centre()) / boxes as f32;
        }
        // Uniform points are 0.66 sides apart on average.
        assert!(strayed > 0.3 * side, "{strayed} of {side}");
        assert!(counts.iter().all(|n| (180..320).contains(n)), "{counts:?}");
    }
}
