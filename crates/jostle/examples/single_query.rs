//! The time of impact of one pair of primitives, by each narrow phase and in exact arithmetic.

use std::error::Error;

use jostle::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    // Two edges: one along x at rest, one along y that falls across it and reaches it at t = 1/3.
    let edges = |z: f64| {
        [
            [-1.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, -1.0, z],
            [0.0, 1.0, z],
        ]
    };
    let query = Query::edge_edge(edges(0.1).map(DVec3::from), edges(-0.2).map(DVec3::from));

    for method in NarrowPhase::ALL {
        let answer = time_of_impact(&query, method, &QueryOptions::default())?;
        describe(method.name(), answer.outcome);
    }

    // What rounding leaves in doubt can be settled in exact arithmetic.
    let exact = QueryOptions {
        exact: true,
        ..QueryOptions::default()
    };
    let answer = time_of_impact(&query, NarrowPhase::default(), &exact)?;
    describe("exact", answer.outcome);

    // Contact can count from a distance on.
    let thick = QueryOptions {
        min_separation: 0.05,
        ..QueryOptions::default()
    };
    let answer = time_of_impact(&query, NarrowPhase::default(), &thick)?;
    describe("within 5 cm", answer.outcome);
    Ok(())
}

fn describe(method: &str, outcome: Outcome) {
    match outcome {
        Outcome::Free => println!("{method:>12}: free"),
        Outcome::Impact { toi } => println!("{method:>12}: free up to t = {toi}, then contact"),
        Outcome::Undecided { toi } => println!("{method:>12}: free up to t = {toi}, then unknown"),
        _ => println!("{method:>12}: {outcome:?}"),
    }
}
