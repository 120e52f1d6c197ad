//! Where new points start.

use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;
use jostle_geom::Rng;
use jostle_simd::lanes::{Real, V3};

use super::ContactStats;
use super::objective::{LANES, Objective, lanes_of};
use super::pace::{MOST_LOOKED as MOST, Pace};
use crate::level::Lanes;
use crate::tolerances::{MOVING_SAMPLES, SPREAD_REACH, SPREAD_WEIGHT};

/// New starting points to be chosen.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub count: usize,
    /// All lengths are to be multiplied by this.
    pub unit: f32,
    /// Whether they come from seeds, where there are some.
    pub curvature: bool,
    /// Of bodies that move, points of the overlap are looked at beside seeds, and all new points are the best ones.
    pub pace: Pace,
}

/// Chooses new starting points in the overlap into `out`, given the points that are already there.
///
/// Seeds of both bodies inside the overlap are met from a random place of their index on; eight of them are looked at, and
/// the better half of the new points are those with the smallest sum of the fields, less a share of the distance to the
/// points that are there and to those chosen before; the rest are drawn from all that were met. Where there are no seeds,
/// points of the overlap. For bodies that move against each other, more of both are looked at.
#[inline(always)]
pub(super) fn starts<S: Lanes>(
    objective: &Objective<'_, S>,
    wanted: &Wanted,
    there: &[Vec3],
    rng: &mut Rng,
    scratch: &mut Vec<Vec3>,
    out: &mut Vec<Vec3>,
    stats: &mut ContactStats,
) {
    scratch.clear();
    if wanted.curvature {
        for side in [&objective.a, &objective.b] {
            let bounds = side.local_box(objective.low, objective.high);
            let start = rng.next_u64();
            let first = scratch.len();
            side.shape
                .seeds()
                .in_box(&bounds, start, wanted.pace.seeds(), scratch);
            let mut kept = first;
            for i in first..scratch.len() {
                let x = side.in_frame(scratch[i]);
                if x.cmpge(objective.low).all() && x.cmple(objective.high).all() {
                    scratch[kept] = x;
                    kept += 1;
                }
            }
            scratch.truncate(kept);
        }
    }
    let anywhere = |rng: &mut Rng| {
        let t = Vec3::new(rng.unit() as f32, rng.unit() as f32, rng.unit() as f32);
        objective.low + (objective.high - objective.low) * t
    };
    if wanted.pace.moves() {
        for _ in 0..MOVING_SAMPLES {
            scratch.push(anywhere(rng));
        }
    }
    let mut left = wanted.count;
    if !scratch.is_empty() && left > 0 {
        let best = Wanted {
            count: if wanted.pace.moves() {
                left
            } else {
                left.div_ceil(2)
            },
            ..*wanted
        };
        left -= best_of(objective, &best, there, rng, scratch, out, stats);
    }
    for _ in 0..left {
        out.push(if scratch.is_empty() {
            anywhere(rng)
        } else {
            let i = rng.index(scratch.len());
            scratch.swap_remove(i)
        });
    }
}

/// Moves the best of some candidates to `out`; how many.
#[inline(always)]
fn best_of<S: Lanes>(
    objective: &Objective<'_, S>,
    wanted: &Wanted,
    there: &[Vec3],
    rng: &mut Rng,
    candidates: &mut Vec<Vec3>,
    out: &mut Vec<Vec3>,
    stats: &mut ContactStats,
) -> usize {
    // The first of them after a partial shuffle.
    let looked = candidates.len().min(wanted.pace.looks());
    if candidates.len() > looked {
        for i in 0..looked {
            let j = i + rng.index(candidates.len() - i);
            candidates.swap(i, j);
        }
    }
    stats.evaluations += looked as u64;
    let like = f32x8::splat(objective.simd, 0.0);
    let mut sums = [0.0; MOST];
    let mut aways = [0.0; MOST];
    for first in (0..looked).step_by(LANES) {
        let used = (looked - first).min(LANES);
        let mut at = [candidates[first]; LANES];
        at[..used].copy_from_slice(&candidates[first..first + used]);
        let x = lanes_of(objective.simd, &at);
        let (a, b) = objective.fields(x);
        let mut away = like.all(SPREAD_REACH * wanted.unit);
        for q in there {
            away = away.least((x - V3::all(like, *q)).length());
        }
        sums[first..first + LANES].copy_from_slice(&(a.value + b.value).to_eight());
        aways[first..first + LANES].copy_from_slice(&away.to_eight());
    }
    let taken = wanted.count.min(looked);
    let mut gone = [false; MOST];
    for _ in 0..taken {
        let score = |i: usize| sums[i] - aways[i] * SPREAD_WEIGHT;
        let mut best = MOST;
        for (i, gone) in gone[..looked].iter().enumerate() {
            if !gone && (best == MOST || score(i) < score(best)) {
                best = i;
            }
        }
        gone[best] = true;
        let chosen = candidates[best];
        out.push(chosen);
        for (away, q) in aways.iter_mut().zip(&candidates[..looked]) {
            *away = away.min((*q - chosen).length());
        }
    }
    for i in (0..looked).rev() {
        if gone[i] {
            candidates.swap_remove(i);
        }
    }
    taken
}
