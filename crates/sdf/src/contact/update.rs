//! One pair, one step.

use fearless_simd::{f32x8, prelude::*};
use glam::{DVec3, Vec3};
use jostle_geom::{ContactPoint, Impulse, Manifold, Rng};
use jostle_simd::lanes::{Real, V3};

use super::objective::{LANES, Objective};
use super::optimise::{Ellipsoid, Start, minimise};
use super::prepared::Prepared;
use super::separation::{Certificate, Region, Verdict, prove};
use super::side::Side;
use super::{ContactOptions, ContactStats, Optimizer, dense, sampling};
use crate::level::Lanes;
use crate::tolerances::{
    GAP_ASKEW, PROOF_BACKOFF, PROOF_SLACK, QUIET_STEPS, QUIET_WAY, REST_AFTER, REST_MOVE,
    REST_STEPS,
};

/// What a pair remembers beside its manifold.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    certificate: Option<Certificate>,
    /// Steps until the next attempt at a proof, and how many there were before the last.
    wait: u8,
    waited: u8,
    /// Steps without contact.
    quiet: u32,
    /// Steps since the pair came up.
    age: u32,
    /// Steps since the manifold has been full of contacts.
    full: u32,
    /// Those of the points of the manifold, where the optimiser keeps some.
    ellipsoids: Vec<Ellipsoid>,
}

/// A point on its way into the manifold.
#[derive(Clone, Copy, Debug)]
struct Found {
    x: Vec3,
    normal: Vec3,
    separation: f32,
    depth: f32,
    rank: f32,
    /// Which starting point it is from.
    start: u8,
    /// Where it came from: an index into the points of the last step, or none.
    from: Option<u8>,
}

/// Memory that is used again for each pair of a chunk.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    starts: Vec<Vec3>,
    fresh: Vec<Vec3>,
    seeds: Vec<Vec3>,
    found: Vec<Found>,
    fixed: Vec<Vec3>,
    last: Vec<ContactPoint>,
    rested: Vec<bool>,
    ways: Vec<f32>,
    /// Those of the starting points, where the optimiser keeps some.
    ellipsoids: Vec<Ellipsoid>,
    candidates: Vec<dense::Candidate>,
}

/// What all pairs of a step share.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub options: &'a ContactOptions,
    pub dt: f64,
    /// Which step it is: the random numbers depend on it.
    pub number: u64,
}

