//! Boxes coordinate by coordinate.

use glam::Vec3;

use super::{Block, Column, batch_of_items};
use crate::Aabb;

/// Boxes as a structure of arrays, in metres.
///
/// Infinite boxes are boxes like any other. What kernels answer for inverted boxes is said at each
/// kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AabbBatch {
    /// Smallest corners, then largest ones.
    columns: [Column; 6],
}

impl AabbBatch {
    /// A batch without elements.
    pub const fn new() -> Self {
        Self {
            columns: [const { Column::new() }; 6],
        }
    }

    /// The smallest corners, axis by axis.
    #[inline]
    pub fn min(&self) -> [&Column; 3] {
        [&self.columns[0], &self.columns[1], &self.columns[2]]
    }

    /// The largest corners, axis by axis.
    #[inline]
    pub fn max(&self) -> [&Column; 3] {
        [&self.columns[3], &self.columns[4], &self.columns[5]]
    }

    /// The blocks of the smallest corners, then of the largest ones.
    #[inline(always)]
    pub fn blocks(&self) -> [&[Block]; 6] {
        let c = &self.columns;
        [
            c[0].blocks(),
            c[1].blocks(),
            c[2].blocks(),
            c[3].blocks(),
            c[4].blocks(),
            c[5].blocks(),
        ]
    }

    #[inline(always)]
    fn values(item: Aabb) -> [f32; 6] {
        let (a, b) = (item.min, item.max);
        [a.x, a.y, a.z, b.x, b.y, b.z]
    }

    /// Element `i`, which exists.
    #[inline(always)]
    pub(crate) fn at(&self, i: usize) -> Aabb {
        let c = &self.columns;
        let value = |k: usize| c[k].as_slice()[i];
        Aabb::new(
            Vec3::new(value(0), value(1), value(2)),
            Vec3::new(value(3), value(4), value(5)),
        )
    }
}

batch_of_items!(AabbBatch, Aabb);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_come_back_as_they_went_in() {
        for len in 0..40 {
            let boxes: Vec<Aabb> = (0..len)
                .map(|i| {
                    Aabb::new(
                        Vec3::splat(i as f32),
                        Vec3::new(i as f32, 50.0, f32::INFINITY),
                    )
                })
                .collect();
            let mut batch = AabbBatch::from_slice(&boxes);
            assert_eq!(batch.to_vec(), boxes);
            assert_eq!((batch.len(), batch.is_empty()), (len, len == 0));
            assert_eq!(batch.get(len), None);
            batch.set(len, Aabb::EMPTY);
            assert_eq!(batch.iter().len(), len, "past the end nothing is stored");
            if len > 0 {
                batch.set(len - 1, Aabb::EMPTY);
                assert_eq!(batch.get(len - 1), Some(Aabb::EMPTY));
                assert_eq!(batch.to_vec()[..len - 1], boxes[..len - 1]);
            }
            batch.clear();
            batch.extend(boxes.iter().copied());
            assert_eq!(batch.to_vec(), boxes);
        }
    }
}
