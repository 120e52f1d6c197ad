//! Every broad phase against brute force: hard sets of boxes, frames, bad input, limits, threads.

mod common;

use common::{Random, box_sets};
use glam::Vec3;
use jostle_broad::{BoxError, BroadPhase, Method, PairError, PairOptions, brute};
use jostle_geom::Aabb;
use jostle_scenes::BoxSet;
use jostle_simd::SimdLevel;

/// Options for every level of the machine.
fn levels() -> Vec<PairOptions> {
    let options = |level: SimdLevel| {
        let mut options = PairOptions::default();
        options.level = level.token().unwrap();
        options
    };
    SimdLevel::available().into_iter().map(options).collect()
}

fn limited(limit: usize) -> PairOptions {
    let mut options = PairOptions::default();
    options.pair_limit = Some(limit);
    options
}

/// The pairs of a frame, sorted.
fn pairs_of(phase: &mut dyn BroadPhase) -> Vec<[u32; 2]> {
    let mut pairs = vec![[7, 7]];
    phase.append_pairs(&mut pairs).unwrap();
    assert_eq!(pairs[0], [7, 7], "what was there stays");
    let mut pairs = pairs.split_off(1);
    assert!(pairs.iter().all(|[a, b]| a < b), "smaller id first");
    pairs.sort_unstable();
    pairs
}

/// The same by brute force.
fn right_pairs(fixed: &[Aabb], moving: &[Aabb]) -> Vec<[u32; 2]> {
    let mut pairs = brute::pairs_between(fixed, moving).unwrap();
    let shift = fixed.len() as u32;
    for pair in &mut pairs {
        pair[1] += shift;
    }
    let among = brute::self_pairs(moving).unwrap();
    pairs.extend(among.iter().map(|&[a, b]| [a + shift, b + shift]));
    pairs.sort_unstable();
    pairs
}

#[test]
fn all_methods_agree_with_brute_force_on_hard_sets() {
    let sizes = [0, 1, 2, 9, 65, 300];
    let named = BoxSet::ALL.into_iter().flat_map(|set| {
        let sized = move |n| (set.name(), set.boxes(n, 3));
        sizes.into_iter().map(sized)
    });
    let large = [
        BoxSet::Uniform,
        BoxSet::Clustered,
        BoxSet::Outliers,
        BoxSet::Planar,
        BoxSet::Unbounded,
    ];
    let large = large.map(|set| (set.name(), set.boxes(3000, 5)));
    for (name, boxes) in named.chain(large).chain(box_sets()) {
        let right = brute::self_pairs(&boxes).unwrap();
        for options in levels() {
            for method in Method::ALL {
                let found = method.self_pairs(&boxes, &options).unwrap();
                assert!(
                    found == right,
                    "{method} on {} boxes, {name}: {} pairs for {}",
                    boxes.len(),
                    found.len(),
                    right.len()
                );
            }
        }
    }
}

#[test]
fn fixed_boxes_meet_moving_ones_of_any_other_kind() {
    for set in BoxSet::ALL {
        let fixed = set.boxes(300, 1);
        for other in BoxSet::ALL {
            let moving = other.boxes(120, 2);
            let right = right_pairs(&fixed, &moving);
            for method in Method::ALL {
                let mut phase = method.start(&PairOptions::default());
                phase.build(&fixed, &moving).unwrap();
                let found = pairs_of(&mut *phase);
                assert!(found == right, "{method}: {set} fixed, {other} moving");
            }
        }
    }
}

/// Moving boxes of frame after frame: small steps, rest, teleports, more boxes and fewer.
fn frames(set: BoxSet) -> Vec<Vec<Aabb>> {
    let mut r = Random::new(4);
    let mut boxes = set.boxes(250, 6);
    let mut frames = vec![boxes.clone()];
    for frame in 1..16 {
        match frame {
            3 | 4 => {}
            5 => boxes.truncate(180),
            7 => boxes = set.boxes(400, 9),
            9 => boxes.clear(),
            10 => boxes = set.boxes(200, 11),
            12 => boxes.reverse(),
            14 => boxes = BoxSet::Nested.boxes(200, 1),
            _ => {
                for (i, b) in boxes.iter_mut().enumerate() {
                    if (i + frame) % 3 != 0 {
                        let by = r.point().as_vec3() * if i % 50 == 0 { 30.0 } else { 0.4 };
                        *b = Aabb::new(b.min + by, b.max + by);
                    }
                }
            }
        }
        frames.push(boxes.clone());
    }
    frames
}