/// Finds the contacts of a pair, from those of the last step and new samples.
#[inline(always)]
pub(super) fn update<S: Lanes>(
    simd: S,
    step: &Step<'_>,
    bodies: [&Prepared<'_>; 2],
    manifold: &mut Manifold,
    memory: &mut Memory,
    scratch: &mut Scratch,
    stats: &mut ContactStats,
) {
    let [a, b] = bodies;
    let options = step.options;
    let unit = a.size.min(b.size).min(1.0);
    let margin = options.margin * unit;
    manifold.margin = margin;
    let grown = DVec3::splat(0.5 * f64::from(margin));
    let (low, high) = (a.min.max(b.min) - grown, a.max.min(b.max) + grown);
    if a.fixed && b.fixed {
        // Bodies asleep wake with the contacts they fell asleep with.
        return;
    }
    if !low.cmple(high).all() {
        manifold.points.clear();
        *memory = Memory::default();
        return;
    }
    stats.pairs += 1;
    memory.age = memory.age.wrapping_add(1);
    let touching = manifold.points.iter().any(|p| p.active);

    let origin = (low + high) * 0.5;
    let half = ((high - low) * 0.5).as_vec3();
    let (mut v_low, mut v_high) = (-half, half);
    let proofs = options.separation_proofs && options.dense.is_none() && !touching;
    if proofs {
        if let Some(certificate) = &memory.certificate {
            if certificate.holds(a, b, f64::from(margin)) {
                stats.apart += 1;
                manifold.points.clear();
                return;
            }
            memory.certificate = None;
        }
    }
    let sides = [Side::new(a, origin), Side::new(b, origin)];
    if proofs {
        if memory.wait > 0 {
            memory.wait -= 1;
        } else {
            let slack = PROOF_SLACK * unit;
            let (low, high) = (v_low - slack, v_high + slack);
            let region = Region {
                low,
                high,
                margin,
                slack,
            };
            match prove(simd, [&sides[0], &sides[1]], bodies, &region, stats) {
                Verdict::Apart(certificate) => {
                    memory.certificate = Some(certificate);
                    memory.waited = 0;
                    stats.apart += 1;
                    manifold.points.clear();
                    return;
                }
                Verdict::Unknown { low, high } => {
                    memory.waited = (2 * memory.waited + 1).min(PROOF_BACKOFF);
                    memory.wait = memory.waited;
                    let (low, high) = (v_low.max(low), v_high.min(high));
                    if low.cmple(high).all() {
                        (v_low, v_high) = (low, high);
                    }
                }
            }
        }
    }
    if touching {
        memory.quiet = 0;
        memory.wait = 0;
        memory.waited = 0;
    } else {
        memory.quiet += 1;
        let way = a.way_against(b) * step.dt;
        let slow = way < QUIET_WAY * f64::from(margin) && options.dense.is_none();
        if slow && memory.quiet > QUIET_STEPS && memory.age.is_multiple_of(2) {
            return;
        }
    }

    let objective = Objective {
        simd,
        a: sides[0],
        b: sides[1],
        epsilon: options.epsilon * unit * unit,
        alpha: options.alpha,
        low: v_low,
        high: v_high,
        fixed: &[],
        used: 0,
    };
    if let Some(across) = options.dense {
        look_densely(
            &objective, options, margin, across, origin, manifold, scratch, stats,
        );
        finish(
            options, unit, origin, margin, manifold, memory, scratch, stats,
        );
        return;
    }
    gather(step, bodies, origin, unit, manifold, memory, scratch);
    let cached = scratch.starts.len();
    let active = scratch.last[..cached].iter().filter(|p| p.active).count();
    // New samples of convex pairs ride along with cached points that move to their minima, in lanes that are free.
    let skip = cached > 0
        && active == options.cache
        && scratch.rested.iter().all(|&rested| rested)
        && options.skip_convex
        && options.optimizer != Optimizer::GradientDescent
        && a.shape.is_convex()
        && b.shape.is_convex();
    // Cached points that are no contacts any more may have to be replaced, as when a body rolls.
    let free = LANES.saturating_sub(cached).max(options.cache - cached);
    let wanted = if skip {
        0
    } else {
        options.random + (options.cache - active).min(free)
    };
    let stream = u64::from(manifold.a) << 32 | u64::from(manifold.b);
    if wanted > 0 {
        let mut rng = Rng::new(options.seed.wrapping_add(step.number), stream);
        let Scratch {
            starts,
            fresh,
            seeds,
            ..
        } = scratch;
        fresh.clear();
        sampling::starts(
            &objective,
            starts,
            unit,
            wanted,
            options.curvature,
            &mut rng,
            seeds,
            fresh,
            stats,
        );
        starts.extend_from_slice(fresh);
    }
    let key = if options.optimizer == Optimizer::GradientDescent {
        // Another stream than that of the starting points.
        Rng::new(options.seed.wrapping_add(step.number), !stream).next_u64() as u32
    } else {
        0
    };
    search(
        &objective, options, unit, margin, cached, key, scratch, stats,
    );
    finish(
        options, unit, origin, margin, manifold, memory, scratch, stats,
    );
}

/// The points kept from the last step, moved along with the bodies, into `starts`.
fn gather(
    step: &Step<'_>,
    [a, b]: [&Prepared<'_>; 2],
    origin: DVec3,
    unit: f32,
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
    let rest = f64::from(REST_MOVE * unit);
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
            .push((point.position + v * step.dt - origin).as_vec3());
        scratch
            .rested
            .push(point.active && !settle && against < rest && step.options.reuse);
        scratch.ways.push((v.length() * step.dt) as f32);
    }
}

/// Minimises from all starts, batch by batch, into `found`.
#[inline(always)]
fn search<S: Lanes>(
    objective: &Objective<'_, S>,
    options: &ContactOptions,
    unit: f32,
    margin: f32,
    cached: usize,
    key: u32,
    scratch: &mut Scratch,
    stats: &mut ContactStats,
) {
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
        let mut p = [[0.0; LANES]; 3];
        let mut still = [1.0; LANES];
        let mut way = [-1.0; LANES];
        for lane in 0..LANES {
            let i = first + lane.min(used - 1);
            let x = scratch.starts[i];
            (p[0][lane], p[1][lane], p[2][lane]) = (x.x, x.y, x.z);
            if lane < used {
                still[lane] = if i < cached && scratch.rested[i] {
                    1.0
                } else {
                    0.0
                };
                way[lane] = if i < cached { scratch.ways[i] } else { -1.0 };
            }
        }
        let mut x = V3::new(like.take(&p[0]), like.take(&p[1]), like.take(&p[2]));
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
                unit,
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
            margin,
            &scratch.last,
            &mut scratch.found,
        );
        scratch
            .fixed
            .extend(scratch.found[first..].iter().map(|f| f.x));
        first += used;
    }
}

