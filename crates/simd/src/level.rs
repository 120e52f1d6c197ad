//! Names of SIMD levels and the tokens behind them.

use core::fmt;
use core::str::FromStr;

use fearless_simd::Level;
use thiserror::Error;

/// A SIMD level by name, as users and options choose it.
///
/// [`token`](Self::token) turns it into the proof that this machine has it. All levels give the
/// same bits; they differ in speed alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SimdLevel {
    /// The best level this machine has.
    #[default]
    Auto,
    /// No vector instructions beyond what the compiler's baseline uses for scalars.
    Scalar,
    /// x86-64 baseline, 128 bits.
    Sse2,
    /// x86-64-v3, 256 bits.
    Avx2,
    /// AVX-512 as of Ice Lake and Zen 4.
    Avx512,
    /// 64-bit Arm baseline, 128 bits.
    Neon,
    /// WebAssembly 128-bit SIMD, chosen at build time.
    Wasm128,
}

impl SimdLevel {
    /// Every level that can be named on the command line.
    pub const ALL: [Self; 7] = [
        Self::Auto,
        Self::Scalar,
        Self::Sse2,
        Self::Avx2,
        Self::Avx512,
        Self::Neon,
        Self::Wasm128,
    ];

    /// The name used on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Scalar => "scalar",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
            Self::Wasm128 => "wasm128",
        }
    }

    /// The token of this level, or an error when this machine or build lacks it.
    ///
    /// # Errors
    /// [`UnsupportedLevel`] names the level that was asked for and the best one there is.
    pub fn token(self) -> Result<Level, UnsupportedLevel> {
        let best = Level::new();
        let token = match self {
            Self::Auto => Some(best),
            Self::Scalar => Some(Level::fallback()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse2 => best.as_sse2().map(Level::Sse2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => best.as_avx2().map(Level::Avx2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => best.as_avx512().map(Level::Avx512),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => best.as_neon().map(Level::Neon),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Wasm128 => best.as_wasm_simd128().map(Level::WasmSimd128),
            #[allow(
                unreachable_patterns,
                reason = "which levels remain depends on the target"
            )]
            _ => None,
        };
        token.ok_or(UnsupportedLevel {
            asked: self,
            best: Self::of(best),
        })
    }

    /// The name of a token's level.
    pub fn of(level: Level) -> Self {
        match level {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse2(_) | Level::Sse4_2(_) => Self::Sse2,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx2(_) => Self::Avx2,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx512(_) => Self::Avx512,
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => Self::Neon,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::WasmSimd128(_) => Self::Wasm128,
            _ => Self::Scalar,
        }
    }

    /// The levels that this machine and build can run, scalar first, best last.
    pub fn available() -> Vec<Self> {
        Self::ALL
            .into_iter()
            .filter(|level| *level != Self::Auto && level.token().is_ok())
            .collect()
    }
}

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SimdLevel {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Self, UnknownLevel> {
        Self::ALL
            .into_iter()
            .find(|level| level.name() == name)
            .ok_or_else(|| UnknownLevel(name.to_owned()))
    }
}

/// A level name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown SIMD level {0:?}: one of auto, scalar, sse2, avx2, avx512, neon, wasm128")]
pub struct UnknownLevel(pub String);

/// A level that this machine or build does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("SIMD level {asked} is not available here; the best one is {best}")]
pub struct UnsupportedLevel {
    /// What was asked for.
    pub asked: SimdLevel,
    /// The best level there is.
    pub best: SimdLevel,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_scalar_is_always_there() {
        for level in SimdLevel::ALL {
            assert_eq!(level.name().parse::<SimdLevel>(), Ok(level));
        }
        assert!("sse9".parse::<SimdLevel>().is_err());
        let available = SimdLevel::available();
        assert_eq!(available[0], SimdLevel::Scalar);
        for level in available {
            assert_eq!(SimdLevel::of(level.token().unwrap()), level);
        }
    }
}
