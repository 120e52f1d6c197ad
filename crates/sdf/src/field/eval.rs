//! Values of fields: one walk of what they are made of, over one point or eight.

use fearless_simd::f32x8;
use jostle_simd::lanes::{Real, V3};

use super::gather::Gather;
use super::operators::{self, Turned};
use super::primitives::{ball, capsule, cuboid, cylinder, half_space, torus};
use super::{Field, Node, Sample, user};
use crate::level::Lanes;
use crate::voxel::VoxelField;

/// How parts of a field are asked: [`Field::sample`] or `Field::eval8`.
pub(super) trait Evaluate<R: Real>: Copy {
    /// The value of a part.
    fn part(self, field: &Field, p: V3<R>) -> Sample<R>;
    /// The value of a grid.
    fn voxels(self, field: &VoxelField, p: V3<R>) -> Sample<R>;
}

/// One point.
#[derive(Clone, Copy)]
pub(super) struct One;

impl Evaluate<f32> for One {
    #[inline(always)]
    fn part(self, field: &Field, p: V3<f32>) -> Sample<f32> {
        field.sample(p.into())
    }

    #[inline(always)]
    fn voxels(self, field: &VoxelField, p: V3<f32>) -> Sample<f32> {
        field.sample(p.into())
    }
}

/// Eight points.
#[derive(Clone, Copy)]
pub(super) struct Eight<S>(pub(super) S);

impl<S: Lanes> Evaluate<f32x8<S>> for Eight<S> {
    #[inline(always)]
    fn part(self, field: &Field, p: V3<f32x8<S>>) -> Sample<f32x8<S>> {
        field.eval8(self.0, p)
    }

    #[inline(always)]
    fn voxels(self, field: &VoxelField, p: V3<f32x8<S>>) -> Sample<f32x8<S>> {
        field.eval8(self.0, p)
    }
}

/// The value of a node.
#[inline(always)]
pub(super) fn node<R: Gather, E: Evaluate<R>>(e: E, node: &Node, p: V3<R>) -> Sample<R> {
    match node {
        Node::Sphere { radius } => ball(p, *radius),
        Node::Cuboid { half, rounding } => cuboid(p, *half, *rounding),
        Node::Capsule {
            radius,
            half_length,
        } => capsule(p, *radius, *half_length),
        Node::Cylinder {
            radius,
            half_height,
        } => cylinder(p, *radius, *half_height),
        Node::Cone(cone) => cone.sample(p),
        Node::Torus { major, minor } => torus(p, *major, *minor),
        Node::HalfSpace { normal, offset } => half_space(p, *normal, *offset),
        Node::SpikePlate(plate) => plate.sample(p),
        Node::SpikyWheel(wheel) => wheel.sample(p),
        Node::Union(a, b) => e.part(a, p).least(e.part(b, p)),
        Node::Intersection(a, b) => e.part(a, p).most(e.part(b, p)),
        Node::Difference(a, b) => e.part(a, p).most(e.part(b, p).inverted()),
        Node::SmoothUnion(a, b, k) => operators::smooth_least(e.part(a, p), e.part(b, p), *k),
        Node::Offset(base, distance) => operators::offset(e.part(base, p), *distance),
        Node::Shell(base, half_thickness) => operators::shell(e.part(base, p), *half_thickness),
        Node::Repetition(repetition) => repetition.sample(e, p),
        Node::Bend(base, k) => {
            let turned = Turned::by(p, p.x * p.x.all(*k));
            turned.unbent(e.part(base, turned.point), *k)
        }
        Node::Twist(base, k) => {
            let turned = Turned::by(p, p.z * p.x.all(*k));
            turned.untwisted(e.part(base, turned.point), *k)
        }
        Node::Displace(base, k) => operators::displaced(p, e.part(base, p), *k),
        Node::Placed(base, placement) => placement.after(e.part(base, placement.before(p))),
        Node::Voxel(voxels) => e.voxels(voxels, p),
        Node::User(field) => user::lanes(&**field, p),
    }
}

/// A point turned about z by an angle, as operators do.
pub(super) fn turned(p: glam::Vec3, angle: f32) -> glam::Vec3 {
    Turned::by(p.into(), angle).point.into()
}
