//! Rays against triangles: bits of the twin at every level, no leaks, and a reference in `f64`.

mod numbers;

use glam::{DVec3, Vec3};
use jostle_simd::batch::{BitMask, RayBatch, TriangleBatch};
use jostle_simd::kernels::KernelError;
use jostle_simd::kernels::ray_triangle::{self, RayHit, baseline};
use jostle_simd::{Ray, ShearedRay, Sides, SimdLevel, Triangle, TriangleHit};
use numbers::Numbers;

const SIDES: [Sides; 3] = [Sides::Both, Sides::Front, Sides::Back];

fn bits(hit: &RayHit) -> (u32, [u32; 3], bool) {
    let TriangleHit { t, u, v, front, .. } = hit.hit;
    (hit.id, [t, u, v].map(f32::to_bits), front)
}

fn same(found: &[RayHit], expected: &[RayHit]) -> bool {
    found.iter().map(bits).eq(expected.iter().map(bits))
}

fn check_mask(mask: &BitMask, len: usize, hits: &[RayHit]) {
    assert_eq!(mask.len(), len);
    assert_eq!(mask.count_ones(), hits.len());
    assert!(hits.iter().all(|hit| mask.get(hit.id as usize)));
}

fn expected(pairs: impl Iterator<Item = (Ray, Triangle)>, sides: Sides, t_max: f32) -> Vec<RayHit> {
    let mut out = Vec::new();
    for (id, (ray, triangle)) in (0..).zip(pairs) {
        let hit = ShearedRay::new(&ray)
            .ok()
            .and_then(|ray| ray.hit(&triangle, sides));
        if let Some(hit) = hit.filter(|hit| hit.t <= t_max) {
            out.push(RayHit { id, hit });
        }
    }
    out
}

