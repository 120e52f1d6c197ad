//! Mass properties.

use glam::{DMat3, DVec3};

/// Mass properties of a shape for a density of 1 kg/m³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// m³.
    pub volume: f64,
    /// The centre of mass, in the coordinates of the shape, m.
    pub centre: DVec3,
    /// The inertia about the centre of mass, along the axes of the shape, kg m² for a density of 1 kg/m³.
    pub inertia: DMat3,
}
