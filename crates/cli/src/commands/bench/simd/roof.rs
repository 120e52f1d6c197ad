//! The roof over the kernels: how fast this machine loads and computes at each level.
//!
//! Three rates bound a kernel from below: bytes loaded, by the size of what they are loaded from;
//! comparisons; additions and multiplications. Each is measured alone, with code that does nothing
//! else, and the best of several tries counts: a roof is what can be reached at all.

use std::hint::black_box;
use std::time::Instant;

use jostle::simd::SimdLevel;
use jostle::simd::batch::Column;
use jostle::simd::fearless_simd::{Level, dispatch, prelude::*};

use crate::error::CliError;

/// Working sets over which loads are measured: doubled from this one on.
const SMALLEST: usize = 8 << 10;

/// What each try should take, in nanoseconds.
const TRY_NS: f64 = 150_000.0;

/// Independent chains of additions and multiplications: enough to fill four units of three cycles.
const CHAINS: usize = 12;

/// What bounds a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// Bytes loaded.
    Load,
    /// Comparisons.
    Compare,
    /// Additions, subtractions and multiplications.
    Arithmetic,
}

impl Bound {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Compare => "compare",
            Self::Arithmetic => "arithmetic",
        }
    }
}

/// What a test costs at least.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// Bytes that must be loaded for a test from where the data is.
    pub bytes: f64,
    /// Bytes that are loaded for a test from the first-level cache, where they have been brought before.
    pub again: f64,
    /// Comparisons, minima and maxima of a test that goes to its end.
    pub compares: f64,
    /// Additions, subtractions and multiplications of such a test.
    pub arithmetic: f64,
}

/// Rates of one level.
#[derive(Clone, Debug)]
pub(super) struct Roof {
    pub level: SimdLevel,
    /// Bytes a nanosecond (GB/s) by working set in bytes, ascending.
    pub load: Vec<(usize, f64)>,
    /// Comparisons a nanosecond, lanes counted singly.
    pub compares: f64,
    /// Additions and multiplications a nanosecond, lanes counted singly.
    pub arithmetic: f64,
}

impl Roof {
    /// Measures a level that has vectors.
    pub(super) fn measure(
        level: SimdLevel,
        largest: usize,
        tries: usize,
    ) -> Result<Self, CliError> {
        let token = level.token()?;
        let mut sizes = vec![SMALLEST];
        while let Some(&last) = sizes.last()
            && last < largest
        {
            sizes.push(2 * last);
        }
        let elements = sizes[sizes.len() - 1] / size_of::<f32>();
        let column: Column = (0..elements).map(|i| i as f32).collect();
        let load = sizes.into_iter().map(|bytes| {
            let values = &column.as_slice()[..bytes / size_of::<f32>()];
            let ns = best_ns(tries, |passes| {
                black_box(load(token, black_box(values), passes));
            });
            (bytes, bytes as f64 / ns)
        });
        let mut load: Vec<_> = load.collect();
        // What is loaded from far can be loaded from near as well: short arrays read over and over lose
        // time at each turn, where the hardware reads on past their end.
        let mut most = 0.0_f64;
        for (_, rate) in load.iter_mut().rev() {
            most = most.max(*rate);
            *rate = most;
        }
        let few = &column.as_slice()[..768];
        let compare_ns = best_ns(tries, |passes| {
            black_box(compare(token, black_box(few), passes));
        });
        let arithmetic_ns = best_ns(tries, |passes| {
            black_box(arithmetic(token, passes));
        });
        let lanes = dispatch!(token, simd => lanes(simd)) as f64;
        Ok(Self {
            level,
            load,
            compares: 2.0 * few.len() as f64 / compare_ns,
            arithmetic: 2.0 * CHAINS as f64 * lanes / arithmetic_ns,
        })
    }

    /// Bytes a nanosecond over a working set, by interpolation.
    pub(super) fn bandwidth(&self, working_set: usize) -> f64 {
        let after = self.load.partition_point(|(bytes, _)| *bytes < working_set);
        let at = |i: usize| self.load[i.min(self.load.len() - 1)];
        let (large, fast) = (at(after), at(after.saturating_sub(1)));
        if large.0 <= fast.0 {
            return large.1;
        }
        let place = libm::log2(working_set as f64 / fast.0 as f64);
        fast.1 + (large.1 - fast.1) * place.clamp(0.0, 1.0)
    }

    /// The least time of a test in nanoseconds, and what it is needed for.
    pub(super) fn bound(&self, demand: &Demand, working_set: usize) -> (f64, Bound) {
        let bounds = [
            (demand.bytes / self.bandwidth(working_set), Bound::Load),
            (demand.again / self.bandwidth(SMALLEST), Bound::Load),
            (demand.compares / self.compares, Bound::Compare),
            (demand.arithmetic / self.arithmetic, Bound::Arithmetic),
        ];
        let longest = bounds.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        longest.unwrap_or(bounds[0])
    }
}

/// The best time of a pass.
fn best_ns(tries: usize, mut work: impl FnMut(usize)) -> f64 {
    let mut timed = |passes: usize| {
        let clock = Instant::now();
        work(passes);
        clock.elapsed().as_nanos() as f64 / passes as f64
    };
    let mut passes = 1;
    let mut best = timed(1);
    for _ in 0..tries {
        // The first tries are cold: how many passes fill the time is known better each time.
        passes = passes.max((TRY_NS / best.max(1.0)) as usize);
        best = best.min(timed(passes));
    }
    best
}

