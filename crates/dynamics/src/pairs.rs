//! Which balls touch, exactly.

use jostle_broad::{Method, PairError, PairOptions};
use jostle_geom::Aabb;
use jostle_simd::batch::Ball;
use jostle_simd::rounding;

use crate::FlowError;

/// Two balls that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallPair {
    /// The ball with the smaller index.
    pub a: u32,
    /// The other one.
    pub b: u32,
    /// Distance of the centres less both radii, m: zero or negative but for rounding in double precision.
    pub gap: f64,
}

/// All pairs of closed balls that share a point, sorted: balls that touch without overlapping are a pair.
///
/// Decided exactly for the numbers given. In open space: nothing is periodic. O(n log n + pairs) for balls of
/// similar size.
///
/// # Errors
/// [`FlowError::Radius`] and [`FlowError::Grain`] for a radius that is not positive and finite and a centre that
/// is not finite, [`FlowError::TooMany`].
pub fn touching_pairs(balls: &[Ball]) -> Result<Vec<BallPair>, FlowError> {
    let mut boxes = Vec::with_capacity(balls.len());
    for (grain, ball) in balls.iter().enumerate() {
        let radius = ball.radius;
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(FlowError::Radius { grain, radius });
        }
        for value in ball.centre.to_array() {
            if !value.is_finite() {
                let what = "centre";
                return Err(FlowError::Grain { grain, what, value });
            }
        }
        let (centre, r) = (ball.centre.as_dvec3(), f64::from(radius));
        boxes.push(Aabb::new(
            (centre - r).to_array().map(rounding::down).into(),
            (centre + r).to_array().map(rounding::up).into(),
        ));
    }
    let options = PairOptions::default();
    let near = Method::default()
        .self_pairs(&boxes, &options)
        // The boxes are valid and pairs have no limit: there can only be too many balls.
        .map_err(|_: PairError| FlowError::TooMany {
            grains: balls.len(),
        })?;
    let mut pairs = Vec::new();
    for [a, b] in near {
        let (one, other) = (balls[a as usize], balls[b as usize]);
        if one.overlaps(&other) {
            let away = other.centre.as_dvec3() - one.centre.as_dvec3();
            let reach = f64::from(one.radius) + f64::from(other.radius);
            let gap = away.length() - reach;
            pairs.push(BallPair { a, b, gap });
        }
    }
    Ok(pairs)
}