#[test]
fn every_level_has_the_bits_of_the_twin() {
    let mut numbers = Numbers::new(1);
    let mut seen = 0;
    let (mut mask, mut ids, mut hits) = (BitMask::new(), vec![7], Vec::new());
    for round in 0..2000 {
        let len = round % 41;
        let triangles: Vec<_> = (0..len).map(|_| numbers.triangle(round)).collect();
        let rays: Vec<_> = (0..len).map(|_| numbers.ray(round)).collect();
        let batch = TriangleBatch::from_slice(&triangles);
        let ray_batch = RayBatch::from_slice(&rays);
        let ray = numbers.ray(round);
        let triangle = numbers.triangle(round);
        let sides = SIDES[round / 8 % 3];
        let t_max = [f32::INFINITY, 1.0, 0.0, f32::NAN][round / 24 % 4];
        let one = expected(triangles.iter().map(|t| (ray, *t)), sides, t_max);
        let many = expected(rays.iter().map(|r| (*r, triangle)), sides, t_max);
        let pairs = rays.iter().copied().zip(triangles.iter().copied());
        let pairs = expected(pairs, sides, t_max);
        seen += one.len().min(many.len()).min(pairs.len());
        for level in SimdLevel::available() {
            let token = level.token().unwrap();
            if let Ok(ray) = ShearedRay::new(&ray) {
                ray_triangle::one_many_hits(&ray, &batch, sides, t_max, &mut hits, token);
                assert!(same(&hits, &one), "{level} {hits:?} {one:?}");
                ray_triangle::one_many_ids(&ray, &batch, sides, t_max, &mut ids, token);
                assert!(ids.iter().copied().eq(one.iter().map(|hit| hit.id)));
                ray_triangle::one_many(&ray, &batch, sides, t_max, &mut mask, token);
                check_mask(&mask, len, &one);
                let closest = ray_triangle::closest(&ray, &batch, sides, t_max, token);
                let first = one.iter().min_by(|a, b| a.hit.t.total_cmp(&b.hit.t));
                assert_eq!(closest.as_ref().map(bits), first.map(bits), "{level}");
                let twin = baseline::closest_aos(&ray, &triangles, sides, t_max);
                assert_eq!(twin.map(|(id, hit)| RayHit { id, hit }), closest);
            }
            ray_triangle::many_one_hits(&ray_batch, &triangle, sides, t_max, &mut hits, token);
            assert!(same(&hits, &many), "{level} {hits:?} {many:?}");
            ray_triangle::many_one(&ray_batch, &triangle, sides, t_max, &mut mask, token);
            check_mask(&mask, len, &many);
            ray_triangle::pairwise_hits(&ray_batch, &batch, sides, t_max, &mut hits, token)
                .unwrap();
            assert!(same(&hits, &pairs), "{level} {hits:?} {pairs:?}");
            ray_triangle::pairwise(&ray_batch, &batch, sides, t_max, &mut mask, token).unwrap();
            check_mask(&mask, len, &pairs);
        }
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn batches_of_different_lengths_are_not_paired() {
    let rays = RayBatch::from_slice(&[Ray::new(Vec3::ZERO, Vec3::X)]);
    let level = SimdLevel::Scalar.token().unwrap();
    let (triangles, mut hits) = (TriangleBatch::new(), Vec::new());
    assert_eq!(
        ray_triangle::pairwise_hits(&rays, &triangles, Sides::Both, 1.0, &mut hits, level),
        Err(KernelError::Lengths { left: 1, right: 0 })
    );
}

/// A dented cube: `n` by `n` quads a side, two triangles each, outside in front; vertices that
/// meet are bit by bit the same.
fn cube(n: i32, numbers: &mut Numbers) -> Vec<Triangle> {
    let mut moved = std::collections::HashMap::new();
    let mut vertex = |at: [i32; 3]| {
        *moved.entry(at).or_insert_with(|| {
            Vec3::from_array(at.map(|x| x as f32 * 2.0 / n as f32 - 1.0))
                + numbers.point(0.3 / n as f32)
        })
    };
    let mut out = Vec::new();
    for axis in 0..3 {
        for (side, i, j) in
            (0..2).flat_map(|s| (0..n).flat_map(move |i| (0..n).map(move |j| (s, i, j))))
        {
            let mut corner = |di: i32, dj: i32| {
                let mut at = [0; 3];
                at[axis] = side * n;
                at[(axis + 1) % 3] = i + di;
                at[(axis + 2) % 3] = j + dj;
                vertex(at)
            };
            let [p, q, r, s] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            let mut two = [[p, q, r], [p, r, s]];
            if side == 0 {
                two = two.map(|[a, b, c]| [a, c, b]);
            }
            out.extend(two.map(Triangle::from));
        }
    }
    out
}

#[test]
fn no_ray_leaves_a_closed_mesh_between_its_triangles() {
    let mut numbers = Numbers::new(3);
    for round in 0..12 {
        let mesh = cube(3 + round % 3, &mut numbers);
        let batch = TriangleBatch::from_slice(&mesh);
        let mut rays = Vec::new();
        for triangle in &mesh {
            for target in [
                triangle.a,
                0.5 * (triangle.a + triangle.b),
                triangle.b + numbers.unit().abs() * (triangle.c - triangle.b),
                triangle.a + 0.25 * (triangle.c - triangle.a),
            ] {
                let origin = if round % 2 == 0 {
                    Vec3::ZERO
                } else {
                    numbers.point(0.4)
                };
                rays.push(Ray::new(origin, target - origin));
            }
        }
        for level in SimdLevel::available() {
            let token = level.token().unwrap();
            for ray in &rays {
                let sheared = ShearedRay::new(ray).unwrap();
                let hit =
                    |sides| ray_triangle::closest(&sheared, &batch, sides, f32::INFINITY, token);
                let back = hit(Sides::Back).unwrap_or_else(|| panic!("{level} {ray:?} leaks"));
                assert!(
                    (back.hit.t - 1.0).abs() < 0.6 && !back.hit.front,
                    "{back:?}"
                );
                assert!(hit(Sides::Both).unwrap().hit.t <= back.hit.t);
            }
        }
    }
}

/// By Cramer's rule: `None` where rounding might decide.
fn reference(ray: &Ray, triangle: &Triangle) -> Option<bool> {
    let [a, b, c, o, d] = [
        triangle.a,
        triangle.b,
        triangle.c,
        ray.origin,
        ray.direction,
    ]
    .map(Vec3::as_dvec3);
    let det = |x: DVec3, y: DVec3, z: DVec3| x.cross(y).dot(z);
    let area = det(b - a, c - a, -d);
    if area.abs() < 1e-3 {
        return None;
    }
    let [u, v, t] = [
        det(o - a, c - a, -d),
        det(b - a, o - a, -d),
        det(b - a, c - a, o - a),
    ]
    .map(|x| x / area);
    let inner = [u, v, 1.0 - u - v, t];
    let near = inner.iter().any(|x| x.abs() < 1e-3);
    (!near).then(|| inner.iter().all(|&x| x > 0.0))
}

#[test]
fn clear_cases_are_as_in_double_precision() {
    let mut numbers = Numbers::new(4);
    let mut seen = [0; 2];
    let mut mask = BitMask::new();
    for _ in 0..600 {
        let triangles: Vec<_> = (0..33).map(|_| numbers.triangle(0)).collect();
        let batch = TriangleBatch::from_slice(&triangles);
        let ray = numbers.ray(0);
        let Ok(sheared) = ShearedRay::new(&ray) else {
            continue;
        };
        let token = SimdLevel::Auto.token().unwrap();
        ray_triangle::one_many(
            &sheared,
            &batch,
            Sides::Both,
            f32::INFINITY,
            &mut mask,
            token,
        );
        for (i, triangle) in triangles.iter().enumerate() {
            if let Some(right) = reference(&ray, triangle) {
                assert_eq!(mask.get(i), right, "{ray:?} {triangle:?}");
                seen[usize::from(right)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}

/// Those with a vertex twice from anywhere, and those on a line where nothing is rounded.
#[test]
fn triangles_without_area_are_never_hit() {
    let mut numbers = Numbers::new(5);
    let mut mask = BitMask::new();
    for round in 0..300 {
        let along_an_axis = round % 2 == 0;
        let flat: Vec<_> = (0..20)
            .map(|i| {
                let (p, step) = (numbers.on_grid(4), numbers.on_grid(4));
                let ends = if along_an_axis {
                    [-1.0, 2.0]
                } else {
                    [0.0, 1.0]
                };
                Triangle::new(p, p + step, p + step * ends[i % 2])
            })
            .collect();
        let batch = TriangleBatch::from_slice(&flat);
        let target = flat[round % 20].b;
        let origin = if along_an_axis {
            target + Vec3::AXES[round / 2 % 3] * 9.0
        } else {
            numbers.on_grid(8)
        };
        let Ok(ray) = ShearedRay::new(&Ray::new(origin, target - origin)) else {
            continue;
        };
        for level in SimdLevel::available() {
            let token = level.token().unwrap();
            ray_triangle::one_many(&ray, &batch, Sides::Both, f32::INFINITY, &mut mask, token);
            assert_eq!(mask.count_ones(), 0, "{level}");
        }
    }
}
