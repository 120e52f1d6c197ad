//! Evaluations of fields in their boxes, and shapes made of them.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jostle::glam::Vec3;
use jostle::scenes::Rng;
use jostle::sdf::{Field, FieldError, Shape, ShapeOptions};
use jostle::simd::SimdLevel;

const POINTS: usize = 2048;

/// A field of each kind.
fn all() -> Result<Vec<(&'static str, Field)>, FieldError> {
    let plank = Field::cuboid(Vec3::new(1.15, 0.28, 0.55))?;
    let half = Vec3::new(0.7, 0.7, 0.08);
    Ok(vec![
        ("sphere", Field::sphere(0.5)?),
        ("capsule", Field::capsule(0.3, 0.4)?),
        ("cylinder", Field::cylinder(0.4, 0.4)?),
        ("cone", Field::cone(0.5, 0.5)?),
        ("torus", Field::torus(0.5, 0.2)?),
        (
            "spike-plate",
            Field::spike_plate(half, 10, 0.045, 0.12, 0.26)?,
        ),
        (
            "spiky-wheel",
            Field::spiky_wheel(0.35, 0.48, 0.08, 1.4, 16)?,
        ),
        ("union", plank.union(&Field::sphere(0.5)?)?),
        ("bend", plank.bend(0.95)?),
        ("twist", plank.twist(1.25)?),
        ("displace", plank.displace(0.1)?),
        ("cuboid", plank),
    ])
}

fn fields(c: &mut Criterion) {
    let level = SimdLevel::Auto.token().expect("there is always a level");
    let fields = all().expect("good parameters");
    let mut group = c.benchmark_group("field");
    group.throughput(Throughput::Elements(POINTS as u64));
    for (name, field) in &fields {
        let aabb = field.aabb();
        let (centre, half) = (aabb.centre(), (aabb.max - aabb.min) * 0.55);
        let mut rng = Rng::new(1, 0);
        let points: Vec<_> = (0..POINTS)
            .map(|_| centre + rng.cube().as_vec3() * half)
            .collect();
        let mut out = Vec::new();
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| field.sample_all(level, &points, &mut out));
        });
    }
    group.finish();
    let mut group = c.benchmark_group("shape");
    group.sample_size(10);
    for (name, field) in fields {
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| Shape::new(field.clone(), &ShapeOptions::default()));
        });
    }
    group.finish();
}

criterion_group!(benches, fields);
criterion_main!(benches);