#[test]
fn every_frame_has_the_pairs_of_its_own_boxes() {
    for set in [
        BoxSet::Uniform,
        BoxSet::Clustered,
        BoxSet::Identical,
        BoxSet::TouchingGrid,
        BoxSet::Outliers,
        BoxSet::Unbounded,
    ] {
        let frames = frames(set);
        for fixed in [vec![], BoxSet::Uniform.boxes(500, 8)] {
            let right: Vec<_> = frames.iter().map(|f| right_pairs(&fixed, f)).collect();
            for method in Method::ALL {
                let mut phase = method.start(&PairOptions::default());
                assert_eq!(phase.method(), method);
                phase.build(&fixed, &frames[0]).unwrap();
                for (at, (moving, right)) in frames.iter().zip(&right).enumerate() {
                    if at > 0 {
                        phase.update(moving).unwrap();
                    }
                    let found = pairs_of(&mut *phase);
                    assert!(found == *right, "{method}, frame {at} of {set}");
                    let again = pairs_of(&mut *phase);
                    assert!(
                        again == *right,
                        "{method}, frame {at} of {set}, asked twice"
                    );
                }
                let boxes = fixed.len() + frames[15].len();
                assert!(phase.memory_bytes() >= boxes * 24, "{method}");
            }
        }
    }
}

#[test]
fn a_phase_may_be_built_anew() {
    for method in Method::ALL {
        let mut phase = method.start(&PairOptions::default());
        assert!(pairs_of(&mut *phase).is_empty());
        for (fixed, moving) in [(300, 200), (0, 50), (10, 0), (40, 700)] {
            let fixed = BoxSet::Uniform.boxes(fixed, 1);
            let moving = BoxSet::Uniform.boxes(moving, 2);
            phase.build(&fixed, &moving).unwrap();
            assert_eq!(pairs_of(&mut *phase), right_pairs(&fixed, &moving));
        }
    }
}

#[test]
fn bad_boxes_are_named_and_the_old_frame_stays() {
    let fixed = BoxSet::Uniform.boxes(40, 1);
    let moving = BoxSet::Uniform.boxes(600, 2);
    let mut inverted = moving.clone();
    inverted[33].max.y = inverted[33].min.y - 1.0;
    let mut nan = BoxSet::Uniform.boxes(70, 3);
    nan[5].min.z = f32::NAN;
    let right = right_pairs(&fixed, &moving);
    for method in Method::ALL {
        let mut phase = method.start(&PairOptions::default());
        phase.build(&fixed, &moving).unwrap();
        for _ in 0..2 {
            let error = phase.update(&inverted).unwrap_err();
            let named = matches!(
                error,
                BoxError::Inverted {
                    index: 73,
                    axis: 1,
                    ..
                }
            );
            assert!(named, "{method}: {error}");
            let error = phase.update(&nan).unwrap_err();
            let named = matches!(
                error,
                BoxError::Nan {
                    index: 45,
                    axis: 2,
                    ..
                }
            );
            assert!(named, "{method}: {error}");
            assert_eq!(pairs_of(&mut *phase), right, "{method}");
        }
        let mut moved = moving.clone();
        moved.rotate_left(7);
        phase.update(&moved).unwrap();
        assert_eq!(
            pairs_of(&mut *phase),
            right_pairs(&fixed, &moved),
            "{method}"
        );
        let error = phase.build(&nan, &moving).unwrap_err();
        assert!(matches!(error, BoxError::Nan { index: 5, .. }), "{method}");
        let error = method.self_pairs(&inverted, &PairOptions::default());
        let error = error.unwrap_err();
        let named = matches!(error, PairError::Box(BoxError::Inverted { index: 33, .. }));
        assert!(named, "{method}: {error}");
    }
}

