//! Criterion benches of the Jostle collision engine.
