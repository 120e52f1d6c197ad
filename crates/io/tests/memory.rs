//! Claimed counts must not be believed. One test alone in its process, so that the growth of the
//! address space is its own.

use jostle_geom::PairKind;
use jostle_io::{obj, ply, queries, stl};

/// The largest address space so far, which counts memory that is reserved but not yet used.
fn peak_virtual_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmPeak:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

const HUGE: &str = "1000000000000";

#[test]
fn bug_l13_lying_headers_reserve_no_memory() {
    let Some(before) = peak_virtual_bytes() else {
        eprintln!("skipped: no /proc/self/status");
        return;
    };
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let header = |elements: &str| format!("ply\nformat {format} 1.0\n{elements}end_header\n");
        let xyz = "property float x\nproperty float y\nproperty float z\n";
        let list = "property list uint uint vertex_indices\n";
        for elements in [
            format!("element vertex {HUGE}\n{xyz}"),
            format!("element vertex 3\n{xyz}element face {HUGE}\n{list}"),
            format!("element face {HUGE}\n{list}element vertex 3\n{xyz}"),
            format!(
                "element vertex 3\n{xyz}element edge {HUGE}\nproperty int vertex1\nproperty int vertex2\n"
            ),
            format!("element vertex {HUGE}\n"),
            format!("element face {HUGE}\n"),
            format!("element vertex 3\n{xyz}element face 2\n{list}"),
        ] {
            let mut file = header(&elements).into_bytes();
            file.extend(if format == "ascii" {
                b"4000000000 0 0\n".repeat(3)
            } else {
                vec![0xff; 200]
            });
            assert!(ply::parse(&file).is_err(), "{elements}");
        }
        // Rows of an element without properties take no room, so that any number is there.
        let nothing = format!("element nothing {HUGE}\nelement vertex 1\n{xyz}");
        let mut file = header(&nothing).into_bytes();
        file.extend(if format == "ascii" {
            b"1 2 3\n".to_vec()
        } else {
            vec![0; 12]
        });
        assert_eq!(ply::parse(&file).map(|mesh| mesh.positions.len()), Ok(1));
    }
    let mut file = vec![b' '; 80];
    file.extend([0xff; 104]);
    assert!(stl::parse(&file).is_err());
    assert!(obj::parse(b"v 0 0 0\nf 1 1 4294967295").is_err());
    let row = format!("1,{},2,3,4,5\n", "9".repeat(100_000));
    assert!(queries::parse(row.repeat(8).as_bytes(), PairKind::EdgeEdge).is_ok());

    let grown = peak_virtual_bytes().unwrap_or(u64::MAX) - before;
    assert!(grown <= 64 << 20, "{grown} bytes were reserved");
}
