//! Rays, boxes and points against triangles: the tree gives the answers of looking at all of them.

use core::ops::ControlFlow;

use glam::Vec3;
use jostle_broad::bvh::{
    BoxHit, Builder, Bvh, Bvh4, Bvh8, Precision, RayHit, RayOptions, TriangleError, TriangleTree,
};
use jostle_geom::{Aabb, Ray, RayError, Sides, Triangle};
use jostle_scenes::{Shape, Terrain};
use jostle_simd::fearless_simd::Level;
use jostle_simd::{RaySlabs, ShearedRay, SimdLevel};
use jostle_testkit::Rng;
use proptest::prelude::*;

fn levels() -> Vec<Level> {
    let levels = SimdLevel::available().into_iter();
    levels.map(|level| level.token().unwrap()).collect()
}

fn point(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| rng.signed() as f32 * size))
}

/// Triangles of many sizes around a place, some without area, some twice.
fn soup(rng: &mut Rng, n: usize, at: Vec3) -> Vec<Triangle> {
    let mut out: Vec<Triangle> = Vec::new();
    for i in 0..n {
        let a = at + point(rng, 10.0);
        let size = [0.3, 1.0, 5.0][i % 3];
        let (b, c) = (a + point(rng, size), a + point(rng, size));
        out.push(match i % 17 {
            3 => Triangle::new(a, b, b),
            5 => Triangle::new(a, a, a),
            7 => Triangle::new(a, b, a + (b - a) * 0.5),
            11 => out[i / 2],
            _ => Triangle::new(a, b, c),
        });
    }
    out
}

fn ground(static_triangles: usize) -> Vec<Triangle> {
    let terrain = Terrain {
        static_triangles,
        dynamic: 0,
        seed: 4,
    };
    let scene = terrain.build().unwrap();
    scene
        .triangles
        .iter()
        .copied()
        .map(Triangle::from)
        .collect()
}

/// All hits, nearest first, equal distances by id.
fn all_hits(triangles: &[Triangle], ray: &Ray, options: RayOptions) -> Vec<RayHit> {
    let sheared = ShearedRay::new(ray).unwrap();
    let mut hits: Vec<RayHit> = (0..)
        .zip(triangles)
        .filter_map(|(triangle, t)| {
            let hit = sheared.hit(t, options.sides)?;
            (hit.t <= options.t_max).then_some(RayHit {
                triangle,
                t: hit.t,
                u: hit.u,
                v: hit.v,
                front: hit.front,
            })
        })
        .collect();
    hits.sort_by(|a, b| a.t.total_cmp(&b.t).then(a.triangle.cmp(&b.triangle)));
    hits
}

/// Checks every kind of query; returns whether there was a hit.
fn check(tree: &TriangleTree, triangles: &[Triangle], ray: &Ray, options: RayOptions) -> bool {
    let expected = all_hits(triangles, ray, options);
    let mut counters = Vec::new();
    for level in levels() {
        let (closest, counted) = tree.closest_hit(ray, options, level).unwrap();
        assert_eq!(closest, expected.first().copied(), "{ray:?} {options:?}");
        counters.push(counted);
        let (any, _) = tree.any_hit(ray, options, level).unwrap();
        assert_eq!(any.is_some(), !expected.is_empty(), "{ray:?} {options:?}");
        if let Some(any) = any {
            assert!(expected.contains(&any));
        }
        let mut all = Vec::new();
        let visit = &mut |hit: &RayHit| {
            all.push(*hit);
            ControlFlow::Continue(())
        };
        tree.all_hits(ray, options, level, visit).unwrap();
        all.sort_by(|a, b| a.t.total_cmp(&b.t).then(a.triangle.cmp(&b.triangle)));
        assert_eq!(all, expected, "{ray:?} {options:?}");
    }
    assert!(counters.windows(2).all(|two| two[0] == two[1]));
    !expected.is_empty()
}

/// Rays of all kinds: along axes and across, from inside and outside, at vertices and edges.
fn rays(rng: &mut Rng, triangles: &[Triangle], count: usize) -> Vec<Ray> {
    let pick = |rng: &mut Rng| triangles[rng.integer(0, triangles.len() as i64 - 1) as usize];
    (0..count)
        .map(|i| {
            let (from, to) = (pick(rng), pick(rng));
            let origin = from.a + point(rng, 3.0);
            let middle = (to.a + to.b) * 0.5;
            match i % 8 {
                0 => Ray::new(origin, [Vec3::X, -Vec3::Y, Vec3::Z][i / 8 % 3]),
                1 => Ray::new(Vec3::new(to.a.x, to.a.y, to.a.z + 9.0), -Vec3::Z),
                2 => Ray::new(origin, to.a - origin),
                3 => Ray::new(origin, middle - origin),
                4 => Ray::new(from.b, to.c - from.b),
                5 => Ray::new(origin, point(rng, 1.0) * Vec3::new(1.0, 0.0, 1.0)),
                6 => Ray::new(origin, point(rng, 1e-3)),
                _ => Ray::new(origin + Vec3::Z * 20.0, point(rng, 0.5) - Vec3::Z),
            }
        })
        .filter(|ray| ray.check().is_ok())
        .collect()
}

