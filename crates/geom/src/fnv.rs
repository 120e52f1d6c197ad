//! A hash to compare large data by.

/// FNV-1a with 64 bits (G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV non-cryptographic hash
/// algorithm"): the same on every platform, good for telling data apart, no defence against forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv {
    /// Takes in more bytes; in which portions makes no difference.
    #[inline]
    pub fn eat(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    /// The hash of all bytes so far.
    #[inline]
    pub fn value(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_published_vectors() {
        let mut hash = Fnv::default();
        hash.eat(b"foo");
        hash.eat(b"bar");
        assert_eq!(hash.value(), 0x8594_4171_F739_67E8);
    }
}
