//! Wavefront OBJ: polygons, polylines and points over `v` records.
//!
//! Texture coordinates, normals, groups, materials and free-form records are skipped; so are the
//! `w` and colour values some programs append to a `v` record. Polygons become fans around their
//! first corner. `l` records become loose edges; `p` records only mark that the points are meant.

use glam::DVec3;
use jostle_geom::Mesh;

use crate::error::{MeshFileError, Place};
use crate::text::{Lines, integer, number, quote, tokens};

/// Reads an OBJ file from its bytes; coordinates are the nearest `f64` of the decimals.
///
/// Indices may be relative (negative) and may point to vertices further down the file. All
/// vertices are kept in file order, used or not. Cost: O(bytes), plus the sorting of the edges.
///
/// # Errors
/// A malformed `v`, `f`, `l` or `p` record, a coordinate that is not finite, an index of 0 or
/// without vertex, a file without vertices, or vertices that no record uses.
pub fn parse(bytes: &[u8]) -> Result<Mesh, MeshFileError> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let mut lines = Lines::new(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes));
    let mut reader = Reader::default();
    let mut joined = Vec::new();
    while let Some(line) = lines.next() {
        let at = lines.number();
        if let [.., b'\\'] = line
            && !line.contains(&b'#')
        {
            // A backslash at the end continues the record on the next line, but not in comments,
            // where it may stand by chance.
            joined.clear();
            joined.extend_from_slice(line);
            while joined.last() == Some(&b'\\') {
                joined.pop();
                joined.push(b' ');
                joined.extend_from_slice(lines.next().unwrap_or_default());
            }
            reader.record(&joined, at)?;
        } else {
            reader.record(line, at)?;
        }
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    positions: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    loose_edges: Vec<[u32; 2]>,
    has_points: bool,
    /// The vertices of the record at hand.
    corners: Vec<u32>,
    /// Line and index (from 0) of references to vertices that had not come yet.
    forward: Vec<(usize, u32)>,
}

impl Reader {
    fn record(&mut self, line: &[u8], at: usize) -> Result<(), MeshFileError> {
        let content = line.split(|&b| b == b'#').next().unwrap_or_default();
        let mut words = tokens(content);
        match words.next() {
            Some(b"v") => self.vertex(words, at),
            Some(b"f") => {
                self.corners(words, at, "face", 3)?;
                let first = self.corners[0];
                let rest = self.corners[1..].windows(2);
                self.faces.extend(rest.map(|w| [first, w[0], w[1]]));
                Ok(())
            }
            Some(b"l") => {
                self.corners(words, at, "line", 2)?;
                self.loose_edges
                    .extend(self.corners.windows(2).map(|w| [w[0], w[1]]));
                Ok(())
            }
            Some(b"p") => {
                self.has_points = true;
                self.corners(words, at, "point", 1)
            }
            _ => Ok(()),
        }
    }

