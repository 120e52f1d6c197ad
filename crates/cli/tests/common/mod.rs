//! Runs the built command on files of its own.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use glam::DVec3;
use jostle::geom::Mesh;
use jostle::scenes::{ClothBall, Scene, SceneKind};
use serde_json::Value;

/// A fresh directory for the files of one test.
pub(crate) fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{test}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// What a run came to.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `jostle` with arguments in a directory.
pub(crate) fn jostle<S: AsRef<std::ffi::OsStr>>(directory: &Path, arguments: &[S]) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_jostle"))
        .current_dir(directory)
        .args(arguments)
        .output()
        .unwrap();
    Run {
        status: status.code().expect("not killed"),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

impl Run {
    /// The one JSON object on standard output.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 0, "{}", self.stderr);
        assert!(self.stdout.starts_with('{') && self.stdout.ends_with("}\n"));
        serde_json::from_str(&self.stdout).expect("one object and nothing else")
    }

    /// The message of a failure with this status; nothing may be on standard output.
    pub(crate) fn failure(&self, status: i32) -> &str {
        assert_eq!(self.status, status, "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "", "results only on standard output");
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        &self.stderr
    }
}

/// Runs with `--json` and gives the object.
pub(crate) fn json(directory: &Path, arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.push("--json");
    let run = jostle(directory, &all);
    assert_eq!(run.stderr, "", "no terminal, no bar, no message");
    run.json()
}

/// The smallest cloth, in as many frames as asked for.
pub(crate) fn cloth(frames: usize) -> Scene {
    ClothBall {
        cells: 24,
        frames,
        seed: 1,
    }
    .build()
    .unwrap()
}

/// A cloud of about this many boxes.
pub(crate) fn cloud(boxes: usize, frames: usize) -> Scene {
    SceneKind::Tumbling.with_boxes(boxes, frames, 1).unwrap()
}

/// Writes the frames of a scene as `0.ply`, `1.ply` and so on.
pub(crate) fn write_frames(directory: &Path, scene: &Scene) -> Vec<String> {
    let write = |(index, positions): (usize, &Vec<DVec3>)| {
        let name = format!("{index}.ply");
        let mesh = Mesh {
            positions: positions.clone(),
            topology: scene.topology.clone(),
        };
        jostle::io::write_mesh(directory.join(&name), &mesh).unwrap();
        name
    };
    scene.frames.iter().enumerate().map(write).collect()
}

/// Writes one triangle over another as OBJ, the upper one at height `z`.
pub(crate) fn write_triangles(directory: &Path, name: &str, z: &str) {
    let text =
        format!("v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 {z}\nv 2 1 {z}\nv 1 2 {z}\nf 1 2 3\nf 4 5 6\n");
    std::fs::write(directory.join(name), text).unwrap();
}

/// Checks the keys that every object has.
pub(crate) fn check_header(object: &Value, command: &str) {
    assert_eq!(object["schema"], format!("jostle.{command}/1"));
    assert!(object["total_ms"].is_number());
    assert!(object["threads"].as_u64().unwrap() >= 1);
    assert!(object["simd"].is_string() && object["simd"] != "auto");
    assert!(
        object["peak_rss_bytes"]
            .as_u64()
            .is_none_or(|bytes| bytes > 100_000)
    );
}

/// Names of the files in a directory, sorted.
pub(crate) fn files(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
