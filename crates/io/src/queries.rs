//! The public format of continuous collision queries.
//!
//! Eight rows a query: the four points at t = 0, then the same points at t = 1, in the order of
//! [`Query`]: `a0, a1, b0, b1` for edge–edge, `v, f0, f1, f2` for vertex–face. Columns are
//! integers: numerator and denominator of x, of y and of z, and in most files the truth (1 when
//! the primitives collide), the same in all eight rows. Integers may have any length.

use std::io::{self, Write};
use std::path::Path;

use dashu::base::Signed;
use dashu::integer::IBig;
use dashu::rational::{RBig, Relaxed};
use glam::DVec3;
use jostle_ccd::Query;
use jostle_geom::PairKind;
use thiserror::Error;

use crate::error::{ReadError, read_bytes};
use crate::text::{Lines, integer, quote, trim};

/// Rows a query takes.
const ROWS: usize = 8;

/// A query of a file, with the right answer when the file tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileQuery {
    /// The two primitives and their motion.
    pub query: Query,
    /// Whether they collide.
    pub collides: Option<bool>,
}

/// Why a query file was refused. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryFileError {
    /// A row needs six columns, or seven with the truth; the rows of a query the same number.
    #[error("line {line}: {columns} columns; expected {expected}")]
    Columns {
        /// The row.
        line: usize,
        /// How many it has.
        columns: usize,
        /// How many it should have.
        expected: &'static str,
    },
    /// A column is no integer.
    #[error("line {line}, column {column}: {text} is no integer")]
    Integer {
        /// The row.
        line: usize,
        /// The column.
        column: usize,
        /// What it holds, quoted.
        text: String,
    },
    /// A denominator is 0.
    #[error("line {line}, column {column}: the denominator is zero")]
    ZeroDenominator {
        /// The row.
        line: usize,
        /// The column.
        column: usize,
    },
    /// A coordinate is beyond the largest `f64`.
    #[error("line {line}: coordinate {} is too large for a double", ["x", "y", "z"][*axis])]
    Overflow {
        /// The row.
        line: usize,
        /// 0, 1 or 2.
        axis: usize,
    },
    /// The truth is neither 0 nor 1, or not the same in all rows of a query.
    #[error("line {line}: the truth is {text}; expected {expected}")]
    Truth {
        /// The row.
        line: usize,
        /// What it holds, quoted.
        text: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// The last query is not complete.
    #[error("line {line}: {rows} rows are not a multiple of 8, the last query is not complete")]
    Rows {
        /// The last row.
        line: usize,
        /// How many there are.
        rows: usize,
    },
    /// Nothing tells whether the queries are vertex–face or edge–edge.
    #[error("vertex-face or edge-edge? neither the path nor an option says which")]
    UnknownKind,
}

/// The kind of the queries (or pairs) in a file, by its path.
///
/// The last part of the path that contains `edge-edge` or `vertex-face`, or `ee` or `vf` as a run
/// of letters of its own (as in `227ee.csv`), decides.
pub fn kind_from_path(path: &Path) -> Option<PairKind> {
    path.components().rev().find_map(|component| {
        let name = component.as_os_str().to_str()?;
        let has = |long: &str, short: &str| {
            let mut words = name.split(|c: char| !c.is_ascii_alphabetic());
            name.contains(long) || words.any(|word| word == short)
        };
        match (has("vertex-face", "vf"), has("edge-edge", "ee")) {
            (true, false) => Some(PairKind::VertexFace),
            (false, true) => Some(PairKind::EdgeEdge),
            _ => None,
        }
    })
}

/// Reads the queries of a file; `kind` is taken from the path when it is not given.
///
/// # Errors
/// The file cannot be read or is refused by [`parse`]; the kind is given by neither.
pub fn read(path: impl AsRef<Path>, kind: Option<PairKind>) -> Result<Vec<FileQuery>, ReadError> {
    let path = path.as_ref();
    let Some(kind) = kind.or_else(|| kind_from_path(path)) else {
        return Err(ReadError::new(path, QueryFileError::UnknownKind));
    };
    parse(&read_bytes(path)?, kind).map_err(|error| ReadError::new(path, error))
}

