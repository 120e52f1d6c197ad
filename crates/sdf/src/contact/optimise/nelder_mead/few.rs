//! One or two simplices on all lanes.

use fearless_simd::{f32x8, mask32x8, prelude::*};
use glam::Vec3;
use jostle_simd::lanes::{Real, V3};

use super::super::Start;
use super::Corner;
use crate::contact::objective::{LANES, Objective, lanes_of};
use crate::contact::{ContactOptions, ContactStats};
use crate::level::Lanes;
use crate::tolerances::{LOOK_AGAIN, SIMPLEX_FLAT};

/// At most so many simplices are few.
pub(super) const FEW: u64 = 2;

/// Points of a simplex that are looked at together.
const POINTS: usize = LANES / FEW as usize;

/// Where a step may lead: a reflection, an expansion, a contraction outside and one inside.
const FACTORS: [f32; POINTS] = [1.0, 2.0, 0.5, -0.5];

#[derive(Clone, Copy)]
struct Simplex {
    /// Where it goes back to; none when there is one simplex only.
    lane: Option<usize>,
    live: bool,
    steps: usize,
    x: [Vec3; 4],
    g: [f32; 4],
}

/// Simplices of lanes that are still live, when these are few.
///
/// Each step looks at all points that it may lead to at once, so that it takes one evaluation, and one more if it shrinks.
#[derive(Clone, Copy)]
pub(super) struct Few<S: Lanes> {
    all: [Simplex; FEW as usize],
    /// Which lanes the eight points stand for.
    who: f32x8<S>,
}

impl<S: Lanes> Few<S> {
    /// The simplices of the live lanes, whose corners are sorted.
    #[inline(always)]
    pub(super) fn new(
        objective: &Objective<'_, S>,
        live: mask32x8<S>,
        corners: [Corner<S>; 4],
        steps: f32x8<S>,
    ) -> Self {
        let none = Simplex {
            lane: None,
            live: false,
            steps: 0,
            x: [Vec3::ZERO; 4],
            g: [0.0; 4],
        };
        let mut all = [none; FEW as usize];
        let mut bits = live.to_bitmask();
        for simplex in &mut all {
            if bits == 0 {
                break;
            }
            simplex.lane = Some(bits.trailing_zeros() as usize);
            simplex.live = true;
            bits &= bits - 1;
        }
        let steps = steps.to_eight();
        for (at, corner) in corners.iter().enumerate() {
            let (x, y, z) = (
                corner.x.x.to_eight(),
                corner.x.y.to_eight(),
                corner.x.z.to_eight(),
            );
            let g = corner.g.to_eight();
            for simplex in &mut all {
                let lane = simplex.lane.unwrap_or(0);
                simplex.x[at] = Vec3::new(x[lane], y[lane], z[lane]);
                simplex.g[at] = g[lane];
                simplex.steps = steps[lane] as usize;
            }
        }
        let mut who = [0.0; LANES];
        for (i, who) in who.iter_mut().enumerate() {
            *who = all[i / POINTS].lane.unwrap_or(0) as f32;
        }
        Self {
            all,
            who: f32x8::from_slice(objective.simd, &who),
        }
    }

    /// Works out the values of the corners.
    #[inline(always)]
    pub(super) fn measure(
        &mut self,
        objective: &Objective<'_, S>,
        others: V3<f32x8<S>>,
        stats: &mut ContactStats,
    ) {
        let x = self.corners(objective);
        let g = objective.value_as(self.who, x, others).to_eight();
        for (simplex, g) in self.all.iter_mut().zip(g.chunks_exact(POINTS)) {
            simplex.g.copy_from_slice(g);
            simplex.sort();
            stats.evaluations += POINTS as u64 * u64::from(simplex.live);
        }
    }

    #[inline(always)]
    fn corners(&self, objective: &Objective<'_, S>) -> V3<f32x8<S>> {
        let mut at = [Vec3::ZERO; LANES];
        for (at, simplex) in at.chunks_exact_mut(POINTS).zip(&self.all) {
            at.copy_from_slice(&simplex.x);
        }
        lanes_of(objective.simd, &at)
    }

