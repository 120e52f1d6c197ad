//! Motion of a free body over a sub-step.

use glam::DVec3;
use jostle_geom::Rotation;

use super::bodies::Body;
use super::tolerances::{MOST_SPEED, MOST_SPIN};

/// What all bodies of a sub-step share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drift {
    /// Length of the sub-step, s.
    pub h: f64,
    /// What remains of a velocity.
    pub linear: f64,
    /// What remains of an angular velocity.
    pub angular: f64,
}

impl Drift {
    /// For a sub-step and the two rates of damping, 1/s.
    pub(super) fn new(h: f64, linear: f64, angular: f64) -> Self {
        Self {
            h,
            linear: libm::exp(-linear * h),
            angular: libm::exp(-angular * h),
        }
    }
}

/// Moves a body, with a push apart that leaves its velocity as it is.
///
/// A body on which nothing acts keeps its angular momentum to rounding: the rotation is that by the angular velocity in the
/// middle of the step, and the angular velocity at its end follows from the momentum and the new inertia. Its energy stays
/// between those of the same momentum about the axes of the largest and the smallest inertia, so that no spin is too
/// fast to step.
pub(super) fn drift(body: &mut Body, push: DVec3, twist: DVec3, by: &Drift) {
    let h = by.h;
    if body.dynamic() {
        body.velocity = limited(body.velocity * by.linear, MOST_SPEED);
        body.angular_velocity = limited(body.angular_velocity * by.angular, MOST_SPIN);
    }
    body.pose.position += (body.velocity + push) * h;
    let w = body.angular_velocity;
    if w == DVec3::ZERO && twist == DVec3::ZERO {
        return;
    }
    let start = body.pose.rotation;
    if body.round || !body.dynamic() {
        body.pose.rotation = turn((w + twist) * h).after(start);
        return;
    }
    let momentum = body.spin();
    let at = |rotation: Rotation| {
        let local = rotation.inverse().rotate(momentum);
        rotation.rotate(body.inverse_inertia * local)
    };
    let middle = at(turn(w * (0.5 * h)).after(start));
    let end = turn((middle + twist) * h).after(start);
    // The push apart turns the body without turning its momentum.
    let after = at(end);
    body.pose.rotation = end;
    body.angular_velocity = limited(after, MOST_SPIN);
}

/// The rotation by a vector, as `Rotation::from_scaled_axis`, without sine and cosine where the angle is small: the series
/// to the sixth order are right to 1e-16 for a tenth of a radian.
pub(super) fn turn(v: DVec3) -> Rotation {
    let squared = v.length_squared();
    if squared >= 0.01 || squared.is_nan() {
        return Rotation::from_scaled_axis(v);
    }
    // Half the angle, squared.
    let q = 0.25 * squared;
    let cosine = 1.0 - q * (0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0 - q / 40320.0)));
    let share = 0.5 * (1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q / 5040.0)));
    Rotation::from_quaternion(v.x * share, v.y * share, v.z * share, cosine)
        .unwrap_or(Rotation::IDENTITY)
}

/// At most that long; zero when it is not a number.
pub(super) fn limited(v: DVec3, most: f64) -> DVec3 {
    let length = v.length();
    if length <= most {
        v
    } else if length.is_finite() {
        v * (most / length)
    } else {
        DVec3::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;
    use jostle_scenes::bodies::Motion;

    fn spinner(w: DVec3) -> Body {
        let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.7));
        Body {
            alive: true,
            motion: Motion::Dynamic,
            mass: 1.0,
            inverse_mass: 1.0,
            inertia,
            inverse_inertia: inertia.inverse(),
            round: false,
            angular_velocity: w,
            ..Body::empty(0)
        }
    }

    #[test]
    fn small_turns_are_those_of_sine_and_cosine() {
        for length in [0.0, 1e-12, 1e-3, 0.0999, 0.1, 2.0] {
            let v = DVec3::new(0.6, -0.48, 0.64) * length;
            let (a, b) = (turn(v).to_array(), Rotation::from_scaled_axis(v).to_array());
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() < 4e-16, "{length}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_free_body_keeps_its_angular_momentum_and_nearly_its_energy() {
        // About the middle axis, which is unstable: it tumbles.
        let mut body = spinner(DVec3::new(0.01, 6.0, 0.0));
        let by = Drift::new(1.0 / 240.0, 0.0, 0.0);
        let (momentum, energy) = (body.spin(), body.spin().dot(body.angular_velocity));
        let mut tumbled = false;
        for _ in 0..4800 {
            drift(&mut body, DVec3::ZERO, DVec3::ZERO, &by);
            let now = body.spin().dot(body.angular_velocity);
            assert!((now / energy - 1.0).abs() < 1e-2, "{}", now / energy);
            tumbled |= body.pose.rotation.rotate(DVec3::Y).y < -0.9;
        }
        assert!((body.spin() - momentum).length() < 1e-10 * momentum.length());
        assert!(tumbled);
    }

    #[test]
    fn no_spin_is_too_fast() {
        let mut body = spinner(DVec3::new(3e3, 7e3, -2e3));
        let by = Drift::new(1.0 / 60.0, 0.0, 0.0);
        let momentum = body.spin();
        for _ in 0..1000 {
            drift(&mut body, DVec3::ZERO, DVec3::ZERO, &by);
            assert!(body.pose.rotation.to_array().iter().all(|p| p.is_finite()));
        }
        assert!(body.angular_velocity.length() <= momentum.length());
    }
}
