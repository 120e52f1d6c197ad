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
            b"vertex" => match [scalar(b"x"), scalar(b"y"), scalar(b"z")] {
                [Some(x), Some(y), Some(z)] => Ok(Self::Vertices([x, y, z])),
                _ => {
                    let what = "the vertices have no numbers x, y and z".to_owned();
                    Err(syntax(element.line, what))
                }
            },
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
