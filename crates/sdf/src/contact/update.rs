//! One pair, one step.

use glam::{DVec3, Vec3};
use jostle_geom::{ContactPoint, Manifold, Rng};

use super::finish::finish;
use super::judge::Found;
use super::objective::{LANES, Objective};
use super::optimise::Ellipsoid;
use super::pace::Pace;
use super::prepared::Prepared;
use super::sampling::{Wanted, starts};
use super::search::{gather, search};
use super::separation::{Certificate, Region, Verdict, prove};
use super::side::Side;
use super::{ContactOptions, ContactStats, Optimizer, dense};
use crate::level::Lanes;
use crate::tolerances::{PROOF_BACKOFF, PROOF_SLACK, QUIET_STEPS, QUIET_WAY};

/// What a pair remembers beside its manifold.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub certificate: Option<Certificate>,
    /// Steps until the next attempt at a proof, and how many there were before the last.
    pub wait: u8,
    pub waited: u8,
    /// Steps without contact.
    pub quiet: u32,
    /// Steps since the pair came up.
    pub age: u32,
    /// Steps since the manifold has been full of contacts.
    pub full: u32,
    /// Those of the points of the manifold, where the optimiser keeps some.
    pub ellipsoids: Vec<Ellipsoid>,
}

impl Memory {
    /// Whether a pair that has not touched for long is not looked at in this step; keeps count of it.
    fn passes_over(&mut self, touching: bool, slow: bool) -> bool {
        if touching {
            self.quiet = 0;
            self.wait = 0;
            self.waited = 0;
            return false;
        }
        self.quiet += 1;
        slow && self.quiet > QUIET_STEPS && self.age.is_multiple_of(2)
    }
}

/// Memory that is used again for each pair of a chunk.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub starts: Vec<Vec3>,
    pub fresh: Vec<Vec3>,
    pub seeds: Vec<Vec3>,
    pub found: Vec<Found>,
    pub fixed: Vec<Vec3>,
    pub last: Vec<ContactPoint>,
    pub rested: Vec<bool>,
    pub ways: Vec<f32>,
    /// Those of the starting points, where the optimiser keeps some.
    pub ellipsoids: Vec<Ellipsoid>,
    pub candidates: Vec<dense::Candidate>,
}

/// What all pairs of a step share.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub options: &'a ContactOptions,
    pub dt: f64,
    /// Which step it is: the random numbers depend on it.
    pub number: u64,
}

/// How a pair is looked at.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub options: &'a ContactOptions,
    /// All lengths of the options are to be multiplied by this.
    pub unit: f32,
    /// Where the frame of the pair has its origin, in the world.
    pub origin: DVec3,
    /// The skin of the pair, m.
    pub margin: f32,
    /// How far the bodies move against each other in the step, at most, m.
    pub way: f32,
    pub pace: Pace,
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
    let convex = options.skip_convex && a.shape.is_convex() && b.shape.is_convex();
    let way = a.way_against(b) * step.dt;
    let frame = Frame {
        options,
        unit,
        origin: (low + high) * 0.5,
        margin,
        way: way as f32,
        pace: if options.watch_moving && options.dense.is_none() && !convex {
            Pace::of(way, margin)
        } else {
            Pace::Resting
        },
    };
    let half = ((high - low) * 0.5).as_vec3();
    let mut corners = [-half, half];
    let proofs = options.separation_proofs && options.dense.is_none() && !touching;
    if proofs && known_apart(bodies, margin, memory) {
        stats.apart += 1;
        manifold.points.clear();
        return;
    }
    let sides = bodies.map(|body| Side::new(body, frame.origin));
    if proofs && prove_apart(simd, &sides, bodies, &frame, &mut corners, memory, stats) {
        stats.apart += 1;
        manifold.points.clear();
        return;
    }
    let slow = way < QUIET_WAY * f64::from(margin) && options.dense.is_none();
    if memory.passes_over(touching, slow) {
        return;
    }

    let objective = Objective {
        simd,
        a: sides[0],
        b: sides[1],
        epsilon: options.epsilon * unit * unit,
        alpha: options.alpha,
        low: corners[0],
        high: corners[1],
        fixed: &[],
        used: 0,
    };
    if let Some(across) = options.dense {
        dense::look(&objective, &frame, across, manifold, scratch, stats);
        finish(&frame, manifold, memory, scratch, stats);
        return;
    }
    gather(step, &frame, bodies, manifold, memory, scratch);
    let cached = scratch.starts.len();
    let wanted = Wanted {
        count: missing(&frame, convex, scratch),
        unit,
        curvature: options.curvature,
        pace: frame.pace,
    };
    let stream = u64::from(manifold.a) << 32 | u64::from(manifold.b);
    let seed = options.seed.wrapping_add(step.number);
    if wanted.count > 0 {
        let Scratch {
            starts: there,
            fresh,
            seeds,
            ..
        } = scratch;
        fresh.clear();
        let mut rng = Rng::new(seed, stream);
        starts(&objective, &wanted, there, &mut rng, seeds, fresh, stats);
        there.extend_from_slice(fresh);
    }
    let key = if options.optimizer == Optimizer::GradientDescent {
        // Another stream than that of the starting points.
        Rng::new(seed, !stream).next_u64() as u32
    } else {
        0
    };
    search(&objective, &frame, cached, key, scratch, stats);
    finish(&frame, manifold, memory, scratch, stats);
}

