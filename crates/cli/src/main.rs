//! The `jostle` command: collision detection of mesh steps, query files and generated scenes.
//!
//! Standard output carries the result and nothing else; progress and messages go to standard
//! error. Exit status 0: done; 1: failed, with a message that names file, line or element, or a
//! self-check of `demo` that did not hold; 2: wrong usage.

mod args;
mod commands;
mod error;
mod input;
mod machine;
mod output;
mod progress;
mod render;
mod report;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match commands::run(args::RawCli::parse()) {
        Ok(code) => code,
        Err(error) => {
            // Standard error may be full or closed; the exit status says it all the same.
            let _ = writeln!(std::io::stderr(), "jostle: {error}");
            error.exit_code()
        }
    }
}
