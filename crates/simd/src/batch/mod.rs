//! Batches: structures of arrays over which the kernels run.
//!
//! A batch is built from single items, changed one item at a time and read back as single items; the
//! padding of its columns is never seen as an element. Any numbers may be stored: kernels never
//! report an element of which a coordinate is NaN. Ids are `u32`, so a batch has at most 2³² elements.

mod aabb;
mod column;
mod compact;
mod mask;
mod point;
mod ray;
mod sphere;
mod triangle;

pub use aabb::AabbBatch;
pub use column::{BLOCK, Block, Column};
pub use compact::{IdLists, MaskMatrix};
pub use mask::{BitMask, Ones};
pub use point::PointBatch;
pub use ray::RayBatch;
pub use sphere::{Ball, SphereBatch};
pub use triangle::TriangleBatch;

pub(crate) use compact::IdBuffer;

/// What every batch of items has besides its constructor and columns: items are written to and read
/// from all columns at once.
macro_rules! batch_of_items {
    ($batch:ident, $item:ty) => {
        impl $batch {
            /// A batch of the items of a slice, in their order.
            pub fn from_slice(items: &[$item]) -> Self {
                items.iter().copied().collect()
            }

            /// Number of elements.
            #[inline]
            pub fn len(&self) -> usize {
                self.columns[0].len()
            }

            /// Whether there are none.
            #[inline]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Adds an element.
            #[inline]
            pub fn push(&mut self, item: $item) {
                for (column, value) in self.columns.iter_mut().zip(Self::values(item)) {
                    column.push(value);
                }
            }

            /// Element `i`, if there is one.
            #[inline]
            pub fn get(&self, i: usize) -> Option<$item> {
                (i < self.len()).then(|| self.at(i))
            }

            /// Replaces element `i`. Without effect where there is none.
            #[inline]
            pub fn set(&mut self, i: usize, item: $item) {
                for (column, value) in self.columns.iter_mut().zip(Self::values(item)) {
                    if let Some(at) = column.as_mut_slice().get_mut(i) {
                        *at = value;
                    }
                }
            }

            /// Forgets all elements and keeps the memory.
            pub fn clear(&mut self) {
                for column in &mut self.columns {
                    column.clear();
                }
            }

            /// The elements, one after the other.
            pub fn iter(&self) -> impl ExactSizeIterator<Item = $item> + '_ {
                (0..self.len()).map(|i| self.at(i))
            }

            /// The elements as an array of structs.
            pub fn to_vec(&self) -> Vec<$item> {
                self.iter().collect()
            }
        }

        impl FromIterator<$item> for $batch {
            fn from_iter<I: IntoIterator<Item = $item>>(items: I) -> Self {
                let mut out = Self::new();
                out.extend(items);
                out
            }
        }

        impl Extend<$item> for $batch {
            fn extend<I: IntoIterator<Item = $item>>(&mut self, items: I) {
                for item in items {
                    self.push(item);
                }
            }
        }
    };
}
pub(crate) use batch_of_items;
