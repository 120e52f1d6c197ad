//! Scenes of grains.

use jostle::dynamics::FlowOptions;
use jostle::scenes::SceneError;
use jostle::scenes::grains::{ColumnCollapse, Drum, GrainScene, GrainSceneKind, Hopper, Tumbler};

use super::{RawGrains, Run};
use crate::error::CliError;

/// Grains when nothing else is asked for.
pub(crate) const GRAINS: usize = 10_000;

/// A scene of grains to step.
#[derive(Debug)]
pub(crate) struct GrainSim {
    pub run: Run,
    pub kind: GrainSceneKind,
    pub options: FlowOptions,
    grains: usize,
    radius: Option<f64>,
    outlet: Option<f64>,
    half_angle: Option<f64>,
    recycle: bool,
    rolling: Option<f64>,
}

impl GrainSim {
    pub(super) fn new(
        kind: GrainSceneKind,
        run: Run,
        grains: Option<usize>,
        substeps: Option<u32>,
        raw: &RawGrains,
    ) -> Result<Self, CliError> {
        Ok(Self {
            options: FlowOptions {
                substeps,
                level: run.common.simd.token()?,
                ..FlowOptions::default()
            },
            run,
            kind,
            grains: grains.unwrap_or(GRAINS),
            radius: raw.radius,
            outlet: raw.outlet,
            half_angle: raw.half_angle,
            recycle: !raw.no_recycle,
            rolling: raw.rolling,
        })
    }

    /// Builds the scene with the options given.
    pub(crate) fn build(&self) -> Result<GrainScene, SceneError> {
        let (grains, seed) = (self.grains, self.run.seed);
        let radius = |default: f64| self.radius.unwrap_or(default);
        let mut scene = match self.kind {
            GrainSceneKind::Hopper => {
                let defaults = Hopper::default();
                Hopper {
                    grains,
                    radius: radius(defaults.radius),
                    outlet: self.outlet.unwrap_or(defaults.outlet),
                    half_angle: self.half_angle.unwrap_or(defaults.half_angle),
                    recycle: self.recycle,
                    seed,
                    ..defaults
                }
                .build()?
            }
            GrainSceneKind::ColumnCollapse => {
                let defaults = ColumnCollapse::default();
                ColumnCollapse {
                    grains,
                    radius: radius(defaults.radius),
                    seed,
                    ..defaults
                }
                .build()?
            }
            GrainSceneKind::Drum => {
                let defaults = Drum::default();
                Drum {
                    grains,
                    radius: radius(defaults.radius),
                    seed,
                    ..defaults
                }
                .build()?
            }
            GrainSceneKind::Tumbler => {
                let defaults = Tumbler::default();
                Tumbler {
                    grains,
                    radius: radius(defaults.radius),
                    seed,
                    ..defaults
                }
                .build()?
            }
            other => other.with_grains(grains, seed)?,
        };
        let material = &mut scene.material;
        for (to, from) in [
            (&mut material.friction, self.run.friction),
            (&mut material.restitution, self.run.restitution),
            (&mut material.rolling_friction, self.rolling),
        ] {
            *to = from.unwrap_or(*to);
        }
        Ok(scene)
    }
}
