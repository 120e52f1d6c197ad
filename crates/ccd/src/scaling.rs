//! Bringing queries with extreme coordinates into a range where products neither overflow nor
//! vanish.

use glam::DVec3;

use crate::tolerances::{SCALE_LIMIT, SCALE_LOSS};
use crate::{Query, QueryOptions};

/// The query and the minimum separation multiplied by a power of two that brings the largest of
/// all lengths to about 1, or `None` when it lies within 2^±200 (or is zero) already.
///
/// Times do not change. Scaling up is exact. Scaling down rounds what falls below 2⁻¹⁰²²: by less
/// than 2⁻¹⁰⁷⁴ a coordinate, so that the distance of two points changes by less than 2⁻¹⁰⁷²; the
/// minimum separation returned is then larger by 2⁻¹⁰⁷⁰, and the scaled query touches no later
/// than the given one.
pub(crate) fn rescale(query: &Query, min_separation: f64) -> Option<(Query, f64)> {
    let exponent = exponent(query, min_separation)?;
    let points = |points: [DVec3; 4]| {
        points.map(|p| {
            DVec3::new(
                scaled(p.x, exponent),
                scaled(p.y, exponent),
                scaled(p.z, exponent),
            )
        })
    };
    let query = Query {
        kind: query.kind,
        t0: points(query.t0),
        t1: points(query.t1),
    };
    let min_separation = scaled(min_separation, exponent);
    if exponent < 0 {
        Some((query, (min_separation + SCALE_LOSS).next_up()))
    } else {
        Some((query, min_separation))
    }
}

/// [`rescale`] for a query with all its options: lengths are scaled, times are not.
pub(crate) fn rescale_all(query: &Query, options: &QueryOptions) -> Option<(Query, QueryOptions)> {
    let exponent = exponent(query, options.min_separation)?;
    let (query, min_separation) = rescale(query, options.min_separation)?;
    Some((
        query,
        QueryOptions {
            min_separation,
            // A tolerance above all coordinates is none.
            tolerance: scaled(options.tolerance, exponent).min(f64::MAX),
            ..*options
        },
    ))
}

/// The exponent of the power of two to multiply with, at most 1024 in magnitude.
fn exponent(query: &Query, min_separation: f64) -> Option<i32> {
    let largest = query
        .t0
        .iter()
        .chain(&query.t1)
        .fold(min_separation, |m, p| m.max(p.abs().max_element()));
    // The exponent field of a subnormal is that of the smallest normal number: close enough.
    let power = (largest.to_bits() >> 52) as i32 - 1022;
    (largest > 0.0 && power.abs() > SCALE_LIMIT).then_some(-power)
}

/// `x · 2^exponent`, in two steps because the power itself may be out of range.
fn scaled(x: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    x * power_of_two(half) * power_of_two(exponent - half)
}

/// 2^exponent for exponents of normal numbers.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(scale: f64) -> Query {
        let p = DVec3::new(0.75, -0.5, 0.125) * scale;
        Query::edge_edge([p, -p, p * 0.5, p], [p, p, -p, p * 0.25])
    }

    #[test]
    fn ordinary_queries_stay() {
        for scale in [1.0, 1e-60, 1e60] {
            assert_eq!(rescale(&query(scale), 0.0), None);
        }
        assert_eq!(rescale(&query(0.0), 0.0), None);
    }

    #[test]
    fn extreme_queries_come_to_one() {
        for scale in [
            f64::MAX,
            power_of_two(1023),
            power_of_two(-1022),
            5e-324,
            1e300,
            1e-300,
        ] {
            let given = query(scale);
            let (scaled, _) = rescale(&given, 0.0).unwrap();
            let largest = scaled.t0[0].x;
            assert!(
                (power_of_two(-53)..1.0).contains(&largest),
                "{scale}: {largest}"
            );
            // A power of two: ratios stay.
            assert_eq!(scaled.t0[0].y / largest, given.t0[0].y / given.t0[0].x);
        }
    }

    #[test]
    fn lost_bits_widen_the_separation() {
        let mut given = query(1e300);
        given.t1[2].z = 5e-324;
        let (scaled, min_separation) = rescale(&given, 0.0).unwrap();
        assert_eq!(scaled.t1[2].z, 0.0);
        assert!(min_separation >= SCALE_LOSS);
    }

    #[test]
    fn a_large_separation_scales_too() {
        let (scaled, min_separation) = rescale(&query(1.0), 1e300).unwrap();
        assert!(min_separation < 1.5 && scaled.t0[0].x < 1e-299);
    }
}
