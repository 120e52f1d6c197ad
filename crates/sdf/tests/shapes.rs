//! What shapes know of their fields.

mod support;

use core::f64::consts::PI;

use glam::{DMat3, DVec3, Vec3};
use jostle_sdf::{Field, FieldError, Sample, Shape, ShapeError, ShapeOptions, UserField};
use jostle_simd::Aabb;
use jostle_simd::lanes::V3;
use support::{all, pose, spike_plate, spiky_wheel};

fn shape(field: &Field) -> Shape {
    Shape::new(field.clone(), &ShapeOptions::default()).unwrap()
}

/// The same field without closed forms.
fn disguised(field: &Field) -> Field {
    field.offset(0.0).unwrap()
}

fn close(a: &Shape, b: &Shape, tolerance: f64, name: &str) {
    let (m, n) = (a.mass(), b.mass());
    let size = f64::from((a.aabb().max - a.aabb().min).max_element());
    let volume = (m.volume / n.volume - 1.0).abs();
    assert!(volume < tolerance, "{name}: {} {}", m.volume, n.volume);
    let apart = (m.centre - n.centre).length() / size;
    assert!(apart < tolerance, "{name}: {} {}", m.centre, n.centre);
    let norm = |i: DMat3| {
        (i.x_axis.length_squared() + i.y_axis.length_squared() + i.z_axis.length_squared()).sqrt()
    };
    let inertia = norm(m.inertia - n.inertia) / norm(n.inertia);
    assert!(inertia < tolerance, "{name}: {} {}", m.inertia, n.inertia);
}

#[test]
fn quadrature_agrees_with_closed_forms() {
    let mut fields = support::primitives();
    fields.push(("spike plate", spike_plate()));
    for (name, field) in fields {
        if field.is_bounded() {
            let tolerance = if name == "spike plate" { 5e-3 } else { 4e-3 };
            close(&shape(&disguised(&field)), &shape(&field), tolerance, name);
        }
    }
}

#[test]
fn closed_forms_are_the_known_ones() {
    let box_ = *shape(&Field::cuboid(Vec3::new(0.5, 1.0, 1.5)).unwrap()).mass();
    assert_eq!(box_.volume, 6.0);
    assert!((box_.inertia.x_axis.x - 0.5 * (4.0 + 9.0)).abs() < 1e-12);
    let cone = *shape(&Field::cone(0.5, 0.5).unwrap()).mass();
    assert!((cone.volume - PI / 12.0).abs() < 1e-12);
    assert!((cone.centre - DVec3::new(0.0, 0.0, -0.25)).length() < 1e-12);
    assert!((cone.inertia.z_axis.z - 0.3 * cone.volume * 0.25).abs() < 1e-12);
    let ball = *shape(&Field::sphere(2.0).unwrap()).mass();
    assert!((ball.inertia.y_axis.y / ball.volume - 1.6).abs() < 1e-12);
    let placed = *shape(&Field::cone(0.5, 0.5).unwrap().placed(&pose(), 2.0).unwrap()).mass();
    assert!((placed.volume - cone.volume * 8.0).abs() < 1e-6);
    let centre = pose().to_world(cone.centre * 2.0);
    assert!((placed.centre - centre).length() < 1e-6);
}

#[test]
fn every_field_makes_a_shape_of_its_own_bound() {
    for (name, field) in all() {
        let made = shape(&field);
        assert_eq!(made.aabb(), field.aabb(), "{name}");
        assert_eq!(made.mass().can_move(), field.is_bounded(), "{name}");
        assert_eq!(made.is_convex(), field.is_convex(), "{name}");
        let steep = ["bend", "twist", "displace", "bent union", "placed twist"];
        assert_eq!(made.lipschitz() > 1.0, steep.contains(&name), "{name}");
        if field.is_bounded() {
            let inertia = made.mass().inertia;
            for axis in 0..3 {
                assert!(inertia.col(axis)[axis] > 0.0, "{name}");
            }
        }
    }
    assert!(shape(&spiky_wheel()).mass().volume > 2.0 * PI * 0.35 * 0.35 * 0.48);
}

#[test]
fn bodies_without_inside_or_end_cannot_move() {
    let ball = Field::sphere(0.5).unwrap();
    let nothing = ball.difference(&Field::sphere(0.6).unwrap()).unwrap();
    assert_eq!(shape(&nothing).mass().volume, 0.0);
    assert!(!shape(&nothing).mass().can_move());
    let ground = shape(&Field::half_space(Vec3::Z, 0.0).unwrap());
    assert!(!ground.mass().can_move());
    assert_eq!(ground.aabb().max.z, 0.0);
    assert!(ground.aabb().min.is_finite());
    assert!(ground.seeds().points().is_empty());
    // Thin but not empty.
    let plate = shape(&Field::cuboid(Vec3::new(1.0, 1.0, 1e-4)).unwrap());
    assert!(plate.mass().can_move());
    let shell = shape(&ball.shell(1e-4).unwrap());
    assert!(shell.mass().volume > 0.0 && shell.mass().volume < 0.1);
}

