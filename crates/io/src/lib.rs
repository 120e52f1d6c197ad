//! Mesh, query and truth files for the Jostle collision engine.
