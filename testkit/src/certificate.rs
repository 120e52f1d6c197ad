//! Checks certificates in rational arithmetic.

use jostle_ccd::{Piece, Query};
use jostle_geom::PairKind;

use crate::oracle::squared_distance_at;
use crate::rational::{
    Rational, Vec3, add, corner_differences, cross, dot, points_at, rational, scale, sub, vector,
};

/// Whether the pieces prove that the distance stays above `min_separation` on `[0, t_end]`.
///
/// # Errors
/// A sentence that names the first piece that does not hold, or the gap.
pub fn check_certificate(
    query: &Query,
    min_separation: f64,
    t_end: f64,
    pieces: &[Piece],
) -> Result<(), String> {
    let m = rational(min_separation);
    let mut covered = 0.0;
    for (i, piece) in pieces.iter().enumerate() {
        let [from, to] = piece.stretch();
        if !(from <= covered && from <= to) {
            return Err(format!(
                "piece {i} covers [{from}, {to}], but only [0, {covered}] is covered before it"
            ));
        }
        if !holds(query, &m, piece) {
            return Err(format!("piece {i} does not hold: {piece:?}"));
        }
        covered = to.max(covered);
    }
    // An answer of zero claims nothing.
    if t_end > 0.0 && (pieces.is_empty() || covered < t_end) {
        return Err(format!("only [0, {covered}] of [0, {t_end}] is covered"));
    }
    Ok(())
}

fn holds(query: &Query, m: &Rational, piece: &Piece) -> bool {
    let differences = |t: f64| corner_differences(query.kind, &points_at(query, &rational(t)));
    let parts = |[high, low]: [glam::DVec3; 2]| add(&vector(high), &vector(low));
    match *piece {
        Piece::Direction {
            high,
            low,
            from,
            to,
        } => {
            let d = parts([high, low]);
            let bound = m * m * dot(&d, &d);
            [from, to]
                .into_iter()
                .flat_map(differences)
                .all(|difference| above(&dot(&d, &difference), &bound))
        }
        Piece::TurningDirection {
            start,
            end,
            from,
            to,
        } => {
            let (start, end) = (parts(start), parts(end));
            let bound = m * m * dot(&start, &start).max(dot(&end, &end));
            differences(from)
                .iter()
                .zip(&differences(to))
                .all(|(at_from, at_to)| {
                    let middle = dot(&start, at_to) + dot(&end, at_from);
                    above(&dot(&start, at_from), &bound)
                        && above(&(middle / rational(2.0)), &bound)
                        && above(&dot(&end, at_to), &bound)
                })
        }
        Piece::Cubic { from, to } => {
            cubic_holds(query, m, &rational(from), &rational(to), HALVINGS)
        }
        Piece::Start { to } => start_holds(query, m, &rational(to)),
        _ => false,
    }
}

/// `x > √bound`.
fn above(x: &Rational, bound: &Rational) -> bool {
    *x > Rational::ZERO && x * x > *bound
}

/// `E`, `G`, `w` of `F = w + u E + v G` at a time.
fn frame(query: &Query, t: &Rational) -> [Vec3; 3] {
    let [p0, p1, p2, p3] = points_at(query, t);
    match query.kind {
        PairKind::VertexFace => [sub(&p1, &p2), sub(&p1, &p3), sub(&p0, &p1)],
        PairKind::EdgeEdge => [sub(&p1, &p0), sub(&p2, &p3), sub(&p0, &p2)],
    }
}

/// Enough to come as close to a root as neighbouring doubles are.
const HALVINGS: u32 = 60;

/// Whether the distance of the plane stays above `m`: the Bernstein coefficients of
/// `f = (E × G)·w` have one strict sign and are larger than `m` times those of `E × G`. Where they do
/// not on the whole interval, they may on its halves: a root makes that fail in the end, as do ends
/// closer to one than the last halves are long.
fn cubic_holds(query: &Query, m: &Rational, from: &Rational, to: &Rational, halvings: u32) -> bool {
    let ([e0, g0, w0], [e1, g1, w1]) = (frame(query, from), frame(query, to));
    let half = rational(0.5);
    let n00 = cross(&e0, &g0);
    let n01 = scale(&add(&cross(&e0, &g1), &cross(&e1, &g0)), &half);
    let n11 = cross(&e1, &g1);
    let two = rational(2.0);
    let three = rational(3.0);
    let coefficients = [
        dot(&n00, &w0),
        (dot(&n00, &w1) + &two * dot(&n01, &w0)) / &three,
        (dot(&n11, &w0) + two * dot(&n01, &w1)) / three,
        dot(&n11, &w1),
    ];
    let longest = [&n00, &n01, &n11].map(|n| dot(n, n)).into_iter().max();
    let bound = m * m * longest.unwrap_or(Rational::ZERO);
    let positive = coefficients.iter().all(|c| above(c, &bound));
    let negative = coefficients.iter().all(|c| above(&-c.clone(), &bound));
    if positive || negative {
        return true;
    }
    let mid = (from + to) * half;
    halvings > 0
        && cubic_holds(query, m, from, &mid, halvings - 1)
        && cubic_holds(query, m, &mid, to, halvings - 1)
}

