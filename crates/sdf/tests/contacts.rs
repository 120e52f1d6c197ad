//! Contacts of shapes whose answer is known.

use glam::{DVec3, Vec3};
use jostle_geom::{Manifold, Mesh, Pose, Rng, Rotation};
use jostle_sdf::contact::{ContactError, ContactOptions, FieldBody, FieldContacts};
use jostle_sdf::voxel::{BakeOptions, VoxelField};
use jostle_sdf::{Field, Sample, Shape, ShapeOptions, UserField};
use jostle_simd::lanes::V3;
use jostle_simd::{Aabb, SimdLevel};

const DT: f64 = 1.0 / 240.0;

fn shape(field: Field) -> Shape {
    Shape::new(field, &ShapeOptions::default()).expect("a good field")
}

fn ball(radius: f32) -> Shape {
    shape(Field::sphere(radius).expect("positive"))
}

fn cube(half: f32) -> Shape {
    shape(Field::cuboid(Vec3::splat(half)).expect("positive"))
}

fn at(shape: &Shape, position: DVec3) -> FieldBody<'_> {
    FieldBody {
        shape,
        scale: 1.0,
        pose: Pose::new(position, Rotation::IDENTITY),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        fixed: false,
    }
}

fn contacts(options: &ContactOptions) -> FieldContacts {
    FieldContacts::new(options).expect("good options")
}

/// The manifold of the pair (0, 1) after some steps.
fn settled(bodies: &[FieldBody<'_>], options: &ContactOptions, steps: usize) -> Manifold {
    let mut found = contacts(options);
    for _ in 0..steps {
        found.update(bodies, &[[0, 1]], DT).expect("one pair");
    }
    found.manifolds()[0].clone()
}

#[test]
fn balls_touch_where_they_are_nearest() {
    let (big, small) = (ball(0.5), ball(0.3));
    let direction = DVec3::new(2.0, -1.0, 2.0) / 3.0;
    for gap in [-0.2_f64, -0.05, 0.0, 0.01] {
        let bodies = [
            at(&big, DVec3::ONE),
            at(&small, DVec3::ONE + direction * (0.8 + gap)),
        ];
        let manifold = settled(&bodies, &ContactOptions::default(), 8);
        let best = &manifold.points[0];
        assert!(best.active, "{gap}: {best:?}");
        assert!(
            (f64::from(best.separation) - gap).abs() < 5e-3,
            "{gap}: {best:?}"
        );
        assert!(
            best.normal.as_dvec3().dot(direction) > 0.97,
            "{gap}: {best:?}"
        );
    }
}

#[test]
fn a_box_on_a_floor_has_four_points_far_apart() {
    let floor = shape(Field::cuboid(Vec3::new(9.0, 9.0, 1.0)).expect("positive"));
    let cube = cube(0.5);
    let mut bodies = [
        at(&floor, DVec3::new(3.0, 2.0, -1.0)),
        at(&cube, DVec3::new(0.0, 0.0, 0.515)),
    ];
    bodies[0].fixed = true;
    let manifold = settled(&bodies, &ContactOptions::default(), 20);
    let active: Vec<_> = manifold.points.iter().filter(|p| p.active).collect();
    assert!(active.len() >= 4, "{manifold:?}");
    let mut least = f64::INFINITY;
    for (i, p) in active.iter().enumerate() {
        assert!(p.normal.z > 0.95, "{p:?}");
        assert!((p.separation - 0.015).abs() < 2e-3, "{p:?}");
        // A new sample may be next to a point that is kept.
        for q in active[..i].iter().filter(|q| q.cached && p.cached) {
            least = least.min((p.position - q.position).length());
        }
    }
    assert!(least > 0.3, "{least} {manifold:?}");
}

/// Two balls that approach and part at random: a contact whenever the gap is well below the margin, and none above it.
#[test]
fn no_contact_of_moving_balls_is_missed() {
    let (a, b) = (ball(0.5), ball(0.4));
    let mut rng = Rng::new(5, 0);
    let (mut touched, mut proved) = (0, 0);
    let centre = DVec3::new(7.0, -3.0, 2.0);
    for _ in 0..60 {
        let mut found = contacts(&ContactOptions::default());
        let mut p = rng.direction() * rng.range(0.85, 1.3);
        let v = rng.direction() * rng.range(0.1, 3.0);
        let spin = rng.direction() * rng.range(0.0, 5.0);
        let mut turn = Rotation::IDENTITY;
        for _ in 0..60 {
            let mut bodies = [at(&a, centre), at(&b, centre + p)];
            bodies[1].velocity = v;
            bodies[1].pose.rotation = turn;
            let stats = found.update(&bodies, &[[0, 1]], DT).expect("one pair");
            proved += stats.apart;
            let gap = p.length() - 0.9;
            let active = found.manifolds()[0].points.iter().any(|p| p.active);
            if gap < 0.015 {
                assert!(active, "gap {gap}");
                touched += 1;
            } else if gap > 0.0205 {
                assert!(!active, "gap {gap}");
            }
            p += v * DT;
            turn = Rotation::from_scaled_axis(spin * DT).after(turn);
        }
    }
    assert!(touched > 100 && proved > 100, "{touched} {proved}");
}

/// A heap of boxes and balls in motion: the bits of all manifolds.
fn heap(options: &ContactOptions, origin: DVec3) -> Vec<u64> {
    let (ball, cube) = (ball(0.5), cube(0.45));
    let mut rng = Rng::new(11, 0);
    let count = 48;
    let mut state: Vec<_> = (0..count)
        .map(|i| {
            let place = DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)) * 0.9;
            (place + rng.cube() * 0.1, rng.cube(), rng.cube() * 2.0)
        })
        .collect();
    let pairs: Vec<_> = (0..count as u32)
        .flat_map(|a| (a + 1..count as u32).map(move |b| [a, b]))
        .collect();
    let mut found = contacts(options);
    let mut bits = Vec::new();
    for step in 0..12 {
        let bodies: Vec<_> = state
            .iter()
            .enumerate()
            .map(|(i, (p, v, w))| FieldBody {
                pose: Pose::new(
                    *p + origin,
                    Rotation::from_scaled_axis(*w * (f64::from(step) * DT)),
                ),
                velocity: *v,
                angular_velocity: *w,
                ..at(if i % 3 == 0 { &ball } else { &cube }, DVec3::ZERO)
            })
            .collect();
        found.update(&bodies, &pairs, DT).expect("sorted pairs");
        for (p, v, _) in &mut state {
            *p += *v * DT;
        }
    }
    for m in found.manifolds() {
        for p in &m.points {
            let x = p.position - origin;
            bits.extend([x.x, x.y, x.z].map(f64::to_bits));
            let rest = [p.separation, p.normal.x, p.normal.y, p.normal.z];
            bits.extend(rest.map(|v| u64::from(v.to_bits())));
        }
    }
    bits
}

