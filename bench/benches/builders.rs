//! Builders of the binary tree on the terrain.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jostle::broad::bvh::{Builder, Bvh};
use jostle::scenes::Terrain;
use jostle::simd::SimdLevel;

fn builders(c: &mut Criterion) {
    let level = SimdLevel::Auto.token().expect("there is always a level");
    for static_triangles in [100_000, 1_000_000] {
        let terrain = Terrain {
            static_triangles,
            dynamic: 0,
            seed: 0,
        };
        let boxes = terrain.build().expect("a scene that fits").fixed;
        let mut group = c.benchmark_group(format!("build/terrain-{}k", static_triangles / 1000));
        group.throughput(Throughput::Elements(boxes.len() as u64));
        group.sample_size(10);
        for builder in Builder::ALL {
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let pool = pool.expect("threads");
                let name = BenchmarkId::new(builder.name(), format!("{threads} threads"));
                group.bench_function(name, |b| {
                    b.iter(|| pool.install(|| Bvh::build(&boxes, builder, level)));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, builders);
criterion_main!(benches);
