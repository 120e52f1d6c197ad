//! Bad input and wrong usage: a message that names the place, the right exit status, no half file.

mod common;

use std::path::Path;

use common::{cloth, directory, files, jostle, write_frames, write_triangles};

/// A directory with two good frames, `a.obj` and `b.obj`.
fn with_frames(test: &str) -> std::path::PathBuf {
    let directory = directory(test);
    write_triangles(&directory, "a.obj", "1");
    write_triangles(&directory, "b.obj", "-1");
    directory
}

fn fails(directory: &Path, status: i32, arguments: &[&str], words: &[&str]) {
    let run = jostle(directory, arguments);
    let message = run.failure(status);
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let directory = with_frames("bad-missing");
    fails(
        &directory,
        1,
        &["ccd", "a.obj", "nowhere.ply"],
        &["nowhere.ply"],
    );
    fails(
        &directory,
        1,
        &["queries", "ee-nowhere.csv"],
        &["ee-nowhere.csv"],
    );
}

#[test]
fn frames_of_different_meshes_are_told_apart() {
    let directory = with_frames("bad-frames");
    let vertices = "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 1\nv 2 1 1\nv 1 2 1\n";
    let write = |name: &str, text: String| std::fs::write(directory.join(name), text).unwrap();
    write("more.obj", format!("{vertices}f 1 2 3\nf 4 5 6\nf 1 2 4\n"));
    write("other.obj", format!("{vertices}f 1 2 3\nf 4 6 5\n"));
    write(
        "extra.obj",
        format!("{vertices}v 9 9 9\nf 1 2 3\nf 4 5 6\n"),
    );
    let cases = [
        ("more.obj", ["3 faces", "a.obj has 2"]),
        ("other.obj", ["face 1 is [3, 5, 4]", "it is [3, 4, 5]"]),
        ("extra.obj", ["7 vertices", "a.obj has 6"]),
    ];
    for (name, words) in cases {
        fails(&directory, 1, &["ccd", "a.obj", name], &[name]);
        fails(&directory, 1, &["ccd", "a.obj", name], &words);
    }
    // The second step is wrong: its file is named, and nothing of the first step is written.
    let arguments = [
        "ccd",
        "a.obj",
        "b.obj",
        "more.obj",
        "--all",
        "--hits-out",
        "hits.csv",
        "--pairs-out",
        "pairs.json",
        "--json",
    ];
    fails(&directory, 1, &arguments, &["more.obj: 3 faces"]);
    let left = files(&directory);
    assert_eq!(
        left,
        ["a.obj", "b.obj", "extra.obj", "more.obj", "other.obj"]
    );
}

#[test]
fn bad_coordinates_are_named() {
    let directory = with_frames("bad-coordinates");
    for (name, z, word) in [
        ("nan.obj", "nan", "nan.obj"),
        ("infinite.obj", "inf", "infinite.obj"),
        ("huge.obj", "1e39", "vertex 3"),
    ] {
        write_triangles(&directory, name, z);
        for frames in [["a.obj", name], [name, "a.obj"]] {
            let arguments = ["ccd", frames[0], frames[1]];
            fails(&directory, 1, &arguments, &[name, word]);
        }
    }
}

#[test]
fn empty_and_cut_files_are_refused() {
    let directory = with_frames("bad-files");
    std::fs::write(directory.join("empty.obj"), "").unwrap();
    fails(
        &directory,
        1,
        &["ccd", "empty.obj", "empty.obj"],
        &["empty.obj"],
    );
    let index = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n";
    std::fs::write(directory.join("index.obj"), index).unwrap();
    fails(
        &directory,
        1,
        &["ccd", "index.obj", "a.obj"],
        &["index.obj", "line 4"],
    );

    write_frames(&directory, &cloth(2));
    let bytes = std::fs::read(directory.join("1.ply")).unwrap();
    std::fs::write(directory.join("cut.ply"), &bytes[..bytes.len() / 2]).unwrap();
    fails(&directory, 1, &["ccd", "0.ply", "cut.ply"], &["cut.ply"]);
    let lie = "ply\nformat binary_little_endian 1.0\nelement vertex 1000000000000\n\
               property float x\nproperty float y\nproperty float z\nend_header\n";
    std::fs::write(directory.join("lie.ply"), lie).unwrap();
    fails(&directory, 1, &["ccd", "lie.ply", "lie.ply"], &["lie.ply"]);
}

