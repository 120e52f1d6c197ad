//! Rational twins of what the separating march computes, for the tests of its rounding bounds.

use dashu::rational::RBig;
use glam::DVec3;
use jostle_geom::PairKind;

use crate::Query;

/// A small generator of test numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A point of the unit cube (0), far from the origin (1), or in a thin slab (2).
    pub(crate) fn point(&mut self, kind: usize) -> DVec3 {
        let p = DVec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5);
        match kind {
            0 => p,
            1 => p + DVec3::splat(1e6),
            _ => p * DVec3::new(1.0, 1.0, 1e-9),
        }
    }
}

type Vector = [RBig; 3];

fn difference(a: DVec3, b: DVec3) -> Vector {
    core::array::from_fn(|i| RBig::try_from(a[i]).unwrap() - RBig::try_from(b[i]).unwrap())
}

fn mix(a: &Vector, b: &Vector, t: &RBig) -> Vector {
    core::array::from_fn(|i| &a[i] + (&b[i] - &a[i]) * t)
}

fn volume(e: &Vector, g: &Vector, w: &Vector) -> RBig {
    (0..3).fold(RBig::ZERO, |sum, i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        sum + (&e[j] * &g[k] - &e[k] * &g[j]) * &w[i]
    })
}

/// The Bernstein coefficients of `(E × G)·w` on `[from, to]`.
pub(crate) fn cubic_on(query: &Query, from: f64, to: f64) -> [RBig; 4] {
    let parts = |[p, q, r, s]: [DVec3; 4]| match query.kind {
        PairKind::VertexFace => [difference(r, q), difference(s, q), difference(p, q)],
        PairKind::EdgeEdge => [difference(q, p), difference(s, r), difference(p, r)],
    };
    let (start, end) = (parts(query.t0), parts(query.t1));
    let at = |t: f64| {
        let t = RBig::try_from(t).unwrap();
        core::array::from_fn::<_, 3, _>(|i| mix(&start[i], &end[i], &t))
    };
    let ([e0, g0, w0], [e1, g1, w1]) = (at(from), at(to));
    let third = RBig::from_parts(1.into(), 3u8.into());
    [
        volume(&e0, &g0, &w0),
        (volume(&e1, &g0, &w0) + volume(&e0, &g1, &w0) + volume(&e0, &g0, &w1)) * &third,
        (volume(&e0, &g1, &w1) + volume(&e1, &g0, &w1) + volume(&e1, &g1, &w0)) * &third,
        volume(&e1, &g1, &w1),
    ]
}
