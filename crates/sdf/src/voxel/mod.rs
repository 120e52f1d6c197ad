//! Fields on grids, baked from triangle meshes.
//!
//! The grid is cut into bricks of 8 × 8 × 8 cells. Near the surface a brick holds all of its 9³ nodes; elsewhere the 3³
//! nodes of a lattice four times as coarse. Nodes are integers of 16 bits, in a unit that is larger by a power of two in
//! coarse bricks. Value and gradient come from the same trilinear interpolant, which is continuous: where a fine brick
//! meets a coarse one, its nodes have the values that the coarse one takes there, exactly.

mod bake;
mod caps;
mod errors;
mod file;
mod grid;
mod layout;
mod lookup;
mod measure;
mod quantize;
mod report;
mod sides;

use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;
use jostle_simd::Aabb;
use jostle_simd::lanes::V3;

pub use errors::FieldErrors;
pub use file::{FORMAT_VERSION, VoxelFileError};
use grid::{BRICK, COARSE_NODES, COARSE_STEP, FINE_NODES, Grid};
pub use report::{BakeError, BakeOptions, BakeReport, Baked};

use crate::Sample;

/// A field on a grid: bricks of fine cells near the surface, coarse cells elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelField {
    grid: Grid,
    low: Vec3,
    high: Vec3,
    /// One over the side of a cell.
    per_cell: f32,
    last_brick: [i32; 3],
    /// From one row of bricks, and from one layer, to the next.
    strides: [i32; 2],
    /// Metres to one step of a node: of fine and of coarse bricks.
    unit: [f32; 2],
    /// The latter is the former times two to this power.
    shift: u32,
    /// The same for differences of neighbours: metres a metre.
    slope: [f32; 2],
    /// Where the nodes of a brick start, in bytes; plus one if it is fine.
    table: Vec<u32>,
    /// Of all bricks, see `layout`; little-endian.
    nodes: Vec<u8>,
    /// A bound of the length of the gradient in each brick.
    brick_lipschitz: Vec<f32>,
    lipschitz: f32,
    /// A box around the mesh that this was baked from.
    source: Aabb,
    aabb: Aabb,
}

/// What a voxel field is made of; the rest follows.
pub(crate) struct Parts {
    pub(crate) grid: Grid,
    /// m.
    pub(crate) unit: f32,
    /// The unit of coarse bricks is larger by two to this power.
    pub(crate) shift: u32,
    /// Which bricks are fine.
    pub(crate) fine: Vec<bool>,
    /// Of all bricks.
    pub(crate) nodes: Vec<i16>,
    pub(crate) source: Aabb,
}

impl VoxelField {
    /// Works out the rest. `nodes` has to have as many nodes as the bricks say.
    pub(crate) fn assemble(parts: &Parts) -> Self {
        let grid = parts.grid;
        let (table, nodes) = layout::lay_out(&parts.fine, &parts.nodes);
        let per_cell = 1.0 / grid.spacing;
        let coarse_unit = parts.unit * (1_u64 << parts.shift) as f32;
        let [nx, ny, _] = grid.bricks;
        let end = grid.node(grid.bricks.map(|n| n * BRICK)).as_vec3();
        let brick_lipschitz = measure::lipschitz(parts);
        let lipschitz = brick_lipschitz.iter().fold(1.0, |a: f32, &b| a.max(b));
        Self {
            grid,
            low: grid.origin,
            high: end,
            per_cell,
            last_brick: grid.bricks.map(|n| (n - 1) as i32),
            strides: [nx as i32, (nx * ny) as i32],
            unit: [parts.unit, coarse_unit],
            shift: parts.shift,
            slope: [
                parts.unit * per_cell,
                coarse_unit * per_cell / COARSE_STEP as f32,
            ],
            table,
            nodes,
            brick_lipschitz,
            lipschitz,
            source: parts.source,
            aabb: measure::inside(parts).union(parts.source),
        }
    }

