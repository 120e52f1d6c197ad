//! The bodies of a world.

use glam::{DMat3, DVec3};
use jostle_geom::Pose;
use jostle_scenes::bodies::Motion;

/// Names a body for as long as it is there: the place of a body that was removed can be taken by another one, of a later
/// generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId {
    /// Its place, which manifolds name it by. The bodies of a scene have their index in it.
    pub index: u32,
    /// How many bodies had the place before.
    pub generation: u32,
}

/// How a body is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Its name.
    pub id: BodyId,
    /// Its form: an index into the shapes of the scene.
    pub shape: u32,
    /// By how much it is larger than its shape.
    pub scale: f32,
    /// Where the origin of its shape is (not the centre of mass) and how its axes lie.
    pub pose: Pose,
    /// Where its centre of mass is, m.
    pub centre: DVec3,
    /// Of the centre of mass, m/s.
    pub velocity: DVec3,
    /// rad/s, along world axes.
    pub angular_velocity: DVec3,
    /// How it moves.
    pub motion: Motion,
    /// kg; infinite for bodies that contacts do not move.
    pub mass: f64,
    /// Whether it sleeps.
    pub asleep: bool,
}

/// A body as the world keeps it.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub generation: u32,
    /// Whether the place is taken.
    pub alive: bool,
    pub shape: u32,
    pub scale: f32,
    pub motion: Motion,
    /// Of the centre of mass.
    pub pose: Pose,
    /// From the centre of mass to the origin of the shape, along its own axes, m.
    pub origin: DVec3,
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
    /// When a kinematic body stops, s after the start of the world.
    pub until: f64,
    /// kg; 0 for bodies that contacts do not move, as for the other three.
    pub mass: f64,
    pub inverse_mass: f64,
    /// About the centre of mass, along its own axes, kg m².
    pub inertia: DMat3,
    pub inverse_inertia: DMat3,
    /// Whether all moments of inertia are equal.
    pub round: bool,
    pub friction: f64,
    pub restitution: f64,
    pub asleep: bool,
    /// For how long it has been slow, s.
    pub still: f64,
    /// From the centre of mass to the farthest corner of its box, m; infinite for shapes without end.
    pub radius: f64,
}

impl Body {
    /// Whether contacts can move it, if it is woken.
    pub(super) fn dynamic(&self) -> bool {
        self.inverse_mass > 0.0
    }

    /// Whether contacts can move it now.
    pub(super) fn awake(&self) -> bool {
        self.dynamic() && !self.asleep
    }

    /// Whether it moves by itself at this moment.
    pub(super) fn travels(&self) -> bool {
        self.moves() && (self.velocity != DVec3::ZERO || self.angular_velocity != DVec3::ZERO)
    }

    pub(super) fn wake(&mut self) {
        self.asleep = false;
        self.still = 0.0;
    }

    /// Whether it moves by itself, whatever it meets.
    pub(super) fn moves(&self) -> bool {
        self.motion == Motion::Kinematic
    }

    /// A place that nobody has.
    pub(super) fn empty(generation: u32) -> Self {
        Self {
            generation,
            alive: false,
            shape: 0,
            scale: 1.0,
            motion: Motion::Static,
            pose: Pose::default(),
            origin: DVec3::ZERO,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            until: f64::INFINITY,
            mass: 0.0,
            inverse_mass: 0.0,
            inertia: DMat3::ZERO,
            inverse_inertia: DMat3::ZERO,
            round: true,
            friction: 0.0,
            restitution: 0.0,
            asleep: false,
            still: 0.0,
            radius: 0.0,
        }
    }

    pub(super) fn state(&self, index: usize) -> BodyState {
        BodyState {
            id: BodyId {
                index: index as u32,
                generation: self.generation,
            },
            shape: self.shape,
            scale: self.scale,
            pose: Pose::new(self.pose.to_world(self.origin), self.pose.rotation),
            centre: self.pose.position,
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            motion: self.motion,
            mass: if self.dynamic() {
                self.mass
            } else {
                f64::INFINITY
            },
            asleep: self.asleep,
        }
    }

    /// Angular momentum about its centre of mass, along world axes, kg m²/s.
    pub(super) fn spin(&self) -> DVec3 {
        let r = self.pose.rotation;
        r.rotate(self.inertia * r.inverse().rotate(self.angular_velocity))
    }
}
