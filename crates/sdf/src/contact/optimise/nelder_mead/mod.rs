//! The simplex method, one simplex a lane, each at its own point of its own program.

mod few;

use fearless_simd::{f32x8, mask32x8, prelude::*};
use jostle_simd::lanes::{Real, V3};

use self::few::{FEW, Few};
use super::Start;
use crate::contact::objective::{Objective, count};
use crate::contact::{ContactOptions, ContactStats};
use crate::level::Lanes;
use crate::tolerances::{LOOK_AGAIN, SIMPLEX_FLAT, SIMPLEX_SHARE};

/// A corner of eight simplices.
#[derive(Clone, Copy)]
struct Corner<S: Lanes> {
    x: V3<f32x8<S>>,
    g: f32x8<S>,
}

impl<S: Lanes> Corner<S> {
    #[inline(always)]
    fn choose(mask: mask32x8<S>, yes: Self, no: Self) -> Self {
        Self {
            x: V3::choose(mask, yes.x, no.x),
            g: mask.select(yes.g, no.g),
        }
    }
}

/// Puts the better one of two corners first, in the lanes of `mask`.
#[inline(always)]
fn order<S: Lanes>(mask: mask32x8<S>, first: &mut Corner<S>, second: &mut Corner<S>) {
    let swap = mask & second.g.simd_lt(first.g);
    (*first, *second) = (
        Corner::choose(swap, *second, *first),
        Corner::choose(swap, *first, *second),
    );
}

/// Minimises by the simplex method of Nelder and Mead (1965): reflection 1, expansion 2, contraction ½, shrinking ½, trial
/// points clamped to the overlap.
///
/// Each evaluation is of the next point that the lane asks for: a reflection, what follows from one, or a corner of a
/// simplex that shrinks. No lane waits for another, as it would if eight simplices went through a step together: most steps
/// need one or two evaluations, few need five, but of eight lanes one often does. The last two simplices share the lanes.
#[inline(always)]
pub(super) fn minimise<S: Lanes>(
    objective: &Objective<'_, S>,
    start: &Start<S>,
    options: &ContactOptions,
    stats: &mut ContactStats,
) -> V3<f32x8<S>> {
    let simd = objective.simd;
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let half = f32x8::splat(simd, 0.5);
    let tau = options.tau * start.unit;
    let near = f32x8::splat(simd, tau * tau);
    let flat = f32x8::splat(simd, SIMPLEX_FLAT * tau);
    let most = f32x8::splat(simd, options.iterations as f32);

    let mut live = start.live;
    let x = V3::choose(live, objective.clamped(start.x), start.x);
    let mut others = x;
    let corners = simplex(objective, start, options, x);
    if count(live) <= FEW {
        let mut few = Few::new(objective, live, corners, zero);
        few.measure(objective, others, stats);
        return few.minimise(objective, start, options, x, others, stats);
    }
    let [mut v0, mut v1, mut v2, mut v3] = corners;
    for v in [&mut v0, &mut v1, &mut v2, &mut v3] {
        v.g = objective.value(v.x, x);
    }
    stats.evaluations += 4 * count(live);
    sort(live, &mut v0, &mut v1, &mut v2, &mut v3);

    // How far along the way from the worst corner through the centroid of the others the next point lies: 1 for a
    // reflection, something else for what follows from one.
    let mut factor = one;
    let mut reflected = v3;
    // The corner to be moved when the simplex shrinks, else 0.
    let mut shrinking = zero;
    let mut steps = zero;
    let mut evaluations = 0;

    loop {
        // Lanes between two steps may be done.
        let fresh = factor.simd_eq(one) & shrinking.simd_eq(zero);
        let extent = extent(&v0, [&v1, &v2, &v3]);
        let done = extent.simd_lt(near) | (v3.g - v0.g).simd_lt(flat) | steps.simd_ge(most);
        live &= !(fresh & done);
        if count(live) <= FEW {
            break;
        }
        if evaluations % LOOK_AGAIN == LOOK_AGAIN - 1 {
            let now = v0.x;
            for v in [&mut v0, &mut v1, &mut v2, &mut v3, &mut reflected] {
                v.g = v.g + objective.repulsion(v.x, others) - objective.repulsion(v.x, now);
            }
            others = now;
            // In the middle of a step the corners keep their parts.
            sort(live & fresh, &mut v0, &mut v1, &mut v2, &mut v3);
        }
        evaluations += 1;
        steps = (live & fresh).select(steps + one, steps);
        stats.iterations += count(live & fresh);
        stats.evaluations += count(live);

        let third = f32x8::splat(simd, 1.0 / 3.0);
        let centroid = (v0.x + v1.x + v2.x).times(third);
        let along = objective.clamped(centroid + (centroid - v3.x).times(factor));
        let is_1 = shrinking.simd_eq(one);
        let is_2 = shrinking.simd_eq(f32x8::splat(simd, 2.0));
        let is_3 = shrinking.simd_eq(f32x8::splat(simd, 3.0));
        let shrinks = is_1 | is_2 | is_3;
        let corner = V3::choose(is_1, v1.x, V3::choose(is_2, v2.x, v3.x));
        let to = V3::choose(shrinks, v0.x + (corner - v0.x).times(half), along);
        let to = V3::choose(live, to, v0.x);
        let trial = Corner {
            x: to,
            g: objective.value(to, others),
        };

        let reflects = live & fresh;
        let second = live & !fresh & !shrinks;
        let expands = reflects & trial.g.simd_lt(v0.g);
        let accepted = reflects & !expands & trial.g.simd_lt(v2.g);
        let contracts = reflects & !expands & !accepted;
        let outside = contracts & trial.g.simd_lt(v3.g);

        let expanded = second & factor.simd_gt(one);
        let contracted = second & !expanded;
        let farther = expanded & trial.g.simd_lt(reflected.g);
        let nearer = contracted & trial.g.simd_lt(reflected.g.least(v3.g));
        let shrink = contracted & !nearer;

        let takes_trial = accepted | farther | nearer | (live & is_3);
        let takes_reflected = expanded & !farther;
        v3 = Corner::choose(
            takes_trial,
            trial,
            Corner::choose(takes_reflected, reflected, v3),
        );
        v1 = Corner::choose(live & is_1, trial, v1);
        v2 = Corner::choose(live & is_2, trial, v2);
        reflected = Corner::choose(reflects, trial, reflected);

        let beyond = outside.select(half, -half);
        factor = second.select(one, factor);
        factor = contracts.select(beyond, factor);
        factor = expands.select(f32x8::splat(simd, 2.0), factor);
        shrinking = (is_1 | is_2).select(shrinking + one, shrinking);
        shrinking = is_3.select(zero, shrinking);
        shrinking = shrink.select(one, shrinking);

        // The new corner finds its place; all three do when a simplex has shrunk.
        let whole = live & shrinking.simd_eq(zero);
        order(whole, &mut v2, &mut v3);
        order(whole, &mut v1, &mut v2);
        order(whole, &mut v0, &mut v1);
        sort_rest(live & is_3, &mut v1, &mut v2, &mut v3);
    }
    // Corners whose repulsion has changed in the middle of a step, which few simplices start again.
    sort(start.live, &mut v0, &mut v1, &mut v2, &mut v3);
    let few = Few::new(objective, live, [v0, v1, v2, v3], steps);
    few.minimise(objective, start, options, v0.x, others, stats)
}

