//! Batches: structures of arrays over which the kernels run.

mod column;
mod mask;
mod ray;
mod triangle;

pub use column::{BLOCK, Block, Column};
pub use mask::{BitMask, Ones};
pub use ray::RayBatch;
pub use triangle::TriangleBatch;
