//! The dynamic tree against a plain list.

mod common;

use core::ops::ControlFlow;

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

const GO: ControlFlow<()> = ControlFlow::Continue(());

fn self_pairs(tree: &DynamicTree, query: PairQuery) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    tree.self_pairs(query, |a, b| {
        pairs.push([a, b]);
        GO
    });
    pairs.sort_unstable();
    pairs
}

fn filled(boxes: &[Aabb], options: DynamicOptions) -> (DynamicTree, Vec<Handle>) {
    let mut tree = DynamicTree::with_options(options).unwrap();
    let handles = boxes.iter().map(|&b| tree.insert(b).unwrap()).collect();
    (tree, handles)
}

fn enlarging() -> DynamicOptions {
    let mut options = DynamicOptions::default();
    (options.margin, options.look_ahead) = (0.1, 2.0);
    options
}

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

/// A box in a cube of side 4, sometimes a point, sometimes one that another box is likely to be.
fn draw(random: &mut Random) -> Aabb {
    if random.below(8) == 0 {
        let corner = Vec3::splat(random.below(3) as f32);
        return Aabb::new(corner, corner + random.below(2) as f32);
    }
    let min = random.point().as_vec3() * 2.0;
    let size = random.point().as_vec3().abs() * (0.02 + random.unit() as f32);
    Aabb::new(min, min + size)
}

