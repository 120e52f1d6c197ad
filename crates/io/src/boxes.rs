//! Files of boxes: one box a line, six numbers.

use std::path::Path;

use jostle_geom::{Aabb, rounding};
use thiserror::Error;

use crate::error::{ReadError, read_bytes};
use crate::text::{Lines, number, quote};

/// Why a file of boxes was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BoxFileError {
    /// A line has another number of columns.
    #[error("line {line}: {found} numbers, a box has six: min x, y, z, max x, y, z")]
    Columns {
        /// Counted from 1.
        line: usize,
        /// How many there are.
        found: usize,
    },
    /// A word is not a number.
    #[error("line {line}: {token} is not a number")]
    Number {
        /// Counted from 1.
        line: usize,
        /// The word.
        token: String,
    },
    /// A bound is NaN, or a lower one is above the upper one.
    #[error("line {line}: box {index} has no extent on axis {}: {min} to {max}", ["x", "y", "z"][*axis])]
    Extent {
        /// Counted from 1.
        line: usize,
        /// The box, counted from 0.
        index: usize,
        /// 0, 1 or 2.
        axis: usize,
        /// Lower bound as written.
        min: String,
        /// Upper bound as written.
        max: String,
    },
}

/// Reads boxes: a line holds min x, y, z and max x, y, z, separated by blanks, commas or
/// semicolons; empty lines and what follows `#` count for nothing. Bounds are read as `f64` and
/// rounded outward to `f32`, so that no overlap is lost; `inf` and `-inf` are bounds too.
///
/// # Errors
/// An unreadable file, or a line that is no box.
pub fn read_boxes(path: impl AsRef<Path>) -> Result<Vec<Aabb>, ReadError> {
    let path = path.as_ref();
    parse(&read_bytes(path)?).map_err(|error| ReadError::new(path, error))
}

/// Reads boxes from the bytes of a file; see [`read_boxes`].
///
/// # Errors
/// A line that is no box.
pub fn parse(bytes: &[u8]) -> Result<Vec<Aabb>, BoxFileError> {
    let mut boxes = Vec::new();
    let mut lines = Lines::new(bytes);
    while let Some(text) = lines.next() {
        let line = lines.number();
        let end = text.iter().position(|&byte| byte == b'#');
        let text = &text[..end.unwrap_or(text.len())];
        let mut bounds = [0.0; 6];
        let mut found = 0;
        for token in text.split(|byte| b" \t\r\x0b\x0c,;".contains(byte)) {
            if token.is_empty() {
                continue;
            }
            let value = number(token).ok_or_else(|| BoxFileError::Number {
                line,
                token: quote(token),
            })?;
            if let Some(bound) = bounds.get_mut(found) {
                *bound = value;
            }
            found += 1;
        }
        if found == 0 {
            continue;
        }
        if found != 6 {
            return Err(BoxFileError::Columns { line, found });
        }
        for axis in 0..3 {
            let (min, max) = (bounds[axis], bounds[axis + 3]);
            if min.is_nan() || max.is_nan() || min > max {
                return Err(BoxFileError::Extent {
                    line,
                    index: boxes.len(),
                    axis,
                    min: min.to_string(),
                    max: max.to_string(),
                });
            }
        }
        let [a, b, c, d, e, f] = bounds;
        boxes.push(Aabb::new(
            [a, b, c].map(rounding::down).into(),
            [d, e, f].map(rounding::up).into(),
        ));
    }
    Ok(boxes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_comments_and_rounding() {
        let text =
            b"# a comment\n0 0 0 1 1 1\n\n0.1,0.1,0.1, 0.1,0.1,0.1 # a point\n-inf;0;0;inf;0;0\n";
        let boxes = parse(text).unwrap();
        assert_eq!(boxes.len(), 3);
        assert!(f64::from(boxes[1].min.x) < 0.1 && 0.1 < f64::from(boxes[1].max.x));
        assert_eq!(boxes[2].max.x, f32::INFINITY);
        assert_eq!(parse(b""), Ok(vec![]));
    }

    #[test]
    fn the_line_is_named() {
        let message = |text: &[u8]| parse(text).unwrap_err().to_string();
        assert_eq!(
            message(b"\n0 0 0 1 1\n"),
            "line 2: 5 numbers, a box has six: min x, y, z, max x, y, z"
        );
        assert_eq!(message(b"0 0 0 1 1 one"), "line 1: \"one\" is not a number");
        assert_eq!(
            message(b"0 0 0 1 1 1\n0 0 0 1 -1 1"),
            "line 2: box 1 has no extent on axis y: 0 to -1"
        );
        assert!(message(b"nan 0 0 1 1 1").contains("axis x: NaN to 1"));
        assert!(message(b"0 0 0 1 1 1 1 1 1").contains("9 numbers"));
    }
}
