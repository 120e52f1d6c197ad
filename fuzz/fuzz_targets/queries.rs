//! Any bytes as a query file; what reads must be written and read back unchanged.
#![no_main]

use jostle_geom::PairKind;
use jostle_io::queries;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = queries::parse(bytes, PairKind::VertexFace) {
        let mut file = Vec::new();
        queries::write(&read, &mut file).expect("a vector takes all, and doubles are finite");
        assert_eq!(
            queries::parse(&file, PairKind::VertexFace).as_ref(),
            Ok(&read)
        );
    }
});
