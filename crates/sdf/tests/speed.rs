//! What evaluations and shapes cost: printed, not asserted. Run with `--release -- --ignored --nocapture`.

mod support;

use std::time::Instant;

use glam::Vec3;
use jostle_geom::Rng;
use jostle_sdf::{Shape, ShapeOptions};
use jostle_simd::SimdLevel;

#[test]
#[ignore = "prints times"]
fn nanoseconds() {
    let level = SimdLevel::Auto.token().unwrap();
    println!(
        "{:24} {:>8} {:>8} {:>9}",
        "ns for eight points", "in box", "close", "shape ms"
    );
    for (name, field) in support::all() {
        let aabb = field.aabb();
        let (centre, half) = (aabb.centre(), (aabb.max - aabb.min) * 0.55);
        let half = half.min(Vec3::splat(10.0));
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
            let mut out = Vec::new();
            for _ in 0..400 {
                let start = Instant::now();
                field.sample_all(level, &points[..2048], &mut out);
                let seconds = start.elapsed().as_secs_f64();
                assert_eq!(out.len(), 2048);
                *best = best.min(seconds * 1e9 / 256.0);
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