#[test]
fn large_and_small_shapes_are_alike() {
    for size in [1e-4_f32, 1e4] {
        for (name, field) in [
            ("box", Field::cuboid(Vec3::splat(0.5)).unwrap()),
            ("wheel", spiky_wheel()),
            (
                "twist",
                Field::cuboid(Vec3::new(0.28, 0.55, 1.15))
                    .unwrap()
                    .twist(1.25)
                    .unwrap(),
            ),
        ] {
            let one = shape(&field);
            let other = shape(&field.placed(&jostle_geom::Pose::default(), size).unwrap());
            let s = f64::from(size);
            let volume = one.mass().volume * s * s * s;
            assert!((other.mass().volume / volume - 1.0).abs() < 1e-5, "{name}");
            assert!(
                other.seeds().points().len() * 10 > one.seeds().points().len() * 9,
                "{name}"
            );
        }
    }
}

/// |p| · slope − 1, or not a number.
#[derive(Debug)]
struct Rough {
    slope: f32,
    hole: bool,
    half: f32,
}

impl UserField for Rough {
    fn sample(&self, p: Vec3) -> Sample<f32> {
        let hole = self.hole && p.x > 0.5;
        let g = p.normalize_or(Vec3::X) * self.slope;
        Sample {
            value: if hole {
                f32::NAN
            } else {
                p.length() * self.slope - 1.0
            },
            gradient: V3::from(g),
        }
    }

    fn lipschitz(&self) -> f32 {
        1.0
    }

    fn aabb(&self) -> Aabb {
        Aabb::new(Vec3::splat(-self.half), Vec3::splat(self.half))
    }
}

#[test]
fn fields_that_lie_are_found_out() {
    let make = |slope, hole, half| {
        let field = Field::user(Box::new(Rough { slope, hole, half })).unwrap();
        Shape::new(field, &ShapeOptions::default())
    };
    assert!(make(1.0, false, 1.0).is_ok());
    assert!(matches!(
        make(1.0, true, 1.0),
        Err(ShapeError::NotFinite { .. })
    ));
    assert!(matches!(
        make(1.1, false, 1.0),
        Err(ShapeError::NotLipschitz { .. })
    ));
    assert!(matches!(
        make(1.0, false, 0.5),
        Err(ShapeError::Outside { .. })
    ));
}

#[test]
fn parameters_are_checked() {
    let parameter = |made: Result<Field, FieldError>| {
        assert!(
            matches!(made, Err(FieldError::Parameter { .. })),
            "{made:?}"
        );
    };
    for bad in [f32::NAN, f32::INFINITY, -1.0, 0.0, 1e7, 1e-9] {
        parameter(Field::sphere(bad));
        parameter(Field::cuboid(Vec3::new(1.0, bad, 1.0)));
        parameter(Field::rounded_cuboid(Vec3::ONE, bad));
        parameter(Field::capsule(1.0, bad));
        parameter(Field::cylinder(bad, 1.0));
        parameter(Field::cone(1.0, bad));
        parameter(Field::torus(bad, 1.0));
        parameter(Field::spike_plate(Vec3::ONE, 4, bad, 0.1, 0.2));
        parameter(Field::spike_plate(Vec3::ONE, 4, 0.1, bad, 0.2));
        parameter(Field::spiky_wheel(1.0, 1.0, 0.1, bad, 8));
        let ball = Field::sphere(1.0).unwrap();
        parameter(ball.smooth_union(&ball, bad));
        parameter(ball.shell(bad));
        parameter(ball.repeat([2, 1, 1], Vec3::splat(bad)));
        parameter(ball.placed(&pose(), bad));
    }
    let ball = Field::sphere(1.0).unwrap();
    for bad in [f32::NAN, f32::NEG_INFINITY] {
        parameter(Field::half_space(Vec3::Z, bad));
        parameter(Field::half_space(Vec3::splat(bad), 0.0));
        parameter(ball.offset(bad));
        parameter(ball.bend(bad));
        parameter(ball.twist(bad));
        parameter(ball.displace(bad));
    }
    parameter(Field::half_space(Vec3::ZERO, 0.0));
    parameter(Field::rounded_cuboid(Vec3::ONE, 1.5));
    parameter(Field::torus(0.2, 0.5));
    parameter(Field::spike_plate(Vec3::ONE, 0, 0.1, 0.1, 0.2));
    parameter(Field::spike_plate(Vec3::ONE, 8, 0.2, 0.1, 0.2));
    parameter(Field::spiky_wheel(1.0, 1.0, 0.1, 1.0, 5_000));
    parameter(ball.repeat([0, 1, 1], Vec3::ONE));

    let away = ball
        .placed(
            &jostle_geom::Pose::new(DVec3::X * 5.0, jostle_geom::Rotation::IDENTITY),
            1.0,
        )
        .unwrap();
    assert!(matches!(
        ball.intersection(&away),
        Err(FieldError::Empty { .. })
    ));
    assert!(matches!(ball.offset(-1.5), Err(FieldError::Empty { .. })));
    let far = ball.repeat([100, 100, 100], Vec3::splat(0.1));
    assert!(matches!(far, Err(FieldError::Overhang { .. })), "{far:?}");
    let mut deep = ball;
    let error = loop {
        match deep.offset(0.01) {
            Ok(next) => deep = next,
            Err(error) => break error,
        }
    };
    assert!(matches!(
        error,
        FieldError::Deep {
            depth: 65,
            most: 64
        }
    ));
}
