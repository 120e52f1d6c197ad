//! Kernels over batches at every level, 10,000 elements: `jostle bench simd` has all of them, at
//! more sizes and against the roof of the machine.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jostle::geom::{Aabb, Ray, Triangle};
use jostle::glam::Vec3;
use jostle::scenes::Rng;
use jostle::simd::batch::{AabbBatch, Ball, BitMask, SphereBatch, TriangleBatch};
use jostle::simd::kernels::{aabb_aabb, ray_triangle, sphere_sphere};
use jostle::simd::{ShearedRay, Sides, SimdLevel};

const ELEMENTS: usize = 10_000;

/// Questions, asked in turn: too many for a branch predictor to learn the outcomes.
const QUESTIONS: usize = 400;

/// Places in the cube [−1, 1)³, and what makes the rest of an element.
fn elements<T>(count: usize, seed: u64, make: impl Fn(Vec3, &mut Rng) -> T) -> Vec<T> {
    let one = |i| {
        let mut rng = Rng::new(seed, i);
        make(rng.cube().as_vec3(), &mut rng)
    };
    (0..count as u64).map(one).collect()
}

/// Boxes of which three in a hundred overlap one of them.
fn a_box(centre: Vec3, rng: &mut Rng) -> Aabb {
    let half = Vec3::splat(0.15) + 0.05 * rng.cube().as_vec3();
    Aabb::new(centre - half, centre + half)
}

fn boxes(c: &mut Criterion) {
    let structs = elements(ELEMENTS, 0, a_box);
    let questions = elements(QUESTIONS, 1, a_box);
    let many = AabbBatch::from_slice(&structs);
    let other = AabbBatch::from_slice(&elements(ELEMENTS, 2, a_box));
    let mut group = c.benchmark_group("kernels/aabb");
    group.throughput(Throughput::Elements(ELEMENTS as u64));
    let (mut mask, mut ids) = (BitMask::new(), Vec::new());
    group.bench_function("one-many/scalar", |b| {
        let mut turn = questions.iter().cycle();
        b.iter(|| {
            let one = turn.next().unwrap_or(&Aabb::EMPTY);
            aabb_aabb::baseline::one_many_aos(one, &structs, &mut ids);
        });
    });
    for level in SimdLevel::available() {
        let token = level.token().expect("an available level");
        let mut turn = questions.iter().cycle();
        group.bench_function(BenchmarkId::new("one-many", level), |b| {
            b.iter(|| {
                let one = turn.next().unwrap_or(&Aabb::EMPTY);
                aabb_aabb::one_many(one, &many, &mut mask, token);
            });
        });
        group.bench_function(BenchmarkId::new("one-many-ids", level), |b| {
            b.iter(|| {
                let one = turn.next().unwrap_or(&Aabb::EMPTY);
                aabb_aabb::one_many_ids(one, &many, &mut ids, token);
            });
        });
        group.bench_function(BenchmarkId::new("pairwise", level), |b| {
            b.iter(|| aabb_aabb::pairwise(&many, &other, &mut mask, token));
        });
    }
    group.finish();
}

fn balls(c: &mut Criterion) {
    let ball = |centre, rng: &mut Rng| Ball {
        centre,
        radius: rng.range(0.14, 0.28) as f32,
    };
    let questions = elements(QUESTIONS, 1, ball);
    let many = SphereBatch::from_slice(&elements(ELEMENTS, 0, ball));
    let mut group = c.benchmark_group("kernels/sphere");
    group.throughput(Throughput::Elements(ELEMENTS as u64));
    let mut mask = BitMask::new();
    for level in SimdLevel::available() {
        let token = level.token().expect("an available level");
        let mut turn = questions.iter().cycle();
        group.bench_function(BenchmarkId::new("one-many", level), |b| {
            b.iter(|| {
                if let Some(one) = turn.next() {
                    sphere_sphere::one_many(one, &many, &mut mask, token);
                }
            });
        });
    }
    group.finish();
}

fn rays(c: &mut Criterion) {
    let corner = |centre: Vec3, rng: &mut Rng| centre + 0.5 * rng.cube().as_vec3();
    let triangle = |centre, rng: &mut Rng| {
        Triangle::new(
            corner(centre, rng),
            corner(centre, rng),
            corner(centre, rng),
        )
    };
    let ray = |target: Vec3, rng: &mut Rng| {
        let origin = 3.0 * rng.direction().as_vec3();
        ShearedRay::new(&Ray::new(origin, 0.7 * target - origin)).expect("a direction")
    };
    let questions = elements(QUESTIONS, 1, ray);
    let many = TriangleBatch::from_slice(&elements(ELEMENTS, 0, triangle));
    let mut group = c.benchmark_group("kernels/ray-triangle");
    group.throughput(Throughput::Elements(ELEMENTS as u64));
    for level in SimdLevel::available() {
        let token = level.token().expect("an available level");
        let mut turn = questions.iter().cycle();
        group.bench_function(BenchmarkId::new("closest", level), |b| {
            let limit = f32::INFINITY;
            b.iter(|| {
                let ray = turn.next()?;
                ray_triangle::closest(ray, &many, Sides::Both, limit, token)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, boxes, balls, rays);
criterion_main!(benches);
