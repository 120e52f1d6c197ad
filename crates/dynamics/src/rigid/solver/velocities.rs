//! Impulses that stop bodies from approaching and sliding.

use fearless_simd::prelude::*;
use jostle_simd::lanes::Real;

use super::blocks::{Head, Inertias, Point, Row};
use super::lanes::{Inertia, gather, load, load3, scatter, store};
use super::prepare::cone;

/// Goes over all blocks a number of times.
///
/// At a point the normal impulse comes first and friction sees what it changed: by the coupling of the directions, so that
/// both are applied to the bodies at once.
#[inline(always)]
pub(super) fn solve<S: Simd>(
    simd: S,
    heads: &[Head],
    inertias: &[Inertias],
    points: &[Point],
    impulses: &mut [[Row; 3]],
    motion: &mut [Row],
    iterations: u32,
) {
    for _ in 0..iterations {
        for (head, inertias) in heads.iter().zip(inertias) {
            let range = head.first as usize..(head.first + head.count) as usize;
            let ia = Inertia::load(simd, &inertias.bodies[0]);
            let ib = Inertia::load(simd, &inertias.bodies[1]);
            let friction = load(simd, &inertias.friction);
            let [mut va, mut wa] = gather(simd, motion, &head.from[0]);
            let [mut vb, mut wb] = gather(simd, motion, &head.from[1]);
            for (point, impulse) in points[range.clone()].iter().zip(&mut impulses[range]) {
                let (n, t) = (load3(simd, &point.normal), load3(simd, &point.tangent));
                let u = n.cross(t);
                let (ra, rb) = (load3(simd, &point.arms[0]), load3(simd, &point.arms[1]));
                let dv = vb + wb.cross(rb) - va - wa.cross(ra);

                let old = load(simd, &impulse[0]);
                let wanted = load(simd, &point.target) - dv.dot(n);
                let normal = (old + wanted * load(simd, &point.masses[0])).positive();
                let push = normal - old;

                let (old_t, old_u) = (load(simd, &impulse[1]), load(simd, &impulse[2]));
                let slide_t = dv.dot(t) + load(simd, &point.coupling[0]) * push;
                let slide_u = dv.dot(u) + load(simd, &point.coupling[1]) * push;
                let along_t = old_t - slide_t * load(simd, &point.masses[1]);
                let along_u = old_u - slide_u * load(simd, &point.masses[2]);
                let within = cone(friction * normal, along_t, along_u);
                let (along_t, along_u) = (along_t * within, along_u * within);

                let all = n.times(push) + t.times(along_t - old_t) + u.times(along_u - old_u);
                va = va - all.times(ia.mass);
                wa = wa - ia.turn(ra.cross(all));
                vb = vb + all.times(ib.mass);
                wb = wb + ib.turn(rb.cross(all));
                store(&mut impulse[0], normal);
                store(&mut impulse[1], along_t);
                store(&mut impulse[2], along_u);
            }
            scatter(simd, motion, &head.to[0], [va, wa]);
            scatter(simd, motion, &head.to[1], [vb, wb]);
        }
    }
}
