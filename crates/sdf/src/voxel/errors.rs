//! How far a baked field is from what it stands for.

use glam::{DVec3, Vec3};
use jostle_geom::Rng;
use jostle_geom::chunks::fill_chunks;

use super::{Baked, VoxelField};

/// Points with one stream of random numbers.
const CHUNK: usize = 256;

/// What random points tell of a baked field. Lengths in m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FieldErrors {
    /// How many points.
    pub points: u64,
    /// The largest difference from the signed distance to the mesh.
    pub mesh: f64,
    /// The same at points no further than two cells from the mesh.
    pub mesh_near: f64,
    /// The largest difference from the signed distance to the mesh and its caps. The same for a closed mesh.
    pub surface: f64,
    /// The same at points no further than two cells from the mesh and its caps.
    pub surface_near: f64,
    /// Points on the wrong side, further than a cell from the mesh and its caps.
    pub wrong_sides: u64,
    /// Points where value or gradient is no number.
    pub not_finite: u64,
    /// Points where the gradient is longer than the bound says, or that differ from another by more.
    pub too_steep: u64,
    /// Points whose winding number is within 0.1 of one half: near the caps, or between badly fitting parts.
    pub winding_ambiguous: u64,
}

impl FieldErrors {
    fn join(&mut self, other: &Self) {
        self.points += other.points;
        self.mesh = self.mesh.max(other.mesh);
        self.mesh_near = self.mesh_near.max(other.mesh_near);
        self.surface = self.surface.max(other.surface);
        self.surface_near = self.surface_near.max(other.surface_near);
        self.wrong_sides += other.wrong_sides;
        self.not_finite += other.not_finite;
        self.too_steep += other.too_steep;
        self.winding_ambiguous += other.winding_ambiguous;
    }

    /// Whether the field breaks a promise: a value that is no number, a Lipschitz bound that does not hold, a point on
    /// the wrong side, or an error beyond [`VoxelField::error_bound`].
    pub fn is_broken(&self, field: &VoxelField) -> bool {
        // Written so that NaN breaks it.
        let kept = self.surface <= field.error_bound();
        !kept || self.not_finite + self.too_steep + self.wrong_sides > 0
    }
}

impl Baked {
    /// The signed distance that the field stands for: to the mesh and what closes it. `None` as
    /// [`MeshDistance::sample`](crate::MeshDistance::sample).
    pub fn distance(&self, p: DVec3) -> Option<f64> {
        let mesh = self.mesh.sample(p)?.signed_distance;
        Some(self.closed(mesh, p))
    }

    fn closed(&self, mesh: f64, p: DVec3) -> f64 {
        let cap = self.cap.as_ref().and_then(|cap| cap.sample(p));
        cap.map_or(mesh, |cap| {
            mesh.abs().min(cap.signed_distance.abs()).copysign(mesh)
        })
    }

    /// Compares the field with exact distances at random points: half of them anywhere in its grid, half within two
    /// cells of the mesh. The same for any number of threads. Cost: O(points · log faces).
    pub fn errors(&self, points: usize, seed: u64) -> FieldErrors {
        let mut parts = vec![FieldErrors::default(); points.div_ceil(CHUNK)];
        fill_chunks(&mut parts, 1, |chunk, out| {
            let count = CHUNK.min(points - chunk * CHUNK);
            let mut rng = Rng::new(seed, chunk as u64);
            for part in out {
                for i in 0..count {
                    let p = self.point(&mut rng, i % 2 == 1);
                    part.join(&self.error_at(p, &mut rng));
                }
            }
        });
        let mut errors = FieldErrors::default();
        for part in &parts {
            errors.join(part);
        }
        errors
    }

    fn point(&self, rng: &mut Rng, near: bool) -> Vec3 {
        let bounds = self.field.grid_box();
        let [min, max] = [bounds.min.as_dvec3(), bounds.max.as_dvec3()];
        let p = if near {
            self.mesh.random_point(rng) + rng.cube() * (2.0 * f64::from(self.field.spacing()))
        } else {
            min + (max - min) * (0.5 + 0.5 * rng.cube())
        };
        p.as_vec3()
    }

    fn error_at(&self, p: Vec3, rng: &mut Rng) -> FieldErrors {
        let sample = self.field.sample(p);
        let exact = p.as_dvec3();
        let mesh = self
            .mesh
            .sample(exact)
            .map_or(f64::NAN, |found| found.signed_distance);
        let surface = self.closed(mesh, exact);
        let cell = f64::from(self.field.spacing());
        let value = f64::from(sample.value);
        let gradient = sample.gradient.length();
        let near = |distance: f64, error: f64| {
            if distance.abs() <= 2.0 * cell {
                error
            } else {
                0.0
            }
        };
        let other = p + (rng.cube() * cell).as_vec3();
        let apart = f64::from(p.distance(other));
        // Two roundings of values of the size of the grid.
        let rounding = 1e-6 * (value.abs() + cell);
        let steep = (f64::from(self.field.sample(other).value) - value).abs()
            > f64::from(self.field.lipschitz()) * apart * (1.0 + 1e-5) + rounding;
        FieldErrors {
            points: 1,
            mesh: (value - mesh).abs(),
            mesh_near: near(mesh, (value - mesh).abs()),
            surface: (value - surface).abs(),
            surface_near: near(surface, (value - surface).abs()),
            wrong_sides: u64::from(value * surface < 0.0 && surface.abs() > cell),
            not_finite: u64::from(!(value.is_finite() && gradient.is_finite())),
            too_steep: u64::from(
                steep || gradient > self.field.lipschitz_in(p, 0.0) * (1.0 + 1e-5),
            ),
            winding_ambiguous: u64::from(self.mesh.is_ambiguous(exact)),
        }
    }
}
