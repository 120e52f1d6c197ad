//! A world of bodies: its state and its frames.

use std::sync::Arc;

use glam::DVec3;
use jostle_geom::Fnv;
use jostle_scenes::bodies::{BodyScene, Motion, SceneBody};
use jostle_sdf::Shape;
use jostle_sdf::contact::{ContactOptions, FieldBody, FieldContacts};

use super::bodies::{Body, BodyId, BodyState};
use super::broad::Broad;
use super::error::WorldError;
use super::integrate::{Drift, drift};
use super::islands::Islands;
use super::options::WorldOptions;
use super::report::{WorldReport, WorldStats};
use super::solver::{Solver, Task};
use super::source::ContactSource;
use super::start::{check_velocities, start};
use super::threads::fill_chunks;
use super::tolerances::CHUNK;

/// A world of rigid bodies.
///
/// A frame is cut into sub-steps. In each of them the broad phase gives the pairs whose boxes overlap, a
/// [`ContactSource`] (distance fields, unless another one is given) the contacts of these pairs, and the solver the
/// velocities that they leave to the bodies, which then move.
///
/// Positions are `f64`, so that a scene far from the origin moves like one at it. Results depend neither on the number of
/// threads nor on the SIMD level. A frame costs O(sub-steps · (bodies + pairs + contacts · iterations)).
///
/// Whatever contacts say, poses stay finite: speeds are limited to 10⁴ m/s and 10⁴ rad/s, and contacts that are not numbers
/// are dropped and counted.
#[derive(Debug)]
pub struct BodyWorld {
    shapes: Vec<Arc<Shape>>,
    bodies: Vec<Body>,
    /// Places that nobody has and that no manifold names any more, and those that still have to wait for that.
    free: Vec<u32>,
    left: Vec<u32>,
    gravity: DVec3,
    world: [DVec3; 2],
    options: WorldOptions,
    contacts: Box<dyn ContactSource>,
    broad: Broad,
    solver: Solver,
    islands: Islands,
    frame: u64,
}

impl BodyWorld {
    /// The start of a scene whose bodies collide as distance fields. Cost: O(n).
    ///
    /// # Errors
    /// Whatever in the scene or the options cannot be used, see [`WorldError`]. Nothing is guessed.
    pub fn new(scene: &BodyScene, options: &WorldOptions) -> Result<Self, WorldError> {
        let contacts = FieldContacts::new(&ContactOptions {
            level: options.level,
            ..options.contacts
        })?;
        Self::with_contacts(scene, options, Box::new(contacts))
    }

