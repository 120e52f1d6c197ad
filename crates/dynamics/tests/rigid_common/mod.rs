//! Contacts of balls, boxes and a floor by formula, so that the solver is tested without a search.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use std::collections::HashMap;
use std::sync::Arc;

use glam::DVec3;
use jostle_dynamics::{BodyWorld, ContactSource, WorldOptions};
use jostle_geom::{ContactPoint, Impulse, Manifold, Pose, Rotation};
use jostle_scenes::bodies::{BodyScene, Motion, SceneBody};
use jostle_sdf::contact::{ContactError, ContactStats, FieldBody};
use jostle_sdf::{Field, Shape, ShapeOptions};

pub const MARGIN: f32 = 0.02;

/// What the body with an index is.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    Ball(f64),
    /// Half its sides.
    Block(DVec3),
    /// Everything below its centre, along its own z.
    Floor,
}

/// Contacts by formula.
#[derive(Debug, Default)]
pub struct Formulas {
    pub forms: Vec<Form>,
    manifolds: Vec<Manifold>,
    impulses: HashMap<(u32, u32, u32), Impulse>,
    /// Put in front of all others.
    pub extra: Vec<Manifold>,
}

struct Found {
    name: u32,
    position: DVec3,
    normal: DVec3,
    separation: f64,
}

fn corner(i: u32, half: DVec3) -> DVec3 {
    let sign = |bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
    half * DVec3::new(sign(1), sign(2), sign(4))
}

/// Contacts with the normal from `a` to `b`.
fn contacts(a: Form, pa: &Pose, b: Form, pb: &Pose, out: &mut Vec<Found>) {
    let up = pa.rotation.rotate(DVec3::Z);
    match (a, b) {
        (Form::Ball(ra), Form::Ball(rb)) => {
            let way = pb.position - pa.position;
            let normal = way.try_normalize().unwrap_or(DVec3::Z);
            let separation = way.length() - ra - rb;
            out.push(Found {
                name: 0,
                position: pa.position + normal * (ra + 0.5 * separation),
                normal,
                separation,
            });
        }
        (Form::Floor, Form::Ball(r)) => {
            let separation = up.dot(pb.position - pa.position) - r;
            out.push(Found {
                name: 0,
                position: pb.position - up * (r + 0.5 * separation),
                normal: up,
                separation,
            });
        }
        (Form::Floor, Form::Block(half)) => {
            for name in 0..8 {
                let p = pb.to_world(corner(name, half));
                let separation = up.dot(p - pa.position);
                out.push(Found {
                    name,
                    position: p - up * (0.5 * separation),
                    normal: up,
                    separation,
                });
            }
        }
        // Good enough for boxes on top of each other or side by side: corners of each inside the other one's
        // slab along the axis of the smallest overlap, or nearly so, in place of the crossings of edges.
        (Form::Block(ha), Form::Block(hb)) => {
            let away = pa.rotation.inverse().rotate(pb.position - pa.position);
            let gap = away.abs() - ha - hb;
            let axis = gap.max_position();
            let sign = away[axis].signum();
            let mut normal = DVec3::ZERO;
            normal[axis] = sign;
            for name in 0..16 {
                let (own, other, half, from_a) = if name < 8 {
                    (pb, pa, ha, true)
                } else {
                    (pa, pb, hb, false)
                };
                let p = own.to_world(corner(name % 8, if from_a { hb } else { ha }));
                let q = other.to_local(p);
                let inside = (0..3).all(|i| i == axis || q[i].abs() <= half[i] + 0.1);
                let q = pa.to_local(p);
                let facing = if from_a {
                    (q[axis] - away[axis]) * sign < 0.0
                } else {
                    q[axis] * sign > 0.0
                };
                if !(inside && facing) {
                    continue;
                }
                let separation = if from_a {
                    q[axis] * sign - ha[axis]
                } else {
                    let local = pb.to_local(p);
                    // Nearly aligned: the face of B that looks at A.
                    -(local[axis] * sign) - hb[axis]
                };
                out.push(Found {
                    name,
                    position: p,
                    normal: pa.rotation.rotate(normal),
                    separation,
                });
            }
        }
        _ => {}
    }
}

