//! The `jostle` command.
fn main() {}
