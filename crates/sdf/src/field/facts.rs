//! What is known of fields without a look at their values.

use glam::{DVec2, Vec3};

use super::operators::RIPPLE;
use super::{Field, Node, eval};
use crate::tolerances::LARGEST;

impl Field {
    /// How much the value can change, at most, by metre of way, between points of a ball about `centre`.
    ///
    /// It is 1 for true distances and what unions, intersections, differences, offsets, shells, repetitions and
    /// placements make of them. The bound of a composition φ(q(p)) is that of φ times the largest singular value of the
    /// Jacobian of q in the ball:
    ///
    /// - Bend, q = R(k x) p: the Jacobian is a rotation times [[1 − k y, 0], [k x, 1]] in the plane; with
    ///   a = 1 + |k| (|y| + r), b = |k| (|x| + r) and t = a² + b² + 1 the square of its largest singular value is at most
    ///   ½ (t + √(t² − 4 a²)), which grows with a and b.
    /// - Twist, q = R(k z) p: a rotation times a shear by at most s = |k| (√(x² + y²) + r), which stretches by
    ///   ½ (s + √(s² + 4)).
    /// - Displacement adds 7 |k|: the gradient of a product of three sines is never longer than 1.
    pub fn lipschitz_in(&self, centre: Vec3, radius: f32) -> f32 {
        self.node.lipschitz_in(centre, radius)
    }

    /// Whether the inside is convex, as far as is known.
    pub fn is_convex(&self) -> bool {
        match self.node() {
            Node::User(field) => field.is_convex(),
            node => node.is_convex_function(),
        }
    }

    /// A bound on the difference between the value and the true distance on and outside of the surface, where values are
    /// below half of the smallest feature (and not cut), apart from rounding: 0 for closed forms, their placements, and
    /// unions and positive offsets of them; nothing where it is not known.
    pub fn error(&self) -> Option<f32> {
        match self.node() {
            Node::Sphere { .. }
            | Node::Cuboid { .. }
            | Node::Capsule { .. }
            | Node::Cylinder { .. }
            | Node::Cone(_)
            | Node::Torus { .. }
            | Node::HalfSpace { .. }
            | Node::SpikePlate(_)
            | Node::SpikyWheel(_) => Some(0.0),
            Node::Union(a, b) => Some(a.error()?.max(b.error()?)),
            Node::Offset(base, distance) if *distance >= 0.0 => base.error(),
            Node::Repetition(repetition) => repetition.base.error(),
            Node::Placed(base, placement) => Some(base.error()? * placement.scale),
            _ => None,
        }
    }

    /// The step with which differences of the gradient tell of curvature, where that is more than rounding asks for.
    pub(crate) fn laplacian_step(&self) -> Option<f32> {
        let of_parts = self
            .node
            .parts()
            .filter_map(Self::laplacian_step)
            .reduce(f32::max);
        match self.node() {
            Node::Voxel(voxels) => Some(voxels.spacing()),
            Node::Placed(_, placement) => of_parts.map(|step| step * placement.scale),
            _ => of_parts,
        }
    }

    /// Whether the inside has an end; a half-space and what contains one has none.
    pub fn is_bounded(&self) -> bool {
        match self.node() {
            Node::HalfSpace { .. } => false,
            Node::Intersection(..) => {
                let aabb = self.aabb;
                aabb.min.abs().max(aabb.max.abs()).max_element() < LARGEST
            }
            Node::Difference(a, _) => a.is_bounded(),
            node => node.parts().all(Self::is_bounded),
        }
    }

    /// Whether the value is at least the distance to the box.
    pub(super) fn is_above_box(&self) -> bool {
        match self.node() {
            Node::Intersection(..)
            | Node::Bend(..)
            | Node::Twist(..)
            | Node::Voxel(_)
            | Node::User(_) => false,
            Node::Offset(base, distance) => *distance >= 0.0 && base.is_above_box(),
            Node::Difference(a, _) => a.is_above_box(),
            node => node.parts().all(Self::is_above_box),
        }
    }
}

impl Node {
    /// The fields that this one is made of.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Field> {
        let (a, b) = match self {
            Self::Union(a, b)
            | Self::Intersection(a, b)
            | Self::Difference(a, b)
            | Self::SmoothUnion(a, b, _) => (Some(a), Some(b)),
            Self::Offset(a, _)
            | Self::Shell(a, _)
            | Self::Bend(a, _)
            | Self::Twist(a, _)
            | Self::Displace(a, _)
            | Self::Placed(a, _) => (Some(a), None),
            Self::Repetition(repetition) => (Some(&repetition.base), None),
            _ => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// Whether the value itself is a convex function, so that offsets and intersections are convex as well.
    fn is_convex_function(&self) -> bool {
        match self {
            Self::Sphere { .. }
            | Self::Cuboid { .. }
            | Self::Capsule { .. }
            | Self::Cylinder { .. }
            | Self::Cone(_)
            | Self::HalfSpace { .. } => true,
            Self::Intersection(a, b) => a.node.is_convex_function() && b.node.is_convex_function(),
            Self::Offset(base, _) | Self::Placed(base, _) => base.node.is_convex_function(),
            Self::Repetition(repetition) => {
                repetition.counts == [1; 3] && repetition.base.node.is_convex_function()
            }
            _ => false,
        }
    }

    fn lipschitz_in(&self, centre: Vec3, radius: f32) -> f32 {
        match self {
            Self::Bend(base, k) => {
                let p = centre.as_dvec3().abs();
                let stretch =
                    bend_stretch(f64::from(*k), DVec2::new(p.x, p.y), f64::from(radius)) as f32;
                let q = eval::turned(centre, centre.x * *k);
                stretch * base.lipschitz_in(q, stretch * radius)
            }
            Self::Twist(base, k) => {
                let away = (centre.x * centre.x + centre.y * centre.y).sqrt();
                let shear = k.abs() * (away + radius);
                let stretch = 0.5 * (shear + (shear * shear + 4.0).sqrt());
                let q = eval::turned(centre, centre.z * k);
                stretch * base.lipschitz_in(q, stretch * radius)
            }
            Self::Displace(base, k) => base.lipschitz_in(centre, radius) + RIPPLE * k.abs(),
            Self::Placed(base, placement) => base.lipschitz_in(
                placement.before(centre.into()).into(),
                radius / placement.scale,
            ),
            Self::Repetition(repetition) => {
                let around = repetition.half_lattice().length() + radius;
                repetition.base.lipschitz_in(centre, around).max(1.0)
            }
            Self::Voxel(voxels) => voxels.lipschitz_in(centre, radius),
            Self::User(field) => field.lipschitz(),
            node => node
                .parts()
                .map(|part| part.lipschitz_in(centre, radius))
                .reduce(f32::max)
                .unwrap_or(1.0),
        }
    }
}

/// The largest singular value of the Jacobian of bending in a ball of radius `r`; `p` the sizes of its coordinates.
pub(super) fn bend_stretch(k: f64, p: DVec2, r: f64) -> f64 {
    let a = 1.0 + k.abs() * (p.y + r);
    let b = k.abs() * (p.x + r);
    let t = a * a + b * b + 1.0;
    (0.5 * (t + (t * t - 4.0 * a * a).max(0.0).sqrt())).sqrt()
}
