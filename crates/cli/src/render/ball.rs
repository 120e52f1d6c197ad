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
