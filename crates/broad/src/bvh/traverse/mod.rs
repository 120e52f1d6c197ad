//! Walks over trees.

mod recursive;