#[test]
fn closest_any_and_all_hits_are_those_of_brute_force() {
    let mut rng = Rng::new(1);
    for (case, triangles) in [
        soup(&mut rng, 1, Vec3::ZERO),
        soup(&mut rng, 9, Vec3::ZERO),
        soup(&mut rng, 300, Vec3::ZERO),
        soup(&mut rng, 300, Vec3::new(1e5, -3e6, 2e4)),
        ground(600),
    ]
    .iter()
    .enumerate()
    {
        let mut hits = 0;
        for builder in Builder::ALL {
            let tree = TriangleTree::build(triangles, builder, Level::new()).unwrap();
            assert!(tree.is_valid_for(triangles), "{builder}");
            let mut rng = Rng::new(2);
            for (i, ray) in rays(&mut rng, triangles, 160).iter().enumerate() {
                let options = RayOptions {
                    t_max: [f32::INFINITY, f32::INFINITY, 1.0, 0.25][i % 4],
                    sides: [Sides::Both, Sides::Front, Sides::Both, Sides::Back][i / 4 % 4],
                };
                hits += u32::from(check(&tree, triangles, ray, options));
            }
        }
        assert!(hits > if case == 0 { 5 } else { 40 }, "case {case}: {hits}");
    }
}

#[test]
fn distances_are_those_of_geometry() {
    let mut rng = Rng::new(3);
    let triangles = soup(&mut rng, 200, Vec3::ZERO);
    let mut hits = 0;
    for ray in rays(&mut rng, &triangles, 400) {
        for hit in all_hits(&triangles, &ray, RayOptions::default()) {
            let t = &triangles[hit.triangle as usize];
            let [a, b, c] = [t.a, t.b, t.c].map(Vec3::as_dvec3);
            let (u, v) = (f64::from(hit.u), f64::from(hit.v));
            let on_triangle = a * (1.0 - u - v) + b * u + c * v;
            let on_ray = ray.origin.as_dvec3() + ray.direction.as_dvec3() * f64::from(hit.t);
            let scale = f64::from(ray.origin.length()) + on_triangle.length();
            assert!(on_triangle.distance(on_ray) < 1e-5 * scale, "{ray:?} {t:?}");
            let facing = (b - a).cross(c - a).dot(ray.direction.as_dvec3());
            assert!(hit.front == (facing < 0.0) || facing.abs() < 1e-4);
            hits += 1;
        }
    }
    assert!(hits > 100);
}

#[test]
fn nothing_leaks_through_edges_and_vertices_of_a_closed_mesh() {
    let sphere = Shape::icosphere(3);
    for (centre, radius) in [
        (Vec3::ZERO, 1.0),
        (Vec3::new(3.0, -5.0, 8.0), 0.1),
        (Vec3::new(1e4, 2e4, -3e4), 2.0),
    ] {
        let at = |i: u32| centre + sphere.positions[i as usize].as_vec3() * radius;
        let triangles: Vec<_> = (sphere.faces.iter())
            .map(|face| Triangle::from(face.map(at)))
            .collect();
        let tree = TriangleTree::build(&triangles, Builder::default(), Level::new()).unwrap();
        let mut rng = Rng::new(7);
        let mut aims = Vec::new();
        for face in &sphere.faces {
            let [a, b, c] = face.map(at);
            aims.extend([
                a,
                (a + b) * 0.5,
                a + (b - a) * rng.unit() as f32,
                (a + b + c) / 3.0,
            ]);
        }
        let mut all = Vec::new();
        for aim in aims {
            for from in [centre, centre + point(&mut rng, radius * 0.5)] {
                all.push(Ray::new(from, aim - from));
            }
        }
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            all.extend([Ray::new(centre, axis), Ray::new(centre, -axis)]);
        }
        let mut hits = Vec::new();
        for level in levels() {
            let options = RayOptions::default();
            tree.closest_hits(&all, options, level, &mut hits).unwrap();
            for (ray, hit) in all.iter().zip(&hits) {
                assert!(hit.is_some(), "{ray:?} leaks out of {centre} {radius}");
                let only_back = RayOptions {
                    sides: Sides::Back,
                    ..options
                };
                let (back, _) = tree.closest_hit(ray, only_back, level).unwrap();
                assert!(back.is_some(), "{ray:?} leaks out of {centre} {radius}");
            }
        }
    }
}

