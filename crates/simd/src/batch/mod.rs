//! Batches: structures of arrays over which the kernels run.

mod column;
mod mask;

pub use column::{BLOCK, Block, Column};
pub use mask::{BitMask, Ones};
