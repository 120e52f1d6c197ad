//! Volumes and nearest boxes by every walk over every tree against the plain loop.

mod common;

use core::ops::ControlFlow;

use common::trees::{GO, levels, sets, somewhere, sorted, with_trees};
use common::{Random, box_sets};
use fearless_simd::Level;
use glam::Vec3;
use jostle_broad::PairError;
use jostle_broad::bvh::{Builder, Bvh, Bvh4, Bvh8, Counters, Nearest, WideBvh, WideNode};
use jostle_geom::Aabb;
use jostle_simd::volume::{Frustum, Plane, Point, Sphere, SweptBox, Volume, squared_distance};
use proptest::prelude::*;

/// All walks that look for the boxes that meet a volume give the list of the plain loop.
fn check_volume<V: Volume>(
    what: &str,
    volume: &V,
    (boxes, tree, four, eight): (&[Aabb], &Bvh, &Bvh4, &Bvh8),
) -> usize {
    let all = 0..boxes.len() as u32;
    let expected: Vec<u32> = all.filter(|&id| volume.test(&boxes[id as usize])).collect();
    let (mut stack, mut stackless) = (Vec::new(), Vec::new());
    let counters = tree.overlaps(volume, |id| {
        stack.push(id);
        GO
    });
    assert!(counters.nodes as usize >= expected.len(), "{what}");
    assert!(counters.nodes as usize <= tree.nodes().len(), "{what}");
    tree.overlaps_stackless(volume, |id| {
        stackless.push(id);
        GO
    });
    assert_eq!(stack, stackless, "{what}");
    assert_eq!(sorted(stack), expected, "{what}");
    check_wide(what, volume, four, &expected);
    check_wide(what, volume, eight, &expected);
    expected.len()
}

fn check_wide<N: WideNode, V: Volume>(what: &str, volume: &V, tree: &WideBvh<N>, expected: &[u32]) {
    let mut lists = Vec::new();
    for level in levels() {
        let (mut each, mut into) = (Vec::new(), vec![77]);
        let counters = tree.overlaps(volume, level, |id| {
            each.push(id);
            GO
        });
        assert!(counters.nodes as usize <= tree.nodes().len(), "{what}");
        assert_eq!(counters.tests, counters.nodes * N::LANES as u64, "{what}");
        assert_eq!(counters, tree.overlaps_into(volume, level, &mut into));
        assert_eq!(into[0], 77);
        assert_eq!(each, into[1..], "{what}");
        lists.push(each);
    }
    assert!(
        lists.iter().all(|list| *list == lists[0]),
        "{what}: levels differ"
    );
    assert_eq!(sorted(lists.swap_remove(0)), expected, "{what}");
}

#[test]
fn every_volume_meets_the_boxes_of_the_plain_loop() {
    let mut random = Random::new(11);
    let mut met = [0; 5];
    with_trees(|what, boxes, tree, four, eight| {
        let trees = (boxes, tree, four, eight);
        for _ in 0..3 {
            let (p, q) = (somewhere(boxes, &mut random), somewhere(boxes, &mut random));
            let one = Aabb::new(p.min(q), p.max(q));
            met[0] += check_volume(what, &one, trees);
            met[1] += check_volume(what, &Point(p), trees);
            let sphere = Sphere::new(p, (q - p).length() * 0.5);
            met[2] += check_volume(what, &sphere, trees);
            let small = Aabb::new(p, p + (q - p).abs() * 0.1);
            let swept = SweptBox::new(small, q - p).unwrap();
            met[3] += check_volume(what, &swept, trees);
            let frustum = Frustum::new([(); 6].map(|()| {
                let normal = random.point().as_vec3();
                let offset = (p - q).length() - normal.dot(p);
                Plane { normal, offset }
            }));
            met[4] += check_volume(what, &frustum, trees);
        }
        let all = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
        assert_eq!(check_volume(what, &all, trees), boxes.len());
    });
    assert!(met.iter().all(|&met| met > 200), "{met:?}");
}

#[test]
fn a_batch_gives_what_single_queries_give() {
    for (name, boxes) in sets() {
        let tree = Bvh::build(&boxes, Builder::default(), Level::new()).unwrap();
        let tree = Bvh8::from(&tree);
        for level in levels() {
            let mut single = Counters::default();
            let mut expected = Vec::new();
            for query in boxes.iter().take(50) {
                let mut ids = Vec::new();
                single += tree.overlaps_into(query, level, &mut ids);
                expected.push(sorted(ids));
            }
            let queries = &boxes[..expected.len()];
            let mut found = Vec::new();
            let counters = tree.overlap_batch(queries, level, |at, ids| {
                assert_eq!(at, found.len());
                found.push(sorted(ids.to_vec()));
                GO
            });
            assert_eq!((found, counters), (expected, single), "{name}");
        }
    }
}

