//! What follows from the contacts and does not change while they are solved.

use jostle_simd::lanes::{Real, V3};

use super::super::tolerances::LEFT_ALONE;
use super::Task;
use super::blocks::{Blocks, Head, Inertias, Point, Row};
use super::lanes::{Inertia, Lane, Pass};

/// Works out tangents, masses, targets and biases, and applies the impulses of the last step. Tells whether any contact is
/// so deep that its bodies should be pushed apart.
pub(super) struct Prepare<'a> {
    pub blocks: &'a mut Blocks,
    pub motion: &'a mut [Row],
    pub task: &'a Task,
}

impl Pass for Prepare<'_> {
    type Out = bool;

    #[inline(always)]
    fn go<R: Lane>(self, like: R) -> bool {
        let Self {
            blocks,
            motion,
            task,
        } = self;
        let mut deep = like.all(0.0);
        // Before the first impulse is applied: what bounces depends on the speeds at which bodies meet.
        for (head, inertias) in blocks.heads.iter().zip(&blocks.inertias) {
            let points = &mut blocks.points[head.range()];
            let impulses = &mut blocks.impulses[head.range()];
            let biases = &mut blocks.biases[head.range()];
            for lane in (0..8).step_by(R::LANES) {
                let most = weigh(
                    like, lane, head, inertias, points, impulses, biases, motion, task,
                );
                deep = deep.most(most);
            }
        }
        for (head, inertias) in blocks.heads.iter().zip(&blocks.inertias) {
            let points = &blocks.points[head.range()];
            let impulses = &blocks.impulses[head.range()];
            for lane in (0..8).step_by(R::LANES) {
                start(like, lane, head, inertias, points, impulses, motion);
            }
        }
        R::any(like.all(0.0).below(deep))
    }
}

/// Works out a block; the largest bias.
#[inline(always)]
#[allow(
    clippy::too_many_arguments,
    reason = "parts of one structure that are borrowed differently"
)]
fn weigh<R: Lane>(
    like: R,
    lane: usize,
    head: &Head,
    inertias: &Inertias,
    points: &mut [Point],
    impulses: &mut [[Row; 3]],
    biases: &mut [Row],
    motion: &[Row],
    task: &Task,
) -> R {
    let (zero, one) = (like.all(0.0), like.all(1.0));
    let ia = Inertia::load(like, &inertias.bodies[0], lane);
    let ib = Inertia::load(like, &inertias.bodies[1], lane);
    let friction = like.load(&inertias.friction, lane);
    let restitution = like.load(&inertias.restitution, lane);
    let margin = like.load(&inertias.margin, lane);
    let allowed = margin * like.all(task.allowed);
    let left_alone = allowed * like.all(LEFT_ALONE);
    let [va, wa] = like.gather(motion, &head.from[0], lane);
    let [vb, wb] = like.gather(motion, &head.from[1], lane);
    // Gravity is in the velocities already, and is not what bodies meet with.
    let a_falls = R::choose(zero.below(ia.mass), one, zero);
    let b_falls = R::choose(zero.below(ib.mass), one, zero);
    let fall = V3::all(like, task.gravity * task.h).times(b_falls - a_falls);
    let masses = ia.mass + ib.mass;
    let mut deep = zero;
    for ((point, impulse), bias) in points.iter_mut().zip(impulses).zip(biases) {
        let n = like.load3(&point.normal, lane);
        let (ra, rb) = (
            like.load3(&point.arms[0], lane),
            like.load3(&point.arms[1], lane),
        );
        let t = across(n);
        let u = n.cross(t);
        // An impulse along the normal turns the bodies by this, and so moves the contact.
        let (na, nb) = (ra.cross(n), rb.cross(n));
        let (da, db) = (ia.turn(na), ib.turn(nb));
        let (ta, tb) = (ra.cross(t), rb.cross(t));
        let (ua, ub) = (ra.cross(u), rb.cross(u));
        let along_n = masses * n.dot(n) + na.dot(da) + nb.dot(db);
        let along_t = masses * t.dot(t) + ta.dot(ia.turn(ta)) + tb.dot(ib.turn(tb));
        let along_u = masses * u.dot(u) + ua.dot(ia.turn(ua)) + ub.dot(ib.turn(ub));
        inverse(along_n).store(&mut point.masses[0], lane);
        inverse(along_t).store(&mut point.masses[1], lane);
        inverse(along_u).store(&mut point.masses[2], lane);
        (ta.dot(da) + tb.dot(db)).store(&mut point.coupling[0], lane);
        (ua.dot(da) + ub.dot(db)).store(&mut point.coupling[1], lane);

        let speed = (vb + wb.cross(rb) - va - wa.cross(ra) - fall).dot(n);
        let meets = speed.below(like.all(-task.restitution_threshold));
        R::choose(meets, -(restitution * speed), zero).store(&mut point.target, lane);

        let deeper = like.load(bias, lane) - allowed;
        let push =
            (deeper * like.all(task.correction / task.h)).least(like.all(task.max_correction));
        let push = R::choose(left_alone.below(deeper), push, zero);
        push.store(bias, lane);
        deep = deep.most(push);

        // What friction did, along the new tangents and within the cone.
        let old = like.load3(&point.tangent, lane);
        let (first, second) = (old.dot(t), old.dot(u));
        let within = cone(friction * like.load(&impulse[0], lane), first, second);
        (first * within).store(&mut impulse[1], lane);
        (second * within).store(&mut impulse[2], lane);
        t.x.store(&mut point.tangent[0], lane);
        t.y.store(&mut point.tangent[1], lane);
        t.z.store(&mut point.tangent[2], lane);
    }
    deep
}

/// Applies the impulses of the last step.
#[inline(always)]
fn start<R: Lane>(
    like: R,
    lane: usize,
    head: &Head,
    inertias: &Inertias,
    points: &[Point],
    impulses: &[[Row; 3]],
    motion: &mut [Row],
) {
    let ia = Inertia::load(like, &inertias.bodies[0], lane);
    let ib = Inertia::load(like, &inertias.bodies[1], lane);
    let [mut va, mut wa] = like.gather(motion, &head.from[0], lane);
    let [mut vb, mut wb] = like.gather(motion, &head.from[1], lane);
    for (point, impulse) in points.iter().zip(impulses) {
        let n = like.load3(&point.normal, lane);
        let t = like.load3(&point.tangent, lane);
        let ra = like.load3(&point.arms[0], lane);
        let rb = like.load3(&point.arms[1], lane);
        let push = n.times(like.load(&impulse[0], lane))
            + t.times(like.load(&impulse[1], lane))
            + n.cross(t).times(like.load(&impulse[2], lane));
        va = va - push.times(ia.mass);
        wa = wa - ia.turn(ra.cross(push));
        vb = vb + push.times(ib.mass);
        wb = wb + ib.turn(rb.cross(push));
    }
    R::scatter(motion, &head.to[0], lane, [va, wa]);
    R::scatter(motion, &head.to[1], lane, [vb, wb]);
}

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

/// By what an impulse of friction has to be scaled to be at most `limit` long.
#[inline(always)]
pub(super) fn cone<R: Real>(limit: R, first: R, second: R) -> R {
    let one = limit.all(1.0);
    let length = (first * first + second * second).root();
    let outside = limit.below(length);
    R::choose(outside, limit / R::choose(outside, length, one), one)
}
