//! What every optimiser has to find, and to keep to whatever the fields are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fearless_simd::Level;
use glam::{DVec3, Vec3};
use jostle_geom::{ContactPoint, Pose, Rng, Rotation};
use jostle_sdf::contact::{ContactOptions, FieldBody, FieldContacts, Optimizer};
use jostle_sdf::{Field, Sample, Shape, ShapeOptions, UserField};
use jostle_simd::Aabb;

fn shape(field: Field) -> Shape {
    Shape::new(field, &ShapeOptions::default()).unwrap()
}

/// A body whose shape has its origin at a place.
fn at(shape: &Shape, place: DVec3, rotation: Rotation) -> FieldBody<'_> {
    let centre = rotation.rotate(shape.mass().centre);
    FieldBody {
        shape,
        scale: 1.0,
        pose: Pose::new(place + centre, rotation),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        fixed: false,
    }
}

fn value(body: &FieldBody<'_>, x: DVec3) -> f32 {
    let local = body.pose.to_local(x) + body.shape.mass().centre;
    body.shape.field().sample(local.as_vec3()).value
}

/// The corners of the box of a body in the world.
fn bounds(body: &FieldBody<'_>) -> [DVec3; 2] {
    let local = body.shape.aabb();
    let (low, high) = (local.min.as_dvec3(), local.max.as_dvec3());
    let m = body.pose.rotation.matrix();
    let middle = body
        .pose
        .to_world((low + high) * 0.5 - body.shape.mass().centre);
    let half = (high - low) * 0.5;
    let reach = m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z;
    [middle - reach, middle + reach]
}

/// The corners of the overlap of two boxes, with margin.
fn overlap(a: &FieldBody<'_>, b: &FieldBody<'_>, margin: f32) -> [DVec3; 2] {
    let ([a_low, a_high], [b_low, b_high]) = (bounds(a), bounds(b));
    let grown = DVec3::splat(0.5 * f64::from(margin));
    [a_low.max(b_low) - grown, a_high.min(b_high) + grown]
}

/// The objective of a single point.
fn objective(a: &FieldBody<'_>, b: &FieldBody<'_>, x: DVec3, epsilon: f32) -> f32 {
    let (a, b) = (value(a, x), value(b, x));
    0.5 * (a + b + ((a - b) * (a - b) + epsilon).sqrt())
}

/// The manifold of a pair at rest after some steps.
fn manifold(
    a: FieldBody<'_>,
    b: FieldBody<'_>,
    steps: usize,
    options: &ContactOptions,
) -> Vec<ContactPoint> {
    let mut contacts = FieldContacts::new(options).unwrap();
    for _ in 0..steps {
        contacts.update(&[a, b], &[[0, 1]], 0.0).unwrap();
    }
    contacts.manifolds()[0].points.clone()
}

fn every_method(mut f: impl FnMut(ContactOptions)) {
    for optimizer in Optimizer::ALL {
        for epsilon in [0.0, 0.1] {
            f(ContactOptions {
                optimizer,
                epsilon,
                ..ContactOptions::default()
            });
        }
    }
}

/// The best point of the manifold is about as good as the best one of a grid.
fn check_deepest(what: &str, a: FieldBody<'_>, b: FieldBody<'_>, normal: Vec3) {
    const GRID: usize = 40;
    every_method(|options| {
        let [low, high] = overlap(&a, &b, options.margin);
        let g = |x: DVec3| objective(&a, &b, x, options.epsilon);
        let mut least = f32::INFINITY;
        for i in 0..GRID.pow(3) {
            let cell = [i % GRID, i / GRID % GRID, i / GRID / GRID];
            let share = DVec3::from(cell.map(|c| c as f64 / (GRID - 1) as f64));
            least = least.min(g(low + (high - low) * share));
        }
        let points = manifold(a, b, 16, &options);
        let best = points
            .iter()
            .min_by(|p, q| g(p.position).total_cmp(&g(q.position)));
        let best = best.unwrap_or_else(|| panic!("{what}, {}: nothing", options.optimizer));
        let name = format!("{what}, {}, ε {}", options.optimizer, options.epsilon);
        let missing = g(best.position) - least;
        assert!(missing < 0.01, "{name}: {missing} above {least}");
        assert!(best.active, "{name}: {best:?}");
        assert!(best.normal.dot(normal) > 0.5, "{name}: {best:?}");
    });
}

#[test]
fn balls_touch_between_their_centres() {
    let ball = shape(Field::sphere(0.5).unwrap());
    let to = DVec3::new(0.5, 0.4, 0.6).normalize() * 0.9;
    let (a, b) = (
        at(&ball, DVec3::ZERO, Rotation::IDENTITY),
        at(&ball, to, Rotation::IDENTITY),
    );
    check_deepest("balls", a, b, to.as_vec3().normalize());
}