#[test]
fn threads_and_levels_give_the_same_bits() {
    let expected = heap(&ContactOptions::default(), DVec3::ZERO);
    assert!(expected.len() > 7 * 300, "{}", expected.len());
    for level in SimdLevel::available() {
        let options = ContactOptions {
            level: level.token().expect("available"),
            ..ContactOptions::default()
        };
        assert!(heap(&options, DVec3::ZERO) == expected, "{level}");
    }
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        let bits = pool.install(|| heap(&ContactOptions::default(), DVec3::ZERO));
        assert!(bits == expected, "{threads} threads");
    }
}

#[test]
fn far_from_the_origin_all_is_as_near_it() {
    let near = heap(&ContactOptions::default(), DVec3::ZERO);
    let far = heap(&ContactOptions::default(), DVec3::splat(16384.0));
    assert!(
        near.len().abs_diff(far.len()) <= near.len() / 50,
        "{} {}",
        near.len(),
        far.len()
    );
    let mean = |bits: &[u64]| {
        let s: Vec<_> = bits
            .chunks(7)
            .map(|c| f32::from_bits(c[3] as u32))
            .collect();
        s.iter().map(|&s| f64::from(s)).sum::<f64>() / s.len() as f64
    };
    assert!(
        (mean(&near) - mean(&far)).abs() < 1e-3,
        "{} {}",
        mean(&near),
        mean(&far)
    );
}

#[test]
fn tiny_bodies_get_a_tiny_skin() {
    let floor = shape(Field::cuboid(Vec3::splat(5.0)).expect("positive"));
    let grain = ball(0.5);
    let mut bodies = [
        at(&floor, DVec3::new(0.0, 0.0, -5.0)),
        at(&grain, DVec3::ZERO),
    ];
    bodies[1].scale = 0.01;
    for (height, touches) in [(0.0051, true), (0.0055, false), (0.004, true)] {
        bodies[1].pose.position.z = height;
        let manifold = settled(&bodies, &ContactOptions::default(), 8);
        assert!((manifold.margin - 2e-4).abs() < 1e-9, "{manifold:?}");
        let active = manifold.points.iter().any(|p| p.active);
        assert_eq!(active, touches, "{height} {manifold:?}");
    }
}

#[test]
fn coincident_bodies_and_zero_thickness_are_sane() {
    let cube = cube(0.5);
    let sheet = shape(Field::cuboid(Vec3::new(1.0, 1.0, 1e-6)).expect("positive"));
    for other in [&cube, &sheet] {
        let bodies = [at(&cube, DVec3::ZERO), at(other, DVec3::ZERO)];
        let manifold = settled(&bodies, &ContactOptions::default(), 8);
        assert!(manifold.points.iter().any(|p| p.active), "{manifold:?}");
        for p in &manifold.points {
            assert!(p.position.is_finite(), "{p:?}");
            assert!((p.normal.length() - 1.0).abs() < 1e-4, "{p:?}");
        }
    }
}

/// A ball that is not a number in half of space.
#[derive(Debug)]
struct Broken;