/// Reads the queries in the bytes of a file.
///
/// Each coordinate is the `f64` nearest to the quotient, ties to even. The public files hold exact
/// doubles; a file whose quotients are none gives the queries of the rounded points, and its truth
/// is then that of a slightly different query. Empty lines do not count. Cost: O(bytes) for
/// integers of up to 18 digits.
///
/// # Errors
/// As [`QueryFileError`] lists.
pub fn parse(bytes: &[u8], kind: PairKind) -> Result<Vec<FileQuery>, QueryFileError> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let mut lines = Lines::new(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes));
    let mut queries = Vec::new();
    let mut points = [DVec3::ZERO; ROWS];
    let mut truth = None;
    let (mut rows, mut last_line) = (0, 0);
    while let Some(text) = lines.next() {
        if text.is_empty() {
            continue;
        }
        let line = lines.number();
        let row = Row::parse(text, line)?;
        if rows % ROWS == 0 {
            truth = row.truth;
        } else if truth.is_some() != row.truth.is_some() {
            return Err(QueryFileError::Columns {
                line,
                columns: if truth.is_some() { 6 } else { 7 },
                expected: "as many as in the first row of the query",
            });
        } else if truth != row.truth {
            return Err(QueryFileError::Truth {
                line,
                text: u8::from(row.truth == Some(true)).to_string(),
                expected: "the same as in the first row of the query",
            });
        }
        points[rows % ROWS] = row.point;
        rows += 1;
        last_line = line;
        if rows % ROWS == 0 {
            let [a, b, c, d, e, f, g, h] = points;
            queries.push(FileQuery {
                query: Query {
                    kind,
                    t0: [a, b, c, d],
                    t1: [e, f, g, h],
                },
                collides: truth,
            });
        }
    }
    if rows % ROWS != 0 {
        let line = last_line;
        return Err(QueryFileError::Rows { line, rows });
    }
    Ok(queries)
}

struct Row {
    point: DVec3,
    truth: Option<bool>,
}

impl Row {
    fn parse(text: &[u8], line: usize) -> Result<Self, QueryFileError> {
        let mut cells = [&b""[..]; 7];
        let mut columns = 0;
        for cell in text.split(|&b| b == b',') {
            if let Some(slot) = cells.get_mut(columns) {
                *slot = trim(cell);
            }
            columns += 1;
        }
        if !(6..=7).contains(&columns) {
            return Err(QueryFileError::Columns {
                line,
                columns,
                expected: "6, or 7 with the truth",
            });
        }
        let mut point = DVec3::ZERO;
        for axis in 0..3 {
            let column = 2 * axis;
            let value =
                quotient(cells[column], cells[column + 1]).map_err(|fault| match fault {
                    Quotient::NoInteger(second) => QueryFileError::Integer {
                        line,
                        column: column + 1 + usize::from(second),
                        text: quote(cells[column + usize::from(second)]),
                    },
                    Quotient::ZeroDenominator => QueryFileError::ZeroDenominator {
                        line,
                        column: column + 2,
                    },
                })?;
            if !value.is_finite() {
                return Err(QueryFileError::Overflow { line, axis });
            }
            point[axis] = value;
        }
        let truth = match (columns, cells[6]) {
            (6, _) => None,
            (_, b"0") => Some(false),
            (_, b"1") => Some(true),
            (_, other) => {
                return Err(QueryFileError::Truth {
                    line,
                    text: quote(other),
                    expected: "0 or 1",
                });
            }
        };
        Ok(Self { point, truth })
    }
}

/// Why there is no quotient.
enum Quotient {
    /// The numerator, or if true the denominator, is no integer.
    NoInteger(bool),
    ZeroDenominator,
}

/// The `f64` nearest to the quotient of two integers, infinite when it is too large.
fn quotient(numerator: &[u8], denominator: &[u8]) -> Result<f64, Quotient> {
    // The division of two doubles is rounded correctly: two integers that are doubles need no more.
    if let (Some(n), Some(d)) = (integer(numerator), integer(denominator)) {
        if d == 0 {
            return Err(Quotient::ZeroDenominator);
        }
        let (n64, d64) = (n as f64, d as f64);
        if n64 as i64 == n && d64 as i64 == d {
            // No −0.0 from 0 over a negative number.
            return Ok(if n == 0 { 0.0 } else { n64 / d64 });
        }
    }
    let n = big_integer(numerator).ok_or(Quotient::NoInteger(false))?;
    let d = big_integer(denominator).ok_or(Quotient::NoInteger(true))?;
    if d.is_zero() {
        return Err(Quotient::ZeroDenominator);
    }
    let n = if d.is_negative() { -n } else { n };
    let (_, d) = d.into_parts();
    Ok(Relaxed::from_parts(n, d).to_f64().value())
}

