//! Bodies with spikes: a plate with a bed of them and a wheel.

use glam::{Vec2, Vec3};
use jostle_geom::Rng;
use jostle_simd::Aabb;
use jostle_simd::lanes::{Real, V3};

use super::Sample;
use super::gather::Gather;
use super::primitives::{Raw, cylinder, sharp_cuboid};

/// At most so many mirrors, and 2 to their power spikes.
const MIRRORS: usize = 10;

/// At most so many spikes in a ring of a wheel.
pub(super) const MOST_SPIKES: u32 = 1 << MIRRORS;

/// A point as a cone sees it that has no base: across the axis, along it from the apex, and the normal of its side.
#[derive(Clone, Copy)]
struct Spike<R> {
    across: [R; 2],
    along: R,
    normal: [R; 2],
}

impl<R: Real> Spike<R> {
    /// The distance and gradient, across the axis and along it: to the side, or to the apex where that is nearest.
    #[inline(always)]
    fn raw(self) -> Raw<R> {
        let [n, up] = self.normal;
        let [x, y] = self.across;
        let squared = x * x + y * y;
        let radial = squared.root();
        let apex = (squared + self.along * self.along).root();
        let past = (up * radial).at_most(n * self.along);
        let by_side = V3::new(x * n, y * n, up * radial);
        Raw {
            value: R::choose(past, apex, n * radial + up * self.along),
            vector: V3::choose(past, V3::new(x, y, self.along), by_side),
            length: R::choose(past, apex, radial),
            otherwise: V3::new(n, n.all(0.0), up),
        }
    }
}

/// The nearest of some spikes: one by its side and one by its apex, of which the nearer one counts.
#[derive(Clone, Copy)]
struct Nearest<R> {
    side: R,
    by_side: Spike<R>,
    radial: R,
    apex_squared: R,
    by_apex: [R; 3],
}

impl<R: Real> Nearest<R> {
    #[inline(always)]
    fn none(like: R) -> Self {
        let (zero, one, far) = (like.all(0.0), like.all(1.0), like.all(f32::MAX));
        Self {
            side: far,
            by_side: Spike {
                across: [zero, zero],
                along: one,
                normal: [zero, one],
            },
            radial: zero,
            apex_squared: far,
            by_apex: [zero; 3],
        }
    }

    /// Or this one, in the lanes of a mask.
    #[inline(always)]
    fn or(self, spike: Spike<R>, lanes: R::Mask) -> Self {
        let [n, up] = spike.normal;
        let [x, y] = spike.across;
        let squared = x * x + y * y;
        let radial = squared.root();
        let side = n * radial + up * spike.along;
        let past = (up * radial).at_most(n * spike.along);
        let far = side.all(f32::MAX);
        let side = R::choose(past, far, side);
        let apex = R::choose(past, squared + spike.along * spike.along, far);
        let closer = R::both(side.below(self.side), lanes);
        let tip = R::both(apex.below(self.apex_squared), lanes);
        let old = self.by_side;
        Self {
            side: R::choose(closer, side, self.side),
            by_side: Spike {
                across: [
                    R::choose(closer, x, old.across[0]),
                    R::choose(closer, y, old.across[1]),
                ],
                along: spike.along,
                normal: [
                    R::choose(closer, n, old.normal[0]),
                    R::choose(closer, up, old.normal[1]),
                ],
            },
            radial: R::choose(closer, radial, self.radial),
            apex_squared: R::choose(tip, apex, self.apex_squared),
            by_apex: [
                R::choose(tip, x, self.by_apex[0]),
                R::choose(tip, y, self.by_apex[1]),
                R::choose(tip, spike.along, self.by_apex[2]),
            ],
        }
    }

    /// Its distance and gradient, across the axis and along it.
    #[inline(always)]
    fn raw(self) -> Raw<R> {
        let zero = self.side.all(0.0);
        let [n, up] = self.by_side.normal;
        let [x, y] = self.by_side.across;
        let [u, v, w] = self.by_apex;
        let apex = self.apex_squared.root();
        let by_side = Raw {
            value: self.side,
            vector: V3::new(x * n, y * n, up * self.radial),
            length: self.radial,
            otherwise: V3::new(n, zero, up),
        };
        let by_apex = Raw {
            value: apex,
            vector: V3::new(u, v, w),
            length: apex,
            otherwise: V3::all(apex, Vec3::Z),
        };
        by_apex.least(by_side)
    }
}