#[inline(always)]
fn lanes<S: Simd>(_: S) -> usize {
    S::f32s::LEN
}

/// Loads all values, eight vectors at a time, with a bitwise or for each.
fn load(level: Level, values: &[f32], passes: usize) -> u32 {
    dispatch!(level, simd => load_wide(simd, values, passes))
}

#[inline(always)]
fn load_wide<S: Simd>(simd: S, values: &[f32], passes: usize) -> u32 {
    if simd.level().is_fallback() {
        return 0;
    }
    let mut seen = [S::u32s::splat(simd, 0); 8];
    for _ in 0..passes {
        for chunk in values.chunks_exact(8 * S::f32s::LEN) {
            for (i, seen) in seen.iter_mut().enumerate() {
                let from = i * S::f32s::LEN;
                let x = S::f32s::from_slice(simd, &chunk[from..from + S::f32s::LEN]);
                *seen |= x.bitcast::<S::u32s>();
            }
        }
    }
    let mut all = S::u32s::splat(simd, 0);
    for seen in seen {
        all |= seen;
    }
    all.as_slice().iter().fold(0, |bits, lane| bits | lane)
}

/// Compares values near by with two bounds each, three vectors to a mask, as boxes are tested.
fn compare(level: Level, values: &[f32], passes: usize) -> u64 {
    dispatch!(level, simd => compare_wide(simd, values, passes))
}

#[inline(always)]
fn compare_wide<S: Simd>(simd: S, values: &[f32], passes: usize) -> u64 {
    if simd.level().is_fallback() {
        return 0;
    }
    let (mut low, step) = (S::f32s::splat(simd, 0.0), S::f32s::splat(simd, 0.5));
    let mut found = [0; 2];
    for pass in 0..passes {
        let high = S::f32s::splat(simd, pass as f32);
        for chunk in values.chunks_exact(6 * S::f32s::LEN) {
            for (half, found) in found.iter_mut().enumerate() {
                let from = 3 * half * S::f32s::LEN;
                let x = S::f32s::from_slice(simd, &chunk[from..from + S::f32s::LEN]);
                let from = from + S::f32s::LEN;
                let y = S::f32s::from_slice(simd, &chunk[from..from + S::f32s::LEN]);
                let from = from + S::f32s::LEN;
                let z = S::f32s::from_slice(simd, &chunk[from..from + S::f32s::LEN]);
                let (x, y, z) = (
                    x.simd_le(high) & low.simd_le(x),
                    y.simd_le(high) & low.simd_le(y),
                    z.simd_le(high) & low.simd_le(z),
                );
                *found ^= (x & y & z).to_bitmask();
            }
        }
        low += step;
    }
    found[0] ^ found[1]
}

/// Multiplies and adds in registers.
fn arithmetic(level: Level, passes: usize) -> f32 {
    dispatch!(level, simd => arithmetic_wide(simd, passes))
}

#[inline(always)]
fn arithmetic_wide<S: Simd>(simd: S, passes: usize) -> f32 {
    if simd.level().is_fallback() {
        return 0.0;
    }
    // Towards 1 from either side: never tiny, never huge.
    let (factor, term) = (S::f32s::splat(simd, 0.875), S::f32s::splat(simd, 0.125));
    let mut chains = [S::f32s::splat(simd, 0.5); CHAINS];
    for (i, chain) in chains.iter_mut().enumerate() {
        *chain = S::f32s::splat(simd, i as f32);
    }
    for _ in 0..passes {
        for chain in &mut chains {
            *chain = *chain * factor + term;
        }
    }
    let mut sum = S::f32s::splat(simd, 0.0);
    for chain in chains {
        sum += chain;
    }
    sum.as_slice().iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_of_three_rates_binds() {
        let roof = Roof {
            level: SimdLevel::Avx2,
            load: vec![
                (SMALLEST, 100.0),
                (2 * SMALLEST, 50.0),
                (4 * SMALLEST, 10.0),
            ],
            compares: 60.0,
            arithmetic: 40.0,
        };
        assert_eq!(roof.bandwidth(10), 100.0);
        assert_eq!(roof.bandwidth(2 * SMALLEST), 50.0);
        assert_eq!(roof.bandwidth(1 << 20), 10.0);
        let between = roof.bandwidth(3 * SMALLEST);
        assert!((10.0..50.0).contains(&between));
        let demand = Demand {
            bytes: 20.0,
            again: 10.0,
            compares: 6.0,
            arithmetic: 10.0,
        };
        assert_eq!(roof.bound(&demand, SMALLEST), (0.25, Bound::Arithmetic));
        assert_eq!(roof.bound(&demand, 4 * SMALLEST), (2.0, Bound::Load));
    }

    #[test]
    fn every_level_has_a_roof() {
        for level in SimdLevel::available() {
            if level != SimdLevel::Scalar {
                let roof = Roof::measure(level, SMALLEST, 1).unwrap();
                let rates = [roof.load[0].1, roof.compares, roof.arithmetic];
                assert!(rates.iter().all(|rate| rate.is_finite() && *rate > 0.0));
            }
        }
    }
}
