//! Triangles, coordinate by coordinate.

use glam::Vec3;

use super::{Block, Column, batch_of_items};
use crate::Triangle;

/// Triangles as a structure of arrays, in metres.
///
/// Any triangle can be held, and comes back bit by bit. Triangles with a NaN are met by nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleBatch {
    /// Vertex by vertex, axis by axis.
    columns: [Column; 9],
}

impl TriangleBatch {
    /// A batch without elements.
    pub const fn new() -> Self {
        Self {
            columns: [const { Column::new() }; 9],
        }
    }

    /// The coordinates of a vertex (0, 1 or 2) along an axis.
    #[inline]
    pub fn column(&self, vertex: usize, axis: usize) -> &[f32] {
        self.columns[3 * vertex + axis].as_slice()
    }

    /// All columns in blocks, by vertex and axis.
    #[inline(always)]
    pub fn blocks(&self) -> [[&[Block]; 3]; 3] {
        let c = &self.columns;
        [
            [c[0].blocks(), c[1].blocks(), c[2].blocks()],
            [c[3].blocks(), c[4].blocks(), c[5].blocks()],
            [c[6].blocks(), c[7].blocks(), c[8].blocks()],
        ]
    }

    #[inline(always)]
    fn values(item: Triangle) -> [f32; 9] {
        let (a, b, c) = (item.a, item.b, item.c);
        [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
    }

    /// Element `i`, which exists.
    #[inline(always)]
    pub(crate) fn at(&self, i: usize) -> Triangle {
        let c = &self.columns;
        let value = |k: usize| c[k].as_slice()[i];
        Triangle::new(
            Vec3::new(value(0), value(1), value(2)),
            Vec3::new(value(3), value(4), value(5)),
            Vec3::new(value(6), value(7), value(8)),
        )
    }
}

batch_of_items!(TriangleBatch, Triangle);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_come_back_as_they_went_in() {
        let triangle = |i: usize| {
            let x = i as f32;
            Triangle::new(
                Vec3::new(x, -x, 0.0),
                Vec3::new(f32::INFINITY, x, 1.0),
                Vec3::splat(-x),
            )
        };
        for len in 0..40 {
            let triangles: Vec<_> = (0..len).map(triangle).collect();
            let mut batch = TriangleBatch::from_slice(&triangles);
            assert_eq!((batch.len(), batch.is_empty()), (len, len == 0));
            assert_eq!(batch.to_vec(), triangles);
            assert_eq!(batch.get(len), None);
            batch.set(len, triangle(0));
            assert_eq!(batch.to_vec(), triangles);
            if len > 0 {
                batch.set(len - 1, triangle(77));
                assert_eq!(batch.get(len - 1), Some(triangle(77)));
                assert_eq!(batch.column(0, 0)[len - 1], 77.0);
            }
            batch.clear();
            assert!(batch.is_empty());
        }
    }
}
