//! Balls coordinate by coordinate.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::{Block, Column, batch_of_items};

/// A closed ball: the points no further than `radius` from `centre`, both in metres.
///
/// Plain data; its overlap tests are in [`kernels`](crate::kernels). One with a negative radius, or
/// one that is not a number, is empty.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Ball {
    /// The point in the middle.
    pub centre: Vec3,
    /// How far the ball reaches from there.
    pub radius: f32,
}

impl Ball {
    /// The ball around a point.
    #[inline]
    pub const fn new(centre: Vec3, radius: f32) -> Self {
        Self { centre, radius }
    }
}

/// Balls as a structure of arrays, in metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SphereBatch {
    /// Centres, then radii.
    columns: [Column; 4],
}

impl SphereBatch {
    /// A batch without elements.
    pub const fn new() -> Self {
        Self {
            columns: [const { Column::new() }; 4],
        }
    }

    /// The centres, axis by axis.
    #[inline]
    pub fn centre(&self) -> [&Column; 3] {
        [&self.columns[0], &self.columns[1], &self.columns[2]]
    }

    /// The radii.
    #[inline]
    pub fn radius(&self) -> &Column {
        &self.columns[3]
    }

    /// The blocks of the centres, axis by axis, then of the radii.
    #[inline(always)]
    pub fn blocks(&self) -> [&[Block]; 4] {
        let c = &self.columns;
        [c[0].blocks(), c[1].blocks(), c[2].blocks(), c[3].blocks()]
    }

    #[inline(always)]
    fn values(item: Ball) -> [f32; 4] {
        let c = item.centre;
        [c.x, c.y, c.z, item.radius]
    }

    /// Element `i`, which exists.
    #[inline(always)]
    pub(crate) fn at(&self, i: usize) -> Ball {
        let c = &self.columns;
        let value = |k: usize| c[k].as_slice()[i];
        Ball::new(Vec3::new(value(0), value(1), value(2)), value(3))
    }
}

batch_of_items!(SphereBatch, Ball);
