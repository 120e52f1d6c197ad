//! What demo and bench both do with generated scenes.

use glam::DVec3;
use jostle::ccd::Query;
use jostle::ccd::step::{Candidates, StepReport};
use jostle::geom::{MovingMesh, PairKind};
use jostle::scenes::{Fnv, Scene};
use rayon::prelude::*;

use crate::error::CliError;
use crate::output::milliseconds;
use crate::report::{Bar, Curve, Part};

/// The parts of a step's time, in the order of [`time_bar`].
pub(super) const TIME_PARTS: [Part; 4] = [
    Part {
        name: "boxes",
        colour: [150, 166, 184],
    },
    Part {
        name: "broad phase",
        colour: [38, 132, 168],
    },
    Part {
        name: "narrow phase",
        colour: [246, 150, 60],
    },
    Part {
        name: "rest",
        colour: [214, 219, 226],
    },
];

/// A bar of the times of a step.
pub(super) fn time_bar(label: String, report: &StepReport) -> Bar {
    let times = &report.times;
    let known = times.boxes_ns + times.broad_ns + times.narrow_ns;
    let parts = [
        times.boxes_ns,
        times.broad_ns,
        times.narrow_ns,
        times.total_ns.saturating_sub(known),
    ];
    Bar {
        label,
        parts: parts.map(milliseconds).to_vec(),
    }
}

/// The first step of a scene.
pub(super) fn first_step(scene: &Scene) -> Result<MovingMesh<'_>, CliError> {
    scene
        .step(0)
        .ok_or_else(|| CliError::Draw(format!("the scene {}: it has no step", scene.kind)))
}

/// The query behind a candidate pair given by element indices.
pub(super) fn query_of(mesh: &MovingMesh<'_>, kind: PairKind, [a, b]: [u32; 2]) -> Query {
    let topology = mesh.topology();
    let corners: [u32; 4] = match kind {
        PairKind::VertexFace => {
            let [i, j, k] = topology.faces()[b as usize];
            [a, i, j, k]
        }
        PairKind::EdgeEdge => {
            let [[i, j], [k, l]] = [a, b].map(|e| topology.edges()[e as usize]);
            [i, j, k, l]
        }
    };
    let at = |positions: &[DVec3]| corners.map(|i| positions[i as usize]);
    Query {
        kind,
        t0: at(mesh.t0()),
        t1: at(mesh.t1()),
    }
}

/// All candidates as pairs of one list, vertex–face first.
pub(super) fn pairs_of(
    candidates: &Candidates,
) -> impl IndexedParallelIterator<Item = (PairKind, [u32; 2])> + '_ {
    let vf = candidates.vf.par_iter();
    let ee = candidates.ee.par_iter();
    vf.map(|&pair| (PairKind::VertexFace, pair))
        .chain(ee.map(|&pair| (PairKind::EdgeEdge, pair)))
}

/// FNV-1a over candidates: equal for equal sets, 16 hex digits.
pub(super) fn pairs_hash(candidates: &Candidates) -> String {
    let mut hash = Fnv::default();
    hash.eat(&(candidates.vf.len() as u64).to_le_bytes());
    for id in candidates.vf.iter().chain(&candidates.ee).flatten() {
        hash.eat(&id.to_le_bytes());
    }
    format!("{:016x}", hash.value())
}

/// A size, the pairs found at it and the milliseconds it took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub boxes: u64,
    pub pairs: u64,
    pub ms: f64,
}

impl Sample {
    /// What the time may be proportional to: N·log₂ N + pairs.
    pub(super) fn bound(&self) -> f64 {
        let n = self.boxes as f64;
        n * n.log2() + self.pairs as f64
    }
}

/// A curve through samples.
pub(super) fn curve(name: &str, colour: [u8; 3], samples: &[Sample]) -> Curve {
    Curve {
        name: name.to_owned(),
        colour,
        guide: false,
        points: samples.iter().map(|s| (s.boxes as f64, s.ms)).collect(),
    }
}

/// The curve of N·log N + pairs, scaled to pass above no sample but the first.
pub(super) fn guide(samples: &[Sample]) -> Curve {
    let scale = samples.first().map_or(1.0, |s| s.ms / s.bound());
    Curve {
        name: "N log N + pairs, through the first point".to_owned(),
        colour: [120, 130, 142],
        guide: true,
        points: samples
            .iter()
            .map(|s| (s.boxes as f64, s.bound() * scale))
            .collect(),
    }
}
