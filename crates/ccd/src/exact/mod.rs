//! Decisions in exact arithmetic.
//!
//! A double is an integer times a power of two, so that after scaling by one power of two every
//! coordinate, and every polynomial in time below, has integer coefficients. All decisions are
//! signs of such polynomials at doubles or at algebraic numbers; nothing is rounded but the final
//! time or distance, and that in the stated direction. `docs/guarantees.md` (Exact decisions)
//! has the proofs.
//!
//! The first contact, if it is not at t = 0, is a root of the *contact polynomial* of some pair of
//! features (vertex–vertex, vertex–edge, and vertex–face or edge–edge): the time at which their
//! affine hulls are exactly the minimum separation apart, with the closest point inside the
//! features. The degree is at most 3 for a minimum separation of zero and at most 6 otherwise.
//!
//! The functions expect a query without NaN or infinities ([`Query::validate`]); on others they
//! return without panic but mean nothing. Cost: on queries of about one metre 10 to 60 µs with a
//! minimum separation of zero; coordinates of very different magnitude make the integers, and in
//! proportion the time, longer.

mod distance;
mod feature;
mod number;
mod poly;
mod roots;

use dashu::integer::IBig;
use jostle_geom::PairKind;

use crate::{Outcome, Query};
use feature::{Feature, Points, Reach, Reached};
use number::{Dyadic, decode, sign};
use poly::Poly;
use roots::roots;

pub use distance::{distance_bounds_at, positive_start_bound};

/// Decides whether the distance is at most `min_separation` (metres, finite, ≥ 0) at some time in
/// `[0, t_max]`, and finds the first such time.
///
/// Contact is closed: touching counts, at `t_max` too. Neither degenerate primitives nor parallel,
/// coplanar or collinear motion are special.
///
/// The time is at most the exact one and within `time_tolerance` (share of the step, ≥ 0) of it, or
/// the largest double that is not above it, which a tolerance of 0 asks for and most answers are
/// with any. It is 0 only for a contact at t = 0. [`Outcome::Undecided`] means a contact after
/// t = 0 and before the smallest positive double.
pub fn first_contact(
    query: &Query,
    min_separation: f64,
    t_max: f64,
    time_tolerance: f64,
) -> Outcome {
    if separated_along_an_axis(query, min_separation) {
        return Outcome::Free;
    }
    let scaled = Scaled::new(query, min_separation);
    if scaled.at(0.0).in_contact() {
        return Outcome::Impact { toi: 0.0 };
    }
    let moving = scaled.moving();
    let touching = moving.min_separation.is_zero();
    let mut limit = t_max;
    let mut first: Option<f64> = None;
    for feature in Feature::all(&moving) {
        let plane = matches!(feature, Feature::Plane { .. });
        // With a minimum separation of zero all contacts are times of coplanarity, and where the
        // plane is regular they are its own: the others need be asked only when it never is, or
        // is not at some such time.
        let mut others_needed = !(plane && touching);
        if let Some(p) = feature.contact_polynomial(&moving.min_separation) {
            for mut root in roots(&p, limit) {
                root.narrow(time_tolerance);
                match feature.reached_at(&mut root) {
                    Reach::Singular => others_needed = true,
                    Reach::Misses => {}
                    Reach::Touches => {
                        let (lo, hi) = root.bracket();
                        first = Some(first.map_or(lo, |t| t.min(lo)));
                        limit = limit.min(hi);
                        break;
                    }
                }
            }
        } else {
            others_needed = true;
        }
        if !others_needed {
            break;
        }
    }
    match first {
        None => Outcome::Free,
        Some(toi) if toi > 0.0 => Outcome::Impact { toi },
        Some(toi) => Outcome::Undecided { toi },
    }
}

/// Whether the distance at time `t` (taken exactly, ≥ 0) is at most `min_separation`.
pub fn in_contact_at(query: &Query, t: f64, min_separation: f64) -> bool {
    Scaled::new(query, min_separation).at(t).in_contact()
}

/// Whether the distance at t = 0 is above `min_separation`.
pub fn distance_exceeds_at_start(query: &Query, min_separation: f64) -> bool {
    !in_contact_at(query, 0.0, min_separation)
}

