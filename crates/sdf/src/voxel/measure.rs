//! What the nodes of a field tell: how fast it changes, and where the inside is.

use glam::{DVec3, Vec3};
use jostle_geom::chunks::fill_chunks;
use jostle_geom::rounding;
use jostle_simd::Aabb;

use super::grid::{BRICK, COARSE, COARSE_STEP, FINE};
use super::{Parts, nodes_of};

/// Rounding of a value or gradient in single precision makes them differ from those of the interpolant by less.
const ROUNDING: f32 = 1.0 + 1e-5;

/// Calls `visit(place, corners)` with the eight corners of every cell of a brick: corner 4 z + 2 y + x.
fn cells(fine: bool, nodes: &[i16], mut visit: impl FnMut([usize; 3], [i32; 8])) {
    let side = if fine { FINE } else { COARSE };
    for z in 0..side - 1 {
        for y in 0..side - 1 {
            for x in 0..side - 1 {
                let first = x + side * (y + side * z);
                let at = |offset: usize| i32::from(nodes[first + offset]);
                let (row, layer) = (side, side * side);
                let corners = [
                    at(0),
                    at(1),
                    at(row),
                    at(row + 1),
                    at(layer),
                    at(layer + 1),
                    at(layer + row),
                    at(layer + row + 1),
                ];
                visit([x, y, z], corners);
            }
        }
    }
}

/// The first node of each brick.
fn starts(parts: &Parts) -> Vec<usize> {
    let mut at = 0;
    let mut starts = Vec::with_capacity(parts.fine.len());
    for &fine in &parts.fine {
        starts.push(at);
        at += nodes_of(fine);
    }
    starts
}

/// The largest length of the gradient in each brick.
///
/// The interpolant is linear along each axis. Its derivative along an axis does not depend on the place along it and is
/// linear along the others, so the square of the length of the gradient is convex along each axis: it is largest at a
/// corner.
pub(super) fn lipschitz(parts: &Parts) -> Vec<f32> {
    let starts = starts(parts);
    let mut out = vec![0.0; starts.len()];
    let per_cell = f64::from(parts.unit) / f64::from(parts.grid.spacing);
    let coarse = per_cell * (1_u64 << parts.shift) as f64 / COARSE_STEP as f64;
    fill_chunks(&mut out, 32, |first, out| {
        for (i, out) in out.iter_mut().enumerate() {
            let (fine, start) = (parts.fine[first + i], starts[first + i]);
            let mut most = 0_i64;
            cells(fine, &parts.nodes[start..start + nodes_of(fine)], |_, c| {
                let square = |a: usize, b: usize| i64::from(c[a] - c[b]) * i64::from(c[a] - c[b]);
                let x = [square(1, 0), square(3, 2), square(5, 4), square(7, 6)];
                let y = [square(2, 0), square(3, 1), square(6, 4), square(7, 5)];
                let z = [square(4, 0), square(5, 1), square(6, 2), square(7, 3)];
                for corner in 0..8 {
                    let (i, j, k) = (corner & 1, corner >> 1 & 1, corner >> 2);
                    most = most.max(x[j + 2 * k] + y[i + 2 * k] + z[i + 2 * j]);
                }
            });
            let length = (most as f64).sqrt() * if fine { per_cell } else { coarse };
            *out = length as f32 * ROUNDING;
        }
    });
    out
}

/// A box around all points whose value is not positive.
pub(super) fn inside(parts: &Parts) -> Aabb {
    let mut min = DVec3::INFINITY;
    let mut max = DVec3::NEG_INFINITY;
    for (brick, start) in starts(parts).into_iter().enumerate() {
        let fine = parts.fine[brick];
        let origin = parts.grid.brick(brick).map(|at| at * BRICK);
        let size = if fine { 1 } else { COARSE_STEP };
        cells(
            fine,
            &parts.nodes[start..start + nodes_of(fine)],
            |at, c| {
                if c.iter().all(|&corner| corner > 0) {
                    return;
                }
                let [x, y, z] = [0, 1, 2].map(|axis| origin[axis] + at[axis] * size);
                let low = parts.grid.node([x, y, z]);
                let side = f64::from(parts.grid.spacing) * size as f64;
                for axis in 0..3 {
                    let [from, to] = crossing(axis, &c);
                    min[axis] = min[axis].min(low[axis] + from * side);
                    max[axis] = max[axis].max(low[axis] + to * side);
                }
            },
        );
    }
    if !min.is_finite() {
        return Aabb::EMPTY;
    }
    // Coordinates in single precision are off by less than this.
    let slack = 1e-4 * f64::from(parts.grid.spacing);
    Aabb::new(
        Vec3::from((min - slack).to_array().map(rounding::down)),
        Vec3::from((max + slack).to_array().map(rounding::up)),
    )
}

/// Between which places along an axis, from 0 to 1, a cell can have values that are not positive: between the smallest
/// corners of its two sides the value is no less than in a straight line.
fn crossing(axis: usize, corners: &[i32; 8]) -> [f64; 2] {
    let side = |on: usize| {
        let there = (0..8).filter(|corner| corner >> axis & 1 == on);
        there.map(|corner| corners[corner]).min().unwrap_or(0)
    };
    let (a, b) = (f64::from(side(0)), f64::from(side(1)));
    let root = a / (a - b);
    [
        if a > 0.0 { root } else { 0.0 },
        if b > 0.0 { root } else { 1.0 },
    ]
}
