//! Balls, drawn pixel by pixel without triangles.

use glam::Vec3;

use super::Rgb;
use super::buffer::Buffer;
use super::camera::{Light, View};

/// A ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    /// Its centre.
    pub centre: Vec3,
    /// Its radius.
    pub radius: f32,
    /// Its colour.
    pub colour: Rgb,
}

impl Buffer {
    /// Draws a ball as seen: the first point of each pixel's ray on it.
    pub(super) fn draw_ball(&mut self, face: u32, ball: &Ball, view: &View) {
        let from = view.eye - ball.centre;
        let middle = view.project(ball.centre);
        if middle.depth <= ball.radius {
            return;
        }
        // The outline is an ellipse, longer away from the middle of the picture.
        let (dx, dy) = view.slope(middle);
        let lean = (1.0 + dx * dx + dy * dy).sqrt();
        let near = (middle.depth * middle.depth - ball.radius * ball.radius).sqrt();
        let reach = view.focal * ball.radius / near * lean + 1.0;
        let squared = from.dot(from) - ball.radius * ball.radius;
        self.cover([middle.x, middle.y], reach, |x, y| {
            let ray = view.ray(x, y);
            let (a, b) = (ray.dot(ray), ray.dot(from));
            let root = b * b - a * squared;
            (root >= 0.0).then(|| (face, (-b - root.sqrt()) / a))
        });
    }

    /// Draws a ball as the light sees it.
    pub(super) fn draw_ball_shadow(&mut self, face: u32, ball: &Ball, light: &Light) {
        let middle = light.project(ball.centre);
        let reach = ball.radius * light.scale;
        self.cover([middle.x, middle.y], reach + 1.0, |x, y| {
            let dx = (x as f32 + 0.5 - middle.x) / reach;
            let dy = (y as f32 + 0.5 - middle.y) / reach;
            let left = 1.0 - dx * dx - dy * dy;
            (left >= 0.0).then(|| (face, middle.depth - ball.radius * left.sqrt()))
        });
    }

    /// Asks for face and depth of the pixels of a square and keeps what is nearer.
    fn cover(
        &mut self,
        [x, y]: [f32; 2],
        reach: f32,
        seen: impl Fn(usize, usize) -> Option<(u32, f32)>,
    ) {
        let span = |at: f32, size: usize| {
            let first = (at - reach).max(0.0) as usize;
            let last = (at + reach + 1.0).max(0.0) as usize;
            first..last.min(size)
        };
        for row in span(y, self.height) {
            for column in span(x, self.width) {
                let Some((face, depth)) = seen(column, row) else {
                    continue;
                };
                let pixel = row * self.width + column;
                if depth < self.depth[pixel] {
                    self.depth[pixel] = depth;
                    self.face[pixel] = face;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::render::{Camera, Look, Surface, render};

    /// The middle and half the height of what is drawn are those of the ball through the camera.
    #[test]
    fn a_ball_is_where_the_camera_sees_it() {
        let camera = Camera {
            eye: DVec3::new(0.5, -8.0, 3.0),
            target: DVec3::new(0.0, 0.0, 0.5),
            half_height: 0.25,
        };
        let size = [200, 160];
        let colour = Rgb::bytes([250, 20, 20]);
        for centre in [Vec3::ZERO, Vec3::new(0.8, 0.3, -0.4)] {
            let ball = Ball {
                centre,
                radius: 0.5,
                colour,
            };
            let look = Look {
                smooth: true,
                floor: -9.0,
                reach: 0.1,
                lines: 0.0,
            };
            let surface = Surface {
                positions: &[],
                normals: &[],
                faces: &[],
                colours: &[],
                balls: &[ball],
            };
            let canvas = render(surface, &camera, look, size);
            let red = |i: &usize| {
                let [r, g, _] = canvas.pixels[*i].0;
                r > g + 0.15
            };
            let inside: Vec<_> = (0..canvas.pixels.len()).filter(red).collect();
            let mean = |of: fn(usize) -> usize| {
                inside.iter().map(|&i| of(i) as f32 + 0.5).sum::<f32>() / inside.len() as f32
            };
            let [x, y] = camera.place(centre.as_dvec3(), size);
            let seen = [mean(|i| i % 200), mean(|i| i / 200)];
            assert!(
                (seen[0] - x).abs() < 1.5 && (seen[1] - y).abs() < 1.5,
                "{seen:?} {x} {y}"
            );
            let distance = (centre.as_dvec3() - camera.eye).length() as f32;
            let radius = 0.5 / distance * 80.0 / 0.25;
            let area = std::f32::consts::PI * radius * radius;
            assert!((inside.len() as f32 / area - 1.0).abs() < 0.12, "{area}");
        }
    }
}
