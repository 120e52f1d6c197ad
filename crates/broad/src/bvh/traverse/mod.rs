//! Walks over trees.

mod nearest;
mod overlap;
mod pairs;
mod ray;
mod ray_packet;
mod ray_wide;
mod recursive;
mod stackless;
mod tasks;
mod wide_front;
mod wide_overlap;
mod wide_pairs;

pub use nearest::Nearest;
pub use ray::BoxHit;
