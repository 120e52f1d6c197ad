//! The ellipsoid method with deep cuts, one ellipsoid a lane.

use fearless_simd::{f32x8, prelude::*};
use jostle_simd::lanes::{Real, V3};

use super::{Ellipsoid, Start};
use crate::contact::objective::{LANES, Objective, count};
use crate::contact::{ContactOptions, ContactStats};
use crate::level::Lanes;
use crate::tolerances::{DEEPEST_CUT, ELLIPSOID_KEPT, LOOK_AGAIN};

/// A symmetric matrix: the shape of an ellipsoid.
#[derive(Clone, Copy)]
struct Symmetric<S: Lanes> {
    /// xx, yy, zz.
    diagonal: V3<f32x8<S>>,
    /// yz, xz, xy.
    rest: V3<f32x8<S>>,
}

impl<S: Lanes> Symmetric<S> {
    #[inline(always)]
    fn times(&self, v: V3<f32x8<S>>) -> V3<f32x8<S>> {
        let (d, r) = (self.diagonal, self.rest);
        V3::new(
            d.x * v.x + r.z * v.y + r.y * v.z,
            r.z * v.x + d.y * v.y + r.x * v.z,
            r.y * v.x + r.x * v.y + d.z * v.z,
        )
    }

    /// (self − s v vᵀ) t.
    #[inline(always)]
    fn updated(&self, v: V3<f32x8<S>>, s: f32x8<S>, t: f32x8<S>) -> Self {
        let (d, r, w) = (self.diagonal, self.rest, v.times(s));
        Self {
            diagonal: V3::new(d.x - w.x * v.x, d.y - w.y * v.y, d.z - w.z * v.z).times(t),
            rest: V3::new(r.x - w.y * v.z, r.y - w.x * v.z, r.z - w.x * v.y).times(t),
        }
    }
}

/// Minimises by the ellipsoid method with deep cuts: the ellipsoid holds the minimum of a convex objective, and the cut
/// through or beyond its centre, along the gradient there, leaves a smaller one.
///
/// A centre outside the overlap is cut by the face that it is farthest behind, which costs no evaluation. A cached point
/// starts with three quarters of its last ellipsoid and one quarter of a new one, so that the minimum stays inside when the
/// bodies have moved. New ones hold the overlap; those of cached points only the way they came and five times τ, as do
/// simplices, because on a face, where all points are about equally deep, they would wander: a tower of ten boxes falls.
#[inline(always)]
pub(super) fn minimise<S: Lanes>(
    objective: &Objective<'_, S>,
    start: &Start<S>,
    options: &ContactOptions,
    ellipsoids: &mut [Ellipsoid; LANES],
    stats: &mut ContactStats,
) -> V3<f32x8<S>> {
    let simd = objective.simd;
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let tau = options.tau;
    let steep = f32x8::splat(simd, tau);
    let near = f32x8::splat(simd, tau * start.unit);
    // Below, the ellipsoid is a point for single precision.
    let least = f32x8::splat(simd, 1e-12 * start.unit * start.unit);
    let deepest = f32x8::splat(simd, DEEPEST_CUT);
    let three = f32x8::splat(simd, 3.0);
    let quarter = f32x8::splat(simd, 0.25);
    let (low, high) = (V3::all(zero, objective.low), V3::all(zero, objective.high));

    let mut live = start.live;
    let mut x = V3::choose(live, objective.clamped(start.x), start.x);
    let mut e = around(objective, start, options, x, ellipsoids);
    let mut best = x;
    let mut best_g = f32x8::splat(simd, f32::INFINITY);
    let mut others = x;
    let mut rounds = 0;
    for step in 0..options.iterations {
        // Faces that the centre is behind: how far, and along which axis.
        let below = low_faces(low, x);
        let above = V3::new(x.x - high.x, x.y - high.y, x.z - high.z);
        let behind = V3::new(
            below.x.most(above.x),
            below.y.most(above.y),
            below.z.most(above.z),
        );
        let worst = behind.x.most(behind.y).most(behind.z);
        let out = worst.simd_gt(zero);
        let on_x = behind.x.simd_ge(worst);
        let on_y = !on_x & behind.y.simd_ge(worst);
        let on_z = !on_x & !on_y;
        let face = V3::new(
            on_x.select(above.x.simd_ge(below.x).select(one, -one), zero),
            on_y.select(above.y.simd_ge(below.y).select(one, -one), zero),
            on_z.select(above.z.simd_ge(below.z).select(one, -one), zero),
        );

        let inside = live & !out;
        let (mut gradient, mut excess) = (face, worst);
        if inside.any_true() {
            if rounds % LOOK_AGAIN == LOOK_AGAIN - 1 {
                best_g =
                    best_g + objective.repulsion(best, others) - objective.repulsion(best, best);
                others = best;
            }
            rounds += 1;
            stats.evaluations += count(inside);
            let at = objective.eval(V3::choose(inside, x, best), others);
            let better = inside & at.g.simd_lt(best_g);
            best_g = better.select(at.g, best_g);
            best = V3::choose(better, x, best);
            gradient = V3::choose(inside, at.gradient, face);
            excess = inside.select(at.g - best_g, worst);
            live &= !(inside & at.gradient.length().simd_lt(steep));
        }

        let eg = e.times(gradient);
        let geg = gradient.dot(eg);
        live &= geg.simd_gt(least);
        if !live.any_true() {
            break;
        }
        stats.iterations += count(live);
        let s = geg.sqrt();
        let a = (excess / s).least(deepest);
        let shift = one + three * a;
        let way = eg.times(shift * quarter / s);
        let grown = f32x8::splat(simd, 9.0 / 8.0) * (one - a * a);
        let two = one + one;
        let e_next = e.updated(eg, two * shift * quarter / ((one + a) * geg), grown);
        x = V3::choose(live, x - way, x);
        e.diagonal = V3::choose(live, e_next.diagonal, e.diagonal);
        e.rest = V3::choose(live, e_next.rest, e.rest);
        live &= way.length().simd_ge(near);
        if step + 1 == options.iterations || !live.any_true() {
            break;
        }
    }
    let rows = [e.diagonal, e.rest].map(|v| [v.x.to_eight(), v.y.to_eight(), v.z.to_eight()]);
    let moved = start.live.to_bitmask();
    for (lane, kept) in ellipsoids.iter_mut().enumerate() {
        if moved >> lane & 1 == 1 {
            for (i, entry) in kept.iter_mut().enumerate() {
                *entry = rows[i / 3][i % 3][lane];
            }
        }
    }
    best
}

