//! Small meshes.
#![allow(dead_code, reason = "each test file uses some of it")]

use glam::DVec3;
use jostle_geom::Mesh;

/// Corners of the unit cube: x, y and z are bits 0, 1 and 2 but for the order around a square.
const CUBE: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];

/// Its squares, seen from outside counter-clockwise; the lid is the last one.
const SQUARES: [[u32; 4]; 6] = [
    [0, 3, 2, 1],
    [0, 1, 5, 4],
    [1, 2, 6, 5],
    [2, 3, 7, 6],
    [3, 0, 4, 7],
    [4, 5, 6, 7],
];

pub(crate) fn mesh(positions: &[[f64; 3]], faces: &[[u32; 3]]) -> Mesh {
    let positions = positions.iter().copied().map(DVec3::from).collect();
    Mesh::new(positions, faces.to_vec(), &[]).unwrap()
}

fn split(squares: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let halves = |&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d]];
    squares.iter().flat_map(halves).collect()
}

/// The unit cube.
pub(crate) fn cube() -> Mesh {
    mesh(&CUBE, &split(&SQUARES))
}

/// The unit cube without its lid.
pub(crate) fn open_box() -> Mesh {
    mesh(&CUBE, &split(&SQUARES[..5]))
}

/// The unit cube with every face turned.
pub(crate) fn inverted_cube() -> Mesh {
    let faces: Vec<_> = split(&SQUARES).iter().map(|&[a, b, c]| [a, c, b]).collect();
    mesh(&CUBE, &faces)
}

/// The unit cube as twelve triangles that share nothing.
pub(crate) fn loose_cube() -> Mesh {
    let corners: Vec<_> = split(&SQUARES)
        .as_flattened()
        .iter()
        .map(|&v| CUBE[v as usize])
        .collect();
    let faces: Vec<_> = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    mesh(&corners, &faces)
}

/// A square in the plane z = 0, with a face on both sides.
pub(crate) fn two_sided_sheet() -> Mesh {
    mesh(&CUBE[..4], &[[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]])
}

/// A square in the plane z = 0.
pub(crate) fn sheet() -> Mesh {
    mesh(&CUBE[..4], &[[0, 1, 2], [0, 2, 3]])
}

/// A slim tetrahedron with its tip at the origin.
pub(crate) fn needle() -> Mesh {
    let positions = [
        [0.0, 0.0, 0.0],
        [0.1, 0.0, -1.0],
        [-0.05, 0.0866, -1.0],
        [-0.05, -0.0866, -1.0],
    ];
    mesh(&positions, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
}

/// A ball of radius 1 with `n` squares along the side of each of the six sides of a cube; those of the first `sides`.
fn ball_sides(n: u32, sides: usize) -> Mesh {
    let mut positions = Vec::new();
    let mut faces = Vec::new();
    for side in 0..sides {
        let (axis, sign) = (side / 2, if side % 2 == 0 { -1.0 } else { 1.0 });
        let first = positions.len() as u32;
        for j in 0..=n {
            for i in 0..=n {
                let mut p = DVec3::ZERO;
                p[axis] = sign;
                p[(axis + 1) % 3] = sign * (2.0 * f64::from(i) / f64::from(n) - 1.0);
                p[(axis + 2) % 3] = 2.0 * f64::from(j) / f64::from(n) - 1.0;
                positions.push(p.normalize());
            }
        }
        for j in 0..n {
            for i in 0..n {
                let a = first + i + (n + 1) * j;
                faces.extend(split(&[[a, a + 1, a + n + 2, a + n + 1]]));
            }
        }
    }
    Mesh::new(positions, faces, &[]).unwrap()
}

/// A ball of radius 1.
pub(crate) fn ball(n: u32) -> Mesh {
    ball_sides(n, 6)
}

/// A ball of radius 1 without the sixth of it around +z.
pub(crate) fn bowl(n: u32) -> Mesh {
    ball_sides(n, 5)
}

/// Both in one mesh, the second one moved.
pub(crate) fn both(a: &Mesh, b: &Mesh, by: DVec3) -> Mesh {
    let first = a.positions.len() as u32;
    let mut positions = a.positions.clone();
    positions.extend(b.positions.iter().map(|&p| p + by));
    let mut faces = a.topology.faces().to_vec();
    faces.extend(
        b.topology
            .faces()
            .iter()
            .map(|face| face.map(|v| v + first)),
    );
    Mesh::new(positions, faces, &[]).unwrap()
}
