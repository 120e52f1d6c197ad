//! Any bytes as an OBJ file; what reads must be written and read back unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = jostle_io::obj::parse(bytes) {
        let mut file = Vec::new();
        jostle_io::write_obj(&mesh, &mut file).expect("a vector takes all");
        assert_eq!(jostle_io::obj::parse(&file).as_ref(), Ok(&mesh));
    }
});
