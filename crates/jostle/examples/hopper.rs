//! Grains flow out of a hopper: counts, energy and the state hash, ten times a second.

use jostle::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Hopper {
        grains: 1_000,
        outlet: 6.0,
        recycle: false,
        ..Hopper::default()
    }
    .build()?;
    let mut flow = GrainFlow::new(&scene, &FlowOptions::default())?;
    let step = flow.time_step();
    println!(
        "{} grains, {} sub-steps of {:.2e} s a frame, stable up to {:.2e} s",
        flow.len(),
        step.substeps,
        step.dt,
        step.limit
    );
    for frame in 1..=60 {
        flow.step()?;
        if frame % 6 == 0 {
            let now = flow.report();
            println!(
                "{:.1} s: {} inside, {} drained, {} contacts, {:.0} J, state {:016x}",
                f64::from(frame) / 60.0,
                now.inside,
                now.drained,
                now.contacts,
                now.energy(),
                flow.state_hash()
            );
        }
    }
    Ok(())
}
