//! Grains in memory: rows of floats, and eight rows turned into lanes.

use fearless_simd::{f32x4, f32x8, prelude::*};

use jostle_simd::lanes::V3;

/// A grain in memory: a cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Row {
    /// Centre and radius, m.
    pub place: [f32; 4],
    /// Velocity, m/s; the last one is not used.
    pub velocity: [f32; 4],
    /// Surface velocity ω r, m/s, and inverse mass, 1/kg: both are added up in contacts.
    pub surface: [f32; 4],
    /// Where the grain may go before the lists are stale: centre and radius of a ball, m.
    pub tether: [f32; 4],
}

impl Row {
    /// No grain: so far off that it touches nothing, and not so far that arithmetic with it overflows.
    pub(super) const NOWHERE: Self = Self::far(1e18);

    /// No grain, in another place.
    pub(super) const ELSEWHERE: Self = Self::far(-1e18);

    const fn far(x: f32) -> Self {
        Self {
            place: [x, x, x, 0.0],
            velocity: [0.0; 4],
            surface: [0.0, 0.0, 0.0, 1.0],
            tether: [x, x, x, 1e18],
        }
    }
}

/// Eight rows as four columns.
#[inline(always)]
pub(super) fn columns<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: [&[f32; 4]; 8]) -> [f32x8<S>; 4] {
    turn([
        f32x4::load_array_ref(simd, a),
        f32x4::load_array_ref(simd, b),
        f32x4::load_array_ref(simd, c),
        f32x4::load_array_ref(simd, d),
        f32x4::load_array_ref(simd, e),
        f32x4::load_array_ref(simd, f),
        f32x4::load_array_ref(simd, g),
        f32x4::load_array_ref(simd, h),
    ])
}

/// The differences of eight pairs of rows as four columns: half the shuffles of two times columns.
#[inline(always)]
pub(super) fn differences<S: Simd>(
    simd: S,
    [a, b, c, d, e, f, g, h]: [&[f32; 4]; 8],
    [p, q, r, s, t, u, v, w]: [&[f32; 4]; 8],
) -> [f32x8<S>; 4] {
    turn([
        f32x4::load_array_ref(simd, a) - f32x4::load_array_ref(simd, p),
        f32x4::load_array_ref(simd, b) - f32x4::load_array_ref(simd, q),
        f32x4::load_array_ref(simd, c) - f32x4::load_array_ref(simd, r),
        f32x4::load_array_ref(simd, d) - f32x4::load_array_ref(simd, s),
        f32x4::load_array_ref(simd, e) - f32x4::load_array_ref(simd, t),
        f32x4::load_array_ref(simd, f) - f32x4::load_array_ref(simd, u),
        f32x4::load_array_ref(simd, g) - f32x4::load_array_ref(simd, v),
        f32x4::load_array_ref(simd, h) - f32x4::load_array_ref(simd, w),
    ])
}

/// The sums of eight pairs of rows as four columns.
#[inline(always)]
pub(super) fn sums<S: Simd>(
    simd: S,
    [a, b, c, d, e, f, g, h]: [&[f32; 4]; 8],
    [p, q, r, s, t, u, v, w]: [&[f32; 4]; 8],
) -> [f32x8<S>; 4] {
    turn([
        f32x4::load_array_ref(simd, a) + f32x4::load_array_ref(simd, p),
        f32x4::load_array_ref(simd, b) + f32x4::load_array_ref(simd, q),
        f32x4::load_array_ref(simd, c) + f32x4::load_array_ref(simd, r),
        f32x4::load_array_ref(simd, d) + f32x4::load_array_ref(simd, s),
        f32x4::load_array_ref(simd, e) + f32x4::load_array_ref(simd, t),
        f32x4::load_array_ref(simd, f) + f32x4::load_array_ref(simd, u),
        f32x4::load_array_ref(simd, g) + f32x4::load_array_ref(simd, v),
        f32x4::load_array_ref(simd, h) + f32x4::load_array_ref(simd, w),
    ])
}

/// Eight rows in registers as four columns.
#[inline(always)]
fn turn<S: Simd>([r0, r1, r2, r3, r4, r5, r6, r7]: [f32x4<S>; 8]) -> [f32x8<S>; 4] {
    let (a0, a1) = (r0.zip_low(r2), r1.zip_low(r3));
    let (b0, b1) = (r4.zip_low(r6), r5.zip_low(r7));
    let (c0, c1) = (r0.zip_high(r2), r1.zip_high(r3));
    let (d0, d1) = (r4.zip_high(r6), r5.zip_high(r7));
    [
        a0.zip_low(a1).combine(b0.zip_low(b1)),
        a0.zip_high(a1).combine(b0.zip_high(b1)),
        c0.zip_low(c1).combine(d0.zip_low(d1)),
        c0.zip_high(c1).combine(d0.zip_high(d1)),
    ]
}

/// Two times four columns as eight rows of eight.
#[inline(always)]
pub(super) fn long_rows<S: Simd>(left: [f32x8<S>; 4], right: [f32x8<S>; 4]) -> [f32x8<S>; 8] {
    let ([a, b, c, d], [e, f, g, h]) = rows(left);
    let ([p, q, r, s], [t, u, v, w]) = rows(right);
    [
        a.combine(p),
        b.combine(q),
        c.combine(r),
        d.combine(s),
        e.combine(t),
        f.combine(u),
        g.combine(v),
        h.combine(w),
    ]
}

/// Four columns as two times four rows.
#[inline(always)]
fn rows<S: Simd>([x, y, z, w]: [f32x8<S>; 4]) -> ([f32x4<S>; 4], [f32x4<S>; 4]) {
    let ((x0, x1), (y0, y1), (z0, z1), (w0, w1)) = (x.split(), y.split(), z.split(), w.split());
    (four(x0, y0, z0, w0), four(x1, y1, z1, w1))
}

#[inline(always)]
fn four<S: Simd>(x: f32x4<S>, y: f32x4<S>, z: f32x4<S>, w: f32x4<S>) -> [f32x4<S>; 4] {
    let (a, b) = (x.zip_low(z), y.zip_low(w));
    let (c, d) = (x.zip_high(z), y.zip_high(w));
    [a.zip_low(b), a.zip_high(b), c.zip_low(d), c.zip_high(d)]
}

/// A vector of lanes from an array of them.
#[inline(always)]
pub(super) fn load3<S: Simd>(simd: S, from: &[[f32; 8]; 3]) -> V3<f32x8<S>> {
    V3::new(
        f32x8::load_array_ref(simd, &from[0]),
        f32x8::load_array_ref(simd, &from[1]),
        f32x8::load_array_ref(simd, &from[2]),
    )
}

/// A vector of lanes into an array of them.
#[inline(always)]
pub(super) fn store3<S: Simd>(to: &mut [[f32; 8]; 3], v: V3<f32x8<S>>) {
    to[0] = v.x.into();
    to[1] = v.y.into();
    to[2] = v.z.into();
}

/// The vector of one lane.
#[inline(always)]
pub(super) fn lane3(from: &[[f32; 8]; 3], lane: usize) -> V3<f32> {
    V3::new(from[0][lane], from[1][lane], from[2][lane])
}

/// Sets the vector of one lane.
#[inline(always)]
pub(super) fn set_lane3(to: &mut [[f32; 8]; 3], lane: usize, v: V3<f32>) {
    to[0][lane] = v.x;
    to[1][lane] = v.y;
    to[2][lane] = v.z;
}
