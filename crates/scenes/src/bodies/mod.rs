//! Scenes of rigid bodies whose forms are distance fields.

mod builder;
mod colosseum;
mod error;
mod forms;
mod funnel;
mod gears;
mod kind;
mod maiden;
pub mod meshes;
mod piles;
mod stacks;
mod surface;
mod wheel;

use std::sync::Arc;

use glam::DVec3;
use jostle_geom::Pose;
use jostle_sdf::Shape;

pub use error::BodySceneError;
pub use kind::BodySceneKind;
pub use surface::{Triangles, triangles};

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// As contacts and gravity make it.
    #[default]
    Dynamic,
    /// With the velocity it was given, whatever it meets.
    Kinematic,
    /// Not at all.
    Static,
}

/// A body at the start of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneBody {
    /// Its form: an index into the shapes of the scene.
    pub shape: u32,
    /// By how much it is larger than its shape.
    pub scale: f32,
    /// Where the origin of the shape is (not the centre of mass) and how its axes lie.
    pub pose: Pose,
    /// Of the centre of mass, m/s.
    pub velocity: DVec3,
    /// rad/s, along world axes.
    pub angular_velocity: DVec3,
    /// How it moves.
    pub motion: Motion,
    /// When a kinematic body stops, s after the start of the world.
    pub until: f64,
    /// kg/m³.
    pub density: f64,
    /// Coefficient of friction; that of a contact is the geometric mean of both.
    pub friction: f64,
    /// Speed after a head-on impact by speed before it; that of a contact is the larger of both.
    pub restitution: f64,
}

impl Default for SceneBody {
    fn default() -> Self {
        Self {
            shape: 0,
            scale: 1.0,
            pose: Pose::default(),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            motion: Motion::Dynamic,
            until: f64::INFINITY,
            density: 1.0,
            friction: 0.5,
            restitution: 0.0,
        }
    }
}

/// Bodies at their start.
#[derive(Clone, Debug)]
pub struct BodyScene {
    /// The forms, shared by the bodies.
    pub shapes: Vec<Arc<Shape>>,
    /// The bodies.
    pub bodies: Vec<SceneBody>,
    /// m/s².
    pub gravity: DVec3,
    /// Two opposite corners of the world, m: a body whose centre of mass is outside has escaped.
    pub world: [DVec3; 2],
}
