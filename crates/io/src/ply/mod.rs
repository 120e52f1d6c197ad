//! Stanford PLY: text and both binary byte orders.
//!
//! Read are the coordinates of `vertex`, the polygons of `face` (property `vertex_indices` or
//! `vertex_index`), which become fans, and `edge` (`vertex1`, `vertex2`), which become loose edges.
//! Other elements and properties are skipped, wherever they stand. Bytes after the last element
//! are accepted: some programs pad their files.

mod header;
mod source;

use glam::DVec3;
use jostle_geom::Mesh;

use crate::error::MeshFileError;
use crate::text::{Lines, quote};
use header::{Element, Encoding, Shape, Type, syntax};
use source::{Ascii, Binary, Fault, Source};

/// Reads a PLY file from its bytes.
///
/// Binary `float` coordinates are widened exactly; in a text file the nearest `f64` of the
/// decimals is taken, whatever type is declared. Cost: O(bytes), plus the sorting of the edges; no
/// memory is reserved for more than the file can hold, whatever counts it claims.
///
/// # Errors
/// A malformed header or row, a coordinate that is not finite, a polygon with fewer than three
/// corners, an index without vertex, a file that ends early or has no vertices. Triangle strips
/// are refused, since leaving them out would change the shape.
pub fn parse(bytes: &[u8]) -> Result<Mesh, MeshFileError> {
    let mut lines = Lines::new(bytes);
    let header = header::parse(&mut lines)?;
    let body = lines.position();
    let elements = &header.elements;
    match header.encoding {
        Encoding::Ascii => read(elements, Ascii::new(lines, bytes.len())),
        Encoding::LittleEndian => read(elements, Binary::<false>::new(bytes, body)),
        Encoding::BigEndian => read(elements, Binary::<true>::new(bytes, body)),
    }
}

/// What is made of an element; the numbers are property indices.
#[derive(Clone, Copy)]
enum Role {
    Vertices([usize; 3]),
    Faces(usize),
    Edges([usize; 2]),
    Skipped,
}

impl Role {
    fn of(element: &Element) -> Result<Self, MeshFileError> {
        let scalar = |name: &[u8]| {
            element
                .find(name)
                .filter(|&i| matches!(element.properties[i].shape, Shape::Scalar(_)))
        };
        match &element.name[..] {
            b"vertex" => {
                if let [Some(x), Some(y), Some(z)] = [scalar(b"x"), scalar(b"y"), scalar(b"z")] {
                    Ok(Self::Vertices([x, y, z]))
                } else {
                    let what = "the vertices have no numbers x, y and z".to_owned();
                    Err(syntax(element.line, what))
                }
            }
            b"face" => {
                let list = [&b"vertex_indices"[..], b"vertex_index"]
                    .into_iter()
                    .filter_map(|name| element.find(name))
                    .find(|&i| matches!(element.properties[i].shape, Shape::List { .. }));
                match list {
                    Some(list) => Ok(Self::Faces(list)),
                    None if element.count == 0 => Ok(Self::Skipped),
                    None => {
                        let what = "the faces have no list vertex_indices".to_owned();
                        Err(syntax(element.line, what))
                    }
                }
            }
            b"edge" => Ok(match [scalar(b"vertex1"), scalar(b"vertex2")] {
                [Some(a), Some(b)] => Self::Edges([a, b]),
                _ => Self::Skipped,
            }),
            b"tristrips" if element.count > 0 => {
                let what = "triangle strips are not supported".to_owned();
                Err(syntax(element.line, what))
            }
            _ => Ok(Self::Skipped),
        }
    }
}

/// Reads all elements in file order; faces may come before the vertices they name.
fn read(elements: &[Element], mut source: impl Source) -> Result<Mesh, MeshFileError> {
    let mut body = Body {
        vertex_count: elements
            .iter()
            .find(|e| e.name == b"vertex")
            .map_or(0, |e| e.count),
        ..Body::default()
    };
    for element in elements {
        let role = Role::of(element)?;
        // Rows without properties take no room; a hostile count must not keep us busy.
        if element.properties.is_empty() {
            continue;
        }
        let rows = source.rows_left(element.smallest_row());
        body.reserve(role, (element.count).min(rows as u64) as usize);
        for row in 0..element.count {
            if let Err(stop) = body.row(element, role, &mut source) {
                return Err(stop.explain(element, row, &source, &body));
            }
        }
    }
    Ok(Mesh::new(body.positions, body.faces, &body.loose_edges)?)
}

#[derive(Default)]
struct Body {
    /// As the header claims; so many have been read by the end, or the file was refused.
    vertex_count: u64,
    positions: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    loose_edges: Vec<[u32; 2]>,
    corners: Vec<u32>,
}

