//! Queries that break careless collision detection.

use glam::{DVec3, dvec3};
use jostle_ccd::Query;
use jostle_geom::PairKind;
use proptest::prelude::{Just, Strategy, any};
use proptest::sample::select;

use crate::Rng;

/// What makes a query hard. Degeneracies are exact: they are made of small integers, and then
/// moved, turned by right angles and scaled by powers of two only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Nothing special; two in three cross.
    Random,
    /// All points stay in one plane in general position: the coplanarity cubic vanishes.
    Coplanar,
    /// All points stay on one line.
    Collinear,
    /// Parallel edges; a face that moves along its own normal.
    Parallel,
    /// Contact at t = 0, at a point inside, on an edge or at a vertex.
    Touching,
    /// In contact, or a hair off it, all the time: a vertex sliding over a face, edges along
    /// each other.
    Sliding,
    /// Tangential arrival: the cubic, or the in-plane quadratic, has a double root, or misses one
    /// by a hair.
    Grazing,
    /// Contact exactly at t = 1, t = 1/2 or another simple time, through corners.
    Corner,
    /// An edge of length zero at the start, the end or throughout.
    ZeroEdge,
    /// A face of area zero at the start, the end or throughout.
    ZeroArea,
    /// The same points at the start and at the end.
    Identical,
    /// Both primitives begin at the same place, or share a vertex.
    Coincident,
    /// About one metre in size and 10⁶ metres from the origin.
    FarFromOrigin,
    /// 10⁻⁹ metres in size.
    Tiny,
    /// Points of sizes from 10⁻⁹ to 10⁶ mixed.
    MixedScales,
    /// Integers from -3 to 3, with many coincidences.
    Grid,
    /// Around 2³⁴⁰, where products of three coordinates overflow.
    Huge,
    /// Around 10³⁰⁰, where differences nearly and products surely overflow.
    NearOverflow,
    /// Below the smallest normal double.
    Subnormal,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 19] = [
        Self::Random,
        Self::Coplanar,
        Self::Collinear,
        Self::Parallel,
        Self::Touching,
        Self::Sliding,
        Self::Grazing,
        Self::Corner,
        Self::ZeroEdge,
        Self::ZeroArea,
        Self::Identical,
        Self::Coincident,
        Self::FarFromOrigin,
        Self::Tiny,
        Self::MixedScales,
        Self::Grid,
        Self::Huge,
        Self::NearOverflow,
        Self::Subnormal,
    ];
}

type Points = [DVec3; 4];

/// `count` queries, the families in turn. The same seed gives the same queries.
pub fn hard_queries(seed: u64, count: usize) -> impl Iterator<Item = (Family, Query)> {
    let mut rng = Rng::new(seed);
    Family::ALL
        .into_iter()
        .cycle()
        .take(count)
        .map(move |family| (family, hard_query(family, &mut rng)))
}

/// For property tests: queries of all families.
pub fn query_strategy() -> impl Strategy<Value = (Family, Query)> {
    (select(&Family::ALL[..]), any::<u64>())
        .prop_flat_map(|(family, seed)| Just((family, hard_query(family, &mut Rng::new(seed)))))
}

/// One query of a family, of a random kind.
pub fn hard_query(family: Family, rng: &mut Rng) -> Query {
    let kind = if rng.one_in(2) {
        PairKind::VertexFace
    } else {
        PairKind::EdgeEdge
    };
    let (t0, t1) = match family {
        Family::Random => random(kind, rng),
        Family::Coplanar => lattice(rng, 2),
        Family::Collinear => lattice(rng, 1),
        Family::Parallel => parallel(kind, rng),
        Family::Touching => touching(kind, rng),
        Family::Sliding => sliding(kind, rng),
        Family::Grazing => grazing(kind, rng),
        Family::Corner => corner(rng),
        Family::ZeroEdge => zero_edge(kind, rng),
        Family::ZeroArea => zero_area(kind, rng),
        Family::Identical => identical(kind, rng),
        Family::Coincident => coincident(rng),
        Family::FarFromOrigin => {
            let away = 1e6 * point(rng).normalize_or(DVec3::X);
            let (t0, t1) = any_of(kind, rng);
            (t0.map(|p| p + away), t1.map(|p| p + away))
        }
        Family::Tiny => scaled(any_of(kind, rng), 1e-9),
        Family::MixedScales => mixed_scales(kind, rng),
        Family::Grid => (grid(rng), grid(rng)),
        Family::Huge => scaled(any_of(kind, rng), 340_f64.exp2()),
        Family::NearOverflow => scaled(any_of(kind, rng), 1e300),
        Family::Subnormal => {
            let size = if rng.one_in(2) { 1e-309 } else { 4e-323 };
            scaled(any_of(kind, rng), size)
        }
    };
    Query { kind, t0, t1 }
}

