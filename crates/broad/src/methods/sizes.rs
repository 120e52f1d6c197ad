//! Boxes sorted into levels by size, so that cells fit what is in them.
//!
//! Each level holds the boxes of a few powers of two; a box is filed under its smallest corner
//! alone. A box meets those of a level whose smallest corner lies between its own smallest corner
//! less the *reach* of the level, which is the longest edge in it, and its largest corner. The
//! hierarchical grid of C. Ericson, "Real-time collision detection", 2005, section 7.2.

use jostle_geom::{Aabb, chunks::fill_chunks};

use crate::tuning::{BUILD_CHUNK, LEVEL_SAMPLE, LEVEL_SHARE, QUANTILE_CUT};

/// Boxes of similar size.
#[derive(Clone, Debug)]
pub(super) struct SizeLevel {
    /// Number of boxes.
    pub(super) len: usize,
    /// No box is longer than this on an axis, metres; not even by the rounding of the difference.
    pub(super) reach: [f32; 3],
    /// A good edge of cells, metres: no shorter than the longest box, and at least 2⁻²³ of every
    /// coordinate.
    pub(super) cell: f32,
    /// Most smallest corners lie between these.
    pub(super) span: [[f32; 3]; 2],
    sample: Vec<[f32; 3]>,
}

/// The levels of a set of boxes, smallest boxes first.
#[derive(Debug)]
pub(super) struct Sizes {
    pub(super) levels: Vec<SizeLevel>,
    /// Level of each size class; what is in none is open.
    level_of: [u8; CLASSES],
    classes: Vec<u8>,
}

const CLASSES: usize = 256;
/// The class of boxes that are longer than 2¹²⁷ m, or of infinite size.
const OPEN: u8 = 255;

impl Default for Sizes {
    fn default() -> Self {
        Self {
            levels: Vec::new(),
            level_of: [0; CLASSES],
            classes: Vec::new(),
        }
    }
}

/// The exponent of the longest edge, rounded up; larger where coordinates are so large that
/// shorter edges make no difference.
#[inline(always)]
fn class(b: &Aabb) -> u8 {
    let edges = b.max - b.min;
    // Differences of equal infinities are NaN.
    if !(edges.x <= f32::MAX && edges.y <= f32::MAX && edges.z <= f32::MAX) {
        return OPEN;
    }
    let (lo, hi) = (b.min.abs(), b.max.abs());
    let (edge, far) = (edges.max_element(), lo.max(hi).max_element());
    let exponent = |x: f32| (x.to_bits() + 0x007F_FFFF) >> 23;
    exponent(edge).max(exponent(far).saturating_sub(22)) as u8
}

/// The largest edge that a box of the class may have, metres.
fn edge(class: u8) -> f32 {
    f32::from_bits(u32::from(class.max(1)) << 23)
}

impl Sizes {
    /// Looks at all boxes. Cost: O(n).
    pub(super) fn fill(&mut self, boxes: &[Aabb]) {
        self.classes.resize(boxes.len(), 0);
        fill_chunks(&mut self.classes, BUILD_CHUNK, |first, out| {
            for (out, b) in out.iter_mut().zip(&boxes[first..]) {
                *out = class(b);
            }
        });
        let mut counts = [0_usize; CLASSES];
        for &class in &self.classes {
            counts[usize::from(class)] += 1;
        }
        self.share(&counts);
        self.measure(boxes);
    }

    /// Gives each class a level. Classes with few boxes join the next larger one that has any.
    fn share(&mut self, counts: &[usize; CLASSES]) {
        let open = usize::from(OPEN);
        let few = counts[..open].iter().sum::<usize>() / LEVEL_SHARE;
        let last = counts[..open].iter().rposition(|&count| count > 0);
        self.levels.clear();
        let mut len = 0;
        for (class, &count) in counts.iter().enumerate().take(open) {
            self.level_of[class] = self.levels.len() as u8;
            len += count;
            let closes = len > few || last == Some(class);
            if count > 0 && closes {
                self.levels.push(SizeLevel {
                    len,
                    reach: [0.0; 3],
                    cell: 0.5 * edge(class as u8),
                    span: [[0.0; 3]; 2],
                    sample: Vec::new(),
                });
                len = 0;
            }
        }
        self.level_of[open] = self.levels.len() as u8;
    }

