//! Points coordinate by coordinate.

use glam::Vec3;

use super::{Block, Column, batch_of_items};

/// Points as a structure of arrays, in metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointBatch {
    columns: [Column; 3],
}

impl PointBatch {
    /// A batch without elements.
    pub const fn new() -> Self {
        Self {
            columns: [const { Column::new() }; 3],
        }
    }

    /// The coordinates, axis by axis.
    #[inline]
    pub fn columns(&self) -> [&Column; 3] {
        [&self.columns[0], &self.columns[1], &self.columns[2]]
    }

    /// The blocks of the coordinates, axis by axis.
    #[inline(always)]
    pub fn blocks(&self) -> [&[Block]; 3] {
        let c = &self.columns;
        [c[0].blocks(), c[1].blocks(), c[2].blocks()]
    }

    #[inline(always)]
    fn values(item: Vec3) -> [f32; 3] {
        item.to_array()
    }

    /// Element `i`, which exists.
    #[inline(always)]
    pub(crate) fn at(&self, i: usize) -> Vec3 {
        let c = &self.columns;
        Vec3::new(c[0].as_slice()[i], c[1].as_slice()[i], c[2].as_slice()[i])
    }
}

batch_of_items!(PointBatch, Vec3);
