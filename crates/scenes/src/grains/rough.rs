//! A floor of grains that cannot move.

use glam::Vec3;

use super::WallField;

/// A level floor of spheres that cannot move, their centres on a lattice of triangles in the plane z = 0. Grains neither
/// slide nor roll over it as they do over a plane, which has no hollows to rest in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoughFloor {
    /// Radius of the spheres, m.
    pub radius: f32,
    /// Distance of the centres of neighbours, m; at most √3 times twice the radius of the grains, or they
    /// fall through.
    pub spacing: f32,
}

impl WallField for RoughFloor {
    fn distance(&self, point: Vec3) -> (f32, Vec3) {
        // The square root of 3/4.
        const HALF_ROOT_3: f32 = 0.866_025_4;
        let row = self.spacing * HALF_ROOT_3;
        let first = (point.y / row).floor();
        let mut nearest = (f32::INFINITY, Vec3::ZERO);
        // The nearest centre of a lattice of triangles is in one of the two rows beside the point.
        for j in [first, first + 1.0] {
            let odd = (j - 2.0 * (j * 0.5).floor()) * 0.5;
            let i = (point.x / self.spacing - odd).round();
            let away = point - Vec3::new((i + odd) * self.spacing, j * row, 0.0);
            let square = away.length_squared();
            if square < nearest.0 {
                nearest = (square, away);
            }
        }
        let (square, away) = nearest;
        let length = square.sqrt();
        let direction = if length > 0.0 {
            away / length
        } else {
            Vec3::ZERO
        };
        (length - self.radius, direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    /// The distance is that to the nearest of all spheres around.
    #[test]
    fn the_nearest_sphere_counts() {
        let floor = RoughFloor {
            radius: 0.5,
            spacing: 1.25,
        };
        let row = 1.25 * 0.75_f64.sqrt();
        let mut rng = Rng::new(1, 0);
        for _ in 0..2000 {
            let p = rng.cube() * 5.0;
            let mut least = f64::INFINITY;
            for j in -9..=9_i32 {
                for i in -9..=9 {
                    let x = 1.25 * (f64::from(i) + 0.5 * f64::from(j.rem_euclid(2)));
                    let away = p - glam::DVec3::new(x, row * f64::from(j), 0.0);
                    least = least.min(away.length() - 0.5);
                }
            }
            let (distance, direction) = floor.distance(p.as_vec3());
            assert!((f64::from(distance) - least).abs() < 1e-5, "{p}");
            assert!((direction.length() - 1.0).abs() < 1e-5);
        }
    }
}
