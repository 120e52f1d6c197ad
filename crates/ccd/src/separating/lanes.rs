//! Four queries side by side: the rejections that need no search.
//!
//! The same operations in the same order as the scalar march, so that the same bounds hold.

use fearless_simd::{Simd, SimdBase, SimdFloat, SimdMask, f64x4, mask64x4};
use jostle_geom::PairKind;

use crate::QueryOptions;
use crate::tolerances::{
    CUBIC_ROUNDING, DIRECTION_ROUNDING, UNDERFLOW_CUBIC, UNDERFLOW_DIRECTION, UNDERFLOW_NORM,
};

type Lane<S> = f64x4<S>;
type Vector<S> = [f64x4<S>; 3];

/// `F = w + u·E + v·G` of four queries, their coplanarity cubics on `[0, t_max]` and the bounds.
pub(super) struct Lanes<S: Simd> {
    simd: S,
    kind: PairKind,
    e: [Vector<S>; 2],
    g: [Vector<S>; 2],
    w: [Vector<S>; 2],
    /// Bernstein coefficients on [0, 1].
    cubic: [Lane<S>; 4],
    bound: Lane<S>,
    t_max: f64,
    separation: f64,
}

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    pub(super) fn new(
        simd: S,
        kind: PairKind,
        [e0, g0, w0]: [Vector<S>; 3],
        [e1, g1, w1]: [Vector<S>; 3],
        options: &QueryOptions,
    ) -> Self {
        let n0 = cross(e0, g0);
        let n1 = add(cross(e0, g1), cross(e1, g0));
        let n2 = cross(e1, g1);
        let three = f64x4::splat(simd, 3.0);
        let cubic = [
            dot(n0, w0),
            (dot(n0, w1) + dot(n1, w0)) / three,
            (dot(n2, w0) + dot(n1, w1)) / three,
            dot(n2, w1),
        ];
        let (e, g, w) = (larger(e0, e1), larger(g0, g1), larger(w0, w1));
        let permanent = w[0] * (e[1] * g[2] + e[2] * g[1])
            + w[1] * (e[2] * g[0] + e[0] * g[2])
            + w[2] * (e[0] * g[1] + e[1] * g[0]);
        let mut bound = permanent * f64x4::splat(simd, CUBIC_ROUNDING * f64::EPSILON * 0.5)
            + f64x4::splat(simd, UNDERFLOW_CUBIC);
        if options.min_separation > 0.0 {
            let half = f64x4::splat(simd, 0.5);
            let largest = dot(n0, n0)
                .sqrt()
                .max(dot(n1, n1).sqrt() * half)
                .max(dot(n2, n2).sqrt());
            let slack = (e[1] * g[2] + e[2] * g[1])
                + (e[2] * g[0] + e[0] * g[2])
                + (e[0] * g[1] + e[1] * g[0]);
            let largest = largest + f64x4::splat(simd, UNDERFLOW_NORM);
            bound += (largest * f64x4::splat(simd, 1.0 + 1e-14)
                + slack * f64x4::splat(simd, 1e-15))
                * f64x4::splat(simd, options.min_separation * (1.0 + 1e-15));
        }
        Self {
            simd,
            kind,
            e: [e0, e1],
            g: [g0, g1],
            w: [w0, w1],
            cubic,
            bound,
            t_max: options.t_max,
            separation: options.min_separation,
        }
    }

    #[inline(always)]
    fn splat(&self, x: f64) -> Lane<S> {
        f64x4::splat(self.simd, x)
    }

    /// Lanes where all coefficients have one sign, beyond the bound.
    #[inline(always)]
    fn keeps_sign(&self, c: [Lane<S>; 4]) -> mask64x4<S> {
        let least = c[0].min(c[1]).min(c[2].min(c[3]));
        let most = c[0].max(c[1]).max(c[2].max(c[3]));
        least.simd_gt(self.bound) | most.simd_lt(-self.bound)
    }

    /// Coefficients on `[0, t]`: the left part of de Casteljau's scheme.
    #[inline(always)]
    fn until(&self, t: Lane<S>) -> [Lane<S>; 4] {
        let mix = Mix::at(self.simd, t);
        let first = mix.three(self.cubic);
        let second = mix.two(first);
        [
            self.cubic[0],
            first[0],
            second[0],
            mix.of(second[0], second[1]),
        ]
    }

    /// Coefficients on `[from, t_max]`, by blossoming.
    #[inline(always)]
    fn from(&self, from: Lane<S>) -> [Lane<S>; 4] {
        let at = Mix::at(self.simd, from);
        let first = at.three(self.cubic);
        let second = at.two(first);
        if self.t_max >= 1.0 {
            return [
                at.of(second[0], second[1]),
                second[1],
                first[2],
                self.cubic[3],
            ];
        }
        let end = Mix::at(self.simd, self.splat(self.t_max));
        let ends = end.two(end.three(self.cubic));
        [
            at.of(second[0], second[1]),
            end.of(second[0], second[1]),
            at.of(ends[0], ends[1]),
            end.of(ends[0], ends[1]),
        ]
    }

    /// Bit k is set when cubic k keeps one strict sign on `[0, t_max]`.
    #[inline(always)]
    pub(super) fn cubic_keeps_sign(&self) -> u64 {
        let c = if self.t_max < 1.0 {
            self.until(self.splat(self.t_max))
        } else {
            self.cubic
        };
        self.keeps_sign(c).to_bitmask()
    }

    /// Bit k is set when one direction separates query k around the cubic's root, and the cubic
    /// keeps its sign before and after.
    ///
    /// In the plane that all four points share at a root, a point outside a triangle is outside
    /// one of its edges, and two crossed segments apart are apart along the normal of one of them;
    /// parallel ones are apart across or along both. So only these directions are tried, and of
    /// these the one with the largest gap.
    #[inline(always)]
    pub(super) fn one_direction_separates(&self) -> u64 {
        let tau = self.root();
        let mix = Mix::at(self.simd, tau);
        let (e, g, w) = (mix.vector(self.e), mix.vector(self.g), mix.vector(self.w));
        let normal = cross(e, g);

        let mut best = Best::new(self.simd);
        match self.kind {
            PairKind::EdgeEdge => {
                // Corners w, w + E, w − G, w + E − G.
                let across_e = cross(normal, e);
                let at_w = dot(across_e, w);
                best.consider(across_e, at_w, at_w - dot(across_e, g));
                let across_g = cross(normal, g);
                let at_w = dot(across_g, w);
                best.consider(across_g, at_w, at_w + dot(across_g, e));
                // Parallel edges have no normal: across and along them.
                let (ee, ew, eg) = (dot(e, e), dot(e, w), dot(e, g));
                let share = ew / ee.max(self.splat(1e-300));
                let offset = [
                    w[0] - e[0] * share,
                    w[1] - e[1] * share,
                    w[2] - e[2] * share,
                ];
                let at_w = dot(offset, w);
                best.consider(offset, at_w, at_w - dot(offset, g));
                let zero = self.splat(0.0);
                best.consider(e, ew - eg.max(zero), ew + ee - eg.min(zero));
            }
            PairKind::VertexFace => {
                // Corners w, w − E, w − G.
                let across_e = cross(normal, e);
                let at_w = dot(across_e, w);
                best.consider(across_e, at_w, at_w - dot(across_e, g));
                let across_g = cross(normal, g);
                let at_w = dot(across_g, w);
                best.consider(across_g, at_w, at_w - dot(across_g, e));
                let across_third = cross(normal, sub(g, e));
                let at_w = dot(across_third, w);
                best.consider(across_third, at_w - dot(across_third, e), at_w);
            }
        }

        // The corners are sums here, so their rounding is that of the terms, not of the sum.
        let mut interval = Interval::new(self, best.axis);
        let [e0, e1] = self.e;
        let [g0, g1] = self.g;
        let [w0, w1] = self.w;
        let reach_w = larger(w0, w1);
        let reach_we = add(reach_w, larger(e0, e1));
        let reach_wg = add(reach_w, larger(g0, g1));
        interval.cut(self.simd, w0, w1, reach_w);
        match self.kind {
            PairKind::EdgeEdge => {
                let reach_weg = add(reach_we, larger(g0, g1));
                interval.cut(self.simd, add(w0, e0), add(w1, e1), reach_we);
                interval.cut(self.simd, sub(w0, g0), sub(w1, g1), reach_wg);
                let (start, end) = (sub(add(w0, e0), g0), sub(add(w1, e1), g1));
                interval.cut(self.simd, start, end, reach_weg);
            }
            PairKind::VertexFace => {
                interval.cut(self.simd, sub(w0, e0), sub(w1, e1), reach_we);
                interval.cut(self.simd, sub(w0, g0), sub(w1, g1), reach_wg);
            }
        }
        let Interval {
            from,
            to,
            separates,
            ..
        } = interval;
        let covers = separates & from.simd_le(tau) & tau.simd_le(to);
        let before = from.simd_le(self.splat(0.0)) | self.keeps_sign(self.until(from));
        let after = to.simd_ge(self.splat(self.t_max)) | self.keeps_sign(self.from(to));
        (covers & before & after).to_bitmask()
    }

    /// A root of the cubic in `[0, t_max]`, roughly: where its chord crosses zero, improved by two
    /// steps of Newton's method.
    #[inline(always)]
    fn root(&self) -> Lane<S> {
        let (zero, end) = (self.splat(0.0), self.splat(self.t_max));
        let c = if self.t_max < 1.0 {
            self.until(end)
        } else {
            self.cubic
        };
        let one = self.splat(1.0);
        let share = c[0] / (c[0] - c[3]);
        let usable = share.simd_ge(zero) & share.simd_le(one);
        // In units of t_max.
        let mut x = self.simd.select_f64x4(usable, share, self.splat(0.5));
        let three = self.splat(3.0);
        for _ in 0..2 {
            let mix = Mix::at(self.simd, x);
            let second = mix.two(mix.three(c));
            let value = mix.of(second[0], second[1]);
            let slope = three * (second[1] - second[0]);
            let next = x - value / slope;
            let inside = next.simd_ge(zero) & next.simd_le(one);
            x = self.simd.select_f64x4(inside, next, x);
        }
        x * end
    }
}

