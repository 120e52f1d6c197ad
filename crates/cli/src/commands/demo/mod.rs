//! `jostle demo`: a short, checked run of each capability on generated scenes.

mod box_checks;
mod checks;
mod everywhere;
mod field_checks;
mod grain_checks;
mod hard_queries;
mod kernel_checks;
mod pictures;
mod query_checks;
mod samples;
mod timings;

use std::process::ExitCode;
use std::time::Instant;

use jostle::ccd::step::StepOptions;
use jostle::scenes::{ClothBall, Scene, Strands, Tumbling};
use maud::{Markup, PreEscaped, html};
use serde::Serialize;

use crate::args::{Common, DemoConfig};
use crate::error::CliError;
use crate::output::{self, AtomicFile, Header};
use crate::progress::Progress;
use crate::report::{Capability, Page, Section, figure_cells, png_image};

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    header: Header,
    seed: u64,
    capabilities: Vec<Capability>,
    report: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pictures: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    samples: Vec<String>,
}

/// The scenes that answers are checked on: small enough for brute force.
struct Scenes {
    cloth: Scene,
    cloud: Scene,
    strands: Scene,
}

impl Scenes {
    fn build(seed: u64) -> Result<Self, CliError> {
        Ok(Self {
            cloth: ClothBall {
                cells: 48,
                frames: 2,
                seed,
            }
            .build()?,
            cloud: Tumbling {
                boxes: 20_000,
                frames: 2,
                seed,
            }
            .build()?,
            strands: Strands {
                strands: 256,
                frames: 2,
                seed,
            }
            .build()?,
        })
    }

    fn all(&self) -> [&Scene; 3] {
        [&self.cloth, &self.cloud, &self.strands]
    }
}

/// Options of a step at the level asked for.
fn options(common: &Common) -> StepOptions {
    StepOptions {
        simd: common.simd,
        ..StepOptions::default()
    }
}

/// One check.
type Check = fn(&Scenes, &DemoConfig) -> Result<Capability, CliError>;

const CHECKS: [(&str, Check); 14] = [
    ("simd-kernels", kernel_checks::kernels_agree),
    ("boxes", box_checks::methods_agree),
    ("snapshots", box_checks::snapshots),
    ("meshes", box_checks::meshes),
    ("broad phases", checks::broad_phases_agree),
    ("earliest impact", checks::earliest_is_the_minimum),
    ("threads and SIMD", checks::same_everywhere),
    ("memory limit", checks::memory_limit),
    ("minimum separation", checks::min_separation),
    ("collision-free step", checks::collision_free),
    ("edges and points", checks::codimensional),
    ("narrow phases", query_checks::narrow_phases),
    ("hard queries", query_checks::hard_queries),
    ("files", checks::files_round_trip),
];

