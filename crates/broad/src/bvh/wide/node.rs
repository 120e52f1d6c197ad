//! Nodes of wide trees.

use fearless_simd::{f32x4, f32x8, mask32x4, mask32x8, prelude::*, u32x4, u32x8};
use jostle_geom::Aabb;
use jostle_simd::{Box4, Box8};

/// Marks the link of a lane that holds a box of the user.
const LEAF: u32 = 1 << 31;

/// What a lane of a wide node leads to: a box, by its id, or another node, by its place.
///
/// The top bit is set for a box; what is left of the empty link could be no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Link(pub u32);

impl Link {
    /// The link of a lane without a box.
    pub const EMPTY: Self = Self(u32::MAX);

    /// To box `id < 2³¹ − 1`.
    #[inline(always)]
    pub const fn leaf(id: u32) -> Self {
        Self(id | LEAF)
    }

    /// To the node at place `node < 2³¹`.
    #[inline(always)]
    pub const fn inner(node: u32) -> Self {
        Self(node)
    }

    /// Whether this leads to a box (or nowhere).
    #[inline(always)]
    pub const fn is_leaf(self) -> bool {
        self.0 & LEAF != 0
    }

    /// Whether this leads nowhere.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == u32::MAX
    }

    /// The id of the box; without meaning for a link to a node.
    #[inline(always)]
    pub const fn id(self) -> u32 {
        self.0 & !LEAF
    }

    /// The place of the node; without meaning for a link to a box.
    #[inline(always)]
    pub const fn node(self) -> u32 {
        self.0
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Node4 {}
    impl Sealed for super::Node8 {}
}

/// A node of a [`WideBvh`](super::WideBvh): bounds coordinate by coordinate, and a link a lane.
///
/// Lanes with nodes come first, then lanes with boxes, then empty ones, which hold NaN and
/// [`Link::EMPTY`]. Implemented by [`Node4`] and [`Node8`] only.
pub trait WideNode: sealed::Sealed + Copy + Send + Sync + PartialEq + core::fmt::Debug {
    /// Number of lanes.
    const LANES: usize;
    /// A node without boxes.
    const EMPTY: Self;
    /// A vector of this width.
    type F32<S: Simd>: SimdFloat<S, Element = f32>;

    /// Bounds of a lane.
    fn get(&self, lane: usize) -> Aabb;
    /// Replaces the bounds of a lane.
    fn set(&mut self, lane: usize, bounds: &Aabb);
    /// Where a lane leads.
    fn link(&self, lane: usize) -> Link;
    /// Replaces where a lane leads.
    fn set_link(&mut self, lane: usize, link: Link);
    /// The smallest corners of all lanes.
    fn min<S: Simd>(&self, simd: S) -> [Self::F32<S>; 3];
    /// The largest corners of all lanes.
    fn max<S: Simd>(&self, simd: S) -> [Self::F32<S>; 3];
    /// Which pairs of lanes overlap: bit `LANES i + j` for lane `i` of this and `j` of the other.
    fn overlaps<S: Simd>(&self, simd: S, other: &Self) -> u64;
    /// The ids of all lanes that hold boxes; other lanes hold anything.
    fn ids<S: Simd>(&self, simd: S) -> [u32; 8];
    /// The lanes whose links have their top bit set, as bits: boxes and empty lanes.
    fn leaf_lanes<S: Simd>(&self, simd: S) -> u32;
    /// Writes the links of the lanes in `lanes` to the front of `out`, and anything after them;
    /// `out` has room for all lanes. Lanes with a box get their id, without the top bit, if `IDS`.
    fn compress_links<const IDS: bool, S: Simd>(&self, simd: S, lanes: u32, out: &mut [u32]);

    /// Number of lanes that are not empty.
    #[inline]
    fn len(&self) -> usize {
        let mut lanes = 0;
        while lanes < Self::LANES && !self.link(lanes).is_empty() {
            lanes += 1;
        }
        lanes
    }

    /// Whether all lanes are empty.
    #[inline]
    fn is_empty(&self) -> bool {
        self.link(0).is_empty()
    }

    /// The smallest box around all lanes.
    #[inline]
    fn bounds(&self) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        for lane in 0..self.len() {
            bounds = bounds.union(self.get(lane));
        }
        bounds
    }
}