/// The axis with the largest gap between the hull and the origin so far.
struct Best<S: Simd> {
    simd: S,
    axis: Vector<S>,
    /// Signed square of the gap over that of the axis, so that lengths need not be equal.
    gap: Lane<S>,
}

impl<S: Simd> Best<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        let zero = f64x4::splat(simd, 0.0);
        Self {
            simd,
            axis: [zero; 3],
            gap: zero,
        }
    }

    /// Takes the axis if it is better; `a` and `b` are its products with the ends of the hull.
    #[inline(always)]
    fn consider(&mut self, axis: Vector<S>, a: Lane<S>, b: Lane<S>) {
        // Towards the hull.
        let sign = f64x4::splat(self.simd, 1.0).copysign(a + b);
        let gap = (a * sign).min(b * sign);
        let least = f64x4::splat(self.simd, 1e-300);
        let share = gap * gap.abs() / dot(axis, axis).max(least);
        let better = share.simd_gt(self.gap);
        self.gap = self.simd.select_f64x4(better, share, self.gap);
        self.axis = [
            self.simd.select_f64x4(better, axis[0] * sign, self.axis[0]),
            self.simd.select_f64x4(better, axis[1] * sign, self.axis[1]),
            self.simd.select_f64x4(better, axis[2] * sign, self.axis[2]),
        ];
    }
}

