//! Collapsed trees, and pairs by every walk over every tree, against the plain loop.

mod common;

use common::box_sets;
use common::trees::{GO, levels, sets, sorted, thinned, with_trees};
use fearless_simd::Level;
use jostle_broad::bvh::{Builder, Bvh, Bvh4, Bvh8, Collapse, WideBvh, WideNode};
use jostle_broad::{BoxError, Method, PairError, PairOptions, brute};
use jostle_geom::Aabb;

#[test]
fn collapsed_trees_are_sound_and_no_dearer_than_what_they_came_from() {
    with_trees(|what, boxes, tree, four, eight| {
        Bvh4::collapse(tree, Collapse::Greedy)
            .validate(boxes)
            .unwrap();
        let greedy = Bvh8::collapse(tree, Collapse::Greedy);
        greedy.validate(boxes).unwrap();
        let [two, four, eight, greedy] = [
            tree.sah_cost(),
            four.sah_cost(),
            eight.sah_cost(),
            greedy.sah_cost(),
        ];
        assert!(
            boxes.len() < 2 || four <= two && eight <= four * 1.000_1,
            "{what}: {two} {four} {eight}"
        );
        assert!(eight <= greedy * 1.000_1, "{what}: {eight} {greedy}");
    });
}

#[test]
fn self_pairs_of_all_trees_are_those_of_brute_force() {
    with_trees(|what, boxes, tree, four, eight| {
        let expected = brute::self_pairs(boxes).unwrap();
        let mut found = Vec::new();
        tree.self_pairs(|a, b| {
            found.push([a, b]);
            GO
        });
        assert_eq!(sorted(found), expected, "{what}");
        let mut found = Vec::new();
        tree.append_self_pairs(None, &mut found).unwrap();
        assert_eq!(sorted(found), expected, "{what}, tasks");
        let four: Vec<_> = levels()
            .into_iter()
            .map(|l| wide_self_pairs(four, l))
            .collect();
        let eight: Vec<_> = levels()
            .into_iter()
            .map(|l| wide_self_pairs(eight, l))
            .collect();
        for lists in [four, eight] {
            assert!(
                lists.iter().all(|list| *list == lists[0]),
                "{what}: levels differ"
            );
            for list in lists[0].clone() {
                assert_eq!(sorted(list), expected, "{what}, wide");
            }
        }
    });
}

/// In one walk, and in tasks.
fn wide_self_pairs<N: WideNode>(tree: &WideBvh<N>, level: Level) -> [Vec<[u32; 2]>; 2] {
    let (mut walk, mut tasks) = (Vec::new(), Vec::new());
    tree.self_pairs(level, |chunk| {
        assert!(!chunk.is_empty() && chunk.len() <= jostle_broad::CHUNK);
        walk.extend_from_slice(chunk);
        GO
    });
    tree.append_self_pairs(level, None, &mut tasks).unwrap();
    [walk, tasks]
}

#[test]
fn pairs_of_two_trees_are_those_of_brute_force() {
    let all = thinned(120);
    for (at, (name, a)) in all.iter().enumerate() {
        // A part of the same set, and another set.
        let half: Vec<Aabb> = a.iter().copied().skip(1).step_by(2).collect();
        for b in [&half, &all[(at + 1) % all.len()].1] {
            let expected = brute::pairs_between(a, b).unwrap();
            for builder in Builder::ALL {
                let [a, b] = [a, b].map(|s| Bvh::build(s, builder, Level::new()).unwrap());
                let mut found = [Vec::new(), Vec::new(), Vec::new()];
                a.pairs_with(&b, |x, y| {
                    found[0].push([x, y]);
                    GO
                });
                a.append_pairs_with(&b, None, &mut found[1]).unwrap();
                a.pairs_with_recursive(&b, &mut |x, y| {
                    found[2].push([x, y]);
                    GO
                });
                for found in found {
                    assert_eq!(sorted(found), expected, "{name} by {builder}");
                }
                let (a4, b4, a8, b8) = (
                    Bvh4::from(&a),
                    Bvh4::from(&b),
                    Bvh8::from(&a),
                    Bvh8::from(&b),
                );
                for level in levels() {
                    let [walk, tasks] = wide_pairs(&a4, &b4, level);
                    assert_eq!(sorted(walk), expected, "{name} by {builder}, four");
                    assert_eq!(sorted(tasks), expected, "{name} by {builder}, four, tasks");
                    let [walk, tasks] = wide_pairs(&a8, &b8, level);
                    assert_eq!(sorted(walk), expected, "{name} by {builder}, eight");
                    assert_eq!(sorted(tasks), expected, "{name} by {builder}, eight, tasks");
                }
            }
        }
    }
}

