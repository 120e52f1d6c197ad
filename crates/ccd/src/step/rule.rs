//! When two primitives are too close: an absolute distance, or a share of what they started with.

use fearless_simd::Level;
use glam::DVec3;
use jostle_geom::{Aabb, MovingBoxes, MovingMesh, PairKind};

use super::types::StepOptions;
use crate::separating;
use crate::tolerances::{START_DISTANCE_SHARE, UNIT};
use crate::{Answer, Counters, NarrowPhase, Outcome, Query, QueryOptions, exact};

/// The rule that a step may not break.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// No pair comes within the minimum separation of the options.
    Separation,
    /// No pair comes closer than this share of its distance at the start.
    Fraction(f64),
}

impl Rule {
    /// Boxes over `[0, t_end]` that overlap for every pair that breaks the rule by then.
    ///
    /// A pair breaks a fraction k at a time t when d(t) ≤ k·d(0). With m the sum of the largest
    /// displacements of the two, d(0) ≤ d(t) + m, so that d(t) ≤ k/(1 − k)·m: boxes grown by
    /// k/(1 − k) times the displacement of their own element overlap then.
    pub(super) fn boxes(
        self,
        mesh: &MovingMesh<'_>,
        t_end: f64,
        separation: f64,
        level: Level,
    ) -> MovingBoxes {
        let mut boxes = MovingBoxes::default();
        self.update(&mut boxes, mesh, t_end, separation, level);
        boxes
    }

    /// [`boxes`](Self::boxes) into the memory of earlier ones.
    pub(super) fn update(
        self,
        boxes: &mut MovingBoxes,
        mesh: &MovingMesh<'_>,
        t_end: f64,
        separation: f64,
        level: Level,
    ) {
        let fraction = match self {
            Self::Separation => {
                let half = if separation > 0.0 {
                    (separation * 0.5).next_up()
                } else {
                    0.0
                };
                return boxes.update(mesh, t_end, half, level);
            }
            Self::Fraction(fraction) => fraction,
        };
        boxes.update(mesh, t_end, 0.0, level);
        // 1e-6 is room for every rounding here, in f64 and f32.
        let factor = fraction / (1.0 - fraction) * t_end * (1.0 + 1e-6);
        let radii: Vec<f32> = mesh
            .t0()
            .iter()
            .zip(mesh.t1())
            .map(|(p, q)| ((*q - *p).length() * factor) as f32 * (1.0 + 1e-6))
            .collect();
        let grow = |of: &mut Aabb, vertices: &[u32]| {
            let radius = vertices
                .iter()
                .fold(0.0_f32, |r, &v| r.max(radii[v as usize]));
            if radius > 0.0 {
                of.min = (of.min - radius).map(f32::next_down);
                of.max = (of.max + radius).map(f32::next_up);
            }
        };
        for (v, of) in boxes.vertices.iter_mut().enumerate() {
            grow(of, &[v as u32]);
        }
        for (of, vertices) in boxes.edges.iter_mut().zip(mesh.topology().edges()) {
            grow(of, vertices);
        }
        for (of, vertices) in boxes.faces.iter_mut().zip(mesh.topology().faces()) {
            grow(of, vertices);
        }
    }

    /// When one pair breaks the rule. `query` are the options of the step, `window` those of the
    /// pass; the answer may be `Free` when the pair does so only after `cut`.
    pub(super) fn solve(
        self,
        pair: &Query,
        method: NarrowPhase,
        query: &QueryOptions,
        window: &QueryOptions,
        cut: f64,
    ) -> Answer {
        match (self, method) {
            (Self::Fraction(fraction), _) => keeps_fraction(pair, fraction, query, cut),
            (_, NarrowPhase::Separating) => separating::find(pair, query, cut, None),
            (_, method) => crate::query::solve(pair, method, window),
        }
    }
}

impl StepOptions {
    /// Whether candidates go through the batch rejections of the separating march.
    pub(super) fn batches(&self, rule: Rule) -> bool {
        self.narrow_phase == NarrowPhase::Separating && rule == Rule::Separation
    }
}

