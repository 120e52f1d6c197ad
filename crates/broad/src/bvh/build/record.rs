//! Boxes in the form the builders work on.

use bytemuck::{Pod, Zeroable, allocation::zeroed_vec};
use fearless_simd::{f32x4, f32x8, prelude::*};
use jostle_geom::{Aabb, chunks::fill_chunks};

use crate::tuning::BUILD_CHUNK;

/// A box as one register of eight floats: the smallest corner, a tag, the largest corner negated, a
/// weight. With the corner negated, one minimum unites two boxes.
///
/// The bits of the tag are an id. Zeros have no sign, so that minima give the same bits everywhere.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(32))]
pub(super) struct Record(pub(super) [f32; 8]);

const TAG: usize = 3;
const WEIGHT: usize = 7;

impl Record {
    /// Neutral in unions.
    pub(super) const EMPTY: Self = Self([f32::INFINITY; 8]);

    /// A record of weight 1.
    #[inline(always)]
    pub(super) fn new(b: &Aabb, id: u32) -> Self {
        // Adding zero removes the sign of another.
        Self([
            b.min.x + 0.0,
            b.min.y + 0.0,
            b.min.z + 0.0,
            f32::from_bits(id),
            0.0 - b.max.x,
            0.0 - b.max.y,
            0.0 - b.max.z,
            1.0,
        ])
    }

    #[inline(always)]
    pub(super) fn tagged(mut self, id: u32, weight: f32) -> Self {
        self.0[TAG] = f32::from_bits(id);
        self.0[WEIGHT] = weight;
        self
    }

    #[inline(always)]
    pub(super) fn id(&self) -> u32 {
        self.0[TAG].to_bits()
    }

    #[inline(always)]
    pub(super) fn weight(&self) -> f32 {
        self.0[WEIGHT]
    }

    #[inline(always)]
    pub(super) fn bounds(&self) -> Aabb {
        let [x, y, z, _, nx, ny, nz, _] = self.0;
        Aabb::new([x, y, z].into(), [0.0 - nx, 0.0 - ny, 0.0 - nz].into())
    }

    /// Twice the centre.
    #[inline(always)]
    pub(super) fn centre2(&self, axis: usize) -> f32 {
        self.0[axis] - self.0[axis + 4]
    }

    /// The smallest box around both; the tag and the weight mean nothing.
    #[inline(always)]
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut out = self.0;
        for (out, &other) in out.iter_mut().zip(&other.0) {
            if other < *out {
                *out = other;
            }
        }
        Self(out)
    }

    /// Half the surface.
    #[inline(always)]
    pub(super) fn half_area(&self) -> f32 {
        let [x, y, z, _, nx, ny, nz, _] = self.0;
        half_area([x + nx, y + ny, z + nz])
    }

    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S) -> f32x8<S> {
        f32x8::load_array_ref(simd, &self.0)
    }
}

/// Room for records, like that for nodes.
pub(super) fn room(count: usize) -> Vec<Record> {
    zeroed_vec(count)
}

/// Half the surface of a box by its extents, of any sign.
#[inline(always)]
pub(super) fn half_area([x, y, z]: [f32; 3]) -> f32 {
    x * y + y * z + z * x
}

/// Half the surface of a box as it lies in a register.
#[inline(always)]
pub(super) fn half_area_of<S: Simd>(v: f32x8<S>) -> f32 {
    let (min, negated_max) = v.split();
    let extent: [f32; 4] = (min + negated_max).into();
    half_area([extent[0], extent[1], extent[2]])
}

/// Twice the centre; the fourth lane means nothing.
#[inline(always)]
pub(super) fn centre2_of<S: Simd>(v: f32x8<S>) -> f32x4<S> {
    let (min, negated_max) = v.split();
    min - negated_max
}

/// How boxes become records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// `None` when records hold the boxes as they are.
    factor: Option<f64>,
}

