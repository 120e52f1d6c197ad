//! The levels that fields and contacts are compiled for.

use fearless_simd::{Fallback, Level, f32x8, prelude::*};
use glam::Vec3;
use jostle_simd::lanes::{Real, V3};

use crate::{Field, Sample};

/// A level at which fields can be asked at eight points.
pub(crate) trait Lanes: Simd {
    /// Value and gradient of a field at eight points.
    fn field(self, field: &Field, p: V3<f32x8<Self>>) -> Sample<f32x8<Self>>;
}

macro_rules! wide {
    ($($level:ty),*) => {$(
        impl Lanes for $level {
            #[inline(never)]
            fn field(self, field: &Field, p: V3<f32x8<Self>>) -> Sample<f32x8<Self>> {
                self.vectorize(
                    #[inline(always)]
                    || field.eight(self, p),
                )
            }
        }
    )*};
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
wide!(fearless_simd::x86::Sse2, fearless_simd::x86::Avx2);
#[cfg(target_arch = "aarch64")]
wide!(fearless_simd::aarch64::Neon);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
wide!(fearless_simd::wasm32::WasmSimd128);

/// Point by point: the scalar twin, and a tenth of the code that eight emulated lanes of every field would be.
impl Lanes for Fallback {
    fn field(self, field: &Field, p: V3<f32x8<Self>>) -> Sample<f32x8<Self>> {
        let (x, y, z) = (p.x.to_eight(), p.y.to_eight(), p.z.to_eight());
        let mut out = [[0.0; 8]; 4];
        for lane in 0..8 {
            let s = field.sample(Vec3::new(x[lane], y[lane], z[lane]));
            out[0][lane] = s.value;
            out[1][lane] = s.gradient.x;
            out[2][lane] = s.gradient.y;
            out[3][lane] = s.gradient.z;
        }
        Sample {
            value: p.x.take(&out[0]),
            gradient: V3::new(p.x.take(&out[1]), p.x.take(&out[2]), p.x.take(&out[3])),
        }
    }
}

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
