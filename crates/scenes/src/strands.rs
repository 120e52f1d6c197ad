//! Codimensional input: edges and points without faces.

use std::f64::consts::TAU;

use glam::DVec3;
use jostle_geom::Topology;

use crate::scene::at_least;
use crate::{Rng, Scene, SceneError, SceneKind};

/// Edges of a strand.
const SEGMENTS: usize = 16;
/// Boxes of a strand and its falling point.
const STRAND_BOXES: usize = SEGMENTS + 1 + SEGMENTS + 1;

/// Swaying polylines and falling points over a floor of two triangles.
///
/// Strand `i` hangs from a lattice of spacing 0.25 m at height 2 m; its vertex `j` lies
/// `h = j/16` m below the lattice, displaced sideways by
/// `0.3·h·(sin(φ + 2h + 0.7f), cos(ψ + 3h + 0.5f))` in frame `f`, with random phases φ, ψ. One
/// point a strand starts 0.05 to 0.6 m above the floor `z = 0` and falls 0.5 m a frame. The edges
/// belong to no face and the points to no edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strands {
    /// Number of strands, at least 1. Default 64.
    pub strands: usize,
    /// Number of frames, at least 2. Default 2.
    pub frames: usize,
    /// What the random numbers come from. Default 0.
    pub seed: u64,
}

impl Default for Strands {
    fn default() -> Self {
        Self {
            strands: 64,
            frames: 2,
            seed: 0,
        }
    }
}

impl Strands {
    /// Parameters for about `boxes` boxes.
    pub fn with_boxes(boxes: usize, frames: usize, seed: u64) -> Self {
        Self {
            strands: boxes.div_ceil(STRAND_BOXES).max(1),
            frames,
            seed,
        }
    }

    /// Builds the scene.
    ///
    /// # Errors
    /// No strand, fewer than two frames, more boxes than 32-bit ids can name.
    pub fn build(&self) -> Result<Scene, SceneError> {
        at_least("frames", self.frames, 2)?;
        at_least("strands", self.strands, 1)?;
        let mut side = libm::sqrt(self.strands as f64) as usize;
        while side * side < self.strands {
            side += 1;
        }
        let width = side as f64 * 0.25;

        let mut edges = Vec::with_capacity(self.strands * SEGMENTS);
        for strand in 0..self.strands {
            let base = 4 + (strand * (SEGMENTS + 1)) as u32;
            edges.extend((0..SEGMENTS as u32).map(|j| [base + j, base + j + 1]));
        }
        let vertex_count = 4 + self.strands * (SEGMENTS + 2);
        let topology = Topology::new(vertex_count, vec![[0, 1, 2], [0, 2, 3]], &edges)?;

        let frames = (0..self.frames)
            .map(|frame| {
                let mut positions = Vec::with_capacity(vertex_count);
                for (x, y) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
                    positions.push(DVec3::new(x * width, y * width, 0.0));
                }
                for strand in 0..self.strands {
                    self.push_strand(&mut positions, strand, side, frame as f64);
                }
                for strand in 0..self.strands {
                    let mut rng = Rng::new(self.seed, ((strand as u64) << 1) | 1);
                    positions.push(DVec3::new(
                        rng.range(0.0, width),
                        rng.range(0.0, width),
                        rng.range(0.05, 0.6) - 0.5 * frame as f64,
                    ));
                }
                positions
            })
            .collect();
        Ok(Scene::new(SceneKind::Strands, topology, frames))
    }

    fn push_strand(&self, positions: &mut Vec<DVec3>, strand: usize, side: usize, frame: f64) {
        let mut rng = Rng::new(self.seed, (strand as u64) << 1);
        let root = DVec3::new(
            (0.5 + (strand % side) as f64) * 0.25,
            (0.5 + (strand / side) as f64) * 0.25,
            2.0,
        );
        let (phase_x, phase_y) = (rng.range(0.0, TAU), rng.range(0.0, TAU));
        for j in 0..=SEGMENTS {
            let h = j as f64 / SEGMENTS as f64;
            let sway = DVec3::new(
                libm::sin(phase_x + 2.0 * h + 0.7 * frame),
                libm::cos(phase_y + 3.0 * h + 0.5 * frame),
                0.0,
            );
            positions.push(root + sway * (0.3 * h) - DVec3::Z * h);
        }
    }
}