/// Largest coordinates between these need no scale: areas times numbers of boxes neither overflow
/// nor vanish.
const PLAIN: core::ops::RangeInclusive<f32> = 1e-6..=1e12;

impl Scale {
    /// Brings the largest finite coordinate to about 1 where it is too large or too small for areas
    /// in single precision, or where a bound is infinite.
    pub(super) fn of(boxes: &[Aabb]) -> Self {
        let (mut largest, mut bounded) = (0.0_f32, true);
        let chunks = boxes.len().div_ceil(BUILD_CHUNK);
        let mut found = vec![(0.0_f32, true); chunks];
        fill_chunks(&mut found, 1, |first, out| {
            let end = boxes.len().min((first + 1) * BUILD_CHUNK);
            out[0] = extremes(&boxes[first * BUILD_CHUNK..end]);
        });
        for (l, b) in found {
            largest = largest.max(l);
            bounded &= b;
        }
        if bounded && (PLAIN.contains(&largest) || largest == 0.0) {
            return Self { factor: None };
        }
        let exponent = f64::from(largest).to_bits() >> 52;
        // Two to the power of minus the exponent of the largest; one for an exponent of zero.
        let factor = match exponent {
            0 => 1.0,
            e => f64::from_bits((2046 - e) << 52),
        };
        Self {
            factor: Some(factor),
        }
    }

    /// Whether records differ from the boxes, so that the bounds of a tree over them must be
    /// computed anew.
    pub(super) fn changes(self) -> bool {
        self.factor.is_some()
    }

    #[inline(always)]
    pub(super) fn record(self, b: &Aabb, id: u32) -> Record {
        match self.factor {
            None => Record::new(b, id),
            Some(factor) => Record::new(&scaled(b, factor), id),
        }
    }

    /// Records of all boxes in their order.
    pub(super) fn records(self, boxes: &[Aabb]) -> Vec<Record> {
        let mut out = room(boxes.len());
        fill_chunks(&mut out, BUILD_CHUNK, |first, out| {
            for (i, (out, b)) in out.iter_mut().zip(&boxes[first..]).enumerate() {
                *out = self.record(b, (first + i) as u32);
            }
        });
        out
    }
}

/// The largest finite coordinate, and whether all are finite.
fn extremes(boxes: &[Aabb]) -> (f32, bool) {
    let (mut largest, mut all) = (0.0_f32, 0.0_f32);
    for b in boxes {
        for x in [b.min.x, b.min.y, b.min.z, b.max.x, b.max.y, b.max.z] {
            let x = x.abs();
            all = if x > all { x } else { all };
            let finite = if x <= f32::MAX { x } else { 0.0 };
            largest = if finite > largest { finite } else { largest };
        }
    }
    (largest, all <= f32::MAX)
}

/// Infinite bounds become four times the largest finite ones.
fn scaled(b: &Aabb, factor: f64) -> Aabb {
    let scaled = |x: f32| (f64::from(x) * factor).clamp(-8.0, 8.0) as f32;
    Aabb::new(
        b.min.to_array().map(scaled).into(),
        b.max.to_array().map(scaled).into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn extreme_boxes_keep_their_order_and_get_finite_areas() {
        for top in [1e-44_f32, 1e-30, 1.0, 1e20, f32::MAX] {
            let boxes = [
                Aabb::new(Vec3::ZERO, Vec3::splat(top)),
                Aabb::new(Vec3::splat(-top / 2.0), Vec3::ZERO),
                Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY),
            ];
            let records = Scale::of(&boxes).records(&boxes);
            let areas = [0, 1, 2].map(|i| records[i].half_area());
            assert!(areas[1] > 0.0 && areas[1] < areas[0] && areas[0] < areas[2]);
            assert!(areas[2] < 1e3);
        }
        let plain = [Aabb::new(Vec3::splat(-0.0), Vec3::ONE)];
        assert!(!Scale::of(&plain).changes());
        assert!(!Scale::of(&[]).changes());
    }
}
