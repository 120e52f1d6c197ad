//! A collision engine that never misses: broad phases, continuous collision detection, contacts.
