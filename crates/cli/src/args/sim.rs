//! `jostle sim`.

use std::path::PathBuf;

use clap::Args;
use jostle::dynamics::FlowOptions;
use jostle::scenes::SceneError;
use jostle::scenes::grains::{ColumnCollapse, Drum, GrainScene, GrainSceneKind, Hopper, Tumbler};

use super::{Common, RawCommon, parse};
use crate::error::CliError;

/// `jostle sim`, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawSim {
    /// The scene; --list names them
    #[arg(value_name = "SCENE", required_unless_present = "list")]
    scene: Option<String>,
    /// Name the scenes and stop
    #[arg(long, conflicts_with = "scene")]
    list: bool,
    /// Number of grains
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    bodies: u32,
    /// Number of frames of 1/60 s
    #[arg(long, value_name = "N", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// Sub-steps a frame; too few are refused [default: as many as stability asks for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    substeps: Option<u32>,
    /// Radius of a grain, m [default: that of the scene]
    #[arg(long, value_name = "R", allow_negative_numbers = true, value_parser = parse::positive)]
    radius: Option<f64>,
    /// Diameter of the outlet of the hopper in diameters of a grain, 0 to shut it [default: 8]
    #[arg(long, value_name = "D", allow_negative_numbers = true,
          value_parser = parse::not_negative)]
    outlet: Option<f64>,
    /// Angle of the cone of the hopper to the vertical, degrees, 90 for a flat bottom [default: 60]
    #[arg(long, value_name = "DEG", allow_negative_numbers = true, value_parser = parse::steep)]
    half_angle: Option<f64>,
    /// Let the grains that leave the hopper stay away instead of coming in again at the top
    #[arg(long)]
    no_recycle: bool,
    /// Coefficient of sliding friction [default: that of the scene]
    #[arg(long, value_name = "X", allow_negative_numbers = true,
          value_parser = parse::not_negative)]
    friction: Option<f64>,
    /// Speed after a head-on impact by speed before it, in (0, 1] [default: that of the scene]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = parse::share)]
    restitution: Option<f64>,
    /// Coefficient of rolling resistance [default: that of the scene]
    #[arg(long, value_name = "X", allow_negative_numbers = true,
          value_parser = parse::not_negative)]
    rolling: Option<f64>,
    /// Write where every grain is after every frame (CSV: frame,id,x,y,z,r)
    #[arg(long, value_name = "FILE.csv")]
    record: Option<PathBuf>,
    /// Write a picture of the last frame, cut open along the middle
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,
    /// What the random numbers of the scene come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    common: RawCommon,
}

/// A scene by name.
fn named(name: &str) -> Result<GrainSceneKind, CliError> {
    name.parse().map_err(|_| {
        let names = GrainSceneKind::ALL.map(GrainSceneKind::name).join(", ");
        CliError::Usage(format!("unknown scene {name:?}: one of {names}"))
    })
}

/// `jostle sim`, resolved.
#[derive(Debug)]
pub(crate) struct SimConfig {
    pub common: Common,
    /// Nothing to list the scenes.
    pub scene: Option<GrainSceneKind>,
    pub frames: usize,
    pub options: FlowOptions,
    pub record: Option<PathBuf>,
    pub picture: Option<PathBuf>,
    raw: Raw,
}

/// What a scene is made from.
#[derive(Debug)]
struct Raw {
    bodies: usize,
    radius: Option<f64>,
    outlet: Option<f64>,
    half_angle: Option<f64>,
    recycle: bool,
    friction: Option<f64>,
    restitution: Option<f64>,
    rolling: Option<f64>,
    seed: u64,
}

impl RawSim {
    pub(crate) fn resolve(self) -> Result<SimConfig, CliError> {
        let common = self.common.resolve()?;
        let scene = self.scene.as_deref().map(named).transpose()?;
        let unused = [
            ("--outlet", self.outlet.is_some()),
            ("--half-angle", self.half_angle.is_some()),
            ("--no-recycle", self.no_recycle),
        ];
        if let Some(scene) = scene.filter(|&scene| scene != GrainSceneKind::Hopper)
            && let Some((option, _)) = unused.iter().find(|(_, given)| *given)
        {
            let what = format!("{option} means nothing for the scene {}", scene.name());
            return Err(CliError::Usage(what));
        }
        Ok(SimConfig {
            scene,
            frames: self.frames as usize,
            options: FlowOptions {
                substeps: self.substeps,
                level: common.simd.token()?,
                ..FlowOptions::default()
            },
            record: self.record,
            picture: self.picture,
            raw: Raw {
                bodies: self.bodies as usize,
                radius: self.radius,
                outlet: self.outlet,
                half_angle: self.half_angle,
                recycle: !self.no_recycle,
                friction: self.friction,
                restitution: self.restitution,
                rolling: self.rolling,
                seed: self.seed,
            },
            common,
        })
    }
}

impl SimConfig {
    /// Builds a scene with the options given.
    pub(crate) fn build(&self, kind: GrainSceneKind) -> Result<GrainScene, SceneError> {
        let raw = &self.raw;
        let (grains, seed) = (raw.bodies, raw.seed);
        let radius = |default: f64| raw.radius.unwrap_or(default);
        let mut scene = match kind {
            GrainSceneKind::Hopper => {
                let defaults = Hopper::default();
                Hopper {
                    grains,
                    radius: radius(defaults.radius),
                    outlet: raw.outlet.unwrap_or(defaults.outlet),
                    half_angle: raw.half_angle.unwrap_or(defaults.half_angle),
                    recycle: raw.recycle,
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
            (&mut material.friction, raw.friction),
            (&mut material.restitution, raw.restitution),
            (&mut material.rolling_friction, raw.rolling),
        ] {
            *to = from.unwrap_or(*to);
        }
        Ok(scene)
    }
}
