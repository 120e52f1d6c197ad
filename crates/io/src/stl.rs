//! STL, text and binary, with equal corners welded.

use std::collections::HashMap;

use glam::DVec3;
use jostle_geom::{Mesh, TopologyError};

use crate::error::{MeshFileError, Place};
use crate::text::{Lines, number, quote, tokens};

const HEADER: usize = 84;
const TRIANGLE: usize = 50;

/// Whether the length of a file is exactly that of a binary STL file with the count it claims.
pub(crate) fn has_binary_size(bytes: &[u8]) -> bool {
    claimed_triangles(bytes).is_some_and(|n| bytes.len() as u64 == size_of_binary(n))
}

fn claimed_triangles(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(HEADER - 4..)?.first_chunk()?;
    Some(u32::from_le_bytes(*count))
}

fn size_of_binary(triangles: u32) -> u64 {
    HEADER as u64 + TRIANGLE as u64 * u64::from(triangles)
}

/// Whether the file claims to be text and looks like it.
pub(crate) fn looks_like_text(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace());
    let text = &bytes[start.unwrap_or(bytes.len())..];
    text.get(..5)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && !text[..text.len().min(1024)].contains(&0)
}

/// Reads an STL file from its bytes.
///
/// A file is binary when it has the size that its triangle count demands, whatever its header
/// says; else it is text when it begins with `solid` and holds no zero bytes. Corners with equal
/// coordinates (0.0 equals −0.0) become one vertex, in order of first appearance. Normals and
/// attributes are skipped. Binary coordinates are widened exactly, text gives the nearest `f64`.
/// Bytes after the last triangle of a binary file are accepted. Cost: O(bytes), plus the sorting
/// of the edges.
///
/// # Errors
/// A file that ends early or holds no triangle, a malformed line, a coordinate that is not finite.
pub fn parse(bytes: &[u8]) -> Result<Mesh, MeshFileError> {
    if !has_binary_size(bytes) && looks_like_text(bytes) {
        parse_text(bytes)
    } else {
        parse_binary(bytes)
    }
}

fn parse_binary(bytes: &[u8]) -> Result<Mesh, MeshFileError> {
    let truncated = |missing| MeshFileError::Truncated {
        at: Place::Byte(bytes.len()),
        missing,
    };
    let Some(claimed) = claimed_triangles(bytes) else {
        return Err(truncated(format!("the header of {HEADER} bytes")));
    };
    if (bytes.len() as u64) < size_of_binary(claimed) {
        let whole = (bytes.len() - HEADER) / TRIANGLE;
        return Err(truncated(format!("triangle {whole} of {claimed}")));
    }
    let mut weld = Weld::default();
    weld.reserve(claimed as usize);
    let triangles = bytes[HEADER..].chunks_exact(TRIANGLE);
    for (i, triangle) in triangles.take(claimed as usize).enumerate() {
        let mut corners = [DVec3::ZERO; 3];
        // Twelve bytes of normal come first, two of attributes last.
        let (values, _) = triangle[12..].as_chunks::<4>();
        for (k, value) in values[..9].iter().enumerate() {
            corners[k / 3][k % 3] = f32::from_le_bytes(*value).into();
        }
        weld.triangle(corners, Place::Byte(HEADER + i * TRIANGLE))?;
    }
    weld.finish()
}

fn parse_text(bytes: &[u8]) -> Result<Mesh, MeshFileError> {
    let mut lines = Lines::new(bytes);
    let mut weld = Weld::default();
    let mut corners = Vec::new();
    let (mut in_facet, mut in_solid) = (false, false);
    while let Some(line) = lines.next() {
        let at = Place::Line(lines.number());
        let syntax = |what| Err(MeshFileError::Syntax { at, what });
        let mut words = tokens(line);
        let Some(first) = words.next() else { continue };
        match &first.to_ascii_lowercase()[..] {
            b"solid" if !in_facet => in_solid = true,
            b"endsolid" if !in_facet => in_solid = false,
            b"facet" if !in_facet => {
                in_facet = true;
                corners.clear();
            }
            b"outer" | b"endloop" if in_facet => {}
            b"vertex" if in_facet => {
                let mut corner = DVec3::ZERO;
                for axis in 0..3 {
                    let Some(word) = words.next() else {
                        return syntax(format!(
                            "a vertex needs three coordinates, this has {axis}"
                        ));
                    };
                    let Some(value) = number(word) else {
                        return syntax(format!("{} is no coordinate", quote(word)));
                    };
                    corner[axis] = value;
                }
                // Checked here to name the line of the vertex, not that of the facet's end.
                weld.check(corner, corners.len(), at)?;
                corners.push(corner);
            }
            b"endfacet" if in_facet => {
                in_facet = false;
                let Ok(corners) = corners[..].try_into() else {
                    return syntax(format!("a facet with {} vertices", corners.len()));
                };
                weld.triangle(corners, at)?;
            }
            _ => return syntax(format!("{} is out of place", quote(first))),
        }
    }
    if in_facet || in_solid {
        let what = if in_facet { "facet" } else { "solid" };
        return Err(MeshFileError::Truncated {
            at: Place::Line(lines.number()),
            missing: format!("{what} after {} triangles", weld.faces.len()),
        });
    }
    weld.finish()
}

