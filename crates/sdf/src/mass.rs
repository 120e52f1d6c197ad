//! Mass properties.

use core::f64::consts::PI;

use fearless_simd::Level;
use glam::{DMat3, DVec3, Vec3};

use crate::Field;
use crate::field::Node;
use crate::walk::SurfaceCells;

/// Mass properties of a shape for a density of 1 kg/m³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// m³.
    pub volume: f64,
    /// The centre of mass, in the coordinates of the shape, m.
    pub centre: DVec3,
    /// The inertia about the centre of mass, along the axes of the shape, kg m² for a density of 1 kg/m³.
    pub inertia: DMat3,
}

impl MassProperties {
    /// Those of a body without an inside, centred in a place.
    pub const fn none(centre: DVec3) -> Self {
        Self {
            volume: 0.0,
            centre,
            inertia: DMat3::ZERO,
        }
    }

    /// Those of a body without an end, about the origin: the volume is infinite and the inertia zero.
    pub const fn endless() -> Self {
        Self {
            volume: f64::INFINITY,
            centre: DVec3::ZERO,
            inertia: DMat3::ZERO,
        }
    }

    /// Whether a body can move by forces: its volume and inertia are positive and finite.
    pub fn can_move(&self) -> bool {
        let d = self.inertia.determinant();
        let trace = self.inertia.x_axis.x + self.inertia.y_axis.y + self.inertia.z_axis.z;
        self.volume > 0.0 && self.volume.is_finite() && d > 0.0 && trace > 0.0 && d.is_finite()
    }

    /// In closed form where there is one, else by [`quadrature`](Self::quadrature).
    pub(crate) fn of(field: &Field, level: Level) -> Self {
        if !field.is_bounded() {
            return Self::endless();
        }
        match field.node() {
            Node::Placed(base, placement) => {
                let inner = Self::of(base, level);
                let s = f64::from(placement.scale);
                let [x, y, z] = placement.columns.map(Vec3::as_dvec3);
                let r = DMat3::from_cols(x, y, z);
                Self {
                    volume: inner.volume * s * s * s,
                    centre: r * inner.centre * s + placement.translation.as_dvec3(),
                    inertia: r * inner.inertia * r.transpose() * (s * s * s * s * s),
                }
            }
            node => {
                closed(node).map_or_else(|| Self::quadrature(field, level), Moments::about_centre)
            }
        }
    }

    /// By a sum over cells: an octree down to 1/128 of the largest extent, whole cells where the Lipschitz bound says so,
    /// and at the surface the part of a cell that a plane cuts off, at the distance and with the normal that the field
    /// has in its middle. Off by 1e-4 to 1e-3 for bodies of simple form; features thinner than a cell count as up to a cell
    /// thick.
    pub(crate) fn quadrature(field: &Field, level: Level) -> Self {
        let bounds = field.aabb();
        let mut sum = Moments::default();
        let mut inside = false;
        let cells = SurfaceCells::walk(field, level, bounds, 8.0, 4, 0.0, |centre, size, value| {
            if value < 0.0 {
                inside = true;
                sum.add_box(1.0, centre.as_dvec3(), size.as_dvec3());
            }
        });
        let size = cells.size.as_dvec3();
        for (centre, sample) in cells.centres.iter().zip(&cells.samples) {
            inside |= sample.value < 0.0;
            let g = Vec3::from(sample.gradient).as_dvec3();
            let slope = g.length().max(1e-6);
            let n = g / slope;
            let width = n.abs().dot(size).max(1e-3 * size.min_element());
            let part = (0.5 - f64::from(sample.value) / slope / width).clamp(0.0, 1.0);
            // What is cut off is on the side where the value grows.
            let centre = centre.as_dvec3() - n * size * (0.5 * (1.0 - part));
            sum.add_box(part, centre, size);
        }
        if inside {
            sum.about_centre()
        } else {
            Self::none(bounds.centre().as_dvec3())
        }
    }
}

/// Integrals of 1, x and x xᵀ over a body.
#[derive(Clone, Copy, Default)]
struct Moments {
    volume: f64,
    first: DVec3,
    second: [DVec3; 3],
}

