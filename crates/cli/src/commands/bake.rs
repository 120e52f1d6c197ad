//! `jostle bake`: mesh to voxel field, with a report of what came of it.

use std::process::ExitCode;
use std::time::Instant;

use jostle::ccd::step::Observer;
use jostle::io::read_mesh;
use jostle::sdf::voxel::{Baked, FieldErrors, VoxelField};
use jostle::sdf::{Field, Shape, ShapeOptions};
use serde::Serialize;

use crate::args::BakeConfig;
use crate::error::CliError;
use crate::output::{self, AtomicFile, Header, Table};
use crate::progress::Progress;

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    header: Header,
    faces: usize,
    resolution: u32,
    bytes: usize,
    bricks: Bricks,
    spacing: f32,
    closed: bool,
    open_edges: usize,
    flipped: bool,
    volume: f64,
    centre: [f64; 3],
    scale: f64,
    lipschitz: f32,
    /// Against the exact signed distance to the mesh.
    max_error: f64,
    /// The same within two cells of the mesh.
    max_error_near: f64,
    /// Against the exact distance to the mesh and its caps.
    max_error_closed: f64,
    /// The same within two cells of them.
    max_error_closed_near: f64,
    error_bound: f64,
    points: u64,
    winding_ambiguous: u64,
    wrong_sides: u64,
    not_finite: u64,
    too_steep: u64,
    seeds: usize,
    ok: bool,
    distances: u64,
    winding_numbers: u64,
    time_ms: Times,
}

#[derive(Debug, Serialize)]
struct Bricks {
    fine: usize,
    all: usize,
}

#[derive(Debug, Serialize)]
struct Times {
    load: f64,
    bake: f64,
    compare: f64,
    seeds: f64,
}

pub(super) fn run(config: &BakeConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let failed = |what: String| CliError::Bake {
        path: config.mesh.clone(),
        what,
    };
    let mut progress = Progress::new(3);
    progress.message("reading");
    let mesh = read_mesh(&config.mesh)?;
    let loaded = Instant::now();
    progress.message("baking");
    let baked = VoxelField::bake(&mesh, &config.options, &|done| progress.progress(done))
        .map_err(|error| failed(error.to_string()))?;
    let done = Instant::now();
    progress.next_part();
    progress.message("comparing");
    let errors = baked.errors(config.points, config.seed);
    let compared = Instant::now();
    progress.next_part();
    progress.message("looking for seeds");
    let shape = Shape::new(Field::voxel(baked.field.clone()), &ShapeOptions::default());
    let broken = match &shape {
        Ok(_) if errors.is_broken(&baked.field) => Some(faults(&baked, &errors)),
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    };
    let seeds = shape.map_or(0, |shape| shape.seeds().points().len());
    let ended = Instant::now();
    progress.finish();
    let bytes = baked.field.to_bytes();
    let ms = |from: Instant, to: Instant| to.duration_since(from).as_secs_f64() * 1e3;
    let times = Times {
        load: ms(start, loaded),
        bake: ms(loaded, done),
        compare: ms(done, compared),
        seeds: ms(compared, ended),
    };
    if let (true, Some(what)) = (config.check, &broken) {
        return Err(failed(what.clone()));
    }
    if let Some(path) = &config.out {
        AtomicFile::write_whole(path, &bytes)?;
    }
    let report = &baked.report;
    let (fine, all) = baked.field.bricks();
    let result = Output {
        header: Header::new("bake", start, &config.common),
        faces: mesh.topology.faces().len(),
        resolution: config.options.resolution,
        bytes: bytes.len(),
        bricks: Bricks { fine, all },
        spacing: baked.field.spacing(),
        closed: report.closed,
        open_edges: report.open_edges,
        flipped: report.flipped,
        volume: report.volume,
        centre: report.centre.to_array(),
        scale: report.scale,
        lipschitz: baked.field.lipschitz(),
        max_error: errors.mesh,
        max_error_near: errors.mesh_near,
        max_error_closed: errors.surface,
        max_error_closed_near: errors.surface_near,
        error_bound: baked.field.error_bound(),
        points: errors.points,
        winding_ambiguous: errors.winding_ambiguous,
        wrong_sides: errors.wrong_sides,
        not_finite: errors.not_finite,
        too_steep: errors.too_steep,
        seeds,
        ok: broken.is_none(),
        distances: report.distances,
        winding_numbers: report.winding_numbers,
        time_ms: times,
    };
    if config.common.json {
        output::print_json(&result)?;
    } else {
        output::print(&readable(&result, broken.as_deref()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Which promises are broken, in words.
fn faults(baked: &Baked, errors: &FieldErrors) -> String {
    format!(
        "the field is broken: {} of {} values are no numbers, {} break the Lipschitz bound {}, {} have the wrong sign; \
         the largest error is {:e}, its bound {:e}",
        errors.not_finite,
        errors.points,
        errors.too_steep,
        baked.field.lipschitz(),
        errors.wrong_sides,
        errors.surface,
        baked.field.error_bound(),
    )
}

fn readable(result: &Output, broken: Option<&str>) -> String {
    let mut table = Table::new(&["of the field", ""]).left(1);
    let closed = match (result.closed, result.open_edges) {
        (true, _) => "yes".to_owned(),
        (false, open) => format!("no: {open} open edges, closed by caps"),
    };
    let flipped = if result.flipped {
        ", turned inside out"
    } else {
        ""
    };
    for (what, value) in [
        ("resolution", result.resolution.to_string()),
        ("bytes", result.bytes.to_string()),
        (
            "fine bricks",
            format!("{} of {}", result.bricks.fine, result.bricks.all),
        ),
        ("closed", format!("{closed}{flipped}")),
        ("volume", format!("{:.6}", result.volume)),
        ("Lipschitz bound", format!("{:.3}", result.lipschitz)),
        ("largest error", format!("{:.3e}", result.max_error)),
        ("near the surface", format!("{:.3e}", result.max_error_near)),
        ("with caps", format!("{:.3e}", result.max_error_closed)),
        (
            "near these",
            format!("{:.3e}", result.max_error_closed_near),
        ),
        ("seeds", result.seeds.to_string()),
        ("baking, ms", format!("{:.1}", result.time_ms.bake)),
    ] {
        table.row([what.to_owned(), value]);
    }
    let mut text = table.to_string();
    if let Some(broken) = broken {
        text.push_str(broken);
        text.push('\n');
    }
    text
}
