//! Sixteen-sided bounds (k-DOPs) of moving elements: a second, cheap rejection after the boxes.
//!
//! A box bounds a motion along the three axes; these bound it along eight diagonals. Elements that
//! move or lie aslant fill little of their boxes, and half to four fifths of the candidates of real
//! meshes are apart along a diagonal.

use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch, f32x8};
use jostle_geom::{MovingMesh, rounding};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Bounds of an element's motion along the eight diagonals, rounded outward.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Dop {
    pub(super) min: [f32; 8],
    pub(super) max: [f32; 8],
}

/// Bounds of all elements of a step.
#[derive(Debug)]
pub(super) struct Dops {
    pub(super) vertices: Vec<Dop>,
    pub(super) edges: Vec<Dop>,
    pub(super) faces: Vec<Dop>,
}

/// The products of a point with the eight diagonals: the six face diagonals of a cube, and two of
/// its space diagonals.
#[inline(always)]
fn products([x, y, z]: [f64; 3]) -> [f64; 8] {
    [
        x + y,
        x - y,
        x + z,
        x - z,
        y + z,
        y - z,
        (x + y) + z,
        (x + y) - z,
    ]
}

impl Dop {
    /// Bounds of a vertex moving from `p0` to `p1` while `t` goes from 0 to `t_end`, grown by
    /// `inflation` metres.
    ///
    /// The position at `t_end < 1` is off by at most `4u (|p0| + |p1|)` a component, a product by
    /// `2u` of the sum of the magnitudes; `slack` covers both.
    fn of_vertex(p0: [f64; 3], p1: [f64; 3], t_end: f64, inflation: f64) -> Self {
        let end = if t_end >= 1.0 {
            p1
        } else {
            core::array::from_fn(|i| p0[i] + (p1[i] - p0[i]) * t_end)
        };
        let size: f64 = (0..3).map(|i| p0[i].abs() + p1[i].abs()).sum();
        // 1.75 > √3, the length of the longest diagonal.
        let slack = size * (8.0 * f64::EPSILON) + inflation * 1.75;
        let (a, b) = (products(p0), products(end));
        Self {
            min: core::array::from_fn(|k| rounding::down(a[k].min(b[k]) - slack)),
            max: core::array::from_fn(|k| rounding::up(a[k].max(b[k]) + slack)),
        }
    }

    #[inline(always)]
    fn union<S: Simd>(simd: S, of: &[Self], vertices: &[u32]) -> Self {
        let first = &of[vertices[0] as usize];
        let mut min = f32x8::load_array_ref(simd, &first.min);
        let mut max = f32x8::load_array_ref(simd, &first.max);
        for &v in &vertices[1..] {
            let other = &of[v as usize];
            min = min.min(f32x8::load_array_ref(simd, &other.min));
            max = max.max(f32x8::load_array_ref(simd, &other.max));
        }
        Self {
            min: min.to_array(),
            max: max.to_array(),
        }
    }

    /// Whether the bounds are apart along one of the diagonals.
    #[inline(always)]
    pub(super) fn apart<S: Simd>(&self, simd: S, other: &Self) -> bool {
        let below =
            f32x8::load_array_ref(simd, &self.max).simd_lt(f32x8::load_array_ref(simd, &other.min));
        let above =
            f32x8::load_array_ref(simd, &other.max).simd_lt(f32x8::load_array_ref(simd, &self.min));
        (below | above).any_true()
    }
}

/// How many elements one parallel piece of work bounds.
const GRAIN: usize = 8192;

/// Applies `f` to pieces of `GRAIN` items, in parallel where there are threads.
fn fill<T: Sync, F: Fn(&[T], &mut [Dop]) + Sync>(items: &[T], f: F) -> Vec<Dop> {
    let mut out = vec![
        Dop {
            min: [0.0; 8],
            max: [0.0; 8]
        };
        items.len()
    ];
    #[cfg(feature = "parallel")]
    items
        .par_chunks(GRAIN)
        .zip(out.par_chunks_mut(GRAIN))
        .for_each(|(i, o)| f(i, o));
    #[cfg(not(feature = "parallel"))]
    items
        .chunks(GRAIN)
        .zip(out.chunks_mut(GRAIN))
        .for_each(|(i, o)| f(i, o));
    out
}

impl Dops {
    /// Bounds over `[0, t_end]`, each element grown by half the separation.
    pub(super) fn new(mesh: &MovingMesh<'_>, t_end: f64, separation: f64, level: Level) -> Self {
        let inflation = separation * 0.5 * (1.0 + 4.0 * f64::EPSILON);
        let ends: Vec<_> = mesh.t0().iter().zip(mesh.t1()).collect();
        let vertices = fill(&ends, |ends, out| {
            for ((p0, p1), out) in ends.iter().zip(out) {
                *out = Dop::of_vertex(p0.to_array(), p1.to_array(), t_end, inflation);
            }
        });
        let edges = fill(mesh.topology().edges(), |edges, out| {
            dispatch!(level, simd => unions(simd, &vertices, edges, out));
        });
        let faces = fill(mesh.topology().faces(), |faces, out| {
            dispatch!(level, simd => unions(simd, &vertices, faces, out));
        });
        Self {
            vertices,
            edges,
            faces,
        }
    }
}

#[inline(always)]
fn unions<S: Simd, const N: usize>(
    simd: S,
    vertices: &[Dop],
    elements: &[[u32; N]],
    out: &mut [Dop],
) {
    for (element, out) in elements.iter().zip(out) {
        *out = Dop::union(simd, vertices, element);
    }
}
