//! What operators promise: Lipschitz bounds, and fields without jumps.

mod support;

use glam::Vec3;
use jostle_geom::Rng;
use jostle_sdf::Field;
use support::{all, point, spike_plate, spiky_wheel};

#[test]
fn values_change_no_faster_than_the_bound_of_the_ball() {
    for (name, field) in all() {
        let mut rng = Rng::new(5, 0);
        for i in 0..100_000 {
            let reach = [0.4, 1.5, 5.0][i % 3];
            let centre = point(&mut rng, reach);
            let radius = libm::exp2(rng.range(-4.0, 0.0)) as f32;
            let a = centre + rng.direction().as_vec3() * radius;
            let b = centre + rng.cube().as_vec3() * radius * 0.57;
            let bound = field.lipschitz_in(centre, radius * 1.0001);
            let change = (field.sample(a).value - field.sample(b).value).abs();
            let slack = 4e-6 * (1.0 + reach as f32);
            assert!(
                change <= bound * a.distance(b) + slack,
                "{name} between {a} and {b}: {change} over {}, bound {bound}",
                a.distance(b)
            );
        }
    }
}

#[test]
fn bounds_are_not_much_too_large() {
    for (name, field) in all() {
        let mut rng = Rng::new(6, 0);
        for centre in [Vec3::new(0.3, 0.2, 0.1), Vec3::new(-0.9, 0.1, 0.4)] {
            let bound = field.lipschitz_in(centre, 0.05);
            let steepest = (0..2_000)
                .map(|_| {
                    let p = centre + rng.cube().as_vec3() * 0.05 * 0.57;
                    Vec3::from(field.sample(p).gradient).length()
                })
                .fold(0.0, f32::max);
            assert!(bound < 2.6 * steepest, "{name}: {bound} {steepest}");
        }
    }
}

#[test]
fn a_smooth_union_lies_below_the_union_by_a_quarter_of_its_width_at_most() {
    let (a, b) = (
        Field::sphere(0.5).unwrap(),
        Field::cuboid(Vec3::new(0.9, 0.2, 0.2)).unwrap(),
    );
    let (sharp, smooth) = (a.union(&b).unwrap(), a.smooth_union(&b, 0.2).unwrap());
    let mut rng = Rng::new(9, 0);
    let mut deepest = 0.0_f32;
    for _ in 0..20_000 {
        let p = point(&mut rng, 1.0);
        let below = sharp.sample(p).value - smooth.sample(p).value;
        assert!((-1e-6..=0.05 + 1e-6).contains(&below), "{p}: {below}");
        deepest = deepest.max(below);
    }
    assert!(deepest > 0.045);
}

#[test]
fn repetitions_are_the_union_of_their_copies_near_the_surface() {
    let tilted = Field::cylinder(0.2, 0.9)
        .unwrap()
        .placed(&support::pose(), 1.2)
        .unwrap();
    for (base, counts, pitch) in [
        (
            Field::sphere(0.2).unwrap(),
            [5, 4, 3],
            Vec3::new(0.5, 0.6, 0.7),
        ),
        (
            Field::cone(0.4, 0.6).unwrap(),
            [6, 1, 4],
            Vec3::new(0.5, 1.0, 0.8),
        ),
        (tilted, [5, 1, 3], Vec3::new(0.9, 1.0, 1.4)),
        (Field::torus(0.3, 0.1).unwrap(), [1, 1, 1], Vec3::ZERO),
    ] {
        let field = base.repeat(counts, pitch).unwrap();
        let least = (0..3)
            .filter(|a| counts[*a] > 1)
            .map(|a| pitch[a])
            .fold(f32::INFINITY, f32::min);
        let mut rng = Rng::new(10, 0);
        let (mut exact, mut cut) = (0, 0);
        for _ in 0..5_000 {
            let p = point(&mut rng, 2.5);
            let mut brute = f32::INFINITY;
            for i in 0..counts[0] {
                for j in 0..counts[1] {
                    for k in 0..counts[2] {
                        let at = Vec3::new(i as f32, j as f32, k as f32)
                            - 0.5 * (Vec3::from(counts.map(|n| n as f32)) - 1.0);
                        brute = brute.min(base.sample(p - at * pitch).value);
                    }
                }
            }
            let value = field.sample(p).value;
            assert!(value <= brute + 1e-5, "{p}: {value} {brute}");
            if brute < 0.5 * least || least == f32::INFINITY {
                assert!((value - brute).abs() < 1e-5, "{p}: {value} {brute}");
                exact += 1;
            } else {
                assert!(value >= 0.5 * least - 1e-5, "{p}: {value}");
                cut += 1;
            }
        }
        assert!(
            exact > 300 && (cut > 300 || least == f32::INFINITY),
            "{exact} {cut}"
        );
    }
}