fn shifted(b: &Aabb, by: Vec3) -> Aabb {
    let min = b.min + by;
    Aabb::new(min, min.max(b.max + by))
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
fn boxes_that_jump_are_put_elsewhere() {
    let mut random = Random::new(9);
    let boxes: Vec<_> = (0..500).map(|_| draw(&mut random)).collect();
    let (mut tree, handles) = filled(&boxes, DynamicOptions::default());
    tree.begin_frame();
    let far = shifted(&boxes[0], Vec3::splat(100.0));
    // Twice in one update, the second time back: the last one counts.
    tree.update(&[Move::new(handles[0], far), Move::new(handles[1], far)])
        .unwrap();
    assert_eq!(tree.work().reinserted, 2);
    let moves = [
        Move::new(handles[0], boxes[1]),
        Move::new(handles[0], far),
        Move::new(handles[0], boxes[0]),
        Move::new(handles[1], boxes[1]),
    ];
    tree.update(&moves).unwrap();
    tree.validate().unwrap();
    let expected = brute::self_pairs(&boxes).unwrap();
    assert_eq!(self_pairs(&tree, PairQuery::ALL), expected);
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
fn a_million_identical_boxes_make_a_flat_tree() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (mut tree, handles) = filled(&vec![unit; 1 << 20], DynamicOptions::default());
    assert!(tree.depth() <= 25, "{}", tree.depth());
    let mut seen = 0;
    tree.self_pairs(PairQuery::ALL, |_, _| {
        seen += 1;
        if seen == 100_000 {
            ControlFlow::Break(())
        } else {
            GO
        }
    });
    assert_eq!(seen, 100_000);
    tree.begin_frame();
    let moves: Vec<_> = handles.iter().map(|&h| Move::new(h, unit)).collect();
    tree.update(&moves).unwrap();
    tree.maintain(10);
    tree.validate().unwrap();
    for handle in handles {
        tree.remove(handle).unwrap();
    }
    tree.validate().unwrap();
    assert!(tree.is_empty() && tree.nodes().is_empty());
}

#[test]
fn a_growing_chain_is_deep_and_answers() {
    // Each box is as large as all before it together: the best tree is a chain.
    let boxes: Vec<_> = (-120..120)
        .map(|e| {
            let x = (0..e).fold(1.0_f32, |x, _| 2.0 * x) / (e..0).fold(1.0, |x, _| 2.0 * x);
            Aabb::new(Vec3::splat(x), Vec3::splat(2.0 * x))
        })
        .collect();
    let expected: Vec<_> = (1..240).map(|i| [i - 1, i]).collect();
    let turned: Vec<_> = boxes.iter().rev().copied().collect();
    for boxes in [boxes, turned] {
        let (mut tree, _) = filled(&boxes, DynamicOptions::default());
        tree.validate().unwrap();
        assert!((9..240).contains(&tree.depth()), "{}", tree.depth());
        assert_eq!(self_pairs(&tree, PairQuery::ALL), expected);
        tree.rebuild(Builder::default(), Level::new()).unwrap();
        tree.validate().unwrap();
        assert_eq!(self_pairs(&tree, PairQuery::ALL), expected);
    }
}

/// A box of a swarm that a rotation about the origin carries, with noise.
fn stirred(n: usize, frames: usize, treelets: usize) -> (DynamicTree, f64) {
    let mut random = Random::new(4);
    let mut centres: Vec<_> = (0..n).map(|_| random.point().as_vec3() * 8.0).collect();
    let half: Vec<_> = (0..n)
        .map(|_| random.point().as_vec3().abs() * 0.5 + 0.2)
        .collect();
    let aabb = |centre: Vec3, half: Vec3| Aabb::new(centre - half, centre + half);
    let boxes: Vec<_> = centres
        .iter()
        .zip(&half)
        .map(|(&c, &h)| aabb(c, h))
        .collect();
    let (mut tree, handles) = filled(&boxes, DynamicOptions::default());
    tree.rebuild(Builder::default(), Level::new()).unwrap();
    let mut worst = 0.0_f64;
    for frame in 1..=frames {
        let mut moves = Vec::new();
        for ((centre, &half), &handle) in centres.iter_mut().zip(&half).zip(&handles) {
            // Layers turn against each other, and the axis changes.
            let mut c = *centre;
            let (u, v, w) = match frame / 50 % 3 {
                0 => (0, 1, 2),
                1 => (1, 2, 0),
                _ => (2, 0, 1),
            };
            let turn = 0.004 * c[w];
            (c[u], c[v]) = (c[u] - turn * c[v], c[v] + turn * c[u]);
            *centre =
                (c + random.point().as_vec3() * 0.05).clamp(Vec3::splat(-8.0), Vec3::splat(8.0));
            moves.push(Move::new(handle, aabb(*centre, half)));
        }
        tree.begin_frame();
        tree.update(&moves).unwrap();
        assert!(tree.maintain(treelets) <= treelets);
        if frame % 20 == 0 {
            tree.validate().unwrap();
            let fresh = tree.fresh_cost(Builder::default(), Level::new()).unwrap();
            worst = worst.max(tree.sah_cost() / fresh);
        }
    }
    (tree, worst)
}

#[test]
fn a_stirred_tree_stays_within_a_tenth_of_a_new_one() {
    let (_, kept) = stirred(2_000, 500, 8);
    assert!(kept < 1.1, "{kept}");
    // Without upkeep it does not.
    let (mut tree, left) = stirred(2_000, 100, 0);
    assert!(left > 1.3, "{left}");
    // A budget of the caller's own stops the work; the rest is done later.
    let mut calls = 0;
    let done = tree.maintain_while(100, &mut || {
        calls += 1;
        calls <= 3
    });
    assert_eq!((done, calls), (3, 4));
    tree.maintain(100);
    assert_eq!(tree.maintain(100), 0);
    tree.validate().unwrap();
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

#[test]
fn bug_b13_a_tree_that_churns_forgets_and_does_not_grow() {
    let at = |tick: u32| {
        let min = Vec3::X * (10 * tick) as f32;
        Aabb::new(min, min + 1.0)
    };
    for options in [DynamicOptions::default(), enlarging()] {
        let mut tree = DynamicTree::with_options(options).unwrap();
        let mut alive = std::collections::VecDeque::new();
        for tick in 0..400 {
            tree.begin_frame();
            alive.push_back(tree.insert(at(tick)).unwrap());
            if alive.len() > 10 {
                tree.remove(alive.pop_front().unwrap()).unwrap();
            }
            tree.maintain(1);
            tree.validate().unwrap();
            let mut hits = 0;
            for old in 0..=tick {
                tree.query_aabb(&at(old), |_| {
                    hits += 1;
                    assert!(old + 10 > tick, "a removed box answers");
                    GO
                });
            }
            assert_eq!(hits, alive.len());
        }
        assert_eq!(tree.len(), 10);
        assert!(tree.capacity_nodes() <= 64, "{}", tree.capacity_nodes());
    }
}

#[test]
fn the_same_history_makes_the_same_tree() {
    let run = || {
        let mut random = Random::new(3);
        let boxes: Vec<_> = (0..2000).map(|_| draw(&mut random)).collect();
        let (mut tree, handles) = filled(&boxes, enlarging());
        let mut out = Vec::new();
        for _ in 0..10 {
            tree.begin_frame();
            let moves: Vec<_> = handles
                .iter()
                .map(|&h| Move::new(h, draw(&mut random)))
                .collect();
            tree.update(&moves).unwrap();
            tree.maintain(8);
            tree.self_pairs(PairQuery::ALL, |a, b| {
                out.push([a, b]);
                GO
            });
        }
        (out, tree.nodes().to_vec(), tree.work())
    };
    let first = run();
    assert!(!first.0.is_empty());
    assert!(first == run());
}