impl ContactSource for Formulas {
    fn update(
        &mut self,
        bodies: &[FieldBody<'_>],
        pairs: &[[u32; 2]],
        _dt: f64,
    ) -> Result<ContactStats, ContactError> {
        self.impulses.clear();
        for manifold in &self.manifolds {
            for (i, point) in manifold.points.iter().enumerate() {
                // Its depth carries the name of a point.
                let name = if manifold.points[i].cached {
                    point.depth as u32
                } else {
                    0
                };
                self.impulses
                    .insert((manifold.a, manifold.b, name), point.impulse);
            }
        }
        self.manifolds = self.extra.clone();
        let mut found = Vec::new();
        for &[a, b] in pairs {
            found.clear();
            let (fa, fb) = (self.forms[a as usize], self.forms[b as usize]);
            let (pa, pb) = (bodies[a as usize].pose, bodies[b as usize].pose);
            let mut flip = false;
            if matches!(fb, Form::Floor) {
                flip = true;
                contacts(fb, &pb, fa, &pa, &mut found);
            } else {
                contacts(fa, &pa, fb, &pb, &mut found);
            }
            let points: Vec<ContactPoint> = found
                .iter()
                .filter(|f| f.separation < f64::from(MARGIN))
                .map(|f| ContactPoint {
                    position: f.position,
                    normal: if flip { -f.normal } else { f.normal }.as_vec3(),
                    separation: f.separation as f32,
                    depth: f.name as f32,
                    active: true,
                    cached: true,
                    impulse: self
                        .impulses
                        .get(&(a, b, f.name))
                        .copied()
                        .unwrap_or_default(),
                })
                .collect();
            if !points.is_empty() {
                self.manifolds.push(Manifold {
                    a,
                    b,
                    margin: MARGIN,
                    points,
                });
            }
        }
        Ok(ContactStats {
            pairs: pairs.len() as u64,
            ..ContactStats::default()
        })
    }

    fn manifolds(&self) -> &[Manifold] {
        &self.manifolds
    }

    fn manifolds_mut(&mut self) -> &mut [Manifold] {
        &mut self.manifolds
    }
}

/// Bodies and their forms.
pub struct Builder {
    pub scene: BodyScene,
    pub forms: Vec<Form>,
}

impl Builder {
    pub fn new() -> Self {
        Self {
            scene: BodyScene {
                shapes: Vec::new(),
                bodies: Vec::new(),
                gravity: DVec3::new(0.0, 0.0, -9.81),
                world: [DVec3::splat(-1e9), DVec3::splat(1e9)],
            },
            forms: Vec::new(),
        }
    }

    pub fn weightless() -> Self {
        let mut builder = Self::new();
        builder.scene.gravity = DVec3::ZERO;
        builder
    }

    fn add(&mut self, form: Form, field: Field, body: SceneBody) -> usize {
        let shape = Shape::new(field, &ShapeOptions::default()).unwrap();
        self.scene.shapes.push(Arc::new(shape));
        self.forms.push(form);
        let shape = self.scene.shapes.len() as u32 - 1;
        self.scene.bodies.push(SceneBody { shape, ..body });
        self.forms.len() - 1
    }

    pub fn ball(&mut self, radius: f64, at: DVec3, body: SceneBody) -> usize {
        let field = Field::sphere(radius as f32).unwrap();
        let pose = Pose::new(at, body.pose.rotation);
        self.add(Form::Ball(radius), field, SceneBody { pose, ..body })
    }

    pub fn block(&mut self, half: DVec3, at: DVec3, body: SceneBody) -> usize {
        let field = Field::cuboid(half.as_vec3()).unwrap();
        let pose = Pose::new(at, body.pose.rotation);
        self.add(Form::Block(half), field, SceneBody { pose, ..body })
    }

    /// Everything below z = 0, turned about y.
    pub fn floor(&mut self, slope: f64, body: SceneBody) -> usize {
        let field = Field::sphere(1e4).unwrap();
        let rotation = Rotation::from_axis_angle(DVec3::Y, slope);
        let body = SceneBody {
            pose: Pose::new(DVec3::ZERO, rotation),
            motion: Motion::Static,
            ..body
        };
        self.add(Form::Floor, field, body)
    }

    pub fn contacts(&self) -> Formulas {
        Formulas {
            forms: self.forms.clone(),
            ..Formulas::default()
        }
    }

    pub fn world(&self, options: &WorldOptions) -> BodyWorld {
        BodyWorld::with_contacts(&self.scene, options, Box::new(self.contacts())).unwrap()
    }
}

/// Without damping.
pub fn exact() -> WorldOptions {
    WorldOptions {
        linear_damping: 0.0,
        angular_damping: 0.0,
        ..WorldOptions::default()
    }
}