/// How far a point is below the lower faces.
#[inline(always)]
fn low_faces<S: Lanes>(low: V3<f32x8<S>>, x: V3<f32x8<S>>) -> V3<f32x8<S>> {
    V3::new(low.x - x.x, low.y - x.y, low.z - x.z)
}

/// New ellipsoids about the starting points, mixed with those that are kept.
#[inline(always)]
fn around<S: Lanes>(
    objective: &Objective<'_, S>,
    start: &Start<S>,
    options: &ContactOptions,
    x: V3<f32x8<S>>,
    ellipsoids: &[Ellipsoid; LANES],
) -> Symmetric<S> {
    let like = x.x;
    let centre = V3::all(like, (objective.low + objective.high) * 0.5);
    let half = V3::all(like, (objective.high - objective.low) * 0.5);
    let away = x - centre;
    let reach = V3::new(
        half.x + away.x.size(),
        half.y + away.y.size(),
        half.z + away.z.size(),
    );
    let reach = if options.small_simplices {
        let cap = start.way.most(like.all(5.0 * options.tau * start.unit));
        let capped = V3::new(reach.x.least(cap), reach.y.least(cap), reach.z.least(cap));
        V3::choose(start.way.simd_ge(like.all(0.0)), capped, reach)
    } else {
        reach
    };
    let three = like.all(3.0);
    let fresh = V3::new(
        reach.x * reach.x * three,
        reach.y * reach.y * three,
        reach.z * reach.z * three,
    );
    let mut rows = [[0.0; LANES]; 6];
    for (lane, kept) in ellipsoids.iter().enumerate() {
        for (row, &entry) in rows.iter_mut().zip(kept) {
            row[lane] = entry;
        }
    }
    let kept = Symmetric {
        diagonal: V3::new(
            like.take(&rows[0]),
            like.take(&rows[1]),
            like.take(&rows[2]),
        ),
        rest: V3::new(
            like.take(&rows[3]),
            like.take(&rows[4]),
            like.take(&rows[5]),
        ),
    };
    let zero = like.all(0.0);
    let d = kept.diagonal;
    let has = start.way.simd_ge(zero) & (d.x + d.y + d.z).simd_gt(zero);
    let old = has.select(like.all(ELLIPSOID_KEPT), zero);
    let new = has.select(like.all(1.0 - ELLIPSOID_KEPT), like.all(1.0));
    Symmetric {
        diagonal: d.times(old) + fresh.times(new),
        rest: kept.rest.times(old),
    }
}
