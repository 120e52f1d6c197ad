//! One coordinate of every element of a batch, aligned and padded.

use bytemuck::{Pod, Zeroable};

/// Lanes of a block: the width of the widest register, so that no kernel has a tail.
pub const BLOCK: usize = 16;

/// Sixteen values in a cache line of their own.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Block(pub [f32; BLOCK]);

/// One coordinate of every element, in blocks of [`BLOCK`] lanes.
///
/// Lanes past the last element hold NaN, which every kernel treats as no element: it overlaps nothing
/// and is hit by nothing.
#[derive(Clone, Debug, Default)]
pub struct Column {
    blocks: Vec<Block>,
    len: usize,
}

impl Column {
    /// A column without elements.
    pub const fn new() -> Self {
        Self {
            blocks: Vec::new(),
            len: 0,
        }
    }

    /// Number of elements.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an element.
    #[inline]
    pub fn push(&mut self, value: f32) {
        let lane = self.len % BLOCK;
        if lane == 0 {
            self.blocks.push(Block([f32::NAN; BLOCK]));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.0[lane] = value;
        }
        self.len += 1;
    }

    /// Forgets all elements and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.len = 0;
    }

    /// The elements, without padding.
    #[inline]
    pub fn as_slice(&self) -> &[f32] {
        &bytemuck::cast_slice(&self.blocks)[..self.len]
    }

    /// The elements, to be changed in place.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        let len = self.len;
        &mut bytemuck::cast_slice_mut(&mut self.blocks)[..len]
    }

    /// The elements in blocks, padding included.
    #[inline]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }
}

/// By the elements alone: padding is NaN, which equals nothing.
impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl FromIterator<f32> for Column {
    fn from_iter<I: IntoIterator<Item = f32>>(values: I) -> Self {
        let mut out = Self::new();
        for value in values {
            out.push(value);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_nan_and_never_seen_as_an_element() {
        for len in 0..40 {
            let mut column: Column = (0..len).map(|i| i as f32).collect();
            assert_eq!(column.len(), len);
            assert_eq!(column.blocks().len(), len.div_ceil(BLOCK));
            assert!(
                column
                    .as_slice()
                    .iter()
                    .enumerate()
                    .all(|(i, v)| *v == i as f32)
            );
            let lanes: &[f32] = bytemuck::cast_slice(column.blocks());
            assert!(lanes[len..].iter().all(|v| v.is_nan()));
            assert_eq!(column, column.clone());
            column.as_mut_slice().fill(1.0);
            column.clear();
            assert!(column.is_empty() && column.as_slice().is_empty());
        }
    }
}
