//! The levels that contacts are compiled for.

use fearless_simd::Level;

/// The level at which eight lanes of single precision run best: AVX2 where AVX-512 was asked for, which has nothing to
/// add to them, and SSE2 for SSE4.2, which hardly has. Every level would compile the whole of contact finding once more.
pub(crate) fn narrowed(level: Level) -> Level {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        if let (Level::Avx512(_), Some(avx2)) = (level, level.as_avx2()) {
            return Level::Avx2(avx2);
        }
        if let (Level::Sse4_2(_), Some(sse2)) = (level, level.as_sse2()) {
            return Level::Sse2(sse2);
        }
    }
    level
}

/// `fearless_simd::dispatch` for a [`narrowed`] level.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
macro_rules! enter {
    ($level:expr, $simd:ident => $op:expr) => {
        match $crate::level::narrowed($level) {
            fearless_simd::Level::Avx2($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $op,
            ),
            fearless_simd::Level::Sse2($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $op,
            ),
            fearless_simd::Level::Fallback($simd) => $op,
            _ => unreachable!("narrowed to one of the three"),
        }
    };
}

/// `fearless_simd::dispatch` for a [`narrowed`] level.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
macro_rules! enter {
    ($level:expr, $simd:ident => $op:expr) => {
        fearless_simd::dispatch!($crate::level::narrowed($level), $simd => $op)
    };
}

pub(crate) use enter;
