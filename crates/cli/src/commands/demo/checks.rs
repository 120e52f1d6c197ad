//! Checks of whole steps, against brute force wherever there is an answer to compare.

use glam::DVec3;
use jostle::broad::step::StepMethod;
use jostle::ccd::step::{
    CollisionFreeOptions, Hit, Observer, StepError, StepOptions, all_impacts, candidates,
    collision_free_step, earliest_impact,
};
use jostle::ccd::{NarrowPhase, QueryOptions, time_of_impact};
use jostle::geom::{Mesh, MovingMesh, PairKind};
use jostle::simd::SimdLevel;
use rayon::prelude::*;

use super::{Scenes, options};
use crate::args::DemoConfig;
use crate::commands::work::{first_step, pairs_hash, pairs_of, query_of};
use crate::error::CliError;
use crate::output::milliseconds;
use crate::progress::Clock;
use crate::report::{Capability, Figures};

/// Names the scene of a refused step.
fn refused(scene: &jostle::scenes::Scene) -> impl Fn(StepError) -> CliError + '_ {
    |error| CliError::Step {
        step: scene.kind.to_string(),
        error,
    }
}

/// Every broad phase finds the candidates that brute force finds.
pub(super) fn broad_phases_agree(
    scenes: &Scenes,
    config: &DemoConfig,
) -> Result<Capability, CliError> {
    let mut figures = Figures::default();
    let mut ok = true;
    for scene in scenes.all() {
        let mesh = first_step(scene)?;
        let find = |broad_phase| {
            let clock = Clock::start();
            let options = StepOptions {
                broad_phase,
                ..options(&config.common)
            };
            let mut found = candidates(&mesh, &options, &()).map_err(refused(scene))?;
            let ms = milliseconds(clock.now_ns());
            found.sort();
            Ok::<_, CliError>((found, ms))
        };
        let (brute, brute_ms) = find(StepMethod::Brute)?;
        let name = scene.kind.name();
        figures.add(
            format!("{name}_pairs"),
            (brute.vf.len() + brute.ee.len()) as u64,
        );
        figures.add(format!("{name}_hash"), pairs_hash(&brute));
        figures.add(format!("{name}_brute_ms"), brute_ms);
        for method in StepMethod::ALL {
            if method == StepMethod::Brute {
                continue;
            }
            let (found, ms) = find(method)?;
            ok &= found == brute;
            figures.add(format!("{name}_{method}_ms"), ms);
        }
    }
    Ok(Capability {
        name: "all broad phases find the pairs of brute force",
        ok,
        figures,
    })
}

/// The hit that a step must report as its first: the least time, then kind and indices.
fn minimum_over_all(
    mesh: &MovingMesh<'_>,
    options: &StepOptions,
) -> Result<Option<Hit>, StepError> {
    let brute = StepOptions {
        broad_phase: StepMethod::Brute,
        ..*options
    };
    let pairs = candidates(mesh, &brute, &())?;
    let hit = |(kind, pair): (PairKind, [u32; 2])| -> Option<Hit> {
        let query = query_of(mesh, kind, pair);
        let answer = time_of_impact(&query, options.narrow_phase, &options.query).ok()?;
        let [a, b] = pair;
        Some(Hit {
            kind,
            a,
            b,
            toi: answer.outcome.toi()?,
            undecided: answer.outcome.is_undecided(),
        })
    };
    let order = |a: &Hit, b: &Hit| {
        let key = |hit: &Hit| (hit.kind, hit.a, hit.b);
        a.toi.total_cmp(&b.toi).then_with(|| key(a).cmp(&key(b)))
    };
    Ok(pairs_of(&pairs).filter_map(hit).min_by(order))
}

