//! Proofs that two bodies are apart, and for how much motion they hold.

use glam::{DVec3, Vec3};
use jostle_geom::Rotation;
use jostle_simd::lanes::Real;

use super::ContactStats;
use super::objective::{LANES, lanes_of};
use super::prepared::Prepared;
use super::side::Side;
use crate::level::Lanes;
use crate::tolerances::{PROOF_BATCHES, PROOF_DEPTH};

/// Two bodies that are at least `distance` apart where they were when it was found out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Certificate {
    distance: f64,
    /// Of the second body's centre in the axes of the first.
    centre: DVec3,
    /// Of the second body in the axes of the first.
    rotation: Rotation,
    /// Whether the first body of the pair is the one that the other is seen from.
    from_a: bool,
    /// What it was found out of.
    forms: [Form; 2],
}

/// Which shape a body has, and how large it is: nothing that was proved of another one holds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Form {
    /// Where it is in memory, never looked at.
    shape: usize,
    scale: f32,
    radius: f64,
}

impl Form {
    fn of(body: &Prepared<'_>) -> Self {
        Self {
            shape: core::ptr::from_ref(body.shape).addr(),
            scale: body.scale,
            radius: body.radius,
        }
    }
}

/// Where `b` is, seen from `a`.
fn relative(a: &Prepared<'_>, b: &Prepared<'_>) -> (DVec3, Rotation) {
    let back = a.rotation.inverse();
    (back.rotate(b.position - a.position), back.after(b.rotation))
}

impl Certificate {
    /// Seen from the body that reaches farther, so that a turn moves the other by little.
    fn new(a: &Prepared<'_>, b: &Prepared<'_>, distance: f64) -> Self {
        let from_a = a.radius >= b.radius;
        let (centre, rotation) = if from_a {
            relative(a, b)
        } else {
            relative(b, a)
        };
        Self {
            distance,
            centre,
            rotation,
            from_a,
            forms: [Form::of(a), Form::of(b)],
        }
    }

    /// Whether the bodies are still at least `margin` apart.
    ///
    /// A point of the second body, at most R from its centre, has moved in the axes of the first by at most
    /// |Δc| + 2 sin(θ/2) R, θ being the angle of the turn since.
    pub(super) fn holds(&self, a: &Prepared<'_>, b: &Prepared<'_>, margin: f64) -> bool {
        if self.forms != [Form::of(a), Form::of(b)] {
            return false;
        }
        let (seen, other) = if self.from_a { (a, b) } else { (b, a) };
        let (centre, rotation) = relative(seen, other);
        let [x, y, z, _] = self.rotation.inverse().after(rotation).to_array();
        let turn = 2.0 * DVec3::new(x, y, z).length();
        // The slack is for the rounding of all this.
        let slack = 1e-9 * (1.0 + centre.length());
        self.distance - (centre - self.centre).length() - turn * other.radius - slack > margin
    }
}

/// What an attempt to prove two bodies apart has found.
pub(super) enum Verdict {
    Apart(Certificate),
    /// They may touch, if at all, between these corners of the frame.
    Unknown {
        low: Vec3,
        high: Vec3,
    },
}

/// Where two bodies that are not proved apart may touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// The corners of the overlap of their boxes, each grown by half the margin and by `slack`.
    pub low: Vec3,
    pub high: Vec3,
    /// How far apart they have to be at least, m.
    pub margin: f32,
    pub slack: f32,
}

/// Tries to prove that the bodies are more than the margin apart.
///
/// Were two points of the bodies at a distance d of at most margin + 2 slack, the point halfway between them would be in
/// the region, and the fields there at most `K_A` d / 2 and `K_B` d / 2 with Lipschitz bounds K. So when the sum of the
/// fields is at least L everywhere in it, the bodies are at least min(2 L / (`K_A` + `K_B`), margin + 2 slack) apart.
///
/// The sum is bounded in cells of an octree, eight at a time, by its value at the centre less (`K_A` + `K_B`) times the
/// radius.
pub(super) fn prove<S: Lanes>(
    simd: S,
    sides: [&Side<'_>; 2],
    bodies: [&Prepared<'_>; 2],
    region: &Region,
    stats: &mut ContactStats,
) -> Verdict {
    let Region {
        low,
        high,
        margin,
        slack,
    } = *region;
    let (middle, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let unknown = Verdict::Unknown { low, high };
    // The points of the bodies that are nearest to each other may be this far outside.
    let whole = half.length() + 0.5 * margin + slack;
    let k = sides[0].lipschitz_in(middle, whole) + sides[1].lipschitz_in(middle, whole);
    if !k.is_finite() {
        return unknown;
    }
    // Rounding of the fields is small against this part of the bound.
    let k = k * (1.0 + 1e-5);
    let needed = 0.5 * k * margin;
    let mut least = f32::INFINITY;
    // Cells in doubt: their centres and levels.
    let mut stack = [(Vec3::ZERO, 0_u32); 8 * PROOF_DEPTH as usize];
    stack[0] = (middle, 0);
    let (mut top, mut batches) = (1, 0);
    let mut doubt = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    while top > 0 {
        top -= 1;
        let (centre, level) = stack[top];
        let half = half / (2_u32 << level) as f32;
        if batches == PROOF_BATCHES {
            let whole = half * 2.0;
            doubt = [doubt[0].min(centre - whole), doubt[1].max(centre + whole)];
            continue;
        }
        batches += 1;
        stats.evaluations += 8;
        let sum = sums(simd, sides, centre, half);
        let lost = k * half.length();
        for (i, &sum) in sum.iter().enumerate() {
            let bound = sum - lost;
            if bound >= needed {
                least = least.min(bound);
                continue;
            }
            let at = octant(centre, half, i);
            if sum < needed || sum.is_nan() {
                // No bound over a cell around this point will ever do.
                if level == 0 || batches > 2 {
                    return unknown;
                }
            }
            if level + 1 < PROOF_DEPTH && top < stack.len() {
                stack[top] = (at, level + 1);
                top += 1;
            } else {
                doubt = [doubt[0].min(at - half), doubt[1].max(at + half)];
            }
        }
    }
    if doubt[0].x <= doubt[1].x {
        return Verdict::Unknown {
            low: doubt[0],
            high: doubt[1],
        };
    }
    let distance = (2.0 * least / k).min(margin + 2.0 * slack);
    Verdict::Apart(Certificate::new(bodies[0], bodies[1], f64::from(distance)))
}

/// The sum of the fields at the centres of the octants of a cell.
#[inline(never)]
fn sums<S: Lanes>(simd: S, sides: [&Side<'_>; 2], centre: Vec3, half: Vec3) -> [f32; 8] {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut at = [centre; LANES];
            for (i, at) in at.iter_mut().enumerate() {
                *at = octant(centre, half, i);
            }
            let x = lanes_of(simd, &at);
            (sides[0].eval(simd, x).value + sides[1].eval(simd, x).value).to_eight()
        },
    )
}

/// The centre of an octant of a cell whose octants have half the size `half`.
fn octant(centre: Vec3, half: Vec3, i: usize) -> Vec3 {
    let side = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
    centre + half * Vec3::new(side(0), side(1), side(2))
}
