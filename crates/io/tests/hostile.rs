//! Cut and altered files: a mesh or an error, never a panic, never more than the file can hold.

use std::path::{Path, PathBuf};

use jostle_geom::{Mesh, PairKind};
use jostle_io::{MeshFileError, obj, ply, queries, stl};
use proptest::prelude::*;

fn files_below(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let entries = std::fs::read_dir(root).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Small files of every kind: the cases of the corpus and the seeds of the fuzzers.
fn samples() -> Vec<Vec<u8>> {
    let mut files = files_below("testkit/corpus/mesh-files");
    for target in ["obj", "ply", "stl", "queries"] {
        files.extend(files_below(&format!("fuzz/corpus/{target}")));
    }
    let bytes = files.iter().map(|file| std::fs::read(file).unwrap());
    bytes.filter(|bytes| bytes.len() <= 4096).collect()
}

fn check(mesh: &Result<Mesh, MeshFileError>, bytes: &[u8]) {
    match mesh {
        Ok(mesh) => {
            assert!(mesh.positions.len() <= bytes.len());
            assert!(mesh.topology.faces().len() <= bytes.len());
            assert!(mesh.positions.iter().all(|p| p.is_finite()));
        }
        Err(error) => assert!(error.to_string().len() < 300, "{error}"),
    }
}

/// All readers on the same bytes: each must cope with the files of the others, too.
fn read_by_all(bytes: &[u8]) {
    check(&obj::parse(bytes), bytes);
    check(&ply::parse(bytes), bytes);
    check(&stl::parse(bytes), bytes);
    if let Ok(queries) = queries::parse(bytes, PairKind::EdgeEdge) {
        assert!(queries.iter().all(|q| q.query.validate().is_ok()));
    }
}

#[test]
fn files_cut_at_every_byte() {
    for file in samples() {
        for length in 0..=file.len().min(1500) {
            read_by_all(&file[..length]);
        }
    }
}

#[test]
fn a_binary_file_is_whole_or_refused() {
    let folder = "testkit/corpus/mesh-files";
    for path in files_below(folder) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let file = std::fs::read(&path).unwrap();
        match name {
            "L07a.ply" | "L07b.ply" | "L09a.ply" | "L09b.ply" => {
                for length in 0..file.len() {
                    assert!(
                        ply::parse(&file[..length]).is_err(),
                        "{name} cut at {length}"
                    );
                }
            }
            "L11a.stl" | "L11b.stl" | "L14.stl" => {
                for length in 0..file.len() {
                    assert!(
                        stl::parse(&file[..length]).is_err(),
                        "{name} cut at {length}"
                    );
                }
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn altered_files(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        insert in proptest::option::of((any::<prop::sample::Index>(), "[0-9a-z \n/,.-]{1,12}")),
    ) {
        let samples = samples();
        let mut bytes = which.get(&samples).clone();
        for (at, byte) in changes {
            if !bytes.is_empty() {
                *at.get_mut(&mut bytes) = byte;
            }
        }
        if let Some((at, text)) = insert {
            let at = at.index(bytes.len() + 1);
            bytes.splice(at..at, text.into_bytes());
        }
        read_by_all(&bytes);
    }

    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read_by_all(&bytes);
        let mut file = b"ply\nformat binary_big_endian 1.0\nelement vertex 2\nproperty short x\n\
            property list ushort char z\nproperty uchar y\nend_header\n".to_vec();
        file.extend(&bytes);
        read_by_all(&file);
    }
}
