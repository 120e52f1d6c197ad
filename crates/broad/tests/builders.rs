//! Every builder of the binary tree on boxes that are hard on it.

use core::ops::ControlFlow;

use fearless_simd::Level;
use glam::Vec3;
use jostle_broad::bvh::{Builder, Bvh, RefitError};
use jostle_broad::{BoxError, brute};
use jostle_geom::Aabb;
use jostle_scenes::{BoxSet, Terrain};
use jostle_simd::SimdLevel;

fn build(boxes: &[Aabb], builder: Builder) -> Bvh {
    let tree = Bvh::build(boxes, builder, Level::new()).unwrap();
    assert_eq!(tree.validate(boxes), Ok(()), "{builder}");
    assert!(tree.depth() <= Bvh::MAX_DEPTH);
    tree
}

fn pairs(tree: &Bvh) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    tree.self_pairs_recursive(&mut |a, b| {
        pairs.push([a, b]);
        ControlFlow::Continue(())
    });
    pairs.sort_unstable();
    pairs
}

fn terrain(static_triangles: usize) -> Vec<Aabb> {
    let scene = Terrain {
        static_triangles,
        dynamic: 0,
        seed: 0,
    };
    scene.build().unwrap().fixed
}

#[test]
fn hard_boxes_give_valid_trees_and_the_right_pairs() {
    for set in BoxSet::ALL {
        for n in [1, 2, 3, 4, 5, 33, 700] {
            let boxes = set.boxes(n, 1);
            let expected = brute::self_pairs(&boxes).unwrap();
            for builder in Builder::ALL {
                let tree = build(&boxes, builder);
                assert_eq!(pairs(&tree), expected, "{builder}, {n} of {}", set.name());
            }
        }
    }
}

#[test]
fn no_box_is_too_large_or_too_small() {
    let at = |lo: f32, hi: f32| Aabb::new(Vec3::splat(lo), Vec3::splat(hi));
    let mut boxes = vec![
        at(-f32::MAX, f32::MAX),
        at(f32::NEG_INFINITY, f32::INFINITY),
        at(f32::INFINITY, f32::INFINITY),
        at(f32::NEG_INFINITY, f32::NEG_INFINITY),
        at(1e38, 1.1e38),
        at(0.0, 1e-45),
        at(-0.0, 0.0),
    ];
    boxes.extend((0..200).map(|i| at(1e30 * i as f32, 1e30 * (i as f32 + 0.5))));
    boxes.extend((0..200).map(|i| at(1e-40 * i as f32, 1e-40 * (i as f32 + 0.5))));
    for boxes in [&boxes[..], &boxes[5..], &boxes[207..], &boxes[..3]] {
        let expected = brute::self_pairs(boxes).unwrap();
        for builder in Builder::ALL {
            let tree = build(boxes, builder);
            assert_eq!(pairs(&tree), expected, "{builder}");
            assert!(tree.sah_cost().is_finite());
        }
    }
}

#[test]
fn trees_are_the_same_for_any_threads_and_level() {
    let mut sets = vec![("terrain", terrain(40_000))];
    for set in [
        BoxSet::Clustered,
        BoxSet::Identical,
        BoxSet::Exponential,
        BoxSet::Unbounded,
    ] {
        sets.push((set.name(), set.boxes(10_000, 3)));
    }
    for (name, boxes) in &sets {
        for builder in Builder::ALL {
            let expected = build(boxes, builder);
            for threads in [1, 4] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let tree = pool
                    .unwrap()
                    .install(|| Bvh::build(boxes, builder, Level::new()));
                assert!(
                    tree.as_ref() == Ok(&expected),
                    "{name}, {builder}, {threads} threads"
                );
            }
            for level in SimdLevel::available() {
                let tree = Bvh::build(boxes, builder, level.token().unwrap());
                assert!(tree.as_ref() == Ok(&expected), "{name}, {builder}, {level}");
            }
        }
    }
}

#[test]
fn costs_are_in_the_order_that_the_builders_promise() {
    for boxes in [terrain(20_000), BoxSet::Clustered.boxes(20_000, 7)] {
        let cost = |builder| build(&boxes, builder).sah_cost();
        let full = cost(Builder::SahFull);
        let binned = cost(Builder::SahBinned);
        assert!(full <= 1.05 * binned, "{full} {binned}");
        assert!(binned <= 1.05 * full, "{binned} {full}");
        let [fast, balanced, best] = [Builder::Fast, Builder::Balanced, Builder::Best].map(cost);
        assert!(
            best <= balanced && balanced <= fast,
            "{best} {balanced} {fast}"
        );
        assert!(balanced <= 1.1 * binned, "{balanced} {binned}");
        for other in [
            Builder::Median,
            Builder::Lbvh30,
            Builder::Lbvh63,
            Builder::Hlbvh,
        ] {
            let other = cost(other);
            assert!(best < other && other < 3.0 * best, "{other} {best}");
        }
    }
}

