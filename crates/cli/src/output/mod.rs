//! Where results go: standard output, and files that are never left half written.

mod atomic_file;
mod table;

pub(crate) use atomic_file::AtomicFile;
pub(crate) use table::Table;

use std::io::{ErrorKind, Write};
use std::time::Instant;

use serde::Serialize;

use crate::args::Common;
use crate::error::CliError;
use crate::machine::Memory;

/// What every JSON object starts with.
#[derive(Debug, Serialize)]
pub(crate) struct Header {
    schema: String,
    total_ms: f64,
    threads: usize,
    simd: &'static str,
    peak_rss_bytes: Option<u64>,
}

impl Header {
    /// Taken at the end of a command that began at `start`.
    pub(crate) fn new(command: &str, start: Instant, common: &Common) -> Self {
        Self {
            schema: format!("jostle.{command}/1"),
            total_ms: start.elapsed().as_secs_f64() * 1e3,
            threads: common.threads,
            simd: common.simd.name(),
            peak_rss_bytes: Memory::now().peak,
        }
    }
}

/// Nanoseconds as milliseconds.
pub(crate) fn milliseconds(ns: u64) -> f64 {
    ns as f64 / 1e6
}

/// Writes one JSON object and a newline to standard output.
pub(crate) fn print_json(object: &impl Serialize) -> Result<(), CliError> {
    let mut text = serde_json::to_string_pretty(object)
        .map_err(|error| CliError::Stdout(std::io::Error::from(error)))?;
    text.push('\n');
    print(&text)
}

/// Writes text to standard output. A reader that has gone away is no error.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
        _ => Ok(()),
    }
}
