//! Any bytes as a PLY file; what reads must be written and read back unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = jostle_io::ply::parse(bytes) {
        let mut file = Vec::new();
        jostle_io::write_ply(&mesh, &mut file).expect("a vector takes all");
        assert_eq!(jostle_io::ply::parse(&file).as_ref(), Ok(&mesh));
    }
});
