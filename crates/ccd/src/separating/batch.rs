//! Many candidates of one step: what can be rejected eight or four at a time is, the rest is
//! marched.

use fearless_simd::{Level, Simd, SimdBase, dispatch, f64x4};
use glam::DVec3;
use jostle_geom::{MovingMesh, PairKind, Topology};

use super::dop::Dops;
use super::lanes::{Lanes, transpose};
use crate::tolerances::{DOP_CANDIDATES, LARGEST_FOR_LANES};
use crate::{Query, QueryOptions};

/// A vertex at the start and the end of a step, as two four-lane rows `x, y, z, 0`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Point {
    start: [f64; 4],
    end: [f64; 4],
}

/// A step prepared for the separating march.
#[derive(Debug)]
pub(crate) struct Batch<'a> {
    topology: &'a Topology,
    points: Vec<Point>,
    /// Bounds of all elements, where there are enough candidates to pay for them.
    dops: Option<Dops>,
    /// Whether no coordinate is so large that products on the lanes could overflow.
    lanes_fit: bool,
    level: Level,
}

impl<'a> Batch<'a> {
    /// Prepares the vertices of a step. Cost: O(V).
    pub(crate) fn new(mesh: &MovingMesh<'a>, level: Level) -> Self {
        let row = |p: &DVec3| [p.x, p.y, p.z, 0.0];
        let ends = mesh.t0().iter().zip(mesh.t1());
        let points: Vec<_> = ends
            .map(|(p, q)| Point {
                start: row(p),
                end: row(q),
            })
            .collect();
        let largest = |m: f64, p: &DVec3| m.max(p.abs().max_element());
        let size = mesh.t0().iter().chain(mesh.t1()).fold(0.0, largest);
        Self {
            topology: mesh.topology(),
            points,
            dops: None,
            lanes_fit: size <= LARGEST_FOR_LANES,
            level,
        }
    }

    /// Bounds all elements over `[0, t_max]` along the diagonals, if the expected number of
    /// candidates is worth it. Until the next call, only queries with these options are rejected
    /// rightly. Cost: O(V + E + F).
    pub(crate) fn bound(&mut self, mesh: &MovingMesh<'a>, options: &QueryOptions, candidates: u64) {
        let worth = candidates > DOP_CANDIDATES * mesh.topology().box_count() as u64;
        self.dops =
            worth.then(|| Dops::new(mesh, options.t_max, options.min_separation, self.level));
    }

    /// Drops pairs that are proved free of contact on `[0, t_max]` by their bounds, by the sign of
    /// their cubic, or by one direction around its root, and writes the others to `left`.
    pub(crate) fn reject(
        &self,
        kind: PairKind,
        pairs: &[[u32; 2]],
        options: &QueryOptions,
        left: &mut Vec<[u32; 2]>,
    ) {
        left.clear();
        dispatch!(self.level, simd => {
            self.reject_by_dops(simd, kind, pairs, left);
            if self.lanes_fit {
                self.reject_by_lanes::<_, CUBIC>(simd, kind, options, left);
                self.reject_by_lanes::<_, DIRECTION>(simd, kind, options, left);
            }
        });
    }

    #[inline(always)]
    fn reject_by_dops<S: Simd>(
        &self,
        simd: S,
        kind: PairKind,
        pairs: &[[u32; 2]],
        left: &mut Vec<[u32; 2]>,
    ) {
        let Some(dops) = &self.dops else {
            left.extend_from_slice(pairs);
            return;
        };
        let (first, second) = match kind {
            PairKind::VertexFace => (&dops.vertices, &dops.faces),
            PairKind::EdgeEdge => (&dops.edges, &dops.edges),
        };
        left.resize(pairs.len(), [0, 0]);
        let mut count = 0;
        for &pair in pairs {
            let [a, b] = pair;
            let apart = first[a as usize].apart(simd, &second[b as usize]);
            // Written always, counted if kept: no branch to mispredict.
            left[count] = pair;
            count += usize::from(!apart);
        }
        left.truncate(count);
    }