pub(super) fn run(config: &DemoConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let mut progress = Progress::new(CHECKS.len() + 6);
    progress.message("scenes");
    let scenes = Scenes::build(config.seed)?;

    let mut capabilities = Vec::new();
    for (name, check) in CHECKS {
        progress.message(name);
        capabilities.push(check(&scenes, config)?);
        progress.next_part();
    }
    progress.message("granular-flow");
    let grains = grain_checks::granular_flow(config)?;
    capabilities.push(grains.capability);
    progress.next_part();
    progress.message("field contacts");
    let bodies = field_checks::field_contacts(config)?;
    capabilities.push(bodies.capability);
    progress.next_part();
    progress.message("timings");
    let bars = timings::whole_steps(config)?;
    progress.next_part();
    progress.message("scaling");
    let scaling = timings::scaling(config)?;
    capabilities.push(scaling.capability);
    progress.next_part();
    progress.message("pictures");
    let cloth = pictures::cloth(config)?;
    let cloud = pictures::cloud(config)?;
    progress.next_part();

    progress.message("files");
    if let Some(path) = &config.picture {
        AtomicFile::write_whole(path, &cloth.png)?;
    }
    let mut pictures = Vec::new();
    if let Some(directory) = &config.pictures {
        std::fs::create_dir_all(directory).map_err(|error| CliError::write(directory, error))?;
        for (name, picture) in [
            ("cloth.png", &cloth),
            ("hopper.png", &grains.picture),
            ("bunny-pile.png", &bodies.pile),
            ("colosseum.png", &bodies.colosseum),
        ] {
            let path = directory.join(name);
            AtomicFile::write_whole(&path, &picture.png)?;
            pictures.push(path.display().to_string());
        }
    }
    let samples = match &config.samples {
        Some(directory) => samples::write(directory, config.seed)?,
        None => Vec::new(),
    };
    let ok = capabilities.iter().all(|capability| capability.ok);
    let page = Page {
        title: "Jostle: every capability, checked",
        summary: format!(
            "{} of {} checks held; generated scenes, seed {}",
            capabilities.iter().filter(|c| c.ok).count(),
            capabilities.len(),
            config.seed
        ),
        common: &config.common,
        sections: vec![
            picture_section("Cloth on a ball, coloured by time of impact", &cloth),
            Section {
                title: "Capabilities".into(),
                body: capability_table(&capabilities),
            },
            Section {
                title: "Where the time of a step goes".into(),
                body: plot(&bars.svg, &bars.caption),
            },
            Section {
                title: "Time grows with the boxes and the pairs".into(),
                body: plot(&scaling.svg, &scaling.caption),
            },
            picture_section("Bunnies in a pile", &bodies.pile),
            picture_section("A colosseum of boxes", &bodies.colosseum),
            picture_section("Grains flow through a hopper", &grains.picture),
            picture_section("A cloud of tumbling bodies", &cloud),
        ],
    };
    AtomicFile::write_whole(&config.report, page.render().as_bytes())?;
    progress.finish();

    let result = Output {
        header: Header::new("demo", start, &config.common),
        seed: config.seed,
        capabilities,
        report: config.report.display().to_string(),
        picture: config.picture.as_ref().map(|p| p.display().to_string()),
        pictures,
        samples,
    };
    if config.common.json {
        output::print_json(&result)?;
    } else {
        output::print(&readable(&result))?;
    }
    Ok(ExitCode::from(u8::from(!ok)))
}

fn plot(svg: &str, caption: &str) -> Markup {
    html! {
        figure {
            div.scroll { (PreEscaped(svg)) }
            figcaption { (caption) }
        }
    }
}

fn picture_section(title: &str, picture: &pictures::Picture) -> Section {
    Section {
        title: title.to_owned(),
        body: html! {
            figure {
                (png_image(&picture.png, &picture.caption))
                figcaption { (picture.caption) }
            }
        },
    }
}

fn capability_table(capabilities: &[Capability]) -> Markup {
    html! {
        div.scroll {
            table {
                tr { th { "capability" } th { "check" } th { "figures" } }
                @for capability in capabilities {
                    tr {
                        td { (capability.name) }
                        @if capability.ok {
                            td.held { "held" }
                        } @else {
                            td.failed { "FAILED" }
                        }
                        (figure_cells(&capability.figures))
                    }
                }
            }
        }
    }
}

/// Columns that figures may fill before they go on in the next line.
const LINE: usize = 100;

fn readable(result: &Output) -> String {
    let mut text = String::new();
    for capability in &result.capabilities {
        let check = if capability.ok { "held  " } else { "FAILED" };
        text += &[check, "  ", capability.name, "\n"].concat();
        let mut line = String::new();
        for (name, value) in capability.figures.iter() {
            let figure = format!("{} {value}", name.replace('_', " "));
            if !line.is_empty() && line.len() + figure.len() > LINE {
                text += &["        ", &line, "\n"].concat();
                line.clear();
            }
            if !line.is_empty() {
                line += ", ";
            }
            line += &figure;
        }
        text += &["        ", &line, "\n"].concat();
    }
    let picture = result.picture.iter().chain(&result.pictures);
    let picture = picture.map(|path| ("picture", path));
    let samples = result.samples.iter().map(|path| ("sample", path));
    let report = std::iter::once(("report", &result.report));
    for (what, path) in report.chain(picture).chain(samples) {
        text += &[what, ": ", path, "\n"].concat();
    }
    text
}
