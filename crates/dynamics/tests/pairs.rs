//! Which balls touch: cases that other engines got wrong.

mod common;

use common::{elastic, flow, moving, scene};
use glam::Vec3;
use jostle_dynamics::{BallPair, FlowError, touching_pairs};
use jostle_scenes::grains::Grain;
use jostle_simd::batch::Ball;

fn balls(rows: &[[f32; 4]]) -> Vec<Ball> {
    rows.iter()
        .map(|&[x, y, z, r]| Ball::new(Vec3::new(x, y, z), r))
        .collect()
}

fn pairs(balls: &[Ball]) -> Vec<BallPair> {
    touching_pairs(balls).expect("the balls are fine")
}

/// Three balls at the very threshold: one pair overlaps by 1.5e-7, the other touches exactly in single precision, where
/// 0.1 is twice 0.05.
#[test]
fn bug_p01_pairs_at_the_threshold() {
    let row = balls(&[
        [-0.099_999_85, 0.0, 0.0, 0.05],
        [0.0, 0.0, 0.0, 0.05],
        [0.1, 0.0, 0.0, 0.05],
    ]);
    let found = pairs(&row);
    assert_eq!(found.len(), 2);
    let gap = f64::from(0.099_999_85_f32) - 2.0 * f64::from(0.05_f32);
    assert_eq!((found[0].a, found[0].b), (0, 1));
    assert!((found[0].gap - gap).abs() < 1e-15 && found[0].gap < 0.0);
    assert_eq!(
        found[1],
        BallPair {
            a: 1,
            b: 2,
            gap: 0.0
        }
    );
    // One unit in the last place farther there is a gap.
    let mut apart = row;
    apart[2].centre.x = 0.1_f32.next_up();
    assert_eq!(pairs(&apart).len(), 1);
}

/// Balls with the same centre, and one inside another: found, and pushed apart with finite forces.
#[test]
fn bug_p02_coincident_balls() {
    let rows = [
        [1.0, 2.0, 3.0, 0.5],
        [1.0, 2.0, 3.0, 0.5],
        [1.1, 2.0, 3.0, 0.25],
    ];
    let found = pairs(&balls(&rows));
    let inside = f64::from(1.1_f32) - 1.0 - 0.75;
    for (pair, (a, b, gap)) in found
        .iter()
        .zip([(0, 1, -1.0), (0, 2, inside), (1, 2, inside)])
    {
        assert_eq!((pair.a, pair.b), (a, b));
        assert!((pair.gap - gap).abs() < 1e-12);
    }
    assert_eq!(found.len(), 3);

    let grains = rows.map(|[x, y, z, r]| Grain::at_rest(Vec3::new(x, y, z), r));
    let mut scene = scene(elastic(1e4), grains.to_vec(), Vec::new());
    scene.material.friction = 0.5;
    scene.material.restitution = 0.5;
    let mut flow = flow(&scene);
    for _ in 0..120 {
        flow.step().expect("it steps");
    }
    let after = flow.grains();
    assert!(
        after
            .iter()
            .all(|g| g.centre.is_finite() && g.velocity.is_finite())
    );
    let after: Vec<_> = after
        .iter()
        .map(|g| Ball::new(g.centre, g.radius))
        .collect();
    assert_eq!(pairs(&after), [], "they are apart");
}

/// A lattice whose neighbours touch with a gap of exactly zero: all of them are pairs. (The same lattice in a periodic
/// box has 3,000; periodic space is not supported.)
#[test]
fn bug_p03_a_lattice_that_touches() {
    let lattice: Vec<_> = (0..1000)
        .map(|i| {
            let at = Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32);
            Ball::new(at, 0.5)
        })
        .collect();
    let found = pairs(&lattice);
    assert_eq!(found.len(), 2700);
    assert!(found.iter().all(|pair| pair.gap == 0.0));
}

/// Four hundred balls within a cell, and balls on either side of the origin and of the borders of cells.
#[test]
fn bug_p05_crowded_cells_and_negative_coordinates() {
    let crowd: Vec<_> = (0..400)
        .map(|k| Ball::new(Vec3::X * (k as f32 / 1024.0), 0.5))
        .collect();
    assert_eq!(pairs(&crowd).len(), 79_800);
    let found = pairs(&balls(&[
        [-0.25, 0.0, 0.0, 0.5],
        [0.25, 0.0, 0.0, 0.5],
        [-1.0, 0.0, 0.0, 0.5],
        [1.0, 0.0, 0.0, 0.5],
        [-2.75, -2.75, -2.75, 0.5],
        [-3.25, -2.75, -2.75, 0.5],
    ]));
    let expected = [(0, 1, -0.5), (0, 2, -0.25), (1, 3, -0.25), (4, 5, -0.5)];
    assert_eq!(found, expected.map(|(a, b, gap)| BallPair { a, b, gap }));

    // The flow copes with such a crowd as well, and pushes it apart.
    let grains = crowd
        .iter()
        .map(|b| moving(b.centre, Vec3::ZERO, b.radius))
        .collect();
    let mut scene = scene(elastic(10.0), grains, Vec::new());
    scene.material.restitution = 0.5;
    let mut flow = flow(&scene);
    for _ in 0..10 {
        flow.step().expect("it steps");
    }
    let wide = flow.grains().iter().map(|g| g.centre.x).fold(0.0, f32::max);
    assert!(wide.is_finite() && wide > 0.4);
}

/// Balls without a defined answer are refused.
#[test]
fn balls_that_are_not_numbers_are_refused() {
    for (row, radius) in [
        ([0.0, 0.0, 0.0, f32::NAN], true),
        ([0.0, 0.0, 0.0, -1.0], true),
        ([0.0, 0.0, 0.0, 0.0], true),
        ([0.0, f32::NAN, 0.0, 1.0], false),
        ([f32::INFINITY, 0.0, 0.0, 1.0], false),
    ] {
        let error = touching_pairs(&balls(&[[0.0, 0.0, 0.0, 1.0], row])).unwrap_err();
        match error {
            FlowError::Radius { grain, .. } => assert!(radius && grain == 1),
            FlowError::Grain { grain, .. } => assert!(!radius && grain == 1),
            other => panic!("{other}"),
        }
    }
    assert_eq!(touching_pairs(&[]), Ok(Vec::new()));
}