/// A value that is cut below a plane, with a gradient to it.
#[inline(always)]
fn cut<R: Real>(raw: Raw<R>, below: R, down: V3<R>) -> Raw<R> {
    let base = Raw {
        value: below,
        vector: down,
        length: below.all(1.0),
        otherwise: down,
    };
    Raw::choose(raw.value.below(below), base, raw)
}

/// A box with a square lattice of spikes of various heights on its upper face.
///
/// The value is the smaller one of the distance to the box and min(max(φ, D), max(c, D)): D is the distance to the bounds
/// of all, and φ the least distance to the sides and tips of the spikes of the 3 × 3 cells about the point. Other spikes
/// have their axes at least 1.5 pitch away. Above the face, where a spike is not wider than its radius r, its side has at
/// least the distance c = n (1.5 pitch − r), n the least cosine of the slope of a side against the axis; so the value is
/// that for all spikes, without jumps and with a Lipschitz bound of 1. Below the face, outside of the box, D is the distance
/// to the box itself, and inside of the box no spike that is a pitch away counts. In the same way the 2 × 2 spikes about
/// the point suffice where they, or the box, are nearer than n (pitch − r): all that happens near the surface.
///
/// Spikes go on below the face, so that no base of theirs is the nearest surface inside of them. Where the rim of that base
/// would be nearest, its side counts, which is nearer; that is only so where D, or the box, is what counts.
#[derive(Clone, Debug)]
pub(crate) struct SpikePlate {
    pub(crate) half: Vec3,
    pub(crate) radius: f32,
    /// Spikes in a row.
    count: u32,
    pitch: Vec2,
    per_pitch: Vec2,
    /// Where spikes end below the face.
    base: f32,
    near: f32,
    far: f32,
    bounds_centre: f32,
    bounds_half: f32,
    heights: Box<[f32]>,
    /// From one column or line to the next: nothing when there is only one.
    step: Vec2,
    /// Of each 2 × 2 spikes the heights of the apexes, and the normals of the sides across and along the axis. One table
    /// each.
    blocks: [Box<[[f32; 4]]>; 3],
}

impl SpikePlate {
    pub(super) fn new(half: Vec3, count: u32, radius: f32, heights: [f32; 2]) -> Self {
        let pitch = Vec2::new(half.x, half.y) * (2.0 / count as f32);
        let least = pitch.min_element();
        // As deep as the radius, but not through the bottom nor, as they widen downwards, through a side.
        let deep = radius
            .min(2.0 * half.z)
            .min(heights[0])
            .min(heights[0] * (0.5 * least / radius - 1.0))
            .max(0.0);
        let steep = heights[0] / (heights[0] * heights[0] + radius * radius).sqrt();
        let mut all = Vec::new();
        for spike in 0..u64::from(count) * u64::from(count) {
            let at = Rng::new(0x5EED_0F59, spike).unit() as f32;
            all.push(heights[0] + (heights[1] - heights[0]) * at);
        }
        let highest = all.iter().copied().fold(0.0, f32::max);
        let top = half.z + highest;
        let lines = count.saturating_sub(1).max(1);
        let mut blocks = [Vec::new(), Vec::new(), Vec::new()];
        for block in 0..lines * lines {
            let mut rows = [[0.0; 4]; 3];
            for corner in 0..4 {
                let i = (block % lines + (corner & 1)).min(count - 1);
                let j = (block / lines + (corner >> 1)).min(count - 1);
                let height = all[(j * count + i) as usize];
                let (h, r) = (f64::from(height), f64::from(radius));
                let slant = (h * h + r * r).sqrt();
                rows[0][corner as usize] = half.z + height;
                rows[1][corner as usize] = (h / slant) as f32;
                rows[2][corner as usize] = (r / slant) as f32;
            }
            for (table, row) in blocks.iter_mut().zip(rows) {
                table.push(row);
            }
        }
        Self {
            half,
            radius,
            count,
            pitch,
            per_pitch: 1.0 / pitch,
            base: half.z - deep,
            near: steep * (least - radius),
            far: steep * (1.5 * least - radius),
            bounds_centre: 0.5 * (top - half.z),
            bounds_half: 0.5 * (top + half.z),
            step: if count > 1 { pitch } else { Vec2::ZERO },
            heights: all.into(),
            blocks: blocks.map(Into::into),
        }
    }