/// The earliest impact is the least over all brute-force candidates, each solved by itself.
pub(super) fn earliest_is_the_minimum(
    scenes: &Scenes,
    config: &DemoConfig,
) -> Result<Capability, CliError> {
    let mut figures = Figures::default();
    let mut ok = true;
    for scene in scenes.all() {
        let mesh = first_step(scene)?;
        let expected = minimum_over_all(&mesh, &options(&config.common)).map_err(refused(scene))?;
        for broad_phase in StepMethod::ALL {
            let options = StepOptions {
                broad_phase,
                ..options(&config.common)
            };
            let report = earliest_impact(&mesh, &options, &()).map_err(refused(scene))?;
            ok &= report.first == expected;
        }
        let name = scene.kind.name();
        figures.add(format!("{name}_toi"), expected.map(|hit| hit.toi));
    }
    Ok(Capability {
        name: "the earliest impact is the least over all pairs, solved one by one",
        ok,
        figures,
    })
}

/// One thread or many, scalar or SIMD: the same bits.
pub(super) fn same_everywhere(
    scenes: &Scenes,
    config: &DemoConfig,
) -> Result<Capability, CliError> {
    let scene = &scenes.cloth;
    let mesh = first_step(scene)?;
    let mut ok = true;
    let mut expected = None;
    let mut runs = 0_u64;
    let levels = SimdLevel::available();
    for threads in [1, 2, config.common.threads] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        for &simd in &levels {
            let options = StepOptions {
                simd,
                ..StepOptions::default()
            };
            let (report, hits) = pool
                .install(|| all_impacts(&mesh, &options, &()))
                .map_err(refused(scene))?;
            let found = (report.first, report.candidates, hits);
            ok &= *expected.get_or_insert_with(|| found.clone()) == found;
            runs += 1;
        }
    }
    let names: Vec<_> = levels.iter().map(|level| level.name()).collect();
    let hits = expected.map_or(0, |(_, _, hits)| hits.len());
    Ok(Capability {
        name: "the same bits for every number of threads and every SIMD level",
        ok,
        figures: Figures::default()
            .with("runs", runs)
            .with("levels", names.join(" "))
            .with("hits", hits),
    })
}

/// The least memory limit there is gives the same answer in several batches; less is refused.
pub(super) fn memory_limit(scenes: &Scenes, config: &DemoConfig) -> Result<Capability, CliError> {
    let scene = &scenes.cloth;
    let mesh = first_step(scene)?;
    let solve = |memory_limit| {
        let options = StepOptions {
            memory_limit,
            ..options(&config.common)
        };
        earliest_impact(&mesh, &options, &())
    };
    let unlimited = solve(None).map_err(refused(scene))?;
    let Err(StepError::MemoryLimit { needed, .. }) = solve(Some(1)) else {
        return Ok(Capability {
            name: MEMORY,
            ok: false,
            figures: Figures::default().with("problem", "one byte was accepted".to_owned()),
        });
    };
    let limited = solve(Some(needed)).map_err(refused(scene))?;
    let batches = limited.batches.broad.max(limited.batches.narrow);
    Ok(Capability {
        name: MEMORY,
        ok: limited.first == unlimited.first && batches >= 2,
        figures: Figures::default()
            .with("limit_bytes", needed)
            .with("broad_batches", limited.batches.broad)
            .with("narrow_batches", limited.batches.narrow)
            .with("toi", limited.first.map(|hit| hit.toi)),
    })
}

const MEMORY: &str = "a memory limit changes the batches, not the answer";

/// A larger minimum separation is reached no later.
pub(super) fn min_separation(scenes: &Scenes, config: &DemoConfig) -> Result<Capability, CliError> {
    let scene = &scenes.cloth;
    let mesh = first_step(scene)?;
    let mut figures = Figures::default();
    let mut ok = true;
    let mut before = f64::INFINITY;
    for distance in [0.0, 1e-6, 1e-4, 1e-3] {
        let options = StepOptions {
            query: QueryOptions {
                min_separation: distance,
                ..QueryOptions::default()
            },
            ..options(&config.common)
        };
        let report = earliest_impact(&mesh, &options, &()).map_err(refused(scene))?;
        let toi = report.first.map_or(f64::INFINITY, |hit| hit.toi);
        ok &= toi <= before;
        before = toi;
        figures.add(
            format!("toi_at_{distance:?}"),
            report.first.map(|hit| hit.toi),
        );
    }
    Ok(Capability {
        name: "a larger minimum separation is reached no later",
        ok,
        figures,
    })
}

