//! Contact and distance at one time, in rational arithmetic, by other means than the library's.

use jostle_ccd::Query;
use jostle_geom::PairKind;

use crate::rational::{
    Rational, Vec3, add, corner_differences, cross, dot, is_zero, points_at, rational, scale, sub,
};

/// Whether the primitives touch at time `t`.
///
/// They do when the origin is a convex combination of the corner differences, and then
/// (Carathéodory; they lie in a plane or coincide with three points) one of at most three of them
/// with positive weights: one is zero, two are opposite, or three surround it in a plane.
pub fn touch_at(query: &Query, t: f64) -> bool {
    let d = corner_differences(query.kind, &points_at(query, &rational(t)));
    let positive = |x: Rational| x > Rational::ZERO;
    let opposite = |a: &Vec3, b: &Vec3| is_zero(&cross(a, b)) && positive(-dot(a, b));
    let surround = |a: &Vec3, b: &Vec3, c: &Vec3| {
        let (ab, bc, ca) = (cross(a, b), cross(b, c), cross(c, a));
        dot(&ab, c).is_zero()
            && positive(dot(&ab, &bc))
            && positive(dot(&bc, &ca))
            && positive(dot(&ca, &ab))
    };
    (0..d.len()).any(|i| {
        is_zero(&d[i])
            || (0..i)
                .any(|j| opposite(&d[i], &d[j]) || (0..j).any(|k| surround(&d[i], &d[j], &d[k])))
    })
}

/// Whether the distance at time `t` is at most `distance`.
pub fn within_at(query: &Query, t: f64, distance: f64) -> bool {
    let d = rational(distance);
    squared_distance_at(query, t) <= &d * &d
}

/// The order of the exact distance at time `t` and a double (≥ 0).
pub fn compare_distance_at(query: &Query, t: f64, distance: f64) -> core::cmp::Ordering {
    let d = rational(distance);
    squared_distance_at(query, t).cmp(&(&d * &d))
}

pub(crate) fn squared_distance_at(query: &Query, t: f64) -> Rational {
    let p = points_at(query, &rational(t));
    match query.kind {
        PairKind::VertexFace => {
            let [v, a, b, c] = &p;
            let (e, g, w) = (sub(b, a), sub(c, a), sub(v, a));
            let n = cross(&e, &g);
            let nn = dot(&n, &n);
            if !nn.is_zero() {
                let u = dot(&cross(&w, &g), &n);
                let v = dot(&cross(&e, &w), &n);
                let zero = Rational::ZERO;
                if u >= zero && v >= zero && &u + &v <= nn {
                    let f = dot(&w, &n);
                    return &f * &f / nn;
                }
            }
            [(a, b), (b, c), (c, a)]
                .into_iter()
                .map(|(from, to)| to_segment(v, from, to))
                .min()
                .unwrap_or(Rational::ZERO)
        }
        PairKind::EdgeEdge => {
            let [a0, a1, b0, b1] = &p;
            let (e, g, w) = (sub(a1, a0), sub(b1, b0), sub(b0, a0));
            let n = cross(&e, &g);
            let nn = dot(&n, &n);
            if !nn.is_zero() {
                let range = Rational::ZERO..=nn.clone();
                let u = dot(&cross(&w, &g), &n);
                let v = dot(&cross(&w, &e), &n);
                if range.contains(&u) && range.contains(&v) {
                    let f = dot(&w, &n);
                    return &f * &f / nn;
                }
            }
            [(a0, b0, b1), (a1, b0, b1), (b0, a0, a1), (b1, a0, a1)]
                .into_iter()
                .map(|(v, from, to)| to_segment(v, from, to))
                .min()
                .unwrap_or(Rational::ZERO)
        }
    }
}

fn to_segment(v: &Vec3, from: &Vec3, to: &Vec3) -> Rational {
    let (e, w) = (sub(to, from), sub(v, from));
    let ee = dot(&e, &e);
    let along = dot(&w, &e);
    let foot = if ee.is_zero() || along <= Rational::ZERO {
        from.clone()
    } else if along >= ee {
        to.clone()
    } else {
        add(from, &scale(&e, &(along / ee)))
    };
    let d = sub(v, &foot);
    dot(&d, &d)
}
