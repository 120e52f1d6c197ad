//! Stochastic gradient descent.

use fearless_simd::{f32x8, prelude::*, u32x8};
use jostle_simd::lanes::{Real, V3};

use super::Start;
use crate::contact::objective::{Objective, count};
use crate::contact::{ContactOptions, ContactStats};
use crate::level::Lanes;
use crate::tolerances::{DESCENT_NOISE, DESCENT_STEP, LOOK_AGAIN};

/// Minimises by steps along the negative gradient, whose length and noise decay with the square root of their number,
/// clamped to the overlap (Robbins and Monro 1951). The best point that was met is the result.
#[inline(always)]
pub(super) fn minimise<S: Lanes>(
    objective: &Objective<'_, S>,
    start: &Start<S>,
    options: &ContactOptions,
    stats: &mut ContactStats,
) -> V3<f32x8<S>> {
    let simd = objective.simd;
    let one = f32x8::splat(simd, 1.0);
    let steep = f32x8::splat(simd, options.tau);
    let near = f32x8::splat(simd, options.tau * start.unit);
    let noisy = f32x8::splat(simd, DESCENT_NOISE);

    let mut live = start.live;
    let mut x = V3::choose(live, objective.clamped(start.x), start.x);
    let mut best = x;
    let mut best_g = f32x8::splat(simd, f32::INFINITY);
    let mut others = x;
    for step in 0..options.iterations.max(1) {
        if step % LOOK_AGAIN == LOOK_AGAIN - 1 {
            best_g = best_g + objective.repulsion(best, others) - objective.repulsion(best, best);
            others = best;
        }
        stats.evaluations += count(live);
        stats.iterations += count(live);
        let at = objective.eval(x, others);
        let better = live & at.g.simd_lt(best_g);
        best_g = better.select(at.g, best_g);
        best = V3::choose(better, x, best);
        let length = at.gradient.length();
        live &= length.simd_ge(steep);
        if !live.any_true() {
            break;
        }
        let decay = 1.0 / ((step + 1) as f32).sqrt();
        let decay = f32x8::splat(simd, decay);
        let noise = direction(simd, start.key, step as u32);
        let push = at.gradient + noise.times(noisy * decay * length.most(one));
        let pace = f32x8::splat(simd, DESCENT_STEP * start.unit) * decay;
        let to = objective.clamped(x - push.times(pace));
        let way = (to - x).length();
        x = V3::choose(live, to, x);
        live &= way.simd_ge(near);
        if !live.any_true() {
            break;
        }
    }
    best
}

/// A direction in each lane, a function of the key, the step and the lane: that of a point of the cube.
#[inline(always)]
fn direction<S: Lanes>(simd: S, key: u32, step: u32) -> V3<f32x8<S>> {
    let lanes = u32x8::from_slice(simd, &[0, 1, 2, 3, 4, 5, 6, 7]);
    let counter = key.wrapping_add(step.wrapping_mul(8));
    let bits = hash(lanes + u32x8::splat(simd, counter));
    let v = V3::new(
        share(simd, bits),
        share(simd, bits >> 10),
        share(simd, bits >> 20),
    );
    v.times(f32x8::splat(simd, 1.0) / v.length())
}

/// The lowest ten bits as an odd multiple of 2⁻¹⁰ in (−1, 1): never zero.
#[inline(always)]
fn share<S: Lanes>(simd: S, bits: u32x8<S>) -> f32x8<S> {
    // The bits are the highest of the mantissa of a number in [1, 2).
    let low = bits & u32x8::splat(simd, 1023);
    let number: f32x8<S> = ((low << 13) | u32x8::splat(simd, 0x3F80_0000)).bitcast();
    number * f32x8::splat(simd, 2.0) - f32x8::splat(simd, 3.0 - 1.0 / 1024.0)
}

/// A multiple of the golden ratio through the finaliser of `MurmurHash3` (Appleby 2011): each bit depends on all.
#[inline(always)]
fn hash<S: Lanes>(x: u32x8<S>) -> u32x8<S> {
    let x = x * 0x9E37_79B1;
    let x = (x ^ (x >> 16)) * 0x85EB_CA6B;
    let x = (x ^ (x >> 13)) * 0xC2B2_AE35;
    x ^ (x >> 16)
}
