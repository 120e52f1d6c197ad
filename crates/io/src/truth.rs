//! The right answers that come with the public collision scenes: the pairs found, whether each
//! collides, and when.

use std::path::Path;

use dashu::rational::RBig;
use thiserror::Error;

use crate::error::{ReadError, read_bytes};
use crate::text::{Lines, quote};

/// Why a file of right answers was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TruthFileError {
    /// Not the JSON expected; the message tells the line.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A row of a table is malformed.
    #[error("line {line}: {what}")]
    Row {
        /// Line from 1.
        line: usize,
        /// What was found, and what was expected.
        what: String,
    },
}

/// A time of impact known to many digits.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactTime {
    /// The decimal as written.
    pub decimal: String,
    /// The largest double not above the decimal.
    pub below: f64,
    /// The smallest double not below the decimal.
    pub above: f64,
}

/// A pair of boxes and when it collides: a row of a `toi` file.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTruth {
    /// The position of the pair among those of its scene and kind.
    pub query_index: usize,
    /// The ids of the two boxes.
    pub boxes: [u32; 2],
    /// The exact earliest time of impact, or `None` when the pair does not collide.
    pub toi: Option<ExactTime>,
    /// How the time was found: `roots` (symbolic roots) or `computed` (integer arithmetic).
    pub source: String,
}

/// Reads pairs of box ids: a JSON array of arrays of two numbers.
///
/// # Errors
/// Other content.
pub fn parse_pairs(bytes: &[u8]) -> Result<Vec<[u32; 2]>, TruthFileError> {
    Ok(serde_json::from_slice(bytes)?)
}

/// Reads a JSON array of Booleans, one a pair.
///
/// # Errors
/// Other content.
pub fn parse_flags(bytes: &[u8]) -> Result<Vec<bool>, TruthFileError> {
    Ok(serde_json::from_slice(bytes)?)
}

/// Reads a table of times: `query_index,box_a,box_b,collides,toi_decimal,source`, after a line
/// that says so.
///
/// The bounds are exact for the decimal as written; where that is itself rounded (after 50 digits)
/// the true time is between them too, unless a double lies within the rounding.
///
/// # Errors
/// A row that is malformed, or that collides without a time or has a time without colliding.
pub fn parse_times(bytes: &[u8]) -> Result<Vec<PairTruth>, TruthFileError> {
    const HEADING: &[u8] = b"query_index,box_a,box_b,collides,toi_decimal,source";
    let mut lines = Lines::new(bytes);
    if lines.next() != Some(HEADING) {
        let what = format!("expected the heading {}", String::from_utf8_lossy(HEADING));
        return Err(TruthFileError::Row { line: 1, what });
    }
    let mut rows = Vec::new();
    while let Some(text) = lines.next() {
        if !text.is_empty() {
            let row = row(text).ok_or_else(|| TruthFileError::Row {
                line: lines.number(),
                what: format!("{} is no row of times", quote(text)),
            })?;
            rows.push(row);
        }
    }
    Ok(rows)
}

fn row(text: &[u8]) -> Option<PairTruth> {
    let text = str::from_utf8(text).ok()?;
    let mut cells = text.split(',');
    let query_index = cells.next()?.parse().ok()?;
    let boxes = [cells.next()?.parse().ok()?, cells.next()?.parse().ok()?];
    let (collides, decimal, source) = (cells.next()?, cells.next()?, cells.next()?);
    let toi = match (collides, decimal) {
        ("0", "") => None,
        ("1", decimal) => Some(exact_time(decimal)?),
        _ => return None,
    };
    if cells.next().is_some() {
        return None;
    }
    Some(PairTruth {
        query_index,
        boxes,
        toi,
        source: source.to_owned(),
    })
}

/// A decimal between its neighbouring doubles.
fn exact_time(decimal: &str) -> Option<ExactTime> {
    let nearest: f64 = decimal.parse().ok()?;
    let value = RBig::from_str_decimal(decimal).ok()?;
    let rounded = RBig::try_from(nearest).ok()?;
    let (below, above) = match rounded.cmp(&value) {
        core::cmp::Ordering::Less => (nearest, nearest.next_up()),
        core::cmp::Ordering::Equal => (nearest, nearest),
        core::cmp::Ordering::Greater => (nearest.next_down(), nearest),
    };
    Some(ExactTime {
        decimal: decimal.to_owned(),
        below,
        above,
    })
}

/// [`parse_pairs`] of a file.
///
/// # Errors
/// The file cannot be read or is refused.
pub fn read_pairs(path: impl AsRef<Path>) -> Result<Vec<[u32; 2]>, ReadError> {
    read(path.as_ref(), parse_pairs)
}

/// [`parse_flags`] of a file.
///
/// # Errors
/// The file cannot be read or is refused.
pub fn read_flags(path: impl AsRef<Path>) -> Result<Vec<bool>, ReadError> {
    read(path.as_ref(), parse_flags)
}

/// [`parse_times`] of a file.
///
/// # Errors
/// The file cannot be read or is refused.
pub fn read_times(path: impl AsRef<Path>) -> Result<Vec<PairTruth>, ReadError> {
    read(path.as_ref(), parse_times)
}

fn read<T>(
    path: &Path,
    parse: impl FnOnce(&[u8]) -> Result<T, TruthFileError>,
) -> Result<T, ReadError> {
    parse(&read_bytes(path)?).map_err(|error| ReadError::new(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_lie_between_their_bounds() {
        let third = exact_time("0.33333333333333333333333333333333333333333333333333").unwrap();
        assert_eq!(third.above, third.below.next_up());
        assert!(third.below == 1.0 / 3.0);
        for exact in ["0", "1", "0.5", "0.000030517578125"] {
            let time = exact_time(exact).unwrap();
            assert_eq!(time.below.to_bits(), time.above.to_bits(), "{exact}");
        }
        let tiny = exact_time("1e-400").unwrap();
        assert_eq!((tiny.below, tiny.above), (0.0, 5e-324));
    }

    #[test]
    fn tables_and_lists() {
        let text = "query_index,box_a,box_b,collides,toi_decimal,source\r\n\
                    0,7,9,1,0.25,roots\r\n1,8,9,0,,computed\r\n";
        let rows = parse_times(text.as_bytes()).unwrap();
        assert_eq!(rows[0].boxes, [7, 9]);
        assert_eq!(rows[0].toi.as_ref().map(|t| t.below), Some(0.25));
        assert_eq!(
            (rows[1].toi.is_none(), &rows[1].source[..]),
            (true, "computed")
        );
        for bad in [
            "0,7,9,1,,roots",
            "0,7,9,0,0.5,roots",
            "0,7,9,1,inf,roots",
            "0,7",
            "0,7,9,1,0.5,a,b",
        ] {
            let text = format!("query_index,box_a,box_b,collides,toi_decimal,source\n{bad}");
            let error = parse_times(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with("line 2: "), "{error}");
        }
        assert!(parse_times(b"").is_err());
        assert_eq!(parse_pairs(b"[[1, 2],[3,4]]").unwrap(), [[1, 2], [3, 4]]);
        assert!(parse_pairs(b"[[1,2,3]]").is_err());
        assert_eq!(parse_flags(b"[true,false]").unwrap(), [true, false]);
    }
}
