//! A step by Hilbert trees of eights: the edge tree joined with itself, the vertex tree with the
//! face tree. One tree for both kinds would meet vertices with edges for nothing.

use core::ops::ControlFlow;

use fearless_simd::{Level, dispatch, prelude::*, u32x8};
use jostle_geom::chunks::both;
use jostle_geom::{Aabb, MovingBoxes, PairKind, Topology};

use super::sample::{Chosen, boxes_of};
use super::{Scratch, Sink};
use crate::h8::{Filter, Join, Tree, join_level};

/// For each leaf the vertices of its primitives, `N` a primitive, coordinate by coordinate.
type Corners<const N: usize> = Vec<[[u32; 8]; N]>;

#[derive(Debug)]
pub(super) struct H8Step {
    vertices: Tree,
    edges: Tree,
    faces: Tree,
    edge_ends: Corners<2>,
    face_corners: Corners<3>,
}

impl H8Step {
    pub(super) fn build(topology: &Topology, boxes: &MovingBoxes, level: Level) -> Self {
        // Edges are about as many as vertices and faces together.
        let ((edges, edge_ends), (vertices, (faces, face_corners))) = both(
            || with_corners(&boxes.edges, topology.edges(), level),
            || {
                (
                    Tree::build(&boxes.vertices, level),
                    with_corners(&boxes.faces, topology.faces(), level),
                )
            },
        );
        Self {
            vertices,
            edges,
            faces,
            edge_ends,
            face_corners,
        }
    }

    pub(super) fn refit(&mut self, topology: &Topology, boxes: &MovingBoxes, level: Level) {
        let Self {
            vertices,
            edges,
            faces,
            edge_ends,
            face_corners,
        } = self;
        both(
            || {
                if edges.refit(&boxes.edges, level) {
                    *edge_ends = corners(edges, topology.edges());
                }
            },
            || {
                vertices.refit(&boxes.vertices, level);
                if faces.refit(&boxes.faces, level) {
                    *face_corners = corners(faces, topology.faces());
                }
            },
        );
    }

    pub(super) fn task_count(&self) -> usize {
        self.vertices.task_count() + self.edges.task_count()
    }

    pub(super) fn run_task(
        &self,
        task: usize,
        level: Level,
        scratch: &mut Scratch,
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        if task < self.vertices.task_count() {
            self.vertex_face(&self.vertices, task, level, scratch, sink)
        } else {
            let Scratch { buffer, nodes } = scratch;
            let join = Join {
                a: &self.edges,
                b: &self.edges,
                filter: SharedEnd {
                    a: &self.edge_ends,
                    b: &self.edge_ends,
                },
            };
            let mut flush = |pairs: &[[u32; 2]]| sink(PairKind::EdgeEdge, pairs);
            let task = task - self.vertices.task_count();
            dispatch!(join_level(level), simd =>
                join.run::<true, _>(simd, task, nodes, buffer, &mut flush))?;
            buffer.finish(&mut flush)
        }
    }

    /// Joins small trees of the chosen primitives with the whole ones.
    pub(super) fn sample(
        &self,
        topology: &Topology,
        boxes: &MovingBoxes,
        chosen: &Chosen,
        level: Level,
        scratch: &mut Scratch,
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        let mut vertices = Tree::build(&boxes_of(&chosen.vertices, &boxes.vertices), level);
        vertices.rename(&chosen.vertices);
        for task in 0..vertices.task_count() {
            self.vertex_face(&vertices, task, level, scratch, sink)?;
        }
        let mut edges = Tree::build(&boxes_of(&chosen.edges, &boxes.edges), level);
        edges.rename(&chosen.edges);
        let ends = corners(&edges, topology.edges());
        let join = Join {
            a: &edges,
            b: &self.edges,
            filter: SharedEnd {
                a: &ends,
                b: &self.edge_ends,
            },
        };
        let Scratch { buffer, nodes } = scratch;
        let mut sorted = Vec::new();
        let mut flush = |pairs: &[[u32; 2]]| {
            sorted.clear();
            sorted.extend(pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]));
            sink(PairKind::EdgeEdge, &sorted)
        };
        for task in 0..edges.task_count() {
            dispatch!(join_level(level), simd =>
                join.run::<false, _>(simd, task, nodes, buffer, &mut flush))?;
        }
        buffer.finish(&mut flush)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.vertices.memory_bytes()
            + self.edges.memory_bytes()
            + self.faces.memory_bytes()
            + self.edge_ends.capacity() * size_of::<[[u32; 8]; 2]>()
            + self.face_corners.capacity() * size_of::<[[u32; 8]; 3]>()
    }

    fn vertex_face(
        &self,
        vertices: &Tree,
        task: usize,
        level: Level,
        scratch: &mut Scratch,
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        let Scratch { buffer, nodes } = scratch;
        let join = Join {
            a: vertices,
            b: &self.faces,
            filter: Corner {
                vertices: vertices.ids(),
                faces: &self.face_corners,
            },
        };
        let mut flush = |pairs: &[[u32; 2]]| sink(PairKind::VertexFace, pairs);
        dispatch!(join_level(level), simd =>
            join.run::<false, _>(simd, task, nodes, buffer, &mut flush))?;
        buffer.finish(&mut flush)
    }
}

