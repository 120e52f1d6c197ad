//! Development only: exact oracles, generators of hard inputs, the corpus runner.

mod data;

pub use data::data_dir;