impl Moments {
    /// A part of a box of full size `size`, taken to be a smaller amount of the whole.
    fn add_box(&mut self, part: f64, centre: DVec3, size: DVec3) {
        let volume = part * size.x * size.y * size.z;
        self.add(volume, centre, size * size / 12.0);
    }

    /// A body of its own second moments, which are along the axes, per volume, about its centre.
    fn add(&mut self, volume: f64, centre: DVec3, spread: DVec3) {
        let m = centre * volume;
        self.volume += volume;
        self.first += m;
        self.second[0] += m * centre.x + DVec3::X * (spread.x * volume);
        self.second[1] += m * centre.y + DVec3::Y * (spread.y * volume);
        self.second[2] += m * centre.z + DVec3::Z * (spread.z * volume);
    }

    fn about_centre(self) -> MassProperties {
        if self.volume <= 0.0 {
            return MassProperties::none(self.first);
        }
        let centre = self.first / self.volume;
        let mut second = DMat3::from_cols(self.second[0], self.second[1], self.second[2]);
        second -=
            DMat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z) * self.volume;
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
        MassProperties {
            volume: self.volume,
            centre,
            inertia: (inertia + inertia.transpose()) * 0.5,
        }
    }
}

/// A solid of revolution about z: volume, height of its centre, second moments per volume across and along.
fn turned(volume: f64, height: f64, across: f64, along: f64) -> Moments {
    let mut sum = Moments::default();
    sum.add(volume, DVec3::Z * height, DVec3::new(across, across, along));
    sum
}

fn closed(node: &Node) -> Option<Moments> {
    Some(match node {
        Node::Sphere { radius } => {
            let r = f64::from(*radius);
            turned(4.0 / 3.0 * PI * r * r * r, 0.0, r * r / 5.0, r * r / 5.0)
        }
        Node::Cuboid { half, rounding } if *rounding == 0.0 => {
            let mut sum = Moments::default();
            sum.add_box(1.0, DVec3::ZERO, half.as_dvec3() * 2.0);
            sum
        }
        Node::Capsule {
            radius,
            half_length,
        } => {
            let (r, l) = (f64::from(*radius), f64::from(*half_length));
            let mut sum = turned(2.0 * PI * r * r * l, 0.0, r * r / 4.0, l * l / 3.0);
            let ball = 4.0 / 3.0 * PI * r * r * r;
            // Halves of a ball, each moved outwards by l.
            let along = r * r / 5.0 + l * l + 0.75 * l * r;
            sum.add(
                ball,
                DVec3::ZERO,
                DVec3::new(r * r / 5.0, r * r / 5.0, along),
            );
            sum
        }
        Node::Cylinder {
            radius,
            half_height,
        } => {
            let (r, h) = (f64::from(*radius), f64::from(*half_height));
            turned(2.0 * PI * r * r * h, 0.0, r * r / 4.0, h * h / 3.0)
        }
        Node::Cone(cone) => {
            let (r, h) = (f64::from(cone.radius), f64::from(cone.half_height));
            upright(r, 2.0 * h, -h)
        }
        Node::Torus { major, minor } => {
            let (a, r) = (f64::from(*major), f64::from(*minor));
            let across = 0.5 * a * a + 0.375 * r * r;
            turned(2.0 * PI * PI * a * r * r, 0.0, across, r * r / 4.0)
        }
        Node::SpikePlate(plate) => {
            let mut sum = Moments::default();
            sum.add_box(1.0, DVec3::ZERO, plate.half.as_dvec3() * 2.0);
            let r = f64::from(plate.radius);
            for (foot, height) in plate.spikes() {
                let cone = upright(r, f64::from(height), f64::from(plate.half.z));
                let centre = cone.first / cone.volume;
                let spread = DVec3::new(
                    cone.second[0].x / cone.volume,
                    cone.second[1].y / cone.volume,
                    cone.second[2].z / cone.volume - centre.z * centre.z,
                );
                sum.add(cone.volume, centre + foot.extend(0.0).as_dvec3(), spread);
            }
            sum
        }
        _ => return None,
    })
}

/// A cone that stands on a height.
fn upright(radius: f64, height: f64, base: f64) -> Moments {
    let rr = radius * radius;
    let volume = PI * rr * height / 3.0;
    let along = 0.0375 * height * height;
    turned(volume, base + 0.25 * height, 0.15 * rr, along)
}