/// The tree of the primitives' boxes and their vertices.
fn with_corners<const N: usize>(
    boxes: &[Aabb],
    primitives: &[[u32; N]],
    level: Level,
) -> (Tree, Corners<N>) {
    let tree = Tree::build(boxes, level);
    let corners = corners(&tree, primitives);
    (tree, corners)
}

/// The vertices of each leaf's primitives; `u32::MAX`, which is no vertex, in empty lanes.
fn corners<const N: usize>(tree: &Tree, primitives: &[[u32; N]]) -> Corners<N> {
    let mut out = vec![[[u32::MAX; 8]; N]; tree.ids().len()];
    for (out, ids) in out.iter_mut().zip(tree.ids()) {
        for (lane, &id) in ids.iter().enumerate() {
            if let Some(primitive) = primitives.get(id as usize) {
                for (out, &vertex) in out.iter_mut().zip(primitive) {
                    out[lane] = vertex;
                }
            }
        }
    }
    out
}

/// Rejects edges that share a vertex.
#[derive(Clone, Copy)]
struct SharedEnd<'a> {
    a: &'a [[[u32; 8]; 2]],
    b: &'a [[[u32; 8]; 2]],
}

impl Filter for SharedEnd<'_> {
    #[inline(always)]
    fn reject<S: Simd>(self, simd: S, leaf_a: usize, lane_a: usize, leaf_b: usize) -> u32 {
        let (a, b) = (&self.a[leaf_a], &self.b[leaf_b]);
        let a0 = u32x8::splat(simd, a[0][lane_a]);
        let a1 = u32x8::splat(simd, a[1][lane_a]);
        let b0 = u32x8::load_array_ref(simd, &b[0]);
        let b1 = u32x8::load_array_ref(simd, &b[1]);
        let mask = (a0.simd_eq(b0) | a0.simd_eq(b1)) | (a1.simd_eq(b0) | a1.simd_eq(b1));
        mask.to_bitmask() as u32
    }

    #[inline(always)]
    fn reject_all<S: Simd>(self, simd: S, leaf_a: usize, leaf_b: usize) -> u64 {
        let (a, b) = (&self.a[leaf_a], &self.b[leaf_b]);
        let b0 = u32x8::load_array_ref(simd, &b[0]);
        let b1 = u32x8::load_array_ref(simd, &b[1]);
        let mut shared = 0;
        for (lane, (&a0, &a1)) in a[0].iter().zip(&a[1]).enumerate() {
            let (a0, a1) = (u32x8::splat(simd, a0), u32x8::splat(simd, a1));
            let mask = (a0.simd_eq(b0) | a0.simd_eq(b1)) | (a1.simd_eq(b0) | a1.simd_eq(b1));
            shared |= mask.to_bitmask() << (8 * lane);
        }
        shared
    }
}

/// Rejects a face's own vertices.
#[derive(Clone, Copy)]
struct Corner<'a> {
    vertices: &'a [[u32; 8]],
    faces: &'a [[[u32; 8]; 3]],
}

impl Filter for Corner<'_> {
    #[inline(always)]
    fn reject<S: Simd>(self, simd: S, leaf_a: usize, lane_a: usize, leaf_b: usize) -> u32 {
        let faces = &self.faces[leaf_b];
        let vertex = u32x8::splat(simd, self.vertices[leaf_a][lane_a]);
        let c0 = u32x8::load_array_ref(simd, &faces[0]);
        let c1 = u32x8::load_array_ref(simd, &faces[1]);
        let c2 = u32x8::load_array_ref(simd, &faces[2]);
        let mask = (vertex.simd_eq(c0) | vertex.simd_eq(c1)) | vertex.simd_eq(c2);
        mask.to_bitmask() as u32
    }

    #[inline(always)]
    fn reject_all<S: Simd>(self, simd: S, leaf_a: usize, leaf_b: usize) -> u64 {
        let (vertices, faces) = (&self.vertices[leaf_a], &self.faces[leaf_b]);
        let c0 = u32x8::load_array_ref(simd, &faces[0]);
        let c1 = u32x8::load_array_ref(simd, &faces[1]);
        let c2 = u32x8::load_array_ref(simd, &faces[2]);
        let mut shared = 0;
        for (lane, &vertex) in vertices.iter().enumerate() {
            let vertex = u32x8::splat(simd, vertex);
            let mask = (vertex.simd_eq(c0) | vertex.simd_eq(c1)) | vertex.simd_eq(c2);
            shared |= mask.to_bitmask() << (8 * lane);
        }
        shared
    }
}
