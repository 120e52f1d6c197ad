//! Vertices that nothing uses, and vertices around which the faces form more than one fan.

use jostle_geom::Topology;
use jostle_geom::chunks::fill_chunks;

/// Vertices a task looks at. Changes the time taken, not the answer.
const CHUNK: usize = 4096;

/// Vertices that no face and no loose edge names, ascending. Cost: O(V + E).
pub(crate) fn unreferenced(topology: &Topology) -> Vec<u32> {
    let mut used = vec![false; topology.vertex_count()];
    for &vertex in topology
        .faces()
        .as_flattened()
        .iter()
        .chain(topology.edges().as_flattened())
    {
        used[vertex as usize] = true;
    }
    indices(&used, false)
}

/// Vertices whose faces form more than one fan: they fall apart when only faces with a common edge
/// at the vertex count as neighbours. Faces that name a vertex twice are left out. Ascending. Cost:
/// O(F log k) with k faces at the busiest vertex.
pub(crate) fn non_manifold(topology: &Topology) -> Vec<u32> {
    let around = opposite_edges(topology);
    let mut split = vec![false; topology.vertex_count()];
    fill_chunks(&mut split, CHUNK, |first, split| {
        let mut fans = Fans::default();
        for (i, split) in split.iter_mut().enumerate() {
            *split = fans.count(around.of(first + i)) > 1;
        }
    });
    indices(&split, true)
}

fn indices(flags: &[bool], wanted: bool) -> Vec<u32> {
    let all = (0_u32..).zip(flags);
    all.filter(|&(_, &flag)| flag == wanted)
        .map(|(i, _)| i)
        .collect()
}

/// For each vertex the edges that its faces have opposite to it.
struct OppositeEdges {
    starts: Vec<usize>,
    edges: Vec<[u32; 2]>,
}

impl OppositeEdges {
    fn of(&self, vertex: usize) -> &[[u32; 2]] {
        &self.edges[self.starts[vertex]..self.starts[vertex + 1]]
    }
}

fn opposite_edges(topology: &Topology) -> OppositeEdges {
    let proper = || {
        let faces = topology.faces().iter();
        faces.filter(|[a, b, c]| a != b && b != c && c != a)
    };
    let mut starts = vec![0; topology.vertex_count() + 1];
    for &vertex in proper().flatten() {
        starts[vertex as usize + 1] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut next = starts.clone();
    let mut edges = vec![[0; 2]; sum];
    for &[a, b, c] in proper() {
        for [vertex, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
            let place = &mut next[vertex as usize];
            edges[*place] = [from, to];
            *place += 1;
        }
    }
    OppositeEdges { starts, edges }
}

/// Counts connected parts of small graphs; keeps its memory between calls.
#[derive(Default)]
struct Fans {
    nodes: Vec<u32>,
    parents: Vec<usize>,
}

impl Fans {
    /// The number of connected parts of the graph with these edges. Union–find with path halving.
    fn count(&mut self, edges: &[[u32; 2]]) -> usize {
        self.nodes.clear();
        self.nodes.extend(edges.iter().flatten());
        self.nodes.sort_unstable();
        self.nodes.dedup();
        self.parents.clear();
        self.parents.extend(0..self.nodes.len());
        let mut parts = self.nodes.len();
        for edge in edges {
            // Every end is a node, so the place is always found.
            let [a, b] = edge.map(|end| self.nodes.binary_search(&end).unwrap_or(0));
            let (a, b) = (self.root(a), self.root(b));
            if a != b {
                self.parents[a.max(b)] = a.min(b);
                parts -= 1;
            }
        }
        parts
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }
}
