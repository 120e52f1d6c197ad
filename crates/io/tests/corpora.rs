//! The corpora of the fuzzers, and what the fuzzers found, on the readers they belong to.

use std::path::Path;

use jostle_geom::PairKind;
use jostle_io::{obj, ply, queries, stl};

fn replay(target: &str, parse: impl Fn(&[u8])) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut files = 0;
    for entry in std::fs::read_dir(root.join(target)).unwrap() {
        parse(&std::fs::read(entry.unwrap().path()).unwrap());
        files += 1;
    }
    assert!(files > 0, "no corpus for {target}");
}

#[test]
fn obj_corpus() {
    replay("obj", |bytes| drop(obj::parse(bytes)));
}

#[test]
fn ply_corpus() {
    replay("ply", |bytes| drop(ply::parse(bytes)));
}

#[test]
fn stl_corpus() {
    replay("stl", |bytes| drop(stl::parse(bytes)));
}

#[test]
fn queries_corpus() {
    replay("queries", |bytes| {
        drop(queries::parse(bytes, PairKind::VertexFace));
    });
}
