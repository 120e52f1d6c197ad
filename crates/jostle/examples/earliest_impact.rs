//! The earliest time of impact of a step, and of every pair that collides in it.
//!
//! `cargo run --release --example earliest_impact [FRAME FRAME]`: two frames of a mesh from files,
//! or a cloth falling on a ball when none are given.

use std::error::Error;
use std::path::Path;

use jostle::prelude::*;
use jostle::scenes::ClothBall;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (topology, t0, t1) = if let [start, end] = arguments.as_slice() {
        let (start, end) = (read_mesh(Path::new(start))?, read_mesh(Path::new(end))?);
        if start.topology != end.topology {
            return Err("the two frames have different faces".into());
        }
        (start.topology, start.positions, end.positions)
    } else {
        let mut scene = ClothBall::default().build()?;
        let end = scene.frames.remove(1);
        (scene.topology, scene.frames.remove(0), end)
    };
    let step = MovingMesh::new(&topology, &t0, &t1)?;

    let report = earliest_impact(&step, &StepOptions::default(), &())?;
    match report.first {
        None => println!("nothing touches in this step"),
        Some(hit) => println!(
            "free up to t = {}: then {} {} meets {} {}",
            hit.toi,
            if hit.kind == PairKind::EdgeEdge {
                "edge"
            } else {
                "vertex"
            },
            hit.a,
            if hit.kind == PairKind::EdgeEdge {
                "edge"
            } else {
                "face"
            },
            hit.b
        ),
    }

    let (report, hits) = all_impacts(&step, &StepOptions::default(), &())?;
    println!(
        "{} candidates, {} of them collide within the step",
        report.candidates.vf + report.candidates.ee,
        hits.len()
    );
    Ok(())
}