    /// Value and gradient at a point. The scalar twin of what eight lanes compute, bit for bit.
    ///
    /// Outside of the grid, at a distance o from its nearest point q, the value is √(φ(q)² + o²): no more than the distance
    /// to what the grid holds and no less than 0.7 times it, with the same Lipschitz bound.
    pub fn sample(&self, p: Vec3) -> Sample<f32> {
        self.look_up(p.into())
    }

    /// Value and gradient at eight points.
    #[inline(always)]
    pub(crate) fn eval8<S: Simd>(&self, _simd: S, p: V3<f32x8<S>>) -> Sample<f32x8<S>> {
        self.look_up(p)
    }

    /// The direction of the surface nearest to a point: central differences of half a cell, which even out the steps of
    /// the gradient from cell to cell. Of length 1; zero where the field is level or not a number.
    pub fn normal(&self, p: Vec3) -> Vec3 {
        let half = 0.5 * self.grid.spacing;
        let slope = |step: Vec3| self.sample(p + step).value - self.sample(p - step).value;
        let difference = Vec3::new(
            slope(Vec3::X * half),
            slope(Vec3::Y * half),
            slope(Vec3::Z * half),
        );
        difference.normalize_or_zero()
    }

    /// A box around the surface and the inside.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// The box of the grid. Outside of it values are extrapolated.
    pub fn grid_box(&self) -> Aabb {
        Aabb::new(self.low, self.high)
    }

    /// The side of a cell, m: the step with which to take differences of the gradient, since the interpolant has no
    /// curvature of its own within a cell.
    pub fn spacing(&self) -> f32 {
        self.grid.spacing
    }

    /// Number of fine bricks and of all bricks.
    pub fn bricks(&self) -> (usize, usize) {
        let fine = self.table.iter().filter(|&&entry| entry & 1 != 0).count();
        (fine, self.table.len())
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() + 4 * (self.table.capacity() + self.brick_lipschitz.capacity())
    }

    /// How much the value can change, at most, by metre of way: measured on all cells, at least 1.
    pub fn lipschitz(&self) -> f32 {
        self.lipschitz
    }

    /// No value in the grid is further than this from the distance it stands for, m.
    ///
    /// Every point of a cell has a node that holds the distance, but for rounding, within 2√3 cells: the furthest case is
    /// the middle of a coarse cell. On the way from there the distance changes by at most 1 a metre and the value by at
    /// most the Lipschitz bound.
    pub fn error_bound(&self) -> f64 {
        let way = f64::from(self.grid.spacing) * COARSE_STEP as f64 * 0.5 * 3.0_f64.sqrt();
        (1.0 + f64::from(self.lipschitz)) * way + 16.0 * f64::from(self.unit[1].max(self.unit[0]))
    }

    /// The same within a ball: often less.
    pub fn lipschitz_in(&self, centre: Vec3, radius: f32) -> f32 {
        /// Looking at more bricks than this costs more than it gains.
        const MOST: usize = 512;
        let side = self.grid.spacing * BRICK as f32;
        // Rounding may put a point in the next brick.
        let slack = 1e-4 * side;
        let brick = |at: Vec3| {
            let place = (at - self.low) / side;
            // NaN turns into 0, like everything below.
            [0, 1, 2].map(|axis| (place[axis].max(0.0) as usize).min(self.grid.bricks[axis] - 1))
        };
        let from = brick(centre - radius - slack);
        let to = brick(centre + radius + slack);
        let count: usize = (0..3)
            .map(|axis| to[axis].saturating_sub(from[axis]) + 1)
            .product();
        if count > MOST || !(radius.is_finite() && centre.is_finite()) {
            return self.lipschitz;
        }
        let mut most = 1.0_f32;
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                for x in from[0]..=to[0] {
                    most = most.max(self.brick_lipschitz[self.grid.brick_index([x, y, z])]);
                }
            }
        }
        most
    }
}

/// How many nodes a brick holds.
pub(crate) fn nodes_of(fine: bool) -> usize {
    if fine { FINE_NODES } else { COARSE_NODES }
}
