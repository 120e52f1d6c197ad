//! A box of parameters and its place in the queue.

use core::cmp::Ordering;

/// The three parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    T = 0,
    U = 1,
    V = 2,
}

/// A closed box of parameters (t, u, v). The bounds of u and v are dyadic numbers with at most 50
/// binary places, so that their sums are exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) lo: [f64; 3],
    pub(super) hi: [f64; 3],
    /// Width of the image of F over the cell: the largest over the axes.
    pub(super) width: f64,
}

impl Cell {
    /// The whole of `[0, t_max] × [0, 1]²`.
    pub(super) const fn all(t_max: f64) -> Self {
        Self {
            lo: [0.0; 3],
            hi: [t_max, 1.0, 1.0],
            width: f64::INFINITY,
        }
    }

    /// The earliest time in it.
    pub(super) const fn start(&self) -> f64 {
        self.lo[Axis::T as usize]
    }

    /// The latest time in it.
    pub(super) const fn end(&self) -> f64 {
        self.hi[Axis::T as usize]
    }

    /// Its extent along one parameter.
    pub(super) fn size(&self, axis: Axis) -> f64 {
        self.hi[axis as usize] - self.lo[axis as usize]
    }

    /// The parameter whose extent contributes most to the width of the image, among those that
    /// can still be halved. `rates` bound the change of F a unit of each parameter.
    pub(super) fn widest(&self, rates: &[f64; 3], finest: &[f64; 3]) -> Option<Axis> {
        let mut best = None;
        let mut largest = 0.0;
        for axis in [Axis::T, Axis::U, Axis::V] {
            let size = self.size(axis);
            let width = rates[axis as usize] * size;
            if size > finest[axis as usize] && width > largest {
                largest = width;
                best = Some(axis);
            }
        }
        best
    }

    /// The two halves along one parameter, the lower first.
    pub(super) fn halves(&self, axis: Axis) -> [Self; 2] {
        let axis = axis as usize;
        let middle = 0.5 * (self.lo[axis] + self.hi[axis]);
        let (mut lower, mut upper) = (*self, *self);
        lower.hi[axis] = middle;
        upper.lo[axis] = middle;
        [lower, upper]
    }

    /// Whether no point with u + v ≤ 1 is in it that is not in another cell as well. Cells that
    /// meet the line u + v = 1 only in their lowest corner go too: when a cell that reaches below
    /// the line is halved there, its lower half has that corner.
    pub(super) fn is_outside_triangle(&self) -> bool {
        self.lo[Axis::U as usize] + self.lo[Axis::V as usize] >= 1.0
    }

    /// Product of the extents: cells that start together are ordered by it, the smallest first,
    /// which makes the search depth-first among them.
    fn volume(&self) -> f64 {
        self.size(Axis::T) * self.size(Axis::U) * self.size(Axis::V)
    }
}

/// The greatest cell is the one to look at next: the earliest, then the smallest.
impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .start()
            .total_cmp(&self.start())
            .then_with(|| other.volume().total_cmp(&self.volume()))
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cell {}
