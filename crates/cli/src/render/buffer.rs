//! The z-buffer.

use super::camera::Projected;

/// No face.
pub(super) const NONE: u32 = u32::MAX;

/// Depth and face of every pixel.
pub(super) struct Buffer {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) depth: Vec<f32>,
    pub(super) face: Vec<u32>,
}

/// Twice the signed area of a triangle.
pub(super) fn area(a: Projected, b: Projected, x: f32, y: f32) -> f32 {
    (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
}

impl Buffer {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            depth: vec![f32::INFINITY; width * height],
            face: vec![NONE; width * height],
        }
    }

    /// Draws a triangle. With `perspective`, 1 / depth is linear over the picture, else depth is.
    pub(super) fn draw(&mut self, face: u32, [a, b, c]: [Projected; 3], perspective: bool) {
        let whole = area(a, b, c.x, c.y);
        let nearest = a.depth.min(b.depth).min(c.depth);
        if whole == 0.0 || !whole.is_finite() || (perspective && nearest <= 0.0) {
            return;
        }
        let value = |p: Projected| if perspective { 1.0 / p.depth } else { p.depth };
        let (va, vb, vc) = (value(a), value(b), value(c));
        let span = |low: f32, high: f32, size: usize| {
            let first = (low - 0.5).ceil().max(0.0) as usize;
            let last = (high + 0.5).floor().max(0.0) as usize;
            first..last.min(size)
        };
        let rows = span(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y), self.height);
        for y in rows {
            let columns = span(a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x), self.width);
            for x in columns {
                let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
                let wa = area(b, c, px, py) / whole;
                let wb = area(c, a, px, py) / whole;
                let wc = area(a, b, px, py) / whole;
                if wa < 0.0 || wb < 0.0 || wc < 0.0 {
                    continue;
                }
                let mixed = wa * va + wb * vb + wc * vc;
                let depth = if perspective { 1.0 / mixed } else { mixed };
                let pixel = y * self.width + x;
                if depth < self.depth[pixel] {
                    self.depth[pixel] = depth;
                    self.face[pixel] = face;
                }
            }
        }
    }
}
