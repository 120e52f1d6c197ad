//! A frame of a world of static triangles and moving boxes: the dual tree, part by part.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jostle::broad::bvh::Builder;
use jostle::broad::dual::{DualTree, Filter, StaticFilters};
use jostle::broad::{Method, PairOptions};
use jostle::scenes::Terrain;

fn mixed(c: &mut Criterion) {
    for (static_triangles, dynamic) in [(100_000, 5_000), (1_000_000, 10_000)] {
        let terrain = Terrain {
            static_triangles,
            dynamic,
            ..Terrain::default()
        };
        let mut scene = terrain.build().expect("a valid scene");
        // In frame 0 boxes are still uniform in the slab; later ones have fewer pairs.
        for _ in 0..60 {
            scene.advance();
        }
        let mut frames = Vec::new();
        for _ in 0..32 {
            scene.advance();
            frames.push(scene.moving.clone());
        }
        let mut group = c.benchmark_group(format!(
            "mixed/{}k-{}k",
            static_triangles / 1000,
            dynamic / 1000
        ));
        group.throughput(Throughput::Elements(dynamic as u64));
        let mut world = DualTree::default();
        world
            .add_static(&scene.fixed, StaticFilters::default())
            .expect("good boxes");
        let mut bodies = Vec::new();
        for &aabb in &scene.moving {
            bodies.push(world.insert(aabb, Filter::DEFAULT).expect("good boxes"));
        }
        group.bench_function("update", |b| {
            b.iter(|| {
                world.set_aabbs(&bodies, &scene.moving).expect("good boxes");
                world.update();
            });
        });
        group.bench_function("pairs", |b| {
            b.iter(|| world.find_pairs().expect("no limit"));
        });
        group.bench_function("events", |b| {
            b.iter(|| world.track_events().began().len());
        });
        let mut bare = DualTree::default();
        for &aabb in &scene.moving {
            bare.insert(aabb, Filter::DEFAULT).expect("good boxes");
        }
        bare.update();
        group.bench_function("pairs-of-bodies", |b| {
            b.iter(|| bare.find_pairs().expect("no limit"));
        });
        for builder in [Builder::Balanced, Builder::Best] {
            let mut options = PairOptions::default();
            options.builder = builder;
            let mut phase = Method::Dual.start(&options);
            phase
                .build(&scene.fixed, &scene.moving)
                .expect("good boxes");
            let mut pairs = Vec::new();
            let mut frame = 0;
            group.bench_function(BenchmarkId::new("frame", builder), |b| {
                b.iter(|| {
                    frame = (frame + 1) % frames.len();
                    phase.update(&frames[frame]).expect("good boxes");
                    pairs.clear();
                    phase.append_pairs(&mut pairs).expect("no limit")
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, mixed);
criterion_main!(benches);
