//! `jostle bench sdf`: contacts between distance fields.
//!
//! One thread runs every scene of the authors' demo with every optimiser; the times stand beside those of the authors' code.
//! Larger scenes show what threads give, and how time grows with the bodies. Towers, drops and piles show how good contacts are.

mod authors;
mod growth;
mod quality;
mod speed;

use std::process::ExitCode;
use std::time::Instant;

use jostle::dynamics::WorldOptions;
use jostle::sdf::contact::{ContactOptions, Optimizer};

use super::finish_with;
use crate::args::BenchConfig;
use crate::error::CliError;
use crate::progress::Progress;
use crate::report::{Page, Row, Section};

/// What a part of the suite came to.
struct Half {
    rows: Vec<Row>,
    sections: Vec<Section>,
    /// For standard output.
    text: String,
}

/// How long a world is stepped.
#[derive(Clone, Copy)]
struct Frames {
    /// Before anything is timed.
    warm: usize,
    /// Timed.
    timed: usize,
}

/// The suite at work.
struct Bench<'a> {
    config: &'a BenchConfig,
    progress: Progress,
}

impl Bench<'_> {
    /// As many as the authors took, or just a few.
    fn frames(&self) -> Frames {
        if self.config.quick {
            Frames { warm: 5, timed: 10 }
        } else {
            Frames {
                warm: 60,
                timed: 300,
            }
        }
    }

    fn options(&self, optimizer: Optimizer) -> Result<WorldOptions, CliError> {
        let level = self.config.common.simd.token()?;
        Ok(WorldOptions {
            contacts: ContactOptions {
                optimizer,
                seed: self.config.seed,
                level,
                ..ContactOptions::default()
            },
            level,
            ..WorldOptions::default()
        })
    }
}

pub(super) fn run(config: &BenchConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let mut bench = Bench {
        config,
        progress: Progress::new(authors::SCENES.len() + growth::PARTS + quality::PARTS),
    };
    let halves = [bench.speed()?, bench.growth()?, bench.quality()?];
    let frames = bench.frames();
    bench.progress.finish();

    let (mut rows, mut sections, mut text) = (Vec::new(), Vec::new(), String::new());
    for half in halves {
        rows.extend(half.rows);
        sections.extend(half.sections);
        text += &half.text;
        text.push('\n');
    }
    let page = Page {
        title: "Jostle bench: contacts of distance fields",
        summary: format!(
            "medians over {} frames after {}, 4 sub-steps each, seed {}",
            frames.timed, frames.warm, config.seed
        ),
        common: &config.common,
        sections,
    };
    finish_with(config, start, "sdf", frames.timed, rows, &text, &page)
}