    /// Finds reach, cell and span of the levels.
    fn measure(&mut self, boxes: &[Aabb]) {
        let mut seen = vec![0_usize; self.levels.len()];
        for (b, &class) in boxes.iter().zip(&self.classes) {
            let at = usize::from(self.level_of[usize::from(class)]);
            let Some(level) = self.levels.get_mut(at) else {
                continue;
            };
            let edges = b.max - b.min;
            for axis in 0..3 {
                if edges[axis] > level.reach[axis] {
                    level.reach[axis] = edges[axis];
                }
            }
            if seen[at].is_multiple_of(level.len.div_ceil(LEVEL_SAMPLE)) {
                level.sample.push(b.min.to_array());
            }
            seen[at] += 1;
        }
        for level in &mut self.levels {
            for reach in &mut level.reach {
                level.cell = level.cell.max(*reach);
                *reach = reach.next_up();
            }
            let cut = (level.sample.len() as f64 * QUANTILE_CUT) as usize;
            let mut values = Vec::with_capacity(level.sample.len());
            for axis in 0..3 {
                values.clear();
                values.extend(level.sample.iter().map(|corner| corner[axis]));
                values.sort_unstable_by(f32::total_cmp);
                level.span[0][axis] = values[cut];
                level.span[1][axis] = values[values.len() - 1 - cut];
            }
            level.sample = Vec::new();
        }
    }

    /// The level of box `index`; one past the last for open boxes.
    #[inline(always)]
    pub(super) fn level_of(&self, index: usize) -> usize {
        usize::from(self.level_of[usize::from(self.classes[index])])
    }

    /// How many boxes are in a level, not open.
    pub(super) fn closed(&self) -> usize {
        self.levels.iter().map(|level| level.len).sum()
    }

    /// Bytes held.
    pub(super) fn memory_bytes(&self) -> usize {
        self.classes.capacity() + self.levels.capacity() * size_of::<SizeLevel>()
    }
}

/// Cells of a level: a box of cubic cells around most corners. What lies outside belongs to the
/// border cells, so that neither far nor infinite coordinates cost anything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    origin: [f32; 3],
    /// Cells a metre.
    scale: f32,
    /// Cells on each axis.
    pub(super) dims: [u32; 3],
    /// Number of the first cell among those of all levels.
    pub(super) base: u32,
    pub(super) reach: [f32; 3],
}

impl Lattice {
    /// Cells over the axes that are asked for, at most `most` of them.
    pub(super) fn new(level: &SizeLevel, axes: [bool; 3], base: u32, most: usize) -> Self {
        let mut cell = f64::from(level.cell);
        let extent = |axis: usize| {
            let extent = f64::from(level.span[1][axis]) - f64::from(level.span[0][axis]);
            if axes[axis] { extent } else { 0.0 }
        };
        let most = most.min(MOST_CELLS) as f64;
        let mut dims = [1.0; 3];
        loop {
            for (axis, dim) in dims.iter_mut().enumerate() {
                *dim = (extent(axis) / cell).floor() + 1.0;
            }
            if dims[0] * dims[1] * dims[2] <= most.max(1.0) {
                break;
            }
            cell *= 1.25;
        }
        let scale = (1.0 / cell).clamp(f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
        Self {
            origin: level.span[0],
            scale: scale as f32,
            dims: dims.map(|dim| dim as u32),
            base,
            reach: level.reach,
        }
    }

    /// The cell of a coordinate along an axis. Ascends with the coordinate.
    #[inline(always)]
    pub(super) fn cell(&self, axis: usize, x: f32) -> u32 {
        // Conversion to integers takes what is below 0 to 0.
        (((x - self.origin[axis]) * self.scale) as u32).min(self.dims[axis] - 1)
    }

    /// The cells in which boxes of the level that meet `b` have their smallest corner.
    ///
    /// Rounding is monotone: for a box `[p, q]` that meets one from `x` on, `x − reach ≤ q − (q − p)`
    /// holds after rounding too, and the right side is `p` itself.
    #[inline(always)]
    pub(super) fn range(&self, axis: usize, b: &Aabb) -> (u32, u32) {
        (
            self.cell(axis, b.min[axis] - self.reach[axis]),
            self.cell(axis, b.max[axis]),
        )
    }

    /// Number of cells.
    pub(super) fn count(&self) -> u32 {
        self.dims.iter().product()
    }
}

/// Most cells of a level, so that the cells of all levels have numbers of 32 bits.
const MOST_CELLS: usize = 1 << 23;
