//! Where pictures are taken from.

use glam::{DVec3, Vec3};

/// A perspective camera.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    /// Where it is.
    pub eye: DVec3,
    /// What it looks at, in the middle of the picture.
    pub target: DVec3,
    /// Half the height of the picture over its distance.
    pub half_height: f32,
}

impl Camera {
    /// Where a point is on a picture of a size in pixels, from the upper left corner.
    pub(crate) fn place(&self, point: DVec3, [width, height]: [usize; 2]) -> [f32; 2] {
        let place = View::new(self, width, height).project(point.as_vec3());
        [place.x, place.y]
    }
}

/// A camera for a picture of a given size in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) eye: Vec3,
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    /// Pixels a unit of slope.
    pub(super) focal: f32,
    centre: [f32; 2],
}

/// A point on the picture: pixels from the upper left corner, and depth along the view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projected {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) depth: f32,
}

impl View {
    pub(super) fn new(camera: &Camera, width: usize, height: usize) -> Self {
        let forward = (camera.target - camera.eye)
            .as_vec3()
            .normalize_or(-Vec3::Z);
        let right = forward.cross(Vec3::Z).normalize_or(Vec3::X);
        Self {
            eye: camera.eye.as_vec3(),
            right,
            up: right.cross(forward),
            forward,
            focal: height as f32 / 2.0 / camera.half_height,
            centre: [width as f32 / 2.0, height as f32 / 2.0],
        }
    }

    pub(super) fn project(&self, p: Vec3) -> Projected {
        let v = p - self.eye;
        let depth = v.dot(self.forward);
        let scale = self.focal / depth.max(1e-6);
        Projected {
            x: self.centre[0] + v.dot(self.right) * scale,
            y: self.centre[1] - v.dot(self.up) * scale,
            depth,
        }
    }

    /// The direction through the middle of a pixel, of unit depth.
    pub(super) fn ray(&self, x: usize, y: usize) -> Vec3 {
        let sx = (x as f32 + 0.5 - self.centre[0]) / self.focal;
        let sy = (self.centre[1] - y as f32 - 0.5) / self.focal;
        self.forward + self.right * sx + self.up * sy
    }

    /// Steps across and up for a step forward, on the way to a point of the picture.
    pub(super) fn slope(&self, at: Projected) -> (f32, f32) {
        let across = (at.x - self.centre[0]) / self.focal;
        (across, (self.centre[1] - at.y) / self.focal)
    }

    /// The point seen at a pixel at a depth.
    pub(super) fn point(&self, x: usize, y: usize, depth: f32) -> Vec3 {
        self.eye + self.ray(x, y) * depth
    }
}

/// A parallel light with the area that it looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Light {
    /// From the scene to the light.
    pub(super) towards: Vec3,
    right: Vec3,
    up: Vec3,
    middle: Vec3,
    /// Pixels a metre.
    pub(super) scale: f32,
    half: f32,
}

impl Light {
    /// A light over a sphere, with a square shadow map of `size` pixels.
    pub(super) fn new(towards: Vec3, middle: Vec3, radius: f32, size: usize) -> Self {
        let towards = towards.normalize_or(Vec3::Z);
        let right = towards.cross(Vec3::Y).normalize_or(Vec3::X);
        let half = size as f32 / 2.0;
        Self {
            towards,
            right,
            up: right.cross(towards),
            middle,
            scale: half / radius.max(1e-6),
            half,
        }
    }

    /// Place on the shadow map; depth grows away from the light.
    pub(super) fn project(&self, p: Vec3) -> Projected {
        let v = p - self.middle;
        Projected {
            x: self.half + v.dot(self.right) * self.scale,
            y: self.half - v.dot(self.up) * self.scale,
            depth: -v.dot(self.towards),
        }
    }
}
