//! Walls as triangles for a picture: the half behind a cut, with some thickness.

use glam::{DVec3, Vec3};
use jostle::scenes::grains::{GrainScene, WallShape};

/// Quads around a frustum.
const AROUND: usize = 120;
/// Quads along it.
const ALONG: usize = 10;

/// Triangles of walls.
#[derive(Default)]
pub(super) struct Shell {
    pub positions: Vec<DVec3>,
    pub faces: Vec<[u32; 3]>,
}

impl Shell {
    /// The walls of a scene behind the plane y = 0 and below a height, m.
    pub(super) fn behind(scene: &GrainScene, thickness: f32, top: f32) -> Self {
        let mut shell = Self::default();
        for wall in &scene.walls {
            match &wall.shape {
                WallShape::Frustum {
                    base,
                    axis,
                    length,
                    radii,
                } => shell.frustum(*base, *axis, *length, *radii, [thickness, top]),
                WallShape::Triangles {
                    vertices, faces, ..
                } => shell.triangles(vertices, faces),
                // A floor shows by the shadow on it.
                _ => {}
            }
        }
        shell
    }

    fn triangles(&mut self, vertices: &[Vec3], faces: &[[u32; 3]]) {
        for face in faces {
            let corners = face.map(|i| vertices[i as usize]);
            if corners.iter().map(|p| p.y).sum::<f32>() >= 0.0 {
                let first = self.positions.len() as u32;
                self.positions.extend(corners.map(Vec3::as_dvec3));
                self.faces.push([first, first + 1, first + 2]);
            }
        }
    }

    fn frustum(
        &mut self,
        base: Vec3,
        axis: Vec3,
        length: f32,
        radii: [f32; 2],
        [thickness, top]: [f32; 2],
    ) {
        let length = length.min(if axis.z > 0.99 { top - base.z } else { length });
        if length < 0.0 {
            return;
        }
        let side = axis.cross(Vec3::Y);
        let u = if side.length() > 0.1 {
            side.normalize()
        } else {
            Vec3::X
        };
        let v = axis.cross(u);
        let widening = radii[1] - radii[0];
        let slant = (length * length + widening * widening).sqrt();
        // Away from the axis.
        let (out, along) = (length / slant, -widening / slant);
        let grid = |i: usize, j: usize, lift: f32| {
            let share = j as f32 / ALONG as f32;
            let turn = std::f32::consts::TAU * i as f32 / AROUND as f32;
            let (sin, cos) = libm::sincosf(turn);
            let ray = u * cos + v * sin;
            let radius = radii[0] + widening * share;
            base + axis * (length * share + along * lift) + ray * (radius + out * lift)
        };
        let kept = |i: usize, j: usize| {
            let i = i % AROUND;
            let middle = grid(i, j, 0.0) + grid(i + 1, j + 1, 0.0);
            middle.y > 0.0
        };
        let mut sheets = [0.0, thickness].map(|lift| {
            let first = self.positions.len() as u32;
            for j in 0..=ALONG {
                for i in 0..AROUND {
                    self.positions.push(grid(i, j, lift).as_dvec3());
                }
            }
            move |i: usize, j: usize| first + (j * AROUND + i % AROUND) as u32
        });
        for j in 0..ALONG {
            for i in (0..AROUND).filter(|&i| kept(i, j)) {
                for sheet in &mut sheets {
                    self.quad([
                        sheet(i, j),
                        sheet(i + 1, j),
                        sheet(i + 1, j + 1),
                        sheet(i, j + 1),
                    ]);
                }
                // Where a neighbour is missing, the thickness shows.
                let edges = [
                    ((i, j), (i, j + 1), kept(i + AROUND - 1, j)),
                    ((i + 1, j), (i + 1, j + 1), kept(i + 1, j)),
                    ((i, j), (i + 1, j), j > 0),
                    ((i, j + 1), (i + 1, j + 1), j + 1 < ALONG),
                ];
                for (from, to, hidden) in edges {
                    if !hidden {
                        let first = self.positions.len() as u32;
                        for (end, lift) in
                            [(from, 0.0), (to, 0.0), (to, thickness), (from, thickness)]
                        {
                            self.positions.push(grid(end.0, end.1, lift).as_dvec3());
                        }
                        self.quad([first, first + 1, first + 2, first + 3]);
                    }
                }
            }
        }
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.faces.extend([[a, b, c], [a, c, d]]);
    }
}