macro_rules! wide_node {
    ($Node:ident, $Box:ident, $lanes:literal, $align:literal, $F32:ident, $U32:ident, $Mask:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C, align($align))]
        pub struct $Node {
            /// Bounds, coordinate by coordinate; NaN in empty lanes.
            pub boxes: $Box,
            /// The [`Link`] of each lane.
            pub links: [u32; $lanes],
        }

        impl WideNode for $Node {
            const LANES: usize = $lanes;
            const EMPTY: Self = Self {
                boxes: $Box::EMPTY,
                links: [Link::EMPTY.0; $lanes],
            };
            type F32<S: Simd> = $F32<S>;

            #[inline(always)]
            fn get(&self, lane: usize) -> Aabb {
                self.boxes.get(lane)
            }

            #[inline(always)]
            fn set(&mut self, lane: usize, bounds: &Aabb) {
                self.boxes.set(lane, bounds);
            }

            #[inline(always)]
            fn link(&self, lane: usize) -> Link {
                Link(self.links[lane])
            }

            #[inline(always)]
            fn set_link(&mut self, lane: usize, link: Link) {
                self.links[lane] = link.0;
            }

            #[inline(always)]
            fn min<S: Simd>(&self, simd: S) -> [$F32<S>; 3] {
                let [x, y, z] = &self.boxes.min;
                [
                    $F32::load_array_ref(simd, x),
                    $F32::load_array_ref(simd, y),
                    $F32::load_array_ref(simd, z),
                ]
            }

            #[inline(always)]
            fn max<S: Simd>(&self, simd: S) -> [$F32<S>; 3] {
                let [x, y, z] = &self.boxes.max;
                [
                    $F32::load_array_ref(simd, x),
                    $F32::load_array_ref(simd, y),
                    $F32::load_array_ref(simd, z),
                ]
            }

            #[inline(always)]
            fn overlaps<S: Simd>(&self, simd: S, other: &Self) -> u64 {
                u64::from(self.boxes.overlaps(simd, &other.boxes))
            }

            #[inline(always)]
            fn ids<S: Simd>(&self, simd: S) -> [u32; 8] {
                let links = $U32::load_array_ref(simd, &self.links);
                let mut ids = [0; 8];
                (links & $U32::splat(simd, !LEAF)).store_slice(&mut ids[..$lanes]);
                ids
            }

            #[inline(always)]
            fn leaf_lanes<S: Simd>(&self, simd: S) -> u32 {
                let links = $U32::load_array_ref(simd, &self.links);
                let leaves = links.simd_ge($U32::splat(simd, LEAF));
                leaves.to_bitmask() as u32
            }

            #[inline(always)]
            fn compress_links<const IDS: bool, S: Simd>(
                &self,
                simd: S,
                lanes: u32,
                out: &mut [u32],
            ) {
                let mut links = $U32::load_array_ref(simd, &self.links);
                if IDS {
                    links &= $U32::splat(simd, !LEAF);
                }
                links
                    .compress($Mask::from_bitmask(simd, u64::from(lanes)))
                    .store_slice(&mut out[..$lanes]);
            }
        }
    };
}

wide_node!(
    Node8,
    Box8,
    8,
    64,
    f32x8,
    u32x8,
    mask32x8,
    "A node with eight lanes: 256 bytes, four cache lines, 32 bytes of them unused."
);
wide_node!(
    Node4,
    Box4,
    4,
    64,
    f32x4,
    u32x4,
    mask32x4,
    "A node with four lanes: 128 bytes, two cache lines, 16 bytes of them unused."
);

#[cfg(test)]
mod tests {
    use fearless_simd::dispatch;
    use jostle_simd::SimdLevel;

    use super::*;

    fn check<N: WideNode>() {
        let mut node = N::EMPTY;
        assert!(node.is_empty() && node.len() == 0);
        let unit = Aabb::new([0.0; 3].into(), [1.0; 3].into());
        for lane in 0..3 {
            node.set(lane, &unit);
            let link = if lane == 1 {
                Link::inner(9)
            } else {
                Link::leaf(lane as u32)
            };
            node.set_link(lane, link);
        }
        assert_eq!((node.len(), node.bounds()), (3, unit));
        for level in SimdLevel::available() {
            let token = level.token().unwrap();
            let mut out = [7; 8];
            let leaves = dispatch!(token, simd => {
                node.compress_links::<true, _>(simd, 0b111, &mut out);
                node.leaf_lanes(simd)
            });
            assert_eq!(leaves & 0b1111, 0b1101, "{level}");
            assert_eq!(out[..3], [0, 9, 2], "{level}");
        }
    }

    #[test]
    fn lanes_hold_links_of_both_kinds() {
        check::<Node4>();
        check::<Node8>();
        assert_eq!((size_of::<Node4>(), size_of::<Node8>()), (128, 256));
    }
}
