//! Axis-aligned bounding boxes.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// An axis-aligned bounding box in single precision: the closed set of points `p` with
/// `min ≤ p ≤ max` on every axis, in metres.
///
/// Boxes that only touch overlap. A box with `min > max` on an axis is *inverted*; it is the empty
/// set in [`union`](Self::union) only for [`Aabb::EMPTY`] and has no defined answer in a broad
/// phase, which refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Aabb {
    /// The smallest corner.
    pub min: Vec3,
    /// The largest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box that contains nothing and is neutral in [`union`](Self::union).
    pub const EMPTY: Self = Self {
        min: Vec3::INFINITY,
        max: Vec3::NEG_INFINITY,
    };

    /// The box between two corners.
    #[inline]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The smallest box that contains both.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Whether the closed boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// Whether `other` lies in this box, borders included.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// Half the sum of the corners. Halved before adding, so that it does not overflow.
    #[inline]
    pub fn centre(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// Whether every bound is finite and `min ≤ max` on every axis.
    #[inline]
    pub fn is_valid(&self) -> bool {
        self.min.is_finite() && self.max.is_finite() && self.min.cmple(self.max).all()
    }
}