/// The times on which a direction separates, cut down corner by corner as
/// [`Problem::separation`](super::problem::Problem::separation) does.
struct Interval<S: Simd> {
    direction: Vector<S>,
    size: Vector<S>,
    /// Absolute part of the bound, and that of the minimum separation.
    least: Lane<S>,
    from: Lane<S>,
    to: Lane<S>,
    separates: mask64x4<S>,
}

impl<S: Simd> Interval<S> {
    #[inline(always)]
    fn new(lanes: &Lanes<S>, direction: Vector<S>) -> Self {
        let size = [direction[0].abs(), direction[1].abs(), direction[2].abs()];
        let square = dot(size, size);
        let mut least = lanes.splat(UNDERFLOW_DIRECTION);
        if lanes.separation > 0.0 {
            let separation = lanes.separation * (1.0 + 4.0 * f64::EPSILON);
            least += square.sqrt() * lanes.splat(separation);
        }
        Self {
            direction,
            size,
            least,
            from: lanes.splat(0.0),
            to: lanes.splat(1.0),
            // These axes are not normalised, and the absolute bound is for sizes around one.
            separates: square.simd_gt(lanes.splat(1e-200)),
        }
    }

    #[inline(always)]
    fn cut(&mut self, simd: S, start: Vector<S>, end: Vector<S>, reach: Vector<S>) {
        let (zero, one) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0));
        let constant = f64x4::splat(simd, DIRECTION_ROUNDING * f64::EPSILON * 0.5);
        let bound = dot(self.size, reach) * constant + self.least;
        let first = dot(self.direction, start) - bound;
        let last = dot(self.direction, end) - bound;
        let at = first / (first - last);
        let (starts, ends) = (first.simd_gt(zero), last.simd_gt(zero));
        self.separates &= starts | ends;
        self.to = self.to.min(simd.select_f64x4(ends, one, at));
        self.from = self.from.max(simd.select_f64x4(starts, zero, at));
    }
}

