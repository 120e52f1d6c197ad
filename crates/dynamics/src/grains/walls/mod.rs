//! Walls: how far away they are, and what they push.

mod closest;
mod list;
mod push;
mod start;
mod triangles;

pub(super) use closest::Shape;
pub(super) use list::{WallSearch, fill};
pub(super) use push::{Touching, push};
pub(super) use start::check_start;
pub(super) use triangles::Sheet;

use std::sync::Arc;

use fearless_simd::Level;
use jostle_scenes::grains::{Wall, WallShape};

use super::error::FlowError;

/// Checks walls and makes them ready.
pub(super) fn prepare(walls: &[Wall], level: Level) -> Result<Vec<Touching>, FlowError> {
    let mut out = Vec::with_capacity(walls.len());
    for (index, wall) in walls.iter().enumerate() {
        let wrong = |reason: String| FlowError::Wall {
            wall: index,
            reason,
        };
        let shape = match &wall.shape {
            WallShape::Plane { normal, offset } => {
                unit(*normal).map_err(wrong)?;
                if !offset.is_finite() {
                    return Err(wrong(format!("the offset is {offset}")));
                }
                Shape::Plane {
                    normal: *normal,
                    offset: *offset,
                }
            }
            WallShape::Frustum {
                base,
                axis,
                length,
                radii,
            } => {
                unit(*axis).map_err(wrong)?;
                let fine = |v: f32| (0.0..=1e15).contains(&v);
                if !(base.is_finite() && fine(*length) && fine(radii[0]) && fine(radii[1])) {
                    return Err(wrong(
                        "base, length or radii are not finite or negative".into(),
                    ));
                }
                if *length == 0.0 && radii[0] == radii[1] {
                    return Err(wrong("a frustum without length and width".into()));
                }
                Shape::Frustum {
                    base: *base,
                    axis: *axis,
                    length: *length,
                    radii: *radii,
                }
            }
            WallShape::Triangles {
                vertices,
                faces,
                solid,
            } => Shape::Sheet(Arc::new(
                Sheet::new(vertices, faces, *solid, level).map_err(wrong)?,
            )),
            WallShape::Field(field) => Shape::Field(field.clone()),
            _ => return Err(wrong("a shape that this version does not know".into())),
        };
        if let Some(spin) = wall.spin {
            start::check_spin(&wall.shape, spin).map_err(wrong)?;
        }
        out.push(Touching {
            shape,
            spin: wall.spin,
        });
    }
    Ok(out)
}

fn unit(v: glam::Vec3) -> Result<(), String> {
    let length = v.length();
    if (0.9999..=1.0001).contains(&length) {
        Ok(())
    } else {
        Err(format!("a direction of length {length}; it must be 1"))
    }
}
