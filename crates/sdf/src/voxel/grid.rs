//! The grid of a voxel field: bricks of cells, and the coarse lattice.

use glam::{DVec3, Vec3};

/// Cells along the side of a brick.
pub(crate) const BRICK: usize = 8;
/// Nodes along the side of a fine brick.
pub(crate) const FINE: usize = BRICK + 1;
/// Nodes of a fine brick.
pub(crate) const FINE_NODES: usize = FINE * FINE * FINE;
/// Fine cells along the side of a coarse one.
pub(crate) const COARSE_STEP: usize = 4;
/// Nodes along the side of a coarse brick.
pub(crate) const COARSE: usize = BRICK / COARSE_STEP + 1;
/// Nodes of a coarse brick.
pub(crate) const COARSE_NODES: usize = COARSE * COARSE * COARSE;
/// At most so many bricks: their numbers are exact in single precision.
pub(crate) const MAX_BRICKS: u64 = 1 << 24;

/// Where the nodes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// The first node.
    pub(crate) origin: Vec3,
    /// Side of a cell, m.
    pub(crate) spacing: f32,
    /// Bricks along each axis.
    pub(crate) bricks: [usize; 3],
}

impl Grid {
    /// Number of bricks.
    pub(crate) fn brick_count(&self) -> usize {
        self.bricks.iter().product()
    }

    /// Nodes of the coarse lattice along each axis.
    pub(crate) fn lattice(&self) -> [usize; 3] {
        self.bricks.map(|n| n * (COARSE - 1) + 1)
    }

    /// Where a node lies.
    pub(crate) fn node(&self, at: [usize; 3]) -> DVec3 {
        let [x, y, z] = at.map(|i| i as f64);
        self.origin.as_dvec3() + DVec3::new(x, y, z) * f64::from(self.spacing)
    }

    /// The place of a brick along each axis.
    pub(crate) fn brick(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.bricks;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    /// The number of a brick.
    pub(crate) fn brick_index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.bricks[0] * (y + self.bricks[1] * z)
    }

    /// The numbers of the nodes of the lattice that a brick has, x first.
    pub(crate) fn lattice_nodes(&self, brick: usize) -> impl Iterator<Item = usize> {
        let [x, y, z] = self.brick(brick).map(|at| at * (COARSE - 1));
        let grid = *self;
        (0..COARSE_NODES).map(move |i| {
            let (i, j, k) = (i % COARSE, i / COARSE % COARSE, i / (COARSE * COARSE));
            grid.lattice_index([x + i, y + j, z + k])
        })
    }

    /// The number of a node of the coarse lattice.
    pub(crate) fn lattice_index(&self, [x, y, z]: [usize; 3]) -> usize {
        let [nx, ny, _] = self.lattice();
        x + nx * (y + ny * z)
    }
}

/// The number of a node of a fine brick.
#[inline(always)]
pub(crate) fn fine_index([x, y, z]: [usize; 3]) -> usize {
    x + FINE * (y + FINE * z)
}
