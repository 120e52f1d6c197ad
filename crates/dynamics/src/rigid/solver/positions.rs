//! Pseudo-impulses that push bodies apart.

use super::blocks::{Head, Inertias, Point, Row};
use super::lanes::{Inertia, Lane, Pass};

/// Goes over all blocks a number of times, along the normals alone.
pub(super) struct Positions<'a> {
    pub heads: &'a [Head],
    pub inertias: &'a [Inertias],
    pub points: &'a [Point],
    pub biases: &'a [Row],
    pub pushes: &'a mut [Row],
    pub motion: &'a mut [Row],
    pub iterations: u32,
}

impl Pass for Positions<'_> {
    type Out = ();

    #[inline(always)]
    fn go<R: Lane>(self, like: R) {
        for _ in 0..self.iterations {
            for (head, inertias) in self.heads.iter().zip(self.inertias) {
                let points = &self.points[head.range()];
                let biases = &self.biases[head.range()];
                let pushes = &mut self.pushes[head.range()];
                for lane in (0..8).step_by(R::LANES) {
                    let motion = &mut *self.motion;
                    solve(like, lane, head, inertias, points, biases, pushes, motion);
                }
            }
        }
    }
}

#[inline(always)]
#[allow(
    clippy::too_many_arguments,
    reason = "parts of one structure that are borrowed differently"
)]
fn solve<R: Lane>(
    like: R,
    lane: usize,
    head: &Head,
    inertias: &Inertias,
    points: &[Point],
    biases: &[Row],
    pushes: &mut [Row],
    motion: &mut [Row],
) {
    let ia = Inertia::load(like, &inertias.bodies[0], lane);
    let ib = Inertia::load(like, &inertias.bodies[1], lane);
    let [mut va, mut wa] = like.gather(motion, &head.from[0], lane);
    let [mut vb, mut wb] = like.gather(motion, &head.from[1], lane);
    for ((point, bias), push) in points.iter().zip(biases).zip(pushes) {
        let n = like.load3(&point.normal, lane);
        let ra = like.load3(&point.arms[0], lane);
        let rb = like.load3(&point.arms[1], lane);
        let speed = (vb + wb.cross(rb) - va - wa.cross(ra)).dot(n);
        let old = like.load(push, lane);
        let wanted = like.load(bias, lane) - speed;
        let new = (old + wanted * like.load(&point.masses[0], lane)).positive();
        let all = n.times(new - old);
        va = va - all.times(ia.mass);
        wa = wa - ia.turn(ra.cross(all));
        vb = vb + all.times(ib.mass);
        wb = wb + ib.turn(rb.cross(all));
        new.store(push, lane);
    }
    R::scatter(motion, &head.to[0], lane, [va, wa]);
    R::scatter(motion, &head.to[1], lane, [vb, wb]);
}
