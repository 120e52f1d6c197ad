//! Mesh, query and truth files for the Jostle collision engine.
//!
//! - [`read_mesh`]: a mesh from an OBJ, PLY or STL file; [`obj`], [`ply`] and [`stl`] read bytes.
//! - [`write_mesh`]: a mesh to an OBJ or PLY file.
//! - [`read_boxes`]: a file of boxes, one a line.
//! - [`queries`]: the public format of continuous collision queries.
//! - [`truth`]: the right answers that come with the public collision scenes.
//!
//! Input is not trusted: every reader returns a typed error that names the place, never panics,
//! and reserves no more memory than a small multiple of the size of the file.

pub mod boxes;
mod error;
mod mesh;
pub mod obj;
pub mod ply;
pub mod queries;
pub mod stl;
mod text;
pub mod truth;
mod write;

pub use boxes::{BoxFileError, read_boxes};
pub use error::{MeshFileError, Place, ReadError, ReadErrorKind};
pub use mesh::read_mesh;
pub use write::{WriteError, write_mesh, write_obj, write_ply};
