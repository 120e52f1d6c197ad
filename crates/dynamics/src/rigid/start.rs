//! Bodies of a scene, checked and with their masses.

use glam::DMat3;
use jostle_geom::Pose;
use jostle_scenes::bodies::{Motion, SceneBody};
use jostle_sdf::Shape;

use super::bodies::Body;
use super::broad::world_box;
use super::error::WorldError;
use super::tolerances::{FARTHEST, FLAT, MASSES, MOST_SPEED, MOST_SPIN};

/// A body that is fit to move; `body` is its index for messages.
pub(super) fn start<S: AsRef<Shape>>(
    body: usize,
    given: &SceneBody,
    shapes: &[S],
) -> Result<Body, WorldError> {
    let shape = shapes
        .get(given.shape as usize)
        .ok_or(WorldError::Shape {
            body,
            shape: given.shape,
            shapes: shapes.len(),
        })?
        .as_ref();
    check(body, given)?;
    let scale = f64::from(given.scale);
    let mass = shape.mass();
    let centre = if mass.centre.is_finite() {
        mass.centre
    } else {
        // A half-space has no centre; such bodies can only be fixed, which is checked below.
        glam::DVec3::ZERO
    };
    let fixed = Body {
        alive: true,
        shape: given.shape,
        scale: given.scale,
        motion: given.motion,
        pose: Pose::new(given.pose.to_world(centre * scale), given.pose.rotation),
        origin: -centre * scale,
        friction: given.friction,
        restitution: given.restitution,
        ..Body::empty(0)
    };
    let made = match given.motion {
        Motion::Static => fixed,
        Motion::Kinematic => Body {
            velocity: given.velocity,
            angular_velocity: given.angular_velocity,
            until: given.until,
            ..fixed
        },
        Motion::Dynamic => {
            let cube = scale * scale * scale;
            let kilograms = given.density * mass.volume * cube;
            let inertia = mass.inertia * (given.density * cube * scale * scale);
            check_mass(body, kilograms, &inertia)?;
            if !mass.centre.is_finite() {
                let (what, value) = ("the centre of mass", mass.centre.length());
                return Err(WorldError::Mass { body, what, value });
            }
            Body {
                velocity: given.velocity,
                angular_velocity: given.angular_velocity,
                mass: kilograms,
                inverse_mass: 1.0 / kilograms,
                inertia,
                inverse_inertia: symmetric(inertia.inverse()),
                round: is_round(&inertia),
                ..fixed
            }
        }
    };
    let place = world_box(shape, &made, 0.0);
    let local = shape.aabb();
    let (low, high) = (local.min.as_dvec3(), local.max.as_dvec3());
    let made = Body {
        radius: scale * (low - centre).abs().max((high - centre).abs()).length(),
        ..made
    };
    if !place.min.cmple(place.max).all() {
        return Err(WorldError::EmptyBox { body });
    }
    Ok(made)
}

fn check(body: usize, given: &SceneBody) -> Result<(), WorldError> {
    let check = |what, value: f64, good: bool, range| {
        if good {
            Ok(())
        } else {
            Err(WorldError::Body {
                body,
                what,
                value,
                range,
            })
        }
    };
    let scale = f64::from(given.scale);
    check(
        "scale",
        scale,
        (1e-6..=1e6).contains(&scale),
        "from 1e-6 to 1e6",
    )?;
    for place in given.pose.position.to_array() {
        check(
            "position",
            place,
            place.abs() <= FARTHEST,
            "finite and at most 1e9 m",
        )?;
    }
    for part in given.pose.rotation.to_array() {
        check("rotation", part, part.abs() <= 1.0 + 1e-9, "of unit length")?;
    }
    check_velocities(body, given.velocity, given.angular_velocity)?;
    check(
        "density",
        given.density,
        given.density > 0.0 && given.density.is_finite(),
        "positive and finite",
    )?;
    check(
        "friction",
        given.friction,
        (0.0..=1e6).contains(&given.friction),
        "from 0 to 1e6",
    )?;
    check(
        "restitution",
        given.restitution,
        (0.0..=1.0).contains(&given.restitution),
        "from 0 to 1",
    )
}

/// Velocities that a body may be given.
pub(super) fn check_velocities(
    body: usize,
    velocity: glam::DVec3,
    angular: glam::DVec3,
) -> Result<(), WorldError> {
    let rows = [
        ("speed", velocity, MOST_SPEED, "at most 1e4 m/s"),
        ("angular speed", angular, MOST_SPIN, "at most 1e4 rad/s"),
    ];
    for (what, vector, most, range) in rows {
        let value = vector.length();
        if !(0.0..=most).contains(&value) {
            return Err(WorldError::Body {
                body,
                what,
                value,
                range,
            });
        }
    }
    Ok(())
}

fn check_mass(body: usize, kilograms: f64, inertia: &DMat3) -> Result<(), WorldError> {
    let [low, high] = MASSES;
    let mean = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
    for (what, value) in [("mass", kilograms), ("the mean moment of inertia", mean)] {
        if !(low..=high).contains(&value) {
            return Err(WorldError::Mass { body, what, value });
        }
    }
    // Positive definite, by the leading minors (Sylvester's criterion).
    let m = *inertia * (1.0 / mean);
    let minors = [
        m.x_axis.x,
        m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x,
        m.determinant(),
    ];
    for value in minors {
        if value < FLAT || value.is_nan() {
            let what =
                "the smallest moment of inertia, or a product of them, as a share of the mean one,";
            return Err(WorldError::Mass { body, what, value });
        }
    }
    Ok(())
}

/// Without what rounding leaves of asymmetry.
fn symmetric(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

fn is_round(m: &DMat3) -> bool {
    let mean = (m.x_axis.x + m.y_axis.y + m.z_axis.z) / 3.0;
    let rest = *m - DMat3::from_diagonal(glam::DVec3::splat(mean));
    rest.to_cols_array().iter().all(|v| v.abs() <= 1e-9 * mean)
}