fn wide_pairs<N: WideNode>(a: &WideBvh<N>, b: &WideBvh<N>, level: Level) -> [Vec<[u32; 2]>; 2] {
    let (mut walk, mut tasks) = (Vec::new(), Vec::new());
    a.pairs_with(b, level, |chunk| {
        walk.extend_from_slice(chunk);
        GO
    });
    a.append_pairs_with(b, level, None, &mut tasks).unwrap();
    [walk, tasks]
}

#[test]
fn more_pairs_than_allowed_are_an_error_with_as_many_as_allowed() {
    for (name, boxes) in sets() {
        let tree = Bvh::build(&boxes, Builder::default(), Level::new()).unwrap();
        let (level, four, eight) = (Level::new(), Bvh4::from(&tree), Bvh8::from(&tree));
        let all = brute::self_pairs(&boxes).unwrap();
        for limit in [
            0,
            1,
            40,
            all.len().saturating_sub(1),
            all.len(),
            all.len() + 1,
        ] {
            for width in [2, 4, 8] {
                let mut pairs = vec![[7, 7]];
                let result = match width {
                    2 => tree.append_self_pairs(Some(limit), &mut pairs),
                    4 => four.append_self_pairs(level, Some(limit), &mut pairs),
                    _ => eight.append_self_pairs(level, Some(limit), &mut pairs),
                };
                let pairs = sorted(pairs.split_off(1));
                assert!(
                    pairs.iter().all(|pair| all.binary_search(pair).is_ok()),
                    "{name}"
                );
                if limit < all.len() {
                    assert_eq!(
                        result,
                        Err(PairError::TooManyPairs { limit }),
                        "{name}, {width}"
                    );
                    assert_eq!(pairs.len(), limit);
                } else {
                    assert!(result.is_ok());
                    assert_eq!(pairs, all, "{name}, {width}");
                }
            }
        }
    }
}

#[test]
#[cfg(feature = "parallel")]
fn pairs_come_in_the_same_order_for_any_number_of_threads() {
    let boxes: Vec<Aabb> = box_sets()
        .into_iter()
        .flat_map(|(_, boxes)| boxes)
        .collect();
    let level = Level::new();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let tree = Bvh::build(&boxes, Builder::default(), level).unwrap();
            let mut lists = [(); 4].map(|()| Vec::new());
            let limit = Some(100_000);
            let [two, four, eight, limited] = &mut lists;
            let counters = [
                tree.append_self_pairs(None, two).unwrap(),
                Bvh4::from(&tree)
                    .append_self_pairs(level, None, four)
                    .unwrap(),
                Bvh8::from(&tree)
                    .append_self_pairs(level, None, eight)
                    .unwrap(),
            ];
            Bvh8::from(&tree)
                .append_self_pairs(level, limit, limited)
                .unwrap_err();
            (lists, counters)
        })
    };
    assert!(run(1) == run(2));
}

#[test]
fn methods_with_trees_keep_limits_and_ids_over_frames() {
    for (name, boxes) in thinned(300) {
        let (fixed, moving) = boxes.split_at(boxes.len() / 2);
        for method in [Method::Bvh2, Method::Bvh4, Method::Bvh8] {
            let mut expected = Method::Brute.start(&PairOptions::default());
            let mut options = PairOptions::default();
            let mut phase = method.start(&options);
            assert_eq!(phase.method(), method);
            phase.build(fixed, moving).unwrap();
            expected.build(fixed, moving).unwrap();
            for frame in 0..3 {
                // Another number of boxes each frame, one of them none.
                let moving = &moving[..moving.len() * (2 - frame) / 2];
                phase.update(moving).unwrap();
                expected.update(moving).unwrap();
                let (mut all, mut found) = (Vec::new(), vec![[9, 9]]);
                expected.append_pairs(&mut all).unwrap();
                phase.append_pairs(&mut found).unwrap();
                assert_eq!(sorted(found.split_off(1)), sorted(all), "{name}, {method}");
            }
            let mut bad = moving.to_vec();
            if let Some(last) = bad.last_mut() {
                last.min.y = f32::NAN;
                let index = boxes.len() - 1;
                let error = phase.update(&bad).unwrap_err();
                assert!(matches!(error, BoxError::Nan { index: i, axis: 1, .. } if i == index));
            }
            expected.update(moving).unwrap();
            let mut all = Vec::new();
            expected.append_pairs(&mut all).unwrap();
            for limit in [all.len() / 2, all.len()] {
                options.pair_limit = Some(limit);
                let mut phase = method.start(&options);
                phase.build(fixed, moving).unwrap();
                let mut found = vec![[9, 9]];
                let result = phase.append_pairs(&mut found);
                assert_eq!(result.is_err(), limit < all.len(), "{name}, {method}");
                assert_eq!(found.len(), limit + 1);
                if let Err(error) = result {
                    assert_eq!(error, PairError::TooManyPairs { limit });
                }
            }
        }
    }
}
