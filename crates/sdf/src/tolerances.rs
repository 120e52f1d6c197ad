//! Every tolerance of the crate: its unit, its value and what breaks when it changes.

/// Seeds are where the Laplacian of the field, times the largest extent of the shape, is larger than this (one over
/// unit size). Smaller: seeds on gently curved faces, where a contact is found anyway, crowd out edges and tips.
/// Larger: rounded edges have none.
pub(crate) const CURVATURE: f32 = 4.0;
