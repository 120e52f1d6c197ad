//! Subdivision of the parameters (t, u, v) with inclusion boxes.
//!
//! B. Wang, Z. Ferguson, T. Schneider, X. Jiang, M. Attene, D. Panozzo, "A Large-scale Benchmark
//! and an Inclusion-based Algorithm for Continuous Collision Detection", ACM TOG 40(5), 2021;
//! after J. Snyder, "Interval analysis for computer graphics", SIGGRAPH 1992. Kept for comparison
//! with the separating march and as a second opinion on it.
//!
//! The difference F(t, u, v) of the two touching points is multilinear, so over a cell of
//! parameters it stays within the bounds of its values at the eight corners. Cells whose image
//! misses the origin are discarded, the others are halved, the earliest first.
//!
//! Differences from the paper:
//! - F is evaluated from differences of the input points, so the rounding bound follows the size
//!   of the primitives and their motion, not their distance from the world's origin.
//! - Cells are kept in one queue ordered by time instead of level by level. The first cell that
//!   reaches the tolerance is then the answer; a colliding query never visits a cell that starts
//!   later than its time of impact.
//! - The minimum separation is a Euclidean distance, not a box around the origin.
//! - A vertex against a face uses the triangle u + v ≤ 1 with an exact test: the parameters are
//!   dyadic numbers.
//! - Time 0 is only reported when the primitives touch there.

mod cell;
mod field;

use std::collections::BinaryHeap;

use crate::start::Found;
use crate::tolerances::INCLUSION_FINEST;
use crate::{Answer, Query, QueryOptions, scaling};
use cell::{Axis, Cell};
use field::{Field, Image};

/// Solves a query.
///
/// `query` and `options` must be valid ([`time_of_impact`](crate::time_of_impact) checks them).
/// An `Impact` is reported at the earliest cell with an image no wider than
/// [`tolerance`](QueryOptions::tolerance) on each axis (or than its rounding bound allows) and no
/// longer than [`time_tolerance`](QueryOptions::time_tolerance) that cannot be discarded. Each
/// iteration halves one cell. Memory is proportional to the iterations, 56 bytes each at most.
///
/// The number of iterations is not bounded by anything but the budget in practice: primitives
/// that slide along each other closer than their size for long need millions.
pub fn solve(query: &Query, options: &QueryOptions) -> Answer {
    let mut iterations = 0;
    let found = match scaling::rescale_all(query, options) {
        Some((query, options)) => search(&query, &options, &mut iterations),
        None => search(query, options, &mut iterations),
    };
    found.answer(query, options, iterations)
}

fn search(query: &Query, options: &QueryOptions, iterations: &mut u32) -> Found {
    let field = Field::new(query);
    let misses = |image: &Image| field.misses(image, options.min_separation);
    let rates = field.rates();
    let finest = [
        options.t_max * INCLUSION_FINEST,
        INCLUSION_FINEST,
        INCLUSION_FINEST,
    ];

    let mut root = Cell::all(options.t_max);
    let image = Image::new(&field.slice(0.0), &field.slice(options.t_max), &root);
    if misses(&image) {
        return Found::Nothing;
    }
    root.width = image.width();

    let mut open = BinaryHeap::from([root]);
    while let Some(cell) = open.pop() {
        let split = if cell.width > options.tolerance {
            cell.widest(&rates, &finest)
        } else if cell.size(Axis::T) > options.time_tolerance.max(finest[0]) {
            Some(Axis::T)
        } else {
            None
        };
        let Some(axis) = split else {
            return Found::Close { t: cell.start() };
        };
        if *iterations == options.max_iterations {
            return Found::Budget { t: cell.start() };
        }
        *iterations += 1;
        let halves = cell.halves(axis);
        let [first, last] = [cell.start(), cell.end()].map(|t| field.slice(t));
        let slices = if axis == Axis::T {
            let middle = field.slice(halves[0].end());
            [[first, middle], [middle, last]]
        } else {
            [[first, last]; 2]
        };
        for (mut half, [first, last]) in halves.into_iter().zip(slices) {
            if field.is_triangle() && half.is_outside_triangle() {
                continue;
            }
            let image = Image::new(&first, &last, &half);
            if !misses(&image) {
                half.width = image.width();
                open.push(half);
            }
        }
    }
    Found::Nothing
}
