//! Boxes around fields.

use glam::{DVec2, Vec3};
use jostle_simd::Aabb;

use super::{Field, Node};
use crate::tolerances::LARGEST;

impl Field {
    /// A box around all points with values up to `level`; nothing when that box is empty.
    pub(super) fn bounds_of_level(&self, level: f32) -> Option<Aabb> {
        if level == 0.0 {
            return Some(self.aabb);
        }
        self.node.bounds_of_level(level)
    }
}

impl Node {
    /// For true distances, and fields that say of themselves that they are, the box grown by the level; operators ask
    /// their parts for the levels that matter to them.
    pub(super) fn bounds_of_level(&self, level: f32) -> Option<Aabb> {
        let about = |half: Vec3| grow(Aabb::new(-half, half), level);
        match self {
            Self::Sphere { radius } => about(Vec3::splat(*radius)),
            Self::Cuboid { half, rounding } => about(*half + *rounding),
            Self::Capsule {
                radius,
                half_length,
            } => about(Vec3::new(*radius, *radius, half_length + radius)),
            Self::Cylinder {
                radius,
                half_height,
            } => about(Vec3::new(*radius, *radius, *half_height)),
            Self::Cone(cone) => about(Vec3::new(cone.radius, cone.radius, cone.half_height)),
            Self::Torus { major, minor } => about(Vec3::new(major + minor, major + minor, *minor)),
            Self::HalfSpace { normal, offset } => half_space(*normal, offset + level),
            Self::SpikePlate(plate) => grow(plate.aabb(), level),
            Self::SpikyWheel(wheel) => grow(wheel.aabb(), level),
            Self::Union(a, b) => either(a.bounds_of_level(level), b.bounds_of_level(level)),
            Self::Intersection(a, b) => {
                let (a, b) = (a.bounds_of_level(level)?, b.bounds_of_level(level)?);
                checked(a.min.max(b.min), a.max.min(b.max))
            }
            Self::Difference(a, _) => a.bounds_of_level(level),
            Self::SmoothUnion(a, b, k) => either(
                a.bounds_of_level(level + 0.25 * k),
                b.bounds_of_level(level + 0.25 * k),
            ),
            Self::Offset(base, distance) => base.bounds_of_level(level + distance),
            Self::Shell(base, half_thickness) => base.bounds_of_level(level + half_thickness),
            Self::Repetition(repetition) => {
                Some(repetition.grown(repetition.base.bounds_of_level(level)?))
            }
            Self::Bend(base, k) => Some(bent(base.bounds_of_level(level)?, f64::from(*k))),
            Self::Twist(base, k) => Some(twisted(base.bounds_of_level(level)?, f64::from(*k))),
            Self::Displace(base, k) => base.bounds_of_level(level + k.abs()),
            Self::Placed(base, placement) => {
                let inner = base.bounds_of_level(level / placement.scale)?;
                let (centre, half) = (inner.centre(), 0.5 * (inner.max - inner.min));
                let [x, y, z] = placement.columns;
                let s = placement.scale;
                let centre =
                    (x * centre.x + y * centre.y + z * centre.z) * s + placement.translation;
                let half = (x.abs() * half.x + y.abs() * half.y + z.abs() * half.z) * s;
                let slack = 1e-6 * (centre.abs().max_element() + half.max_element());
                Some(clamped(centre - half - slack, centre + half + slack))
            }
            // Beyond the grid the distances to it and to the box within are legs of a triangle.
            Self::Voxel(voxels) => grow(voxels.aabb(), level.max(1.5 * level)),
            Self::User(field) => grow(field.aabb(), level),
        }
    }
}

fn checked(min: Vec3, max: Vec3) -> Option<Aabb> {
    min.cmple(max).all().then_some(Aabb { min, max })
}

fn grow(aabb: Aabb, by: f32) -> Option<Aabb> {
    checked(aabb.min - by, aabb.max + by)
}

fn clamped(min: Vec3, max: Vec3) -> Aabb {
    let most = Vec3::splat(LARGEST);
    Aabb::new(min.clamp(-most, most), max.clamp(-most, most))
}

fn either(a: Option<Aabb>, b: Option<Aabb>) -> Option<Aabb> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.union(b)),
        (one, other) => one.or(other),
    }
}