    /// Goes on until all are done. `x` is where all lanes are; the result is where they are then.
    #[inline(always)]
    pub(super) fn minimise(
        mut self,
        objective: &Objective<'_, S>,
        start: &Start<S>,
        options: &ContactOptions,
        x: V3<f32x8<S>>,
        mut others: V3<f32x8<S>>,
        stats: &mut ContactStats,
    ) -> V3<f32x8<S>> {
        let tau = options.tau * start.unit;
        let (low, high) = (objective.low, objective.high);
        let rows = [x.x.to_eight(), x.y.to_eight(), x.z.to_eight()];
        let mut best = [Vec3::ZERO; LANES];
        for (lane, best) in best.iter_mut().enumerate() {
            *best = Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
        }
        let mut rounds = 0;
        loop {
            let mut left = 0;
            for simplex in &mut self.all {
                simplex.live &= !simplex.done(tau, options.iterations);
                left += u64::from(simplex.live);
            }
            if left == 0 {
                break;
            }
            if rounds % LOOK_AGAIN == LOOK_AGAIN - 1 {
                self.put_back(&mut best);
                let now = lanes_of(objective.simd, &best);
                self.look_again(objective, others, now);
                others = now;
            }
            rounds += 1;
            stats.iterations += left;
            stats.evaluations += POINTS as u64 * left;
            let mut at = [Vec3::ZERO; LANES];
            for (at, simplex) in at.chunks_exact_mut(POINTS).zip(&self.all) {
                let centroid = (simplex.x[0] + simplex.x[1] + simplex.x[2]) * (1.0 / 3.0);
                for (at, factor) in at.iter_mut().zip(FACTORS) {
                    let along = centroid + (centroid - simplex.x[3]) * factor;
                    *at = Vec3::new(
                        along.x.between(low.x, high.x),
                        along.y.between(low.y, high.y),
                        along.z.between(low.z, high.z),
                    );
                }
            }
            let x = lanes_of(objective.simd, &at);
            let g = objective.value_as(self.who, x, others).to_eight();
            let mut shrinks = [false; FEW as usize];
            for (i, simplex) in self.all.iter_mut().enumerate() {
                let points = i * POINTS..(i + 1) * POINTS;
                shrinks[i] = simplex.live && !simplex.step(&at[points.clone()], &g[points]);
            }
            if shrinks.contains(&true) {
                self.shrink(objective, shrinks, others, stats);
            }
        }
        self.put_back(&mut best);
        lanes_of(objective.simd, &best)
    }

    /// The best corners to their lanes.
    fn put_back(&self, best: &mut [Vec3; LANES]) {
        for simplex in &self.all {
            if let Some(lane) = simplex.lane {
                best[lane] = simplex.x[0];
            }
        }
    }

    /// Corrects the values of the corners for where the points are now that repel them.
    #[inline(always)]
    fn look_again(
        &mut self,
        objective: &Objective<'_, S>,
        before: V3<f32x8<S>>,
        now: V3<f32x8<S>>,
    ) {
        let x = self.corners(objective);
        let more =
            objective.repulsion_as(self.who, x, before) - objective.repulsion_as(self.who, x, now);
        let more = more.to_eight();
        for (simplex, more) in self.all.iter_mut().zip(more.chunks_exact(POINTS)) {
            for (g, more) in simplex.g.iter_mut().zip(more) {
                *g += more;
            }
            simplex.sort();
        }
    }

    /// Moves all corners of some simplices halfway to the best one.
    #[inline(always)]
    fn shrink(
        &mut self,
        objective: &Objective<'_, S>,
        which: [bool; FEW as usize],
        others: V3<f32x8<S>>,
        stats: &mut ContactStats,
    ) {
        for (simplex, shrinks) in self.all.iter_mut().zip(which) {
            if shrinks {
                let to = simplex.x[0];
                for x in &mut simplex.x[1..] {
                    *x = to + (*x - to) * 0.5;
                }
                stats.evaluations += 3;
            }
        }
        let x = self.corners(objective);
        let g = objective.value_as(self.who, x, others).to_eight();
        for ((simplex, g), shrinks) in self.all.iter_mut().zip(g.chunks_exact(POINTS)).zip(which) {
            if shrinks {
                simplex.g[1..].copy_from_slice(&g[1..]);
                simplex.sort();
            }
        }
    }
}

impl Simplex {
    /// Whether it is small, flat, or old.
    fn done(&self, tau: f32, iterations: usize) -> bool {
        let extent = |i: usize| (self.x[i] - self.x[0]).length_squared();
        let extent = extent(1).max(extent(2)).max(extent(3));
        extent < tau * tau || self.g[3] - self.g[0] < SIMPLEX_FLAT * tau || self.steps >= iterations
    }

    /// Takes one of the points that a step may lead to; whether it did.
    fn step(&mut self, x: &[Vec3], g: &[f32]) -> bool {
        self.steps += 1;
        let taken = if g[0] < self.g[0] {
            usize::from(g[1] < g[0])
        } else if g[0] < self.g[2] {
            0
        } else {
            let contraction = if g[0] < self.g[3] { 2 } else { 3 };
            if g[contraction] >= g[0].min(self.g[3]) || g[contraction].is_nan() {
                return false;
            }
            contraction
        };
        (self.x[3], self.g[3]) = (x[taken], g[taken]);
        self.sort();
        true
    }

    /// Brings the best corner to the front and the worst to the end. What is not a number stays.
    fn sort(&mut self) {
        for (i, j) in [(2, 3), (1, 2), (0, 1), (2, 3), (1, 2), (2, 3)] {
            if self.g[j] < self.g[i] {
                self.g.swap(i, j);
                self.x.swap(i, j);
            }
        }
    }
}