#[test]
fn batches_are_rays_one_by_one() {
    let mut rng = Rng::new(11);
    let triangles = ground(5_000);
    let tree = TriangleTree::build(&triangles, Builder::default(), Level::new()).unwrap();
    let rays = rays(&mut rng, &triangles, 3_000);
    let options = RayOptions::default();
    let mut hits = Vec::new();
    for level in levels() {
        tree.closest_hits(&rays, options, level, &mut hits).unwrap();
        for (ray, hit) in rays.iter().zip(&hits) {
            assert_eq!(tree.closest_hit(ray, options, level).unwrap().0, *hit);
        }
    }
    assert!(hits.iter().flatten().count() > 1_000);
    let mut bad = rays;
    bad[7].direction = Vec3::ZERO;
    let error = tree.closest_hits(&bad, options, Level::new(), &mut hits);
    assert_eq!(error.unwrap_err().ray, 7);
    assert!(hits.is_empty());
}

/// What a ray hits in a box when the boxes are solid.
fn solid(ray: &Ray, aabb: &Aabb, t_max: f32) -> Option<f32> {
    let slabs = RaySlabs::new(ray).unwrap();
    slabs
        .enter(aabb, RaySlabs::limit(t_max))
        .filter(|t| *t <= t_max)
}

#[test]
fn walks_over_boxes_of_any_width_give_the_hits_of_brute_force() {
    let mut rng = Rng::new(19);
    let triangles = soup(&mut rng, 250, Vec3::ZERO);
    let mut boxes: Vec<Aabb> = triangles.iter().map(Triangle::bounds).collect();
    boxes.push(boxes[17]);
    boxes.push(Aabb::new(
        Vec3::new(-1.0, f32::NEG_INFINITY, 2.0),
        Vec3::new(0.0, 5.0, 2.5),
    ));
    let rays = rays(&mut rng, &triangles, 120);
    let mut hits = 0;
    for builder in Builder::ALL {
        let tree = Bvh::build(&boxes, builder, Level::new()).unwrap();
        let (four, eight) = (Bvh4::from(&tree), Bvh8::from(&tree));
        for (i, ray) in rays.iter().enumerate() {
            let t_max = [f32::INFINITY, 3.0, 0.5][i % 3];
            let all: Vec<(u32, f32)> = (0..)
                .zip(&boxes)
                .filter_map(|(id, b)| solid(ray, b, t_max).map(|t| (id, t)))
                .collect();
            let best = all
                .iter()
                .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            let best = best.map(|&(id, t)| BoxHit { id, t });
            let hit = |id: u32, t_max: f32| solid(ray, &boxes[id as usize], t_max);
            assert_eq!(tree.closest_hit(ray, t_max, hit).unwrap().0, best);
            assert_eq!(
                tree.any_hit(ray, t_max, hit).unwrap().0.is_some(),
                best.is_some()
            );
            let mut found = Vec::new();
            let mut visit = |id, t: f32| {
                if t <= t_max {
                    found.push((id, t));
                }
                ControlFlow::Continue(())
            };
            tree.ray_boxes(ray, t_max, &mut visit).unwrap();
            let narrow = found.len();
            for level in levels() {
                let (closest, _) = four.closest_hit(ray, t_max, level, hit).unwrap();
                assert_eq!(closest, best);
                let (closest, _) = eight.closest_hit(ray, t_max, level, hit).unwrap();
                assert_eq!(closest, best);
                let (any, _) = eight.any_hit(ray, t_max, level, hit).unwrap();
                assert_eq!(any.is_some(), best.is_some());
                let mut visit = |id, t: f32| {
                    if t <= t_max {
                        found.push((id, t));
                    }
                    ControlFlow::Continue(())
                };
                four.ray_boxes(ray, t_max, level, &mut visit).unwrap();
                eight.ray_boxes(ray, t_max, level, &mut visit).unwrap();
            }
            assert_eq!(narrow, all.len());
            for same in found.chunks_mut(narrow.max(1)) {
                same.sort_by_key(|hit| hit.0);
                assert_eq!(same, all);
            }
            hits += all.len();
        }
        // In packets, which need not be full.
        let hit = |ray: usize, id: u32, t_max: f32| solid(&rays[ray], &boxes[id as usize], t_max);
        let mut packets = Vec::new();
        for level in levels() {
            tree.closest_hits(&rays, 3.0, level, hit, &mut packets)
                .unwrap();
            for (i, (ray, found)) in rays.iter().zip(&packets).enumerate() {
                let one = tree.closest_hit(ray, 3.0, |id, t_max| hit(i, id, t_max));
                assert_eq!(one.unwrap().0, *found);
            }
        }
    }
    assert!(hits > 2_000, "{hits}");
}