fn point(rng: &mut Rng) -> DVec3 {
    dvec3(rng.signed(), rng.signed(), rng.signed())
}

fn grid_point(rng: &mut Rng, reach: i64) -> DVec3 {
    let mut coordinate = || rng.integer(-reach, reach) as f64;
    dvec3(coordinate(), coordinate(), coordinate())
}

fn grid(rng: &mut Rng) -> Points {
    core::array::from_fn(|_| grid_point(rng, 3))
}

fn points(rng: &mut Rng) -> Points {
    core::array::from_fn(|_| point(rng))
}

fn scaled((t0, t1): (Points, Points), size: f64) -> (Points, Points) {
    (t0.map(|p| p * size), t1.map(|p| p * size))
}

/// A random query, a random grid one, or a degenerate one.
fn any_of(kind: PairKind, rng: &mut Rng) -> (Points, Points) {
    match rng.integer(0, 5) {
        0 => (grid(rng), grid(rng)),
        1 => lattice(rng, 2),
        2 => sliding(kind, rng),
        3 => grazing(kind, rng),
        _ => random(kind, rng),
    }
}

/// How many of the four points belong to the first primitive.
fn split(kind: PairKind) -> usize {
    match kind {
        PairKind::VertexFace => 1,
        PairKind::EdgeEdge => 2,
    }
}

fn random(kind: PairKind, rng: &mut Rng) -> (Points, Points) {
    let (t0, mut t1) = (points(rng), points(rng));
    if rng.one_in(3) {
        return (t0, t1);
    }
    // Move so that points of both primitives, taken at a common time, coincide.
    let t = rng.unit();
    let (u, v) = (rng.unit(), rng.unit());
    let (u, v) = if kind == PairKind::VertexFace && u + v > 1.0 {
        (1.0 - u, 1.0 - v)
    } else {
        (u, v)
    };
    let at = |p: &Points| match kind {
        PairKind::VertexFace => p[0] - p[1] - u * (p[2] - p[1]) - v * (p[3] - p[1]),
        PairKind::EdgeEdge => p[0] + u * (p[1] - p[0]) - p[2] - v * (p[3] - p[2]),
    };
    let shift = (at(&t0) * (1.0 - t) + at(&t1) * t) / t.max(0.01);
    for p in t1.iter_mut().take(split(kind)) {
        *p -= shift;
    }
    (t0, t1)
}

/// Integer combinations of one or two integer vectors: exactly collinear or coplanar.
fn lattice(rng: &mut Rng, dimension: i64) -> (Points, Points) {
    let (origin, a) = (grid_point(rng, 9), grid_point(rng, 9));
    let b = if dimension == 1 {
        DVec3::ZERO
    } else {
        grid_point(rng, 9)
    };
    let reach = if rng.one_in(2) { 4 } else { 1 << 20 };
    let mut pick = || {
        let (i, j) = (rng.integer(-reach, reach), rng.integer(-reach, reach));
        origin + a * i as f64 + b * j as f64
    };
    let frames = (
        core::array::from_fn(|_| pick()),
        core::array::from_fn(|_| pick()),
    );
    placed(frames, rng)
}

/// Turned by right angles and scaled by a power of two, exactly.
fn placed((t0, t1): (Points, Points), rng: &mut Rng) -> (Points, Points) {
    let turn = rng.integer(0, 5);
    let signs = grid_point(rng, 1).map(|x| if x < 0.0 { -1.0 } else { 1.0 });
    let size = (rng.integer(-6, 3) as f64).exp2();
    let place = |p: DVec3| {
        let q = match turn {
            0 => p,
            1 => dvec3(p.y, p.z, p.x),
            2 => dvec3(p.z, p.x, p.y),
            3 => dvec3(p.y, p.x, p.z),
            4 => dvec3(p.x, p.z, p.y),
            _ => dvec3(p.z, p.y, p.x),
        };
        q * signs * size
    };
    (t0.map(place), t1.map(place))
}

