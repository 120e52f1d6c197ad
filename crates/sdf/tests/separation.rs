//! Pairs that are proved apart are apart: looked at with a dense grid, for shapes of every kind, while they move.

mod meshes;

use std::sync::Arc;

use glam::{DVec3, Vec3};
use jostle_geom::{Pose, Rng, Rotation};
use jostle_sdf::contact::{ContactOptions, ContactStats, FieldBody, FieldContacts};
use jostle_sdf::voxel::{BakeOptions, VoxelField};
use jostle_sdf::{Field, FieldError, Shape, ShapeOptions};
use jostle_testkit::surface_points;

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
    let baked = [
        ("baked cube", meshes::cube(), 20),
        ("baked bowl", meshes::bowl(8), 24),
        ("baked needle", meshes::needle(), 30),
    ];
    let options = ShapeOptions::default();
    let shape = |f: Result<Field, FieldError>| Arc::new(Shape::new(f.unwrap(), &options).unwrap());
    let mut shapes: Shapes = fields.into_iter().map(|(n, f)| (n, shape(f))).collect();
    for (name, mesh, resolution) in baked {
        let options = BakeOptions {
            resolution,
            ..BakeOptions::default()
        };
        let baked = VoxelField::bake(&mesh, &options, &|_| ()).unwrap();
        shapes.push((name, shape(Ok(Field::voxel(baked.field)))));
    }
    shapes
}

