//! From values of nodes to integers, so that fine and coarse bricks fit together.

use jostle_simd::Aabb;

use super::grid::{BRICK, COARSE, COARSE_NODES, COARSE_STEP, FINE, FINE_NODES, Grid, fine_index};
use super::{Parts, nodes_of};

/// The largest step of a node, less what rounding to a multiple can add.
const LARGEST: f64 = (i16::MAX - 16) as f64;

/// Values of the nodes, m.
pub(super) struct Values<'a> {
    pub(super) grid: Grid,
    /// Of the coarse lattice.
    pub(super) lattice: &'a [f32],
    /// For each brick the place of its nodes in `fine`, in bricks.
    pub(super) slots: &'a [Option<u32>],
    /// A brick has those nodes that no brick after it has.
    pub(super) fine: &'a [f32],
}

/// Rounds all values to integers.
///
/// Let s be the unit of fine bricks. The nodes of the lattice are rounded to multiples of 16 s. On a face of a coarse
/// cell the interpolant is a sum of four of them with weights that are multiples of 1/16, so its values at the fine
/// nodes there are multiples of s: a fine brick that takes them over has, on that face, the very same interpolant.
pub(super) fn quantize(values: &Values<'_>, source: Aabb) -> Parts {
    let grid = values.grid;
    let largest = |all: &[f32]| all.iter().fold(0.0_f32, |a, &b| a.max(b.abs()));
    // The nodes that a fine brick shares with coarse ones are none of its own.
    let mut near = largest(values.fine);
    for (brick, slot) in values.slots.iter().enumerate() {
        if slot.is_some() {
            for node in grid.lattice_nodes(brick) {
                near = near.max(values.lattice[node].abs());
            }
        }
    }
    let near = f64::from(near);
    let far = f64::from(largest(values.lattice));
    // Without fine bricks the unit is that of the lattice.
    let unit = (if near > 0.0 {
        near
    } else {
        far.max(f64::from(grid.spacing))
    }) / LARGEST;
    // A power of two of it would do as well; it has to be one in single precision.
    let unit = jostle_geom::rounding::up(unit);
    let mut shift = 0;
    while far > LARGEST * f64::from(unit) * (1_u64 << shift) as f64 {
        shift += 1;
    }
    let per_unit = 1.0 / f64::from(unit);
    // In units of coarse bricks, to a multiple of 16 fine ones.
    let multiple = 16 >> shift.min(4);
    let step = f64::from(unit) * (1_u64 << shift) as f64 * f64::from(multiple);
    let lattice: Vec<i16> = values
        .lattice
        .iter()
        .map(|&value| (round(f64::from(value) / step) as i32 * multiple) as i16)
        .collect();

    let mut nodes = Vec::new();
    for brick in 0..grid.brick_count() {
        let at = grid.brick(brick);
        if values.slots[brick].is_some() {
            fine_brick(values, &lattice, shift, per_unit, at, &mut nodes);
        } else {
            nodes.extend(grid.lattice_nodes(brick).map(|node| lattice[node]));
        }
    }
    debug_assert_eq!(
        nodes.len(),
        values
            .slots
            .iter()
            .map(|slot| nodes_of(slot.is_some()))
            .sum::<usize>()
    );
    Parts {
        grid,
        unit,
        shift,
        fine: values.slots.iter().map(Option::is_some).collect(),
        nodes,
        source,
    }
}

/// Rounds half away from zero. What is positive stays so: it is outside.
fn round(value: f64) -> f64 {
    let rounded = value.round();
    if rounded == 0.0 && value != 0.0 {
        1.0_f64.copysign(value)
    } else {
        rounded
    }
}

fn fine_brick(
    values: &Values<'_>,
    lattice: &[i16],
    shift: u32,
    per_unit: f64,
    at: [usize; 3],
    nodes: &mut Vec<i16>,
) {
    let grid = &values.grid;
    let slot = |at: [usize; 3]| values.slots[grid.brick_index(at)];
    for z in 0..FINE {
        for y in 0..FINE {
            for x in 0..FINE {
                let local = [x, y, z];
                // The bricks that share the node: the one before too at 0, the one after too at 8.
                let mut owner = at;
                let mut place = local;
                let mut coarse = false;
                let mut offsets = [[0_isize; 2]; 3];
                let mut counts = [1; 3];
                for axis in 0..3 {
                    if local[axis] == 0 && at[axis] > 0 {
                        (offsets[axis], counts[axis]) = ([-1, 0], 2);
                    } else if local[axis] == BRICK && at[axis] + 1 < grid.bricks[axis] {
                        (offsets[axis], counts[axis]) = ([0, 1], 2);
                        owner[axis] += 1;
                        place[axis] = 0;
                    }
                }
                if counts != [1; 3] {
                    for i in &offsets[0][..counts[0]] {
                        for j in &offsets[1][..counts[1]] {
                            for k in &offsets[2][..counts[2]] {
                                let near = [(0, i), (1, j), (2, k)]
                                    .map(|(axis, offset)| at[axis].wrapping_add_signed(*offset));
                                coarse |= slot(near).is_none();
                            }
                        }
                    }
                }
                let node = if coarse {
                    interpolate(grid, lattice, shift, at, local)
                } else {
                    let first = slot(owner).unwrap_or(0) as usize * FINE_NODES;
                    let value = values.fine[first + fine_index(place)];
                    round(f64::from(value) * per_unit) as i16
                };
                nodes.push(node);
            }
        }
    }
}

/// The coarse interpolant at a node on a face of a brick, in units of fine bricks: exact.
fn interpolate(grid: &Grid, lattice: &[i16], shift: u32, at: [usize; 3], local: [usize; 3]) -> i16 {
    let mut nodes = [0; COARSE_NODES];
    for (node, from) in nodes
        .iter_mut()
        .zip(grid.lattice_nodes(grid.brick_index(at)))
    {
        *node = lattice[from];
    }
    ((interpolated(&nodes, local) << shift) / 64) as i16
}

/// The interpolant of the nodes of a coarse brick at a fine node, times 64: an integer.
pub(super) fn interpolated(nodes: &[i16], local: [usize; 3]) -> i64 {
    let cell = local.map(|i| (i / COARSE_STEP).min(COARSE - 2));
    let mut sum = 0;
    for corner in 0..8 {
        let on = [corner & 1, corner >> 1 & 1, corner >> 2];
        let mut weight = 1;
        let mut index = 0;
        for axis in (0..3).rev() {
            let part = local[axis] - cell[axis] * COARSE_STEP;
            weight *= if on[axis] == 1 {
                part
            } else {
                COARSE_STEP - part
            };
            index = COARSE * index + cell[axis] + on[axis];
        }
        sum += weight as i64 * i64::from(nodes[index]);
    }
    sum
}