/// Contacts from a grid of samples, into `found`: each takes over the impulse of the nearest point of the last step, if
/// that is no farther than a cell, so that the solver starts as well as it does otherwise.
#[inline(always)]
fn look_densely<S: Lanes>(
    objective: &Objective<'_, S>,
    options: &ContactOptions,
    margin: f32,
    across: usize,
    origin: DVec3,
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
    dense::points(objective, across, margin, candidates, starts, stats);
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
        judge(&batch, x, first, 0, options, margin, &[], found);
        first += used;
    }
    let cell = (objective.high - objective.low) / across.max(2) as f32;
    let mut taken = vec![false; last.len()];
    for f in found.iter_mut() {
        let away = |p: &ContactPoint| ((p.position - origin).as_vec3() - f.x).length_squared();
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

/// What a batch of points is as contacts.
#[inline(always)]
fn judge<S: Lanes>(
    objective: &Objective<'_, S>,
    x: V3<f32x8<S>>,
    first: usize,
    cached: usize,
    options: &ContactOptions,
    _margin: f32,
    last: &[ContactPoint],
    found: &mut Vec<Found>,
) {
    let simd = objective.simd;
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let (a, b) = objective.fields(x);
    // Newton steps to both surfaces: they also hold for fields that are no true distances.
    let floor = f32x8::splat(simd, 0.25);
    let (la, lb) = (a.gradient.length(), b.gradient.length());
    let (ia, ib) = (one / la.most(floor), one / lb.most(floor));
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
        let from_b = objective.a.eval(simd, x + nb.times(db));
        let from_a = objective.b.eval(simd, x - na.times(da));
        let (la, lb) = (from_b.gradient.length(), from_a.gradient.length());
        let (sa, sb) = (from_b.value / la.most(floor), from_a.value / lb.most(floor));
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

/// Drops points that are the same, sorts the rest and keeps the best.
fn finish(
    options: &ContactOptions,
    unit: f32,
    origin: DVec3,
    margin: f32,
    manifold: &mut Manifold,
    memory: &mut Memory,
    scratch: &mut Scratch,
    stats: &mut ContactStats,
) {
    let found = &mut scratch.found;
    let near = options.tau * unit;
    let mut kept = 0;
    for i in 0..found.len() {
        let f = found[i];
        let usable = f.x.is_finite()
            && f.separation.is_finite()
            && f.normal.is_finite()
            && f.rank.is_finite();
        if usable
            && found[..kept]
                .iter()
                .all(|q| (q.x - f.x).length_squared() >= near * near)
        {
            found[kept] = f;
            kept += 1;
        }
    }
    found.truncate(kept);
    for i in 0..kept {
        let x = found[i].x;
        let away: f32 = found.iter().map(|q| (q.x - x).length()).sum();
        let new = if found[i].from.is_none() {
            options.replacement_threshold * unit
        } else {
            0.0
        };
        found[i].rank += new - options.alpha * away;
    }
    found.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    let most = if options.dense.is_some() {
        found.len()
    } else {
        options.cache + options.random
    };
    let keeps = options.optimizer == Optimizer::Ellipsoid;
    let full = scratch.last.len() == options.cache && scratch.last.iter().all(|p| p.active);
    memory.full = if full {
        memory.full.saturating_add(1)
    } else {
        0
    };
    memory.ellipsoids.clear();
    for f in found.iter().take(most.max(1)) {
        let active = f.separation < margin;
        stats.contacts += u64::from(active);
        if keeps {
            memory
                .ellipsoids
                .push(scratch.ellipsoids[usize::from(f.start)]);
        }
        let before = f.from.map(|i| scratch.last[usize::from(i)]);
        manifold.points.push(ContactPoint {
            position: origin + f.x.as_dvec3(),
            normal: f.normal,
            separation: f.separation,
            depth: f.depth,
            active,
            cached: before.is_some(),
            impulse: before
                .filter(|_| active)
                .map_or_else(Impulse::default, |p| p.impulse),
        });
    }
}