/// A cheap sufficient condition for a whole step without contact, itself exact.
fn separated_along_an_axis(query: &Query, min_separation: f64) -> bool {
    if min_separation != 0.0 {
        return false;
    }
    let split = match query.kind {
        PairKind::VertexFace => 1,
        PairKind::EdgeEdge => 2,
    };
    (0..3).any(|axis| {
        let apart = |sign: f64| {
            [&query.t0, &query.t1].into_iter().all(|points| {
                let (first, second) = points.split_at(split);
                let highest = first
                    .iter()
                    .map(|p| sign * p[axis])
                    .fold(f64::MIN, f64::max);
                second.iter().all(|p| sign * p[axis] > highest)
            })
        };
        apart(1.0) || apart(-1.0)
    })
}

/// A query in integers: a length is an integer times `2^exponent`.
struct Scaled {
    kind: PairKind,
    t0: [[IBig; 3]; 4],
    t1: [[IBig; 3]; 4],
    min_separation: IBig,
    exponent: i32,
}

impl Scaled {
    fn new(query: &Query, min_separation: f64) -> Self {
        let coordinates = query.t0.iter().chain(&query.t1);
        let exponent = coordinates
            .flat_map(glam::DVec3::to_array)
            .chain([min_separation])
            .map(decode)
            .filter(|&(mantissa, _)| mantissa != 0)
            .map(|(_, exponent)| exponent)
            .min()
            .unwrap_or(0);
        let integer = |x: f64| {
            let (mantissa, e) = decode(x);
            IBig::from(mantissa) << (e - exponent).max(0) as usize
        };
        let points = |p: &[glam::DVec3; 4]| p.map(|p| p.to_array().map(integer));
        Self {
            kind: query.kind,
            t0: points(&query.t0),
            t1: points(&query.t1),
            min_separation: integer(min_separation),
            exponent,
        }
    }

    fn moving(&self) -> Points {
        let at = core::array::from_fn(|point| {
            core::array::from_fn(|axis| {
                let (from, to) = (&self.t0[point][axis], &self.t1[point][axis]);
                Poly::new(vec![from.clone(), to - from])
            })
        });
        Points {
            kind: self.kind,
            at,
            min_separation: self.min_separation.clone(),
        }
    }

    /// The points at a time, in units of `2^(exponent - k)`.
    fn at(&self, t: f64) -> Fixed {
        let Dyadic { n, k, .. } = Dyadic::from_f64(t);
        let at = core::array::from_fn(|point| {
            core::array::from_fn(|axis| {
                let (from, to) = (&self.t0[point][axis], &self.t1[point][axis]);
                Poly::new(vec![(from << k) + (to - from) * &n])
            })
        });
        Fixed {
            points: Points {
                kind: self.kind,
                at,
                min_separation: &self.min_separation << k,
            },
            exponent: i64::from(self.exponent) - k as i64,
        }
    }
}

/// The points of a query at one time, in units of `2^exponent`.
struct Fixed {
    points: Points,
    exponent: i64,
}

impl Fixed {
    fn in_contact(&self) -> bool {
        let square = &self.points.min_separation * &self.points.min_separation;
        for feature in Feature::all(&self.points) {
            let plane = matches!(feature, Feature::Plane { .. });
            match feature.squared_distance() {
                Reached::At(num, den) => {
                    let within = sign(&(num - den * &square)) <= 0;
                    // A regular plane met inside has the smallest distance there is.
                    if within || plane {
                        return within;
                    }
                }
                // A regular plane holds both primitives: off the plane of all corners there is no
                // contact, on it the closest point is the origin, and it is outside.
                Reached::Outside if plane && square.is_zero() => return false,
                Reached::Singular | Reached::Outside => {}
            }
        }
        false
    }

    /// The squared distance as a numerator and a positive denominator, in units of
    /// `4^exponent`.
    fn squared_distance(&self) -> (IBig, IBig) {
        let mut best: Option<(IBig, IBig)> = None;
        for feature in Feature::all(&self.points) {
            let plane = matches!(feature, Feature::Plane { .. });
            if let Reached::At(num, den) = feature.squared_distance() {
                if plane {
                    return (num, den);
                }
                if best
                    .as_ref()
                    .is_none_or(|(n, d)| sign(&(&num * d - n * &den)) < 0)
                {
                    best = Some((num, den));
                }
            }
        }
        // Vertex and vertex is always regular and inside.
        best.unwrap_or((IBig::ZERO, IBig::ONE))
    }
}
