//! Whatever moves how, no pair that comes within the margin is missed.

mod rigid_common;

use glam::DVec3;
use jostle_dynamics::{BodyWorld, ContactSource, WorldOptions};
use jostle_geom::{Manifold, Rng};
use jostle_scenes::bodies::{Motion, SceneBody};
use jostle_sdf::contact::{ContactError, ContactStats, FieldBody};
use rigid_common::{Builder, MARGIN};

/// Tests every pair of balls of radius 0.5 times their scale, and finds no contacts.
#[derive(Debug, Default)]
struct Checker {
    met: u64,
    asked: u64,
}

impl ContactSource for Checker {
    fn update(
        &mut self,
        bodies: &[FieldBody<'_>],
        pairs: &[[u32; 2]],
        _dt: f64,
    ) -> Result<ContactStats, ContactError> {
        assert!(pairs.is_sorted_by(|a, b| a < b));
        // Places that nobody has lie at the origin.
        let taken = |body: &FieldBody<'_>| body.pose.position != DVec3::ZERO;
        for (j, b) in bodies.iter().enumerate().filter(|(_, b)| taken(b)) {
            for (i, a) in bodies[..j].iter().enumerate().filter(|(_, a)| taken(a)) {
                let reach = 0.5 * f64::from(a.scale + b.scale) + f64::from(MARGIN);
                let near = a.pose.position.distance(b.pose.position) <= reach;
                let listed = pairs.binary_search(&[i as u32, j as u32]).is_ok();
                assert!(!(listed && a.fixed && b.fixed), "{i} {j}");
                assert!(listed || !near || (a.fixed && b.fixed), "{i} {j}");
                self.met += u64::from(near && listed);
            }
        }
        self.asked += pairs.len() as u64;
        Ok(ContactStats {
            pairs: pairs.len() as u64,
            contacts: self.met,
            evaluations: self.met,
            ..ContactStats::default()
        })
    }

    fn manifolds(&self) -> &[Manifold] {
        &[]
    }

    fn manifolds_mut(&mut self) -> &mut [Manifold] {
        &mut []
    }
}

#[test]
fn no_pair_is_missed() {
    for speed in [0.0, 0.5, 10.0, 300.0] {
        let mut rng = Rng::new(5, speed as u64);
        let mut builder = Builder::new();
        for i in 0..150 {
            let motion = match i % 10 {
                0 => Motion::Static,
                1 => Motion::Kinematic,
                _ => Motion::Dynamic,
            };
            let body = SceneBody {
                motion,
                scale: rng.range(0.25, 2.8) as f32,
                velocity: rng.cube() * speed,
                angular_velocity: rng.cube() * speed,
                ..SceneBody::default()
            };
            let at = rng.cube() * 5.0;
            builder.ball(0.5, at, body);
        }
        let options = WorldOptions::default();
        let source = Box::new(Checker::default());
        let mut world = BodyWorld::with_contacts(&builder.scene, &options, source).unwrap();
        let (mut met, mut searches) = (0, 0);
        for frame in 0..30 {
            let stats = world.step().unwrap();
            met = stats.evaluations;
            searches += stats.searches;
            if frame % 7 == 3 {
                // Someone leaves, someone comes, someone turns back.
                let all: Vec<_> = world.bodies().collect();
                world.remove_body(all[rng.index(all.len())].id).unwrap();
                let body = SceneBody {
                    velocity: rng.cube() * speed,
                    ..builder.scene.bodies[2]
                };
                world.add_body(&body).unwrap();
                let last = world.bodies().last().unwrap();
                world
                    .set_velocity(last.id, last.velocity * -2.0, DVec3::ZERO)
                    .unwrap();
            }
        }
        assert!(met > 0, "{speed}");
        assert!((5..=130).contains(&searches), "{speed}: {searches}");
    }
}

#[test]
fn bodies_at_rest_need_no_search() {
    let mut builder = Builder::weightless();
    for i in 0..20 {
        builder.ball(0.5, DVec3::X * f64::from(i), SceneBody::default());
    }
    let options = WorldOptions::default();
    let source = Box::new(Checker::default());
    let mut world = BodyWorld::with_contacts(&builder.scene, &options, source).unwrap();
    assert_eq!(world.step().unwrap().searches, 1);
    for _ in 0..10 {
        assert_eq!(world.step().unwrap().searches, 0);
    }
}
