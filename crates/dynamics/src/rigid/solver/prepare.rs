//! What follows from the contacts and does not change while they are solved.

use fearless_simd::{f32x8, prelude::*};
use jostle_simd::lanes::{Real, V3};

use super::super::tolerances::LEFT_ALONE;
use super::Task;
use super::blocks::{Blocks, Row};
use super::lanes::{Inertia, gather, load, load3, scatter, store};

/// A unit vector across another one.
///
/// Without branches, after T. Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017. Zero for zero.
#[inline(always)]
fn across<R: Real>(n: V3<R>) -> V3<R> {
    let one = n.x.all(1.0);
    let sign = one.with_sign_of(n.z);
    let a = -(one / (sign + n.z));
    let t = V3::new(
        one + sign * n.x * n.x * a,
        sign * n.x * n.y * a,
        -(sign * n.x),
    );
    let none = n.dot(n).below(n.x.all(0.25));
    V3::choose(none, V3::all(n.x, glam::Vec3::ZERO), t)
}

/// One over a number, zero where it is not positive.
#[inline(always)]
fn inverse<R: Real>(v: R) -> R {
    let (zero, one) = (v.all(0.0), v.all(1.0));
    let some = zero.below(v);
    R::choose(some, one / R::choose(some, v, one), zero)
}

/// Works out tangents, masses, targets and biases, and applies the impulses of the last step. Whether any contact is so
/// deep that its bodies should be pushed apart.
#[inline(always)]
pub(super) fn prepare<S: Simd>(
    simd: S,
    blocks: &mut Blocks,
    motion: &mut [Row],
    task: &Task,
) -> bool {
    let zero = f32x8::splat(simd, 0.0);
    let gravity = V3::all(zero, task.gravity * task.h);
    let threshold = zero.all(-task.restitution_threshold);
    let allowed_share = zero.all(task.allowed);
    let left_share = zero.all(LEFT_ALONE);
    let share = zero.all(task.correction / task.h);
    let most = zero.all(task.max_correction);
    let mut deep = zero;
    blocks.biases.clear();
    blocks.biases.resize(blocks.points.len(), [0.0; 8]);
    // Before the first impulse is applied: what bounces depends on the speeds at which bodies meet.
    for (head, inertias) in blocks.heads.iter().zip(&blocks.inertias) {
        let range = head.first as usize..(head.first + head.count) as usize;
        let ia = Inertia::load(simd, &inertias.bodies[0]);
        let ib = Inertia::load(simd, &inertias.bodies[1]);
        let friction = load(simd, &inertias.friction);
        let restitution = load(simd, &inertias.restitution);
        let margin = load(simd, &inertias.margin);
        let allowed = margin * allowed_share;
        let left_alone = allowed * left_share;
        let [va, wa] = gather(simd, motion, &head.from[0]);
        let [vb, wb] = gather(simd, motion, &head.from[1]);
        // Gravity is in the velocities already, and is not what bodies meet with.
        let one = zero.all(1.0);
        let a_falls = f32x8::choose(zero.below(ia.mass), one, zero);
        let b_falls = f32x8::choose(zero.below(ib.mass), one, zero);
        let fall = gravity.times(b_falls - a_falls);
        let points = &mut blocks.points[range.clone()];
        let impulses = &mut blocks.impulses[range.clone()];
        let biases = &mut blocks.biases[range];
        for ((point, impulse), bias) in points.iter_mut().zip(impulses).zip(biases) {
            let n = load3(simd, &point.normal);
            let (ra, rb) = (load3(simd, &point.arms[0]), load3(simd, &point.arms[1]));
            let t = across(n);
            let u = n.cross(t);
            let masses = ia.mass + ib.mass;
            let mut spins = [(zero, n, n); 3];
            let mut i = 0;
            for d in [n, t, u] {
                let (la, lb) = (ra.cross(d), rb.cross(d));
                let (da, db) = (ia.turn(la), ib.turn(lb));
                spins[i] = (masses * d.dot(d) + la.dot(da) + lb.dot(db), la, lb);
                i += 1;
            }
            let (kn, la, lb) = spins[0];
            let (kt, lat, lbt) = spins[1];
            let (ku, lau, lbu) = spins[2];
            let (da, db) = (ia.turn(la), ib.turn(lb));
            store(&mut point.masses[0], inverse(kn));
            store(&mut point.masses[1], inverse(kt));
            store(&mut point.masses[2], inverse(ku));
            store(&mut point.coupling[0], lat.dot(da) + lbt.dot(db));
            store(&mut point.coupling[1], lau.dot(da) + lbu.dot(db));

            let speed = (vb + wb.cross(rb) - va - wa.cross(ra) - fall).dot(n);
            let bounce = -(restitution * speed);
            let target = f32x8::choose(speed.below(threshold), bounce, zero);
            store(&mut point.target, target);

            let deeper = margin - load(simd, &point.separation) - allowed;
            let push = (deeper * share).least(most);
            let push = f32x8::choose(left_alone.below(deeper), push, zero);
            store(bias, push);
            deep = deep.most(push);

            // What friction did, along the new tangents and within the cone.
            let old = load3(simd, &point.tangent);
            let normal = load(simd, &impulse[0]);
            let (first, second) = (old.dot(t), old.dot(u));
            let within = cone(friction * normal, first, second);
            store(&mut impulse[1], first * within);
            store(&mut impulse[2], second * within);
            store(&mut point.tangent[0], t.x);
            store(&mut point.tangent[1], t.y);
            store(&mut point.tangent[2], t.z);
        }
    }
    for (head, inertias) in blocks.heads.iter().zip(&blocks.inertias) {
        let range = head.first as usize..(head.first + head.count) as usize;
        let ia = Inertia::load(simd, &inertias.bodies[0]);
        let ib = Inertia::load(simd, &inertias.bodies[1]);
        let [mut va, mut wa] = gather(simd, motion, &head.from[0]);
        let [mut vb, mut wb] = gather(simd, motion, &head.from[1]);
        let impulses = &blocks.impulses[range.clone()];
        for (point, impulse) in blocks.points[range].iter().zip(impulses) {
            let (n, t) = (load3(simd, &point.normal), load3(simd, &point.tangent));
            let (ra, rb) = (load3(simd, &point.arms[0]), load3(simd, &point.arms[1]));
            let push = n.times(load(simd, &impulse[0]))
                + t.times(load(simd, &impulse[1]))
                + n.cross(t).times(load(simd, &impulse[2]));
            va = va - push.times(ia.mass);
            wa = wa - ia.turn(ra.cross(push));
            vb = vb + push.times(ib.mass);
            wb = wb + ib.turn(rb.cross(push));
        }
        scatter(simd, motion, &head.to[0], [va, wa]);
        scatter(simd, motion, &head.to[1], [vb, wb]);
    }
    f32x8::<S>::any(zero.below(deep))
}

/// By what an impulse of friction has to be scaled to be at most `limit` long.
#[inline(always)]
pub(super) fn cone<R: Real>(limit: R, first: R, second: R) -> R {
    let one = limit.all(1.0);
    let length = (first * first + second * second).root();
    let outside = limit.below(length);
    R::choose(outside, limit / R::choose(outside, length, one), one)
}
