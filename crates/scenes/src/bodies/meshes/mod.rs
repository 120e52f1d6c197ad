//! Closed meshes that scenes of bodies generate.
//!
//! Each fits the unit cube about the origin and touches it on the longest axis.

mod blobs;
mod chair;
mod gear;

use glam::DVec3;
use jostle_geom::{Mesh, TopologyError};

pub use blobs::{bunny, cow};
pub use chair::chair;
pub use gear::{TEETH, gear, pitch_radius};

/// A mesh moved and scaled so that its box is centred at the origin and its longest side is 1; nothing when it has no
/// vertices, is not finite, or is a point.
pub fn fit_unit_cube(mesh: &Mesh) -> Option<Mesh> {
    let mut low = DVec3::splat(f64::INFINITY);
    let mut high = DVec3::splat(f64::NEG_INFINITY);
    for &p in &mesh.positions {
        if !p.is_finite() {
            return None;
        }
        low = low.min(p);
        high = high.max(p);
    }
    let size = (high - low).max_element();
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    let centre = low + (high - low) / 2.0;
    Some(Mesh {
        positions: mesh
            .positions
            .iter()
            .map(|&p| (p - centre) / size)
            .collect(),
        topology: mesh.topology.clone(),
    })
}

/// The same, for what is generated here.
fn finished(positions: Vec<DVec3>, faces: Vec<[u32; 3]>) -> Result<Mesh, TopologyError> {
    let mesh = Mesh::new(positions, faces, &[])?;
    Ok(fit_unit_cube(&mesh).unwrap_or(mesh))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &Mesh) -> f64 {
        let cone = |f: &[u32; 3]| {
            let [a, b, c] = f.map(|i| mesh.positions[i as usize]);
            a.dot(b.cross(c)) / 6.0
        };
        mesh.topology.faces().iter().map(cone).sum()
    }

    #[test]
    fn generated_meshes_are_closed_and_fit_the_unit_cube() {
        for (name, mesh, handles, least) in [
            ("gear", gear(), 1, 0.12),
            ("chair", chair(), 0, 0.03),
            ("bunny", bunny(), 0, 0.10),
            ("cow", cow(), 0, 0.05),
        ] {
            let mesh = mesh.unwrap();
            let topology = &mesh.topology;
            let (v, e, f) = (
                topology.vertex_count(),
                topology.edges().len(),
                topology.faces().len(),
            );
            assert_eq!(2 * e, 3 * f, "{name}: two faces an edge");
            let mut sides: Vec<_> = topology
                .faces()
                .iter()
                .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
                .collect();
            sides.sort_unstable();
            sides.dedup();
            assert_eq!(
                sides.len(),
                2 * e,
                "{name}: each edge once in each direction"
            );
            if name == "chair" {
                assert_eq!(v + f - e, 2 * (v / 8), "{name}: boxes");
            } else {
                assert_eq!(v + f + 2 * handles, e + 2, "{name}: one piece");
            }
            let volume = volume(&mesh);
            assert!((least..0.5).contains(&volume), "{name}: {volume} m³");
            let most = mesh.positions.iter().map(|p| p.abs().max_element());
            assert!((most.fold(0.0, f64::max) - 0.5).abs() < 1e-9, "{name}");
        }
        for blob in [bunny(), cow()] {
            let faces = blob.unwrap().topology.faces().len();
            assert!((5_000..20_000).contains(&faces), "{faces} faces");
        }
    }

    #[test]
    fn meshes_without_size_are_refused() {
        let mesh = |p: &[DVec3]| Mesh::new(p.to_vec(), vec![], &[]).unwrap();
        assert!(fit_unit_cube(&mesh(&[DVec3::X, DVec3::X])).is_none());
        assert!(fit_unit_cube(&mesh(&[DVec3::X, DVec3::NAN])).is_none());
        let fitted = fit_unit_cube(&mesh(&[DVec3::X, DVec3::X * 9.0])).unwrap();
        assert_eq!(fitted.positions, [DVec3::X * -0.5, DVec3::X * 0.5]);
    }
}
