//! From points that were found to the manifold.

use jostle_geom::{ContactPoint, Impulse, Manifold};

use super::update::{Frame, Memory, Scratch};
use super::{ContactStats, Optimizer};

/// Drops points that are the same, sorts the rest and keeps the best.
pub(super) fn finish(
    frame: &Frame<'_>,
    manifold: &mut Manifold,
    memory: &mut Memory,
    scratch: &mut Scratch,
    stats: &mut ContactStats,
) {
    let Frame {
        options,
        unit,
        origin,
        margin,
        way,
        pace,
    } = *frame;
    let found = &mut scratch.found;
    let near = pace.region(way, options.tau * unit);
    if pace.moves() {
        found.sort_by(|a, b| a.separation.total_cmp(&b.separation));
    }
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
        let (before, rest) = found.split_at_mut(i);
        let f = &mut rest[0];
        for q in before {
            let away = options.alpha * (q.x - f.x).length();
            q.rank -= away;
            f.rank -= away;
        }
        if f.from.is_none() {
            f.rank += options.replacement_threshold * unit;
        }
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
