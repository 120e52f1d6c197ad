//! What is checked before a flow starts: that walls turn within themselves, and that grains are outside them.

use fearless_simd::Level;
use glam::Vec3;
use jostle_scenes::grains::{Emitter, Grain, WallShape, WallSpin};

use super::push::DEEPEST;
use super::{Shape, Touching};
use crate::grains::error::FlowError;

/// Sine of the angle by which an axis may be off, and how far off it a point may be by radius.
const ALIGNED: f32 = 1e-3;

/// A field may grow this much faster than distances do.
const STEEPEST: f32 = 1.01;

/// Refuses a turn that would move the wall itself. A field is trusted.
pub(super) fn check_spin(shape: &WallShape, spin: WallSpin) -> Result<(), String> {
    let WallSpin { pivot, rate } = spin;
    if !(pivot.is_finite() && rate.is_finite()) {
        return Err("pivot or rate of the spin are not finite".into());
    }
    let Some(axis) = rate.try_normalize() else {
        return Ok(());
    };
    let along = |v: Vec3| axis.cross(v).length() <= ALIGNED;
    match shape {
        WallShape::Plane { normal, .. } if !along(*normal) => {
            Err("a plane can only spin about its normal".into())
        }
        WallShape::Frustum {
            base,
            axis: own,
            radii,
            ..
        } if !(along(*own)
            && own.cross(pivot - *base).length() <= ALIGNED * radii[0].max(radii[1])) =>
        {
            Err("a frustum can only spin about its own axis".into())
        }
        WallShape::Triangles { .. } => {
            Err("a wall of triangles cannot spin: it would have to move".into())
        }
        _ => Ok(()),
    }
}

/// Refuses grains that start inside a solid, beyond a wall or so deep in one that they would pass, and
/// fields that are no distances where grains start or come in.
pub(in crate::grains) fn check_start(
    walls: &[Touching],
    grains: &[Grain],
    emitters: &[Emitter],
    level: Level,
) -> Result<(), FlowError> {
    for (w, wall) in walls.iter().enumerate() {
        let wrong = |reason: String| FlowError::Wall { wall: w, reason };
        if let Shape::Field(_) = &wall.shape {
            check_field(wall, grains, emitters).map_err(wrong)?;
        }
        for (i, grain) in grains.iter().enumerate() {
            let distance = wall.shape.outside(grain.centre, grain.radius, level);
            if distance < (1.0 - DEEPEST) * grain.radius {
                return Err(wrong(format!(
                    "grain {i} starts in it: its centre is {distance} m from the surface, its radius {} m",
                    grain.radius
                )));
            }
        }
    }
    Ok(())
}

/// Samples a field where grains start and come in.
fn check_field(wall: &Touching, grains: &[Grain], emitters: &[Emitter]) -> Result<(), String> {
    let Shape::Field(field) = &wall.shape else {
        return Ok(());
    };
    let corners = emitters.iter().flat_map(|e| {
        let (a, b) = (e.region.min, e.region.max);
        [a, b, (a + b) * 0.5]
    });
    let mut last: Option<(Vec3, f32)> = None;
    for p in grains.iter().map(|g| g.centre).chain(corners) {
        let (distance, away) = field.distance(p);
        if distance.is_nan() || !away.is_finite() {
            return Err(format!("the field is not a number at {p}"));
        }
        let length = away.length();
        if length != 0.0 && (length - 1.0).abs() > ALIGNED {
            return Err(format!(
                "the direction of the field at {p} has length {length}; it must be 1, or 0 where there is none"
            ));
        }
        if let Some((q, before)) = last
            && distance.is_finite()
            && before.is_finite()
        {
            let way = p.distance(q);
            let grown = (distance - before).abs();
            if grown > STEEPEST * way + 1e-5 * (distance.abs() + before.abs()) {
                return Err(format!(
                    "the field grows by {grown} m over {way} m between {q} and {p}: it is not a distance"
                ));
            }
        }
        last = Some((p, distance));
    }
    Ok(())
}
