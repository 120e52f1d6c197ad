//! Values and gradients of fields.

mod support;

use glam::Vec3;
use jostle_geom::Rng;
use jostle_sdf::{Field, Sample};
use jostle_simd::SimdLevel;
use support::{all, composites, corners, point, primitives};

fn gradient(s: &Sample<f32>) -> Vec3 {
    s.gradient.into()
}

fn bits(s: &Sample<f32>) -> [u32; 4] {
    let g = gradient(s);
    [s.value, g.x, g.y, g.z].map(f32::to_bits)
}

#[test]
fn lanes_are_the_plain_formula_bit_for_bit_at_all_levels() {
    let mut rng = Rng::new(1, 0);
    let mut points = corners();
    for reach in [0.6, 2.0, 50.0, 1e6] {
        for _ in 0..2_000 {
            points.push(point(&mut rng, reach));
        }
    }
    points.push(Vec3::NAN);
    points.push(Vec3::new(f32::INFINITY, 0.0, f32::NEG_INFINITY));
    let mut out = Vec::new();
    for (name, field) in all() {
        let plain: Vec<_> = points.iter().map(|p| field.sample(*p)).collect();
        for level in SimdLevel::available() {
            field.sample_all(level.token().unwrap(), &points, &mut out);
            assert_eq!(out.len(), points.len());
            for ((p, a), b) in points.iter().zip(&plain).zip(&out) {
                let same = bits(a) == bits(b) || (p.is_nan() || !p.is_finite());
                assert!(same, "{name} at {p} at {level}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn values_are_finite_everywhere_and_gradients_of_distances_have_length_one() {
    let mut points = corners();
    points.extend([Vec3::splat(1e9), Vec3::new(-1e9, 3.0, 0.0)]);
    for (name, field) in all() {
        for p in &points {
            let s = field.sample(*p);
            let g = gradient(&s);
            assert!(s.value.is_finite() && g.is_finite(), "{name} at {p}: {s:?}");
        }
    }
    for (name, field) in primitives() {
        for p in &points {
            let g = gradient(&field.sample(*p));
            assert!((g.length() - 1.0).abs() < 2e-6, "{name} at {p}: {g}");
        }
    }
}

/// Away from creases the gradient is the limit of differences; at creases, which few random points meet, it is not.
#[test]
fn gradients_are_those_of_differences() {
    let step = 1e-3;
    for (name, field) in all() {
        let mut rng = Rng::new(2, 0);
        let mut bad = 0;
        let mut tried = 0;
        for _ in 0..4_000 {
            let p = point(&mut rng, 1.0);
            let s = field.sample(p);
            let mut differences = Vec3::ZERO;
            for axis in 0..3 {
                let mut e = Vec3::ZERO;
                e[axis] = step;
                differences[axis] =
                    (field.sample(p + e).value - field.sample(p - e).value) / (2.0 * step);
            }
            // Where a value is cut it does not change.
            if differences.length() > 1e-3 {
                tried += 1;
                bad += usize::from((differences - gradient(&s)).length() > 0.01);
            }
        }
        assert!(
            bad * 20 < tried && tried > 1_000,
            "{name}: {bad} of {tried}"
        );
    }
}

/// A true distance says where the nearest point of the surface is: there the value is zero, with the same gradient, and
/// no point of the surface is nearer, as the ball of that radius has only points of one side.
#[test]
fn values_are_distances() {
    for (name, field) in primitives() {
        let mut rng = Rng::new(3, 0);
        let mut balls = 0;
        for _ in 0..3_000 {
            let p = point(&mut rng, 1.0);
            let s = field.sample(p);
            let foot = p - gradient(&s) * s.value;
            let there = field.sample(foot);
            assert!(there.value.abs() < 2e-6, "{name} at {p}: {}", there.value);
            for _ in 0..8 {
                let within = p + rng.direction().as_vec3() * s.value.abs() * 0.999;
                let other = field.sample(within).value;
                assert!(
                    other * s.value > 0.0 || s.value.abs() < 1e-4,
                    "{name}: {p} is at {} and {within} at {other}",
                    s.value
                );
                balls += 1;
            }
        }
        assert!(balls > 1_000);
    }
}

#[test]
fn known_distances() {
    let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
    let at = |field: &Field, x, y, z| field.sample(Vec3::new(x, y, z)).value;
    let cone = Field::cone(0.5, 0.5).unwrap();
    assert!(near(at(&cone, 0.0, 0.0, 0.5), 0.0));
    assert!(near(at(&cone, 0.0, 0.0, 1.25), 0.75));
    assert!(near(at(&cone, 0.0, 0.0, -0.75), 0.25));
    assert!(near(at(&cone, 0.8, 0.0, -0.9), 0.5));
    assert!(near(at(&cone, 0.25, 0.0, 0.0), 0.0));
    let wheel = support::spiky_wheel();
    for k in 0..16 {
        let angle = core::f64::consts::TAU * f64::from(k) / 16.0;
        let (s, c) = (libm::sin(angle) as f32, libm::cos(angle) as f32);
        // The ring is as far in as the spike is wide where it ends inside of the hub.
        let tip = (0..400)
            .map(|z| at(&wheel, 1.75 * c, 1.75 * s, 0.3 + 0.0005 * z as f32))
            .fold(f32::INFINITY, f32::min);
        assert!(tip.abs() < 5e-4, "{k}: {tip}");
        assert!(near(
            at(&wheel, 2.0 * c, 2.0 * s, 0.0),
            at(&wheel, 2.0, 0.0, 0.0)
        ));
    }
    let (plate, torus) = (support::spike_plate(), Field::torus(0.5, 0.2).unwrap());
    assert!(near(at(&plate, 0.0, 0.0, -0.58), 0.5));
    assert!(near(at(&torus, 0.0, 0.0, 0.0), 0.3));
    assert!(near(at(&torus, 0.5, 0.0, 0.0), -0.2));
}

#[test]
fn boxes_hold_the_inside_and_are_tight() {
    let mut rng = Rng::new(4, 0);
    for (name, field) in all() {
        let aabb = field.aabb();
        if !field.is_bounded() {
            continue;
        }
        let (centre, half) = (aabb.centre(), (aabb.max - aabb.min) * 0.5);
        let mut seen = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        for _ in 0..60_000 {
            let p = centre + rng.cube().as_vec3() * half * 1.3;
            if field.sample(p).value <= 0.0 {
                let slack = 1e-6 * (1.0 + p.abs().max_element());
                let within = p.cmpge(aabb.min - slack) & p.cmple(aabb.max + slack);
                assert!(
                    within.all(),
                    "{name}: {p} is inside of the field, not of {aabb:?}"
                );
                seen = [seen[0].min(p), seen[1].max(p)];
            }
        }
        let found = (seen[1] - seen[0]) / (2.0 * half);
        let loose = [
            "difference",
            "intersection",
            "smooth union",
            "displace",
            "bent union",
        ];
        let tight = if loose.contains(&name) || name.contains("placed") {
            0.5
        } else {
            0.75
        };
        assert!(found.min_element() > tight, "{name}: {found}");
    }
}

#[test]
fn errors_are_known_where_they_are() {
    for (name, field) in primitives() {
        assert_eq!(field.error(), Some(0.0), "{name}");
    }
    let unknown = composites()
        .iter()
        .filter(|f| f.1.error().is_none())
        .count();
    assert!(unknown > 5);
}
