//! Impulses that stop bodies from approaching and sliding.

use super::blocks::{Head, Inertias, Point, Row};
use super::lanes::{Inertia, Lane, Pass};
use super::prepare::cone;

/// Goes over all blocks a number of times.
///
/// At a point the normal impulse comes first and friction sees what it changed: by the coupling of the directions, so that
/// both are applied to the bodies at once.
pub(super) struct Velocities<'a> {
    pub heads: &'a [Head],
    pub inertias: &'a [Inertias],
    pub points: &'a [Point],
    pub impulses: &'a mut [[Row; 3]],
    pub motion: &'a mut [Row],
    pub iterations: u32,
}

impl Pass for Velocities<'_> {
    type Out = ();

    #[inline(always)]
    fn go<R: Lane>(self, like: R) {
        for _ in 0..self.iterations {
            for (head, inertias) in self.heads.iter().zip(self.inertias) {
                let points = &self.points[head.range()];
                let impulses = &mut self.impulses[head.range()];
                for lane in (0..8).step_by(R::LANES) {
                    solve(like, lane, head, inertias, points, impulses, self.motion);
                }
            }
        }
    }
}

#[inline(always)]
fn solve<R: Lane>(
    like: R,
    lane: usize,
    head: &Head,
    inertias: &Inertias,
    points: &[Point],
    impulses: &mut [[Row; 3]],
    motion: &mut [Row],
) {
    let ia = Inertia::load(like, &inertias.bodies[0], lane);
    let ib = Inertia::load(like, &inertias.bodies[1], lane);
    let friction = like.load(&inertias.friction, lane);
    let [mut va, mut wa] = like.gather(motion, &head.from[0], lane);
    let [mut vb, mut wb] = like.gather(motion, &head.from[1], lane);
    for (point, impulse) in points.iter().zip(impulses) {
        let n = like.load3(&point.normal, lane);
        let t = like.load3(&point.tangent, lane);
        let u = n.cross(t);
        let ra = like.load3(&point.arms[0], lane);
        let rb = like.load3(&point.arms[1], lane);
        let dv = vb + wb.cross(rb) - va - wa.cross(ra);

        let old = like.load(&impulse[0], lane);
        let wanted = like.load(&point.target, lane) - dv.dot(n);
        let normal = (old + wanted * like.load(&point.masses[0], lane)).positive();
        let push = normal - old;

        let old_t = like.load(&impulse[1], lane);
        let old_u = like.load(&impulse[2], lane);
        let slide_t = dv.dot(t) + like.load(&point.coupling[0], lane) * push;
        let slide_u = dv.dot(u) + like.load(&point.coupling[1], lane) * push;
        let along_t = old_t - slide_t * like.load(&point.masses[1], lane);
        let along_u = old_u - slide_u * like.load(&point.masses[2], lane);
        let within = cone(friction * normal, along_t, along_u);
        let (along_t, along_u) = (along_t * within, along_u * within);

        let all = n.times(push) + t.times(along_t - old_t) + u.times(along_u - old_u);
        va = va - all.times(ia.mass);
        wa = wa - ia.turn(ra.cross(all));
        vb = vb + all.times(ib.mass);
        wb = wb + ib.turn(rb.cross(all));
        normal.store(&mut impulse[0], lane);
        along_t.store(&mut impulse[1], lane);
        along_u.store(&mut impulse[2], lane);
    }
    R::scatter(motion, &head.to[0], lane, [va, wa]);
    R::scatter(motion, &head.to[1], lane, [vb, wb]);
}
