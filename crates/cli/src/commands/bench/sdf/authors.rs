//! What the authors' own code takes for its scenes.
//!
//! C. Giles et al. published the demo of their paper. Built with -O3 and AVX2, on one thread of a quiet 2-core AMD EPYC
//! (Zen 3): the median milliseconds of collision in a frame of 4 sub-steps, over 300 frames after 60.

use jostle::scenes::bodies::BodySceneKind;
use jostle::sdf::contact::Optimizer;

/// A scene as the authors' code ran it.
pub(super) struct Scene {
    pub kind: BodySceneKind,
    /// Means of a sub-step.
    pub pairs: f64,
    pub contacts: f64,
    nelder_mead: f64,
    ellipsoid: f64,
    gradient_descent: f64,
}

impl Scene {
    /// Milliseconds of collision a frame with an optimiser; for one that they do not have, with their default.
    pub(super) fn ms(&self, optimizer: Optimizer) -> f64 {
        match optimizer {
            Optimizer::Ellipsoid => self.ellipsoid,
            Optimizer::GradientDescent => self.gradient_descent,
            _ => self.nelder_mead,
        }
    }
}

const fn scene(kind: BodySceneKind, [pairs, contacts]: [f64; 2], ms: [f64; 3]) -> Scene {
    Scene {
        kind,
        pairs,
        contacts,
        nelder_mead: ms[0],
        ellipsoid: ms[1],
        gradient_descent: ms[2],
    }
}

/// All of them: pairs and contacts, then times with Nelder–Mead, the ellipsoid method and stochastic gradient descent.
pub(super) const SCENES: [Scene; 11] = [
    scene(BodySceneKind::BoxStack, [49.0, 196.0], [0.55, 0.57, 0.55]),
    scene(BodySceneKind::GearStack, [10.0, 48.0], [0.41, 0.69, 0.20]),
    scene(BodySceneKind::FallingBoxes, [26.0, 51.0], [1.1, 1.2, 0.34]),
    scene(BodySceneKind::Bend, [46.0, 52.0], [3.3, 5.8, 1.6]),
    scene(BodySceneKind::Twist, [43.0, 55.0], [3.0, 4.8, 1.4]),
    scene(BodySceneKind::Displace, [35.0, 58.0], [2.8, 3.0, 0.9]),
    scene(BodySceneKind::Chairs, [73.0, 119.0], [4.9, 6.1, 2.1]),
    scene(BodySceneKind::SpikyWheel, [22.0, 39.0], [1.1, 2.0, 0.7]),
    scene(BodySceneKind::CowsOnSpikes, [52.0, 80.0], [7.8, 11.9, 2.6]),
    scene(BodySceneKind::BunnyPile, [112.0, 101.0], [15.2, 18.9, 6.1]),
    scene(BodySceneKind::Primitives, [171.0, 193.0], [8.3, 13.8, 4.4]),
];