/// Whether an earlier proof says that the bodies are still apart. One that does not is forgotten.
fn known_apart(bodies: [&Prepared<'_>; 2], margin: f32, memory: &mut Memory) -> bool {
    let margin = f64::from(margin);
    let holds = |c: &Certificate| c.holds(bodies[0], bodies[1], margin);
    memory.certificate = memory.certificate.take().filter(holds);
    memory.certificate.is_some()
}

/// Tries to prove the bodies apart, unless that has failed just now. Where it fails, the corners of the overlap are moved
/// to where the bodies may touch.
#[inline(always)]
fn prove_apart<S: Lanes>(
    simd: S,
    sides: &[Side<'_>; 2],
    bodies: [&Prepared<'_>; 2],
    frame: &Frame<'_>,
    corners: &mut [Vec3; 2],
    memory: &mut Memory,
    stats: &mut ContactStats,
) -> bool {
    if memory.wait > 0 {
        memory.wait -= 1;
        return false;
    }
    let slack = PROOF_SLACK * frame.unit;
    let region = Region {
        low: corners[0] - slack,
        high: corners[1] + slack,
        margin: frame.margin,
        slack,
    };
    match prove(simd, [&sides[0], &sides[1]], bodies, &region, stats) {
        Verdict::Apart(certificate) => {
            memory.certificate = Some(certificate);
            memory.waited = 0;
            true
        }
        Verdict::Unknown { low, high } => {
            memory.waited = (2 * memory.waited + 1).min(PROOF_BACKOFF);
            memory.wait = memory.waited;
            let (low, high) = (corners[0].max(low), corners[1].min(high));
            if low.cmple(high).all() {
                *corners = [low, high];
            }
            false
        }
    }
}

/// How many new samples a pair needs, given its cached points.
fn missing(frame: &Frame<'_>, convex: bool, scratch: &Scratch) -> usize {
    let options = frame.options;
    let cached = scratch.last.len();
    let active = scratch.last.iter().filter(|p| p.active).count();
    // New samples of convex pairs ride along with cached points that move to their minima, in lanes that are free.
    let rests = active == options.cache && scratch.rested.iter().all(|&r| r);
    if convex && cached > 0 && rests && options.optimizer != Optimizer::GradientDescent {
        return 0;
    }
    let absent = options.cache - cached;
    if frame.pace.moves() {
        return frame.pace.points(cached).max(options.random + absent);
    }
    if convex || active == 0 {
        return options.random + absent;
    }
    // Cached points that are no contacts any more may have to be replaced, as when a body rolls: what touches in one place
    // and is not convex often touches in another.
    let free = LANES.saturating_sub(cached + options.random).max(absent);
    options.random + (options.cache - active).min(free)
}
