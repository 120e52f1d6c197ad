//! `jostle check`: is this mesh fit for collision?

use std::process::ExitCode;
use std::time::Instant;

use jostle::check::{Issue, Location, check};
use jostle::io::read_mesh;
use serde::Serialize;

use crate::args::CheckConfig;
use crate::error::CliError;
use crate::output::{self, Header, Table};

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    header: Header,
    vertices: usize,
    edges: usize,
    faces: usize,
    clean: bool,
    issues: Vec<OutputIssue>,
    self_intersections: Vec<[u32; 2]>,
    time_ms: Times,
}

#[derive(Debug, Serialize)]
struct OutputIssue {
    kind: &'static str,
    count: u64,
    first: Option<Place>,
}

/// A vertex or face; the vertices of an edge or two faces.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Place {
    One(u32),
    Two([u32; 2]),
}

#[derive(Debug, Serialize)]
struct Times {
    load: f64,
    check: f64,
}

pub(super) fn run(config: &CheckConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let mesh = read_mesh(&config.mesh)?;
    let loaded = Instant::now();
    let report = check(&mesh, &config.options).map_err(|error| CliError::Check {
        path: config.mesh.clone(),
        error,
    })?;
    let times = Times {
        load: loaded.duration_since(start).as_secs_f64() * 1e3,
        check: loaded.elapsed().as_secs_f64() * 1e3,
    };
    let issues = report.issues();
    if config.common.json {
        output::print_json(&Output {
            header: Header::new("check", start, &config.common),
            vertices: mesh.positions.len(),
            edges: mesh.topology.edges().len(),
            faces: mesh.topology.faces().len(),
            clean: issues.is_empty(),
            issues: issues.iter().map(output_issue).collect(),
            self_intersections: report.self_intersections,
            time_ms: times,
        })?;
    } else {
        output::print(&readable(&issues))?;
    }
    // Faults are what was asked for, so finding some is no failure.
    Ok(ExitCode::SUCCESS)
}

fn output_issue(issue: &Issue) -> OutputIssue {
    let place = |location| match location {
        Location::Vertex(id) | Location::Face(id) => Some(Place::One(id)),
        Location::Edge(ids) | Location::Faces(ids) => Some(Place::Two(ids)),
        _ => None,
    };
    OutputIssue {
        kind: issue.kind.name(),
        count: issue.count,
        first: issue.first.and_then(place),
    }
}

fn readable(issues: &[Issue]) -> String {
    if issues.is_empty() {
        return "no issues found\n".to_owned();
    }
    let mut table = Table::new(&["issue", "count", "first"]).left(2);
    for issue in issues {
        let first = issue.first.map_or(String::new(), |at| at.to_string());
        table.row([issue.kind.to_string(), issue.count.to_string(), first]);
    }
    table.to_string()
}