fn parallel(kind: PairKind, rng: &mut Rng) -> (Points, Points) {
    let frames = match kind {
        PairKind::EdgeEdge => {
            // Edges that are parallel throughout, or at one of the ends.
            let frame = |rng: &mut Rng, d: DVec3| {
                let (a, b) = (grid_point(rng, 4), grid_point(rng, 4));
                let (s, t) = (rng.integer(-3, 3) as f64, rng.integer(1, 3) as f64);
                [a, a + d * s, b, b + d * t]
            };
            let d = grid_point(rng, 4);
            let e = if rng.one_in(2) { d } else { grid_point(rng, 4) };
            (frame(rng, d), frame(rng, e))
        }
        PairKind::VertexFace => {
            let height = |rng: &mut Rng| DVec3::Z * rng.integer(-2, 2) as f64;
            let mut flat = || {
                let p = grid_point(rng, 4);
                dvec3(p.x, p.y, 0.0)
            };
            let (from, to) = (flat(), flat());
            let face = [flat(), flat(), flat()];
            let (h, k) = (height(rng), height(rng));
            (
                [from + h, face[0], face[1], face[2]],
                [to - h, face[0] + k, face[1] + k, face[2] + k],
            )
        }
    };
    placed(frames, rng)
}

/// A point of the first primitive is put exactly on the second at t = 0.
fn touching(kind: PairKind, rng: &mut Rng) -> (Points, Points) {
    let mut t0 = core::array::from_fn(|_| grid_point(rng, 1 << 20));
    match kind {
        PairKind::VertexFace => {
            t0[0] = match rng.integer(0, 2) {
                0 => t0[1],
                1 => (t0[2] + t0[3]) / 2.0,
                _ => t0[1] / 2.0 + t0[2] / 4.0 + t0[3] / 4.0,
            };
        }
        PairKind::EdgeEdge => {
            let on = match rng.integer(0, 2) {
                0 => t0[2],
                1 => (t0[2] + t0[3]) / 2.0,
                _ => t0[2] / 4.0 + t0[3] * 0.75,
            };
            if rng.one_in(2) {
                t0[0] = on;
            } else {
                t0[1] = 2.0 * on - t0[0];
            }
        }
    }
    let t1 = core::array::from_fn(|_| grid_point(rng, 1 << 20));
    placed((t0, t1), rng)
}

/// `height` above a face or an edge in the plane z = 0, or a hair off.
fn sliding(kind: PairKind, rng: &mut Rng) -> (Points, Points) {
    let hair = match rng.integer(0, 3) {
        0 => 0.0,
        1 => 1e-12,
        2 => 1e-16,
        _ => rng.signed() * 1e-9,
    };
    let mut flat = || dvec3(rng.signed(), rng.signed(), 0.0);
    let (mut t0, mut t1): (Points, Points) = (
        core::array::from_fn(|_| flat()),
        core::array::from_fn(|_| flat()),
    );
    if kind == PairKind::EdgeEdge && rng.one_in(2) {
        // Along each other instead of across.
        for frame in [&mut t0, &mut t1] {
            for p in frame.iter_mut() {
                p.y = 0.0;
            }
        }
    }
    let lift = DVec3::Z * hair;
    for frame in [&mut t0, &mut t1] {
        for p in frame.iter_mut().take(split(kind)) {
            *p += lift;
        }
    }
    placed((t0, t1), rng)
}