/// A decimal integer of any length. The parser of the library also takes underscores.
fn big_integer(text: &[u8]) -> Option<IBig> {
    let digits = match text {
        [b'-' | b'+', digits @ ..] | digits => digits,
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    str::from_utf8(text).ok()?.parse().ok()
}

/// Writes queries, each coordinate as the reduced quotient that it is exactly.
///
/// # Errors
/// Those of `out`, and [`io::ErrorKind::InvalidInput`] for a coordinate that is not finite.
pub fn write(queries: &[FileQuery], out: &mut impl Write) -> io::Result<()> {
    for FileQuery { query, collides } in queries {
        for point in query.t0.iter().chain(&query.t1) {
            for axis in 0..3 {
                let value = RBig::try_from(point[axis]).map_err(|_| {
                    let what = format!("coordinate {} is not finite", point[axis]);
                    io::Error::new(io::ErrorKind::InvalidInput, what)
                })?;
                let comma = if axis == 0 { "" } else { "," };
                write!(out, "{comma}{},{}", value.numerator(), value.denominator())?;
            }
            match collides {
                Some(truth) => writeln!(out, ",{}", u8::from(*truth))?,
                None => writeln!(out)?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "1,2,3,4,-5,8,1\n";

    fn error(text: &str) -> String {
        parse(text.as_bytes(), PairKind::EdgeEdge)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn rows_become_queries() {
        let text = ROW.repeat(16).replace('\n', " \r\n") + "\n";
        let queries = parse(text.as_bytes(), PairKind::VertexFace).unwrap();
        assert_eq!(queries.len(), 2);
        let p = [DVec3::new(0.5, 0.75, -0.625); 4];
        assert_eq!(queries[1].query, Query::vertex_face(p, p));
        assert_eq!(queries[1].collides, Some(true));
        let text = "1,2,3,4,-5,8\n".repeat(8);
        let queries = parse(text.as_bytes(), PairKind::EdgeEdge).unwrap();
        assert_eq!(queries[0].query, Query::edge_edge(p, p));
        assert_eq!(queries[0].collides, None);
        assert_eq!(parse(b"", PairKind::EdgeEdge), Ok(vec![]));
    }

    #[test]
    fn errors_name_the_line() {
        let rows = ROW.repeat(8);
        for (last, message) in [
            ("1,2", "line 9: 2 columns; expected 6, or 7 with the truth"),
            (
                "1,2,3,4,5,6,1,8",
                "line 9: 8 columns; expected 6, or 7 with the truth",
            ),
            ("1,2,3,x,5,6,1", "line 9, column 4: \"x\" is no integer"),
            ("1,2,3,4,1.5,6,1", "line 9, column 5: \"1.5\" is no integer"),
            ("1,2,,4,5,6,1", "line 9, column 3: \"\" is no integer"),
            ("1_0,2,3,4,5,6,1", "line 9, column 1: \"1_0\" is no integer"),
            ("1,0,3,4,5,6,1", "line 9, column 2: the denominator is zero"),
            (
                "1,2,3,4,5,6,2",
                "line 9: the truth is \"2\"; expected 0 or 1",
            ),
            (
                "1,2,3,4,5,6,1",
                "line 9: 9 rows are not a multiple of 8, the last query is not complete",
            ),
            (
                "1,2,3,4,5,6,1\n1,2,3,4,5,6",
                "line 10: 6 columns; expected as many as in the first row of the query",
            ),
            (
                "1,2,3,4,5,6,1\n\n1,2,3,4,5,6,0",
                "line 11: the truth is 0; expected the same as in the first row of the query",
            ),
        ] {
            assert_eq!(error(&format!("{rows}{last}")), message);
        }
        let huge = format!("1,2,1{},4,5,6,1\n", "0".repeat(400));
        assert_eq!(
            error(&huge),
            "line 1: coordinate y is too large for a double"
        );
        let zero = format!("1,{},3,4,5,6,1\n", "0".repeat(40));
        assert_eq!(error(&zero), "line 1, column 2: the denominator is zero");
    }

    #[test]
    fn quotients_are_rounded_to_nearest() {
        let q = |n: &str, d: &str| quotient(n.as_bytes(), d.as_bytes()).ok().unwrap();
        assert_eq!(q("1", "3"), 1.0 / 3.0);
        assert_eq!(q("-1", "-4"), 0.25);
        assert_eq!(q("0", "-4").to_bits(), 0);
        // 2⁵³ + 1 is half way between two doubles: to even. With a bit more it goes up.
        assert_eq!(q("9007199254740993", "1"), 9007199254740992.0);
        let more = "9007199254740993000000000000000001";
        assert_eq!(q(more, "1000000000000000000"), 9007199254740994.0);
        assert_eq!(
            q(&format!("-{more}"), "-1000000000000000000"),
            9007199254740994.0
        );
        let tiny = format!("1{}", "0".repeat(400));
        assert_eq!(q("1", &tiny), 0.0);
        assert_eq!(q(&tiny, &tiny), 1.0);
        // Half of the smallest double, and a bit more.
        let two_to_1075 = (IBig::ONE << 1075).to_string();
        assert_eq!(q("1", &two_to_1075), 0.0);
        assert_eq!(q("1001", &(IBig::from(1000) << 1075).to_string()), 5e-324);
    }

    #[test]
    fn the_path_tells_the_kind() {
        for (path, kind) in [
            ("a/edge-edge/data_0_0.csv", Some(PairKind::EdgeEdge)),
            ("a/vertex-face/data_0_0.csv", Some(PairKind::VertexFace)),
            ("edge-edge/queries/18vf.csv", Some(PairKind::VertexFace)),
            ("92ee_mma_bool.json", Some(PairKind::EdgeEdge)),
            ("tree/speed.csv", None),
            ("vf/ee_vf.csv", Some(PairKind::VertexFace)),
        ] {
            assert_eq!(kind_from_path(Path::new(path)), kind, "{path}");
        }
    }
}
