//! A query prepared for the march: corner differences, and the three vectors of the cubic.

use jostle_geom::PairKind;

use super::cubic::Cubic;
use crate::Query;
use crate::real::{Real, Vector};

/// `F = w + u·E + v·G` of a query with w, E, G linear in time, and the corner differences whose
/// convex hull `F` sweeps at a fixed time.
///
/// | | corners | E | G | w |
/// |---|---|---|---|---|
/// | edge–edge | `a_i − b_j`, index `2i + j` | `a1 − a0` | `b1 − b0` | `a0 − b0` |
/// | vertex–face | `v − a`, `v − b`, `v − c` | `b − a` | `c − a` | `v − a` |
pub(super) struct Problem<R> {
    pub(super) kind: PairKind,
    /// The minimum separation.
    pub(super) separation: f64,
    /// Corner differences at t = 0 and t = 1.
    pub(super) start: [Vector<R>; 4],
    pub(super) end: [Vector<R>; 4],
    /// For each corner, the largest magnitude of each component over the step, rounded up.
    pub(super) reach: [[f64; 3]; 4],
    pub(super) e: [Vector<R>; 2],
    pub(super) g: [Vector<R>; 2],
    pub(super) w: [Vector<R>; 2],
    pub(super) cubic: Cubic<R>,
}

impl<R: Real> Problem<R> {
    pub(super) fn new(query: &Query, separation: f64) -> Self {
        let zero = Vector::from_array([0.0; 3]);
        let (mut start, mut end) = ([zero; 4], [zero; 4]);
        let (mut e, mut g, mut w) = ([zero; 2], [zero; 2], [zero; 2]);
        for (time, points) in [&query.t0, &query.t1].into_iter().enumerate() {
            let corners = if time == 0 { &mut start } else { &mut end };
            let [p, q, r, s] = *points;
            match query.kind {
                PairKind::VertexFace => {
                    *corners = [
                        Vector::difference(p, q),
                        Vector::difference(p, r),
                        Vector::difference(p, s),
                        Vector::difference(p, s),
                    ];
                    e[time] = Vector::difference(r, q);
                    g[time] = Vector::difference(s, q);
                }
                PairKind::EdgeEdge => {
                    *corners = [
                        Vector::difference(p, r),
                        Vector::difference(p, s),
                        Vector::difference(q, r),
                        Vector::difference(q, s),
                    ];
                    e[time] = Vector::difference(q, p);
                    g[time] = Vector::difference(s, r);
                }
            }
            w[time] = corners[0];
        }
        let mut reach = [[0.0; 3]; 4];
        for k in 0..4 {
            reach[k] = larger(start[k].high(), end[k].high());
        }
        let cubic = Cubic::new(e, g, w, separation);
        Self {
            kind: query.kind,
            separation,
            start,
            end,
            reach,
            e,
            g,
            w,
            cubic,
        }
    }

    /// Number of corners: three for vertex–face, four for edge–edge.
    #[inline(always)]
    pub(super) fn corner_count(&self) -> usize {
        match self.kind {
            PairKind::VertexFace => 3,
            PairKind::EdgeEdge => 4,
        }
    }

    #[inline(always)]
    pub(super) fn corner_at(&self, k: usize, t: f64) -> Vector<R> {
        self.start[k].lerp(self.end[k], t)
    }
}

/// The componentwise larger magnitude. The leading doubles of double-double differ from the full
/// value by half an ulp, which the constants of the bounds include.
#[inline(always)]
pub(super) fn larger(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[0].abs().max(b[0].abs()),
        a[1].abs().max(b[1].abs()),
        a[2].abs().max(b[2].abs()),
    ]
}
