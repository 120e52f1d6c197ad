//! Where a mesh is open.

use glam::DVec3;

/// An edge along which the faces on its two sides do not cancel: the border of a hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OpenEdge {
    pub(crate) middle: DVec3,
    /// Its length, times the number of faces that miss.
    pub(crate) length: f64,
    /// Half of its plain length.
    pub(crate) radius: f64,
}

/// The edges whose faces do not cancel, after vertices at the same place have been made one: a closed surface has none,
/// in however many pieces it was stored. Cost: O(n log n).
pub(super) fn open_edges(triangles: &[[DVec3; 3]]) -> Vec<OpenEdge> {
    let ids = welded(triangles);
    // Smaller vertex, larger vertex, direction, corner.
    let mut edges = Vec::with_capacity(ids.len());
    for triangle in 0..triangles.len() {
        for k in 0..3 {
            let (a, b) = (ids[3 * triangle + k], ids[3 * triangle + (k + 1) % 3]);
            if a != b {
                edges.push((a.min(b), a.max(b), a < b, (triangle, k)));
            }
        }
    }
    edges.sort_unstable();
    let mut open = Vec::new();
    for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let forward = same.iter().filter(|edge| edge.2).count();
        let missing = forward.abs_diff(same.len() - forward);
        if missing > 0 {
            let (triangle, k) = same[0].3;
            let (a, b) = (triangles[triangle][k], triangles[triangle][(k + 1) % 3]);
            let length = a.distance(b);
            open.push(OpenEdge {
                middle: 0.5 * (a + b),
                length: length * missing as f64,
                radius: 0.5 * length,
            });
        }
    }
    open
}

/// For each corner an id of its place.
fn welded(triangles: &[[DVec3; 3]]) -> Vec<u32> {
    // Adding zero turns −0 into 0.
    let bits = |v: DVec3| (v + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut corners: Vec<_> = triangles
        .as_flattened()
        .iter()
        .enumerate()
        .map(|(corner, &vertex)| (bits(vertex), corner as u32))
        .collect();
    corners.sort_unstable();
    let mut ids = vec![0; corners.len()];
    let mut id = 0;
    for (i, &(place, corner)) in corners.iter().enumerate() {
        if i > 0 && corners[i - 1].0 != place {
            id += 1;
        }
        ids[corner as usize] = id;
    }
    ids
}