/// Whether `m + to · speed < distance at the start`, with the largest speed of a corner difference.
fn start_holds(query: &Query, m: &Rational, to: &Rational) -> bool {
    let velocity: [Vec3; 4] =
        core::array::from_fn(|i| sub(&vector(query.t1[i]), &vector(query.t0[i])));
    let squared_speed = corner_differences(query.kind, &velocity)
        .iter()
        .map(|v| dot(v, v))
        .max()
        .unwrap_or(Rational::ZERO);
    // (m + to s)² < d², that is 2 m to s < d² - m² - to² s².
    let rest = squared_distance_at(query, 0.0) - m * m - to * to * &squared_speed;
    let left = rational(2.0) * m * to;
    rest > Rational::ZERO && &rest * &rest > &left * &left * squared_speed
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, dvec3};

    use super::*;

    fn falling() -> Query {
        // A vertex falling from 1 to -1 onto a triangle in z = 0: contact at 0.5.
        let face = [
            dvec3(-1.0, -1.0, 0.0),
            dvec3(2.0, -1.0, 0.0),
            dvec3(-1.0, 2.0, 0.0),
        ];
        let at = |z: f64| [dvec3(0.0, 0.0, z), face[0], face[1], face[2]];
        Query::vertex_face(at(1.0), at(-1.0))
    }

    fn up(from: f64, to: f64) -> Piece {
        Piece::Direction {
            high: DVec3::Z,
            low: DVec3::ZERO,
            from,
            to,
        }
    }

    #[test]
    fn true_pieces_pass_and_false_ones_do_not() {
        let q = falling();
        let just = 0.5_f64.next_down();
        let check = |m: f64, end: f64, pieces: &[Piece]| check_certificate(&q, m, end, pieces);
        assert_eq!(check(0.0, just, &[up(0.0, just)]), Ok(()));
        assert!(check(0.0, 0.5, &[up(0.0, 0.5)]).is_err());
        assert_eq!(check(0.5, 0.24, &[up(0.0, 0.24)]), Ok(()));
        assert!(check(0.5, 0.25, &[up(0.0, 0.25)]).is_err());
        let cubic = |from: f64, to: f64| Piece::Cubic { from, to };
        assert_eq!(check(0.0, just, &[up(0.0, 0.2), cubic(0.2, just)]), Ok(()));
        assert!(check(0.0, 0.5, &[cubic(0.0, 0.5)]).is_err());
        assert_eq!(check(0.5, 0.24, &[cubic(0.0, 0.24)]), Ok(()));
        assert!(check(0.5, 0.25, &[cubic(0.0, 0.25)]).is_err());
        assert_eq!(check(0.0, 0.49, &[Piece::Start { to: 0.49 }]), Ok(()));
        assert!(check(0.0, 0.5, &[Piece::Start { to: 0.5 }]).is_err());
        assert!(check(0.5, 0.25, &[Piece::Start { to: 0.25 }]).is_err());
        let turning = |to: f64| Piece::TurningDirection {
            start: [DVec3::Z, DVec3::ZERO],
            end: [dvec3(0.25, 0.0, 1.0), DVec3::ZERO],
            from: 0.0,
            to,
        };
        assert_eq!(check(0.0, 0.125, &[turning(0.125)]), Ok(()));
        assert!(check(0.0, just, &[turning(just)]).is_err());
    }

    #[test]
    fn gaps_are_found() {
        let q = falling();
        assert!(check_certificate(&q, 0.0, 0.4, &[up(0.0, 0.2), up(0.3, 0.4)]).is_err());
        assert!(check_certificate(&q, 0.0, 0.4, &[up(0.0, 0.3)]).is_err());
        assert!(check_certificate(&q, 0.0, 0.4, &[]).is_err());
        assert_eq!(check_certificate(&q, 0.0, 0.0, &[]), Ok(()));
    }
}
