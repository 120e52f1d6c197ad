//! Keeps `ARCHITECTURE.md` true: each crate of the workspace has a section there, with exactly the
//! dependencies that `cargo metadata` reports, and depends only on crates described above it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Dependencies on other crates of the workspace.
#[derive(Debug, Default, PartialEq, Eq)]
struct Dependencies {
    normal: BTreeSet<String>,
    tests: BTreeSet<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What `cargo metadata` says.
fn from_cargo() -> BTreeMap<String, Dependencies> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    let ours: BTreeSet<String> = packages.iter().map(name).collect();
    packages
        .iter()
        .map(|package| {
            let mut found = Dependencies::default();
            for dependency in package["dependencies"].as_array().expect("dependencies") {
                let target = name(dependency);
                if !ours.contains(&target) {
                    continue;
                }
                match dependency["kind"].as_str() {
                    None | Some("build") => found.normal.insert(target),
                    Some(_) => found.tests.insert(target),
                };
            }
            (name(package), found)
        })
        .collect()
}

/// The crates of the text, in its order.
fn from_text(text: &str) -> Vec<(String, Dependencies)> {
    let list = |part: &str| -> BTreeSet<String> {
        part.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    let mut crates: Vec<(String, Dependencies)> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("### `") {
            crates.push((
                rest.trim_end_matches('`').to_owned(),
                Dependencies::default(),
            ));
        } else if let Some(rest) = line.strip_prefix("Depends on: ") {
            let (normal, tests) = rest
                .split_once(" Tests use: ")
                .unwrap_or_else(|| panic!("no `Tests use` in {line:?}"));
            let (_, last) = crates.last_mut().expect("a heading above");
            *last = Dependencies {
                normal: list(normal),
                tests: list(tests),
            };
        }
    }
    crates
}

#[test]
fn the_text_names_every_crate_with_its_dependencies() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let described = from_text(&text);
    let names: Vec<&String> = described.iter().map(|(name, _)| name).collect();
    let real = from_cargo();
    for name in real.keys() {
        assert_eq!(
            names.iter().filter(|n| **n == name).count(),
            1,
            "{name} needs one section in ARCHITECTURE.md"
        );
    }
    for (name, dependencies) in &described {
        let real = real
            .get(name)
            .unwrap_or_else(|| panic!("ARCHITECTURE.md describes {name}, which does not exist"));
        assert_eq!(
            dependencies, real,
            "dependencies of {name} (left: the text)"
        );
    }
}

#[test]
fn dependencies_point_one_way() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut above = BTreeSet::new();
    for (name, dependencies) in from_text(&text) {
        for target in &dependencies.normal {
            assert!(
                above.contains(target),
                "{name} depends on {target}, which is not described above it"
            );
            assert_ne!(
                target, "jostle-testkit",
                "{name}: the test kit is for tests only"
            );
        }
        above.insert(name);
    }
}
