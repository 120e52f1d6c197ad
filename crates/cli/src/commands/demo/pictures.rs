//! Scenes coloured by time of impact.

use glam::DVec3;
use jostle::ccd::step::{Hit, all_impacts};
use jostle::geom::PairKind;
use jostle::scenes::{ClothBall, Scene, Tumbling};

use super::options;
use crate::args::DemoConfig;
use crate::commands::work::first_step;
use crate::error::CliError;
use crate::render::{Camera, Look, Rgb, Surface, by_time, draw_legend, render};
use crate::report::grouped;

const CLOTH: Rgb = Rgb::bytes([196, 204, 214]);
const BALL: Rgb = Rgb::bytes([128, 138, 150]);
const SIZE: [usize; 2] = [1280, 840];

/// A picture and the line below it.
pub(super) struct Picture {
    pub png: Vec<u8>,
    pub caption: String,
}

/// The sheet on its ball at the start of the step.
pub(super) fn cloth(config: &DemoConfig) -> Result<Picture, CliError> {
    let parameters = ClothBall {
        cells: 140,
        frames: 2,
        seed: config.seed,
    };
    let camera = Camera {
        eye: DVec3::new(2.6, -5.4, 3.0),
        target: DVec3::new(0.0, 0.0, -0.28),
        half_height: 0.285,
    };
    let look = Look {
        smooth: true,
        floor: -1.45,
        reach: 0.35,
        lines: 0.14,
    };
    let sheet = parameters.sheet_face_count();
    let plain = |face: usize| if face < sheet { CLOTH } else { BALL };
    draw(&parameters.build()?, config, &camera, look, &plain)
}

/// The cloud of bodies at the start of the step.
pub(super) fn cloud(config: &DemoConfig) -> Result<Picture, CliError> {
    let parameters = Tumbling {
        boxes: 30_000,
        frames: 2,
        seed: config.seed,
    };
    let camera = Camera {
        eye: DVec3::new(11.5, -8.5, 9.5),
        target: DVec3::new(2.6, 2.6, 2.1),
        half_height: 0.31,
    };
    let look = Look {
        smooth: false,
        floor: -0.7,
        reach: 0.5,
        lines: 0.10,
    };
    draw(&parameters.build()?, config, &camera, look, &|_| CLOTH)
}

fn draw(
    scene: &Scene,
    config: &DemoConfig,
    camera: &Camera,
    look: Look,
    plain: &dyn Fn(usize) -> Rgb,
) -> Result<Picture, CliError> {
    let mesh = first_step(scene)?;
    let (report, hits) =
        all_impacts(&mesh, &options(&config.common), &()).map_err(|error| CliError::Step {
            step: scene.kind.to_string(),
            error,
        })?;
    let times = face_times(scene, &hits);
    let colour = |(face, time): (usize, &f64)| {
        if time.is_finite() {
            by_time(*time)
        } else {
            plain(face)
        }
    };
    let colours: Vec<_> = times.iter().enumerate().map(colour).collect();
    let surface = Surface {
        positions: mesh.t0(),
        normals: &[],
        faces: scene.topology.faces(),
        colours: &colours,
        balls: &[],
    };
    let mut canvas = render(surface, camera, look, SIZE);
    let first = report.first.map(|hit| hit.toi);
    draw_legend(&mut canvas, first, CLOTH);
    Ok(Picture {
        png: canvas.to_png()?,
        caption: format!(
            "{} faces; {} vertex–face and {} edge–edge candidates, {} of them collide, the first \
             at {}. Each face has the colour of the earliest impact that it takes part in.",
            grouped(scene.topology.faces().len() as u64),
            grouped(report.candidates.vf),
            grouped(report.candidates.ee),
            grouped(hits.len() as u64),
            first.map_or("no time".into(), |t| format!("t = {t:.6}")),
        ),
    })
}

/// The earliest impact of each face: of itself, its edges and its vertices.
fn face_times(scene: &Scene, hits: &[Hit]) -> Vec<f64> {
    let topology = &scene.topology;
    let mut faces = vec![f64::INFINITY; topology.faces().len()];
    let mut vertices = vec![f64::INFINITY; topology.vertex_count()];
    let mut at_vertices = |ids: &[u32], toi: f64| {
        for &id in ids {
            let time = &mut vertices[id as usize];
            *time = time.min(toi);
        }
    };
    for hit in hits {
        match hit.kind {
            PairKind::VertexFace => {
                at_vertices(&[hit.a], hit.toi);
                let time = &mut faces[hit.b as usize];
                *time = time.min(hit.toi);
            }
            PairKind::EdgeEdge => {
                for edge in [hit.a, hit.b] {
                    at_vertices(&topology.edges()[edge as usize], hit.toi);
                }
            }
        }
    }
    for (time, corners) in faces.iter_mut().zip(topology.faces()) {
        for &corner in corners {
            *time = time.min(vertices[corner as usize]);
        }
    }
    faces
}