    pub(super) fn aabb(&self) -> Aabb {
        let top = self.bounds_centre + self.bounds_half;
        Aabb::new(-self.half, self.half.with_z(top.max(self.half.z)))
    }

    /// Where the axis of each spike meets the upper face, and its height.
    pub(crate) fn spikes(&self) -> impl Iterator<Item = (Vec2, f32)> + '_ {
        let half = Vec2::new(self.half.x, self.half.y);
        self.heights.iter().enumerate().map(move |(at, height)| {
            let cell = Vec2::new(
                (at as u32 % self.count) as f32,
                (at as u32 / self.count) as f32,
            );
            ((cell + 0.5) * self.pitch - half, *height)
        })
    }

    /// The nearest one of the best so far and of the 2 × 2 spikes from a column and a line on, in the lanes of a mask.
    #[inline(always)]
    fn nearer<R: Gather>(
        &self,
        p: V3<R>,
        [column, line]: [R; 2],
        mut best: Nearest<R>,
        lanes: R::Mask,
    ) -> Nearest<R> {
        let half = p.x.all(0.5);
        let lines = p.x.all((self.count as f32 - 1.0).max(1.0));
        let block = line * lines + column;
        let apex = block.rows(&self.blocks[0]);
        let across = block.rows(&self.blocks[1]);
        let along = block.rows(&self.blocks[2]);
        let x = p.x + p.x.all(self.half.x) - (column + half) * p.x.all(self.pitch.x);
        let y = p.y + p.x.all(self.half.y) - (line + half) * p.x.all(self.pitch.y);
        let x = [x, x - p.x.all(self.step.x)];
        let y = [y, y - p.x.all(self.step.y)];
        for corner in 0..4 {
            let spike = Spike {
                across: [x[corner & 1], y[corner >> 1]],
                along: p.z - apex[corner],
                normal: [across[corner], along[corner]],
            };
            best = best.or(spike, lanes);
        }
        best
    }

    #[inline(always)]
    pub(super) fn sample<R: Gather>(&self, p: V3<R>) -> Sample<R> {
        let zero = p.x.all(0.0);
        let one = p.x.all(1.0);
        let half = p.x.all(0.5);
        let last = p.x.all((self.count as f32 - 2.0).max(0.0));
        let u = (p.x + p.x.all(self.half.x)) * p.x.all(self.per_pitch.x) - half;
        let v = (p.y + p.x.all(self.half.y)) * p.x.all(self.per_pitch.y) - half;
        let i = u.floored().between(zero, last);
        let j = v.floored().between(zero, last);

        let plate = sharp_cuboid(p, self.half);
        let below = p.x.all(self.base) - p.z;
        let down = V3::all(p.x, Vec3::NEG_Z);
        let everywhere = zero.below(one);
        let mut best = self.nearer(p, [i, j], Nearest::none(p.x), everywhere);

        let spikes = cut(best.raw(), below, down);
        let up = V3::new(p.x, p.y, p.z - p.x.all(self.bounds_centre));
        let bounds = sharp_cuboid(up, self.half.with_z(self.bounds_half));
        let open = p.x.all(self.near).below(spikes.value.least(plate.value));
        let beside = R::both(zero.below(bounds.value), spikes.value.below(bounds.value));
        if !R::any(R::either(open, beside)) {
            return spikes.least(plate).sample();
        }
        // The other three blocks of 2 × 2 that the 3 × 3 spikes about the point consist of.
        let step = R::choose(u.below(i + half), -one, one);
        let i2 = (i + step).between(zero, last);
        let step = R::choose(v.below(j + half), -one, one);
        let j2 = (j + step).between(zero, last);
        for block in [[i2, j], [i, j2], [i2, j2]] {
            best = self.nearer(p, block, best, open);
        }
        let spikes = cut(best.raw(), below, down);
        let beside = R::both(zero.below(bounds.value), spikes.value.below(bounds.value));
        let spikes = Raw::choose(beside, bounds, spikes);
        let far = p.x.all(self.far);
        spikes.least(plate).sample().capped(far, bounds.sample())
    }
}