/// A step cut to what a line search may take touches nothing, and a larger fraction cuts more.
pub(super) fn collision_free(scenes: &Scenes, config: &DemoConfig) -> Result<Capability, CliError> {
    let scene = &scenes.cloth;
    let mesh = first_step(scene)?;
    let mut figures = Figures::default();
    let mut ok = true;
    let mut before = 1.0;
    for fraction in [0.1, 0.2, 0.5] {
        let options = CollisionFreeOptions {
            fraction,
            simd: config.common.simd,
            ..CollisionFreeOptions::default()
        };
        let found = collision_free_step(&mesh, &options, &()).map_err(refused(scene))?;
        ok &= found.step > 0.0 && found.step <= before;
        before = found.step;
        figures.add(format!("step_at_{fraction}"), found.step);

        let cut = |(p, q): (&DVec3, &DVec3)| *p + (*q - *p) * found.step;
        let end: Vec<_> = mesh.t0().iter().zip(mesh.t1()).map(cut).collect();
        let taken = MovingMesh::new(&scene.topology, mesh.t0(), &end).map_err(|error| {
            CliError::Motion {
                path: scene.kind.name().into(),
                error,
            }
        })?;
        let report = earliest_impact(&taken, &super::options(&config.common), &())
            .map_err(refused(scene))?;
        ok &= report.first.is_none();
    }
    Ok(Capability {
        name: "a step cut for a line search touches nothing",
        ok,
        figures,
    })
}

/// Edges and points without faces collide too.
pub(super) fn codimensional(scenes: &Scenes, config: &DemoConfig) -> Result<Capability, CliError> {
    let scene = &scenes.strands;
    let mesh = first_step(scene)?;
    let (report, hits) =
        all_impacts(&mesh, &options(&config.common), &()).map_err(refused(scene))?;
    let vf = hits
        .iter()
        .filter(|hit| hit.kind == PairKind::VertexFace)
        .count();
    let ee = hits.len() - vf;
    Ok(Capability {
        name: "edges and points without faces are found too",
        ok: vf > 0 && ee > 0,
        figures: Figures::default()
            .with("loose_edges", scene.topology.edges().len())
            .with("faces", scene.topology.faces().len())
            .with("vf_hits", vf)
            .with("ee_hits", ee)
            .with("toi", report.first.map(|hit| hit.toi)),
    })
}

/// What is written to PLY and OBJ is read back to the bit.
pub(super) fn files_round_trip(
    scenes: &Scenes,
    _config: &DemoConfig,
) -> Result<Capability, CliError> {
    let mut figures = Figures::default();
    let mut ok = true;
    for scene in scenes.all() {
        let mesh = Mesh {
            positions: scene.frames[0].clone(),
            topology: scene.topology.clone(),
        };
        let (mut ply, mut obj) = (Vec::new(), Vec::new());
        let memory = std::path::Path::new("memory");
        let refused = |error| CliError::write(memory, error);
        jostle::io::write_ply(&mesh, &mut ply).map_err(refused)?;
        jostle::io::write_obj(&mesh, &mut obj).map_err(refused)?;
        ok &= jostle::io::ply::parse(&ply).is_ok_and(|read| read == mesh);
        ok &= jostle::io::obj::parse(&obj).is_ok_and(|read| read == mesh);
        let name = scene.kind.name();
        figures.add(format!("{name}_ply_bytes"), ply.len());
        figures.add(format!("{name}_obj_bytes"), obj.len());
    }
    Ok(Capability {
        name: "PLY and OBJ files are read back to the bit",
        ok,
        figures,
    })
}

/// The narrow phases by name, for figures.
pub(super) fn method_key(method: NarrowPhase, what: &str) -> String {
    format!("{method}_{what}")
}
