//! Projected gradient with Barzilai–Borwein steps, and the point of smallest norm between two gradients at a crease.

use fearless_simd::{f32x8, mask32x8, prelude::*};
use jostle_simd::lanes::{Real, V3};

use super::Start;
use crate::contact::objective::{Objective, count};
use crate::contact::{ContactOptions, ContactStats};
use crate::level::Lanes;
use crate::tolerances::{
    FIRST_MOVE, MOVING_FIRST_MOVE, MOVING_ITERATIONS, PROJECTED_ITERATIONS, STEP_GROWTH,
    STEP_SHRINK, STOP_DECREASE, STOP_MOVE,
};

/// Minimises by steps along the negative gradient, clamped to the overlap.
///
/// A step that does not lower the objective has crossed a crease, where one field takes over from the other or one face
/// from the next: the next direction is then the point of smallest norm on the segment between the last direction and the
/// gradient met, as in a bundle method with a bundle of two, and the step shrinks. Steps that succeed take the length of
/// Barzilai and Borwein (1988), s·s / s·y, which grows by a bounded factor.
#[inline(always)]
pub(super) fn minimise<S: Lanes>(
    objective: &Objective<'_, S>,
    start: &Start<S>,
    options: &ContactOptions,
    stats: &mut ContactStats,
) -> V3<f32x8<S>> {
    let simd = objective.simd;
    let zero = f32x8::splat(simd, 0.0);
    let tiny = f32x8::splat(simd, 1e-20);
    let (first, most) = if start.moving {
        (MOVING_FIRST_MOVE, MOVING_ITERATIONS)
    } else {
        (FIRST_MOVE, PROJECTED_ITERATIONS)
    };
    let first = f32x8::splat(simd, first * start.unit);
    let stop_move = f32x8::splat(simd, STOP_MOVE * start.unit);
    let stop_decrease = f32x8::splat(simd, STOP_DECREASE * start.unit);

    let mut x = V3::choose(start.live, objective.clamped(start.x), start.x);
    let mut live = start.live;
    stats.evaluations += count(live);
    let mut at = objective.eval(x, x);
    // Minus the direction, and the step along it.
    let mut d = at.gradient;
    let mut step = first / d.length().most(tiny);

    for _ in 0..options.iterations.min(most) {
        if !live.any_true() {
            break;
        }
        let to = objective.clamped(x - d.times(step));
        let way = to - x;
        let length = way.length();
        // Along what is left of the direction after clamping.
        let gain = -d.dot(way);
        live = live & length.simd_ge(stop_move) & gain.simd_ge(stop_decrease);
        if !live.any_true() {
            break;
        }
        stats.evaluations += count(live);
        stats.iterations += count(live);
        let to = V3::choose(live, to, x);
        let there = objective.eval(to, x);
        let better: mask32x8<S> = live & there.g.simd_lt(at.g);

        let y = there.gradient - at.gradient;
        let (ss, sy) = (way.dot(way), way.dot(y));
        let most = step * f32x8::splat(simd, STEP_GROWTH);
        let curved = sy.simd_gt(ss * f32x8::splat(simd, 1e-6));
        let bb = curved.select(ss / sy.most(tiny), most).least(most);
        // Worse: between the last direction and the gradient beyond the crease.
        let e = there.gradient - d;
        let share = (-d.dot(e) / e.dot(e).most(tiny)).between(zero, f32x8::splat(simd, 1.0));
        let bent = d + e.times(share);

        step = better.select(bb, step * f32x8::splat(simd, STEP_SHRINK));
        d = V3::choose(better, there.gradient, bent);
        x = V3::choose(better, to, x);
        at.g = better.select(there.g, at.g);
        at.gradient = V3::choose(better, there.gradient, at.gradient);
    }
    x
}
