//! A line search that never lets the mesh touch itself: each proposed motion is cut to the longest
//! step that keeps every pair of primitives at least a fifth of its distance apart.

use std::error::Error;

use jostle::ccd::step::{CollisionFreeOptions, collision_free_step};
use jostle::prelude::*;
use jostle::scenes::ClothBall;

fn main() -> Result<(), Box<dyn Error>> {
    let scene = ClothBall::default().build()?;
    let goal = &scene.frames[1];
    let mut state = scene.frames[0].clone();

    for round in 1..=5 {
        let motion = MovingMesh::new(&scene.topology, &state, goal)?;
        let found = collision_free_step(&motion, &CollisionFreeOptions::default(), &())?;
        println!("round {round}: {:.6} of the motion is allowed", found.step);

        let next = |(p, q): (&DVec3, &DVec3)| *p + (*q - *p) * found.step;
        let accepted: Vec<DVec3> = state.iter().zip(goal).map(next).collect();
        let step = MovingMesh::new(&scene.topology, &state, &accepted)?;
        let report = earliest_impact(&step, &StepOptions::default(), &())?;
        assert!(report.first.is_none(), "the step taken is free of contact");
        state = accepted;
    }
    Ok(())
}
