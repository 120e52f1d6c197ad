//! Whether two faces of a mesh share more than the vertices they have in common.

use glam::DVec3;

use jostle_simd::exact::Points;

/// Indices of three points.
type Triangle = [usize; 3];

/// A face of a mesh: which vertices it names, and where they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Vertex ids; they may repeat.
    pub vertices: [u32; 3],
    /// The position of each vertex. Equal ids must have equal positions.
    pub corners: [DVec3; 3],
}

impl Face {
    /// Whether the corners lie exactly on a line or in a point; also when one is not finite.
    pub(crate) fn is_degenerate(&self) -> bool {
        let [a, b, c] = self.vertices;
        a == b
            || b == c
            || c == a
            || Points::new(&self.corners).is_none_or(|points| points.picture([0, 1, 2]).is_none())
    }
}

/// Whether two faces of one mesh intersect where they should not.
///
/// - Without a common vertex: they share a point, touching included.
/// - With one common vertex: they share a point besides it.
/// - With two: they share a point that is not on the edge between them. With some area that
///   means that they lie in one plane and fold over each other.
/// - With three: always.
///
/// Vertices are common when their ids are equal; two vertices at one place are not. Exact for
/// all finite coordinates, as [`triangles_intersect`](crate::triangles_intersect); `false` when one
/// is NaN or infinite.
pub fn faces_intersect(a: &Face, b: &Face) -> bool {
    let ([p, q, r], [s, t, u]) = (a.corners, b.corners);
    let at = [p, q, r, s, t, u];
    let Some(points) = Points::new(&at) else {
        return false;
    };
    // For each common vertex its place in both faces, without repeats.
    let mut common = [[0; 2]; 3];
    let mut count = 0;
    for i in 0..3 {
        let vertex = a.vertices[i];
        let again = a.vertices[..i].contains(&vertex);
        if let (false, Some(j)) = (again, b.vertices.iter().position(|&v| v == vertex)) {
            common[count] = [i, j];
            count += 1;
        }
    }
    match count {
        0 => points.triangles_meet([0, 1, 2], [3, 4, 5]),
        1 => {
            let [i, j] = common[0];
            let around =
                |i: usize, first: usize| [i, (i + 1) % 3, (i + 2) % 3].map(|corner| first + corner);
            meet_beyond_corner(&points, around(i, 0), around(j, 3))
        }
        2 => {
            let [[i, k], [j, l]] = [common[0], common[1]];
            // The corner that is not common; one of the edge where a face names a vertex twice.
            let third = |i: usize, j: usize, vertices: [u32; 3]| {
                let ends = [vertices[i], vertices[j]];
                (0..3).find(|&k| !ends.contains(&vertices[k])).unwrap_or(i)
            };
            let (c, d) = (third(i, j, a.vertices), 3 + third(k, l, b.vertices));
            meet_beyond_edge(&points, [i, j], c, d)
        }
        _ => true,
    }
}

/// Whether two triangles that begin with the same point share another one.
///
/// A ray from the common corner along which both go on leaves one of them on the edge
/// opposite to that corner while it is still in the other.
fn meet_beyond_corner(points: &Points, a: Triangle, b: Triangle) -> bool {
    parts(points, a).into_iter().flatten().any(|a| {
        parts(points, b).into_iter().flatten().any(|b| {
            points.segment_meets_triangle([a[1], a[2]], b)
                || points.segment_meets_triangle([b[1], b[2]], a)
        })
    })
}

/// Parts whose union is the triangle, and in which the edge opposite to the first corner does
/// not contain it: the triangle itself or, when it has no area, the segments from that corner
/// to the other two.
fn parts(points: &Points, [a, b, c]: Triangle) -> [Option<Triangle>; 2] {
    if points.picture([a, b, c]).is_some() {
        return [Some([a, b, c]), None];
    }
    [b, c].map(|end| (points.at(end) != points.at(a)).then_some([a, end, end]))
}

/// Whether the triangles of an edge and the points `c` and `d` share a point besides the edge.
fn meet_beyond_edge(points: &Points, [a, b]: [usize; 2], c: usize, d: usize) -> bool {
    if points.volume([a, b, c, d]) != 0 {
        return false;
    }
    match (points.picture([a, b, c]), points.picture([a, b, d])) {
        (Some((axis, sign)), Some(_)) => points.area(axis, [a, b, d]) == sign,
        // One is a part of the line of the edge, which the other has nothing else on.
        (Some(_), None) | (None, Some(_)) => false,
        (None, None) => {
            let (from, to) = (points.at(a), points.at(b));
            let Some(axis) = (0..3).find(|&axis| from[axis] != to[axis]) else {
                return meet_beyond_corner(points, [a, c, c], [a, d, d]);
            };
            let (lo, hi) = (from[axis].min(to[axis]), from[axis].max(to[axis]));
            let (c, d) = (points.at(c)[axis], points.at(d)[axis]);
            (c < lo && d < lo) || (c > hi && d > hi)
        }
    }
}
