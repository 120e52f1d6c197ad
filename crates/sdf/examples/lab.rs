//! lab
use glam::{DVec3, Vec3};
use jostle_geom::{Pose, Rng, Rotation};
use jostle_sdf::contact::*;
use jostle_sdf::*;
use std::time::Instant;
fn main() {
    let options = ShapeOptions::default();
    let ground = Shape::new(Field::cuboid(Vec3::new(60.0, 60.0, 1.0)).unwrap(), &options).unwrap();
    let cube = Shape::new(Field::cuboid(Vec3::splat(0.5)).unwrap(), &options).unwrap();
    let mut bodies = vec![FieldBody {
        shape: &ground,
        scale: 1.0,
        pose: Pose::new(DVec3::new(0.0, 0.0, -1.0), Rotation::IDENTITY),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        fixed: true,
    }];
    let gap = 0.015;
    for level in 0..7 {
        for i in 0..7 - level {
            let x = (f64::from(i) - 0.5 * f64::from(6 - level)) * 1.05;
            bodies.push(FieldBody {
                shape: &cube,
                scale: 1.0,
                pose: Pose::new(
                    DVec3::new(x, 0.0, 0.5 + gap + f64::from(level) * (1.0 + gap)),
                    Rotation::IDENTITY,
                ),
                velocity: DVec3::ZERO,
                angular_velocity: DVec3::ZERO,
                fixed: false,
            });
        }
    }
    let mut pairs = vec![];
    for a in 0..bodies.len() as u32 {
        for b in a + 1..bodies.len() as u32 {
            pairs.push([a, b]);
        }
    }
    // keep those whose boxes overlap
    pairs.retain(|&[a, b]| {
        let (p, q) = (
            bodies[a as usize].pose.position,
            bodies[b as usize].pose.position,
        );
        if a == 0 {
            q.z < 1.0
        } else {
            let d = (p - q).abs();
            d.x < 1.02 && d.z < 1.02
        }
    });
    let arg: Vec<String> = std::env::args().collect();
    let mut o = ContactOptions::default();
    if let Some(k) = arg.get(1) {
        o.optimizer = k.parse().unwrap();
    }
    if arg.get(2).is_some() {
        o.reuse = false;
    }
    let mut contacts = FieldContacts::new(&o).unwrap();
    let mut times = vec![];
    let mut stats = ContactStats::default();
    let mut rng = Rng::new(1, 1);
    let _ = rng.unit();
    for step in 0..2000 {
        let t = Instant::now();
        for _ in 0..4 {
            let s = contacts.update(&bodies, &pairs, 1.0 / 240.0).unwrap();
            if step >= 500 {
                stats = stats.plus(s);
            }
        }
        times.push(t.elapsed().as_nanos() as f64 / 1e6);
    }
    times.drain(..500);
    times.sort_by(f64::total_cmp);
    println!(
        "pairs {} median {:.4} ms a step; per sub-step: contacts {:.1} evals {:.1} iters {:.1}",
        pairs.len(),
        times[times.len() / 2],
        stats.contacts as f64 / 6000.0,
        stats.evaluations as f64 / 6000.0,
        stats.iterations as f64 / 6000.0
    );
    let worst = contacts
        .manifolds()
        .iter()
        .flat_map(|m| &m.points)
        .map(|p| p.separation)
        .fold(f32::INFINITY, f32::min);
    println!("least separation {worst}");
    if let Some(m) = contacts.manifolds().iter().find(|m| !m.points.is_empty()) {
        for p in &m.points {
            println!("{:?}", p);
        }
    }
}
