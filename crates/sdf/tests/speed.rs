//! What evaluations and shapes cost: printed, not asserted. Run with `--release -- --ignored --nocapture`.

#![cfg(target_arch = "x86_64")]

mod support;

use std::time::Instant;

use fearless_simd::{Level, f32x8, prelude::*};
use jostle_geom::Rng;
use jostle_sdf::{Field, Shape, ShapeOptions};
use jostle_simd::SimdLevel;
use jostle_simd::lanes::V3;

#[inline(always)]
fn sum<S: Simd>(simd: S, field: &Field, points: &[[[f32; 8]; 3]]) -> f32 {
    let mut total = f32x8::splat(simd, 0.0);
    for [x, y, z] in points {
        let p = V3::new(
            f32x8::from_slice(simd, x),
            f32x8::from_slice(simd, y),
            f32x8::from_slice(simd, z),
        );
        let s = field.eval8(simd, p);
        total = total + s.value + s.gradient.x + s.gradient.y + s.gradient.z;
    }
    total[0]
}

fn evaluate(field: &Field, points: &[[[f32; 8]; 3]]) -> Option<f32> {
    let Ok(Level::Avx2(simd)) = SimdLevel::Avx2.token() else {
        return None;
    };
    Some(simd.vectorize(
        #[inline(always)]
        || sum(simd, field, points),
    ))
}

#[test]
#[ignore = "prints times"]
fn nanoseconds() {
    println!(
        "{:24} {:>8} {:>8} {:>9}",
        "ns for eight points", "in box", "close", "shape ms"
    );
    for (name, field) in support::all() {
        let aabb = field.aabb();
        let (centre, half) = (aabb.centre(), (aabb.max - aabb.min) * 0.55);
        let half = half.min(glam::Vec3::splat(10.0));
        let mut rng = Rng::new(1, 0);
        let (mut apart, mut close) = (Vec::new(), Vec::new());
        while close.len() < 2048 || apart.len() < 2048 {
            let p = centre + rng.cube().as_vec3() * half;
            apart.push(p);
            if field.sample(p).value.abs() < 0.05 {
                close.push(p);
            }
        }
        let mut best = [f64::INFINITY; 2];
        for (points, best) in [&apart, &close].into_iter().zip(&mut best) {
            let lanes: Vec<_> = points[..2048]
                .chunks_exact(8)
                .map(|eight| [0, 1, 2].map(|axis| core::array::from_fn(|lane| eight[lane][axis])))
                .collect();
            for _ in 0..400 {
                let start = Instant::now();
                let Some(sum) = evaluate(&field, &lanes) else {
                    return;
                };
                assert!(sum.is_finite());
                *best = best.min(start.elapsed().as_secs_f64() * 1e9 / lanes.len() as f64);
            }
        }
        let mut made = f64::INFINITY;
        let mut seeds = 0;
        for _ in 0..3 {
            let start = Instant::now();
            let shape = Shape::new(field.clone(), &ShapeOptions::default()).unwrap();
            made = made.min(start.elapsed().as_secs_f64() * 1e3);
            seeds = shape.seeds().points().len();
        }
        println!(
            "{name:24} {:8.1} {:8.1} {made:9.2} {seeds:6}",
            best[0], best[1]
        );
    }
}