/// All spikes, one by one, as fields of their own.
fn plate_by_hand() -> Field {
    let mut field = Field::cuboid(Vec3::new(0.7, 0.7, 0.08)).unwrap();
    let plate = spike_plate();
    for i in 0..10 {
        for j in 0..10 {
            let (x, y) = (-0.63 + 0.14 * f64::from(i), -0.63 + 0.14 * f64::from(j));
            // The tip is where the value on the axis vanishes.
            let (mut low, mut high) = (0.1, 0.5);
            for _ in 0..40 {
                let z = 0.5 * (low + high);
                let value = plate.sample(Vec3::new(x as f32, y as f32, z as f32)).value;
                if value < 0.0 { low = z } else { high = z }
            }
            let height = low - 0.08;
            // Down to the lower face, wider in proportion.
            let down = (height + 0.08) / height;
            let cone = Field::cone((0.045 * down) as f32, (0.5 * height * down) as f32).unwrap();
            let pose = jostle_geom::Pose::new(
                glam::DVec3::new(x, y, low - 0.5 * height * down),
                jostle_geom::Rotation::IDENTITY,
            );
            let cone = cone.placed(&pose, 1.0).unwrap();
            field = match field.union(&cone) {
                Ok(field) => field,
                // As deep as may be: enough of them.
                Err(_) => return field,
            };
        }
    }
    field
}

#[test]
fn spikes_are_those_of_a_union_where_they_are_near() {
    let (plate, by_hand) = (spike_plate(), plate_by_hand());
    let mut rng = Rng::new(11, 0);
    let mut near = 0;
    for _ in 0..20_000 {
        // Above the spikes that were made by hand.
        let p = Vec3::new(
            rng.range(-0.7, -0.1) as f32,
            rng.range(-0.7, 0.7) as f32,
            rng.range(0.08, 0.4) as f32,
        );
        let (a, b) = (plate.sample(p).value, by_hand.sample(p).value);
        assert!(a <= b + 1e-5, "{p}: {a} {b}");
        if b < 0.14 {
            assert!((a - b).abs() < 1e-5, "{p}: {a} {b}");
            near += 1;
        }
    }
    assert!(near > 5_000);
}

#[test]
fn a_wheel_is_the_union_of_its_spikes() {
    let wheel = spiky_wheel();
    let hub = Field::cylinder(0.35, 0.48).unwrap();
    // Of what is outside of the hub a spike is a cone of radius 0.08 where it leaves it.
    let rim = (0.35_f64 * 0.35 - 0.08 * 0.08).sqrt();
    let height = 1.75 - rim;
    let deep = 0.08;
    let down = (height + deep) / height;
    let cone = Field::cone((0.08 * down) as f32, (0.5 * height * down) as f32).unwrap();
    let ring = 0.48 - 1.25 * 0.08 * down;
    let mut spikes = Vec::new();
    for k in 0..16 {
        let turn = jostle_geom::Rotation::from_scaled_axis(
            glam::DVec3::Z * (core::f64::consts::TAU * f64::from(k) / 16.0),
        );
        let out = turn.after(jostle_geom::Rotation::from_scaled_axis(
            glam::DVec3::Y * core::f64::consts::FRAC_PI_2,
        ));
        for z in [-ring, ring] {
            let centre =
                turn.rotate(glam::DVec3::X * (1.75 - 0.5 * height * down)) + glam::DVec3::Z * z;
            spikes.push(
                cone.placed(&jostle_geom::Pose::new(centre, out), 1.0)
                    .unwrap(),
            );
        }
    }
    let mut rng = Rng::new(12, 0);
    for _ in 0..20_000 {
        let p = point(&mut rng, 1.8) * Vec3::new(1.0, 1.0, 0.4);
        let parts = spikes.iter().map(|s| s.sample(p).value);
        let brute = parts.fold(hub.sample(p).value, f32::min);
        let s = wheel.sample(p);
        assert!(s.value <= brute.max(0.0) + 2e-5, "{p}: {} {brute}", s.value);
        if (-0.01..0.15).contains(&brute) {
            assert!((s.value - brute).abs() < 2e-5, "{p}: {} {brute}", s.value);
        } else {
            assert!(s.value * brute > 0.0, "{p}");
        }
    }
}
