//! Every pair of a step, one scalar test each.

use core::ops::ControlFlow;

use jostle_geom::{Aabb, MovingBoxes, PairKind, Topology};

use super::Sink;
use super::sample::Chosen;
use crate::pair_buffer::PairBuffer;
use crate::tuning::BRUTE_ROWS;

#[derive(Debug)]
pub(super) struct BruteStep {
    boxes: MovingBoxes,
}

impl BruteStep {
    pub(super) fn build(boxes: &MovingBoxes) -> Self {
        Self {
            boxes: boxes.clone(),
        }
    }

    fn vertex_tasks(&self) -> usize {
        self.boxes.vertices.len().div_ceil(BRUTE_ROWS)
    }

    pub(super) fn task_count(&self) -> usize {
        self.vertex_tasks() + self.boxes.edges.len().div_ceil(BRUTE_ROWS)
    }

    pub(super) fn run_task(
        &self,
        topology: &Topology,
        task: usize,
        buffer: &mut PairBuffer,
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        let rows = |task: usize, count: usize| {
            (task * BRUTE_ROWS..count.min((task + 1) * BRUTE_ROWS)).map(|i| i as u32)
        };
        if let Some(task) = task.checked_sub(self.vertex_tasks()) {
            let edges = rows(task, self.boxes.edges.len());
            return self.edge_edge(topology, edges, true, buffer, sink);
        }
        let vertices = rows(task, self.boxes.vertices.len());
        self.vertex_face(topology, vertices, buffer, sink)
    }

    pub(super) fn sample(
        &self,
        topology: &Topology,
        chosen: &Chosen,
        buffer: &mut PairBuffer,
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        let vertices = chosen.vertices.iter().copied();
        self.vertex_face(topology, vertices, buffer, sink)?;
        let edges = chosen.edges.iter().copied();
        self.edge_edge(topology, edges, false, buffer, sink)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let boxes = &self.boxes;
        (boxes.vertices.capacity() + boxes.edges.capacity() + boxes.faces.capacity())
            * size_of::<Aabb>()
    }

    fn vertex_face(
        &self,
        topology: &Topology,
        vertices: impl Iterator<Item = u32>,
        buffer: &mut PairBuffer,
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        let mut flush = |pairs: &[[u32; 2]]| sink(PairKind::VertexFace, pairs);
        for v in vertices {
            let vertex_box = &self.boxes.vertices[v as usize];
            for (f, face_box) in self.boxes.faces.iter().enumerate() {
                if vertex_box.overlaps(face_box) && !topology.faces()[f].contains(&v) {
                    buffer.reserve(1, &mut flush)?;
                    buffer.push([v, f as u32]);
                }
            }
        }
        buffer.finish(&mut flush)
    }

    /// Pairs of `edges` with the edges after them, or with all others.
    fn edge_edge(
        &self,
        topology: &Topology,
        edges: impl Iterator<Item = u32>,
        only_after: bool,
        buffer: &mut PairBuffer,
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        let mut flush = |pairs: &[[u32; 2]]| sink(PairKind::EdgeEdge, pairs);
        for i in edges {
            let (edge_box, edge) = (&self.boxes.edges[i as usize], topology.edges()[i as usize]);
            let first = if only_after { i as usize + 1 } else { 0 };
            for (j, other_box) in self.boxes.edges.iter().enumerate().skip(first) {
                let other = topology.edges()[j];
                let shared = edge.contains(&other[0]) || edge.contains(&other[1]);
                if edge_box.overlaps(other_box) && !shared {
                    buffer.reserve(1, &mut flush)?;
                    buffer.push([i.min(j as u32), i.max(j as u32)]);
                }
            }
        }
        buffer.finish(&mut flush)
    }
}
