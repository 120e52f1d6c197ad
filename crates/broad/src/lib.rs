//! Which boxes overlap: the broad phases of the Jostle collision engine.

pub mod step;
