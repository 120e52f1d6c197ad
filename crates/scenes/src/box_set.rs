//! Sets of boxes that are hard on a broad phase.

use core::fmt;

use glam::{DVec3, Vec3};
use jostle_geom::{Aabb, rounding};

use crate::{ClusteredBoxes, Rng, UniformBoxes};

/// Sets of boxes on which every broad phase is compared with brute force.
///
/// All boxes are valid input: never inverted, never NaN. All are finite but those of
/// [`Unbounded`](Self::Unbounded). Some sets have pairs in the order of n²: a few hundred boxes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BoxSet {
    /// The boxes of [`UniformBoxes`].
    Uniform,
    /// The boxes of [`ClusteredBoxes`].
    Clustered,
    /// The same unit box n times: all pairs overlap, no split separates anything.
    Identical,
    /// The same point n times: boxes without volume or area.
    Points,
    /// Box `i` contains box `i + 1`: all pairs overlap, all centres agree.
    Nested,
    /// Long thin boxes along a random axis: a thousand times as long as thick.
    Needles,
    /// Edges and distances from the origin grow from box to box by a common factor, 10⁻⁶ to 10⁶.
    Exponential,
    /// Boxes of no height in one plane.
    Planar,
    /// Unit boxes of a grid, touching their neighbours exactly: only `≤` finds the pairs.
    TouchingGrid,
    /// A uniform cloud around (10⁶, −10⁶, 10⁶), where the floats are a sixteenth of a metre apart.
    FarAway,
    /// One box over all the others, which are small.
    OneHuge,
    /// One box in a hundred covers all the others.
    ManyHuge,
    /// A uniform cloud and a few boxes at distance 10⁹, which squash any grid over the bounds.
    Outliers,
    /// Boxes on a diagonal line, each touching only the next ones.
    Line,
    /// Boxes of which some reach to infinity on one axis or all of them.
    Unbounded,
}

