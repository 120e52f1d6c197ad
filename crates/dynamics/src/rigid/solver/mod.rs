//! Contacts of all bodies, solved together.
//!
//! Sequential impulses (E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005): a projected Gauss–Seidel
//! iteration over the contacts, started from the impulses of the last step. Manifolds are coloured so that those of one
//! colour share no body that can move, and eight of one colour are solved at a time, their points one after the other.
//! Colours are given in the order of the manifolds and depend on nothing else.
//!
//! Positions are corrected by a second iteration over pseudo-velocities, which move the bodies once and are forgotten, so
//! that pushing bodies apart adds no energy (split impulses). Both iterations read the same contacts and do not
//! depend on each other: they run side by side where that pays.

mod blocks;
mod lanes;
mod positions;
mod prepare;
mod velocities;

use fearless_simd::Level;
use glam::{DVec3, Vec3};
use jostle_geom::{ContactPoint, Manifold};

use self::blocks::{Blocks, Row};
use self::lanes::enter;
use self::positions::Positions;
use self::prepare::Prepare;
use self::velocities::Velocities;
use super::bodies::Body;
use super::threads::{both, fill_chunks};
use super::tolerances::{CHUNK, SIDE_BY_SIDE};

/// What the contacts of a sub-step are solved for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// Length of the sub-step, s.
    pub h: f32,
    /// The share of the margin that bodies may sink into each other.
    pub allowed: f32,
    /// The share of the penetration that is taken back.
    pub correction: f32,
    /// m/s.
    pub max_correction: f32,
    /// m/s.
    pub restitution_threshold: f32,
    /// m/s², already in the velocities of the bodies for this sub-step.
    pub gravity: Vec3,
    pub iterations: u32,
    pub position_iterations: u32,
    pub level: Level,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Solved {
    /// Points that were solved.
    pub contacts: u64,
    /// Points that were not numbers, or of bodies that are not there.
    pub dropped: u64,
    /// Bodies whose velocities were not numbers afterwards and stayed as they were.
    pub refused: u64,
}

/// The solver and its buffers.
#[derive(Debug, Default)]
pub(super) struct Solver {
    /// Mass and inertia of each body; two more for places that nobody has.
    masses: Vec<Row>,
    /// Velocity and angular velocity.
    motion: Vec<Row>,
    /// The same for the pseudo-velocities.
    push: Vec<Row>,
    blocks: Blocks,
}

/// Whether a solver can make sense of a point.
fn usable(point: &ContactPoint) -> bool {
    let length = point.normal.length_squared();
    point.position.is_finite() && (length - 1.0).abs() < 1e-3 && point.separation.is_finite()
}

impl Solver {
    /// Solves for velocities, and for the pseudo-velocities that [`push`](Self::push) tells of.
    pub(super) fn solve(
        &mut self,
        bodies: &mut [Body],
        manifolds: &mut [Manifold],
        task: &Task,
    ) -> Solved {
        let mut solved = Solved::default();
        self.blocks.lay_out(bodies, manifolds, &mut solved);
        self.push.clear();
        if self.blocks.heads.is_empty() {
            return solved;
        }
        self.load(bodies);
        self.blocks.fill(bodies, manifolds, &self.masses);
        let prepare = Prepare {
            blocks: &mut self.blocks,
            motion: &mut self.motion,
            task,
        };
        let deep = enter(task.level, prepare);
        let blocks = &mut self.blocks;
        let (heads, inertias, points) = (&blocks.heads, &blocks.inertias, &blocks.points);
        let velocities = Velocities {
            heads,
            inertias,
            points,
            impulses: &mut blocks.impulses,
            motion: &mut self.motion,
            iterations: task.iterations,
        };
        let first = || enter(task.level, velocities);
        let (pushes, push) = (&mut blocks.pushes, &mut self.push);
        let biases = &blocks.biases;
        let count = motion_len(bodies);
        let second = move || {
            let push = push;
            push.resize(count, [0.0; 8]);
            pushes.clear();
            pushes.resize(points.len(), [0.0; 8]);
            let positions = Positions {
                heads,
                inertias,
                points,
                biases,
                pushes,
                motion: push,
                iterations: task.position_iterations,
            };
            enter(task.level, positions);
        };
        match (deep && task.position_iterations > 0, points.len()) {
            (false, _) => first(),
            (true, ..SIDE_BY_SIDE) => {
                first();
                second();
            }
            (true, _) => both(first, second),
        }
        self.store(bodies, &mut solved);
        self.blocks.leave(manifolds);
        solved
    }

    /// The pseudo-velocity of a body and its pseudo-angular velocity, m/s and rad/s.
    pub(super) fn push(&self, body: usize) -> [DVec3; 2] {
        let Some(row) = self.push.get(body) else {
            return [DVec3::ZERO; 2];
        };
        let [x, y, z, _, u, v, w, _] = row.map(f64::from);
        let [push, twist] = [DVec3::new(x, y, z), DVec3::new(u, v, w)];
        if push.is_finite() && twist.is_finite() {
            [push, twist]
        } else {
            [DVec3::ZERO; 2]
        }
    }

    /// Takes the state of the bodies.
    fn load(&mut self, bodies: &[Body]) {
        let count = motion_len(bodies);
        self.masses.resize(count, [0.0; 8]);
        self.motion.resize(count, [0.0; 8]);
        let used = &self.blocks.used;
        fill_chunks(&mut self.masses[..bodies.len()], CHUNK, |first, rows| {
            for (i, row) in rows.iter_mut().enumerate() {
                let body = &bodies[first + i];
                if used[first + i] != 0 {
                    *row = mass_row(body);
                } else {
                    *row = [0.0; 8];
                }
            }
        });
        for (row, body) in self.motion.iter_mut().zip(bodies) {
            let (v, w) = (body.velocity.as_vec3(), body.angular_velocity.as_vec3());
            *row = [v.x, v.y, v.z, 0.0, w.x, w.y, w.z, 0.0];
        }
        for row in &mut self.motion[bodies.len()..] {
            *row = [0.0; 8];
        }
    }

    /// Gives the bodies their new velocities. What contacts changed is added, so that a body keeps the digits that `f32`
    /// lacks.
    fn store(&self, bodies: &mut [Body], solved: &mut Solved) {
        for (i, body) in bodies.iter_mut().enumerate() {
            if self.blocks.used[i] == 0 {
                continue;
            }
            let [x, y, z, _, u, v, w, _] = self.motion[i].map(f64::from);
            let old = body.velocity.as_vec3().as_dvec3();
            let velocity = body.velocity + (DVec3::new(x, y, z) - old);
            let old = body.angular_velocity.as_vec3().as_dvec3();
            let angular = body.angular_velocity + (DVec3::new(u, v, w) - old);
            if velocity.is_finite() && angular.is_finite() {
                body.velocity = velocity;
                body.angular_velocity = angular;
            } else {
                solved.refused += 1;
            }
        }
    }
}

/// Bodies and two more places: one to read that rests, one to write that nobody reads.
fn motion_len(bodies: &[Body]) -> usize {
    bodies.len() + 2
}

/// Inverse inertia along world axes, inverse mass.
fn mass_row(body: &Body) -> Row {
    let r = body.pose.rotation.matrix();
    let m = r * body.inverse_inertia * r.transpose();
    [
        m.x_axis.x as f32,
        m.x_axis.y as f32,
        m.x_axis.z as f32,
        m.y_axis.y as f32,
        m.y_axis.z as f32,
        m.z_axis.z as f32,
        body.inverse_mass as f32,
        0.0,
    ]
}
