//! Which primitives a sample holds.

use jostle_geom::{Aabb, Topology};

/// The chosen vertices and edges, ascending.
pub(super) struct Chosen {
    pub(super) vertices: Vec<u32>,
    pub(super) edges: Vec<u32>,
}

impl Chosen {
    pub(super) fn new(topology: &Topology, one_in: u32) -> Self {
        Self {
            vertices: choose(topology.vertex_count(), one_in, 0x9E37_79B9),
            edges: choose(topology.edges().len(), one_in, 0x85EB_CA6B),
        }
    }
}

/// The boxes of the chosen primitives.
pub(super) fn boxes_of(chosen: &[u32], boxes: &[Aabb]) -> Vec<Aabb> {
    chosen.iter().map(|&i| boxes[i as usize]).collect()
}

/// One index of each `one_in` consecutive ones, at a place given by a hash: as even as odds of one
/// in `one_in` can be, without looking at every index.
fn choose(count: usize, one_in: u32, seed: u32) -> Vec<u32> {
    let one_in = one_in.max(1);
    let groups = count.div_ceil(one_in as usize) as u64;
    (0..groups)
        .map(|group| group * u64::from(one_in) + u64::from(mix(group as u32 ^ seed) % one_in))
        .filter(|&index| index < count as u64)
        .map(|index| index as u32)
        .collect()
}

/// The finaliser of `MurmurHash3` (A. Appleby, public domain).
fn mix(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85EB_CA6B);
    h ^= h >> 13;
    h = h.wrapping_mul(0xC2B2_AE35);
    h ^ (h >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_the_size_asked_for() {
        assert_eq!(choose(5, 1, 7), [0, 1, 2, 3, 4]);
        assert_eq!(choose(5, 0, 7), [0, 1, 2, 3, 4]);
        assert_eq!(choose(0, 3, 7), []);
        for one_in in [2, 10, 64] {
            let chosen = choose(6400, one_in, 7);
            assert!(chosen.is_sorted() && chosen.len() == 6400_usize.div_ceil(one_in as usize));
        }
        assert!(choose(3, u32::MAX, 7).len() <= 1);
    }
}
