//! Walks over trees.

mod nearest;
mod overlap;
mod pairs;
mod recursive;
mod stackless;
mod tasks;
mod wide_front;
mod wide_overlap;
mod wide_pairs;

pub use nearest::Nearest;
