//! OBJ and PLY files from meshes.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use jostle_geom::Mesh;
use thiserror::Error;

/// Why a file could not be written; the message starts with the path.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The extension is neither `obj` nor `ply`.
    #[error("{}: meshes are written as .obj or .ply", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
}

/// Writes a mesh as OBJ or PLY, by the extension of the path.
///
/// The file is written under another name beside it and renamed when it is complete.
///
/// # Errors
/// Another extension, or the system refuses.
pub fn write_mesh(path: impl AsRef<Path>, mesh: &Mesh) -> Result<(), WriteError> {
    let path = path.as_ref();
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let write = match extension.to_str() {
        Some("obj") => write_obj::<BufWriter<File>>,
        Some("ply") => write_ply::<BufWriter<File>>,
        _ => {
            let path = path.to_owned();
            return Err(WriteError::UnknownFormat { path });
        }
    };
    let mut partial = OsString::from(path);
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let result = File::create(&partial).and_then(|file| {
        let mut out = BufWriter::new(file);
        write(mesh, &mut out)?;
        out.into_inner()?.sync_all()?;
        std::fs::rename(&partial, path)
    });
    result.map_err(|error| {
        // What is half written is of no use; that it cannot be removed is of no more interest.
        let _ = std::fs::remove_file(&partial);
        let path = path.to_owned();
        WriteError::Io { path, error }
    })
}

/// Writes a mesh as OBJ. Reading it again gives the same mesh: coordinates are the shortest
/// decimals that do, and loose edges become `l` records (a mesh of vertices alone `p` records).
///
/// # Errors
/// Those of `out`.
pub fn write_obj<W: Write>(mesh: &Mesh, out: &mut W) -> io::Result<()> {
    for p in &mesh.positions {
        writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for [a, b, c] in mesh.topology.faces().iter().map(one_based) {
        writeln!(out, "f {a} {b} {c}")?;
    }
    for [a, b] in loose_edges(mesh).iter().map(one_based) {
        writeln!(out, "l {a} {b}")?;
    }
    if mesh.topology.faces().is_empty() && mesh.topology.edges().is_empty() {
        for vertex in 1..=mesh.positions.len() {
            writeln!(out, "p {vertex}")?;
        }
    }
    Ok(())
}

/// Writes a mesh as binary little-endian PLY with `double` coordinates. Reading it again gives the
/// same mesh; loose edges become `edge` elements.
///
/// # Errors
/// Those of `out`.
pub fn write_ply<W: Write>(mesh: &Mesh, out: &mut W) -> io::Result<()> {
    let faces = mesh.topology.faces();
    let edges = loose_edges(mesh);
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\n\
         property double x\nproperty double y\nproperty double z\n\
         element face {}\nproperty list uchar uint vertex_indices\n",
        mesh.positions.len(),
        faces.len()
    )?;
    if !edges.is_empty() {
        write!(
            out,
            "element edge {}\nproperty uint vertex1\nproperty uint vertex2\n",
            edges.len()
        )?;
    }
    writeln!(out, "end_header")?;
    for p in &mesh.positions {
        for value in p.to_array() {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    for face in faces {
        out.write_all(&[3])?;
        for vertex in face {
            out.write_all(&vertex.to_le_bytes())?;
        }
    }
    for vertex in edges.iter().flatten() {
        out.write_all(&vertex.to_le_bytes())?;
    }
    Ok(())
}

fn one_based<const N: usize>(vertices: &[u32; N]) -> [u64; N] {
    vertices.map(|v| u64::from(v) + 1)
}

/// The edges that belong to no face.
fn loose_edges(mesh: &Mesh) -> Vec<[u32; 2]> {
    let of_faces: HashSet<_> = mesh
        .topology
        .faces()
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    let edges = mesh.topology.edges().iter();
    edges.filter(|e| !of_faces.contains(*e)).copied().collect()
}
