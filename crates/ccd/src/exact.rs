//! Decisions in exact rational arithmetic.