#[test]
fn a_ball_lies_on_a_plane() {
    let (ball, plane) = (
        shape(Field::sphere(0.5).unwrap()),
        shape(Field::half_space(Vec3::Z, 0.0).unwrap()),
    );
    let a = FieldBody {
        fixed: true,
        ..at(&plane, DVec3::ZERO, Rotation::IDENTITY)
    };
    let turn = Rotation::from_scaled_axis(DVec3::X);
    let b = at(&ball, DVec3::new(0.3, 0.2, 0.46), turn);
    check_deepest("ball on a plane", a, b, Vec3::Z);
}

#[test]
fn a_corner_is_in_a_face() {
    let cube = shape(Field::cuboid(Vec3::splat(0.5)).unwrap());
    // The corner (−1, −1, −1) points down, 0.06 below the upper face of the other box.
    let axis = DVec3::NEG_ONE.cross(DVec3::NEG_Z);
    let angle = libm::acos(1.0 / 3.0_f64.sqrt());
    let reach = 0.5 * 3.0_f64.sqrt();
    let place = DVec3::new(0.1, -0.1, 0.5 + reach - 0.06);
    let (a, b) = (
        at(&cube, DVec3::ZERO, Rotation::IDENTITY),
        at(&cube, place, Rotation::from_axis_angle(axis, angle)),
    );
    check_deepest("corner in a face", a, b, Vec3::Z);
}

#[test]
fn a_ring_stands_on_a_ring() {
    let ring = shape(Field::torus(0.4, 0.1).unwrap());
    let quarter = Rotation::from_axis_angle(DVec3::X, core::f64::consts::FRAC_PI_2);
    let (a, b) = (
        at(&ring, DVec3::ZERO, Rotation::IDENTITY),
        at(&ring, DVec3::new(0.4, 0.0, 0.55), quarter),
    );
    check_deepest("rings", a, b, Vec3::Z);
}

#[test]
fn points_stay_in_the_overlap_and_levels_agree() {
    let (bar, cone) = (
        shape(Field::cuboid(Vec3::new(0.6, 0.2, 0.3)).unwrap()),
        shape(Field::cone(0.5, 0.5).unwrap()),
    );
    let mut seen = 0;
    for round in 0..10 {
        let mut rng = Rng::new(5, round);
        let mut turn = || Rotation::from_axis_angle(rng.direction(), rng.range(0.0, 6.0));
        let (first, second) = (turn(), turn());
        let (a, b) = (
            at(&bar, DVec3::ZERO, first),
            at(&cone, rng.direction() * 0.6, second),
        );
        every_method(|options| {
            let points = manifold(a, b, 3, &options);
            let [low, high] = overlap(&a, &b, options.margin);
            for p in &points {
                let x = p.position;
                let inside = x.cmpge(low - 1e-6).all() && x.cmple(high + 1e-6).all();
                assert!(inside, "{}: {p:?}", options.optimizer);
            }
            seen += points.len();
            let scalar = ContactOptions {
                level: Level::fallback(),
                ..options
            };
            assert_eq!(points, manifold(a, b, 3, &scalar), "{}", options.optimizer);
        });
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn flat_overlaps_have_contacts() {
    // Boxes that only just touch: without margin their overlap is a face, an edge or a point.
    let cube = shape(Field::cuboid(Vec3::splat(0.5)).unwrap());
    for place in [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::ONE] {
        let (a, b) = (
            at(&cube, DVec3::ZERO, Rotation::IDENTITY),
            at(&cube, place, Rotation::IDENTITY),
        );
        every_method(|options| {
            for margin in [0.0, options.margin] {
                let options = ContactOptions { margin, ..options };
                let points = manifold(a, b, 3, &options);
                assert!(points.iter().all(|p| p.position.is_finite()));
                let touch = points.iter().any(|p| p.active);
                assert!(margin == 0.0 || touch, "{}: {points:?}", options.optimizer);
            }
        });
    }
}

/// A ball until it breaks.
#[derive(Debug)]
struct Broken {
    now: Arc<AtomicBool>,
}

impl UserField for Broken {
    fn sample(&self, p: Vec3) -> Sample<f32> {
        let broken = self.now.load(Ordering::Relaxed);
        Sample {
            value: if broken { f32::NAN } else { p.length() - 0.5 },
            gradient: p.normalize_or(Vec3::Z).into(),
        }
    }

    fn lipschitz(&self) -> f32 {
        1.0
    }

    fn aabb(&self) -> Aabb {
        Aabb::new(Vec3::splat(-0.5), Vec3::splat(0.5))
    }
}

#[test]
fn fields_that_are_no_numbers_have_no_contacts() {
    let now = Arc::new(AtomicBool::new(false));
    let field = Broken {
        now: Arc::clone(&now),
    };
    let (broken, ball) = (
        shape(Field::user(Box::new(field)).unwrap()),
        shape(Field::sphere(0.5).unwrap()),
    );
    now.store(true, Ordering::Relaxed);
    let (a, b) = (
        at(&broken, DVec3::ZERO, Rotation::IDENTITY),
        at(&ball, DVec3::X * 0.8, Rotation::IDENTITY),
    );
    every_method(|options| {
        assert!(manifold(a, b, 3, &options).is_empty());
    });
}
