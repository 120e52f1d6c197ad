//! Fields: what they are made of, and their values.

mod bounds;
mod eval;
mod facts;
mod gather;
mod make;
mod operators;
mod primitives;
mod repetition;
mod sample;
mod spikes;
mod trig;
mod user;

use std::sync::Arc;

use fearless_simd::{Level, f32x8, prelude::*};
use glam::Vec3;
use jostle_simd::Aabb;
use jostle_simd::lanes::{Real, V3};

pub use make::FieldError;
pub use sample::Sample;
pub use user::UserField;

use crate::level::{Lanes, enter};
use crate::voxel::VoxelField;
use operators::Placement;
use primitives::Cone;
use repetition::Repetition;
use spikes::{SpikePlate, SpikyWheel};

/// A signed distance field in its own coordinates, in metres: negative inside, positive outside.
///
/// Cheap to clone. Axes of symmetry lie along z. Values and gradients are finite for coordinates up to 10⁹ m.
///
/// ```
/// use glam::Vec3;
/// use jostle_sdf::Field;
///
/// let ball = Field::sphere(0.5)?;
/// let lens = ball.intersection(&Field::cuboid(Vec3::new(1.0, 1.0, 0.2))?)?;
/// assert_eq!(lens.sample(Vec3::new(0.0, 0.0, 1.2)).value, 1.0);
/// assert_eq!(lens.aabb().max, Vec3::new(0.5, 0.5, 0.2));
/// # Ok::<(), jostle_sdf::FieldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Field {
    node: Arc<Node>,
    aabb: Aabb,
    depth: u32,
}

/// What a field is made of.
#[derive(Debug)]
pub(crate) enum Node {
    Sphere { radius: f32 },
    Cuboid { half: Vec3, rounding: f32 },
    Capsule { radius: f32, half_length: f32 },
    Cylinder { radius: f32, half_height: f32 },
    Cone(Cone),
    Torus { major: f32, minor: f32 },
    HalfSpace { normal: Vec3, offset: f32 },
    SpikePlate(SpikePlate),
    SpikyWheel(SpikyWheel),
    Union(Field, Field),
    Intersection(Field, Field),
    Difference(Field, Field),
    SmoothUnion(Field, Field, f32),
    Offset(Field, f32),
    Shell(Field, f32),
    Repetition(Repetition),
    Bend(Field, f32),
    Twist(Field, f32),
    Displace(Field, f32),
    Placed(Field, Placement),
    Voxel(VoxelField),
    User(Box<dyn UserField>),
}

impl Field {
    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// A field on a grid, which was checked where it was made.
    pub fn voxel(voxels: VoxelField) -> Self {
        Self {
            aabb: voxels.aabb(),
            node: Arc::new(Node::Voxel(voxels)),
            depth: 1,
        }
    }

    /// Value and gradient at a point. The scalar twin of [`sample_all`](Self::sample_all), bit for bit.
    pub fn sample(&self, p: Vec3) -> Sample<f32> {
        eval::node(eval::One, &self.node, p.into())
    }

    /// Value and gradient at eight points: bit for bit those of [`sample`](Self::sample). A call, so that operators can
    /// ask their parts, and each time through `vectorize`, because a vector operation has to be inlined into a function
    /// that carries its target feature.
    #[inline(always)]
    pub(crate) fn eval8<S: Lanes>(&self, simd: S, p: V3<f32x8<S>>) -> Sample<f32x8<S>> {
        simd.field(self, p)
    }

    /// What [`Lanes::field`] calls.
    #[inline(always)]
    pub(crate) fn eight<S: Lanes>(&self, simd: S, p: V3<f32x8<S>>) -> Sample<f32x8<S>> {
        eval::node(eval::Eight(simd), &self.node, p)
    }

    /// Values and gradients at any number of points, eight at a time: the same as [`sample`](Self::sample) of each, at
    /// any level. `out` is overwritten.
    pub fn sample_all(&self, level: Level, points: &[Vec3], out: &mut Vec<Sample<f32>>) {
        out.clear();
        out.reserve(points.len());
        enter!(level, simd => eval_all(simd, self, points, out));
    }

    /// A box around the surface and the inside.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }
}

#[inline(always)]
fn eval_all<S: Lanes>(simd: S, field: &Field, points: &[Vec3], out: &mut Vec<Sample<f32>>) {
    let (eights, rest) = points.as_chunks::<8>();
    for eight in eights {
        out.extend_from_slice(&eval_eight(simd, field, eight));
    }
    if let Some(last) = rest.last() {
        let mut eight = [*last; 8];
        eight[..rest.len()].copy_from_slice(rest);
        out.extend_from_slice(&eval_eight(simd, field, &eight)[..rest.len()]);
    }
}

#[inline(always)]
fn eval_eight<S: Lanes>(simd: S, field: &Field, points: &[Vec3; 8]) -> [Sample<f32>; 8] {
    let mut rows = [[0.0; 8]; 3];
    for lane in 0..8 {
        rows[0][lane] = points[lane].x;
        rows[1][lane] = points[lane].y;
        rows[2][lane] = points[lane].z;
    }
    let p = V3::new(
        f32x8::from_slice(simd, &rows[0]),
        f32x8::from_slice(simd, &rows[1]),
        f32x8::from_slice(simd, &rows[2]),
    );
    let s = field.eval8(simd, p);
    let value = s.value.to_eight();
    let (x, y, z) = (
        s.gradient.x.to_eight(),
        s.gradient.y.to_eight(),
        s.gradient.z.to_eight(),
    );
    let mut out = [Sample {
        value: 0.0,
        gradient: V3::new(0.0, 0.0, 0.0),
    }; 8];
    for lane in 0..8 {
        out[lane].value = value[lane];
        out[lane].gradient = V3::new(x[lane], y[lane], z[lane]);
    }
    out
}