#[test]
fn what_was_proved_of_a_shape_holds_for_no_other() {
    let (small, large) = (
        Shape::new(Field::sphere(0.3).unwrap(), &ShapeOptions::default()).unwrap(),
        Shape::new(Field::sphere(0.6).unwrap(), &ShapeOptions::default()).unwrap(),
    );
    // Near enough for their boxes to overlap, in the corner.
    let to = DVec3::splat(0.59 / 3.0_f64.sqrt() * 1.25);
    let at = |shape, scale| {
        [
            body(shape, scale, DVec3::ZERO, Rotation::IDENTITY),
            body(shape, scale, to, Rotation::IDENTITY),
        ]
    };
    for (after, scale) in [(&large, 1.0), (&small, 1.5)] {
        let mut contacts = FieldContacts::new(&ContactOptions::default()).unwrap();
        for _ in 0..4 {
            let stats = contacts.update(&at(&small, 1.0), &[[0, 1]], 0.01).unwrap();
            assert_eq!(stats.apart, 1);
        }
        let stats = contacts.update(&at(after, scale), &[[0, 1]], 0.01).unwrap();
        assert_eq!(stats.apart, 0);
        assert!(stats.contacts > 0);
    }
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

/// Points on the surface of a shape; none of one without end.
fn surface(shape: &Shape) -> Vec<Vec3> {
    let bounds = shape.aabb();
    if (bounds.max - bounds.min).max_element() > 24.0 {
        return Vec::new();
    }
    let field = |p| {
        let s = shape.field().sample(p);
        (s.value, s.gradient.into())
    };
    surface_points(field, [bounds.min, bounds.max], 24)
}

/// How near the surfaces come to each other, m, where the values of one at points of the other tell: its value is a
/// distance, or no smaller than its Lipschitz bound times one.
fn nearest(bodies: &[FieldBody<'_>; 2], surfaces: [&[Vec3]; 2]) -> f64 {
    let mut least = f64::INFINITY;
    for (from, to, points) in [
        (&bodies[0], &bodies[1], surfaces[0]),
        (&bodies[1], &bodies[0], surfaces[1]),
    ] {
        let exact = to.shape.lipschitz() <= 1.0;
        for p in points {
            let place = (p.as_dvec3() - from.shape.mass().centre) * f64::from(from.scale);
            let q = to.pose.to_local(from.pose.to_world(place)) / f64::from(to.scale);
            let q = (q + to.shape.mass().centre).as_vec3();
            let value = f64::from(to.shape.field().sample(q).value * to.scale);
            if exact || value < 0.0 {
                least = least.min(value);
            }
        }
    }
    least
}

#[derive(Default)]
struct Tally {
    apart: u64,
    looked: u64,
}

/// Lets a pair drift past each other for some steps; every time that it is taken for apart, the grid and the points of
/// the surfaces have a look.
fn drift(
    names: [&str; 2],
    bodies: &mut [FieldBody<'_>; 2],
    surfaces: [&[Vec3]; 2],
    rng: &mut Rng,
    tally: &mut Tally,
) {
    const STEPS: usize = 12;
    let options = ContactOptions::default();
    let mut contacts = FieldContacts::new(&options).unwrap();
    let size = f64::from(bodies[0].scale.min(bodies[1].scale)).min(1.0);
    let moves = [0, 1].map(|_| (rng.direction() * 0.02 * size, rng.direction() * 0.05));
    for _ in 0..STEPS {
        let stats: ContactStats = contacts.update(bodies, &[[0, 1]], 0.01).unwrap();
        tally.looked += stats.pairs;
        tally.apart += stats.apart;
        if stats.apart > 0 {
            let poses = bodies.each_ref().map(|b| (b.pose, b.scale));
            assert!(!overlap(bodies), "{names:?} {poses:?}");
            let gap = nearest(bodies, surfaces);
            let margin = 0.999 * f64::from(contacts.manifolds()[0].margin);
            assert!(gap > margin, "{names:?}: {gap} {poses:?}");
        }
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
    let surfaces: Vec<_> = shapes.iter().map(|(_, shape)| surface(shape)).collect();
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
                let points = [&surfaces[i][..], &surfaces[i + j]];
                drift([first, second], &mut bodies, points, &mut rng, &mut tally);
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

/// The gap between a needle and a body whose values are distances, m, or a little more.
fn needle_gap(needle: &FieldBody<'_>, thin: f64, half: f64, other: &FieldBody<'_>) -> f64 {
    const SAMPLES: usize = 1000;
    let along = (0..=SAMPLES).map(|i| {
        let z = half * (2.0 * i as f64 / SAMPLES as f64 - 1.0);
        let q = other.pose.to_local(needle.pose.to_world(DVec3::Z * z));
        f64::from(other.shape.field().sample(q.as_vec3()).value)
    });
    along.fold(f64::INFINITY, f64::min) - thin
}

/// Beside two needles that lie along each other both fields grow the same way, as fast as their bounds allow.
#[test]
fn needles_side_by_side_are_apart_only_while_they_are() {
    let (thin, half) = (0.015, 0.05);
    let field = Field::capsule(thin as f32, half as f32).unwrap();
    let needle = Shape::new(field, &ShapeOptions::default()).unwrap();
    let (mut apart, mut close) = (0, 0);
    for round in 0..2000 {
        let mut rng = Rng::new(7, round);
        let turn = random_turn(&mut rng);
        let lean = Rotation::from_scaled_axis(rng.direction() * rng.range(0.0, 0.05));
        let at = turn.rotate(DVec3::X) * rng.range(0.0, 0.1);
        let bodies = [
            body(&needle, 1.0, DVec3::ZERO, turn),
            body(&needle, 1.0, at, lean.after(turn)),
        ];
        let mut contacts = FieldContacts::new(&ContactOptions::default()).unwrap();
        let stats = contacts.update(&bodies, &[[0, 1]], 0.01).unwrap();
        let gap = needle_gap(&bodies[0], thin, half, &bodies[1]);
        let margin = 0.999 * f64::from(contacts.manifolds()[0].margin);
        assert!(stats.apart == 0 || gap > margin, "{round}: {gap}");
        apart += stats.apart;
        close += u64::from(stats.pairs > 0 && gap < margin);
    }
    assert!(apart > 100 && close > 100, "{apart} {close}");
}

/// The centre of a needle that turns about itself stays where it is, and its tip comes down all the same.
#[test]
fn a_needle_that_turns_above_a_plate_is_apart_only_while_it_is() {
    let (thin, half) = (0.03, 0.15);
    let needle = Field::capsule(thin as f32, half as f32).unwrap();
    let needle = Shape::new(needle, &ShapeOptions::default()).unwrap();
    let plate = Field::cuboid(Vec3::new(1.0, 1.0, 0.1)).unwrap();
    let plate = Shape::new(plate, &ShapeOptions::default()).unwrap();
    let (mut apart, mut close) = (0, 0);
    for round in 0..200 {
        let mut rng = Rng::new(8, round);
        let at = DVec3::new(0.0, 0.0, 0.1 + rng.range(0.05, 0.25));
        let level = Rotation::from_axis_angle(DVec3::Y, core::f64::consts::FRAC_PI_2);
        // Aslant, so that their boxes overlap.
        let all = random_turn(&mut rng);
        let turn = Rotation::from_axis_angle(all.rotate(DVec3::Y), rng.range(0.002, 0.05));
        let mut bodies = [
            body(&plate, 1.0, DVec3::ZERO, all),
            body(&needle, 1.0, all.rotate(at), all.after(level)),
        ];
        let mut contacts = FieldContacts::new(&ContactOptions::default()).unwrap();
        for _ in 0..40 {
            let stats = contacts.update(&bodies, &[[0, 1]], 0.01).unwrap();
            let gap = needle_gap(&bodies[1], thin, half, &bodies[0]);
            let margin = 0.999 * f64::from(contacts.manifolds()[0].margin);
            assert!(stats.apart == 0 || gap > margin, "{round}: {gap}");
            apart += stats.apart;
            close += u64::from(stats.pairs > 0 && gap < margin);
            let pose = &mut bodies[1].pose;
            pose.rotation = turn.after(pose.rotation);
        }
    }
    assert!(apart > 100 && close > 100, "{apart} {close}");
}
