//! Contacts from a dense grid of samples: slow, and without any memory of earlier points. A reference for the rest.

use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;
use jostle_geom::{ContactPoint, Manifold};
use jostle_simd::lanes::{Real, V3};

use super::ContactStats;
use super::judge::judge;
use super::objective::{LANES, Objective, lanes_of};
use super::update::{Frame, Scratch};
use crate::level::Lanes;
use crate::tolerances::{DENSE_POINTS, DENSE_REFINEMENTS};

/// A sample that may be a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    x: Vec3,
    /// The larger one of the fields.
    depth: f32,
    /// To the nearest point that is taken, squared.
    away: f32,
}

/// Contacts from a grid of samples, into `found`: each takes over the impulse of the nearest point of the last step, if
/// that is no farther than a cell, so that the solver starts as well as it does otherwise.
#[inline(always)]
pub(super) fn look<S: Lanes>(
    objective: &Objective<'_, S>,
    frame: &Frame<'_>,
    across: usize,
    manifold: &mut Manifold,
    scratch: &mut Scratch,
    stats: &mut ContactStats,
) {
    scratch.found.clear();
    core::mem::swap(&mut scratch.last, &mut manifold.points);
    manifold.points.clear();
    let Scratch {
        starts,
        candidates,
        found,
        last,
        ..
    } = scratch;
    points(objective, across, frame.margin, candidates, starts, stats);
    let like = f32x8::splat(objective.simd, 0.0);
    let mut first = 0;
    while first < starts.len() {
        let used = (starts.len() - first).min(LANES);
        let mut p = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            let x = starts[first + lane.min(used - 1)];
            (p[0][lane], p[1][lane], p[2][lane]) = (x.x, x.y, x.z);
        }
        let x = V3::new(like.take(&p[0]), like.take(&p[1]), like.take(&p[2]));
        let batch = Objective { used, ..*objective };
        stats.evaluations += used as u64;
        judge(&batch, x, first, 0, frame.options, &[], found);
        first += used;
    }
    let cell = (objective.high - objective.low) / across.max(2) as f32;
    let mut taken = vec![false; last.len()];
    for f in found.iter_mut() {
        let away =
            |p: &ContactPoint| ((p.position - frame.origin).as_vec3() - f.x).length_squared();
        let nearest = (0..last.len().min(256))
            .filter(|&i| !taken[i])
            .min_by(|&i, &j| away(&last[i]).total_cmp(&away(&last[j])))
            .filter(|&i| away(&last[i]) <= cell.length_squared());
        if let Some(i) = nearest {
            taken[i] = true;
            f.from = Some(i as u8);
        }
    }
}

/// Looks at `across`³ points of the overlap, and takes those for contacts where the sum of the fields is below `margin`:
/// the deepest, and then always the one that is farthest from all others, up to a number that covers a face.
///
/// The deepest one is refined by looking around it in smaller and smaller boxes. No derivative, no seed and no random
/// number is used. Cost: `across`³ evaluations.
#[inline(always)]
fn points<S: Lanes>(
    objective: &Objective<'_, S>,
    across: usize,
    margin: f32,
    candidates: &mut Vec<Candidate>,
    out: &mut Vec<Vec3>,
    stats: &mut ContactStats,
) {
    candidates.clear();
    out.clear();
    let across = across.max(2);
    let (low, size) = (objective.low, objective.high - objective.low);
    let step = size / (across - 1) as f32;
    let total = across * across * across;
    let mut first = 0;
    while first < total {
        let mut at = [low; LANES];
        for (lane, at) in at.iter_mut().enumerate() {
            let i = (first + lane).min(total - 1);
            let cell = [i % across, i / across % across, i / across / across];
            *at = (low + step * Vec3::from(cell.map(|c| c as f32))).min(objective.high);
        }
        let (sum, depth) = values(objective, &at);
        let used = (total - first).min(LANES);
        stats.evaluations += used as u64;
        for lane in 0..used {
            if sum[lane] < margin {
                candidates.push(Candidate {
                    x: at[lane],
                    depth: depth[lane],
                    away: f32::INFINITY,
                });
            }
        }
        first += LANES;
    }
    let deepest = |c: &[Candidate]| (0..c.len()).min_by(|&i, &j| c[i].depth.total_cmp(&c[j].depth));
    let Some(start) = deepest(candidates) else {
        return;
    };
    let refined = refine(objective, candidates[start], step, stats);
    out.push(refined);
    // Points closer than a cell are one.
    let near = 0.25 * step.length_squared();
    for c in candidates.iter_mut() {
        c.away = (c.x - refined).length_squared();
    }
    while out.len() < DENSE_POINTS {
        let farthest = candidates.iter().max_by(|a, b| a.away.total_cmp(&b.away));
        let Some(next) = farthest.copied().filter(|c| c.away > near) else {
            break;
        };
        out.push(next.x);
        for c in candidates.iter_mut() {
            c.away = c.away.min((c.x - next.x).length_squared());
        }
    }
}

/// Looks at the corners of a box around a point, which halves whenever none is deeper.
#[inline(always)]
fn refine<S: Lanes>(
    objective: &Objective<'_, S>,
    start: Candidate,
    step: Vec3,
    stats: &mut ContactStats,
) -> Vec3 {
    let (mut best, mut half) = (start, step * 0.5);
    for _ in 0..DENSE_REFINEMENTS {
        let mut at = [best.x; LANES];
        for (i, at) in at.iter_mut().enumerate() {
            let side = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corner = best.x + half * Vec3::new(side(0), side(1), side(2));
            *at = corner.clamp(objective.low, objective.high);
        }
        stats.evaluations += LANES as u64;
        let (_, depth) = values(objective, &at);
        let before = best.depth;
        for lane in 0..LANES {
            if depth[lane] < best.depth {
                (best.x, best.depth) = (at[lane], depth[lane]);
            }
        }
        if best.depth >= before {
            half *= 0.5;
        }
    }
    best.x
}

/// The sum of the fields and the larger one at eight points.
#[inline(always)]
fn values<S: Lanes>(objective: &Objective<'_, S>, at: &[Vec3; LANES]) -> ([f32; 8], [f32; 8]) {
    let x = lanes_of(objective.simd, at);
    let (a, b) = objective.fields(x);
    (
        (a.value + b.value).to_eight(),
        a.value.most(b.value).to_eight(),
    )
}
