//! Jostle against its peers: the same data, in one process, results compared before they are timed.
//!
//! `README.md` in this folder says how to run it, what the rows mean and what keeps them fair.

mod build;
mod clock;
mod cost;
mod grains;
mod join;
mod mixed;
mod ours;
mod pairs;
mod peers;
mod queries;
mod row;

use clap::{Parser, ValueEnum};
use row::Row;

/// Jostle against its peers.
#[derive(Parser)]
struct Args {
    /// What to compare.
    suite: Suite,
    /// One JSON object on stdout instead of a table.
    #[arg(long)]
    json: bool,
    /// Only works whose name contains this; may be given several times.
    #[arg(long)]
    only: Vec<String>,
    /// Fewer repeats, no sizes of a million.
    #[arg(long)]
    quick: bool,
    /// Threads for ours and the peers that can use them.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Time what the thread computes, not what passes: for a busy machine and one thread.
    #[arg(long)]
    cpu_time: bool,
    /// Frames of the mixed works.
    #[arg(long)]
    frames: Option<usize>,
    /// Repeats of everything else.
    #[arg(long)]
    repeats: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Suite {
    /// Broad phases: mixed frames, self-joins, builds, rays, box overlaps.
    Broad,
    /// Granular flow: a hopper.
    Grains,
}

/// What all works need to know.
pub struct Options {
    only: Vec<String>,
    quick: bool,
    threads: usize,
    frames: usize,
    repeats: Option<usize>,
}

impl Options {
    /// Whether a work was asked for.
    pub fn wants(&self, work: &str, boxes: usize) -> bool {
        let asked = self.only.is_empty() || self.only.iter().any(|part| work.contains(part));
        asked && !(self.quick && boxes >= 1_000_000)
    }

    /// How often to repeat a work over this many boxes.
    pub fn repeats(&self, boxes: usize) -> usize {
        let usual = match boxes {
            0..=5_000 => 101,
            5_001..=50_000 => 41,
            50_001..=500_000 => 15,
            _ => 5,
        };
        self.repeats
            .unwrap_or(if self.quick { usual / 4 + 1 } else { usual })
    }
}

/// 1,000 as 1k and so on, as the names of works have it.
pub fn short(count: usize) -> String {
    match count {
        n if n >= 1_000_000 => format!("{}m", n / 1_000_000),
        n if n >= 1_000 => format!("{}k", n / 1_000),
        n => n.to_string(),
    }
}

fn run(args: Args) -> Result<(), String> {
    if args.threads > 1 && !cfg!(feature = "parallel") {
        return Err("more than one thread needs `--features parallel`".to_owned());
    }
    if args.cpu_time {
        if args.threads > 1 {
            return Err("`--cpu-time` is for one thread".to_owned());
        }
        clock::count_cpu_time();
    }
    let rustflags = option_env!("RUSTFLAGS").unwrap_or("");
    eprintln!(
        "RUSTFLAGS at build time: {rustflags:?}; threads: {}",
        args.threads
    );
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads)
        .build()
        .map_err(|error| error.to_string())?;
    let options = Options {
        only: args.only,
        quick: args.quick,
        threads: args.threads,
        frames: args.frames.unwrap_or(if args.quick { 24 } else { 120 }),
        repeats: args.repeats,
    };
    // On a thread of the pool: nothing is handed over to another one when there is only one, and
    // the time it computes is all there is.
    let rows = pool.install(|| compare(args.suite, &options))?;
    if args.json {
        println!(
            "{}",
            serde_json::json!({ "rows": rows, "rustflags": rustflags })
        );
    } else {
        row::print_table(&rows);
    }
    Ok(())
}

fn compare(suite: Suite, options: &Options) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    match suite {
        Suite::Broad => {
            mixed::run(options, &mut rows)?;
            join::run(options, &mut rows)?;
            build::run(options, &mut rows)?;
            queries::run(options, &mut rows)?;
        }
        Suite::Grains => grains::run(options, &mut rows)?,
    }
    Ok(rows)
}

fn main() -> std::process::ExitCode {
    match run(Args::parse()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            std::process::ExitCode::FAILURE
        }
    }
}
