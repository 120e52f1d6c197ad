//! From a mesh to a voxel field.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use glam::{DVec3, Vec3};
use jostle_geom::chunks::fill_chunks;
use jostle_geom::{Mesh, rounding};
use jostle_simd::Aabb;

use super::caps::Fine;
use super::grid::{
    BRICK, COARSE, COARSE_NODES, COARSE_STEP, FINE, FINE_NODES, Grid, MAX_BRICKS, fine_index,
};
use super::quantize::{Values, quantize};
use super::sides::{Drift, Nodes, Side};
use super::{BakeError, BakeOptions, BakeReport, Baked, Parts, VoxelField};
use crate::mesh_distance::MeshDistance;

/// A brick is coarse when all nodes of its lattice are further from the surface than so many cells. No point of it is then
/// nearer than this less half the diagonal of a coarse cell, 1.5 cells.
const BAND: f64 = 5.0;

impl VoxelField {
    /// Bakes a mesh. `progress` is told now and then, from any thread, which share of the work is done.
    ///
    /// Values are the distances from the mesh, negative where its generalised winding number is at least one half (see
    /// [`MeshDistance`]). The same bits for any number of threads. Cost: O(resolution²) distances.
    ///
    /// # Errors
    /// A mesh without faces or extent or with a bad vertex, a resolution or padding out of range, or a limit that is too
    /// low.
    pub fn bake(
        mesh: &Mesh,
        options: &BakeOptions,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Baked, BakeError> {
        for (option, value, least, most) in [
            ("resolution", options.resolution, 1, 2000),
            ("padding", options.padding, 1, 1000),
        ] {
            if !(least..=most).contains(&value) {
                return Err(BakeError::Option {
                    option,
                    value,
                    most,
                });
            }
        }
        let (mesh, centre, scale) = placed(mesh, options.normalize)?;
        let grid = grid_around(&mesh, options)?;
        let baking = Baking {
            grid,
            mesh: &mesh,
            resolution: options.resolution,
            limit: options.memory_limit,
        };
        let run = baking.run(progress)?;
        let field = Self::assemble(&run.parts);
        progress(1.0);
        let report = BakeReport {
            closed: mesh.is_closed(),
            open_edges: mesh.open_edges(),
            flipped: mesh.is_flipped(),
            volume: mesh.volume(),
            centre,
            scale,
            distances: run.distances,
            winding_numbers: run.winding_numbers,
        };
        Ok(Baked {
            field,
            report,
            mesh,
            cap: run.cap,
        })
    }
}

/// Distances from the mesh where the field will be, and how it got there.
fn placed(mesh: &Mesh, normalize: bool) -> Result<(MeshDistance, DVec3, f64), BakeError> {
    let distance = MeshDistance::new(mesh)?;
    let [min, max] = distance.bounds();
    let longest = (max - min).max_element();
    if longest <= 0.0 {
        return Err(BakeError::NoExtent);
    }
    if !normalize {
        return Ok((distance, DVec3::ZERO, 1.0));
    }
    let centre = 0.5 * min + 0.5 * max;
    let scale = 1.0 / longest;
    let corner = |v: u32| (mesh.positions[v as usize] - centre) * scale;
    let triangles = mesh.topology.faces().iter().map(|face| face.map(corner));
    Ok((MeshDistance::of(triangles.collect())?, centre, scale))
}

/// The smallest number of bricks around the mesh and its padding.
fn grid_around(mesh: &MeshDistance, options: &BakeOptions) -> Result<Grid, BakeError> {
    let [min, max] = mesh.bounds();
    let longest = (max - min).max_element();
    let spacing = rounding::up(longest / f64::from(options.resolution));
    let side = f64::from(spacing);
    // Cells so small that neighbouring nodes are the same number, or that their inverse overflows, are none.
    let largest = min.abs().max(max.abs()).max_element();
    if side < largest * f64::from(f32::EPSILON) || side < 1e-30 {
        return Err(BakeError::NoExtent);
    }
    let padding = 2 * u64::from(options.padding);
    let mut bricks = [0; 3];
    let mut count = 1_u64;
    for axis in 0..3 {
        let cells = ((max[axis] - min[axis]) / side).ceil().max(0.0) as u64 + padding;
        let n = cells.div_ceil(BRICK as u64);
        bricks[axis] = n as usize;
        count = count.saturating_mul(n);
    }
    if count > MAX_BRICKS {
        return Err(BakeError::Memory {
            resolution: options.resolution,
            needed: count.saturating_mul(COARSE_NODES as u64 * 8),
            limit: options.memory_limit,
        });
    }
    let half = DVec3::from(bricks.map(|n| (n * BRICK) as f64)) * (0.5 * side);
    let origin = 0.5 * min + 0.5 * max - half;
    Ok(Grid {
        origin: origin.as_vec3(),
        spacing,
        bricks,
    })
}

/// What baking came to.
struct Run {
    parts: Parts,
    cap: Option<MeshDistance>,
    distances: u64,
    winding_numbers: u64,
}

/// The bricks that are fine, and their values.
struct FineBricks {
    /// In the order in which they were found to be.
    bricks: Vec<usize>,
    /// For each brick its place in that order.
    slots: Vec<Option<u32>>,
    /// Of those nodes that no brick after has; NaN elsewhere.
    values: Vec<f32>,
}

impl FineBricks {
    fn new(grid: &Grid) -> Self {
        Self {
            bricks: Vec::new(),
            slots: vec![None; grid.brick_count()],
            values: Vec::new(),
        }
    }