#[test]
fn a_batch_that_meets_everything_goes_one_by_one() {
    let boxes = &box_sets()[10].1;
    let tree = Bvh8::from(&Bvh::build(boxes, Builder::default(), Level::new()).unwrap());
    let mut queries = vec![tree.bounds(); 40];
    queries.extend_from_slice(&boxes[..700]);
    let mut found = 0;
    let counters = tree.overlap_batch(&queries, Level::new(), |at, ids| {
        found += 1;
        assert!(at >= 40 || ids.len() == boxes.len());
        GO
    });
    assert_eq!(found, queries.len());
    let mut single = Counters::default();
    for query in &queries {
        single += tree.overlaps(query, Level::new(), |_| GO);
    }
    assert_eq!(counters, single);
}

#[test]
fn walks_stop_when_they_are_told_and_count_what_they_did() {
    let (_, boxes) = sets().swap_remove(10);
    let tree = Bvh::build(&boxes, Builder::default(), Level::new()).unwrap();
    let (level, eight) = (Level::new(), Bvh8::from(&tree));
    let everything = tree.bounds();
    let mut calls = 0;
    let mut third = |_| {
        calls += 1;
        if calls % 3 == 0 {
            ControlFlow::Break(())
        } else {
            GO
        }
    };
    let whole = tree.overlaps(&everything, |_| GO);
    assert_eq!(whole.nodes as usize, tree.nodes().len());
    for counters in [
        tree.overlaps(&everything, &mut third),
        tree.overlaps_stackless(&everything, &mut third),
        eight.overlaps(&everything, level, &mut third),
        tree.self_pairs(|a, _| third(a)),
        tree.pairs_with(&tree, |a, _| third(a)),
    ] {
        assert!(0 < counters.nodes && counters.nodes < whole.nodes);
    }
    assert_eq!(calls, 15);
    let mut chunks = 0;
    eight.pairs_with(&eight, level, |_| {
        chunks += 1;
        ControlFlow::Break(())
    });
    assert_eq!(chunks, 1);
    let mut batches = 0;
    eight.overlap_batch(&boxes, level, |_, _| {
        batches += 1;
        ControlFlow::Break(())
    });
    assert_eq!(batches, 1);
    // A wide walk looks at fewer nodes.
    let wide = eight.overlaps(&everything, level, |_| GO);
    assert_eq!(wide.nodes as usize, eight.nodes().len());
}

#[test]
fn the_nearest_boxes_are_those_of_a_sorted_list() {
    let mut random = Random::new(12);
    with_trees(|what, boxes, tree, four, eight| {
        for (k, max_distance) in [
            (1, f32::INFINITY),
            (1, 0.1),
            (7, f32::INFINITY),
            (20, 0.5),
            (0, 1.0),
        ] {
            let point = somewhere(boxes, &mut random) * (1.0 + random.unit() as f32);
            let mut expected: Vec<Nearest> = Vec::new();
            for (id, b) in boxes.iter().enumerate() {
                let mut one = Nearest::default();
                (one.id, one.squared_distance) = (id as u32, squared_distance(point, b));
                if one.squared_distance <= max_distance * max_distance {
                    expected.push(one);
                }
            }
            expected.sort();
            expected.truncate(k);
            assert_eq!(tree.nearest_k(point, k, max_distance).0, expected, "{what}");
            for level in levels() {
                let found = four.nearest_k(point, k, max_distance, level).0;
                assert_eq!(found, expected, "{what}");
                let found = eight.nearest_k(point, k, max_distance, level).0;
                assert_eq!(found, expected, "{what}");
                if k == 1 {
                    let first = expected.first().copied();
                    assert_eq!(tree.nearest(point, max_distance).0, first, "{what}");
                    assert_eq!(eight.nearest(point, max_distance, level).0, first, "{what}");
                }
            }
        }
        for (point, max_distance) in [(Vec3::ZERO, -1.0), (Vec3::ZERO, f32::NAN), (Vec3::NAN, 1.0)]
        {
            assert_eq!(tree.nearest(point, max_distance).0, None);
            assert_eq!(eight.nearest(point, max_distance, Level::new()).0, None);
        }
    });
}

