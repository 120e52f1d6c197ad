//! Mesh files by path.

use std::path::Path;

use jostle_geom::Mesh;

use crate::error::{MeshFileError, ReadError, read_bytes};
use crate::{obj, ply, stl};

/// Reads a mesh from an OBJ, PLY or STL file.
///
/// The extension tells the format; when it is another one or none, the content does.
///
/// # Errors
/// The file cannot be read, or is refused by [`obj::parse`], [`ply::parse`] or [`stl::parse`].
pub fn read_mesh(path: impl AsRef<Path>) -> Result<Mesh, ReadError> {
    let path = path.as_ref();
    let bytes = read_bytes(path)?;
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let mesh = match extension.to_str() {
        Some("obj") => obj::parse(&bytes),
        Some("ply") => ply::parse(&bytes),
        Some("stl") => stl::parse(&bytes),
        _ => parse_by_content(&bytes),
    };
    mesh.map_err(|error| ReadError::new(path, error))
}

fn parse_by_content(bytes: &[u8]) -> Result<Mesh, MeshFileError> {
    if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
        ply::parse(bytes)
    } else if stl::has_binary_size(bytes) || stl::looks_like_text(bytes) {
        stl::parse(bytes)
    } else if bytes.split(|b| matches!(b, b'\n' | b'\r')).any(|line| {
        let line = line.trim_ascii_start();
        line.starts_with(b"v ") || line.starts_with(b"v\t")
    }) {
        obj::parse(bytes)
    } else {
        Err(MeshFileError::UnknownFormat)
    }
}
