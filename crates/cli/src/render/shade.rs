//! From visible faces to colours.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::buffer::{Buffer, NONE, area};
use super::camera::{Light, Projected, View};
use super::{Ball, Camera, Canvas, Rgb};

/// Pictures are drawn this many times larger and averaged down.
const OVERSAMPLING: usize = 2;
/// Pixels along a side of the shadow map.
const SHADOW_SIZE: usize = 2048;
/// Samples of ambient occlusion a pixel.
const OCCLUSION_SAMPLES: usize = 14;
/// Where the key light comes from.
const KEY: Vec3 = Vec3::new(0.55, -0.35, 1.0);

/// What is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Surface<'a> {
    /// Vertices.
    pub positions: &'a [DVec3],
    /// Their normals, of length 1, for a smooth look; those that the faces around them give when there are none.
    pub normals: &'a [Vec3],
    /// Triangles, seen from both sides.
    pub faces: &'a [[u32; 3]],
    /// One colour a face.
    pub colours: &'a [Rgb],
    /// Balls beside the triangles.
    pub balls: &'a [Ball],
}

/// How it is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Interpolate normals over vertices.
    pub smooth: bool,
    /// Height of the floor that catches the shadow.
    pub floor: f32,
    /// Reach of ambient occlusion, metres.
    pub reach: f32,
    /// Strength of the lines along edges, 0 to 1.
    pub lines: f32,
}

struct Scene<'a> {
    surface: Surface<'a>,
    look: Look,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    projected: Vec<Projected>,
    view: View,
    buffer: Buffer,
    light: Light,
    shadow: Buffer,
}

/// Draws a surface.
pub(crate) fn render(
    surface: Surface<'_>,
    camera: &Camera,
    look: Look,
    [width, height]: [usize; 2],
) -> Canvas {
    let (width, height) = (width * OVERSAMPLING, height * OVERSAMPLING);
    let scene = Scene::new(surface, camera, look, width, height);
    let pixels = (0..width * height)
        .into_par_iter()
        .with_min_len(4096)
        .map(|pixel| scene.pixel(pixel % width, pixel / width))
        .collect();
    let canvas = Canvas {
        width,
        height,
        pixels,
    };
    canvas.reduced(OVERSAMPLING)
}

impl<'a> Scene<'a> {
    fn new(surface: Surface<'a>, camera: &Camera, look: Look, width: usize, height: usize) -> Self {
        let positions: Vec<Vec3> = surface.positions.iter().map(|p| p.as_vec3()).collect();
        let mut normals = surface.normals.to_vec();
        if normals.len() != positions.len() {
            normals = vec![Vec3::ZERO; positions.len()];
            for face in surface.faces {
                let [a, b, c] = face.map(|i| positions[i as usize]);
                for &i in face {
                    normals[i as usize] += (b - a).cross(c - a);
                }
            }
        }
        let view = View::new(camera, width, height);
        let projected: Vec<_> = positions.iter().map(|&p| view.project(p)).collect();
        let mut buffer = Buffer::new(width, height);
        for (index, face) in surface.faces.iter().enumerate() {
            buffer.draw(index as u32, face.map(|i| projected[i as usize]), true);
        }
        // Balls are numbered after the faces.
        let number = |index: usize| (surface.faces.len() + index) as u32;
        for (index, ball) in surface.balls.iter().enumerate() {
            buffer.draw_ball(number(index), ball, &view);
        }

        let mut low = Vec3::MAX;
        let mut high = Vec3::MIN;
        let centres = surface.balls.iter().map(|ball| ball.centre);
        for p in positions.iter().copied().chain(centres) {
            (low, high) = (low.min(p), high.max(p));
        }
        let middle = (low + high) / 2.0;
        let light = Light::new(KEY, middle, (high - low).length() / 2.0, SHADOW_SIZE);
        let mut shadow = Buffer::new(SHADOW_SIZE, SHADOW_SIZE);
        for (index, face) in surface.faces.iter().enumerate() {
            let corners = face.map(|i| light.project(positions[i as usize]));
            shadow.draw(index as u32, corners, false);
        }
        for (index, ball) in surface.balls.iter().enumerate() {
            shadow.draw_ball_shadow(number(index), ball, &light);
        }
        Self {
            surface,
            look,
            positions,
            normals,
            projected,
            view,
            buffer,
            light,
            shadow,
        }
    }

    fn pixel(&self, x: usize, y: usize) -> Rgb {
        let index = y * self.buffer.width + x;
        let face = self.buffer.face[index];
        if face == NONE {
            return self.background(x, y);
        }
        let point = self.view.point(x, y, self.buffer.depth[index]);
        let ray = self.view.ray(x, y);
        let faces = self.surface.faces;
        let (normal, colour, cover) = if let Some(&corners) = faces.get(face as usize) {
            let cover = self.edge_cover(corners, x, y);
            let colour = self.surface.colours[face as usize];
            (self.normal(corners, point, ray), colour, cover)
        } else {
            let ball = &self.surface.balls[face as usize - faces.len()];
            let normal = (point - ball.centre).normalize_or(Vec3::Z);
            (normal, ball.colour, 0.0)
        };
        let lit = self.lit(point, normal);
        let open = self.openness(x, y, point, normal);

        let to_light = self.light.towards;
        let diffuse = normal.dot(to_light).max(0.0) * lit;
        let half = (to_light - ray.normalize_or_zero()).normalize_or_zero();
        let shine = normal.dot(half).max(0.0).powi(40) * lit * 0.10;
        let sky = 0.5 + 0.5 * normal.z;
        let ambient = (0.20 + 0.34 * sky) * open;
        let line = 1.0 - self.look.lines * cover;
        let base = colour.linear();
        Rgb(base.map(|c| {
            let light = c * (ambient + 0.72 * diffuse) + shine;
            (light * line).clamp(0.0, 1.0).sqrt()
        }))
    }

