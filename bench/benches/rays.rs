//! Rays, boxes and nearest points on the triangles of a terrain.

use std::ops::ControlFlow;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jostle::broad::bvh::{Builder, Bvh, Bvh8, Precision, RayOptions, TriangleTree};
use jostle::geom::{Aabb, Ray, Triangle};
use jostle::glam::DVec3;
use jostle::scenes::{Rng, Terrain};
use jostle::simd::{ShearedRay, Sides, SimdLevel};

const QUERIES: usize = 10_000;

/// Rays from above random triangles in any direction: two in five hit.
fn rays(triangles: &[Triangle]) -> Vec<Ray> {
    let one = |index| {
        let mut rng = Rng::new(1, index);
        let from = triangles[rng.index(triangles.len())].a;
        let above = rng.cube() + DVec3::Z * rng.range(1.5, 20.0);
        Ray::new(from + above.as_vec3(), rng.direction().as_vec3())
    };
    (0..QUERIES as u64).map(one).collect()
}

fn queries(c: &mut Criterion) {
    for static_triangles in [100_000, 1_000_000] {
        let terrain = Terrain {
            static_triangles,
            dynamic: 0,
            seed: 0,
        };
        let scene = terrain.build().expect("a valid terrain");
        let triangles: Vec<_> = scene
            .triangles
            .iter()
            .copied()
            .map(Triangle::from)
            .collect();
        let rays = rays(&triangles);
        let best = SimdLevel::Auto.token().expect("there is always a level");
        let tree = TriangleTree::build(&triangles, Builder::Best, best).expect("finite vertices");
        let binary = Bvh::build(&scene.fixed, Builder::Best, best).expect("valid boxes");
        let eight = Bvh8::from(&binary);
        let mut group = c.benchmark_group(format!("rays/{}k", static_triangles / 1000));
        group.throughput(Throughput::Elements(QUERIES as u64));
        group.sample_size(20);
        let options = RayOptions::default();
        for level in SimdLevel::available() {
            let token = level.token().expect("an available level");
            group.bench_function(BenchmarkId::new("closest", level), |b| {
                let cast = |ray| {
                    tree.closest_hit(ray, options, token)
                        .is_ok_and(|r| r.0.is_some())
                };
                b.iter(|| rays.iter().filter(|ray| cast(ray)).count());
            });
        }
        group.bench_function("closest-batch", |b| {
            let mut hits = Vec::new();
            b.iter(|| tree.closest_hits(&rays, options, best, &mut hits));
        });
        group.bench_function("any", |b| {
            let cast = |ray| {
                tree.any_hit(ray, options, best)
                    .is_ok_and(|r| r.0.is_some())
            };
            b.iter(|| rays.iter().filter(|ray| cast(ray)).count());
        });
        let hit = |ray: &Ray, id: u32| {
            let sheared = ShearedRay::new(ray).ok()?;
            Some(sheared.hit(&triangles[id as usize], Sides::Both)?.t)
        };
        group.bench_function("closest-bvh2", |b| {
            let cast = |ray| {
                binary
                    .closest_hit(ray, f32::INFINITY, |id, _| hit(ray, id))
                    .is_ok()
            };
            b.iter(|| rays.iter().filter(|ray| cast(ray)).count());
        });
        group.bench_function("closest-bvh8", |b| {
            let cast =
                |ray| (eight.closest_hit(ray, f32::INFINITY, best, |id, _| hit(ray, id))).is_ok();
            b.iter(|| rays.iter().filter(|ray| cast(ray)).count());
        });
        group.bench_function("overlaps", |b| {
            b.iter(|| {
                let mut found = 0;
                for ray in &rays {
                    let query = Aabb::new(ray.origin - 0.5, ray.origin + 0.5);
                    let visit = |_| {
                        found += 1;
                        ControlFlow::Continue(())
                    };
                    let _ = tree.overlaps(&query, Precision::Bounds, best, visit);
                }
                found
            });
        });
        group.bench_function("nearest", |b| {
            let near = |ray: &Ray| tree.nearest(ray.origin, f32::INFINITY, best);
            b.iter(|| rays.iter().filter(|ray| near(ray).is_ok()).count());
        });
        group.finish();
    }
}

criterion_group!(benches, queries);
criterion_main!(benches);
