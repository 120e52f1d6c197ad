//! One manifold at a time or eight: the passes of the solver are written once over both.

use fearless_simd::{Level, f32x8, prelude::*};
use jostle_simd::lanes::{Real, V3};

use super::blocks::Row;

/// A [`Real`] that knows its place in rows of eight. One value goes through the lanes of a block one after the other: no
/// two of them share a body that can move, so that the bits are those of eight at a time.
pub(super) trait Lane: Real {
    /// What a row holds at a lane, or in all of them.
    fn load(self, row: &Row, lane: usize) -> Self;
    /// Puts it there.
    fn store(self, row: &mut Row, lane: usize);
    /// Velocities and angular velocities of the bodies of a block.
    fn gather(self, rows: &[Row], ids: &[u32; 8], lane: usize) -> [V3<Self>; 2];
    /// Writes them back.
    fn scatter(rows: &mut [Row], ids: &[u32; 8], lane: usize, motion: [V3<Self>; 2]);

    /// The same for three rows.
    #[inline(always)]
    fn load3(self, rows: &[Row; 3], lane: usize) -> V3<Self> {
        V3::new(
            self.load(&rows[0], lane),
            self.load(&rows[1], lane),
            self.load(&rows[2], lane),
        )
    }
}

impl Lane for f32 {
    #[inline(always)]
    fn load(self, row: &Row, lane: usize) -> Self {
        row[lane]
    }

    #[inline(always)]
    fn store(self, row: &mut Row, lane: usize) {
        row[lane] = self;
    }

    #[inline(always)]
    fn gather(self, rows: &[Row], ids: &[u32; 8], lane: usize) -> [V3<Self>; 2] {
        let [x, y, z, _, u, v, w, _] = rows[ids[lane] as usize];
        [V3::new(x, y, z), V3::new(u, v, w)]
    }

    #[inline(always)]
    fn scatter(rows: &mut [Row], ids: &[u32; 8], lane: usize, [v, w]: [V3<Self>; 2]) {
        rows[ids[lane] as usize] = [v.x, v.y, v.z, 0.0, w.x, w.y, w.z, 0.0];
    }
}

impl<S: Simd> Lane for f32x8<S> {
    #[inline(always)]
    fn load(self, row: &Row, _: usize) -> Self {
        Self::load_array_ref(self.token(), row)
    }

    #[inline(always)]
    fn store(self, row: &mut Row, _: usize) {
        self.store_slice(row);
    }

    #[inline(always)]
    fn gather(self, rows: &[Row], ids: &[u32; 8], lane: usize) -> [V3<Self>; 2] {
        let [x, y, z, _, u, v, w, _] = transpose([
            self.load(&rows[ids[0] as usize], lane),
            self.load(&rows[ids[1] as usize], lane),
            self.load(&rows[ids[2] as usize], lane),
            self.load(&rows[ids[3] as usize], lane),
            self.load(&rows[ids[4] as usize], lane),
            self.load(&rows[ids[5] as usize], lane),
            self.load(&rows[ids[6] as usize], lane),
            self.load(&rows[ids[7] as usize], lane),
        ]);
        [V3::new(x, y, z), V3::new(u, v, w)]
    }

    #[inline(always)]
    fn scatter(rows: &mut [Row], ids: &[u32; 8], lane: usize, [v, w]: [V3<Self>; 2]) {
        let zero = v.x.all(0.0);
        let back = transpose([v.x, v.y, v.z, zero, w.x, w.y, w.z, zero]);
        for i in 0..8 {
            back[i].store(&mut rows[ids[i] as usize], lane);
        }
    }
}

/// Eight rows as eight columns: three perfect shuffles of the 64 numbers turn (row, column) into (column, row).
#[inline(always)]
fn transpose<S: Simd>(r: [f32x8<S>; 8]) -> [f32x8<S>; 8] {
    shuffle(shuffle(shuffle(r)))
}

#[inline(always)]
fn shuffle<S: Simd>(r: [f32x8<S>; 8]) -> [f32x8<S>; 8] {
    let (a, b) = r[0].interleave(r[4]);
    let (c, d) = r[1].interleave(r[5]);
    let (e, f) = r[2].interleave(r[6]);
    let (g, h) = r[3].interleave(r[7]);
    [a, b, c, d, e, f, g, h]
}

/// Work that is done at a level.
pub(super) trait Pass {
    /// What comes of it.
    type Out;
    /// Does it; `like` tells of which kind numbers are. Has to be inlined.
    fn go<R: Lane>(self, like: R) -> Self::Out;
}

/// Does a pass at a level. Eight lanes of single precision gain nothing from AVX-512 over AVX2, and next to nothing from
/// SSE4.2 over SSE2; without either of these a lane at a time is faster than eight that are taken apart again.
pub(super) fn enter<P: Pass>(level: Level, pass: P) -> P::Out {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        if let Some(simd) = level.as_avx2() {
            return simd.vectorize(
                #[inline(always)]
                || pass.go(f32x8::splat(simd, 0.0)),
            );
        }
        if let Some(simd) = level.as_sse2() {
            return simd.vectorize(
                #[inline(always)]
                || pass.go(f32x8::splat(simd, 0.0)),
            );
        }
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(simd) = level.as_neon() {
        return simd.vectorize(
            #[inline(always)]
            || pass.go(f32x8::splat(simd, 0.0)),
        );
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    if let Some(simd) = level.as_wasm_simd128() {
        return simd.vectorize(
            #[inline(always)]
            || pass.go(f32x8::splat(simd, 0.0)),
        );
    }
    let _ = level;
    pass.go(0.0_f32)
}

/// The inverse masses of one of the two bodies of eight manifolds.
#[derive(Clone, Copy)]
pub(super) struct Inertia<R> {
    pub mass: R,
    xx: R,
    xy: R,
    xz: R,
    yy: R,
    yz: R,
    zz: R,
}

impl<R: Lane> Inertia<R> {
    #[inline(always)]
    pub(super) fn load(like: R, rows: &[Row; 7], lane: usize) -> Self {
        Self {
            xx: like.load(&rows[0], lane),
            xy: like.load(&rows[1], lane),
            xz: like.load(&rows[2], lane),
            yy: like.load(&rows[3], lane),
            yz: like.load(&rows[4], lane),
            zz: like.load(&rows[5], lane),
            mass: like.load(&rows[6], lane),
        }
    }

    #[inline(always)]
    pub(super) fn turn(&self, v: V3<R>) -> V3<R> {
        V3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}