impl UserField for Broken {
    fn sample(&self, p: Vec3) -> Sample<f32> {
        let value = if p.x > 0.9 {
            f32::NAN
        } else {
            p.length() - 0.5
        };
        Sample {
            value,
            gradient: V3::from(p.normalize_or(Vec3::Z)),
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
fn points_that_are_not_numbers_never_come_out() {
    // Near its box it is good, and it is not farther out.
    let (broken, cube) = (
        shape(Field::user(Box::new(Broken)).expect("finite")),
        cube(0.5),
    );
    for x in [0.5, 0.8, 0.99] {
        let bodies = [at(&broken, DVec3::ZERO), at(&cube, DVec3::new(x, 0.1, 0.0))];
        let manifold = settled(&bodies, &ContactOptions::default(), 6);
        for p in &manifold.points {
            let finite = p.position.is_finite() && p.separation.is_finite();
            assert!(finite && p.normal.is_finite(), "{p:?}");
        }
    }
}

#[test]
fn nonsense_is_refused() {
    let ball = ball(0.5);
    let bodies = [at(&ball, DVec3::ZERO), at(&ball, DVec3::X)];
    let mut found = contacts(&ContactOptions::default());
    for pairs in [
        vec![[0, 2]],
        vec![[1, 0]],
        vec![[1, 1]],
        vec![[0, 1], [0, 1]],
    ] {
        let error = found.update(&bodies, &pairs, DT).expect_err("not pairs");
        assert!(matches!(error, ContactError::Pair { .. }), "{error}");
    }
    let good = ContactOptions::default();
    for options in [
        ContactOptions {
            cache: 1000,
            ..good
        },
        ContactOptions {
            tau: f32::NAN,
            ..good
        },
        ContactOptions {
            margin: -1.0,
            ..good
        },
    ] {
        let answer = FieldContacts::new(&options);
        assert!(matches!(answer, Err(ContactError::Option { .. })));
    }
}

/// A ball of triangles about the origin: a lattice on a cube, pushed onto the sphere.
fn ball_mesh(radius: f64) -> Mesh {
    const SIDE: u32 = 24;
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for face in 0..6 {
        let first = positions.len() as u32;
        let axis = face % 3;
        let outward = if face < 3 { 1.0 } else { -1.0 };
        for i in 0..=SIDE {
            for j in 0..=SIDE {
                let on_face = |k: u32| f64::from(k) * 2.0 / f64::from(SIDE) - 1.0;
                let mut p = DVec3::ZERO;
                p[axis] = outward;
                p[(axis + 1) % 3] = on_face(i);
                p[(axis + 2) % 3] = on_face(j);
                positions.push(p.normalize() * radius);
            }
        }
        for i in 0..SIDE {
            for j in 0..SIDE {
                let at = first + i * (SIDE + 1) + j;
                let [a, b, c, d] = [at, at + SIDE + 1, at + SIDE + 2, at + 1];
                let halves = [[a, b, c], [a, c, d]];
                faces.extend(if outward > 0.0 {
                    halves
                } else {
                    halves.map(|[a, b, c]| [a, c, b])
                });
            }
        }
    }
    Mesh::new(positions, faces, &[]).expect("a closed mesh")
}

/// Balls baked with 32 cells across, three of which touch in a row: each has its own grid.
#[test]
fn bug_s09_each_body_reads_its_own_grid() {
    let shapes: Vec<_> = [0.5, 0.25, 0.125]
        .iter()
        .map(|&radius| {
            let options = BakeOptions {
                resolution: 32,
                ..BakeOptions::default()
            };
            let baked = VoxelField::bake(&ball_mesh(radius), &options, &|_| ()).expect("a ball");
            shape(Field::voxel(baked.field))
        })
        .collect();
    let bodies = [
        at(&shapes[0], DVec3::ZERO),
        at(&shapes[1], DVec3::new(0.7, 0.0, 0.0)),
        at(&shapes[2], DVec3::new(1.05, 0.0, 0.0)),
        at(&shapes[2], DVec3::new(0.0, 2.0, 0.0)),
    ];
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let mut found = contacts(&ContactOptions::default());
    for _ in 0..12 {
        found.update(&bodies, &pairs, DT).expect("sorted pairs");
    }
    for (manifold, depth) in found
        .manifolds()
        .iter()
        .zip([0.05, 0.0, 0.0, 0.025, 0.0, 0.0])
    {
        let deepest = manifold
            .points
            .iter()
            .filter(|p| p.active)
            .min_by(|a, b| a.separation.total_cmp(&b.separation));
        let pair = [manifold.a, manifold.b];
        assert_eq!(deepest.is_some(), depth > 0.0, "{pair:?} {deepest:?}");
        if let Some(p) = deepest {
            // Half a cell of the larger ball of the pair.
            let tolerance = if manifold.a == 0 { 0.5 } else { 0.25 } / 32.0;
            assert!((p.separation + depth).abs() < tolerance, "{pair:?} {p:?}");
            assert!(p.normal.x > 0.95, "{pair:?} {p:?}");
        }
    }
}
