//! Batches: structures of arrays over which the kernels run.

mod column;

pub use column::{BLOCK, Block, Column};
