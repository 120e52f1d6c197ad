//! Triangles, coordinate by coordinate.

use glam::Vec3;

use super::{Block, Column};
use crate::Triangle;

/// Triangles as a structure of arrays, one [`Column`] a coordinate.
///
/// Any triangle can be held, and comes back bit by bit. Triangles with a NaN are met by nothing.
#[derive(Clone, Debug, Default)]
pub struct TriangleBatch {
    /// By vertex and axis.
    columns: [[Column; 3]; 3],
}

impl TriangleBatch {
    /// No triangles.
    pub fn new() -> Self {
        Self::default()
    }

    /// The triangles of a slice, in order. Cost: O(n).
    pub fn from_slice(triangles: &[Triangle]) -> Self {
        triangles.iter().copied().collect()
    }

    /// Number of triangles.
    #[inline]
    pub fn len(&self) -> usize {
        self.columns[0][0].len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a triangle.
    #[inline]
    pub fn push(&mut self, triangle: &Triangle) {
        let vertices = [triangle.a, triangle.b, triangle.c];
        for (columns, vertex) in self.columns.iter_mut().zip(vertices) {
            for (axis, column) in columns.iter_mut().enumerate() {
                column.push(vertex[axis]);
            }
        }
    }

    /// A triangle by its index; `None` past the end.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Triangle> {
        (index < self.len()).then(|| self.lane(index))
    }

    /// Replaces a triangle. `false`, and nothing changes, when the index is past the end.
    #[inline]
    pub fn set(&mut self, index: usize, triangle: &Triangle) -> bool {
        if index >= self.len() {
            return false;
        }
        let vertices = [triangle.a, triangle.b, triangle.c];
        for (columns, vertex) in self.columns.iter_mut().zip(vertices) {
            for (axis, column) in columns.iter_mut().enumerate() {
                column.as_mut_slice()[index] = vertex[axis];
            }
        }
        true
    }

    /// Forgets all triangles and keeps the memory.
    pub fn clear(&mut self) {
        for column in self.columns.as_flattened_mut() {
            column.clear();
        }
    }

    /// The triangles in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Triangle> + '_ {
        (0..self.len()).map(|index| self.lane(index))
    }

    /// The triangles as an array of structs.
    pub fn to_vec(&self) -> Vec<Triangle> {
        self.iter().collect()
    }

    /// The coordinates of a vertex (0, 1 or 2) along an axis.
    #[inline]
    pub fn column(&self, vertex: usize, axis: usize) -> &[f32] {
        self.columns[vertex][axis].as_slice()
    }

    /// All columns in blocks, by vertex and axis; all of one length.
    #[inline(always)]
    pub fn blocks(&self) -> [[&[Block]; 3]; 3] {
        let [a, b, c] = &self.columns;
        [
            [a[0].blocks(), a[1].blocks(), a[2].blocks()],
            [b[0].blocks(), b[1].blocks(), b[2].blocks()],
            [c[0].blocks(), c[1].blocks(), c[2].blocks()],
        ]
    }

    /// A triangle whose index must exist.
    #[inline(always)]
    pub(crate) fn lane(&self, index: usize) -> Triangle {
        let [a, b, c] = &self.columns;
        let at = |columns: &[Column; 3]| {
            Vec3::new(
                columns[0].as_slice()[index],
                columns[1].as_slice()[index],
                columns[2].as_slice()[index],
            )
        };
        Triangle::new(at(a), at(b), at(c))
    }
}

impl FromIterator<Triangle> for TriangleBatch {
    fn from_iter<I: IntoIterator<Item = Triangle>>(triangles: I) -> Self {
        let mut out = Self::new();
        for triangle in triangles {
            out.push(&triangle);
        }
        out
    }
}

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
            assert!(!batch.set(len, &triangle(0)));
            if len > 0 {
                assert!(batch.set(len - 1, &triangle(77)));
                assert_eq!(batch.get(len - 1), Some(triangle(77)));
                assert_eq!(batch.column(0, 0)[len - 1], 77.0);
            }
            batch.clear();
            assert!(batch.is_empty());
        }
    }
}
