//! What keeps the dynamic tree good and small over many frames.

mod common;

use core::ops::ControlFlow;

use common::Random;
use common::dynamic::{draw, enlarging, filled, self_pairs, shifted};
use common::trees::GO;
use fearless_simd::Level;
use glam::Vec3;
use jostle_broad::brute;
use jostle_broad::bvh::Builder;
use jostle_broad::dynamic::{DynamicOptions, DynamicTree, Move, PairQuery};
use jostle_geom::Aabb;

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
fn many_identical_boxes_make_a_flat_tree() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (mut tree, handles) = filled(&vec![unit; 1 << 18], DynamicOptions::default());
    assert!(tree.depth() <= 23, "{}", tree.depth());
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
