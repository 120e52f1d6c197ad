//! What a point is as a contact: its normal and the gap there.

use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;
use jostle_geom::ContactPoint;
use jostle_simd::lanes::{Real, V3};

use super::ContactOptions;
use super::objective::Objective;
use crate::level::Lanes;
use crate::tolerances::{GAP_ASKEW, RELIABLE_SLOPE};

/// A point on its way into the manifold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub x: Vec3,
    pub normal: Vec3,
    pub separation: f32,
    pub depth: f32,
    pub rank: f32,
    /// Which starting point it is from.
    pub start: u8,
    /// Where it came from: an index into the points of the last step, or none.
    pub from: Option<u8>,
}

/// What a batch of points is as contacts.
#[inline(always)]
pub(super) fn judge<S: Lanes>(
    objective: &Objective<'_, S>,
    x: V3<f32x8<S>>,
    first: usize,
    cached: usize,
    options: &ContactOptions,
    last: &[ContactPoint],
    found: &mut Vec<Found>,
) {
    let simd = objective.simd;
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let (a, b) = objective.fields(x);
    // Newton steps to both surfaces, which also hold for fields that change faster than distances. Where one changes more
    // slowly, at the middle between two faces, a step by its gradient would lead beyond the surface.
    let (la, lb) = (a.gradient.length(), b.gradient.length());
    let (ia, ib) = (one / la.most(one), one / lb.most(one));
    let (da, db) = (a.value * ia, b.value * ib);
    let tiny = f32x8::splat(simd, 1e-12);
    let (na, nb) = (
        a.gradient.times(one / la.most(tiny)),
        -b.gradient.times(one / lb.most(tiny)),
    );
    let gap = na.times(da) + nb.times(db);
    let gap_length = gap.length();
    let (out_a, out_b) = (a.value.simd_gt(zero), b.value.simd_gt(zero));
    let outside = out_a & out_b;
    let mut separation = outside.select(gap_length, da + db);
    let mut across = gap.times(one / gap_length.most(tiny));
    let use_gap = outside & gap_length.simd_gt(f32x8::splat(simd, 1e-6));
    // Next to an edge the gap is askew: the other surface as seen from the two feet of the point is nearer.
    let askew = use_gap & na.dot(nb).simd_lt(f32x8::splat(simd, GAP_ASKEW));
    if askew.any_true() {
        let reliable = f32x8::splat(simd, RELIABLE_SLOPE);
        let (steep_a, steep_b) = (la.simd_gt(reliable), lb.simd_gt(reliable));
        let from_b = objective.a.eval(simd, x + nb.times(db));
        let from_a = objective.b.eval(simd, x - na.times(da));
        let (la, lb) = (from_b.gradient.length(), from_a.gradient.length());
        let (sa, sb) = (from_b.value / la.most(one), from_a.value / lb.most(one));
        let sa = steep_b.select(sa, gap_length);
        let sb = steep_a.select(sb, gap_length);
        let nearest = sa.least(sb);
        let normal = V3::choose(
            sa.simd_lt(sb),
            from_b.gradient.times(one / la.most(tiny)),
            -from_a.gradient.times(one / lb.most(tiny)),
        );
        let nearer = askew & nearest.simd_lt(gap_length);
        across = V3::choose(nearer, normal, across);
        separation = nearer.select(nearest, separation);
    }
    // Inside one body only, the sum of the distances is the gap if both are exact. They seldom are far from the surface, so
    // the sum is taken again at the foot of the point on the body that it is outside of.
    let one_in = (out_a & !out_b) | (out_b & !out_a);
    if one_in.any_true() {
        let foot = V3::choose(out_b, x + nb.times(db), x - na.times(da));
        let (a, b) = objective.fields(foot);
        let (la, lb) = (a.gradient.length(), b.gradient.length());
        let again = a.value / la.most(one) + b.value / lb.most(one);
        separation = one_in.select(separation.most(again), separation);
    }
    let separation = separation.to_eight();
    // Inside one body only, the nearest way out of it may be through a side, but the other one lies where it lies.
    let deeper = V3::choose(a.value.simd_lt(b.value), na, nb);
    let deeper = V3::choose(out_a, na, V3::choose(out_b, nb, deeper));
    let rank = objective.softmax(a.value, b.value).to_eight();
    let depth = a.value.most(b.value).to_eight();
    let xs = [x.x.to_eight(), x.y.to_eight(), x.z.to_eight()];
    let rows = [na, nb, across, deeper].map(|v| [v.x.to_eight(), v.y.to_eight(), v.z.to_eight()]);
    let vector = |v: &[[f32; 8]; 3], i: usize| Vec3::new(v[0][i], v[1][i], v[2][i]);
    let outside = use_gap.to_bitmask();
    for lane in 0..objective.used {
        let from = (first + lane < cached).then_some((first + lane) as u8);
        let mut normal = vector(&rows[3], lane);
        let crosses = outside >> lane & 1 == 1;
        let gap = vector(&rows[2], lane);
        match from {
            Some(i) if options.coherent_normals => {
                let before = last[usize::from(i)].normal;
                let (na, nb) = (vector(&rows[0], lane), vector(&rows[1], lane));
                normal = if na.dot(before) > nb.dot(before) {
                    na
                } else {
                    nb
                };
                if crosses && gap.dot(before) >= 0.0 {
                    normal = gap;
                }
            }
            _ => {
                if crosses {
                    normal = gap;
                }
            }
        }
        found.push(Found {
            x: vector(&xs, lane),
            normal,
            separation: separation[lane],
            depth: depth[lane],
            rank: rank[lane],
            start: (first + lane) as u8,
            from,
        });
    }
}
