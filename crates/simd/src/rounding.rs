//! Rounding `f64` to `f32` in one direction.
//!
//! This is the one boundary between the two precisions: world boxes are `f32`, positions are
//! `f64`. `as f32` rounds to nearest; the result is moved to the neighbouring float only where
//! that moved the value inward.

/// The largest `f32` that is not above `x`. Values below `-f32::MAX` give `-∞`; NaN stays NaN.
#[inline(always)]
pub fn down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x {
        nearest.next_down()
    } else {
        nearest
    }
}

/// The smallest `f32` that is not below `x`. Values above `f32::MAX` give `+∞`; NaN stays NaN.
#[inline(always)]
pub fn up(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x {
        nearest.next_up()
    } else {
        nearest
    }
}

/// [`down`] of the exact sum of a rounded sum and its error, |error| ≤ ½ ulp(sum).
///
/// Every `f32` is an `f64`, so none lies strictly between the rounded and the exact sum: the error
/// matters only where the rounded sum is an `f32` itself.
#[inline(always)]
pub fn down_sum(sum: f64, error: f64) -> f32 {
    let nearest = sum as f32;
    let back = f64::from(nearest);
    if back > sum || (back == sum && error < 0.0) {
        nearest.next_down()
    } else {
        nearest
    }
}

/// [`up`] of the exact sum of a rounded sum and its error; see [`down_sum`].
#[inline(always)]
pub fn up_sum(sum: f64, error: f64) -> f32 {
    let nearest = sum as f32;
    let back = f64::from(nearest);
    if back < sum || (back == sum && error > 0.0) {
        nearest.next_up()
    } else {
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn representable_values_stay() {
        for x in [
            0.0_f32,
            -0.0,
            1.5,
            -3.25,
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            1e-45,
        ] {
            assert_eq!(down(f64::from(x)), x);
            assert_eq!(up(f64::from(x)), x);
        }
    }

    #[test]
    fn others_move_to_the_two_neighbours() {
        for x in [
            0.1,
            -0.1,
            1e-50,
            -1e-50,
            16777217.0,
            3.5e38,
            -3.5e38,
            f64::MAX,
        ] {
            let (lo, hi) = (down(x), up(x));
            assert!(f64::from(lo) < x && x < f64::from(hi), "{x}: {lo} {hi}");
            assert_eq!(lo.next_up(), hi);
        }
    }
}