    /// Towards the eye, interpolated over the face when the look is smooth.
    fn normal(&self, corners: [u32; 3], point: Vec3, ray: Vec3) -> Vec3 {
        let [a, b, c] = corners.map(|i| self.positions[i as usize]);
        let flat = (b - a).cross(c - a);
        let mut normal = flat;
        if self.look.smooth {
            let weight = |p: Vec3, q: Vec3| (p - point).cross(q - point).dot(flat);
            let weights = [weight(b, c), weight(c, a), weight(a, b)];
            normal = Vec3::ZERO;
            for (i, w) in corners.into_iter().zip(weights) {
                normal += self.normals[i as usize].normalize_or_zero() * w;
            }
        }
        let normal = normal.normalize_or(Vec3::Z);
        if flat.dot(ray) * normal.dot(flat) > 0.0 {
            -normal
        } else {
            normal
        }
    }

    /// Share of the key light that arrives, from 4 × 4 places of the shadow map.
    fn lit(&self, point: Vec3, normal: Vec3) -> f32 {
        let texel = 1.0 / self.light.scale;
        let place = self.light.project(point + normal * (2.5 * texel));
        let mut hits = 0;
        for dy in -2..2 {
            for dx in -2..2 {
                let x = (place.x + dx as f32 * 1.3 + 0.65) as i64;
                let y = (place.y + dy as f32 * 1.3 + 0.65) as i64;
                let size = SHADOW_SIZE as i64;
                let inside = (0..size).contains(&x) && (0..size).contains(&y);
                let depth = if inside {
                    self.shadow.depth[(y * size + x) as usize]
                } else {
                    f32::INFINITY
                };
                hits += i32::from(place.depth - 1.5 * texel < depth);
            }
        }
        hits as f32 / 16.0
    }

    /// Share of the surroundings that a point sees: 1 in the open, less in folds.
    fn openness(&self, x: usize, y: usize, point: Vec3, normal: Vec3) -> f32 {
        let depth = (point - self.view.eye).length().max(1e-6);
        let reach = self.look.reach * self.view.focal / depth;
        // A different start for each pixel of a 4 × 4 tile turns bands into grain, which the
        // reduction averages away.
        let start = ((x & 3) * 5 + (y & 3) * 7) as f32 * 0.39;
        let mut blocked = 0.0;
        for i in 0..OCCLUSION_SAMPLES {
            let share = (i as f32 + 0.7) / OCCLUSION_SAMPLES as f32;
            let (sin, cos) = libm::sincosf(start + i as f32 * 2.4);
            let sx = x as i64 + (cos * share * reach) as i64;
            let sy = y as i64 + (sin * share * reach) as i64;
            let (Ok(sx), Ok(sy)) = (usize::try_from(sx), usize::try_from(sy)) else {
                continue;
            };
            if sx >= self.buffer.width || sy >= self.buffer.height {
                continue;
            }
            let seen = self.buffer.depth[sy * self.buffer.width + sx];
            if !seen.is_finite() {
                continue;
            }
            let away = self.view.point(sx, sy, seen) - point;
            let distance = away.length().max(1e-6);
            let above = (away.dot(normal) / distance - 0.12).max(0.0);
            let near = (1.0 - distance / (1.6 * self.look.reach)).max(0.0);
            blocked += above * near;
        }
        (1.0 - 2.6 * blocked / OCCLUSION_SAMPLES as f32).clamp(0.15, 1.0)
    }

    /// How much of a pixel an edge line covers.
    fn edge_cover(&self, corners: [u32; 3], x: usize, y: usize) -> f32 {
        let [a, b, c] = corners.map(|i| self.projected[i as usize]);
        let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
        let distance = |p: Projected, q: Projected| {
            let length = ((q.x - p.x).powi(2) + (q.y - p.y).powi(2)).sqrt();
            area(p, q, px, py).abs() / length.max(1e-6)
        };
        let nearest = distance(a, b).min(distance(b, c)).min(distance(c, a));
        (1.3 - nearest).clamp(0.0, 1.0)
    }

    /// A quiet gradient, darker where the floor lies in shadow.
    fn background(&self, x: usize, y: usize) -> Rgb {
        let height = y as f32 / self.buffer.height as f32;
        let top = Rgb::bytes([250, 251, 253]);
        let bottom = Rgb::bytes([228, 232, 238]);
        let colour = top.mix(bottom, height);
        let ray = self.view.ray(x, y);
        if ray.z >= 0.0 {
            return colour;
        }
        let depth = (self.look.floor - self.view.eye.z) / ray.z;
        let point = self.view.eye + ray * depth;
        let shadow = self.floor_shadow(point);
        colour.mix(Rgb::bytes([84, 94, 112]), 0.55 * shadow)
    }

    /// Share of a disc of the floor that lies in shadow: a soft shadow.
    fn floor_shadow(&self, point: Vec3) -> f32 {
        const SAMPLES: usize = 48;
        const RADIUS: f32 = 60.0;
        let place = self.light.project(point);
        let size = SHADOW_SIZE as i64;
        let mut covered = 0;
        for i in 0..SAMPLES {
            let (sin, cos) = libm::sincosf(i as f32 * 2.4);
            let radius = RADIUS * (i as f32 / SAMPLES as f32).sqrt();
            let (x, y) = (
                (place.x + cos * radius) as i64,
                (place.y + sin * radius) as i64,
            );
            if (0..size).contains(&x) && (0..size).contains(&y) {
                covered += usize::from(self.shadow.face[(y * size + x) as usize] != NONE);
            }
        }
        covered as f32 / SAMPLES as f32
    }
}
