//! Where a rigid body is: a rotation and a position.

use glam::{DMat3, DQuat, DVec3};

/// A rotation: a unit quaternion x i + y j + z k + w.
///
/// Plain scalar code in `f64`, so that its bits are the same on every platform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    x: f64,
    y: f64,
    z: f64,
    w: f64,
}

impl Default for Rotation {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Rotation {
    /// No rotation.
    pub const IDENTITY: Self = Self {
        x: 0.0,
        y: 0.0,
        z: 0.0,
        w: 1.0,
    };

    /// From the parts of a quaternion, scaled to unit length; nothing when it is zero, huge or not finite.
    pub fn from_quaternion(x: f64, y: f64, z: f64, w: f64) -> Option<Self> {
        let length = (x * x + y * y + z * z + w * w).sqrt();
        (length.is_finite() && length > 1e-150).then(|| Self {
            x: x / length,
            y: y / length,
            z: z / length,
            w: w / length,
        })
    }

    /// By the length of a vector, in radians, about its direction.
    pub fn from_scaled_axis(v: DVec3) -> Self {
        let angle = v.length();
        if !angle.is_finite() {
            return Self::IDENTITY;
        }
        let half = 0.5 * angle;
        // sin(half) / angle, which is a half for tiny angles.
        let s = if half > 1e-8 {
            libm::sin(half) / angle
        } else {
            0.5
        };
        Self::from_quaternion(v.x * s, v.y * s, v.z * s, libm::cos(half)).unwrap_or(Self::IDENTITY)
    }

    /// By `angle` radians about an axis of any length; the identity when the axis has none.
    pub fn from_axis_angle(axis: DVec3, angle: f64) -> Self {
        axis.try_normalize()
            .map_or(Self::IDENTITY, |axis| Self::from_scaled_axis(axis * angle))
    }

    /// The parts x, y, z, w of the quaternion.
    pub const fn to_array(self) -> [f64; 4] {
        [self.x, self.y, self.z, self.w]
    }

    /// The opposite rotation.
    pub fn inverse(self) -> Self {
        Self {
            x: -self.x,
            y: -self.y,
            z: -self.z,
            w: self.w,
        }
    }

    /// First `first`, then `self`; of unit length again.
    pub fn after(self, first: Self) -> Self {
        let (a, b) = (self, first);
        Self::from_quaternion(
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        )
        .unwrap_or(a)
    }

    /// The rotation matrix: columns are the images of the axes.
    pub fn matrix(self) -> DMat3 {
        let Self { x, y, z, w } = self;
        let (xx, yy, zz) = (2.0 * x * x, 2.0 * y * y, 2.0 * z * z);
        let (xy, xz, yz) = (2.0 * x * y, 2.0 * x * z, 2.0 * y * z);
        let (wx, wy, wz) = (2.0 * w * x, 2.0 * w * y, 2.0 * w * z);
        DMat3::from_cols(
            DVec3::new(1.0 - yy - zz, xy + wz, xz - wy),
            DVec3::new(xy - wz, 1.0 - xx - zz, yz + wx),
            DVec3::new(xz + wy, yz - wx, 1.0 - xx - yy),
        )
    }

    /// A vector turned.
    pub fn rotate(self, v: DVec3) -> DVec3 {
        let q = DVec3::new(self.x, self.y, self.z);
        let t = q.cross(v) * 2.0;
        v + t * self.w + q.cross(t)
    }
}

impl From<Rotation> for DQuat {
    fn from(r: Rotation) -> Self {
        Self::from_xyzw(r.x, r.y, r.z, r.w)
    }
}

/// Where a rigid body is: local coordinates p are at `rotation` p + `position` in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Where the local origin is, m.
    pub position: DVec3,
    /// How the local axes lie.
    pub rotation: Rotation,
}

impl Pose {
    /// A pose of its parts.
    pub const fn new(position: DVec3, rotation: Rotation) -> Self {
        Self { position, rotation }
    }

    /// A local point in the world.
    pub fn to_world(&self, p: DVec3) -> DVec3 {
        self.rotation.rotate(p) + self.position
    }

    /// A point of the world in local coordinates.
    pub fn to_local(&self, p: DVec3) -> DVec3 {
        self.rotation.inverse().rotate(p - self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_agree_with_their_matrix_and_undo_themselves() {
        let a = Rotation::from_axis_angle(DVec3::new(1.0, -2.0, 0.5), 2.3);
        let b = Rotation::from_scaled_axis(DVec3::new(0.3, 0.1, -1.4));
        let v = DVec3::new(3.0, -1.0, 2.0);
        assert!((a.matrix() * v - a.rotate(v)).length() < 1e-14);
        assert!((a.after(b).rotate(v) - a.rotate(b.rotate(v))).length() < 1e-14);
        let pose = Pose::new(DVec3::new(1.0, 2.0, 3.0), a);
        assert!((pose.to_local(pose.to_world(v)) - v).length() < 1e-14);
        let quarter = Rotation::from_axis_angle(DVec3::Z, core::f64::consts::FRAC_PI_2);
        assert!((quarter.rotate(DVec3::X) - DVec3::Y).length() < 1e-15);
        assert!(Rotation::from_quaternion(0.0, 0.0, 0.0, 0.0).is_none());
        assert!(Rotation::from_quaternion(f64::NAN, 0.0, 0.0, 1.0).is_none());
        assert_eq!(
            Rotation::from_axis_angle(DVec3::ZERO, 1.0),
            Rotation::IDENTITY
        );
    }
}
