//! The dynamic tree against a plain list.

mod common;

use core::ops::ControlFlow;

use common::dynamic::{draw, enlarging, filled, self_pairs, shifted};
use common::trees::GO;
use common::{Random, box_sets};
use fearless_simd::Level;
use glam::Vec3;
use jostle_broad::bvh::{Builder, Bvh};
use jostle_broad::dynamic::{
    DynamicOptions, DynamicTree, Handle, HandleError, InsertError, Move, OptionsError, PairQuery,
    UpdateError,
};
use jostle_broad::{BoxError, Method, PairOptions, brute};
use jostle_geom::Aabb;
use proptest::prelude::*;

/// What the tree should hold.
#[derive(Default)]
struct Model {
    boxes: Vec<(Handle, Aabb)>,
    moved: Vec<Handle>,
    gone: Vec<Handle>,
}

impl Model {
    fn pairs(&self, query: PairQuery) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        let moved = |h| !query.moved_only || self.moved.contains(h);
        for (i, (a, box_a)) in self.boxes.iter().enumerate() {
            for (b, box_b) in &self.boxes[..i] {
                let apart = (box_a.min - box_b.max).max(box_b.min - box_a.max);
                let near = apart.max_element() <= query.margin;
                if near && (moved(a) || moved(b)) {
                    let (a, b) = (a.index(), b.index());
                    pairs.push([a.min(b), a.max(b)]);
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    fn check(&self, tree: &DynamicTree, fixed: &[Aabb], bvh: &Bvh) {
        tree.validate().unwrap();
        assert_eq!(tree.len(), self.boxes.len());
        for query in [
            PairQuery::ALL,
            PairQuery::MOVED,
            PairQuery::ALL.within(0.25),
            PairQuery::MOVED.within(0.25),
        ] {
            assert_eq!(self_pairs(tree, query), self.pairs(query), "{query:?}");
        }
        for moved_only in [false, true] {
            let mut found = Vec::new();
            let query = if moved_only {
                PairQuery::MOVED
            } else {
                PairQuery::ALL
            };
            tree.pairs_with(bvh, query, |a, b| {
                found.push([a, b]);
                GO
            });
            found.sort_unstable();
            let mut expected = Vec::new();
            for (handle, a) in &self.boxes {
                for (j, b) in fixed.iter().enumerate() {
                    if a.overlaps(b) && (!moved_only || self.moved.contains(handle)) {
                        expected.push([handle.index(), j as u32]);
                    }
                }
            }
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
        for (j, ball) in fixed.iter().enumerate().take(5) {
            let (centre, radius) = (ball.centre(), 0.1 * j as f32);
            let mut found = [Vec::new(), Vec::new()];
            tree.query_aabb(ball, |index| {
                found[0].push(index);
                GO
            });
            tree.query_sphere(centre, radius, |index| {
                found[1].push(index);
                GO
            });
            let mut expected = [Vec::new(), Vec::new()];
            for (handle, b) in &self.boxes {
                let nearest = centre.clamp(b.min, b.max).as_dvec3();
                let apart = nearest.distance_squared(centre.as_dvec3());
                if b.overlaps(ball) {
                    expected[0].push(handle.index());
                }
                if apart <= f64::from(radius) * f64::from(radius) {
                    expected[1].push(handle.index());
                }
            }
            for list in found.iter_mut().chain(&mut expected) {
                list.sort_unstable();
            }
            assert_eq!(found, expected);
        }
        for (handle, aabb) in &self.boxes {
            assert_eq!(tree.get(*handle), Ok(*aabb));
            assert!(tree.stored(*handle).unwrap().contains(aabb));
            assert_eq!(tree.handle_at(handle.index()), Some(*handle));
        }
        for handle in &self.gone {
            let index = handle.index();
            assert_eq!(tree.get(*handle), Err(HandleError::Removed { index }));
        }
    }
}

/// Random operations; everything is compared after each of them.
fn play(seed: u64, steps: u32, options: DynamicOptions) {
    let mut random = Random::new(seed);
    let fixed: Vec<Aabb> = (0..40).map(|_| draw(&mut random)).collect();
    let bvh = Bvh::build(&fixed, Builder::default(), Level::new()).unwrap();
    let mut tree = DynamicTree::with_options(options).unwrap();
    let mut model = Model::default();
    for _ in 0..steps {
        let count = model.boxes.len() as u32;
        match random.below(12) {
            0..4 => {
                let aabb = draw(&mut random);
                let handle = tree.insert(aabb).unwrap();
                model.boxes.push((handle, aabb));
                model.moved.push(handle);
            }
            4 | 5 if count > 0 => {
                let (handle, aabb) = model.boxes.swap_remove(random.below(count) as usize);
                assert_eq!(tree.remove(handle), Ok(aabb));
                model.gone.push(handle);
            }
            6 if count > 0 => {
                let at = random.below(count) as usize;
                let aabb = draw(&mut random);
                tree.set(model.boxes[at].0, aabb).unwrap();
                model.boxes[at].1 = aabb;
                model.moved.push(model.boxes[at].0);
            }
            7 | 8 if count > 0 => {
                // Several at once, some of them twice, by a little or by much.
                let mut moves = Vec::new();
                for _ in 0..random.below(2 * count) {
                    let at = random.below(count) as usize;
                    let speed = if random.below(4) == 0 { 1.0 } else { 0.02 };
                    let displacement = random.point().as_vec3() * speed;
                    let (handle, aabb) = &mut model.boxes[at];
                    *aabb = shifted(aabb, displacement);
                    model.moved.push(*handle);
                    moves.push(Move {
                        handle: *handle,
                        aabb: *aabb,
                        displacement,
                    });
                }
                tree.update(&moves).unwrap();
            }
            9 => {
                let more = random.below(4) as usize;
                assert!(tree.maintain(more) <= more);
            }
            10 => {
                if random.below(4) == 0 {
                    tree.rebuild(Builder::default(), Level::new()).unwrap();
                }
            }
            _ => {
                tree.begin_frame();
                model.moved.clear();
            }
        }
        model.check(&tree, &fixed, &bvh);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_history_agrees_with_a_plain_list(seed: u64, margins: bool) {
        let options = if margins { enlarging() } else { DynamicOptions::default() };
        play(seed, 60, options);
    }
}

#[test]
fn a_long_history_agrees_with_a_plain_list() {
    play(7, 500, DynamicOptions::default());
    play(8, 500, enlarging());
}

#[test]
fn hard_sets_of_boxes_agree_with_brute_force() {
    for (name, boxes) in box_sets() {
        let boxes = &boxes[..boxes.len().min(700)];
        let expected = brute::self_pairs(boxes).unwrap();
        let (mut tree, handles) = filled(boxes, DynamicOptions::default());
        tree.validate().unwrap();
        // Slots of a new tree count from 0.
        assert_eq!(self_pairs(&tree, PairQuery::ALL), expected, "{name}");
        tree.begin_frame();
        assert_eq!(self_pairs(&tree, PairQuery::MOVED), [[0; 2]; 0], "{name}");
        let moves: Vec<_> = handles.iter().zip(boxes.iter().rev()).collect();
        let moves: Vec<_> = moves.iter().map(|&(&h, &b)| Move::new(h, b)).collect();
        tree.update(&moves).unwrap();
        tree.validate().unwrap();
        let turned: Vec<_> = boxes.iter().rev().copied().collect();
        let expected = brute::self_pairs(&turned).unwrap();
        assert_eq!(self_pairs(&tree, PairQuery::MOVED), expected, "{name}");
        while tree.maintain(10) > 0 {
            tree.validate().unwrap();
        }
        assert_eq!(self_pairs(&tree, PairQuery::ALL), expected, "{name}");
        for &handle in handles.iter().skip(1).step_by(2) {
            tree.remove(handle).unwrap();
        }
        tree.validate().unwrap();
        let kept = |&[a, b]: &[u32; 2]| a % 2 == 0 && b % 2 == 0;
        let expected: Vec<_> = expected.into_iter().filter(kept).collect();
        assert_eq!(self_pairs(&tree, PairQuery::ALL), expected, "{name}");
    }
}

#[test]
fn visitors_stop_the_walks() {
    let (tree, _) = filled(&[Aabb::new(Vec3::ZERO, Vec3::ONE); 20], enlarging());
    let other = Bvh::build(
        &[Aabb::new(Vec3::ZERO, Vec3::ONE); 20],
        Builder::default(),
        Level::new(),
    )
    .unwrap();
    let mut left = 7;
    let mut stop = move || {
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            assert!(left > 0, "visited after it was told to stop");
            GO
        }
    };
    tree.self_pairs(PairQuery::ALL, |_, _| stop());
    let mut seen = 0;
    tree.pairs_with(&other, PairQuery::ALL, |_, _| {
        seen += 1;
        ControlFlow::Break(())
    });
    tree.pairs_with_dynamic(&tree, PairQuery::ALL, |_, _| {
        seen += 1;
        ControlFlow::Break(())
    });
    tree.query_aabb(&tree.bounds(), |_| {
        seen += 1;
        ControlFlow::Break(())
    });
    assert_eq!(seen, 3);
}

#[test]
fn foreign_and_removed_handles_are_told_apart() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (mut tree, handles) = filled(&[unit; 3], DynamicOptions::default());
    let (mut other, others) = filled(&[unit; 3], DynamicOptions::default());
    assert_eq!(
        tree.remove(others[1]),
        Err(HandleError::Foreign { index: 1 })
    );
    tree.remove(handles[1]).unwrap();
    let removed = HandleError::Removed { index: 1 };
    assert_eq!(tree.remove(handles[1]), Err(removed));
    // The slot is used again, the old handle still names nothing.
    let again = tree.insert(unit).unwrap();
    assert_eq!(again.index(), 1);
    assert_eq!(tree.get(handles[1]), Err(removed));
    let set = tree.set(handles[1], unit);
    assert_eq!(set, Err(UpdateError::Handle(removed)));
    assert_eq!(tree.get(again), Ok(unit));
    assert_eq!(other.get(others[1]), Ok(unit));
    let copy = tree.clone();
    assert_eq!(copy.get(again), Ok(unit));
    assert_eq!(tree.handles().count(), 3);
    other.remove(others[0]).unwrap();
    assert_eq!(other.handle_at(0), None);
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (mut tree, handles) = filled(&[unit; 3], DynamicOptions::default());
    let nan = Aabb::new(Vec3::new(0.0, f32::NAN, 0.0), Vec3::ONE);
    let inverted = Aabb::new(Vec3::ONE, Vec3::ZERO);
    assert!(matches!(
        tree.insert(nan),
        Err(InsertError::Box(BoxError::Nan { axis: 1, .. }))
    ));
    assert!(matches!(
        tree.insert(inverted),
        Err(InsertError::Box(BoxError::Inverted { .. }))
    ));
    let far = shifted(&unit, Vec3::splat(5.0));
    let moves = [Move::new(handles[0], far), Move::new(handles[1], nan)];
    assert!(matches!(
        tree.update(&moves),
        Err(UpdateError::Box(BoxError::Nan { index: 1, .. }))
    ));
    let wild = tree.set_moving(handles[0], far, Vec3::new(0.0, f32::INFINITY, 0.0));
    assert!(matches!(
        wild,
        Err(UpdateError::Displacement { index: 0, .. })
    ));
    assert_eq!(tree.get(handles[0]), Ok(unit));
    assert_eq!(tree.len(), 3);
    tree.validate().unwrap();
    tree.query_aabb(&nan, |_| unreachable!());
    tree.query_aabb(&inverted, |_| unreachable!());
    tree.query_sphere(Vec3::NAN, 1.0, |_| unreachable!());
    tree.query_sphere(Vec3::ZERO, -1.0, |_| unreachable!());
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        let mut options = DynamicOptions::default();
        options.margin = bad;
        assert!(matches!(
            DynamicTree::with_options(options),
            Err(OptionsError::Margin(_))
        ));
        let mut options = DynamicOptions::default();
        options.look_ahead = bad;
        assert!(matches!(
            DynamicTree::with_options(options),
            Err(OptionsError::LookAhead(_))
        ));
    }
}

#[test]
fn stored_boxes_save_updates_and_decide_nothing() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let beside = shifted(&unit, Vec3::X * 1.05);
    let (mut tree, handles) = filled(&[unit, beside], enlarging());
    assert_eq!(self_pairs(&tree, PairQuery::ALL), [[0; 2]; 0]);
    tree.begin_frame();
    // Within the margin: seen, but nothing is refitted.
    let step = Vec3::X * 0.06;
    tree.set_moving(handles[0], shifted(&unit, step), step)
        .unwrap();
    assert_eq!(tree.work().restored, 0);
    assert_eq!(self_pairs(&tree, PairQuery::MOVED), [[0, 1]]);
    // Out of it: the new box reaches two frames ahead, so that the next ones cost nothing.
    for frame in 2..5 {
        tree.begin_frame();
        let aabb = shifted(&unit, step * frame as f32);
        tree.set_moving(handles[0], aabb, step).unwrap();
        assert_eq!(tree.work().restored, usize::from(frame == 2), "{frame}");
    }
    // A stored box that is far too large is given up.
    tree.begin_frame();
    let point = Aabb::new(Vec3::splat(0.5), Vec3::splat(0.5));
    tree.set(handles[0], point).unwrap();
    assert_eq!(tree.work().restored, 1);
    tree.validate().unwrap();
}

#[test]
fn the_method_follows_boxes_that_come_and_go() {
    let mut random = Random::new(11);
    let mut draw_many = |n: usize| -> Vec<_> { (0..n).map(|_| draw(&mut random)).collect() };
    let fixed = draw_many(50);
    let mut dynamic = Method::Dynamic.start(&PairOptions::default());
    let mut brute = Method::Brute.start(&PairOptions::default());
    let first = draw_many(100);
    dynamic.build(&fixed, &first).unwrap();
    brute.build(&fixed, &first).unwrap();
    for n in [100, 40, 0, 3, 200, 200, 60] {
        let moving = draw_many(n);
        dynamic.update(&moving).unwrap();
        brute.update(&moving).unwrap();
        let [found, expected] = [&mut dynamic, &mut brute].map(|phase| {
            let mut pairs = Vec::new();
            phase.append_pairs(&mut pairs).unwrap();
            pairs.sort_unstable();
            pairs
        });
        assert_eq!(found, expected, "{n}");
    }
    assert!(dynamic.sah_cost().is_some());
}

#[test]
fn bug_b09_half_spaces_and_balls_find_each_other() {
    let inf = f32::INFINITY;
    let ball = |x: f32, z: f32| {
        let centre = Vec3::new(x, 0.0, z);
        Aabb::new(centre - 0.5, centre + 0.5)
    };
    let boxes = [
        Aabb::new(Vec3::NEG_INFINITY, Vec3::new(inf, inf, 0.0)),
        Aabb::new(Vec3::NEG_INFINITY, Vec3::new(-5.0, inf, inf)),
        ball(0.0, 0.25),
        ball(-5.25, 9.0),
        ball(0.0, 9.0),
    ];
    // In every order of insertion; the half-spaces overlap each other as well.
    for first in 0..5 {
        for step in 1..5 {
            for options in [DynamicOptions::default(), enlarging()] {
                let mut tree = DynamicTree::with_options(options).unwrap();
                let order: Vec<_> = (0..5).map(|i| (first + i * step) % 5).collect();
                for &i in &order {
                    tree.insert(boxes[i]).unwrap();
                }
                tree.validate().unwrap();
                let mut pairs: Vec<_> = self_pairs(&tree, PairQuery::ALL)
                    .iter()
                    .map(|pair| pair.map(|i| order[i as usize]))
                    .map(|[a, b]| [a.min(b), a.max(b)])
                    .collect();
                pairs.sort_unstable();
                assert_eq!(pairs, [[0, 1], [0, 2], [1, 3]]);
            }
        }
    }
}

#[test]
fn bug_b10_pairs_within_a_margin_are_not_pruned() {
    let cube = |centre: Vec3| Aabb::new(centre - 0.5, centre + 0.5);
    // Gaps of 0.7 within pairs (0, 1) and (2, 3); a ball of radius 0.3 is 1.7 above box 1.
    let ball = Vec3::new(0.0, 0.0, 4.2);
    let boxes = [
        cube(Vec3::ZERO),
        cube(Vec3::new(0.0, 0.0, 1.7)),
        cube(Vec3::new(0.0, 5.0, 0.0)),
        cube(Vec3::new(0.0, 5.0, 1.7)),
        Aabb::new(ball - 0.3, ball + 0.3),
    ];
    for options in [DynamicOptions::default(), enlarging()] {
        let (tree, _) = filled(&boxes, options);
        assert_eq!(self_pairs(&tree, PairQuery::ALL), [[0; 2]; 0]);
        let within = PairQuery::ALL.within(1.0);
        assert_eq!(self_pairs(&tree, within), [[0, 1], [2, 3]]);
        let fixed = Bvh::build(&boxes, Builder::default(), Level::new()).unwrap();
        let mut between = Vec::new();
        tree.pairs_with(&fixed, within, |a, b| {
            if a < b {
                between.push([a, b]);
            }
            GO
        });
        between.sort_unstable();
        assert_eq!(between, [[0, 1], [2, 3]]);
    }
}
