//! Which boxes a broad phase accepts.

use jostle_geom::Aabb;
use thiserror::Error;

/// A box without a defined answer.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BoxError {
    /// A bound is not a number.
    #[error("box {index} has a bound that is not a number on axis {}: {min} to {max}", ["x", "y", "z"][*axis])]
    Nan {
        /// Which box, from 0.
        index: usize,
        /// 0, 1 or 2.
        axis: usize,
        /// Lower bound.
        min: f32,
        /// Upper bound.
        max: f32,
    },
    /// The lower bound is above the upper one.
    #[error("box {index} is inverted on axis {}: {min} to {max}", ["x", "y", "z"][*axis])]
    Inverted {
        /// Which box, from 0.
        index: usize,
        /// 0, 1 or 2.
        axis: usize,
        /// Lower bound.
        min: f32,
        /// Upper bound.
        max: f32,
    },
    /// More boxes than the ids of the structure can name.
    #[error("{boxes} boxes are more than the {limit} that ids can name")]
    TooMany {
        /// How many there are.
        boxes: usize,
        /// How many there may be.
        limit: usize,
    },
}

impl BoxError {
    /// The same error for a box whose id is `by` more than its place in the list.
    pub(crate) fn shifted(mut self, by: usize) -> Self {
        if let Self::Nan { index, .. } | Self::Inverted { index, .. } = &mut self {
            *index += by;
        }
        self
    }
}

/// Most boxes that 32-bit ids can name; one value is kept for "none".
pub(crate) const MAX_BOXES: usize = u32::MAX as usize;

/// Refuses boxes that have no defined answer. Infinite bounds are fine. Cost: O(n).
pub(crate) fn check(boxes: &[Aabb]) -> Result<(), BoxError> {
    if boxes.len() > MAX_BOXES {
        return Err(BoxError::TooMany {
            boxes: boxes.len(),
            limit: MAX_BOXES,
        });
    }
    let good = |b: &Aabb| b.min.cmple(b.max).all();
    #[cfg(feature = "parallel")]
    let all_good = {
        use rayon::prelude::*;
        let chunks = boxes.par_chunks(crate::tuning::BUILD_CHUNK);
        chunks.all(|boxes| boxes.iter().all(good))
    };
    #[cfg(not(feature = "parallel"))]
    let all_good = boxes.iter().all(good);
    if all_good {
        return Ok(());
    }
    let Some(index) = boxes.iter().position(|b| !good(b)) else {
        return Ok(());
    };
    let (lo, hi) = (boxes[index].min, boxes[index].max);
    let axis = (0..3)
        .find(|&axis| lo[axis].is_nan() || hi[axis].is_nan() || lo[axis] > hi[axis])
        .unwrap_or(0);
    let (min, max) = (lo[axis], hi[axis]);
    Err(if min.is_nan() || max.is_nan() {
        BoxError::Nan {
            index,
            axis,
            min,
            max,
        }
    } else {
        BoxError::Inverted {
            index,
            axis,
            min,
            max,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offender_is_named() {
        let unit = Aabb::new([0.0; 3].into(), [1.0; 3].into());
        let mut boxes = [unit; 3];
        assert_eq!(check(&boxes), Ok(()));
        boxes[2].max.y = -1.0;
        assert_eq!(
            check(&boxes).unwrap_err().to_string(),
            "box 2 is inverted on axis y: 0 to -1"
        );
        boxes[1].min.z = f32::NAN;
        assert!(matches!(
            check(&boxes),
            Err(BoxError::Nan {
                index: 1,
                axis: 2,
                ..
            })
        ));
        boxes = [Aabb::new(glam::Vec3::NEG_INFINITY, glam::Vec3::INFINITY); 3];
        assert_eq!(check(&boxes), Ok(()));
    }
}
