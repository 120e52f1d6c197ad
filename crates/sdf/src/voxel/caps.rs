//! What closes an open mesh.
//!
//! Where a mesh is open, the winding number passes one half in the open, far from any face: the distance to the mesh
//! would jump there from −d to d. That place is a surface of the solid all the same, so the field has it as one: it is
//! tiled with small flat patches, and distances are to the mesh or the patches, whichever are nearer.

use glam::DVec3;
use jostle_geom::chunks::fill_chunks;

use super::grid::{BRICK, FINE_NODES, Grid, fine_index};
use crate::mesh_distance::MeshDistance;

/// Halvings of an edge until the crossing is taken for found: to 1/64 of a cell.
const HALVINGS: usize = 6;

/// Signed distances at the nodes of fine bricks.
pub(super) struct Fine<'a> {
    pub(super) grid: &'a Grid,
    pub(super) slots: &'a [Option<u32>],
    pub(super) values: &'a [f32],
}

impl Fine<'_> {
    fn at(&self, node: [usize; 3]) -> Option<f32> {
        let mut brick = [0; 3];
        let mut local = [0; 3];
        for axis in 0..3 {
            if node[axis] > self.grid.bricks[axis] * BRICK {
                return None;
            }
            brick[axis] = (node[axis] / BRICK).min(self.grid.bricks[axis] - 1);
            local[axis] = node[axis] - brick[axis] * BRICK;
        }
        let slot = self.slots[self.grid.brick_index(brick)]? as usize;
        Some(self.values[slot * FINE_NODES + fine_index(local)])
    }

    /// Edges of the grid, by their first node and their axis, between nodes on different sides with no mesh in between.
    fn crossings(&self) -> Vec<([usize; 3], usize)> {
        let mut found = Vec::new();
        for brick in 0..self.slots.len() {
            if self.slots[brick].is_none() {
                continue;
            }
            let first = self.grid.brick(brick).map(|at| at * BRICK);
            let end = |axis: usize| {
                let last = first[axis] + BRICK == self.grid.bricks[axis] * BRICK;
                first[axis] + BRICK + usize::from(last)
            };
            for z in first[2]..end(2) {
                for y in first[1]..end(1) {
                    for x in first[0]..end(0) {
                        let Some(a) = self.at([x, y, z]) else {
                            continue;
                        };
                        for axis in 0..3 {
                            let mut next = [x, y, z];
                            next[axis] += 1;
                            if let Some(b) = self.at(next)
                                && (a < 0.0) != (b < 0.0)
                                && (a - b).abs() > self.grid.spacing * 1.001
                            {
                                found.push(([x, y, z], axis));
                            }
                        }
                    }
                }
            }
        }
        found
    }

    /// The patches.
    pub(super) fn caps(&self, mesh: &MeshDistance) -> Vec<[DVec3; 3]> {
        let crossings = self.crossings();
        let mut patches = vec![None; crossings.len()];
        fill_chunks(&mut patches, 64, |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let (node, axis) = crossings[first + i];
                *out = patch(self.grid, mesh, node, axis);
            }
        });
        let mut triangles = Vec::with_capacity(2 * patches.len());
        for patch in patches.into_iter().flatten() {
            let [a, b, c, d] = patch.map(|corner| corner + mesh.shift());
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles
    }
}

/// The piece of the cap about its crossing with an edge of the grid: the plane across the gradient of the winding
/// number, over the square about the edge, or less where the mesh is near. `None` where the cap runs along the edge: the
/// other axes have it. Relative to the shift of the mesh.
fn patch(grid: &Grid, mesh: &MeshDistance, node: [usize; 3], axis: usize) -> Option<[DVec3; 4]> {
    let side = f64::from(grid.spacing);
    let start = grid.node(node) - mesh.shift();
    let along = DVec3::AXES[axis];
    let inside = |p: DVec3| !mesh.is_beyond(p) && mesh.near_winding(p) >= 0.5;
    let [mut low, mut high] = [0.0, side];
    let first = inside(start);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if inside(start + along * middle) == first {
            low = middle;
        } else {
            high = middle;
        }
    }
    let centre = start + along * (0.5 * (low + high));
    let winding = |p: DVec3| mesh.near_winding(p);
    let step = 0.25 * side;
    let mut slope = DVec3::ZERO;
    // Where the box of the mesh ends, so does the inside, whatever the winding number.
    if (winding(start) >= 0.5) != (winding(start + along * side) >= 0.5) {
        for k in 0..3 {
            let d = DVec3::AXES[k] * step;
            slope[k] = winding(centre + d) - winding(centre - d);
        }
    }
    let mut normal = slope.normalize_or(along);
    if !normal.is_finite() {
        normal = along;
    }
    if normal[axis].abs() < 0.5 {
        return None;
    }
    let (u, v) = (DVec3::AXES[(axis + 1) % 3], DVec3::AXES[(axis + 2) % 3]);
    let tilt = |d: DVec3| d - along * (normal.dot(d) / normal[axis]);
    let (u, v) = (tilt(u), tilt(v));
    let reach = (u + v).length().max((u - v).length());
    let (clear, _) = mesh.near(centre, None);
    let half = (0.505 * side).min(clear / reach);
    let corner = |a: f64, b: f64| centre + (u * a + v * b) * half;
    Some([
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ])
}
