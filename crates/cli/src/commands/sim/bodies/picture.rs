//! Pictures of bodies: their fields as triangles, on the ground.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};
use jostle::dynamics::{BodyState, BodyWorld};
use jostle::geom::{Aabb, Rng};
use jostle::scenes::bodies::{Motion, Triangles, triangles};
use jostle::sdf::Shape;

use crate::render::{Camera, Canvas, Look, Rgb, Surface, render};

/// Pixels.
const SIZE: [usize; 2] = [1180, 780];
/// Cells of the grid that a shape is drawn from, along its longest side, at least and at most.
const CELLS: [f64; 2] = [7.0, 110.0];
/// Triangles of a picture, about: with many bodies each has fewer.
const TRIANGLES: f64 = 4e6;
/// Bodies that are fixed.
const FIXED: Rgb = Rgb::bytes([186, 190, 200]);

/// Draws a world from a corner above the ground.
pub(crate) fn draw_bodies(world: &BodyWorld) -> Canvas {
    let all: Vec<BodyState> = world.bodies().filter(|body| !is_ground(body)).collect();
    let mut forms = BTreeMap::new();
    // A surface has some eight triangles for each square of cells.
    let cells = (TRIANGLES / (8.0 * all.len().max(1) as f64)).sqrt();
    let cells = cells.clamp(CELLS[0], CELLS[1]) as usize;
    for body in &all {
        let shape = &world.shapes()[body.shape as usize];
        forms
            .entry(body.shape)
            .or_insert_with(|| Form::of(shape, cells));
    }
    let mut positions = Vec::new();
    let mut normals = Vec::new();
    let mut faces = Vec::new();
    let mut colours = Vec::new();
    for body in &all {
        let Some(form) = forms.get(&body.shape) else {
            continue;
        };
        let first = positions.len() as u32;
        let place = |p: &Vec3| body.pose.to_world(p.as_dvec3() * f64::from(body.scale));
        positions.extend(form.positions.iter().map(place));
        let turn = |n: &Vec3| body.pose.rotation.rotate(n.as_dvec3()).as_vec3();
        normals.extend(form.normals.iter().map(turn));
        let count = form.positions.len() as u32 / 3;
        faces.extend((0..count).map(|i| [0, 1, 2].map(|corner| first + 3 * i + corner)));
        let colour = if body.motion == Motion::Dynamic {
            pastel(body.id.index)
        } else {
            FIXED
        };
        colours.resize(faces.len(), colour);
    }
    let surface = Surface {
        positions: &positions,
        normals: &normals,
        faces: &faces,
        colours: &colours,
        balls: &[],
    };
    let look = Look {
        smooth: true,
        floor: 0.0,
        reach: 0.6,
        lines: 0.0,
    };
    render(surface, &camera(&all), look, SIZE)
}

/// The first body of a scene is the ground, which the floor of the picture stands for.
fn is_ground(body: &BodyState) -> bool {
    body.id.index == 0 && body.motion == Motion::Static
}

/// From a corner, with nearly all of the bodies in view: one that rolled away does not make the others small.
fn camera(bodies: &[BodyState]) -> Camera {
    let mut middle = DVec3::ZERO;
    for body in bodies {
        middle += body.pose.position / bodies.len().max(1) as f64;
    }
    let mut distances: Vec<f64> = bodies
        .iter()
        .map(|body| (body.pose.position - middle).length())
        .collect();
    distances.sort_unstable_by(f64::total_cmp);
    let most = distances
        .get(distances.len() * 88 / 100)
        .or(distances.last());
    let size = most.copied().unwrap_or(1.0) + 0.9;
    let distance = 5.0 * size;
    Camera {
        eye: middle + DVec3::new(0.62, -1.0, 0.56).normalize() * distance,
        target: middle,
        half_height: (0.86 * size / distance) as f32,
    }
}

/// A colour of its own for a body, pale.
fn pastel(index: u32) -> Rgb {
    let mut rng = Rng::new(0x434F_4C4F, u64::from(index));
    let (hue, pale) = (6.0 * rng.unit() as f32, rng.range(0.62, 0.76) as f32);
    let value = rng.range(0.80, 0.94) as f32;
    // Each channel is a trapezoid over the circle of hues.
    Rgb([0.0_f32, 2.0, 4.0].map(|shift| {
        let at = (hue - shift).rem_euclid(6.0);
        let near = (2.0 - at.min(6.0 - at)).clamp(0.0, 1.0);
        value * (pale + (1.0 - pale) * near)
    }))
}

/// Triangles of a shape: three corners each, with a normal of their own, so that edges stay sharp.
struct Form {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

impl Form {
    fn of(shape: &Shape, cells: usize) -> Self {
        let sample = |p: Vec3| {
            let sample = shape.field().sample(p);
            (sample.value, Vec3::from(sample.gradient))
        };
        let Aabb { min, max } = shape.aabb();
        let Triangles { positions, faces } = triangles(&sample, &Aabb::new(min, max), cells);
        let mut form = Self {
            positions: Vec::with_capacity(3 * faces.len()),
            normals: Vec::with_capacity(3 * faces.len()),
        };
        for face in faces {
            let corners = face.map(|i| positions[i as usize]);
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            let flat = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            for corner in corners {
                // A little towards the middle, to be on this side of an edge.
                let normal = sample(corner + (middle - corner) * 0.1)
                    .1
                    .normalize_or_zero();
                let good = normal.dot(flat) > 0.5 * flat.length();
                form.positions.push(corner);
                form.normals.push(if good {
                    normal
                } else {
                    flat.normalize_or(Vec3::Z)
                });
            }
        }
        form
    }
}
