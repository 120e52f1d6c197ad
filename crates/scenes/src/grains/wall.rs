//! Walls of grains.

use std::fmt;
use std::sync::Arc;

use glam::Vec3;

/// A signed or unsigned distance as a wall: anything that can say how far away it is.
pub trait WallField: fmt::Debug + Send + Sync {
    /// Distance from a point to the wall, m, negative inside it, and the unit direction in which it grows.
    /// At most the true distance, and exact within a radius of the wall; a direction of zero says that there is none.
    fn distance(&self, point: Vec3) -> (f32, Vec3);
}

/// The shape of a wall.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WallShape {
    /// A half-space: grains stay where `normal · p > offset`.
    Plane {
        /// Unit normal that points at the grains.
        normal: Vec3,
        /// `normal · p` of points on the plane, m.
        offset: f32,
    },
    /// A thin shell with the shape of the side of a cone frustum: of a cylinder when the radii are equal, of a
    /// disc with a hole when the length is 0. Grains stay on the side on which they are.
    Frustum {
        /// Centre of the first rim.
        base: Vec3,
        /// Unit vector along the axis, from the first rim to the second.
        axis: Vec3,
        /// Distance between the rims along the axis, m.
        length: f32,
        /// Radii of the first and the second rim, m.
        radii: [f32; 2],
    },
    /// Triangles, counter-clockwise seen from outside when `solid`.
    Triangles {
        /// Corners, m.
        vertices: Vec<Vec3>,
        /// Three indices of corners a triangle.
        faces: Vec<[u32; 3]>,
        /// Whether this is the closed surface of a body that no grain may be inside of; otherwise it is a thin
        /// sheet, open or not, and grains stay on the side on which they are.
        solid: bool,
    },
    /// A distance field: grains stay where the distance is positive.
    Field(Arc<dyn WallField>),
}

/// A turn of a wall about an axis, which leaves its shape where it is: only its surface moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallSpin {
    /// A point of the axis, m.
    pub pivot: Vec3,
    /// Angular velocity, rad/s.
    pub rate: Vec3,
}

/// A wall: a shape and how its surface moves.
#[derive(Clone, Debug)]
pub struct Wall {
    /// Its shape.
    pub shape: WallShape,
    /// How it turns, if it does. The shape must be symmetric about the axis.
    pub spin: Option<WallSpin>,
}

impl From<WallShape> for Wall {
    fn from(shape: WallShape) -> Self {
        Self { shape, spin: None }
    }
}
