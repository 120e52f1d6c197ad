//! How fields are made: every parameter is checked here.

use std::sync::Arc;

use glam::Vec3;
use jostle_geom::Pose;
use thiserror::Error;

use super::operators::Placement;
use super::primitives::Cone;
use super::repetition::Repetition;
use super::spikes::{MOST_SPIKES, SpikePlate, SpikyWheel};
use super::{Field, Node, UserField};
use crate::tolerances::{DEEPEST, LARGEST, SMALLEST};

/// A field that cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FieldError {
    /// A parameter is not a number, not positive, or too large.
    #[error("{field}: {parameter} is {value}, which is not {range}")]
    Parameter {
        /// Of which field.
        field: &'static str,
        /// Of what.
        parameter: &'static str,
        /// As given.
        value: f32,
        /// What it has to be.
        range: &'static str,
    },
    /// Nothing can be inside, as the boxes of an intersection do not overlap or an offset leaves nothing of a box.
    #[error("{field}: nothing is inside")]
    Empty {
        /// Of which field.
        field: &'static str,
    },
    /// Operators of operators of operators.
    #[error("{depth} operators are inside of each other, and {most} may be")]
    Deep {
        /// As found.
        depth: u32,
        /// As allowed.
        most: u32,
    },
    /// Copies overhang their cells so far that too many of them could be the nearest one.
    #[error("repetition: {copies} copies overhang each other, and {most} may")]
    Overhang {
        /// As found.
        copies: u64,
        /// As allowed.
        most: u32,
    },
}

const LENGTH: &str = "from 1e-6 to 1e6";