/// A cylinder along z with two rings of spikes around it.
///
/// Mirrors take all spikes to one: z = 0, and the planes through the axis between spikes and through them. A mirror image
/// of a spike is never nearer to a point on this side than the spike itself, because a cone that goes on downwards is a
/// union of balls about its axis. So the value is the smaller one of the distances to the hub and to one spike. As with the
/// plate the sides of spikes go on inwards, and count where the rim of their base would be nearest: far from the spike and
/// beside the hub the value is a little less than the distance, and it is never more.
#[derive(Clone, Debug)]
pub(crate) struct SpikyWheel {
    pub(super) hub_radius: f32,
    pub(super) hub_half_width: f32,
    apex: f32,
    /// Where spikes end inside of the hub.
    base: f32,
    /// Where the rings are.
    ring: f32,
    normal: [f32; 2],
    /// Normals of the mirrors that fold half a turn, one after the other, to half of the angle between spikes.
    mirrors: Vec<[f32; 2]>,
    half_width: f32,
}

impl SpikyWheel {
    pub(super) fn new(
        hub_radius: f32,
        hub_half_width: f32,
        radius: f32,
        length: f32,
        count: u32,
    ) -> Self {
        let (hub, r) = (f64::from(hub_radius), f64::from(radius));
        // The rim of the spike lies on the hub; from there it goes on inwards and widens.
        let rim = (hub * hub - r * r).max(0.0).sqrt();
        let height = hub + f64::from(length) - rim;
        let deep = r.min(0.5 * rim);
        let widest = r * (height + deep) / height;
        // So far inside that the side of the part in the hub is not nearer than the face above it.
        let ring = (f64::from(hub_half_width) - 1.25 * widest).max(0.0) as f32;
        let slant = (height * height + r * r).sqrt();
        let half_angle = core::f64::consts::PI / f64::from(count);
        let mut mirrors = Vec::new();
        let mut angle = half_angle;
        while angle < core::f64::consts::PI {
            // Points beyond the line at this angle, from the x axis to the left, are folded back.
            mirrors.push([-libm::sin(angle) as f32, libm::cos(angle) as f32]);
            angle *= 2.0;
        }
        mirrors.reverse();
        Self {
            hub_radius,
            hub_half_width,
            apex: hub_radius + length,
            base: (rim - deep) as f32,
            ring,
            half_width: hub_half_width.max(ring + widest as f32),
            normal: [(height / slant) as f32, (r / slant) as f32],
            mirrors,
        }
    }

    pub(super) fn aabb(&self) -> Aabb {
        let corner = Vec3::new(self.apex, self.apex, self.half_width);
        Aabb::new(-corner, corner)
    }

    #[inline(always)]
    pub(super) fn sample<R: Real>(&self, p: V3<R>) -> Sample<R> {
        let zero = p.x.all(0.0);
        let two = p.x.all(2.0);
        let (mut x, mut y) = (p.x, p.y.size());
        let mut met = [zero; MIRRORS];
        for (mirror, met) in self.mirrors.iter().zip(&mut met) {
            let (a, b) = (p.x.all(mirror[0]), p.x.all(mirror[1]));
            let beyond = x * a + y * b;
            *met = beyond;
            let step = beyond.positive() * two;
            x = x - a * step;
            y = y - b * step;
        }
        let spike = Spike {
            across: [y, p.z.size() - p.x.all(self.ring)],
            along: x - p.x.all(self.apex),
            normal: [p.x.all(self.normal[0]), p.x.all(self.normal[1])],
        };
        let below = p.x.all(self.base) - x;
        let s = cut(spike.raw(), below, V3::all(x, Vec3::NEG_Z)).sample();
        let (mut gx, mut gy, gz) = (s.gradient.z, s.gradient.x, s.gradient.y);
        // Back through the mirrors that the point met.
        for (mirror, met) in self.mirrors.iter().zip(&met).rev() {
            let (a, b) = (p.x.all(mirror[0]), p.x.all(mirror[1]));
            let step = R::choose(zero.below(*met), (gx * a + gy * b) * two, zero);
            gx = gx - a * step;
            gy = gy - b * step;
        }
        let gradient = V3::new(
            gx,
            R::choose(p.y.below(zero), -gy, gy),
            R::choose(p.z.below(zero), -gz, gz),
        );
        let hub = cylinder(p, self.hub_radius, self.hub_half_width);
        Sample {
            value: s.value,
            gradient,
        }
        .least(hub)
    }
}