fn half_space(normal: Vec3, offset: f32) -> Option<Aabb> {
    let mut aabb = Aabb::new(Vec3::splat(-LARGEST), Vec3::splat(LARGEST));
    for axis in 0..3 {
        if normal[axis] == 1.0 {
            aabb.max[axis] = offset.min(LARGEST);
        } else if normal[axis] == -1.0 {
            aabb.min[axis] = (-offset).max(-LARGEST);
        }
    }
    checked(aabb.min, aabb.max)
}

/// The box around all p with R(k p.z) p in a box. At each height the corners of the rectangle are the extreme points,
/// and they go along arcs.
fn twisted(base: Aabb, k: f64) -> Aabb {
    let (z0, z1) = (f64::from(base.min.z), f64::from(base.max.z));
    let turn = [-k * z0, -k * z1];
    let (low, high) = (turn[0].min(turn[1]), turn[0].max(turn[1]));
    let mut max = DVec2::splat(f64::NEG_INFINITY);
    let mut min = DVec2::splat(f64::INFINITY);
    let mut reach: f64 = 0.0;
    for x in [base.min.x, base.max.x] {
        for y in [base.min.y, base.max.y] {
            let corner = DVec2::new(f64::from(x), f64::from(y));
            let (r, at) = (corner.length(), libm::atan2(corner.y, corner.x));
            reach = reach.max(r);
            for (axis, quarter) in [(0, 0.0), (1, core::f64::consts::FRAC_PI_2)] {
                let (from, to) = (at + low - quarter, at + high - quarter);
                max[axis] = max[axis].max(r * largest_cosine(from, to));
                let half = core::f64::consts::PI;
                min[axis] = min[axis].min(-r * largest_cosine(from + half, to + half));
            }
        }
    }
    let slack = 1e-6 * reach * (1.0 + (k * z0).abs().max((k * z1).abs()));
    clamped(
        (min - slack).as_vec2().extend(base.min.z),
        (max + slack).as_vec2().extend(base.max.z),
    )
}

fn largest_cosine(from: f64, to: f64) -> f64 {
    let turn = core::f64::consts::TAU;
    if (to / turn).floor() >= from / turn {
        return 1.0;
    }
    libm::cos(from).max(libm::cos(to))
}

/// The box around all p with R(k p.x) p in a box: by a quadtree of the disc that holds both. A square is dropped when its
/// centre is so far from the rectangle that none of its points is in it, by the Lipschitz bound of the map, or when it is
/// inside of the box of points known to belong; those left over at the end are added.
fn bent(base: Aabb, k: f64) -> Aabb {
    const DEEPEST: u32 = 12;
    const MOST: usize = 8192;
    let min = DVec2::new(f64::from(base.min.x), f64::from(base.min.y));
    let max = DVec2::new(f64::from(base.max.x), f64::from(base.max.y));
    let reach = min.abs().max(max.abs()).length();
    let mut known = [DVec2::INFINITY, DVec2::NEG_INFINITY];
    let mut half = reach;
    let mut squares = vec![DVec2::ZERO];
    for _ in 0..DEEPEST {
        if 4 * squares.len() > MOST {
            break;
        }
        half *= 0.5;
        let r = half * core::f64::consts::SQRT_2;
        let mut next = Vec::new();
        for square in &squares {
            for quadrant in 0..4_u32 {
                let p = *square
                    + DVec2::new(
                        if quadrant & 1 == 0 { -half } else { half },
                        if quadrant & 2 == 0 { -half } else { half },
                    );
                let (s, c) = (libm::sin(k * p.x), libm::cos(k * p.x));
                let q = DVec2::new(c * p.x - s * p.y, s * p.x + c * p.y);
                let away = (min - q).max(q - max);
                if away.max_element() <= 0.0 {
                    known[0] = known[0].min(p);
                    known[1] = known[1].max(p);
                }
                if away.max(DVec2::ZERO).length() <= super::facts::bend_stretch(k, p.abs(), r) * r {
                    next.push(p);
                }
            }
        }
        next.retain(|p| {
            let inside = (*p - half).cmpge(known[0]) & (*p + half).cmple(known[1]);
            !inside.all()
        });
        squares = next;
    }
    for p in squares {
        known[0] = known[0].min(p - half);
        known[1] = known[1].max(p + half);
    }
    let slack = 1e-6 * reach * (1.0 + k.abs() * reach);
    clamped(
        (known[0] - slack).as_vec2().extend(base.min.z),
        (known[1] + slack).as_vec2().extend(base.max.z),
    )
}
