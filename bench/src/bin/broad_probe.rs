//! Holds one step of a mesh and times its broad phase on request: our half of
//! `bench/compare/ccd.py`, so that both sides repeat in a process that is already warm.
//!
//! `broad_probe FRAME FRAME THREADS [METHOD]` reads lines from standard input and answers each with
//! a line `{"ms", "vf", "ee"}`:
//! - `collect`: all candidates, delivered to fresh memory;
//! - `collect-again`: the same, into the memory of the time before;
//! - `stream`: all candidates, handed on in chunks;
//! - `boxes`: the boxes alone;
//! - `step`: the whole step with default options; its answer has the time of impact, `toi`, as well.
//!
//! Making the boxes and building the tree are always inside the clock, as they are for the peers.

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use jostle::broad::step::{StepBroadPhase, StepMethod};
use jostle::ccd::step::{CandidateCounts, StepOptions, earliest_impact};
use jostle::geom::MovingBoxes;
use jostle::simd::SimdLevel;
use jostle_bench::{Collected, Counts, Step, collect, stream};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [start, end, threads, method @ ..] = arguments.as_slice() else {
        return Err("usage: broad_probe FRAME FRAME THREADS [METHOD]".into());
    };
    let method = match method.first() {
        Some(name) => name.parse()?,
        None => StepMethod::default(),
    };
    let step = Step::read(Path::new(start), Path::new(end))?;
    let mesh = step.mesh()?;
    let level = SimdLevel::Auto.token()?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.parse()?)
        .build()?;

    let mut found = Collected::default();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line != "collect-again" {
            // Given back outside the clock, as it is for the peers.
            found = Collected::default();
        }
        let clock = Instant::now();
        let mut toi = None;
        let counts = pool.install(|| -> Result<Counts, Box<dyn Error + Send + Sync>> {
            if line == "step" {
                let report = earliest_impact(&mesh, &StepOptions::default(), &())?;
                toi = report.first.map(|hit| hit.toi);
                let CandidateCounts { vf, ee } = report.candidates;
                let [vf, ee] = [vf, ee].map(|n| n as usize);
                return Ok(Counts { vf, ee });
            }
            let boxes = MovingBoxes::compute(&mesh, 1.0, 0.0, level);
            if line == "boxes" {
                return Ok(Counts::default());
            }
            let phase = StepBroadPhase::build(method, &step.topology, &boxes, level);
            match line.as_str() {
                "stream" => Ok(stream(&phase, &step.topology)),
                "collect" | "collect-again" => {
                    collect(&phase, &step.topology, &mut found);
                    Ok(found.counts())
                }
                other => Err(format!("unknown work {other:?}").into()),
            }
        });
        let counts = counts.map_err(|error| error.to_string())?;
        let ms = clock.elapsed().as_secs_f64() * 1e3;
        let answer = serde_json::json!({ "ms": ms, "vf": counts.vf, "ee": counts.ee, "toi": toi });
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
