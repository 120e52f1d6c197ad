//! `jostle ccd`: the time of impact of each step between consecutive frames.

use std::process::ExitCode;
use std::time::Instant;

use jostle::ccd::step::{self, Candidates, Hit, Observer, StepOptions, StepReport};
use jostle::geom::{MovingMesh, PairKind, Topology};
use serde::Serialize;

use crate::args::CcdConfig;
use crate::error::CliError;
use crate::input::Frames;
use crate::machine::Memory;
use crate::output::{self, AtomicFile, Header, Table, milliseconds};
use crate::progress::Progress;

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    header: Header,
    vertices: usize,
    edges: usize,
    faces: usize,
    broad_phase: &'static str,
    narrow_phase: &'static str,
    rss_after_load_bytes: Option<u64>,
    steps: Vec<StepOutput>,
}

#[derive(Debug, Serialize)]
struct StepOutput {
    from: String,
    to: String,
    toi: Option<f64>,
    undecided: bool,
    pair: Option<PairOutput>,
    candidates: Counts,
    batches: BatchOutput,
    /// With `--all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    hits: Option<Counts>,
    counters: CounterOutput,
    time_ms: TimeOutput,
    rss_after_load_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
struct PairOutput {
    kind: &'static str,
    a: u32,
    b: u32,
}

#[derive(Debug, Default, Serialize)]
struct Counts {
    vf: u64,
    ee: u64,
}

#[derive(Debug, Serialize)]
struct BatchOutput {
    broad: u64,
    narrow: u64,
}

#[derive(Debug, Serialize)]
struct CounterOutput {
    iterations: u64,
    double_double: u64,
    exact: u64,
}

#[derive(Debug, Serialize)]
struct TimeOutput {
    load: f64,
    boxes: f64,
    broad: f64,
    narrow: f64,
    /// Boxes, broad and narrow phase and what lies between them.
    step: f64,
    /// `load` and `step` together.
    total: f64,
}

pub(super) fn run(config: &CcdConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let mut files = OutputFiles::create(config)?;
    let mut progress = Progress::new(config.frames.len().saturating_sub(1));
    progress.message("reading");
    let mut loading = Instant::now();
    let mut frames = Frames::open(&config.frames)?;
    let mut steps = Vec::with_capacity(frames.step_count());
    for index in 0..frames.step_count() {
        if index > 0 {
            loading = Instant::now();
            frames.advance()?;
        }
        let mesh = frames.motion()?;
        let load_ms = loading.elapsed().as_secs_f64() * 1e3;
        let resident = Memory::now().resident;
        progress.message(format!("step {} of {}", index + 1, frames.step_count()));

        let named = |error| CliError::Step {
            step: format!("step {index}"),
            error,
        };
        let solved = Solved::new(&mesh, &config.options, config.all, &progress).map_err(named)?;
        files.put_hits(index, mesh.topology(), solved.hits.as_deref())?;
        if files.pairs.is_some() {
            let mut pairs = step::candidates(&mesh, &config.options, &()).map_err(named)?;
            pairs.sort();
            files.put_pairs(index, mesh.topology(), &pairs)?;
        }
        let paths = frames.step_paths().map(|path| path.display().to_string());
        steps.push(solved.output(paths, mesh.topology(), load_ms, resident));
        progress.next_part();
    }
    progress.finish();
    files.commit()?;

    let topology = frames.topology();
    let result = Output {
        header: Header::new("ccd", start, &config.common),
        vertices: topology.vertex_count(),
        edges: topology.edges().len(),
        faces: topology.faces().len(),
        broad_phase: config.options.broad_phase.name(),
        narrow_phase: config.options.narrow_phase.name(),
        rss_after_load_bytes: steps.first().and_then(|step| step.rss_after_load_bytes),
        steps,
    };
    if config.common.json {
        output::print_json(&result)?;
    } else {
        output::print(&readable(&result))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A step's report, with its hits when all were asked for.
struct Solved {
    report: StepReport,
    hits: Option<Vec<Hit>>,
}

impl Solved {
    fn new(
        mesh: &MovingMesh<'_>,
        options: &StepOptions,
        all: bool,
        observer: &dyn Observer,
    ) -> Result<Self, step::StepError> {
        if all {
            let (report, hits) = step::all_impacts(mesh, options, observer)?;
            let hits = Some(hits);
            return Ok(Self { report, hits });
        }
        let report = step::earliest_impact(mesh, options, observer)?;
        Ok(Self { report, hits: None })
    }

    fn output(
        &self,
        [from, to]: [String; 2],
        topology: &Topology,
        load_ms: f64,
        resident: Option<u64>,
    ) -> StepOutput {
        let report = &self.report;
        let times = &report.times;
        let step_ms = milliseconds(times.total_ns);
        StepOutput {
            from,
            to,
            toi: report.first.map(|hit| hit.toi),
            undecided: report.first.is_some_and(|hit| hit.undecided),
            pair: report.first.map(|hit| {
                let [a, b] = topology.pair_box_ids(hit.kind, [hit.a, hit.b]);
                let kind = hit.kind.name();
                PairOutput { kind, a, b }
            }),
            candidates: Counts {
                vf: report.candidates.vf,
                ee: report.candidates.ee,
            },
            batches: BatchOutput {
                broad: report.batches.broad,
                narrow: report.batches.narrow,
            },
            hits: self.hits.as_deref().map(count_by_kind),
            counters: CounterOutput {
                iterations: u64::from(report.counters.iterations),
                double_double: u64::from(report.counters.double_double),
                exact: u64::from(report.counters.exact),
            },
            time_ms: TimeOutput {
                load: load_ms,
                boxes: milliseconds(times.boxes_ns),
                broad: milliseconds(times.broad_ns),
                narrow: milliseconds(times.narrow_ns),
                step: step_ms,
                total: load_ms + step_ms,
            },
            rss_after_load_bytes: resident,
        }
    }
}

fn count_by_kind(hits: &[Hit]) -> Counts {
    let vf = hits
        .iter()
        .filter(|hit| hit.kind == PairKind::VertexFace)
        .count() as u64;
    Counts {
        vf,
        ee: hits.len() as u64 - vf,
    }
}

/// The files of `--pairs-out` and `--hits-out`. They appear when every step is done.
struct OutputFiles {
    pairs: Option<AtomicFile>,
    hits: Option<AtomicFile>,
    several_steps: bool,
}

impl OutputFiles {
    fn create(config: &CcdConfig) -> Result<Self, CliError> {
        let create = |path: &Option<_>| path.as_deref().map(AtomicFile::create).transpose();
        let mut files = Self {
            pairs: create(&config.pairs_out)?,
            hits: create(&config.hits_out)?,
            several_steps: config.frames.len() > 2,
        };
        if let Some(file) = &mut files.hits {
            file.put(b"step,kind,a,b,toi,undecided\n")?;
        }
        Ok(files)
    }

    fn put_hits(
        &mut self,
        step: usize,
        topology: &Topology,
        hits: Option<&[Hit]>,
    ) -> Result<(), CliError> {
        let Some(file) = &mut self.hits else {
            return Ok(());
        };
        for hit in hits.unwrap_or_default() {
            let [a, b] = topology.pair_box_ids(hit.kind, [hit.a, hit.b]);
            let (kind, toi, undecided) = (hit.kind, hit.toi, hit.undecided);
            // `{:?}` is the shortest text that reads back as the same number.
            file.put(format!("{step},{kind},{a},{b},{toi:?},{undecided}\n").as_bytes())?;
        }
        Ok(())
    }

    /// One line a pair. Vertex–face pairs come first: ids of vertices are below those of edges.
    fn put_pairs(
        &mut self,
        step: usize,
        topology: &Topology,
        pairs: &Candidates,
    ) -> Result<(), CliError> {
        let Some(file) = &mut self.pairs else {
            return Ok(());
        };
        if self.several_steps {
            file.put(if step == 0 { b"[\n" } else { b",\n" })?;
        }
        let vf = pairs.vf.iter().map(|&pair| (PairKind::VertexFace, pair));
        let ee = pairs.ee.iter().map(|&pair| (PairKind::EdgeEdge, pair));
        let mut separator = "[\n";
        for (kind, pair) in vf.chain(ee) {
            let [a, b] = topology.pair_box_ids(kind, pair);
            file.put(format!("{separator}[{a},{b}]").as_bytes())?;
            separator = ",\n";
        }
        let empty = separator == "[\n";
        file.put(if empty { b"[]" } else { b"\n]" })
    }

    fn commit(self) -> Result<(), CliError> {
        if let Some(mut file) = self.pairs {
            file.put(if self.several_steps { b"\n]\n" } else { b"\n" })?;
            file.commit()?;
        }
        self.hits.map_or(Ok(()), AtomicFile::commit)
    }
}

fn readable(result: &Output) -> String {
    let mut table = Table::new(&[
        "step",
        "toi",
        "pair",
        "vf",
        "ee",
        "batches",
        "load ms",
        "boxes ms",
        "broad ms",
        "narrow ms",
        "step ms",
    ]);
    for (index, step) in result.steps.iter().enumerate() {
        let toi = step.toi.map_or("none".into(), |toi| {
            format!(
                "{toi:?}{}",
                if step.undecided { " (undecided)" } else { "" }
            )
        });
        let pair = step.pair.as_ref().map_or("-".into(), |pair| {
            format!("{} {} {}", pair.kind, pair.a, pair.b)
        });
        table.row([
            index.to_string(),
            toi,
            pair,
            step.candidates.vf.to_string(),
            step.candidates.ee.to_string(),
            format!("{}/{}", step.batches.broad, step.batches.narrow),
            format!("{:.1}", step.time_ms.load),
            format!("{:.1}", step.time_ms.boxes),
            format!("{:.1}", step.time_ms.broad),
            format!("{:.1}", step.time_ms.narrow),
            format!("{:.1}", step.time_ms.step),
        ]);
    }
    format!(
        "{} vertices, {} edges, {} faces; {} + {}\n{table}",
        result.vertices, result.edges, result.faces, result.broad_phase, result.narrow_phase
    )
}