impl BoxSet {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Uniform,
        Self::Clustered,
        Self::Identical,
        Self::Points,
        Self::Nested,
        Self::Needles,
        Self::Exponential,
        Self::Planar,
        Self::TouchingGrid,
        Self::FarAway,
        Self::OneHuge,
        Self::ManyHuge,
        Self::Outliers,
        Self::Line,
        Self::Unbounded,
    ];

    /// A name to print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Clustered => "clustered",
            Self::Identical => "identical",
            Self::Points => "points",
            Self::Nested => "nested",
            Self::Needles => "needles",
            Self::Exponential => "exponential",
            Self::Planar => "planar",
            Self::TouchingGrid => "touching-grid",
            Self::FarAway => "far-away",
            Self::OneHuge => "one-huge",
            Self::ManyHuge => "many-huge",
            Self::Outliers => "outliers",
            Self::Line => "line",
            Self::Unbounded => "unbounded",
        }
    }

    /// `n` boxes of the set; 0 is fine. Equal arguments give equal bits. Cost: O(n).
    pub fn boxes(self, n: usize, seed: u64) -> Vec<Aabb> {
        let cloud = |scene: Result<crate::BoxScene, _>| scene.map_or(Vec::new(), |s| s.moving);
        match self {
            Self::Uniform => cloud(UniformBoxes { boxes: n, seed }.build()),
            Self::Clustered => cloud(ClusteredBoxes { boxes: n, seed }.build()),
            _ => (0..n)
                .map(|index| self.draw(index, n, &mut Rng::new(seed, index as u64)))
                .collect(),
        }
    }

    fn draw(self, index: usize, n: usize, rng: &mut Rng) -> Aabb {
        let i = index as f64;
        // About the density of the uniform scene.
        let side = libm::cbrt(2.0 * n as f64);
        let centre = rng.cube() * (0.5 * side);
        let half = (rng.cube() * 0.5 + 1.0) * 0.5;
        let (lo, hi) = (centre - half, centre + half);
        match self {
            Self::Identical => Aabb::new(Vec3::ZERO, Vec3::ONE),
            Self::Points => Aabb::new(Vec3::ONE, Vec3::ONE),
            Self::Nested => {
                let half = DVec3::splat((n - index) as f64);
                outward(-half, half)
            }
            Self::Needles => {
                let mut half = DVec3::splat(0.005);
                half[rng.index(3)] = 5.0;
                let centre = rng.cube() * 5.0;
                outward(centre - half, centre + half)
            }
            Self::Exponential => {
                let scale = libm::exp10(12.0 * i / n as f64 - 6.0);
                outward(
                    DVec3::splat(scale),
                    DVec3::splat(scale * rng.range(1.0, 2.0)),
                )
            }
            Self::Planar => {
                let side = (2.0 * n as f64).sqrt();
                let centre = rng.cube() * side;
                let half = (rng.cube() * 0.5 + 1.0) * DVec3::new(0.5, 0.0, 0.5);
                let centre = DVec3::new(centre.x, 2.0, centre.z);
                outward(centre - half, centre + half)
            }
            Self::TouchingGrid => {
                let m = (libm::cbrt(n as f64) as usize).max(1);
                let cell = [index % m, index / m % m, index / (m * m)];
                let lo = Vec3::from_array(cell.map(|c| c as f32));
                Aabb::new(lo, lo + 1.0)
            }
            Self::FarAway => {
                let far = DVec3::new(1e6, -1e6, 1e6);
                outward(lo + far, hi + far)
            }
            Self::OneHuge if index == n / 2 => outward(DVec3::splat(-side), DVec3::splat(side)),
            Self::ManyHuge if index % 100 == 7 => outward(DVec3::splat(-side), DVec3::splat(side)),
            Self::Outliers if index % 50 == 3 => {
                let far = rng.direction() * 1e9;
                outward(far, far + 1.0)
            }
            Self::Uniform | Self::Clustered | Self::OneHuge | Self::ManyHuge | Self::Outliers => {
                outward(lo, hi)
            }
            Self::Line => {
                let lo = DVec3::splat(0.4 * i);
                outward(lo, lo + 1.0)
            }
            Self::Unbounded => {
                let mut b = outward(lo, hi);
                match index % 25 {
                    3 => b.max.x = f32::INFINITY,
                    9 => b.min.z = f32::NEG_INFINITY,
                    14 if rng.index(4) == 0 => {
                        b = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
                    }
                    20 => (b.min.y, b.max.y) = (f32::NEG_INFINITY, f32::INFINITY),
                    _ => {}
                }
                b
            }
        }
    }
}

impl fmt::Display for BoxSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn outward(min: DVec3, max: DVec3) -> Aabb {
    Aabb::new(
        Vec3::from_array(min.to_array().map(rounding::down)),
        Vec3::from_array(max.to_array().map(rounding::up)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_valid_sized_and_repeatable() {
        for set in BoxSet::ALL {
            for n in [0, 1, 2, 9, 250] {
                let boxes = set.boxes(n, 4);
                assert_eq!(boxes.len(), n, "{set}");
                assert_eq!(boxes, set.boxes(n, 4), "{set}");
                for b in &boxes {
                    assert!(b.min.cmple(b.max).all(), "{set}: {b:?}");
                    assert!(b.is_valid() || set == BoxSet::Unbounded, "{set}: {b:?}");
                }
            }
        }
    }

    #[test]
    fn sets_are_what_they_say() {
        let pairs = |set: BoxSet, n: usize| {
            let boxes = set.boxes(n, 1);
            let row =
                |(i, a): (usize, &Aabb)| boxes[i + 1..].iter().filter(|b| a.overlaps(b)).count();
            boxes.iter().enumerate().map(row).sum::<usize>()
        };
        for set in [BoxSet::Identical, BoxSet::Points, BoxSet::Nested] {
            assert_eq!(pairs(set, 60), 60 * 59 / 2, "{set}");
        }
        assert_eq!(pairs(BoxSet::TouchingGrid, 27), 158);
        assert_eq!(pairs(BoxSet::Line, 10), 9 + 8);
        assert!(pairs(BoxSet::OneHuge, 300) >= 299);
        assert!(pairs(BoxSet::ManyHuge, 300) >= 3 * 297);
        for set in BoxSet::ALL {
            assert!(pairs(set, 300) > 10, "{set} has pairs to find");
        }
    }
}