#[test]
fn large_trees_answer_batches_as_they_answer_one_by_one() {
    let mut rng = Rng::new(23);
    // Large enough for rays to be sorted.
    let triangles = ground(250_000);
    let tree = TriangleTree::build(&triangles, Builder::Fast, Level::new()).unwrap();
    assert!(tree.memory_bytes() > 16 << 20);
    let rays = rays(&mut rng, &triangles, 2_000);
    let options = RayOptions::default();
    let mut hits = Vec::new();
    tree.closest_hits(&rays, options, Level::new(), &mut hits)
        .unwrap();
    for (ray, hit) in rays.iter().zip(&hits) {
        assert_eq!(
            tree.closest_hit(ray, options, Level::new()).unwrap().0,
            *hit
        );
    }
    assert!(hits.iter().flatten().count() > 600);
}

#[test]
fn boxes_find_the_triangles_of_brute_force() {
    let mut rng = Rng::new(13);
    let triangles = soup(&mut rng, 400, Vec3::ZERO);
    let (mut near, mut met) = (0, 0);
    for builder in Builder::ALL {
        let tree = TriangleTree::build(&triangles, builder, Level::new()).unwrap();
        for _ in 0..60 {
            let centre = point(&mut rng, 10.0);
            let half = point(&mut rng, 2.0).abs();
            let query = Aabb::new(centre - half, centre + half);
            let expected: Vec<u32> = (0..)
                .zip(&triangles)
                .filter_map(|(id, t)| t.bounds().overlaps(&query).then_some(id))
                .collect();
            for level in levels() {
                let find = |precision| {
                    let mut found = Vec::new();
                    let visit = |id| {
                        found.push(id);
                        ControlFlow::Continue(())
                    };
                    tree.overlaps(&query, precision, level, visit).unwrap();
                    found.sort_unstable();
                    found
                };
                assert_eq!(find(Precision::Bounds), expected);
                let closer = find(Precision::Triangles);
                assert!(closer.iter().all(|id| expected.contains(id)));
                // What has a corner or its middle inside overlaps.
                for &id in &expected {
                    let t = triangles[id as usize];
                    let inside = [t.a, t.b, t.c, t.a.midpoint(t.b)].iter().any(|&p| {
                        p.cmpge(query.min + 1e-5).all() && p.cmple(query.max - 1e-5).all()
                    });
                    assert!(!inside || closer.contains(&id));
                }
                near += expected.len();
                met += closer.len();
            }
        }
    }
    assert!(met > 100 && met < near * 9 / 10, "{met} of {near}");
}

#[test]
fn nearest_points_are_those_of_brute_force() {
    let mut rng = Rng::new(17);
    let triangles = soup(&mut rng, 300, Vec3::ZERO);
    // One triangle a tree: no walk at all.
    let alone: Vec<_> = triangles
        .iter()
        .map(|t| TriangleTree::build(&[*t], Builder::default(), Level::new()).unwrap())
        .collect();
    for builder in Builder::ALL {
        let tree = TriangleTree::build(&triangles, builder, Level::new()).unwrap();
        for i in 0..60 {
            let from = point(&mut rng, 15.0);
            let reach = if i % 3 == 0 { 1.0 } else { f32::INFINITY };
            let best = (0..)
                .zip(&alone)
                .filter_map(|(id, one)| {
                    let (found, _) = one.nearest(from, reach, Level::fallback()).unwrap();
                    found.map(|found| (found.distance, id, found.point))
                })
                .min_by(|a, b| a.0.total_cmp(&b.0));
            for level in levels() {
                let (found, _) = tree.nearest(from, reach, level).unwrap();
                assert_eq!(found.map(|f| f.distance), best.map(|b| b.0));
                if let Some(found) = found {
                    let error = found.point.distance(from) - found.distance;
                    assert!(error.abs() < 1e-5 * (1.0 + found.distance));
                }
            }
        }
    }
}

