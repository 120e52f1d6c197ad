//! Vectors of rationals.

use dashu::rational::Relaxed;
use glam::DVec3;
use jostle_ccd::Query;
use jostle_geom::PairKind;

/// A rational. This kind only cancels powers of two, so that arithmetic on doubles stays cheap.
pub(crate) type Rational = Relaxed;

/// A vector of rationals.
pub(crate) type Vec3 = [Rational; 3];

/// A finite double, exactly; zero for any other.
pub(crate) fn rational(x: f64) -> Rational {
    Rational::try_from(x).unwrap_or(Rational::ZERO)
}

pub(crate) fn vector(p: DVec3) -> Vec3 {
    p.to_array().map(rational)
}

pub(crate) fn add(a: &Vec3, b: &Vec3) -> Vec3 {
    core::array::from_fn(|i| &a[i] + &b[i])
}

pub(crate) fn sub(a: &Vec3, b: &Vec3) -> Vec3 {
    core::array::from_fn(|i| &a[i] - &b[i])
}

pub(crate) fn scale(a: &Vec3, s: &Rational) -> Vec3 {
    core::array::from_fn(|i| &a[i] * s)
}

pub(crate) fn dot(a: &Vec3, b: &Vec3) -> Rational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

pub(crate) fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    let minor = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

pub(crate) fn is_zero(a: &Vec3) -> bool {
    a.iter().all(Rational::is_zero)
}

/// The four points at a time.
pub(crate) fn points_at(query: &Query, t: &Rational) -> [Vec3; 4] {
    core::array::from_fn(|i| {
        let from = vector(query.t0[i]);
        let step = sub(&vector(query.t1[i]), &from);
        add(&from, &scale(&step, t))
    })
}

/// Differences between the corners of both primitives.
pub(crate) fn corner_differences(kind: PairKind, points: &[Vec3; 4]) -> Vec<Vec3> {
    let split = match kind {
        PairKind::VertexFace => 1,
        PairKind::EdgeEdge => 2,
    };
    let (first, second) = points.split_at(split);
    first
        .iter()
        .flat_map(|a| second.iter().map(move |b| sub(a, b)))
        .collect()
}
