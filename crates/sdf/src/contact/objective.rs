//! What is minimised: deep inside both bodies, far from the other points.

use fearless_simd::{f32x8, mask32x8, prelude::*};
use glam::Vec3;
use jostle_simd::lanes::{Real, V3};

use super::side::Side;
use crate::Sample;
use crate::level::Lanes;

/// Lanes of a batch.
pub(super) const LANES: usize = 8;

/// The objective of a pair (Giles and Andrews 2026, equations 2 and 3) at eight points at once.
///
/// g(x) = ½ (φA + φB + √((φA − φB)² + ε)) − α Σ ‖x − xᵢ‖, where the xᵢ are the points found before: those of earlier
/// batches, and for lane i the lanes before it, wherever they are by now.
pub(super) struct Objective<'a, S: Lanes> {
    pub simd: S,
    pub a: Side<'a>,
    pub b: Side<'a>,
    /// m².
    pub epsilon: f32,
    pub alpha: f32,
    /// The overlap of the boxes, in the frame of the pair: nothing is looked for outside.
    pub low: Vec3,
    pub high: Vec3,
    /// Points of earlier batches.
    pub fixed: &'a [Vec3],
    /// Lanes in use; the others do whatever they like.
    pub used: usize,
}

/// The objective at eight points.
#[derive(Clone, Copy)]
pub(super) struct Value<S: Lanes> {
    pub g: f32x8<S>,
    pub gradient: V3<f32x8<S>>,
}

impl<S: Lanes> Objective<'_, S> {
    /// Both fields.
    #[inline(always)]
    pub(super) fn fields(&self, x: V3<f32x8<S>>) -> (Sample<f32x8<S>>, Sample<f32x8<S>>) {
        (self.a.eval(self.simd, x), self.b.eval(self.simd, x))
    }

    /// The smooth maximum of two values.
    #[inline(always)]
    pub(super) fn softmax(&self, a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
        let half = f32x8::splat(self.simd, 0.5);
        let d = a - b;
        let root = (d * d + f32x8::splat(self.simd, self.epsilon)).sqrt();
        half * (a + b + root)
    }

    /// Value and gradient at `x`; lane i is repelled by the lanes before it, which are at `others`.
    ///
    /// A call, because optimisers are compiled once for each level and ask from several places.
    #[inline(never)]
    pub(super) fn eval(&self, x: V3<f32x8<S>>, others: V3<f32x8<S>>) -> Value<S> {
        self.simd.vectorize(
            #[inline(always)]
            || self.eval_here(x, others),
        )
    }

    #[inline(always)]
    fn eval_here(&self, x: V3<f32x8<S>>, others: V3<f32x8<S>>) -> Value<S> {
        let simd = self.simd;
        let (a, b) = self.fields(x);
        let half = f32x8::splat(simd, 0.5);
        let one = f32x8::splat(simd, 1.0);
        let zero = f32x8::splat(simd, 0.0);
        let d = a.value - b.value;
        let root = (d * d + f32x8::splat(simd, self.epsilon)).sqrt();
        // With a hard maximum and equal values the root is zero: the mean of both gradients.
        let t = root.simd_gt(zero).select(d / root, zero);
        let (wa, wb) = (half * (one + t), half * (one - t));
        let mut value = Value {
            g: half * (a.value + b.value + root),
            gradient: a.gradient.times(wa) + b.gradient.times(wb),
        };
        let alpha = f32x8::splat(simd, self.alpha);
        for p in self.fixed {
            repel(&mut value, x - V3::all(zero, *p), alpha);
        }
        let others = Others::new(others);
        let who = lane_numbers(simd);
        for j in 0..self.used.saturating_sub(1) {
            let (p, later) = others.at(who, j);
            repel(&mut value, x - p, later.select(alpha, zero));
        }
        value
    }

    /// Value only, at `x`; lane i is repelled by the lanes before it, which are at `others`.
    #[inline(always)]
    pub(super) fn value(&self, x: V3<f32x8<S>>, others: V3<f32x8<S>>) -> f32x8<S> {
        self.value_as(lane_numbers(self.simd), x, others)
    }

    /// Value only, at eight points that stand for the lanes of these numbers.
    #[inline(never)]
    pub(super) fn value_as(
        &self,
        who: f32x8<S>,
        x: V3<f32x8<S>>,
        others: V3<f32x8<S>>,
    ) -> f32x8<S> {
        self.simd.vectorize(
            #[inline(always)]
            || {
                let (a, b) = self.fields(x);
                self.softmax(a.value, b.value) - self.repulsion_here(who, x, others)
            },
        )
    }

    /// What the repulsion takes off the value at `x`.
    #[inline(always)]
    pub(super) fn repulsion(&self, x: V3<f32x8<S>>, others: V3<f32x8<S>>) -> f32x8<S> {
        self.repulsion_as(lane_numbers(self.simd), x, others)
    }

    /// The same for points that stand for the lanes of these numbers.
    #[inline(never)]
    pub(super) fn repulsion_as(
        &self,
        who: f32x8<S>,
        x: V3<f32x8<S>>,
        others: V3<f32x8<S>>,
    ) -> f32x8<S> {
        self.simd.vectorize(
            #[inline(always)]
            || self.repulsion_here(who, x, others),
        )
    }

    #[inline(always)]
    fn repulsion_here(&self, who: f32x8<S>, x: V3<f32x8<S>>, others: V3<f32x8<S>>) -> f32x8<S> {
        let simd = self.simd;
        let zero = f32x8::splat(simd, 0.0);
        let mut sum = zero;
        for p in self.fixed {
            sum += (x - V3::all(zero, *p)).length();
        }
        let others = Others::new(others);
        for j in 0..self.used.saturating_sub(1) {
            let (p, later) = others.at(who, j);
            sum += later.select((x - p).length(), zero);
        }
        sum * f32x8::splat(simd, self.alpha)
    }

    /// The nearest point of the overlap.
    #[inline(always)]
    pub(super) fn clamped(&self, x: V3<f32x8<S>>) -> V3<f32x8<S>> {
        let (low, high) = (V3::all(x.x, self.low), V3::all(x.x, self.high));
        V3::new(
            x.x.between(low.x, high.x),
            x.y.between(low.y, high.y),
            x.z.between(low.z, high.z),
        )
    }
}

