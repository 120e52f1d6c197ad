//! Seeded scenes shared by the tests, benches and demo of the Jostle collision engine.