/// Checks lengths of one field.
#[derive(Clone, Copy)]
struct Check(&'static str);

impl Check {
    fn that(
        self,
        holds: bool,
        parameter: &'static str,
        value: f32,
        range: &'static str,
    ) -> Result<(), FieldError> {
        if holds {
            return Ok(());
        }
        Err(FieldError::Parameter {
            field: self.0,
            parameter,
            value,
            range,
        })
    }

    fn length(self, parameter: &'static str, value: f32) -> Result<(), FieldError> {
        let good = (SMALLEST..=LARGEST).contains(&value);
        self.that(good, parameter, value, LENGTH)
    }

    fn half(self, half: Vec3) -> Result<(), FieldError> {
        self.length("half extent x", half.x)?;
        self.length("half extent y", half.y)?;
        self.length("half extent z", half.z)
    }

    fn bounded(self, parameter: &'static str, value: f32) -> Result<(), FieldError> {
        let good = value.abs() <= LARGEST;
        self.that(good, parameter, value, "between −1e6 and 1e6")
    }
}

impl Field {
    fn made(node: Node, name: &'static str) -> Result<Self, FieldError> {
        let depth = 1 + node.parts().map(|part| part.depth).max().unwrap_or(0);
        if depth > DEEPEST {
            return Err(FieldError::Deep {
                depth,
                most: DEEPEST,
            });
        }
        let Some(aabb) = node.bounds_of_level(0.0) else {
            return Err(FieldError::Empty { field: name });
        };
        Ok(Self {
            node: Arc::new(node),
            aabb,
            depth,
        })
    }

    /// A ball about the origin.
    ///
    /// # Errors
    /// A radius that is not from 1e-6 to 1e6 m, as all lengths of all fields have to be.
    pub fn sphere(radius: f32) -> Result<Self, FieldError> {
        Check("sphere").length("radius", radius)?;
        Self::made(Node::Sphere { radius }, "sphere")
    }

    /// A box about the origin.
    ///
    /// # Errors
    /// Half extents that are not lengths.
    pub fn cuboid(half: Vec3) -> Result<Self, FieldError> {
        Check("cuboid").half(half)?;
        let rounding = 0.0;
        Self::made(Node::Cuboid { half, rounding }, "cuboid")
    }

    /// A box about the origin whose edges and corners are rounded to a radius; it is not larger than without.
    ///
    /// # Errors
    /// Half extents that are not lengths, a radius that is not one or is larger than the smallest of them.
    pub fn rounded_cuboid(half: Vec3, radius: f32) -> Result<Self, FieldError> {
        let check = Check("rounded cuboid");
        check.half(half)?;
        check.length("radius", radius)?;
        let fits = radius <= half.min_element();
        check.that(fits, "radius", radius, "at most the smallest half extent")?;
        let (half, rounding) = (half - radius, radius);
        Self::made(Node::Cuboid { half, rounding }, "rounded cuboid")
    }

    /// All points closer than a radius to a segment of the z axis that reaches `half_length` up and down.
    ///
    /// # Errors
    /// Parameters that are not lengths.
    pub fn capsule(radius: f32, half_length: f32) -> Result<Self, FieldError> {
        Check("capsule").length("radius", radius)?;
        Check("capsule").length("half length", half_length)?;
        let node = Node::Capsule {
            radius,
            half_length,
        };
        Self::made(node, "capsule")
    }

    /// A cylinder along z about the origin.
    ///
    /// # Errors
    /// Parameters that are not lengths.
    pub fn cylinder(radius: f32, half_height: f32) -> Result<Self, FieldError> {
        Check("cylinder").length("radius", radius)?;
        Check("cylinder").length("half height", half_height)?;
        let node = Node::Cylinder {
            radius,
            half_height,
        };
        Self::made(node, "cylinder")
    }

    /// A cone along z: the apex is `half_height` above the origin, the base with its radius as far below.
    ///
    /// # Errors
    /// Parameters that are not lengths.
    pub fn cone(radius: f32, half_height: f32) -> Result<Self, FieldError> {
        Check("cone").length("radius", radius)?;
        Check("cone").length("half height", half_height)?;
        Self::made(Node::Cone(Cone::new(radius, half_height)), "cone")
    }

    /// A torus about the z axis: all points closer than `minor` to a circle of radius `major`.
    ///
    /// # Errors
    /// Parameters that are not lengths, a minor radius larger than the major one.
    pub fn torus(major: f32, minor: f32) -> Result<Self, FieldError> {
        let check = Check("torus");
        check.length("major radius", major)?;
        check.length("minor radius", minor)?;
        check.that(
            minor <= major,
            "minor radius",
            minor,
            "at most the major one",
        )?;
        Self::made(Node::Torus { major, minor }, "torus")
    }

    /// The points x with n · x at most `offset`, n the normal scaled to length 1.
    ///
    /// It has no end, but its box ends 10⁶ m from the origin along each axis (and at the surface, where the normal is
    /// along an axis), because infinite boxes do not stand rotation. Its volume is infinite, so that it is for fixed
    /// bodies.
    ///
    /// # Errors
    /// A normal without direction, an offset beyond 10⁶ m.
    pub fn half_space(normal: Vec3, offset: f32) -> Result<Self, FieldError> {
        let check = Check("half space");
        check.bounded("offset", offset)?;
        let n = normal.as_dvec3();
        let length = n.length();
        let good = length > 1e-30 && length.is_finite();
        check.that(good, "length of the normal", length as f32, "positive")?;
        let normal = (n / length).as_vec3();
        Self::made(Node::HalfSpace { normal, offset }, "half space")
    }

    /// A box about the origin with `count` × `count` cones on its upper face, one in the middle of each cell of a
    /// lattice; their heights are spread evenly at random between two bounds, the same in all plates.
    ///
    /// The value is cut where it is larger than about one and a half cells; it is never too large.
    ///
    /// # Errors
    /// Parameters that are not lengths, more than 1,024 spikes in a row or none, spikes wider than their cells, bounds
    /// that are not in order.
    pub fn spike_plate(
        half: Vec3,
        count: u32,
        radius: f32,
        least_height: f32,
        most_height: f32,
    ) -> Result<Self, FieldError> {
        let check = Check("spike plate");
        check.half(half)?;
        check.length("spike radius", radius)?;
        check.length("least height", least_height)?;
        check.length("most height", most_height)?;
        let ordered = least_height <= most_height;
        check.that(ordered, "least height", least_height, "at most the other")?;
        let some = (1..=MOST_SPIKES).contains(&count);
        check.that(some, "spikes in a row", count as f32, "from 1 to 1024")?;
        let fits = radius * count as f32 <= half.x.min(half.y);
        check.that(fits, "spike radius", radius, "at most half of a cell")?;
        let plate = SpikePlate::new(half, count, radius, [least_height, most_height]);
        Self::made(Node::SpikePlate(plate), "spike plate")
    }

    /// A cylinder along z about the origin with two rings of `count` cones around it, the first ones along x. The cones
    /// have their radius where they leave the hub and end `length` beyond it.
    ///
    /// # Errors
    /// Parameters that are not lengths, more than 1,024 spikes in a ring or none, spikes wider than half of the hub.
    pub fn spiky_wheel(
        hub_radius: f32,
        hub_half_width: f32,
        radius: f32,
        length: f32,
        count: u32,
    ) -> Result<Self, FieldError> {
        let check = Check("spiky wheel");
        check.length("hub radius", hub_radius)?;
        check.length("half width of the hub", hub_half_width)?;
        check.length("spike radius", radius)?;
        check.length("spike length", length)?;
        let some = (1..=MOST_SPIKES).contains(&count);
        check.that(some, "spikes in a ring", count as f32, "from 1 to 1024")?;
        let fits = radius <= 0.5 * hub_radius && radius <= 0.5 * hub_half_width;
        check.that(fits, "spike radius", radius, "at most half of the hub's")?;
        let wheel = SpikyWheel::new(hub_radius, hub_half_width, radius, length, count);
        Self::made(Node::SpikyWheel(wheel), "spiky wheel")
    }

    /// A field written by the user. What it says of itself is believed here; [`Shape::new`](crate::Shape::new) takes
    /// samples.
    ///
    /// # Errors
    /// A box that is inverted or too large, a Lipschitz bound that is not positive or too large.
    pub fn user(field: Box<dyn UserField>) -> Result<Self, FieldError> {
        let check = Check("user field");
        let lipschitz = field.lipschitz();
        let good = lipschitz > 0.0 && lipschitz <= LARGEST;
        check.that(good, "Lipschitz bound", lipschitz, "positive, up to 1e6")?;
        let aabb = field.aabb();
        for (name, corner) in [("least corner", aabb.min), ("largest corner", aabb.max)] {
            for value in corner.to_array() {
                check.bounded(name, value)?;
            }
        }
        for extent in (aabb.max - aabb.min).to_array() {
            check.that(extent >= 0.0, "extent", extent, "at least 0")?;
        }
        Self::made(Node::User(field), "user field")
    }

    /// What is inside of at least one: the smaller value. True outside if both are.
    ///
    /// # Errors
    /// More than 64 operators inside of each other, as with all operators.
    pub fn union(&self, other: &Self) -> Result<Self, FieldError> {
        Self::made(Node::Union(self.clone(), other.clone()), "union")
    }

    /// What is inside of both: the larger value. At most the true distance outside, if both are.
    ///
    /// # Errors
    /// Boxes that do not overlap.
    pub fn intersection(&self, other: &Self) -> Result<Self, FieldError> {
        let node = Node::Intersection(self.clone(), other.clone());
        Self::made(node, "intersection")
    }

    /// What is inside of this one and not of the other. At most the true distance outside, if both are.
    ///
    /// # Errors
    /// Too many operators.
    pub fn difference(&self, other: &Self) -> Result<Self, FieldError> {
        Self::made(Node::Difference(self.clone(), other.clone()), "difference")
    }

    /// A union with a fillet where values differ by less than `width`; the value is less than that of the union by at
    /// most a quarter of it.
    ///
    /// # Errors
    /// A width that is not a length.
    pub fn smooth_union(&self, other: &Self, width: f32) -> Result<Self, FieldError> {
        Check("smooth union").length("width", width)?;
        let node = Node::SmoothUnion(self.clone(), other.clone(), width);
        Self::made(node, "smooth union")
    }

    /// Everything closer than `distance`, or for a negative one everything deeper: φ − distance.
    ///
    /// # Errors
    /// A distance that is not finite, or one that leaves nothing of the box.
    pub fn offset(&self, distance: f32) -> Result<Self, FieldError> {
        Check("offset").bounded("distance", distance)?;
        Self::made(Node::Offset(self.clone(), distance), "offset")
    }

    /// A layer of a thickness about the surface: |φ| − thickness/2.
    ///
    /// # Errors
    /// A thickness that is not a length.
    pub fn shell(&self, thickness: f32) -> Result<Self, FieldError> {
        Check("shell").length("thickness", thickness)?;
        Self::made(Node::Shell(self.clone(), 0.5 * thickness), "shell")
    }

    /// Copies on a lattice about the origin, `counts` of them along each axis, `pitch` apart. They may overhang their
    /// cells; the more they do, the more of them are asked for a value: usually 2 along each axis, or all when there are
    /// not more. With more than are asked, the value is cut at half of the smallest pitch, or at the distance to the
    /// bounds where that is larger.
    ///
    /// # Errors
    /// A count of 0 or beyond 10⁵, a pitch that is not a length where the count is not 1, too much overhang.
    pub fn repeat(&self, counts: [u32; 3], pitch: Vec3) -> Result<Self, FieldError> {
        let check = Check("repetition");
        let mut steps = Vec3::ONE;
        for axis in 0..3 {
            let good = (1..=100_000).contains(&counts[axis]);
            check.that(good, "count", counts[axis] as f32, "from 1 to 1e5")?;
            if counts[axis] > 1 {
                check.length("pitch", pitch[axis])?;
                steps[axis] = pitch[axis];
            }
        }
        let repetition = Repetition::new(self, counts, steps)?;
        Self::made(Node::Repetition(repetition), "repetition")
    }

    /// Bent in the plane of x and y: φ(q) with q the point turned about z by `k` x, `k` in rad/m.
    ///
    /// # Errors
    /// A curvature that is not finite or beyond 10⁶.
    pub fn bend(&self, k: f32) -> Result<Self, FieldError> {
        Check("bend").bounded("curvature", k)?;
        Self::made(Node::Bend(self.clone(), k), "bend")
    }

    /// Twisted about the z axis: φ(q) with q the point turned about z by `k` z, `k` in rad/m.
    ///
    /// # Errors
    /// A rate that is not finite or beyond 10⁶.
    pub fn twist(&self, k: f32) -> Result<Self, FieldError> {
        Check("twist").bounded("rate", k)?;
        Self::made(Node::Twist(self.clone(), k), "twist")
    }

    /// With ripples: φ + k sin 7x sin 7y sin 7z, in metres and radians.
    ///
    /// # Errors
    /// An amplitude that is not finite or beyond 10⁶.
    pub fn displace(&self, k: f32) -> Result<Self, FieldError> {
        Check("displace").bounded("amplitude", k)?;
        Self::made(Node::Displace(self.clone(), k), "displace")
    }

    /// Scaled about the origin, turned, and moved.
    ///
    /// # Errors
    /// A scale that is not from 1e-6 to 1e6, a position beyond 10⁶ m.
    pub fn placed(&self, pose: &Pose, scale: f32) -> Result<Self, FieldError> {
        let check = Check("placement");
        check.length("scale", scale)?;
        let translation = pose.position.as_vec3();
        for value in translation.to_array() {
            check.bounded("position", value)?;
        }
        let m = pose.rotation.matrix();
        let placement = Placement {
            columns: [m.x_axis.as_vec3(), m.y_axis.as_vec3(), m.z_axis.as_vec3()],
            translation,
            scale,
        };
        Self::made(Node::Placed(self.clone(), placement), "placement")
    }
}