/// With s = 2t - 1: an edge direction (1, s) and a vertex at (c - s, c s) have the in-plane area
/// s², and a plane spanned by (1, 0, s) and (0, 1, 0) has the same with the vertex at
/// (c - s, d, c s). Both touch at s = 0 and do not cross; `gap` lifts the vertex off, or sinks it.
fn grazing(kind: PairKind, rng: &mut Rng) -> (Points, Points) {
    let c = rng.integer(-1, 9) as f64 / 8.0;
    let d = rng.integer(0, 8) as f64 / 8.0;
    let gap = match rng.integer(0, 4) {
        0 | 1 => 0.0,
        2 => 1e-14,
        3 => -1e-14,
        _ => rng.signed() * 1e-8,
    };
    let flat = rng.one_in(2);
    let frame = |s: f64| -> Points {
        let start = DVec3::ZERO;
        if flat {
            let (tip, vertex) = (dvec3(1.0, s, 0.0), dvec3(c - s, c * s + gap, 0.0));
            match kind {
                // The face hangs below its edge, the second edge stands on its vertex.
                PairKind::VertexFace => [vertex, start, tip, dvec3(0.5, -2.0, 0.0)],
                PairKind::EdgeEdge => [vertex, vertex + dvec3(0.25, 4.0, 0.0), start, tip],
            }
        } else {
            let vertex = dvec3(c - s, d, c * s + gap);
            let (e, g) = (dvec3(1.0, 0.0, s), DVec3::Y);
            match kind {
                PairKind::VertexFace => [vertex, start, start + e, start + g],
                PairKind::EdgeEdge => [vertex - g, vertex + g, start, start + e],
            }
        }
    };
    placed((frame(-1.0), frame(1.0)), rng)
}

/// Straight on: corner meets corner at a simple time.
fn corner(rng: &mut Rng) -> (Points, Points) {
    let t = [1.0, 0.5, 0.25, 0.75, 0.125][rng.integer(0, 4) as usize];
    let (t0, mut t1): (Points, Points) = (
        core::array::from_fn(|_| grid_point(rng, 4)),
        core::array::from_fn(|_| grid_point(rng, 4)),
    );
    // The point with index 3 belongs to the second primitive in both kinds, 0 to the first.
    let other = t0[3] + (t1[3] - t0[3]) * t;
    t1[0] = t0[0] + (other - t0[0]) / t;
    placed((t0, t1), rng)
}

fn zero_edge(kind: PairKind, rng: &mut Rng) -> (Points, Points) {
    let (mut t0, mut t1) = (points(rng), points(rng));
    let (keep, fold) = match kind {
        PairKind::VertexFace => (2, 3),
        PairKind::EdgeEdge => (0, 1),
    };
    let when = rng.integer(0, 2);
    if when != 1 {
        t0[fold] = t0[keep];
    }
    if when != 0 {
        t1[fold] = t1[keep];
    }
    if rng.one_in(3) {
        t0[0] = -t0[0];
        t1[0] = (t1[2] + t1[3]) / 2.0;
    }
    (t0, t1)
}

fn zero_area(kind: PairKind, rng: &mut Rng) -> (Points, Points) {
    let mut frames = (grid(rng), grid(rng));
    let when = rng.integer(0, 2);
    for (i, frame) in [&mut frames.0, &mut frames.1].into_iter().enumerate() {
        if when == 2 || when == i as i64 {
            let share = rng.integer(-2, 4) as f64 / 2.0;
            match kind {
                PairKind::VertexFace => frame[3] = frame[1] + (frame[2] - frame[1]) * share,
                PairKind::EdgeEdge => frame[3] = frame[2] + (frame[1] - frame[0]) * share,
            }
        }
    }
    placed(frames, rng)
}

fn identical(kind: PairKind, rng: &mut Rng) -> (Points, Points) {
    let frame = match rng.integer(0, 2) {
        0 => touching(kind, rng).0,
        1 => grid(rng),
        _ => points(rng),
    };
    (frame, frame)
}

fn coincident(rng: &mut Rng) -> (Points, Points) {
    let (mut t0, mut t1) = (points(rng), points(rng));
    if rng.one_in(2) {
        // Same place at the start.
        t0[2] = t0[0];
        t0[3] = t0[1];
    } else {
        // A common vertex throughout.
        t0[3] = t0[0];
        t1[3] = t1[0];
    }
    (t0, t1)
}

fn mixed_scales(kind: PairKind, rng: &mut Rng) -> (Points, Points) {
    let (mut t0, mut t1) = any_of(kind, rng);
    for p in t0.iter_mut().chain(&mut t1) {
        *p *= [1e-9, 1e-3, 1.0, 1e3, 1e6][rng.integer(0, 4) as usize];
    }
    (t0, t1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_queries_are_valid_and_repeatable() {
        let made: Vec<_> = hard_queries(7, 19 * 200).collect();
        for (family, query) in &made {
            assert_eq!(query.validate(), Ok(()), "{family:?}");
        }
        let again: Vec<_> = hard_queries(7, 19 * 200).collect();
        assert_eq!(made, again);
    }
}