#[test]
fn what_is_in_a_box_may_be_further_than_the_box() {
    let (_, boxes) = sets().swap_remove(10);
    let tree = Bvh::build(&boxes, Builder::default(), Level::new()).unwrap();
    let eight = Bvh8::from(&tree);
    let centre = |id: u32| boxes[id as usize].centre();
    let mut random = Random::new(13);
    for _ in 0..50 {
        let point = random.point().as_vec3();
        let refine = |id: u32, _| centre(id).distance_squared(point);
        let best = (0..boxes.len() as u32)
            .min_by(|&a, &b| refine(a, 0.0).total_cmp(&refine(b, 0.0)))
            .unwrap();
        let (two, counters) = tree.nearest_k_by(point, 1, f32::INFINITY, refine);
        let (wide, _) = eight.nearest_k_by(point, 1, f32::INFINITY, Level::new(), refine);
        assert_eq!(two, wide);
        assert_eq!(
            (two[0].id, two[0].squared_distance),
            (best, refine(best, 0.0))
        );
        assert!(counters.nodes < boxes.len() as u64);
    }
}

#[test]
fn many_identical_boxes_are_walked_in_ordinary_time() {
    let n = 200_000;
    let boxes = vec![Aabb::new(Vec3::ZERO, Vec3::ONE); n];
    let tree = Bvh::build(&boxes, Builder::Fast, Level::new()).unwrap();
    let (level, four, eight) = (Level::new(), Bvh4::from(&tree), Bvh8::from(&tree));
    eight.validate(&boxes).unwrap();
    four.validate(&boxes).unwrap();
    let mut found = 0;
    eight.overlaps(&Point(Vec3::ZERO), level, |_| {
        found += 1;
        GO
    });
    four.overlaps(&Point(Vec3::ONE), level, |_| {
        found += 1;
        GO
    });
    tree.overlaps_stackless(&Point(Vec3::ONE), |_| {
        found += 1;
        GO
    });
    assert_eq!(found, 3 * n);
    let outside = Point(Vec3::splat(2.0));
    assert_eq!(eight.overlaps(&outside, level, |_| GO).nodes, 1);
    assert_eq!(eight.nearest(Vec3::ZERO, 1.0, level).0.unwrap().id, 0);
    for limit in [0, 1000] {
        let error = PairError::TooManyPairs { limit };
        let mut pairs = Vec::new();
        assert_eq!(tree.append_self_pairs(Some(limit), &mut pairs), Err(error));
        pairs.clear();
        assert_eq!(
            eight.append_self_pairs(level, Some(limit), &mut pairs),
            Err(error)
        );
        assert_eq!(pairs.len(), limit);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Boxes on a coarse grid, so that many touch; queries on the same grid.
    #[test]
    fn grids_of_touching_boxes(
        corners in prop::collection::vec(([-4_i8..4, -4_i8..4, -4_i8..4], [0_u8..3, 0_u8..3, 0_u8..3]), 0..60),
        query in ([-5_i8..5, -5_i8..5, -5_i8..5], [0_u8..4, 0_u8..4, 0_u8..4]),
        motion in [-6_i8..6, -6_i8..6, -6_i8..6],
        builder in 0..Builder::ALL.len(),
    ) {
        let to_box = |(p, size): ([i8; 3], [u8; 3])| {
            let min = Vec3::from_array(p.map(f32::from));
            Aabb::new(min, min + Vec3::from_array(size.map(f32::from)))
        };
        let boxes: Vec<Aabb> = corners.into_iter().map(to_box).collect();
        let query = to_box(query);
        let motion = Vec3::from_array(motion.map(f32::from));
        let tree = Bvh::build(&boxes, Builder::ALL[builder], Level::new()).unwrap();
        let (four, eight) = (Bvh4::from(&tree), Bvh8::from(&tree));
        let trees = (&boxes[..], &tree, &four, &eight);
        check_volume("box", &query, trees);
        check_volume("point", &Point(query.min), trees);
        check_volume("sphere", &Sphere::new(query.min, (query.max - query.min).x), trees);
        check_volume("swept", &SweptBox::new(query, motion).unwrap(), trees);
        // A box is the space between six planes.
        let plane = |axis: usize, side: f32, at: f32| Plane {
            normal: Vec3::AXES[axis] * side,
            offset: -side * at,
        };
        let frustum = Frustum::new([
            plane(0, 1.0, query.min.x), plane(0, -1.0, query.max.x),
            plane(1, 1.0, query.min.y), plane(1, -1.0, query.max.y),
            plane(2, 1.0, query.min.z), plane(2, -1.0, query.max.z),
        ]);
        for b in &boxes {
            // Small whole numbers: nothing is rounded, but what is almost touching counts.
            prop_assert_eq!(frustum.test(b), query.overlaps(b));
        }
        check_volume("frustum", &frustum, trees);
    }
}
