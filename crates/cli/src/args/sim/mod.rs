//! `jostle sim`.

mod bodies;
mod grains;

use std::path::PathBuf;

use clap::Args;
use jostle::scenes::UnknownScene;
use jostle::scenes::bodies::BodySceneKind;
use jostle::scenes::grains::GrainSceneKind;
use jostle::sdf::contact::Optimizer;

use super::{Common, RawCommon, parse};
use crate::error::CliError;

pub(crate) use bodies::BodySim;
pub(crate) use grains::{GRAINS, GrainSim};

/// `jostle sim`, as typed.
#[derive(Debug, Args)]
pub(crate) struct RawSim {
    /// The scene; --list names them
    #[arg(value_name = "SCENE", required_unless_present = "list")]
    scene: Option<String>,
    /// Name the scenes and stop
    #[arg(long, conflicts_with = "scene")]
    list: bool,
    /// Number of grains, or of bodies with the fixed ones [default: 10000 grains; as many bodies as the scene has]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    bodies: Option<u32>,
    /// Number of frames of 1/60 s
    #[arg(long, value_name = "N", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// Frames before those, which are neither timed nor averaged
    #[arg(long, value_name = "N", default_value_t = 0)]
    warm_up: u32,
    /// Sub-steps a frame; of grains, too few are refused [default: 4; for grains what stability asks for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    substeps: Option<u32>,
    /// Coefficient of sliding friction [default: that of the scene]
    #[arg(long, value_name = "X", allow_negative_numbers = true,
          value_parser = parse::not_negative)]
    friction: Option<f64>,
    /// Speed after a head-on impact by speed before it, at most 1 [default: that of the scene]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = parse::share)]
    restitution: Option<f64>,
    /// Write where everything is after every frame (CSV: frame,id,x,y,z,r, of bodies frame,id,px,py,pz,qx,qy,qz,qw)
    #[arg(long, value_name = "FILE.csv")]
    record: Option<PathBuf>,
    /// Write a picture of the last frame; of grains, cut open along the middle
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,
    /// What the random numbers of the scene come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    grains: RawGrains,
    #[command(flatten)]
    contacts: RawContacts,
    #[command(flatten)]
    common: RawCommon,
}

/// What only scenes of grains have.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scenes of grains")]
struct RawGrains {
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
    /// Coefficient of rolling resistance [default: that of the scene]
    #[arg(long, value_name = "X", allow_negative_numbers = true,
          value_parser = parse::not_negative)]
    rolling: Option<f64>,
}

/// What only scenes of bodies have.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scenes of bodies")]
struct RawContacts {
    /// How contacts are searched: projected, nelder-mead, ellipsoid, sgd [default: projected]
    #[arg(long, value_name = "METHOD")]
    optimizer: Option<Optimizer>,
    /// Points kept for each pair from step to step [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32))]
    cache: Option<u32>,
    /// New samples of a pair in a step when its points are full [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=32))]
    random: Option<u32>,
    /// How much the maximum of two fields is smoothed, m²; 0 for not at all [default: 0.1]
    #[arg(long, value_name = "X", allow_negative_numbers = true,
          value_parser = parse::not_negative)]
    epsilon: Option<f64>,
    /// How strongly the points of a pair repel each other [default: 0.01]
    #[arg(long, value_name = "X", allow_negative_numbers = true,
          value_parser = parse::not_negative)]
    alpha: Option<f64>,
    /// Distance below which two points are one, m [default: 0.01]
    #[arg(long, value_name = "D", allow_negative_numbers = true,
          value_parser = parse::not_negative)]
    tau: Option<f64>,
    /// Steps of the optimizer at most [default: 50]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: Option<u32>,
    /// Draw new samples from the overlap of the boxes, not from where surfaces are strongly curved
    #[arg(long)]
    no_curvature: bool,
    /// Bodies closer than this touch, m [default: 0.02]
    #[arg(long, value_name = "D", allow_negative_numbers = true,
          value_parser = parse::not_negative)]
    margin: Option<f64>,
    /// A mesh in place of the one that the scene has (OBJ, PLY or STL), scaled to unit size
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
}

