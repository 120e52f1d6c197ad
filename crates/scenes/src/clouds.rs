//! Clouds of moving boxes: uniform, and clustered with sizes over decades.

use glam::DVec3;

use crate::box_scene::{BoxScene, Mover, Space, nameable};
use crate::scene::at_least;
use crate::{Rng, SceneError};

/// Boxes that a uniform box overlaps on average: twice the pairs over the boxes.
const OVERLAPS: f64 = 3.9;
/// Boxes of a cluster.
const CLUSTER: usize = 64;
/// Frames after which a box of a cluster turns back.
const SHUTTLE: u64 = 8;

/// Boxes uniformly in a cube, each overlapping 3.9 others on average (`2 · pairs / n = 3.9`) at
/// every size.
///
/// Centres are uniform in [0, S]³ and edges uniform in [0.5, 1.5) m, each axis for itself. Two
/// centres are closer than `d` on an axis with probability `2d/S − d²/S²`; the mean of `d` is 1 m
/// and of `d²` 1 + 1/24 m², so `S` solves `n·(2/S − (25/24)/S²)³ = 3.9`. Boxes move by up to half
/// a metre a frame and turn back, axis by axis, when their centre would leave the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformBoxes {
    /// Number of boxes, at least 1. Default 100,000.
    pub boxes: usize,
    /// What the random numbers come from. Default 0.
    pub seed: u64,
}

impl Default for UniformBoxes {
    fn default() -> Self {
        Self {
            boxes: 100_000,
            seed: 0,
        }
    }
}

impl UniformBoxes {
    /// Builds the scene at frame 0: all boxes move. Cost: O(n).
    ///
    /// # Errors
    /// No box, or more than 32-bit ids can name.
    pub fn build(&self) -> Result<BoxScene, SceneError> {
        at_least("boxes", self.boxes, 1)?;
        nameable(self.boxes)?;
        let side = side(self.boxes);
        let bodies = (0..self.boxes).map(|index| {
            let mut rng = Rng::new(self.seed, index as u64);
            let mut mover = uniform_mover(&mut rng, side);
            mover.velocity = rng.direction() * rng.range(0.0, 0.5);
            mover
        });
        Ok(BoxScene::new(
            Vec::new(),
            bodies.collect(),
            Space::Cube { side },
        ))
    }
}

/// A box at rest with its centre uniform in [0, side]³ and edges uniform in [0.5, 1.5) m.
pub(crate) fn uniform_mover(rng: &mut Rng, side: f64) -> Mover {
    Mover {
        centre: (rng.cube() + 1.0) * (0.5 * side),
        half: (rng.cube() + 2.0) * 0.25,
        velocity: DVec3::ZERO,
    }
}

/// The side of the cube, metres: the equation in the docs of [`UniformBoxes`] for `1/S`.
pub(crate) fn side(boxes: usize) -> f64 {
    const MEAN_SQUARE: f64 = 25.0 / 24.0;
    // A few boxes cannot have that many overlaps; they get a cube of about their own size.
    let q = libm::cbrt(OVERLAPS / boxes as f64).min(0.75);
    MEAN_SQUARE / (1.0 - (1.0 - MEAN_SQUARE * q).sqrt())
}

/// Boxes in clusters of 64 whose sizes, like the boxes' own, spread over decades.
///
/// Cluster `i` has its middle uniform in a cube whose volume is 1,500 m³ a cluster and a radius
/// `r = 10^u`, `u` uniform in [−2, 1); a box of it has its centre at `r` times the mean of three
/// uniform points of [−1, 1)³ and on each axis the half edge `r·10^w` times a factor in
/// [0.5, 1.5), `w` uniform in [−2.5, −0.4). Sizes thus span five decades; a box overlaps 3.4 others on
/// average at every size. Boxes move by up to an eighth of their smallest edge a frame and turn back
/// every 8 frames, so that clusters stay together. Ids are shuffled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusteredBoxes {
    /// Number of boxes, at least 1. Default 100,000.
    pub boxes: usize,
    /// What the random numbers come from. Default 0.
    pub seed: u64,
}

impl Default for ClusteredBoxes {
    fn default() -> Self {
        Self {
            boxes: 100_000,
            seed: 0,
        }
    }
}

impl ClusteredBoxes {
    /// Builds the scene at frame 0: all boxes move. Cost: O(n).
    ///
    /// # Errors
    /// No box, or more than 32-bit ids can name.
    pub fn build(&self) -> Result<BoxScene, SceneError> {
        at_least("boxes", self.boxes, 1)?;
        nameable(self.boxes)?;
        let clusters = self.boxes.div_ceil(CLUSTER);
        let side = libm::cbrt(1_500.0 * clusters as f64);
        let mut bodies = Vec::with_capacity(self.boxes);
        for cluster in 0..clusters {
            let mut rng = Rng::new(self.seed, cluster as u64);
            let middle = rng.cube() * (0.5 * side);
            let radius = decade(&mut rng, -2.0, 1.0);
            for _ in 0..CLUSTER.min(self.boxes - bodies.len()) {
                let offset = (rng.cube() + rng.cube() + rng.cube()) * (radius / 3.0);
                let size = radius * decade(&mut rng, -2.5, -0.4);
                let half = (rng.cube() * 0.5 + 1.0) * size;
                bodies.push(Mover {
                    centre: middle + offset,
                    half,
                    velocity: rng.direction() * rng.range(0.0, 0.25 * half.min_element()),
                });
            }
        }
        // Ids that follow the clusters would make the input sorted already.
        for last in (1..bodies.len()).rev() {
            let mut rng = Rng::new(!self.seed, last as u64);
            bodies.swap(last, rng.index(last + 1));
        }
        let space = Space::Shuttle { frames: SHUTTLE };
        Ok(BoxScene::new(Vec::new(), bodies, space))
    }
}

/// Ten to a uniform power.
fn decade(rng: &mut Rng, low: f64, high: f64) -> f64 {
    libm::exp10(rng.range(low, high))
}
