//! Queries that are degenerate on purpose.

use glam::DVec3;
use jostle::ccd::Query;
use jostle::geom::PairKind;
use jostle::scenes::Rng;

/// How a query is made hard.
const VARIANTS: u64 = 8;

/// Queries in a fixed order: vertex–face and edge–edge in turn, each variant in turn.
pub(super) fn generate(seed: u64, count: usize) -> Vec<Query> {
    (0..count as u64)
        .map(|index| {
            let mut rng = Rng::new(seed ^ 0x5EED_0FA0_0123_4567, index);
            let kind = if index % 2 == 0 {
                PairKind::VertexFace
            } else {
                PairKind::EdgeEdge
            };
            variant(&mut rng, kind, index / 2 % VARIANTS)
        })
        .collect()
}

/// A point with coordinates in quarters from −1 to 1: few enough for coincidences.
fn lattice(rng: &mut Rng) -> DVec3 {
    let mut coordinate = || rng.index(9) as f64 * 0.25 - 1.0;
    DVec3::new(coordinate(), coordinate(), coordinate())
}

fn variant(rng: &mut Rng, kind: PairKind, variant: u64) -> Query {
    let mut t0 = [0; 4].map(|_| lattice(rng));
    let mut t1 = [0; 4].map(|_| lattice(rng));
    match variant {
        // Points of a coarse lattice: coplanar, parallel, touching at 0 or 1, all at once.
        0 => {}
        // All motion in one plane.
        1 => {
            for p in t0.iter_mut().chain(&mut t1) {
                p.z = 0.0;
            }
        }
        // Rigid pieces that slide along each other.
        2 => {
            let split = split(kind);
            let (first, second) = (lattice(rng), lattice(rng));
            for i in 0..4 {
                t1[i] = t0[i] + if i < split { first } else { second };
            }
        }
        // Parallel edges, or a vertex moving in the plane of its face.
        3 => {
            t0[3] = t0[2] + (t0[1] - t0[0]);
            t1[3] = t1[2] + (t1[1] - t1[0]);
        }
        // A primitive that has collapsed to a segment or a point.
        4 => {
            t0[3] = t0[2];
            t1[3] = t1[2];
        }
        // Nothing special, at full precision.
        5 => {
            t0 = [0; 4].map(|_| rng.cube());
            t1 = [0; 4].map(|_| rng.cube());
        }
        // Far from the origin.
        6 => {
            let far = rng.direction() * 1e6;
            for p in t0.iter_mut().chain(&mut t1) {
                *p = rng.cube() + far;
            }
        }
        // Tiny, and missing or hitting by a hair.
        _ => {
            let hair = rng.cube() * 1e-15;
            t0[0] += hair;
            for p in t0.iter_mut().chain(&mut t1) {
                *p *= 1e-9;
            }
        }
    }
    Query { kind, t0, t1 }
}

/// How many of the four points belong to the first primitive.
fn split(kind: PairKind) -> usize {
    match kind {
        PairKind::VertexFace => 1,
        PairKind::EdgeEdge => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_finite_and_repeat() {
        let queries = generate(3, 200);
        assert_eq!(queries, generate(3, 200));
        assert!(queries.iter().all(|query| query.validate().is_ok()));
    }
}
