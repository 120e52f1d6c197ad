//! Pseudo-impulses that push bodies apart.

use fearless_simd::prelude::*;
use jostle_simd::lanes::Real;

use super::blocks::{Head, Inertias, Point, Row};
use super::lanes::{Inertia, gather, load, load3, scatter, store};

/// Goes over all blocks a number of times, along the normals alone.
#[inline(always)]
#[allow(
    clippy::too_many_arguments,
    reason = "parts of one structure that are borrowed differently"
)]
pub(super) fn solve<S: Simd>(
    simd: S,
    heads: &[Head],
    inertias: &[Inertias],
    points: &[Point],
    biases: &[Row],
    pushes: &mut [Row],
    motion: &mut [Row],
    iterations: u32,
) {
    for _ in 0..iterations {
        for (head, inertias) in heads.iter().zip(inertias) {
            let range = head.first as usize..(head.first + head.count) as usize;
            let ia = Inertia::load(simd, &inertias.bodies[0]);
            let ib = Inertia::load(simd, &inertias.bodies[1]);
            let [mut va, mut wa] = gather(simd, motion, &head.from[0]);
            let [mut vb, mut wb] = gather(simd, motion, &head.from[1]);
            let (points, biases) = (&points[range.clone()], &biases[range.clone()]);
            for ((point, bias), push) in points.iter().zip(biases).zip(&mut pushes[range]) {
                let n = load3(simd, &point.normal);
                let (ra, rb) = (load3(simd, &point.arms[0]), load3(simd, &point.arms[1]));
                let speed = (vb + wb.cross(rb) - va - wa.cross(ra)).dot(n);
                let old = load(simd, push);
                let wanted = load(simd, bias) - speed;
                let new = (old + wanted * load(simd, &point.masses[0])).positive();
                let all = n.times(new - old);
                va = va - all.times(ia.mass);
                wa = wa - ia.turn(ra.cross(all));
                vb = vb + all.times(ib.mass);
                wb = wb + ib.turn(rb.cross(all));
                store(push, new);
            }
            scatter(simd, motion, &head.to[0], [va, wa]);
            scatter(simd, motion, &head.to[1], [vb, wb]);
        }
    }
}
