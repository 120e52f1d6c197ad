//! The header of a PLY file.

use crate::error::{MeshFileError, Place};
use crate::text::{Lines, quote, tokens};

/// How the body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Type {
    fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    pub(super) const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// One value, or a count and as many values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Scalar(Type),
    List { count: Type, item: Type },
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Vec<u8>,
    pub(super) shape: Shape,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: Vec<u8>,
    /// As the file claims: nothing may be allocated from it alone.
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
    /// The line that declares it.
    pub(super) line: usize,
}

impl Element {
    /// The index of a property.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        self.properties.iter().position(|p| p.name == name)
    }

    /// The fewest bytes that one row takes in a binary body.
    pub(super) fn smallest_row(&self) -> usize {
        self.properties
            .iter()
            .map(|p| match p.shape {
                Shape::Scalar(t) | Shape::List { count: t, .. } => t.size(),
            })
            .sum()
    }
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
}

/// Reads the header; `lines` then stands at the first byte of the body.
pub(super) fn parse(lines: &mut Lines<'_>) -> Result<Header, MeshFileError> {
    if lines.next() != Some(b"ply") {
        return Err(syntax(
            1,
            "a PLY file starts with the line \"ply\"".to_owned(),
        ));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    while let Some(text) = lines.next() {
        let line = lines.number();
        let words: Vec<_> = tokens(text).collect();
        match words[..] {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"end_header"] => {
                let Some(encoding) = encoding else {
                    return Err(syntax(line, "the header has no format line".to_owned()));
                };
                return Ok(Header { encoding, elements });
            }
            [b"format", name, _version] => {
                encoding = Some(match name {
                    b"ascii" => Encoding::Ascii,
                    b"binary_little_endian" => Encoding::LittleEndian,
                    b"binary_big_endian" => Encoding::BigEndian,
                    _ => return Err(syntax(line, format!("unknown format {}", quote(name)))),
                });
            }
            [b"element", name, count] => {
                if elements.iter().any(|e| e.name == name) {
                    let what = format!("element {} is declared twice", quote(name));
                    return Err(syntax(line, what));
                }
                let count = str::from_utf8(count).ok().and_then(|c| c.parse().ok());
                let Some(count) = count else {
                    let what = format!("element {} has no sound count", quote(name));
                    return Err(syntax(line, what));
                };
                elements.push(Element {
                    name: name.to_owned(),
                    count,
                    properties: Vec::new(),
                    line,
                });
            }
            [b"property", ref rest @ ..] => {
                let Some(element) = elements.last_mut() else {
                    return Err(syntax(line, "a property before any element".to_owned()));
                };
                let property = property(rest, line)?;
                if element.find(&property.name).is_some() {
                    let what = format!("property {} is declared twice", quote(&property.name));
                    return Err(syntax(line, what));
                }
                element.properties.push(property);
            }
            _ => {
                let what = format!("{} is no header line", quote(text));
                return Err(syntax(line, what));
            }
        }
    }
    Err(MeshFileError::Truncated {
        at: Place::Line(lines.number()),
        missing: "the header: end_header is missing".to_owned(),
    })
}

fn property(words: &[&[u8]], line: usize) -> Result<Property, MeshFileError> {
    let known = |name: &[u8]| {
        Type::from_name(name).ok_or_else(|| syntax(line, format!("unknown type {}", quote(name))))
    };
    let (name, shape) = match *words {
        [b"list", count, item, name] => {
            let (count, item) = (known(count)?, known(item)?);
            (name, Shape::List { count, item })
        }
        [value, name] => (name, Shape::Scalar(known(value)?)),
        _ => {
            let what = "a property is \"TYPE NAME\" or \"list TYPE TYPE NAME\"".to_owned();
            return Err(syntax(line, what));
        }
    };
    Ok(Property {
        name: name.to_owned(),
        shape,
    })
}

pub(super) fn syntax(line: usize, what: String) -> MeshFileError {
    let at = Place::Line(line);
    MeshFileError::Syntax { at, what }
}
