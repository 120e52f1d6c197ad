//! Rows of a table, one for each lane.

use fearless_simd::{f32x4, f32x8, prelude::*};
use jostle_simd::lanes::Real;

/// Numbers whose lanes can each take a row of a table.
pub(crate) trait Gather: Real {
    /// The columns of the rows at whole numbers, from 0 up to 2²³; zeros where the table has none. `self` has them.
    fn rows(self, table: &[[f32; 4]]) -> [Self; 4];
}

/// Adding it leaves a whole number below it in the low bits.
const WHOLE: f32 = 8_388_608.0;

#[inline(always)]
fn row(table: &[[f32; 4]], shifted: f32) -> &[f32; 4] {
    table
        .get((shifted.to_bits() & 0x7F_FFFF) as usize)
        .unwrap_or(&[0.0; 4])
}

impl Gather for f32 {
    #[inline(always)]
    fn rows(self, table: &[[f32; 4]]) -> [Self; 4] {
        *row(table, self + WHOLE)
    }
}

impl<S: Simd> Gather for f32x8<S> {
    #[inline(always)]
    fn rows(self, table: &[[f32; 4]]) -> [Self; 4] {
        let simd = self.token();
        let at = (self + Self::splat(simd, WHOLE)).to_eight();
        let low = columns(simd, table, [at[0], at[1], at[2], at[3]]);
        let high = columns(simd, table, [at[4], at[5], at[6], at[7]]);
        [
            low[0].combine(high[0]),
            low[1].combine(high[1]),
            low[2].combine(high[2]),
            low[3].combine(high[3]),
        ]
    }
}

/// Four rows as columns.
#[inline(always)]
fn columns<S: Simd>(simd: S, table: &[[f32; 4]], at: [f32; 4]) -> [f32x4<S>; 4] {
    let a = f32x4::from_slice(simd, row(table, at[0]));
    let b = f32x4::from_slice(simd, row(table, at[1]));
    let c = f32x4::from_slice(simd, row(table, at[2]));
    let d = f32x4::from_slice(simd, row(table, at[3]));
    let (ac, bd) = (a.zip_low(c), b.zip_low(d));
    let (ac_high, bd_high) = (a.zip_high(c), b.zip_high(d));
    [
        ac.zip_low(bd),
        ac.zip_high(bd),
        ac_high.zip_low(bd_high),
        ac_high.zip_high(bd_high),
    ]
}
