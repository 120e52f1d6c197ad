//! Edges with too few or too many faces, or with faces that disagree.

use crate::sorted;

/// The edges of the faces that something is wrong with, each `[smaller, larger]` vertex, sorted by
/// larger, then by smaller vertex.
#[derive(Debug, Default)]
pub(crate) struct EdgeFaults {
    pub(crate) open: Vec<[u32; 2]>,
    pub(crate) non_manifold: Vec<[u32; 2]>,
    pub(crate) inconsistent: Vec<[u32; 2]>,
}

/// Counts the faces of each edge. Faces that name a vertex twice are left out: they have no three
/// edges. Cost: O(F log F).
pub(crate) fn edge_faults(faces: &[[u32; 3]]) -> EdgeFaults {
    // Larger vertex in the high half, so that keys are in the order of edges; then the direction.
    let half_edge = |a: u32, b: u32| {
        let key = (u64::from(a.max(b)) << 32) | u64::from(a.min(b));
        (key, a > b)
    };
    let proper = faces.iter().filter(|[a, b, c]| a != b && b != c && c != a);
    let half_edges = sorted(
        proper
            .flat_map(|&[a, b, c]| [half_edge(a, b), half_edge(b, c), half_edge(c, a)])
            .collect(),
    );
    let mut faults = EdgeFaults::default();
    for same in half_edges.chunk_by(|a, b| a.0 == b.0) {
        let key = same[0].0;
        let edge = [key as u32, (key >> 32) as u32];
        match same {
            [_] => faults.open.push(edge),
            [first, second] if first.1 == second.1 => faults.inconsistent.push(edge),
            [_, _] => {}
            _ => faults.non_manifold.push(edge),
        }
    }
    faults
}