#[test]
fn more_pairs_than_the_limit_are_an_error_and_fewer_are_not() {
    let fixed = BoxSet::Uniform.boxes(300, 1);
    let moving = BoxSet::Uniform.boxes(500, 2);
    let right = right_pairs(&fixed, &moving);
    for method in Method::ALL {
        for limit in [0, 1, right.len() - 1, right.len(), right.len() + 1] {
            let mut phase = method.start(&limited(limit));
            phase.build(&fixed, &moving).unwrap();
            let mut pairs = vec![[1, 2]; 3];
            let answer = phase.append_pairs(&mut pairs);
            if limit >= right.len() {
                answer.unwrap();
                assert_eq!(pairs.len(), 3 + right.len(), "{method}");
                continue;
            }
            assert_eq!(answer, Err(PairError::TooManyPairs { limit }), "{method}");
            let mut found = pairs.split_off(3);
            assert_eq!(found.len(), limit, "{method}");
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), limit, "{method}: a pair twice");
            assert!(found.iter().all(|p| right.binary_search(p).is_ok()));
        }
    }
}

#[test]
fn a_limit_ends_the_work_on_many_identical_boxes() {
    // Twenty billion pairs.
    let boxes = vec![Aabb::new(Vec3::ZERO, Vec3::ONE); 200_000];
    for method in Method::ALL {
        let answer = method.self_pairs(&boxes, &limited(1000));
        assert_eq!(
            answer,
            Err(PairError::TooManyPairs { limit: 1000 }),
            "{method}"
        );
    }
}

#[test]
fn few_boxes_are_tested_where_few_are_near() {
    let boxes = BoxSet::Uniform.boxes(20_000, 1);
    for method in Method::ALL {
        if matches!(method, Method::Brute | Method::Brute8) {
            continue;
        }
        let mut phase = method.start(&PairOptions::default());
        phase.build(&[], &boxes).unwrap();
        let mut pairs = Vec::new();
        let counters = phase.append_pairs(&mut pairs).unwrap();
        let tests = counters.tests as usize;
        assert!(tests >= pairs.len(), "{method}: {counters:?}");
        assert!(tests < 400 * boxes.len(), "{method}: {counters:?}");
    }
}

#[test]
#[cfg(feature = "parallel")]
fn pairs_and_their_order_are_the_same_for_any_number_of_threads() {
    let run = |threads: usize, method: Method, limit: Option<usize>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let mut options = PairOptions::default();
            options.pair_limit = limit;
            let mut phase = method.start(&options);
            let fixed = BoxSet::Clustered.boxes(3000, 1);
            let moving = BoxSet::Uniform.boxes(4000, 2);
            let mut pairs = Vec::new();
            phase.build(&fixed, &moving).unwrap();
            let first = phase.append_pairs(&mut pairs);
            let moved: Vec<_> = moving
                .iter()
                .map(|b| Aabb::new(b.min + 0.25, b.max + 0.25))
                .collect();
            phase.update(&moved).unwrap();
            let second = phase.append_pairs(&mut pairs);
            (pairs, first, second)
        })
    };
    for method in Method::ALL {
        for limit in [None, Some(3000)] {
            let right = run(1, method, limit);
            assert!(right.0.len() >= 3000 && right.1.is_err() == limit.is_some());
            let found = run(4, method, limit);
            assert!(found == right, "{method}, limit {limit:?}");
        }
    }
}

#[test]
fn names_are_read_back() {
    for method in Method::ALL {
        assert_eq!(method.name().parse(), Ok(method));
    }
    assert_eq!(Method::ALL[0], Method::default());
    let error = "octree".parse::<Method>().unwrap_err().to_string();
    assert!(error.contains("octree") && error.contains("h8"), "{error}");
}