    fn vertex<'a>(
        &mut self,
        mut words: impl Iterator<Item = &'a [u8]>,
        at: usize,
    ) -> Result<(), MeshFileError> {
        let at = Place::Line(at);
        let mut position = DVec3::ZERO;
        for axis in 0..3 {
            let Some(word) = words.next() else {
                let what = format!("a vertex needs three coordinates, this has {axis}");
                return Err(MeshFileError::Syntax { at, what });
            };
            let Some(value) = number(word) else {
                let what = format!("{} is no coordinate", quote(word));
                return Err(MeshFileError::Syntax { at, what });
            };
            if !value.is_finite() {
                let vertex = self.positions.len();
                return Err(MeshFileError::Coordinate {
                    at,
                    vertex,
                    axis,
                    value,
                });
            }
            position[axis] = value;
        }
        self.positions.push(position);
        Ok(())
    }

    /// Reads the vertex indices of a record into `self.corners`.
    fn corners<'a>(
        &mut self,
        words: impl Iterator<Item = &'a [u8]>,
        at: usize,
        record: &str,
        at_least: usize,
    ) -> Result<(), MeshFileError> {
        self.corners.clear();
        for word in words {
            let corner = self.corner(word, at)?;
            self.corners.push(corner);
        }
        if self.corners.len() < at_least {
            let what = format!(
                "a {record} needs at least {at_least} vertices, this has {}",
                self.corners.len()
            );
            let at = Place::Line(at);
            return Err(MeshFileError::Syntax { at, what });
        }
        Ok(())
    }

    /// The vertex of `v`, `v/vt`, `v//vn` or `v/vt/vn`, counted from 0.
    fn corner(&mut self, word: &[u8], line: usize) -> Result<u32, MeshFileError> {
        let at = Place::Line(line);
        let mut parts = word.split(|&b| b == b'/');
        let index = parts.next().and_then(integer);
        let others_sound = parts.all(|part| part.is_empty() || integer(part).is_some());
        let Some(index) = index.filter(|_| others_sound) else {
            let what = format!("{} is no vertex reference", quote(word));
            return Err(MeshFileError::Syntax { at, what });
        };
        let known = self.positions.len() as i64;
        let vertex = match index {
            0 => {
                let what = "vertex index 0; the first vertex is 1".to_owned();
                return Err(MeshFileError::Index { at, what });
            }
            1.. => index - 1,
            _ => known + index,
        };
        if vertex < 0 {
            let what = format!("relative vertex index {index}, but only {known} vertices before");
            return Err(MeshFileError::Index { at, what });
        }
        let Ok(vertex32) = u32::try_from(vertex) else {
            let what = format!("vertex index {index} is too large");
            return Err(MeshFileError::Index { at, what });
        };
        if vertex >= known {
            self.forward.push((line, vertex32));
        }
        Ok(vertex32)
    }

    fn finish(self) -> Result<Mesh, MeshFileError> {
        let vertices = self.positions.len();
        let missing = self.forward.iter().find(|(_, v)| *v as usize >= vertices);
        if let Some(&(line, vertex)) = missing {
            let what = format!(
                "vertex index {}, but there are only {vertices} vertices",
                u64::from(vertex) + 1
            );
            let at = Place::Line(line);
            return Err(MeshFileError::Index { at, what });
        }
        let has_elements =
            self.has_points || !self.faces.is_empty() || !self.loose_edges.is_empty();
        if vertices > 0 && !has_elements {
            return Err(MeshFileError::NoElements { vertices });
        }
        Ok(Mesh::new(self.positions, self.faces, &self.loose_edges)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faces(text: &str) -> Vec<[u32; 3]> {
        parse(text.as_bytes()).unwrap().topology.faces().to_vec()
    }

    fn error(text: &str) -> String {
        parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn polygons_become_fans() {
        let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 .5 0\nf 1 2 3 4 5\n";
        assert_eq!(faces(text), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }

    #[test]
    fn references_may_be_relative_or_forward() {
        let text = "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3//1 -2/1/-1 -1\nv 9 9 9\nf -1 -2 -3";
        assert_eq!(faces(text), [[0, 1, 2], [0, 1, 2], [3, 2, 1]]);
    }

    #[test]
    fn continuation_and_comments() {
        let text = "# \\\nv 0 0 0 # \\\nv 1 \\\r\n 0 0\nv 0 1 0\\\n\nf 1 \\\n 2 \\\n 3";
        assert_eq!(faces(text), [[0, 1, 2]]);
    }

    #[test]
    fn lines_and_points_without_faces() {
        let mesh = parse(b"v 0 0 0\nv 1 0 0\nv 2 0 0\nl 1/1 2/2 3/3").unwrap();
        assert_eq!(mesh.topology.edges(), [[0, 1], [1, 2]]);
        let mesh = parse(b"\xef\xbb\xbfv 1e0 +2. -.5 1 0.5 0.5\np 1").unwrap();
        assert_eq!(mesh.positions, [DVec3::new(1.0, 2.0, -0.5)]);
        assert_eq!(mesh.topology.box_count(), 1);
    }

    #[test]
    fn errors_name_the_line() {
        let three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (text, message) in [
            (
                "f 1 2",
                "line 4: a face needs at least 3 vertices, this has 2",
            ),
            ("f 1 2 x", "line 4: \"x\" is no vertex reference"),
            ("f 1 2 3/a", "line 4: \"3/a\" is no vertex reference"),
            ("f 0 1 2", "line 4: vertex index 0; the first vertex is 1"),
            (
                "f 1 2 4",
                "line 4: vertex index 4, but there are only 3 vertices",
            ),
            (
                "f -4 2 3",
                "line 4: relative vertex index -4, but only 3 vertices before",
            ),
            (
                "f 1 2 99999999999",
                "line 4: vertex index 99999999999 is too large",
            ),
            (
                "v 0 nan 0",
                "line 4: vertex 3 has coordinate y = NaN, which is not finite",
            ),
            (
                "v 0 0 1e999",
                "line 4: vertex 3 has coordinate z = inf, which is not finite",
            ),
            (
                "v 0 0",
                "line 4: a vertex needs three coordinates, this has 2",
            ),
            ("v 0 0 zero", "line 4: \"zero\" is no coordinate"),
            ("", "the file has 3 vertices but no face, line or point"),
        ] {
            assert_eq!(error(&format!("{three}{text}")), message);
        }
        assert_eq!(error(""), "the mesh has no vertices");
        assert_eq!(
            error("f 1 1 1"),
            "line 1: vertex index 1, but there are only 0 vertices"
        );
    }
}