    /// The start of a scene whose contacts come from elsewhere.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_contacts(
        scene: &BodyScene,
        options: &WorldOptions,
        contacts: Box<dyn ContactSource>,
    ) -> Result<Self, WorldError> {
        options.check()?;
        let gravity = scene.gravity.length();
        if !(0.0..=1e6).contains(&gravity) {
            return Err(WorldError::Option {
                what: "gravity",
                value: gravity,
                range: "at most 1e6 m/s²",
            });
        }
        let [low, high] = scene.world;
        for (low, high) in low.to_array().into_iter().zip(high.to_array()) {
            let size = high - low;
            if size < 0.0 || low.is_nan() || high.is_nan() {
                return Err(WorldError::Option {
                    what: "the size of the world",
                    value: size,
                    range: "at least 0",
                });
            }
        }
        if scene.bodies.len() >= u32::MAX as usize - 64 {
            return Err(WorldError::TooMany {
                bodies: scene.bodies.len(),
            });
        }
        let mut bodies = Vec::with_capacity(scene.bodies.len());
        for (i, body) in scene.bodies.iter().enumerate() {
            bodies.push(start(i, body, &scene.shapes)?);
        }
        Ok(Self {
            shapes: scene.shapes.clone(),
            bodies,
            free: Vec::new(),
            left: Vec::new(),
            gravity: scene.gravity,
            world: scene.world,
            options: *options,
            contacts,
            broad: Broad::new(options),
            solver: Solver::default(),
            islands: Islands::default(),
            frame: 0,
        })
    }

    /// As given.
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// The forms that bodies share.
    pub fn shapes(&self) -> &[Arc<Shape>] {
        &self.shapes
    }

    /// Number of frames so far.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len() - self.free.len() - self.left.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All bodies, by place. The bodies of the scene are in its order as long as none is removed.
    pub fn bodies(&self) -> impl Iterator<Item = BodyState> + '_ {
        let all = self.bodies.iter().enumerate();
        all.filter(|(_, body)| body.alive)
            .map(|(i, body)| body.state(i))
    }

    /// A body, if it is there.
    pub fn body(&self, id: BodyId) -> Option<BodyState> {
        let body = self.bodies.get(id.index as usize)?;
        (body.alive && body.generation == id.generation).then(|| body.state(id.index as usize))
    }

    /// The contacts of the last sub-step.
    pub fn contacts(&self) -> &dyn ContactSource {
        &*self.contacts
    }

    /// Adds a body. Cost: O(1), and a full broad phase in the next sub-step.
    ///
    /// # Errors
    /// As for [`new`](Self::new); the number in the message is the place it would have had.
    pub fn add_body(&mut self, body: &SceneBody) -> Result<BodyId, WorldError> {
        let place = self
            .free
            .last()
            .map_or(self.bodies.len(), |&place| place as usize);
        if place >= u32::MAX as usize - 64 {
            return Err(WorldError::TooMany { bodies: place });
        }
        let mut body = start(place, body, &self.shapes)?;
        if self.free.pop().is_some() {
            body.generation = self.bodies[place].generation;
            self.bodies[place] = body;
        } else {
            self.bodies.push(body);
        }
        self.broad.changed();
        Ok(BodyId {
            index: place as u32,
            generation: self.bodies[place].generation,
        })
    }

    /// Takes a body out.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), WorldError> {
        let place = self.place(id)?;
        self.wake(place);
        self.bodies[place] = Body::empty(id.generation.wrapping_add(1));
        self.left.push(id.index);
        self.broad.changed();
        Ok(())
    }

    /// Gives a body new velocities, m/s of its centre of mass and rad/s, and wakes it. Static bodies keep theirs; a
    /// kinematic one moves on until it is told otherwise.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], and [`WorldError::Body`] for velocities that are too large or not numbers.
    pub fn set_velocity(
        &mut self,
        id: BodyId,
        velocity: DVec3,
        angular_velocity: DVec3,
    ) -> Result<(), WorldError> {
        let place = self.place(id)?;
        check_velocities(place, velocity, angular_velocity)?;
        let body = &mut self.bodies[place];
        if body.motion != Motion::Static {
            body.velocity = velocity;
            body.angular_velocity = angular_velocity;
            body.until = f64::INFINITY;
        }
        self.wake(place);
        Ok(())
    }

    fn wake(&mut self, place: usize) {
        if self.options.sleeping {
            let manifolds = self.contacts.manifolds();
            self.islands.wake(&mut self.bodies, manifolds, place);
        }
    }

    fn place(&self, id: BodyId) -> Result<usize, WorldError> {
        self.body(id).map(|_| id.index as usize).ok_or({
            WorldError::NoSuchBody {
                index: id.index,
                generation: id.generation,
            }
        })
    }

    /// Steps a frame of [`WorldOptions::frame`] seconds.
    ///
    /// # Errors
    /// [`WorldError::Contacts`] and [`WorldError::Pairs`], where a shape gives what no contact can be found with. The world
    /// stays in front of the sub-step.
    pub fn step(&mut self) -> Result<WorldStats, WorldError> {
        self.step_by(&|| 0)
    }

    /// Steps a frame and tells what took how long, by a clock that counts nanoseconds.
    ///
    /// # Errors
    /// As for [`step`](Self::step).
    pub fn step_by(&mut self, clock: &dyn Fn() -> u64) -> Result<WorldStats, WorldError> {
        let options = &self.options;
        let h = options.substep();
        let task = Task {
            h: h as f32,
            allowed: options.allowed_penetration as f32,
            correction: options.position_correction as f32,
            max_correction: options.max_correction_speed as f32,
            restitution_threshold: options.restitution_threshold as f32,
            gravity: self.gravity.as_vec3(),
            iterations: options.iterations,
            position_iterations: options.position_iterations,
            level: options.level,
        };
        let by = Drift::new(h, options.linear_damping, options.angular_damping);
        let mut stats = WorldStats {
            substeps: options.substeps,
            ..WorldStats::default()
        };
        let searches = self.broad.searches;
        let shapes = &self.shapes;
        let mut views: Vec<FieldBody<'_>> = Vec::with_capacity(self.bodies.len());
        for substep in 0..options.substeps {
            let start = clock();
            let now = options.frame * self.frame as f64 + h * f64::from(substep);
            for body in self.bodies.iter_mut().filter(|body| body.moves()) {
                if now >= body.until {
                    body.velocity = DVec3::ZERO;
                    body.angular_velocity = DVec3::ZERO;
                }
            }
            self.broad
                .refresh(&self.bodies, shapes, self.gravity, options.frame)?;
            views.clear();
            views.extend(self.bodies.iter().map(|body| view(body, shapes)));
            let found = clock();
            let cost = self.contacts.update(&views, &self.broad.pairs, h)?;
            // Now no manifold names them.
            self.free.append(&mut self.left);
            let collided = clock();
            if options.sleeping {
                let manifolds = self.contacts.manifolds();
                self.islands.disturb(&mut self.bodies, manifolds);
            }
            for body in self.bodies.iter_mut().filter(|body| body.awake()) {
                body.velocity += self.gravity * h;
            }
            let solved = self
                .solver
                .solve(&mut self.bodies, self.contacts.manifolds_mut(), &task);
            let solver = &self.solver;
            fill_chunks(&mut self.bodies, CHUNK, |first, bodies| {
                for (i, body) in bodies.iter_mut().enumerate() {
                    if body.awake() || body.moves() {
                        let [push, twist] = solver.push(first + i);
                        drift(body, push, twist, &by);
                    }
                }
            });
            let end = clock();
            stats.pairs += cost.pairs;
            stats.apart += cost.apart;
            stats.evaluations += cost.evaluations;
            stats.iterations += cost.iterations;
            stats.contacts += solved.contacts;
            stats.dropped += solved.dropped;
            stats.refused += solved.refused;
            stats.broad_ns += found.saturating_sub(start);
            stats.collide_ns += collided.saturating_sub(found);
            stats.solve_ns += end.saturating_sub(collided);
        }
        if options.sleeping {
            let manifolds = self.contacts.manifolds();
            self.islands
                .settle(&mut self.bodies, manifolds, options.frame);
        }
        stats.searches = self.broad.searches - searches;
        stats.asleep = self.bodies.iter().filter(|body| body.asleep).count() as u64;
        self.frame += 1;
        Ok(stats)
    }

    /// What the world is like. Cost: O(bodies + contacts).
    pub fn report(&self) -> WorldReport {
        let mut report = WorldReport::default();
        let [low, high] = self.world;
        for body in self.bodies.iter().filter(|body| body.alive) {
            let place = body.pose.position;
            report.bodies += 1;
            report.asleep += u64::from(body.asleep);
            let inside = place.cmpge(low).all() && place.cmple(high).all();
            report.escaped += u64::from(!inside && body.motion != Motion::Static);
            if !body.dynamic() {
                continue;
            }
            let (v, w, spin) = (body.velocity, body.angular_velocity, body.spin());
            report.kinetic += 0.5 * (body.mass * v.length_squared() + w.dot(spin));
            report.potential -= body.mass * self.gravity.dot(place);
            report.momentum += v * body.mass;
            report.angular_momentum += place.cross(v) * body.mass + spin;
        }
        for manifold in self.contacts.manifolds() {
            for point in manifold.points.iter().filter(|point| point.active) {
                let depth = -f64::from(point.separation);
                if depth.is_finite() {
                    report.max_penetration = report.max_penetration.max(depth);
                }
            }
        }
        report
    }

    /// A hash of the bits of all poses and velocities.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Fnv::default();
        let mut eat = |value: f64| hash.eat(&value.to_bits().to_le_bytes());
        for body in self.bodies.iter().filter(|body| body.alive) {
            let Body {
                pose,
                velocity,
                angular_velocity,
                ..
            } = body;
            for part in [&pose.position, velocity, angular_velocity] {
                part.to_array().into_iter().for_each(&mut eat);
            }
            pose.rotation.to_array().into_iter().for_each(&mut eat);
        }
        hash.value()
    }
}

fn view<'a>(body: &Body, shapes: &'a [Arc<Shape>]) -> FieldBody<'a> {
    FieldBody {
        shape: &shapes[body.shape as usize],
        scale: body.scale,
        pose: body.pose,
        velocity: body.velocity,
        angular_velocity: body.angular_velocity,
        fixed: !body.awake(),
    }
}
