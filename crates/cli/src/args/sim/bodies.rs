//! Scenes of bodies.

use std::path::PathBuf;

use jostle::dynamics::WorldOptions;
use jostle::io::read_mesh;
use jostle::scenes::bodies::{BodyScene, BodySceneKind};
use jostle::sdf::contact::ContactOptions;

use super::{RawContacts, Run};
use crate::error::CliError;

/// A scene of bodies to step.
#[derive(Debug)]
pub(crate) struct BodySim {
    pub run: Run,
    pub kind: BodySceneKind,
    pub options: WorldOptions,
    bodies: usize,
    mesh: Option<PathBuf>,
}

impl BodySim {
    pub(super) fn new(
        kind: BodySceneKind,
        run: Run,
        bodies: Option<usize>,
        substeps: Option<u32>,
        raw: RawContacts,
    ) -> Result<Self, CliError> {
        let bodies = bodies.unwrap_or(kind.default_bodies());
        if bodies < kind.least_bodies() {
            return Err(CliError::Usage(format!(
                "--bodies {bodies}: the scene {kind} has {} at least",
                kind.least_bodies()
            )));
        }
        let level = run.common.simd.token()?;
        let mut contacts = ContactOptions {
            level,
            seed: run.seed,
            curvature: !raw.no_curvature,
            ..ContactOptions::default()
        };
        let set = |to: &mut usize, given: Option<u32>| *to = given.map_or(*to, |n| n as usize);
        set(&mut contacts.cache, raw.cache);
        set(&mut contacts.random, raw.random);
        set(&mut contacts.iterations, raw.iterations);
        let set = |to: &mut f32, given: Option<f64>| *to = given.map_or(*to, |x| x as f32);
        set(&mut contacts.epsilon, raw.epsilon);
        set(&mut contacts.alpha, raw.alpha);
        set(&mut contacts.tau, raw.tau);
        set(&mut contacts.margin, raw.margin);
        contacts.optimizer = raw.optimizer.unwrap_or(contacts.optimizer);
        let defaults = WorldOptions::default();
        Ok(Self {
            run,
            kind,
            options: WorldOptions {
                substeps: substeps.unwrap_or(defaults.substeps),
                contacts,
                level,
                ..defaults
            },
            bodies,
            mesh: raw.mesh,
        })
    }

    /// Builds the scene with the options given.
    pub(crate) fn build(&self) -> Result<BodyScene, CliError> {
        let mesh = self.mesh.as_deref().map(read_mesh).transpose()?;
        let run = &self.run;
        let mut scene = self
            .kind
            .with_bodies(self.bodies, run.seed, mesh.as_ref())?;
        for body in &mut scene.bodies {
            body.friction = run.friction.unwrap_or(body.friction);
            body.restitution = run.restitution.unwrap_or(body.restitution);
        }
        Ok(scene)
    }
}
