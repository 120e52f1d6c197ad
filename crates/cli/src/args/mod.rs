//! The command line in two layers: what was typed (`Raw…`, read by clap) and what it means (the
//! structs without that prefix, made by `resolve`, with defaults filled in and names looked up).

mod bake;
mod bench;
mod ccd;
mod check;
mod common;
mod demo;
mod pairs;
mod parse;
mod queries;
mod sim;

pub(crate) use bake::{BakeConfig, RawBake};
pub(crate) use bench::{BenchConfig, RawBench, Suite};
pub(crate) use ccd::{CcdConfig, RawCcd};
pub(crate) use check::{CheckConfig, RawCheck};
pub(crate) use common::{Common, RawCommon, RawQuery};
pub(crate) use demo::{DemoConfig, RawDemo};
pub(crate) use pairs::{BoxSource, PairsConfig, RawPairs};
pub(crate) use queries::{QueriesConfig, RawQueries};
pub(crate) use sim::{BodySim, GRAINS, GrainSim, RawSim, SimConfig};

use clap::{Parser, Subcommand};

/// Collision detection that never misses.
#[derive(Debug, Parser)]
#[command(name = "jostle", version, about, arg_required_else_help = true)]
pub(crate) struct RawCli {
    #[command(subcommand)]
    pub command: RawCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RawCommand {
    /// Earliest time of impact of each step between consecutive frames of a mesh
    Ccd(RawCcd),
    /// Time of impact of each query of files in the public CCD query format
    Queries(RawQueries),
    /// Which boxes overlap: a broad phase alone, on a scene or a file of boxes
    Pairs(RawPairs),
    /// Steps a scene: grains that flow, bodies that collide
    Sim(RawSim),
    /// Mesh to voxel field: signed distances on a grid, and how good they are
    Bake(RawBake),
    /// Is a mesh fit for collision: what is open, non-manifold, degenerate or intersects itself
    Check(RawCheck),
    /// A short checked run of each capability on generated scenes, with an HTML report
    Demo(RawDemo),
    /// Our own methods against each other
    Bench(RawBench),
}