/// Why a row was refused.
enum Stop {
    Fault(Fault),
    Coordinate { axis: usize, value: f64 },
    Index(f64),
    Corners(usize),
    Count(f64),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Stop {
    #[cold]
    fn explain(
        self,
        element: &Element,
        row: u64,
        source: &impl Source,
        body: &Body,
    ) -> MeshFileError {
        let at = source.place();
        let name = String::from_utf8_lossy(&element.name);
        let which = if name.len() <= 40 {
            format!("{name} {row}")
        } else {
            format!("element {} {row}", quote(&element.name))
        };
        match self {
            Self::Fault(Fault::End) => MeshFileError::Truncated {
                at,
                missing: format!("{which} of {}", element.count),
            },
            Self::Fault(Fault::Syntax(what)) => MeshFileError::Syntax {
                at,
                what: format!("{which}: {what}"),
            },
            Self::Coordinate { axis, value } => MeshFileError::Coordinate {
                at,
                vertex: row as usize,
                axis,
                value,
            },
            Self::Index(vertex) => MeshFileError::Index {
                at,
                what: format!(
                    "{which} names vertex {vertex}, but there are only {} vertices",
                    body.vertex_count
                ),
            },
            Self::Corners(corners) => MeshFileError::Syntax {
                at,
                what: format!("{which} has {corners} corners; it needs at least three"),
            },
            Self::Count(count) => MeshFileError::Syntax {
                at,
                what: format!("{which} has a list of {count} values"),
            },
        }
    }
}

impl Body {
    fn reserve(&mut self, role: Role, rows: usize) {
        match role {
            Role::Vertices(_) => self.positions.reserve(rows),
            Role::Faces(_) => self.faces.reserve(rows),
            Role::Edges(_) => self.loose_edges.reserve(rows),
            Role::Skipped => {}
        }
    }

    #[inline(always)]
    fn vertex(&self, value: f64) -> Result<u32, Stop> {
        let index = value as u32;
        if f64::from(index) == value && u64::from(index) < self.vertex_count {
            Ok(index)
        } else {
            Err(Stop::Index(value))
        }
    }

    #[inline(always)]
    fn row(&mut self, element: &Element, role: Role, source: &mut impl Source) -> Result<(), Stop> {
        source.start_row()?;
        let mut position = DVec3::ZERO;
        let mut ends = [0; 2];
        for (i, property) in element.properties.iter().enumerate() {
            match property.shape {
                Shape::Scalar(kind) => {
                    let value = source.value(kind)?;
                    match role {
                        Role::Vertices(axes) => {
                            if let Some(axis) = axes.iter().position(|&a| a == i) {
                                if !value.is_finite() {
                                    return Err(Stop::Coordinate { axis, value });
                                }
                                position[axis] = value;
                            }
                        }
                        Role::Edges(properties) => {
                            if let Some(end) = properties.iter().position(|&p| p == i) {
                                ends[end] = self.vertex(value)?;
                            }
                        }
                        Role::Faces(_) | Role::Skipped => {}
                    }
                }
                Shape::List { count, item } => {
                    let count = list_length(source.value(count)?)?;
                    if matches!(role, Role::Faces(list) if list == i) {
                        self.polygon(count, item, source)?;
                    } else {
                        source.skip(count, item)?;
                    }
                }
            }
        }
        source.end_row()?;
        match role {
            Role::Vertices(_) => self.positions.push(position),
            Role::Edges(_) => self.loose_edges.push(ends),
            Role::Faces(_) | Role::Skipped => {}
        }
        Ok(())
    }