#[test]
fn empty_trees_answer_nothing() {
    let tree = TriangleTree::build(&[], Builder::default(), Level::new()).unwrap();
    assert!(tree.is_empty() && tree.is_valid_for(&[]));
    assert!(!check(
        &tree,
        &[],
        &Ray::new(Vec3::ZERO, Vec3::X),
        RayOptions::default()
    ));
    assert_eq!(
        tree.nearest(Vec3::ZERO, f32::INFINITY, Level::new())
            .unwrap()
            .0,
        None
    );
    let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let visit = |_| panic!("there is nothing to visit");
    tree.overlaps(&everywhere, Precision::Triangles, Level::new(), visit)
        .unwrap();
}

#[test]
fn identical_triangles_answer_with_the_first() {
    let triangles = vec![Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y); 3_000];
    let ray = Ray::new(Vec3::new(0.25, 0.25, 1.0), -Vec3::Z);
    for builder in Builder::ALL {
        let tree = TriangleTree::build(&triangles, builder, Level::new()).unwrap();
        assert!(tree.is_valid_for(&triangles));
        assert!(check(&tree, &triangles, &ray, RayOptions::default()));
        let (hit, _) = tree
            .closest_hit(&ray, RayOptions::default(), Level::new())
            .unwrap();
        assert_eq!(hit.map(|hit| (hit.triangle, hit.t)), Some((0, 1.0)));
        let (near, _) = tree.nearest(Vec3::splat(0.2), 9.0, Level::new()).unwrap();
        assert_eq!(near.map(|near| near.triangle), Some(0));
    }
}

#[test]
fn bad_input_is_refused() {
    let good = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    for value in [f32::NAN, f32::INFINITY, -1e19] {
        let bad = Triangle {
            b: Vec3::new(0.0, value, 0.0),
            ..good
        };
        let error = TriangleTree::build(&[good, bad], Builder::default(), Level::new());
        assert!(matches!(
            error,
            Err(TriangleError::Vertex { triangle: 1, .. })
        ));
    }
    let tree = TriangleTree::build(&[good], Builder::default(), Level::new()).unwrap();
    let cast = |origin: Vec3, direction: Vec3, t_max: f32| {
        let options = RayOptions {
            t_max,
            ..RayOptions::default()
        };
        tree.closest_hit(&Ray::new(origin, direction), options, Level::new())
    };
    let inf = f32::INFINITY;
    assert!(matches!(
        cast(Vec3::ZERO, Vec3::ZERO, inf),
        Err(RayError::Length { .. })
    ));
    assert!(matches!(
        cast(Vec3::ZERO, Vec3::NAN, inf),
        Err(RayError::Direction { .. })
    ));
    assert!(matches!(
        cast(Vec3::NAN, Vec3::X, inf),
        Err(RayError::Origin { .. })
    ));
    assert_eq!(cast(Vec3::ZERO, Vec3::X, f32::NAN), Err(RayError::Reach));
    assert_eq!(
        cast(Vec3::new(0.2, 0.2, 1.0), -Vec3::Z, -1.0).unwrap().0,
        None
    );
    assert!(tree.nearest(Vec3::NAN, 1.0, Level::new()).is_err());
    assert!(tree.nearest(Vec3::ZERO, f32::NAN, Level::new()).is_err());
    let inverted = Aabb::EMPTY;
    let visit = |_| ControlFlow::Continue(());
    assert!(
        tree.overlaps(&inverted, Precision::Bounds, Level::new(), visit)
            .is_err()
    );
}

/// Numbers from a grid, so that rays run through vertices, edges and planes, and others.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        3 => (-4_i8..=4).prop_map(f32::from),
        2 => -5.0_f32..5.0,
        1 => prop_oneof![Just(-0.0_f32), Just(1e-30), Just(-3e-42), Just(1e7), Just(-1e15)],
    ]
}

fn vertex() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(coordinate()).prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn any_ray_gets_the_answer_of_brute_force(
        corners in prop::collection::vec(prop::array::uniform3(vertex()), 0..60),
        origin in vertex(),
        direction in vertex(),
        t_max in prop_oneof![Just(f32::INFINITY), 0.0_f32..3.0],
        sides in prop_oneof![Just(Sides::Both), Just(Sides::Front), Just(Sides::Back)],
    ) {
        let triangles: Vec<_> = corners.into_iter().map(Triangle::from).collect();
        let ray = Ray::new(origin, direction);
        prop_assume!(ray.check().is_ok());
        for builder in Builder::ALL {
            let tree = TriangleTree::build(&triangles, builder, Level::new()).unwrap();
            prop_assert!(tree.is_valid_for(&triangles));
            check(&tree, &triangles, &ray, RayOptions { t_max, sides });
        }
    }
}
