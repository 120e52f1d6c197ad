//! Development only: exact oracles, generators of hard inputs, the corpus runner.