/// Gives equal corners one vertex.
#[derive(Default)]
struct Weld {
    positions: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    vertices: HashMap<[u64; 3], u32>,
}

impl Weld {
    fn reserve(&mut self, triangles: usize) {
        self.faces.reserve(triangles);
        // A closed mesh has half as many vertices as triangles.
        self.positions.reserve(triangles / 2);
        self.vertices.reserve(triangles / 2);
    }

    fn check(&self, corner: DVec3, index: usize, at: Place) -> Result<(), MeshFileError> {
        match (0..3).find(|&axis| !corner[axis].is_finite()) {
            None => Ok(()),
            Some(axis) => Err(MeshFileError::Coordinate {
                at,
                vertex: self.faces.len() * 3 + index,
                axis,
                value: corner[axis],
            }),
        }
    }

    fn triangle(&mut self, corners: [DVec3; 3], at: Place) -> Result<(), MeshFileError> {
        let mut face = [0; 3];
        for (i, corner) in corners.into_iter().enumerate() {
            self.check(corner, i, at)?;
            // Adding 0.0 turns −0.0 into 0.0 and leaves all else as it is.
            let corner = corner + DVec3::ZERO;
            let next = self.positions.len();
            let Ok(next) = u32::try_from(next) else {
                return Err(TopologyError::TooManyBoxes { boxes: next }.into());
            };
            face[i] = *self
                .vertices
                .entry(corner.to_array().map(f64::to_bits))
                .or_insert(next);
            if face[i] == next {
                self.positions.push(corner);
            }
        }
        self.faces.push(face);
        Ok(())
    }

    fn finish(self) -> Result<Mesh, MeshFileError> {
        Ok(Mesh::new(self.positions, self.faces, &[])?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "solid a square\n\
        facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 1 1 0\n\
        endloop\n endfacet\n\
        FACET NORMAL 0 0 1\r\n OUTER LOOP\r\n VERTEX 0 -0 0\r\n VERTEX 1 1e0 0\r\n VERTEX 0 1 0.1\r\n\
        ENDLOOP\r\n ENDFACET\r\nENDSOLID\n";

    fn binary(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut file = vec![b'-'; 80];
        file.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            file.extend([0xff; 12]);
            file.extend(
                triangle
                    .iter()
                    .flatten()
                    .flat_map(|value| value.to_le_bytes()),
            );
            file.extend([0; 2]);
        }
        file
    }

    #[test]
    fn text_is_welded() {
        let mesh = parse(SQUARE.as_bytes()).unwrap();
        assert_eq!(mesh.topology.faces(), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.positions[3], DVec3::new(0.0, 1.0, 0.1));
    }

    #[test]
    fn binary_is_widened_exactly() {
        let mut file = binary(&[[[0.1, 0.0, 0.0], [1.0, 0.0, -0.0], [0.1, -0.0, 0.0]]]);
        let mesh = parse(&file).unwrap();
        assert_eq!(mesh.topology.faces(), [[0, 1, 0]]);
        assert_eq!(mesh.positions[0].x, f64::from(0.1_f32));
        assert!(mesh.positions.iter().all(|p| p.y.is_sign_positive()));
        file.push(0);
        assert_eq!(parse(&file), Ok(mesh));
    }

    #[test]
    fn errors_name_the_place() {
        for (from, to, message) in [
            (
                "vertex 1 0 0",
                "vertex 1 0",
                "line 5: a vertex needs three coordinates, this has 2",
            ),
            (
                "vertex 1 0 0",
                "vertex 1 0 o",
                "line 5: \"o\" is no coordinate",
            ),
            (
                "vertex 1 0 0",
                "vertex 1 inf 0",
                "line 5: vertex 1 has coordinate y = inf, which is not finite",
            ),
            ("vertex 1 0 0\n", "", "line 7: a facet with 2 vertices"),
            ("endfacet\n", "", "line 8: \"FACET\" is out of place"),
            (
                "ENDSOLID",
                "",
                "line 16: the file ends in solid after 2 triangles",
            ),
        ] {
            let text = SQUARE.replacen(from, to, 1);
            assert_eq!(parse(text.as_bytes()).unwrap_err().to_string(), message);
        }
        let file = binary(&[[[0.0; 3]; 3], [[0.0, 0.0, f32::NAN], [0.0; 3], [0.0; 3]]]);
        assert_eq!(
            parse(&file).unwrap_err().to_string(),
            "byte 134: vertex 3 has coordinate z = NaN, which is not finite"
        );
        let message = parse(&file[..180]).unwrap_err().to_string();
        assert_eq!(message, "byte 180: the file ends in triangle 1 of 2");
        assert_eq!(
            parse(&binary(&[])).unwrap_err().to_string(),
            "the mesh has no vertices"
        );
    }
}