    /// Drops the pairs that `TEST` proves free, four at a time.
    #[inline(always)]
    fn reject_by_lanes<S: Simd, const TEST: u8>(
        &self,
        simd: S,
        kind: PairKind,
        options: &QueryOptions,
        left: &mut Vec<[u32; 2]>,
    ) {
        let mut count = 0;
        let mut i = 0;
        while i < left.len() {
            let width = (left.len() - i).min(4);
            // The last group repeats its last pair.
            let mut group = [left[i]; 4];
            for k in 1..4 {
                group[k] = left[i + k.min(width - 1)];
            }
            let lanes = self.lanes(simd, kind, &group, options);
            let free = match TEST {
                CUBIC => lanes.cubic_keeps_sign(),
                _ => lanes.one_direction_separates(),
            };
            for (k, &pair) in group.iter().enumerate().take(width) {
                left[count] = pair;
                count += usize::from((free >> k) & 1 == 0);
            }
            i += width;
        }
        left.truncate(count);
    }

    /// Gathers four pairs.
    #[inline(always)]
    fn lanes<S: Simd>(
        &self,
        simd: S,
        kind: PairKind,
        group: &[[u32; 2]; 4],
        options: &QueryOptions,
    ) -> Lanes<S> {
        let p = Gather {
            simd,
            points: &self.points,
            vertices: [
                vertices_of(self.topology, kind, group[0]),
                vertices_of(self.topology, kind, group[1]),
                vertices_of(self.topology, kind, group[2]),
                vertices_of(self.topology, kind, group[3]),
            ],
        };
        let (start, end) = match kind {
            PairKind::VertexFace => (
                [
                    p.difference::<0>(2, 1),
                    p.difference::<0>(3, 1),
                    p.difference::<0>(0, 1),
                ],
                [
                    p.difference::<1>(2, 1),
                    p.difference::<1>(3, 1),
                    p.difference::<1>(0, 1),
                ],
            ),
            PairKind::EdgeEdge => (
                [
                    p.difference::<0>(1, 0),
                    p.difference::<0>(3, 2),
                    p.difference::<0>(0, 2),
                ],
                [
                    p.difference::<1>(1, 0),
                    p.difference::<1>(3, 2),
                    p.difference::<1>(0, 2),
                ],
            ),
        };
        Lanes::new(simd, kind, start, end, options)
    }
}

/// The vertices of a pair in the order of a [`Query`].
#[inline(always)]
fn vertices_of(topology: &Topology, kind: PairKind, [a, b]: [u32; 2]) -> [u32; 4] {
    match kind {
        PairKind::VertexFace => {
            let [p, q, r] = topology.faces()[b as usize];
            [a, p, q, r]
        }
        PairKind::EdgeEdge => {
            let [p, q] = topology.edges()[a as usize];
            let [r, s] = topology.edges()[b as usize];
            [p, q, r, s]
        }
    }
}

/// The query of a pair of a step: a vertex and a face, or two edges, by index.
pub(crate) fn query_of(mesh: &MovingMesh<'_>, kind: PairKind, pair: [u32; 2]) -> Query {
    let vertices = vertices_of(mesh.topology(), kind, pair);
    Query {
        kind,
        t0: vertices.map(|v| mesh.t0()[v as usize]),
        t1: vertices.map(|v| mesh.t1()[v as usize]),
    }
}

/// Tests of [`Batch::reject_by_lanes`].
const CUBIC: u8 = 0;
const DIRECTION: u8 = 1;

/// The points of four queries.
struct Gather<'a, S> {
    simd: S,
    points: &'a [Point],
    vertices: [[u32; 4]; 4],
}

impl<S: Simd> Gather<'_, S> {
    /// Point i of query k at the start (`TIME` 0) or the end of the step.
    #[inline(always)]
    fn row<const TIME: u8>(&self, k: usize, i: usize) -> f64x4<S> {
        let point = &self.points[self.vertices[k][i] as usize];
        f64x4::load_array_ref(self.simd, if TIME == 0 { &point.start } else { &point.end })
    }

    /// Point i minus point j, for the four queries side by side.
    #[inline(always)]
    fn difference<const TIME: u8>(&self, i: usize, j: usize) -> [f64x4<S>; 3] {
        transpose([
            self.row::<TIME>(0, i) - self.row::<TIME>(0, j),
            self.row::<TIME>(1, i) - self.row::<TIME>(1, j),
            self.row::<TIME>(2, i) - self.row::<TIME>(2, j),
            self.row::<TIME>(3, i) - self.row::<TIME>(3, j),
        ])
    }
}
