//! The commands: each takes its resolved options, prints its result and gives its exit status.

mod bake;
mod bench;
mod ccd;
mod check;
mod demo;
mod pairs;
mod queries;
mod sim;
mod times;
mod work;

use std::process::ExitCode;

use crate::args::{Common, RawCli, RawCommand};
use crate::error::CliError;

/// Runs a command on a pool of the threads asked for.
pub(crate) fn run(cli: RawCli) -> Result<ExitCode, CliError> {
    match cli.command {
        RawCommand::Ccd(raw) => {
            let config = raw.resolve()?;
            on_pool(&config.common, || ccd::run(&config))
        }
        RawCommand::Queries(raw) => {
            let config = raw.resolve()?;
            on_pool(&config.common, || queries::run(&config))
        }
        RawCommand::Pairs(raw) => {
            let config = raw.resolve()?;
            on_pool(&config.common, || pairs::run(&config))
        }
        RawCommand::Sim(raw) => {
            let config = raw.resolve()?;
            on_pool(config.common(), || sim::run(&config))
        }
        RawCommand::Bake(raw) => {
            let config = raw.resolve()?;
            on_pool(&config.common, || bake::run(&config))
        }
        RawCommand::Check(raw) => {
            let config = raw.resolve()?;
            on_pool(&config.common, || check::run(&config))
        }
        RawCommand::Demo(raw) => {
            let config = raw.resolve()?;
            on_pool(&config.common, || demo::run(&config))
        }
        // A bench makes its own pools: threads are one of the things it compares.
        RawCommand::Bench(raw) => bench::run(&raw.resolve()?),
    }
}

/// Runs `work` where rayon sees the threads asked for and no others.
fn on_pool<T: Send>(
    common: &Common,
    work: impl FnOnce() -> Result<T, CliError> + Send,
) -> Result<T, CliError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(common.threads)
        .build()?
        .install(work)
}
