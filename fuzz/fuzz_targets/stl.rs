//! Any bytes as an STL file; no two vertices of what reads are equal.
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = jostle_io::stl::parse(bytes) {
        let mut seen = HashSet::new();
        for p in &mesh.positions {
            assert!(p.is_finite() && seen.insert(p.to_array().map(f64::to_bits)));
        }
        assert!(mesh.topology.faces().len() <= bytes.len());
    }
});