/// The first simplices: the starting point, and one corner along each axis, into the overlap. Without their values.
///
/// They have a tenth of the size of the overlap, and at least half τ. A cached point only has to follow the bodies, so its
/// simplex covers the way it came, and five times τ: on a face, where all points are about equally deep, it would wander.
#[inline(always)]
fn simplex<S: Lanes>(
    objective: &Objective<'_, S>,
    start: &Start<S>,
    options: &ContactOptions,
    x: V3<f32x8<S>>,
) -> [Corner<S>; 4] {
    let tau = options.tau * start.unit;
    let size = (objective.high - objective.low) * SIMPLEX_SHARE;
    let size = V3::all(x.x, size.max(glam::Vec3::splat(0.5 * tau)));
    let cap = start.way.most(x.x.all(5.0 * tau));
    let small = start.way.simd_ge(x.x.all(0.0));
    let capped = V3::new(size.x.least(cap), size.y.least(cap), size.z.least(cap));
    let size = if options.small_simplices {
        V3::choose(small, capped, size)
    } else {
        size
    };
    let high = V3::all(x.x, objective.high);
    let mut corners = [x; 4];
    corners[1].x = beside(x.x, size.x, high.x);
    corners[2].y = beside(x.y, size.y, high.y);
    corners[3].z = beside(x.z, size.z, high.z);
    let [v0, mut v1, mut v2, mut v3] = corners;
    v1 = objective.clamped(v1);
    v2 = objective.clamped(v2);
    v3 = objective.clamped(v3);
    let g = x.x.all(0.0);
    [
        Corner { x: v0, g },
        Corner { x: v1, g },
        Corner { x: v2, g },
        Corner { x: v3, g },
    ]
}

/// The square of how far the farthest corner is from the first one.
#[inline(always)]
fn extent<S: Lanes>(first: &Corner<S>, rest: [&Corner<S>; 3]) -> f32x8<S> {
    let [a, b, c] = rest;
    let (a, b, c) = (a.x - first.x, b.x - first.x, c.x - first.x);
    a.dot(a).most(b.dot(b)).most(c.dot(c))
}

/// `step` farther, or back where that is above `high`.
#[inline(always)]
fn beside<S: Lanes>(x: f32x8<S>, step: f32x8<S>, high: f32x8<S>) -> f32x8<S> {
    (x + step).simd_le(high).select(x + step, x - step)
}

/// Puts the corners behind the first one in order, in the lanes of `mask`.
#[inline(always)]
fn sort_rest<S: Lanes>(
    mask: mask32x8<S>,
    v1: &mut Corner<S>,
    v2: &mut Corner<S>,
    v3: &mut Corner<S>,
) {
    if mask.any_true() {
        order(mask, v2, v3);
        order(mask, v1, v2);
        order(mask, v2, v3);
    }
}

/// The best corner first.
#[inline(always)]
fn sort<S: Lanes>(
    mask: mask32x8<S>,
    v0: &mut Corner<S>,
    v1: &mut Corner<S>,
    v2: &mut Corner<S>,
    v3: &mut Corner<S>,
) {
    order(mask, v2, v3);
    order(mask, v1, v2);
    order(mask, v0, v1);
    order(mask, v2, v3);
    order(mask, v1, v2);
    order(mask, v2, v3);
}