    /// Adds the bricks with a node of the lattice near the surface, and others.
    fn choose(&mut self, grid: &Grid, lattice: &[f32], also: impl Fn(usize) -> bool) {
        let band = (BAND * f64::from(grid.spacing)) as f32;
        for brick in 0..self.slots.len() {
            let near = |node: usize| lattice[node].abs() < band;
            if self.slots[brick].is_none() && (grid.lattice_nodes(brick).any(near) || also(brick)) {
                self.slots[brick] = Some(self.bricks.len() as u32);
                self.bricks.push(brick);
            }
        }
    }
}

struct Baking<'a> {
    grid: Grid,
    mesh: &'a MeshDistance,
    resolution: u32,
    limit: u64,
}

impl Baking<'_> {
    fn run(&self, progress: &(dyn Fn(f64) + Sync)) -> Result<Run, BakeError> {
        let grid = &self.grid;
        let [lx, ly, lz] = grid.lattice();
        self.afford(0)?;
        let (mut lattice, sides, mut computed) = self.lattice();
        progress(0.1);
        let mut fine = FineBricks::new(grid);
        let mixed = |brick: usize| {
            let count = grid
                .lattice_nodes(brick)
                .filter(|&node| sides[node].is_inside())
                .count();
            count > 0 && count < COARSE_NODES
        };
        fine.choose(grid, &lattice, mixed);
        computed += self.fill(&mut fine, &sides, &|done| progress(0.1 + 0.8 * done))?;
        let mut cap = None;
        if !self.mesh.is_closed() {
            let patches = Fine {
                grid,
                slots: &fine.slots,
                values: &fine.values,
            }
            .caps(self.mesh);
            if !patches.is_empty() {
                let patches = MeshDistance::of(patches)?;
                let near = |node: [usize; 3], value: f32| {
                    let p = grid.node(node) - patches.shift();
                    match patches.within(p, f64::from(value.abs())) {
                        Some(distance) => (distance as f32).copysign(value),
                        None => value,
                    }
                };
                fill_chunks(&mut lattice, lx, |first, row| {
                    let (y, z) = (first / lx % ly, first / (lx * ly));
                    for (x, value) in row.iter_mut().enumerate() {
                        *value = near([x, y, z].map(|i| i * COARSE_STEP), *value);
                    }
                });
                fine.choose(grid, &lattice, |_| false);
                computed += self.fill(&mut fine, &sides, &|_| ())?;
                let bricks = &fine.bricks;
                fill_chunks(&mut fine.values, FINE_NODES, |first, values| {
                    let first = grid.brick(bricks[first / FINE_NODES]).map(|at| at * BRICK);
                    for (i, value) in values.iter_mut().enumerate() {
                        let local = [i % FINE, i / FINE % FINE, i / (FINE * FINE)];
                        if !value.is_nan() {
                            *value = near([0, 1, 2].map(|k| first[k] + local[k]), *value);
                        }
                    }
                });
                cap = Some(patches);
            }
        }
        progress(0.95);
        for (value, side) in lattice.iter_mut().zip(&sides) {
            *value = signed(*value, *side);
        }
        let [min, max] = self.mesh.bounds();
        let source = Aabb::new(
            Vec3::from(min.to_array().map(rounding::down)),
            Vec3::from(max.to_array().map(rounding::up)),
        );
        let values = Values {
            grid: self.grid,
            lattice: &lattice,
            slots: &fine.slots,
            fine: &fine.values,
        };
        let nodes = fine.values.iter().filter(|value| !value.is_nan()).count();
        Ok(Run {
            parts: quantize(&values, source),
            cap,
            distances: (lx * ly * lz + nodes) as u64,
            winding_numbers: computed,
        })
    }

    /// Computes the fine bricks that were added; returns how many winding numbers that took.
    fn fill(
        &self,
        fine: &mut FineBricks,
        sides: &[Side],
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<u64, BakeError> {
        self.afford(fine.bricks.len())?;
        let old = fine.values.len();
        let bricks = &fine.bricks[old / FINE_NODES..];
        let total = bricks.len();
        fine.values.resize(old + total * FINE_NODES, f32::NAN);
        let done = AtomicU64::new(0);
        let numbers = AtomicU64::new(0);
        fill_chunks(&mut fine.values[old..], FINE_NODES, |first, values| {
            let brick = bricks[first / FINE_NODES];
            numbers.fetch_add(self.brick(brick, sides, values), Relaxed);
            let done = done.fetch_add(1, Relaxed) + 1;
            if done.is_multiple_of(16) {
                progress(done as f64 / total as f64);
            }
        });
        Ok(numbers.into_inner())
    }

    /// Whether the memory for so many fine bricks may be had.
    fn afford(&self, fine: usize) -> Result<(), BakeError> {
        let bricks = self.grid.brick_count() as u64;
        let lattice: u64 = self.grid.lattice().iter().map(|&n| n as u64).product();
        // Distances, sides and their drift; values and, twice for a moment, integers; these for coarse bricks too.
        let needed =
            lattice * 18 + bricks * (COARSE_NODES as u64 * 4 + 24) + (fine * FINE_NODES) as u64 * 8;
        if needed > self.limit || needed > u64::from(u32::MAX) {
            return Err(BakeError::Memory {
                resolution: self.resolution,
                needed,
                limit: self.limit.min(u64::from(u32::MAX)),
            });
        }
        Ok(())
    }
    /// Where a node lies, for the mesh.
    fn place(&self, node: [usize; 3]) -> DVec3 {
        self.grid.node(node) - self.mesh.shift()
    }

    /// Distances and sides of the coarse lattice.
    fn lattice(&self) -> (Vec<f32>, Vec<Side>, u64) {
        let size = self.grid.lattice();
        let [nx, ny, nz] = size;
        let step = COARSE_STEP as f64 * f64::from(self.grid.spacing);
        let place = |at: [usize; 3]| self.place(at.map(|i| i * COARSE_STEP));
        let row = |first: usize| [0, first / nx % ny, first / (nx * ny)];
        let mut distances = vec![0.0; nx * ny * nz];
        fill_chunks(&mut distances, nx, |first, row_distances| {
            let [_, y, z] = row(first);
            let mut guess = None;
            for (x, out) in row_distances.iter_mut().enumerate() {
                let (distance, face) = self.mesh.near(place([x, y, z]), guess);
                guess = Some(face);
                *out = distance as f32;
            }
        });
        let mut sides = vec![Side::UNKNOWN; distances.len()];
        for (index, side) in sides.iter_mut().enumerate() {
            let [_, y, z] = row(index);
            if self.mesh.is_beyond(place([index % nx, y, z])) {
                *side = Side::beyond(self.mesh);
            }
        }
        let [min, max] = self.mesh.bounds();
        let drift = Drift::in_box(self.mesh.open(), DVec3::ZERO, 0.5 * (max - min));
        let mut drifts = vec![0.0; distances.len()];
        if !self.mesh.is_closed() {
            fill_chunks(&mut drifts, nx, |first, out| {
                let [_, y, z] = row(first);
                for (x, out) in out.iter_mut().enumerate() {
                    *out = drift.over(place([x, y, z]), step);
                }
            });
        }
        let nodes = Nodes {
            size,
            strides: [1, nx, nx * ny],
            step,
            distances: &distances,
        };
        let computed = nodes.flood(
            &mut sides,
            |[x, y, z]| drifts[x + nx * (y + ny * z)],
            |at| self.mesh.fast_winding(place(at)),
        );
        (distances, sides, computed)
    }

    /// Signed distances of those nodes of a fine brick that no brick after it has; returns how many winding numbers were
    /// computed.
    fn brick(&self, brick: usize, lattice: &[Side], values: &mut [f32]) -> u64 {
        let grid = &self.grid;
        let at = grid.brick(brick);
        let first = at.map(|i| i * BRICK);
        let mut size = [BRICK; 3];
        for axis in 0..3 {
            if at[axis] + 1 == grid.bricks[axis] {
                size[axis] = FINE;
            }
        }
        let place = |local: [usize; 3]| self.place([0, 1, 2].map(|axis| first[axis] + local[axis]));
        let mut sides = [Side::UNKNOWN; FINE_NODES];
        // The nearest face of the node before is a good guess.
        let mut guesses = [None; 3];
        for z in 0..size[2] {
            guesses[1] = guesses[2];
            for y in 0..size[1] {
                guesses[0] = guesses[1];
                for x in 0..size[0] {
                    let local = [x, y, z];
                    let index = fine_index(local);
                    let p = place(local);
                    let (distance, face) = self.mesh.near(p, guesses[0]);
                    guesses[0] = Some(face);
                    if x == 0 {
                        guesses[1] = guesses[0];
                        if y == 0 {
                            guesses[2] = guesses[0];
                        }
                    }
                    values[index] = distance as f32;
                    if self.mesh.is_beyond(p) {
                        sides[index] = Side::beyond(self.mesh);
                    } else if local.iter().all(|i| i % COARSE_STEP == 0) {
                        let node = [0, 1, 2]
                            .map(|axis| at[axis] * (COARSE - 1) + local[axis] / COARSE_STEP);
                        sides[index] = lattice[grid.lattice_index(node)];
                    }
                }
            }
        }
        let step = f64::from(grid.spacing);
        let half = DVec3::splat(0.5 * step * BRICK as f64);
        let drift = Drift::in_box(self.mesh.open(), place([0; 3]) + half, half);
        let nodes = Nodes {
            size,
            strides: [1, FINE, FINE * FINE],
            step,
            distances: values,
        };
        let computed = nodes.flood(
            &mut sides,
            |local| {
                if self.mesh.is_closed() {
                    0.0
                } else {
                    drift.over(place(local), step)
                }
            },
            |local| self.mesh.fast_winding(place(local)),
        );
        for (value, side) in values.iter_mut().zip(&sides) {
            *value = signed(*value, *side);
        }
        computed
    }
}

fn signed(distance: f32, side: Side) -> f32 {
    if side.is_inside() {
        -distance
    } else {
        distance
    }
}