/// When a pair first comes within `fraction` of its distance at the start.
fn keeps_fraction(pair: &Query, fraction: f64, options: &QueryOptions, cut: f64) -> Answer {
    let mut counters = Counters {
        iterations: 1,
        ..Counters::default()
    };
    let (low, mut high) = start_distance(pair);
    let until = cut.min(options.t_max);
    if speed(pair) * until < low * (1.0 - fraction) * (1.0 - 1e-6) {
        let outcome = Outcome::Free;
        return Answer { outcome, counters };
    }
    if high > low * (1.0 + START_DISTANCE_SHARE) {
        counters.exact += 1;
        high = exact::distance_bounds_at(pair, 0.0).1;
    }
    if high == 0.0 {
        let outcome = Outcome::Impact { toi: 0.0 };
        return Answer { outcome, counters };
    }
    let separation = (fraction * high).next_up();
    let options = QueryOptions {
        min_separation: separation,
        ..*options
    };
    let found = separating::find(pair, &options, cut, None);
    counters.add(found.counters);
    let outcome = match found.outcome {
        // Apart at the start: the share of so small a distance is no double.
        Outcome::Impact { toi: 0.0 } => Outcome::Undecided { toi: 0.0 },
        outcome => outcome,
    };
    Answer { outcome, counters }
}

/// Upper bound of the speed at which two points of the pair approach, in metres a step: the sum of
/// the largest displacements, rounded up.
fn speed(pair: &Query) -> f64 {
    let split = match pair.kind {
        PairKind::VertexFace => 1,
        PairKind::EdgeEdge => 2,
    };
    let mut largest = [0.0_f64; 2];
    for i in 0..4 {
        let side = usize::from(i >= split);
        largest[side] = largest[side].max((pair.t1[i] - pair.t0[i]).length());
    }
    (largest[0] + largest[1]) * (1.0 + 16.0 * UNIT)
}

/// Bounds of the distance at the start.
///
/// The lower one is certified by a direction. The upper one is the length of one vector between
/// the two primitives, `w + s·E − v·G` with weights that are doubles within their ranges, each term
/// rounded: at most 8u of the magnitudes of w, E and G too short.
fn start_distance(pair: &Query) -> (f64, f64) {
    let low = separating::start_distance(pair);
    let [p, q, r, s] = pair.t0;
    let (e, g, w) = match pair.kind {
        PairKind::VertexFace => (r - q, s - q, p - q),
        PairKind::EdgeEdge => (q - p, s - r, p - r),
    };
    let vector = match pair.kind {
        PairKind::EdgeEdge => {
            let (a, b) = closest_on_segments(e, g, w);
            w + e * a - g * b
        }
        PairKind::VertexFace => {
            let (a, b) = closest_on_triangle(e, g, w);
            w - e * a - g * b
        }
    };
    let size = (w.abs() + e.abs() + g.abs()).length();
    (
        low.max(0.0),
        vector.length() * (1.0 + 8.0 * UNIT) + 16.0 * UNIT * size + f64::MIN_POSITIVE,
    )
}

/// Weights (s, v) in [0, 1] for which `w + s·E − v·G` is shortest, about.
fn closest_on_segments(e: DVec3, g: DVec3, w: DVec3) -> (f64, f64) {
    let (ee, gg, eg) = (e.length_squared(), g.length_squared(), e.dot(g));
    let (ew, gw) = (e.dot(w), g.dot(w));
    let share = |x: f64, of: f64| {
        if of > 0.0 {
            (x / of).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let s = share(eg * gw - ew * gg, ee * gg - eg * eg);
    let v = share(eg * s + gw, gg);
    // Once more each: right where a clamp moved the other.
    let s = share(eg * v - ew, ee);
    (s, share(eg * s + gw, gg))
}

/// Weights a, b ≥ 0 with a + b ≤ 1 for which `w − a·E − b·G` is shortest, about.
fn closest_on_triangle(e: DVec3, g: DVec3, w: DVec3) -> (f64, f64) {
    let share = |x: f64, of: f64| {
        if of > 0.0 {
            (x / of).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let (ee, gg, eg) = (e.length_squared(), g.length_squared(), e.dot(g));
    let (ew, gw) = (e.dot(w), g.dot(w));
    let determinant = ee * gg - eg * eg;
    if determinant > 0.0 {
        let (a, b) = (
            (ew * gg - gw * eg) / determinant,
            (gw * ee - ew * eg) / determinant,
        );
        if a >= 0.0 && b >= 0.0 && a + b < 1.0 {
            return (a, b);
        }
    }
    let third = g - e;
    let along = share(third.dot(w - e), third.length_squared());
    let candidates = [
        (share(ew, ee), 0.0),
        (0.0, share(gw, gg)),
        ((1.0 - along).next_down(), along),
    ];
    let length = |&(a, b): &(f64, f64)| (w - e * a - g * b).length_squared();
    let mut best = candidates[0];
    for candidate in &candidates[1..] {
        if length(candidate) < length(&best) {
            best = *candidate;
        }
    }
    (best.0.max(0.0), best.1)
}