    #[inline(always)]
    fn polygon(&mut self, count: u64, item: Type, source: &mut impl Source) -> Result<(), Stop> {
        source.announce(count, item)?;
        if count < 3 {
            return Err(Stop::Corners(count as usize));
        }
        self.corners.clear();
        for _ in 0..count {
            let corner = self.vertex(source.value(item)?)?;
            self.corners.push(corner);
        }
        let first = self.corners[0];
        self.faces
            .extend(self.corners[1..].windows(2).map(|w| [first, w[0], w[1]]));
        Ok(())
    }
}

#[inline(always)]
fn list_length(value: f64) -> Result<u64, Stop> {
    let length = value as u64;
    if length as f64 == value {
        Ok(length)
    } else {
        Err(Stop::Count(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const XYZ: &str = "property float x\nproperty double y\nproperty short z\n";
    const LIST: &str = "property list uchar int vertex_indices\n";

    fn text(elements: &str, body: &str) -> Result<Mesh, MeshFileError> {
        parse(format!("ply\nformat ascii 1.0\n{elements}end_header\n{body}").as_bytes())
    }

    fn triangle(body: &str) -> Result<Mesh, MeshFileError> {
        let elements = format!("element vertex 3\n{XYZ}element face 1\n{LIST}");
        text(&elements, body)
    }

    #[test]
    fn both_byte_orders_and_types() {
        for (format, big) in [("little", false), ("big", true)] {
            let mut file = format!(
                "ply\nformat binary_{format}_endian 1.0\nelement face 1\n\
                 property list short uchar vertex_index\nproperty float area\n\
                 element vertex 4\n{XYZ}property list int double more\n\
                 element edge 1\nproperty char vertex2\nproperty uint vertex1\nend_header\n"
            )
            .into_bytes();
            let mut put = |bytes: &[u8]| {
                let mut bytes = bytes.to_vec();
                if big {
                    bytes.reverse();
                }
                file.extend(bytes);
            };
            put(&4_i16.to_le_bytes());
            (0..4).for_each(|corner| put(&[corner]));
            put(&0.5_f32.to_le_bytes());
            for i in 0..4_i16 {
                put(&0.1_f32.to_le_bytes());
                put(&(0.1 * f64::from(i)).to_le_bytes());
                put(&(-i).to_le_bytes());
                put(&1_i32.to_le_bytes());
                put(&f64::NAN.to_le_bytes());
            }
            put(&[3]);
            put(&1_u32.to_le_bytes());
            let mesh = parse(&file).unwrap();
            assert_eq!(mesh.topology.faces(), [[0, 1, 2], [0, 2, 3]]);
            assert!(mesh.topology.edges().contains(&[1, 3]));
            let expected = DVec3::new(f64::from(0.1_f32), 0.1 * 3.0, -3.0);
            assert_eq!(mesh.positions[3], expected);
        }
    }

    #[test]
    fn text_is_read_as_doubles() {
        let mesh = triangle("0.1 1e-3 0\n\n1 0 0\n 0 1 0 \n3 0 1 2\nmore").unwrap();
        assert_eq!(mesh.positions[0], DVec3::new(0.1, 1e-3, 0.0));
        let cloud = text(&format!("element vertex 1\n{XYZ}"), "1 2 3").unwrap();
        assert_eq!(cloud.topology.box_count(), 1);
    }

    #[test]
    fn header_errors_name_the_line() {
        for (header, message) in [
            ("", "line 1: a PLY file starts with the line \"ply\""),
            ("ply\nend_header", "line 2: the header has no format line"),
            (
                "ply\nformat binary 1.0",
                "line 2: unknown format \"binary\"",
            ),
            (
                "ply\nproperty int x",
                "line 2: a property before any element",
            ),
            (
                "ply\nelement vertex -1",
                "line 2: element \"vertex\" has no sound count",
            ),
            (
                "ply\nelement a 1\nelement a 1",
                "line 3: element \"a\" is declared twice",
            ),
            (
                "ply\nelement a 1\nproperty long x",
                "line 3: unknown type \"long\"",
            ),
            (
                "ply\nelement a 1\nproperty list int x",
                "line 3: a property is \"TYPE NAME\" or \"list TYPE TYPE NAME\"",
            ),
            ("ply\nhello", "line 2: \"hello\" is no header line"),
            (
                "ply\nelement a 1\nproperty int x\n",
                "line 3: the file ends in the header: end_header is missing",
            ),
            (
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nend_header\n",
                "line 3: the vertices have no numbers x, y and z",
            ),
            (
                "ply\nformat ascii 1.0\nelement face 1\nproperty int x\nend_header\n",
                "line 3: the faces have no list vertex_indices",
            ),
            (
                "ply\nformat ascii 1.0\nelement tristrips 1\nend_header\n",
                "line 3: triangle strips are not supported",
            ),
            (
                "ply\nformat ascii 1.0\nend_header\n",
                "the mesh has no vertices",
            ),
        ] {
            assert_eq!(parse(header.as_bytes()).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn body_errors_name_line_and_element() {
        let three = "0 0 0\n1 0 0\n0 1 0\n";
        for (body, message) in [
            ("0 0 0\n1 0 0\n", "line 11: the file ends in vertex 2 of 3"),
            (
                "0 0 0\n1 0\n",
                "line 11: vertex 1: the line has too few values",
            ),
            (
                "0 0 0 0\n",
                "line 10: vertex 0: the line has too many values",
            ),
            ("0 x 0\n", "line 10: vertex 0: \"x\" is no number"),
            (
                "0 nan 0\n",
                "line 10: vertex 0 has coordinate y = NaN, which is not finite",
            ),
            (
                &format!("{three}3 0 1 3"),
                "line 13: face 0 names vertex 3, but there are only 3 vertices",
            ),
            (
                &format!("{three}3 0 -1 2"),
                "line 13: face 0 names vertex -1, but there are only 3 vertices",
            ),
            (
                &format!("{three}2 0 1"),
                "line 13: face 0 has 2 corners; it needs at least three",
            ),
            (
                &format!("{three}-3 0 1 2"),
                "line 13: face 0 has a list of -3 values",
            ),
            (
                &format!("{three}3 0 1"),
                "line 13: face 0: the line has too few values",
            ),
            (three, "line 12: the file ends in face 0 of 1"),
        ] {
            assert_eq!(triangle(body).unwrap_err().to_string(), message);
        }
    }
}