#[test]
fn exactly_flat_boxes_are_split_by_area() {
    // By volume all splits would cost nothing, and the tree would be a chain.
    let boxes = BoxSet::Planar.boxes(10_000, 2);
    for builder in Builder::ALL {
        let depth = build(&boxes, builder).depth();
        assert!(depth <= 32, "{builder} is {depth} deep");
    }
}

#[test]
fn a_million_identical_boxes_take_ordinary_time() {
    let boxes = BoxSet::Identical.boxes(1_000_000, 0);
    for builder in Builder::ALL {
        assert_eq!(build(&boxes, builder).depth(), 20, "{builder}");
    }
}

#[test]
fn refit_takes_new_bounds_and_refuses_bad_ones() {
    let boxes = BoxSet::Uniform.boxes(3000, 4);
    let moved: Vec<_> = boxes
        .iter()
        .enumerate()
        .map(|(i, b)| {
            let by = Vec3::splat((i % 7) as f32 - 3.0);
            Aabb::new(b.min + by, b.max + by)
        })
        .collect();
    let mut tree = build(&boxes, Builder::Balanced);
    tree.refit(&moved).unwrap();
    assert_eq!(tree.validate(&moved), Ok(()));
    assert_eq!(pairs(&tree), brute::self_pairs(&moved).unwrap());
    let before = tree.clone();
    assert!(matches!(
        tree.refit(&moved[1..]),
        Err(RefitError::Count {
            boxes: 2999,
            tree: 3000
        })
    ));
    let mut bad = moved.clone();
    bad[17].min.y = f32::NAN;
    let error = tree.refit(&bad).unwrap_err();
    assert!(matches!(
        error,
        RefitError::Box(BoxError::Nan {
            index: 17,
            axis: 1,
            ..
        })
    ));
    assert_eq!(tree, before);
    Bvh::default().refit(&[]).unwrap();
}

#[test]
fn bug_b02_builders_take_twenty_thousand_identical_boxes() {
    let boxes = vec![Aabb::new(Vec3::ZERO, Vec3::ONE); 20_000];
    for builder in Builder::ALL {
        assert!(build(&boxes, builder).depth() <= 64, "{builder}");
        let few = build(&boxes[..1000], builder);
        assert_eq!(pairs(&few).len(), 499_500, "{builder}");
    }
}

#[test]
fn bug_b03_builders_bound_the_depth_of_a_geometric_progression() {
    let boxes: Vec<_> = (0..121)
        .map(|i| Aabb::new(Vec3::ZERO, Vec3::splat(f32::from_bits((67 + i) << 23))))
        .collect();
    assert_eq!(boxes[60].max.x, 1.0);
    for builder in Builder::ALL {
        assert_eq!(pairs(&build(&boxes, builder)).len(), 7260, "{builder}");
    }
}

#[test]
fn bug_b04_builders_separate_concentric_boxes_by_size() {
    let mut boxes: Vec<_> = (1..=200)
        .map(|i| {
            Aabb::new(
                Vec3::splat(-0.0625 * i as f32),
                Vec3::splat(0.0625 * i as f32),
            )
        })
        .collect();
    boxes.push(Aabb::new(Vec3::splat(1e6), Vec3::splat(1e6 + 1.0)));
    for builder in Builder::ALL {
        let tree = build(&boxes, builder);
        let found = pairs(&tree);
        assert_eq!(found.len(), 19_900, "{builder}");
        assert!(found.iter().all(|pair| pair[1] < 200));
    }
}

#[test]
fn bug_b11_builders_divide_by_no_extent() {
    let place = |i: usize| Vec3::new(3.0, (7 * i % 10) as f32, (3 * i % 10) as f32);
    let boxes: Vec<_> = (0..40).map(|i| Aabb::new(place(i), place(i))).collect();
    for builder in Builder::ALL {
        assert_eq!(pairs(&build(&boxes, builder)).len(), 60, "{builder}");
    }
}