/// Where the lanes of a batch are, to be met one after the other.
struct Others([[f32; LANES]; 3]);

impl Others {
    #[inline(always)]
    fn new<S: Lanes>(p: V3<f32x8<S>>) -> Self {
        Self([p.x.to_eight(), p.y.to_eight(), p.z.to_eight()])
    }

    /// Where lane `j` is, in every lane, and which of the lanes `who` come after it.
    #[inline(always)]
    fn at<S: Lanes>(&self, who: f32x8<S>, j: usize) -> (V3<f32x8<S>>, mask32x8<S>) {
        let simd = who.token();
        let p = V3::new(
            f32x8::splat(simd, self.0[0][j]),
            f32x8::splat(simd, self.0[1][j]),
            f32x8::splat(simd, self.0[2][j]),
        );
        let later = who.simd_gt(f32x8::splat(simd, j as f32));
        (p, later)
    }
}

/// Eight points as lanes.
#[inline(always)]
pub(super) fn lanes_of<S: Lanes>(simd: S, points: &[Vec3; LANES]) -> V3<f32x8<S>> {
    let mut rows = [[0.0; LANES]; 3];
    for (i, p) in points.iter().enumerate() {
        (rows[0][i], rows[1][i], rows[2][i]) = (p.x, p.y, p.z);
    }
    let like = f32x8::splat(simd, 0.0);
    V3::new(
        like.take(&rows[0]),
        like.take(&rows[1]),
        like.take(&rows[2]),
    )
}

/// Adds the repulsion of a point that is `d` away.
#[inline(always)]
fn repel<S: Lanes>(value: &mut Value<S>, d: V3<f32x8<S>>, alpha: f32x8<S>) {
    let length = d.length();
    let tiny = length.all(1e-9);
    value.g -= alpha * length;
    let share = alpha / length.most(tiny);
    value.gradient = value.gradient - d.times(share);
}

/// 0, 1, … 7.
#[inline(always)]
pub(super) fn lane_numbers<S: Lanes>(simd: S) -> f32x8<S> {
    f32x8::from_slice(simd, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
}

/// How many lanes of a mask hold.
#[inline(always)]
pub(super) fn count<S: Lanes>(mask: mask32x8<S>) -> u64 {
    u64::from(mask.to_bitmask().count_ones())
}