/// The interpolation `x, y ↦ x·(1 − t) + y·t` at one time a lane. (A type, since closures are not
/// sure to be inlined, and vector code that is not inlined loses its level.)
#[derive(Clone, Copy)]
struct Mix<S: Simd> {
    s: Lane<S>,
    t: Lane<S>,
}

impl<S: Simd> Mix<S> {
    #[inline(always)]
    fn at(simd: S, t: Lane<S>) -> Self {
        Self {
            s: f64x4::splat(simd, 1.0) - t,
            t,
        }
    }

    #[inline(always)]
    fn of(self, x: Lane<S>, y: Lane<S>) -> Lane<S> {
        x * self.s + y * self.t
    }

    /// One round of blossoming.
    #[inline(always)]
    fn three(self, c: [Lane<S>; 4]) -> [Lane<S>; 3] {
        [
            self.of(c[0], c[1]),
            self.of(c[1], c[2]),
            self.of(c[2], c[3]),
        ]
    }

    #[inline(always)]
    fn two(self, c: [Lane<S>; 3]) -> [Lane<S>; 2] {
        [self.of(c[0], c[1]), self.of(c[1], c[2])]
    }

    #[inline(always)]
    fn vector(self, [a, b]: [Vector<S>; 2]) -> Vector<S> {
        [
            self.of(a[0], b[0]),
            self.of(a[1], b[1]),
            self.of(a[2], b[2]),
        ]
    }
}

/// Four rows `x, y, z, 0` to three columns.
#[inline(always)]
pub(super) fn transpose<S: Simd>([a, b, c, d]: [f64x4<S>; 4]) -> [f64x4<S>; 3] {
    let (ac, bd) = (a.zip_low(c), b.zip_low(d));
    let z = a.zip_high(c).zip_low(b.zip_high(d));
    [ac.zip_low(bd), ac.zip_high(bd), z]
}

#[inline(always)]
fn cross<S: Simd>(a: Vector<S>, b: Vector<S>) -> Vector<S> {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline(always)]
fn add<S: Simd>(a: Vector<S>, b: Vector<S>) -> Vector<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn sub<S: Simd>(a: Vector<S>, b: Vector<S>) -> Vector<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<S: Simd>(a: Vector<S>, b: Vector<S>) -> Lane<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn larger<S: Simd>(a: Vector<S>, b: Vector<S>) -> Vector<S> {
    [
        a[0].abs().max(b[0].abs()),
        a[1].abs().max(b[1].abs()),
        a[2].abs().max(b[2].abs()),
    ]
}
