//! Pairs that are proved apart are apart: looked at with a dense grid, for shapes of every kind, while they move.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use jostle_geom::{Pose, Rng, Rotation};
use jostle_sdf::contact::{ContactOptions, ContactStats, FieldBody, FieldContacts};
use jostle_sdf::{Field, FieldError, Shape, ShapeOptions};

type Shapes = Vec<(&'static str, Arc<Shape>)>;

/// Shapes of about a metre, of every kind.
fn shapes() -> Shapes {
    let fields: Vec<(&'static str, Result<Field, FieldError>)> = vec![
        ("sphere", Field::sphere(0.5)),
        ("box", Field::cuboid(Vec3::new(0.5, 0.3, 0.2))),
        ("plate", Field::cuboid(Vec3::new(0.5, 0.5, 0.002))),
        ("rounded box", Field::rounded_cuboid(Vec3::splat(0.4), 0.1)),
        ("cone", Field::cone(0.4, 0.5)),
        ("torus", Field::torus(0.35, 0.15)),
        ("bend", bar().and_then(|f| f.bend(1.0))),
        ("strong bend", bar().and_then(|f| f.bend(-2.5))),
        ("twist", bar().and_then(|f| f.twist(4.0))),
        ("displace", bar().and_then(|f| f.displace(0.05))),
        (
            "bent twist",
            bar().and_then(|f| f.twist(2.0)).and_then(|f| f.bend(1.0)),
        ),
        (
            "spike plate",
            Field::spike_plate(Vec3::new(1.0, 1.0, 0.1), 5, 0.1, 0.2, 0.5),
        ),
        ("wheel", Field::spiky_wheel(0.3, 0.15, 0.05, 0.2, 8)),
        ("half space", Field::half_space(Vec3::Z, 0.0)),
        (
            "cheese",
            Field::sphere(0.5).and_then(|ball| ball.difference(&bar()?)),
        ),
    ];
    let options = ShapeOptions::default();
    let shape = |f: Result<Field, FieldError>| Arc::new(Shape::new(f.unwrap(), &options).unwrap());
    fields.into_iter().map(|(n, f)| (n, shape(f))).collect()
}

fn bar() -> Result<Field, FieldError> {
    Field::cuboid(Vec3::new(0.5, 0.2, 0.3))
}

fn random_turn(rng: &mut Rng) -> Rotation {
    Rotation::from_axis_angle(rng.direction(), rng.range(0.0, 6.3))
}

/// Whether the dense grid finds a point inside both.
fn overlap(bodies: &[FieldBody<'_>; 2]) -> bool {
    let mut reference = FieldContacts::new(&ContactOptions {
        dense: Some(16),
        ..ContactOptions::default()
    })
    .unwrap();
    reference.update(bodies, &[[0, 1]], 0.0).unwrap();
    let points = &reference.manifolds()[0].points;
    points.iter().any(|p| p.depth < 0.0)
}

#[derive(Default)]
struct Tally {
    apart: u64,
    looked: u64,
}

/// Lets a pair drift past each other for some steps; every time that it is taken for apart the grid has a look.
fn drift(
    names: [&str; 2],
    bodies: &mut [FieldBody<'_>; 2],
    rng: &mut Rng,
    steps: usize,
    tally: &mut Tally,
) {
    let options = ContactOptions::default();
    let mut contacts = FieldContacts::new(&options).unwrap();
    let size = f64::from(bodies[0].scale.min(bodies[1].scale)).min(1.0);
    let moves = [0, 1].map(|_| (rng.direction() * 0.02 * size, rng.direction() * 0.05));
    for _ in 0..steps {
        let stats: ContactStats = contacts.update(bodies, &[[0, 1]], 0.01).unwrap();
        tally.looked += stats.pairs;
        tally.apart += stats.apart;
        assert!(
            stats.apart == 0 || !overlap(bodies),
            "{names:?} {:?}",
            bodies.each_ref().map(|b| (b.pose, b.scale))
        );
        for (body, (way, turn)) in bodies.iter_mut().zip(moves) {
            if !body.fixed {
                body.pose.position += way;
                body.pose.rotation = Rotation::from_scaled_axis(turn).after(body.pose.rotation);
            }
        }
    }
}

fn body(shape: &Shape, scale: f32, position: DVec3, rotation: Rotation) -> FieldBody<'_> {
    let pose = Pose::new(position, rotation);
    FieldBody {
        shape,
        scale,
        pose,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        fixed: !shape.aabb().max.cmplt(Vec3::splat(1e3)).all(),
    }
}

/// Pairs near each other about a place, with scales from a range.
fn pairs_about(place: DVec3, scale: [f64; 2], rounds: u64, seed: u64) -> Tally {
    let shapes = shapes();
    let mut tally = Tally::default();
    for (i, (first, a)) in shapes.iter().enumerate() {
        for (j, (second, b)) in shapes[i..].iter().enumerate() {
            for round in 0..rounds {
                let mut rng = Rng::new(seed, (i as u64) << 32 | (j as u64) << 16 | round);
                let mut scaled = || (scale[0] * libm::pow(scale[1] / scale[0], rng.unit())) as f32;
                let (sa, sb) = (scaled(), scaled());
                let reach = f64::from(sa + sb) * 0.8;
                let to = place + rng.direction() * rng.range(0.3, 1.0) * reach;
                let turns = [random_turn(&mut rng), random_turn(&mut rng)];
                let mut bodies = [body(a, sa, place, turns[0]), body(b, sb, to, turns[1])];
                if bodies[0].fixed && bodies[1].fixed {
                    continue;
                }
                drift([first, second], &mut bodies, &mut rng, 12, &mut tally);
            }
        }
    }
    tally
}

#[test]
fn proofs_never_cull_a_pair_that_overlaps() {
    let tally = pairs_about(DVec3::ZERO, [1.0, 1.0], 3, 1);
    // There is something to be proved, and something left.
    assert!(tally.apart * 20 > tally.looked, "{}", tally.apart);
    assert!(tally.apart * 10 < tally.looked * 9, "{}", tally.apart);
}

#[test]
fn nor_far_from_the_origin_at_any_scale() {
    let place = DVec3::new(1e4, -2e4, 1e4);
    pairs_about(place, [0.3, 3.0], 1, 2);
    pairs_about(DVec3::ONE, [0.01, 100.0], 1, 3);
}
