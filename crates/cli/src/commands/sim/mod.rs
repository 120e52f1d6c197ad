//! `jostle sim`: steps a scene of grains or of bodies.

mod bodies;
mod grains;
mod recording;

use std::process::ExitCode;
use std::time::Instant;

use jostle::scenes::bodies::BodySceneKind;
use jostle::scenes::grains::GrainSceneKind;
use serde::Serialize;

use crate::args::{Common, SimConfig};
use crate::error::CliError;
use crate::output::{self, Header, Table};

pub(crate) use bodies::{BodyRun, draw_bodies};
pub(crate) use grains::{Flow, Moment, draw};

#[derive(Debug, Serialize)]
struct List {
    #[serde(flatten)]
    header: Header,
    scenes: Vec<Listed>,
}

#[derive(Debug, Serialize)]
struct Listed {
    name: &'static str,
    /// Of `grains` or `bodies`.
    kind: &'static str,
    /// By default; all of them, fixed ones too.
    bodies: usize,
    summary: &'static str,
}

impl SimConfig {
    /// What every command has.
    pub(super) fn common(&self) -> &Common {
        match self {
            Self::List(common) => common,
            Self::Grains(sim) => &sim.run.common,
            Self::Bodies(sim) => &sim.run.common,
        }
    }
}

pub(super) fn run(config: &SimConfig) -> Result<ExitCode, CliError> {
    match config {
        SimConfig::List(common) => list(common),
        SimConfig::Grains(sim) => grains::run(sim),
        SimConfig::Bodies(sim) => bodies::run(sim),
    }
}

fn list(common: &Common) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let of_bodies = BodySceneKind::ALL.map(|scene| Listed {
        name: scene.name(),
        kind: "bodies",
        bodies: scene.default_bodies(),
        summary: scene.summary(),
    });
    let of_grains = GrainSceneKind::ALL.map(|scene| Listed {
        name: scene.name(),
        kind: "grains",
        bodies: crate::args::GRAINS,
        summary: scene.summary(),
    });
    let scenes: Vec<_> = of_bodies.into_iter().chain(of_grains).collect();
    if common.json {
        output::print_json(&List {
            header: Header::new("sim", start, common),
            scenes,
        })?;
    } else {
        let mut table = Table::new(&["scene", "of", "bodies", "what it is"])
            .left(1)
            .left(3);
        for scene in scenes {
            table.row([
                scene.name.to_owned(),
                scene.kind.to_owned(),
                scene.bodies.to_string(),
                scene.summary.to_owned(),
            ]);
        }
        output::print(&table.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
