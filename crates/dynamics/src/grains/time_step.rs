//! Which time steps are stable.

use jostle_scenes::grains::GrainMaterial;

use super::error::FlowError;
use super::tolerances::{CONTACTS, SAFE_SHARE};

/// A time step and the limit it stays below.
///
/// The explicit scheme is stable while dt < (2/ω) (√(1+ζ²) − ζ), ω being the largest frequency of a packing
/// and ζ its damping (the leapfrog limit for a damped oscillator). ω is bounded by Gershgorin's circles: with
/// Z contacts of stiffness k and κ k across, spread evenly, a grain is held by Z k (1 + 2κ)/3 against motion and by
/// 5/2 · 2 Z κ k/3 against turning, both per mass; coupling to neighbours that move the other way doubles the sum.
/// The dashpots are proportional to the springs, so that ζ grows with the frequency: ζ = ζ₀ ω/ω₀ with ω₀ = √(2k/m) and
/// ζ₀ = −ln e / √(π² + ln² e) of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeStep {
    /// Length of a sub-step, s.
    pub dt: f64,
    /// The stability limit, s.
    pub limit: f64,
    /// Sub-steps a frame.
    pub substeps: u32,
}

/// Damping of a pair as a share of the critical one.
pub(super) fn damping_ratio(restitution: f64) -> f64 {
    if restitution >= 1.0 {
        return 0.0;
    }
    let ln = libm::log(restitution);
    -ln / (std::f64::consts::PI * std::f64::consts::PI + ln * ln).sqrt()
}

impl TimeStep {
    /// The time step for grains of which the lightest has a mass, kg: a whole number of sub-steps a frame.
    ///
    /// # Errors
    /// When the number of sub-steps is given and makes them longer than the limit, or the frame has no usable
    /// length.
    pub(super) fn new(
        material: &GrainMaterial,
        lightest: f64,
        frame: f64,
        substeps: Option<u32>,
    ) -> Result<Self, FlowError> {
        let k = material.stiffness;
        let across = material.tangential_stiffness;
        let holds = CONTACTS * (1.0 + 2.0 * across) / 3.0 + 2.5 * 2.0 * CONTACTS * across / 3.0;
        let omega = (2.0 * holds * k / lightest).sqrt();
        let pair = (2.0 * k / lightest).sqrt();
        let zeta = damping_ratio(material.restitution) * omega / pair;
        let limit = 2.0 / omega * ((1.0 + zeta * zeta).sqrt() - zeta);
        if !(frame > 0.0 && frame.is_finite() && limit > 0.0 && frame / limit < 1e6) {
            return Err(FlowError::Frame { seconds: frame });
        }
        let least = (frame / (SAFE_SHARE * limit)).ceil().max(1.0) as u32;
        let substeps = substeps.unwrap_or(least);
        let dt = frame / f64::from(substeps);
        if dt > limit {
            return Err(FlowError::Unstable {
                asked: dt,
                limit,
                reason: format!(
                    "stiffness {k} N/m on grains of {lightest:.3e} kg takes at least {} sub-steps a frame",
                    (frame / limit).ceil()
                ),
            });
        }
        Ok(Self {
            dt,
            limit,
            substeps,
        })
    }
}
