//! Rows of eight numbers into lanes and back.

use fearless_simd::{f32x8, prelude::*};
use jostle_simd::lanes::V3;

use super::blocks::Row;

#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, row: &Row) -> f32x8<S> {
    f32x8::load_array_ref(simd, row)
}

#[inline(always)]
pub(super) fn load3<S: Simd>(simd: S, rows: &[Row; 3]) -> V3<f32x8<S>> {
    V3::new(
        load(simd, &rows[0]),
        load(simd, &rows[1]),
        load(simd, &rows[2]),
    )
}

#[inline(always)]
pub(super) fn store<S: Simd>(row: &mut Row, value: f32x8<S>) {
    value.store_slice(row);
}

/// Eight rows as eight columns.
#[inline(always)]
pub(super) fn transpose<S: Simd>(r: [f32x8<S>; 8]) -> [f32x8<S>; 8] {
    // Three perfect shuffles of the 64 numbers turn (row, column) into (column, row).
    let r = shuffle(r);
    let r = shuffle(r);
    shuffle(r)
}

#[inline(always)]
fn shuffle<S: Simd>(r: [f32x8<S>; 8]) -> [f32x8<S>; 8] {
    let (a, b) = r[0].interleave(r[4]);
    let (c, d) = r[1].interleave(r[5]);
    let (e, f) = r[2].interleave(r[6]);
    let (g, h) = r[3].interleave(r[7]);
    [a, b, c, d, e, f, g, h]
}

/// Velocities and angular velocities of eight bodies.
#[inline(always)]
pub(super) fn gather<S: Simd>(simd: S, rows: &[Row], ids: &[u32; 8]) -> [V3<f32x8<S>>; 2] {
    let [x, y, z, _, u, v, w, _] = transpose([
        load(simd, &rows[ids[0] as usize]),
        load(simd, &rows[ids[1] as usize]),
        load(simd, &rows[ids[2] as usize]),
        load(simd, &rows[ids[3] as usize]),
        load(simd, &rows[ids[4] as usize]),
        load(simd, &rows[ids[5] as usize]),
        load(simd, &rows[ids[6] as usize]),
        load(simd, &rows[ids[7] as usize]),
    ]);
    [V3::new(x, y, z), V3::new(u, v, w)]
}

/// Writes them back.
#[inline(always)]
pub(super) fn scatter<S: Simd>(
    simd: S,
    rows: &mut [Row],
    ids: &[u32; 8],
    [v, w]: [V3<f32x8<S>>; 2],
) {
    let zero = f32x8::splat(simd, 0.0);
    let back = transpose([v.x, v.y, v.z, zero, w.x, w.y, w.z, zero]);
    for i in 0..8 {
        store(&mut rows[ids[i] as usize], back[i]);
    }
}

/// The inverse masses of one of the two bodies of eight manifolds.
#[derive(Clone, Copy)]
pub(super) struct Inertia<S: Simd> {
    pub mass: f32x8<S>,
    xx: f32x8<S>,
    xy: f32x8<S>,
    xz: f32x8<S>,
    yy: f32x8<S>,
    yz: f32x8<S>,
    zz: f32x8<S>,
}

impl<S: Simd> Inertia<S> {
    #[inline(always)]
    pub(super) fn load(simd: S, rows: &[Row; 7]) -> Self {
        Self {
            xx: load(simd, &rows[0]),
            xy: load(simd, &rows[1]),
            xz: load(simd, &rows[2]),
            yy: load(simd, &rows[3]),
            yz: load(simd, &rows[4]),
            zz: load(simd, &rows[5]),
            mass: load(simd, &rows[6]),
        }
    }

    #[inline(always)]
    pub(super) fn turn(&self, v: V3<f32x8<S>>) -> V3<f32x8<S>> {
        V3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}
