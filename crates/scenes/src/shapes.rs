//! Closed triangle meshes that scenes place.

use std::collections::HashMap;

use glam::DVec3;

/// Positions and faces, counter-clockwise seen from outside. All vertices lie on the unit sphere.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Vertices, at distance 1 from the origin.
    pub positions: Vec<DVec3>,
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
}

impl Shape {
    /// A cube: 8 vertices, 18 edges (6 of them diagonals), 12 faces.
    pub fn cube() -> Self {
        let side = 1.0 / 3.0_f64.sqrt();
        let sign = |bit: u32, i: u32| if i >> bit & 1 == 1 { side } else { -side };
        let positions = (0..8)
            .map(|i| DVec3::new(sign(0, i), sign(1, i), sign(2, i)))
            .collect();
        let quads = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let faces = quads
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect();
        Self { positions, faces }
    }

    /// An icosahedron whose faces are split in four `subdivisions` times, every new vertex pushed
    /// out to the sphere: 10·4ˢ + 2 vertices, 30·4ˢ edges, 20·4ˢ faces.
    pub fn icosphere(subdivisions: u32) -> Self {
        let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
        let mut positions = Vec::with_capacity(12);
        for (a, b) in [
            (-1.0, golden),
            (1.0, golden),
            (-1.0, -golden),
            (1.0, -golden),
        ] {
            positions.push(DVec3::new(a, b, 0.0).normalize());
        }
        for (a, b) in [
            (-1.0, golden),
            (1.0, golden),
            (-1.0, -golden),
            (1.0, -golden),
        ] {
            positions.push(DVec3::new(0.0, a, b).normalize());
        }
        for (a, b) in [
            (golden, -1.0),
            (golden, 1.0),
            (-golden, -1.0),
            (-golden, 1.0),
        ] {
            positions.push(DVec3::new(a, 0.0, b).normalize());
        }
        let mut shape = Self {
            positions,
            faces: vec![
                [0, 11, 5],
                [0, 5, 1],
                [0, 1, 7],
                [0, 7, 10],
                [0, 10, 11],
                [1, 5, 9],
                [5, 11, 4],
                [11, 10, 2],
                [10, 7, 6],
                [7, 1, 8],
                [3, 9, 4],
                [3, 4, 2],
                [3, 2, 6],
                [3, 6, 8],
                [3, 8, 9],
                [4, 9, 5],
                [2, 4, 11],
                [6, 2, 10],
                [8, 6, 7],
                [9, 8, 1],
            ],
        };
        for _ in 0..subdivisions {
            shape = shape.subdivided();
        }
        shape
    }

    /// Every face split in four at the middles of its edges, pushed out to the sphere.
    fn subdivided(mut self) -> Self {
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut faces = Vec::with_capacity(self.faces.len() * 4);
        for &[a, b, c] in &self.faces {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[i, j]| {
                *middles.entry([i.min(j), i.max(j)]).or_insert_with(|| {
                    let middle = self.positions[i as usize] + self.positions[j as usize];
                    self.positions.push(middle.normalize());
                    self.positions.len() as u32 - 1
                })
            });
            faces.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        self.faces = faces;
        self
    }
}

/// `p` turned by `angle` radians about the unit vector `axis` through the origin (Rodrigues).
pub(crate) fn rotate(p: DVec3, axis: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = libm::sincos(angle);
    p * cos + axis.cross(p) * sin + axis * (axis.dot(p) * (1.0 - cos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jostle_geom::Topology;

    #[test]
    fn shapes_are_closed_and_face_outward() {
        for shape in [Shape::cube(), Shape::icosphere(0), Shape::icosphere(2)] {
            let topology = Topology::new(shape.positions.len(), shape.faces.clone(), &[]).unwrap();
            let (v, e, f) = (
                topology.vertex_count(),
                topology.edges().len(),
                topology.faces().len(),
            );
            assert_eq!(v + f, e + 2, "Euler's formula");
            assert_eq!(2 * e, 3 * f, "two faces an edge");
            for face in &shape.faces {
                let [a, b, c] = face.map(|i| shape.positions[i as usize]);
                assert!((b - a).cross(c - a).dot(a + b + c) > 0.0);
                assert!((a.length() - 1.0).abs() < 1e-15);
            }
        }
        assert_eq!(Shape::icosphere(3).faces.len(), 20 * 64);
    }
}