#[test]
fn bad_queries_are_named_by_line() {
    let directory = directory("bad-queries");
    let row = "0,1,0,1,0,1,0\n";
    let zero = format!("{}0,1,0,0,0,1,0\n{}", row.repeat(3), row.repeat(4));
    for (name, text, word) in [
        ("ee-cut.csv", row.repeat(7), "ee-cut.csv"),
        ("ee-zero.csv", zero, "line 4"),
        ("ee-word.csv", "x,1,0,1,0,1,0\n".repeat(8), "line 1"),
    ] {
        std::fs::write(directory.join(name), text).unwrap();
        let arguments = ["queries", name, "--out", "out.csv"];
        fails(&directory, 1, &arguments, &[name, word]);
    }
    std::fs::write(directory.join("kind.csv"), row.repeat(8)).unwrap();
    fails(&directory, 1, &["queries", "kind.csv"], &["kind.csv"]);
    assert_eq!(files(&directory).len(), 4, "no out.csv");
    let run = jostle(
        &directory,
        &["queries", "kind.csv", "--kind", "vf", "--json"],
    );
    assert_eq!(run.json()["queries"], 1);
}

#[test]
fn wrong_usage_has_status_2() {
    let directory = with_frames("bad-usage");
    let frames = ["ccd", "a.obj", "b.obj"];
    let cases: [(&[&str], &str); 17] = [
        (&["--broad-phase", "bvh"], "does not exist yet"),
        (&["--broad-phase", "grid"], "does not exist yet"),
        (&["--broad-phase", "sap"], "unknown broad phase"),
        (&["--narrow-phase", "magic"], "unknown narrow phase"),
        (&["--simd", "sse9"], "unknown SIMD level"),
        (&["--threads", "0"], "--threads"),
        (&["--threads", "many"], "--threads"),
        (&["--tolerance", "0"], "--tolerance"),
        (&["--tolerance", "-1"], "--tolerance"),
        (&["--time-tolerance", "nan"], "--time-tolerance"),
        (&["--min-separation", "-0.1"], "--min-separation"),
        (&["--min-separation", "inf"], "--min-separation"),
        (&["--max-iterations", "0"], "--max-iterations"),
        (&["--memory-limit", "64 parsecs"], "--memory-limit"),
        (&["--hits-out", "hits.csv"], "--all"),
        (&["--certificate", "c.json"], "--certificate"),
        (&["--frobnicate"], "--frobnicate"),
    ];
    for (options, word) in cases {
        fails(&directory, 2, &[&frames[..], options].concat(), &[word]);
    }
    fails(&directory, 2, &["ccd", "a.obj"], &["FRAME"]);
    fails(&directory, 2, &["ccd"], &["FRAME"]);
    fails(&directory, 2, &["queries"], &["FILE"]);
    fails(&directory, 2, &["fly"], &["fly"]);
    fails(&directory, 2, &[], &["Usage"]);
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let directory = with_frames("bad-output");
    let to = |path: &'static str| ["ccd", "a.obj", "b.obj", "--pairs-out", path];
    fails(
        &directory,
        1,
        &to("no/such/pairs.json"),
        &["no/such/pairs.json"],
    );
    std::fs::create_dir(directory.join("folder")).unwrap();
    fails(&directory, 1, &to("folder"), &["folder"]);
    assert_eq!(files(&directory), ["a.obj", "b.obj", "folder"]);
}

#[test]
fn a_level_that_the_machine_lacks_is_an_error() {
    let directory = with_frames("bad-level");
    let arguments = ["ccd", "a.obj", "b.obj", "--simd", "wasm128"];
    fails(&directory, 1, &arguments, &["wasm128", "not available"]);
}
