//! Where points start from, and where that leads.

use fearless_simd::{f32x8, prelude::*};
use jostle_geom::Manifold;
use jostle_simd::lanes::Real;

use super::judge::judge;
use super::objective::{LANES, Objective, lanes_of};
use super::optimise::{Ellipsoid, Start, minimise};
use super::prepared::Prepared;
use super::update::{Frame, Memory, Scratch, Step};
use super::{ContactStats, Optimizer};
use crate::level::Lanes;
use crate::tolerances::{REST_AFTER, REST_MOVE, REST_STEPS};

/// The points kept from the last step, moved along with the bodies, into `starts`.
pub(super) fn gather(
    step: &Step<'_>,
    frame: &Frame<'_>,
    [a, b]: [&Prepared<'_>; 2],
    manifold: &mut Manifold,
    memory: &Memory,
    scratch: &mut Scratch,
) {
    scratch.starts.clear();
    scratch.rested.clear();
    scratch.ways.clear();
    core::mem::swap(&mut scratch.last, &mut manifold.points);
    manifold.points.clear();
    scratch.last.truncate(step.options.cache);
    scratch.ellipsoids.clear();
    let kept = scratch.last.len().min(memory.ellipsoids.len());
    scratch
        .ellipsoids
        .extend_from_slice(&memory.ellipsoids[..kept]);
    let settle = memory.full < REST_AFTER || memory.age.is_multiple_of(REST_STEPS);
    let rest = f64::from(REST_MOVE * frame.unit);
    for point in &scratch.last {
        let (va, vb) = (a.velocity_at(point.position), b.velocity_at(point.position));
        let v = if a.fixed {
            vb
        } else if b.fixed {
            va
        } else {
            (va + vb) * 0.5
        };
        let against = (vb - va).length() * step.dt;
        scratch
            .starts
            .push((point.position + v * step.dt - frame.origin).as_vec3());
        scratch
            .rested
            .push(point.active && !settle && against < rest && step.options.reuse);
        scratch.ways.push((v.length() * step.dt) as f32);
    }
}

/// Minimises from all starts, batch by batch, into `found`.
#[inline(always)]
pub(super) fn search<S: Lanes>(
    objective: &Objective<'_, S>,
    frame: &Frame<'_>,
    cached: usize,
    key: u32,
    scratch: &mut Scratch,
    stats: &mut ContactStats,
) {
    let options = frame.options;
    let simd = objective.simd;
    let like = f32x8::splat(simd, 0.0);
    scratch.found.clear();
    scratch.fixed.clear();
    let total = scratch.starts.len();
    let keeps = options.optimizer == Optimizer::Ellipsoid;
    if keeps {
        scratch.ellipsoids.resize(total, Ellipsoid::default());
    }
    let mut first = 0;
    while first < total {
        let used = (total - first).min(LANES);
        let mut at = [scratch.starts[first + used - 1]; LANES];
        at[..used].copy_from_slice(&scratch.starts[first..first + used]);
        let mut still = [1.0; LANES];
        let mut way = [-1.0; LANES];
        for lane in 0..used {
            let i = first + lane;
            still[lane] = f32::from(i < cached && scratch.rested[i]);
            way[lane] = if i < cached { scratch.ways[i] } else { -1.0 };
        }
        let mut x = lanes_of(simd, &at);
        let live = like.take(&still).simd_lt(f32x8::splat(simd, 0.5));
        let batch = Objective {
            fixed: &scratch.fixed,
            used,
            ..*objective
        };
        if live.any_true() {
            let start = Start {
                x,
                live,
                way: like.take(&way),
                unit: frame.unit,
                moving: frame.pace.moves(),
                key: key.wrapping_add((first as u32) << 16),
            };
            let mut ellipsoids = [Ellipsoid::default(); LANES];
            let end = first + used;
            if keeps {
                ellipsoids[..used].copy_from_slice(&scratch.ellipsoids[first..end]);
            }
            x = minimise(&batch, &start, options, &mut ellipsoids, stats);
            if keeps {
                scratch.ellipsoids[first..end].copy_from_slice(&ellipsoids[..used]);
            }
        }
        stats.evaluations += used as u64;
        judge(
            &batch,
            x,
            first,
            cached,
            options,
            &scratch.last,
            &mut scratch.found,
        );
        scratch
            .fixed
            .extend(scratch.found[first..].iter().map(|f| f.x));
        first += used;
    }
}
