//! Fields of all kinds and points to try them at.
#![allow(dead_code, reason = "each test file uses some of it")]

use glam::{DVec3, Vec3};
use jostle_geom::{Pose, Rng, Rotation};
use jostle_sdf::{Field, FieldError};

pub(crate) fn pose() -> Pose {
    Pose::new(
        DVec3::new(0.3, -0.2, 0.5),
        Rotation::from_scaled_axis(DVec3::new(0.4, 1.1, -0.7)),
    )
}

pub(crate) fn plank() -> Field {
    Field::cuboid(Vec3::new(1.15, 0.28, 0.55)).unwrap()
}

/// True distances, on both sides.
pub(crate) fn primitives() -> Vec<(&'static str, Field)> {
    let all = || -> Result<_, FieldError> {
        Ok(vec![
            ("sphere", Field::sphere(0.5)?),
            ("cuboid", Field::cuboid(Vec3::new(0.5, 0.4, 0.3))?),
            (
                "rounded cuboid",
                Field::rounded_cuboid(Vec3::new(0.5, 0.4, 0.3), 0.1)?,
            ),
            ("capsule", Field::capsule(0.3, 0.4)?),
            ("cylinder", Field::cylinder(0.4, 0.5)?),
            ("cone", Field::cone(0.5, 0.5)?),
            ("flat cone", Field::cone(0.6, 0.1)?),
            ("torus", Field::torus(0.5, 0.2)?),
            (
                "half space",
                Field::half_space(Vec3::new(1.0, -2.0, 2.0), 0.1)?,
            ),
            ("placed cone", Field::cone(0.5, 0.5)?.placed(&pose(), 0.7)?),
        ])
    };
    all().unwrap()
}

pub(crate) fn spike_plate() -> Field {
    Field::spike_plate(Vec3::new(0.7, 0.7, 0.08), 10, 0.045, 0.12, 0.26).unwrap()
}

pub(crate) fn spiky_wheel() -> Field {
    Field::spiky_wheel(0.35, 0.48, 0.08, 1.4, 16).unwrap()
}

/// Bodies with spikes and all operators.
pub(crate) fn composites() -> Vec<(&'static str, Field)> {
    let all = || -> Result<_, FieldError> {
        let ball = Field::sphere(0.5)?;
        let cube = Field::cuboid(Vec3::splat(0.4))?;
        let bar = Field::cylinder(0.2, 0.9)?.placed(&pose(), 1.2)?;
        Ok(vec![
            ("spike plate", spike_plate()),
            ("spiky wheel", spiky_wheel()),
            ("union", ball.union(&bar)?),
            ("intersection", ball.intersection(&cube)?),
            ("difference", cube.difference(&bar)?),
            ("smooth union", ball.smooth_union(&bar, 0.2)?),
            ("offset", cube.offset(0.1)?),
            ("inset", cube.offset(-0.1)?),
            ("shell", ball.shell(0.1)?),
            (
                "repetition",
                Field::cone(0.2, 0.3)?.repeat([4, 3, 1], Vec3::new(0.5, 0.6, 0.0))?,
            ),
            (
                "overhanging repetition",
                bar.repeat([5, 1, 3], Vec3::new(0.9, 0.0, 1.4))?,
            ),
            ("bend", plank().bend(0.95)?),
            (
                "twist",
                Field::cuboid(Vec3::new(0.28, 0.55, 1.15))?.twist(1.25)?,
            ),
            ("displace", plank().displace(0.1)?),
            ("bent union", ball.union(&bar)?.bend(0.5)?),
            ("placed twist", plank().twist(-0.8)?.placed(&pose(), 1.5)?),
        ])
    };
    all().unwrap()
}

pub(crate) fn all() -> Vec<(&'static str, Field)> {
    let mut fields = primitives();
    fields.extend(composites());
    fields
}

pub(crate) fn point(rng: &mut Rng, reach: f64) -> Vec3 {
    (rng.cube() * reach).as_vec3()
}

/// Points where formulas change: on axes, at centres, edges and tips, tiny, huge, far away.
pub(crate) fn corners() -> Vec<Vec3> {
    let values = [
        0.0, -0.0, 1e-30, 1e-20, -1e-12, 1e-4, 0.08, 0.1, 0.2, -0.28, 0.3, -0.3, 0.35, 0.4, 0.5,
        -0.5, 0.55, -1.15, 1.75, 1e4, -1e6,
    ];
    let mut points = Vec::new();
    for x in values {
        for y in values {
            for z in values {
                points.push(Vec3::new(x, y, z));
            }
        }
    }
    points
}