impl RawGrains {
    /// Options that were given and which scene they are for alone.
    fn given(&self) -> [(&'static str, bool); 5] {
        [
            ("--outlet", self.outlet.is_some()),
            ("--half-angle", self.half_angle.is_some()),
            ("--no-recycle", self.no_recycle),
            ("--radius", self.radius.is_some()),
            ("--rolling", self.rolling.is_some()),
        ]
    }
}

impl RawContacts {
    /// Options that were given.
    fn given(&self) -> [(&'static str, bool); 10] {
        [
            ("--optimizer", self.optimizer.is_some()),
            ("--cache", self.cache.is_some()),
            ("--random", self.random.is_some()),
            ("--epsilon", self.epsilon.is_some()),
            ("--alpha", self.alpha.is_some()),
            ("--tau", self.tau.is_some()),
            ("--iterations", self.iterations.is_some()),
            ("--no-curvature", self.no_curvature),
            ("--margin", self.margin.is_some()),
            ("--mesh", self.mesh.is_some()),
        ]
    }
}

/// `jostle sim`, resolved.
#[derive(Debug)]
pub(crate) enum SimConfig {
    /// Name the scenes.
    List(Common),
    /// Step grains.
    Grains(Box<GrainSim>),
    /// Step bodies.
    Bodies(Box<BodySim>),
}

/// What both kinds of scenes have.
#[derive(Debug)]
pub(crate) struct Run {
    pub common: Common,
    /// Before those that count.
    pub warm_up: usize,
    pub frames: usize,
    pub record: Option<PathBuf>,
    pub picture: Option<PathBuf>,
    seed: u64,
    friction: Option<f64>,
    restitution: Option<f64>,
}

impl RawSim {
    pub(crate) fn resolve(self) -> Result<SimConfig, CliError> {
        let common = self.common.resolve()?;
        let Some(name) = self.scene else {
            return Ok(SimConfig::List(common));
        };
        let run = Run {
            common,
            warm_up: self.warm_up as usize,
            frames: self.frames as usize,
            record: self.record,
            picture: self.picture,
            seed: self.seed,
            friction: self.friction,
            restitution: self.restitution,
        };
        let (bodies, substeps) = (self.bodies.map(|n| n as usize), self.substeps);
        if let Ok(kind) = name.parse::<GrainSceneKind>() {
            refuse(&self.contacts.given(), &name)?;
            if kind != GrainSceneKind::Hopper {
                // The first three belong to its outlet.
                refuse(&self.grains.given()[..3], &name)?;
            }
            let sim = GrainSim::new(kind, run, bodies, substeps, &self.grains)?;
            return Ok(SimConfig::Grains(Box::new(sim)));
        }
        let kind: BodySceneKind = name.parse().map_err(unknown)?;
        refuse(&self.grains.given(), &name)?;
        if !kind.takes_mesh() {
            refuse(&[("--mesh", self.contacts.mesh.is_some())], &name)?;
        }
        let sim = BodySim::new(kind, run, bodies, substeps, self.contacts)?;
        Ok(SimConfig::Bodies(Box::new(sim)))
    }
}

fn unknown(UnknownScene(name): UnknownScene) -> CliError {
    let bodies = BodySceneKind::ALL.map(BodySceneKind::name);
    let grains = GrainSceneKind::ALL.map(GrainSceneKind::name);
    let names = [&bodies[..], &grains[..]].concat().join(", ");
    CliError::Usage(format!("unknown scene {name:?}: one of {names}"))
}

/// Refuses the first option that was given though the scene has no use for it.
fn refuse(options: &[(&'static str, bool)], scene: &str) -> Result<(), CliError> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(CliError::Usage(format!(
            "{option} means nothing for the scene {scene}"
        ))),
        None => Ok(()),
    }
}
