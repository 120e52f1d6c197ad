//! Broad phases of one step, and the general join of boxes.

use std::ops::ControlFlow;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jostle::broad::h8::{self, Tree};
use jostle::broad::step::{Scratch, StepBroadPhase, StepMethod};
use jostle::geom::{Aabb, MovingBoxes};
use jostle::glam::Vec3;
use jostle::scenes::SceneKind;
use jostle::simd::SimdLevel;
use jostle_bench::stream;

const SEED: u64 = 1;

fn steps(c: &mut Criterion) {
    for (kind, boxes) in [
        (SceneKind::ClothBall, 10_000),
        (SceneKind::ClothBall, 100_000),
        (SceneKind::Tumbling, 100_000),
    ] {
        let scene = kind.with_boxes(boxes, 2, SEED).expect("a known scene");
        let mesh = scene.step(0).expect("two frames");
        let topology = &scene.topology;
        let mut group = c.benchmark_group(format!("step/{kind}-{}k", boxes / 1000));
        group.throughput(Throughput::Elements(topology.box_count() as u64));
        group.sample_size(20);
        let best = SimdLevel::Auto.token().expect("there is always a level");
        let mut boxes = MovingBoxes::default();
        group.bench_function("boxes", |b| {
            b.iter(|| boxes.update(&mesh, 1.0, 0.0, best));
        });
        for method in [StepMethod::H8, StepMethod::Sweep] {
            group.bench_function(BenchmarkId::new("build", method), |b| {
                b.iter(|| StepBroadPhase::build(method, topology, &boxes, best));
            });
            let mut phase = StepBroadPhase::build(method, topology, &boxes, best);
            group.bench_function(BenchmarkId::new("stream", method), |b| {
                b.iter(|| stream(&phase, topology));
            });
            group.bench_function(BenchmarkId::new("refit", method), |b| {
                b.iter(|| phase.refit(topology, &boxes));
            });
        }
        for level in SimdLevel::available() {
            let token = level.token().expect("an available level");
            let phase = StepBroadPhase::build(StepMethod::H8, topology, &boxes, token);
            group.bench_function(BenchmarkId::new("stream-one-thread", level), |b| {
                let mut scratch = Scratch::default();
                b.iter(|| {
                    let mut count = 0;
                    for task in 0..phase.task_count() {
                        let _ = phase.run_task(topology, task, &mut scratch, &mut |_, pairs| {
                            count += pairs.len();
                            ControlFlow::Continue(())
                        });
                    }
                    count
                });
            });
        }
        group.finish();
    }
}

/// Boxes with edges up to 1.5, one a unit of volume: about 1.6 pairs a box.
fn uniform(n: u32) -> Vec<Aabb> {
    let mut state = SEED;
    let mut draw = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 40) as f32 / 16777216.0
    };
    let side = (n as f32).cbrt();
    (0..n)
        .map(|_| {
            let min = Vec3::new(draw(), draw(), draw()) * side;
            Aabb::new(min, min + Vec3::new(draw(), draw(), draw()) * 1.5)
        })
        .collect()
}

fn self_join(c: &mut Criterion) {
    let level = SimdLevel::Auto.token().expect("there is always a level");
    let mut group = c.benchmark_group("self-join");
    group.sample_size(20);
    for n in [1_000, 10_000, 100_000, 1_000_000] {
        let boxes = uniform(n);
        group.throughput(Throughput::Elements(u64::from(n)));
        group.bench_function(BenchmarkId::new("build", n), |b| {
            b.iter(|| Tree::build(&boxes, level));
        });
        group.bench_function(BenchmarkId::new("pairs", n), |b| {
            b.iter(|| h8::self_pairs(&boxes, level));
        });
    }
    group.finish();
}

criterion_group!(benches, steps, self_join);
criterion_main!(benches);
