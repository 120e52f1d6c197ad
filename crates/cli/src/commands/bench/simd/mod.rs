//! `jostle bench simd`: every kernel at every level, against an early-out loop over an array of structs
//! and against what the compiler vectorises by itself.
//!
//! All ways to answer a question give their answers first, which must agree; then they are timed
//! in turn, so that a slow moment of the machine hits all of them, and the median of each counts.
//! Questions change from call to call and pairs between repeats, because a branch predictor learns the
//! outcomes of a hundred thousand tests that come again and again, which real ones do not. A few tests in
//! a hundred hit. One thread.

mod boxes;
mod case;
mod cuts;
mod roof;
mod triangles;

use std::process::ExitCode;
use std::time::Instant;

use jostle::simd::SimdLevel;
use maud::{PreEscaped, html};

use self::case::{Kernel, Measured, Way};
use self::roof::{Bound, Roof};
use super::{finish_with, row_table, short_count};
use crate::args::BenchConfig;
use crate::error::CliError;
use crate::output::Table;
use crate::progress::Progress;
use crate::report::{Axes, Curve, Figures, Page, Row, Section, line_plot};

/// Time over size.
const TIME: Axes = Axes {
    x: "elements",
    y: "nanoseconds a test",
    logarithmic: true,
};

/// Loads over size.
const LOADS: Axes = Axes {
    x: "working set in bytes",
    y: "GB/s loaded",
    logarithmic: true,
};

/// Lists of kernels, in the order of the report.
const KERNELS: [&[Kernel]; 3] = [boxes::KERNELS, cuts::KERNELS, triangles::KERNELS];

pub(super) fn run(config: &BenchConfig) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let (sizes, repeats, largest): (&[usize], usize, usize) = if config.quick {
        (&[1_000, 10_000], 3, 1 << 20)
    } else {
        (&[1_000, 10_000, 100_000, 1_000_000], 101, 128 << 20)
    };
    let kernels: Vec<&Kernel> = KERNELS.into_iter().flatten().collect();
    let levels = levels(config);
    let mut progress = Progress::new(levels.len() + kernels.len());
    let mut bench = Bench {
        roofs: Vec::new(),
        rows: Vec::new(),
        table: Table::new(&[
            "kernel", "elements", "method", "ns/test", "x scalar", "hits", "bytes", "roof ns",
            "bound", "share",
        ])
        .left(2)
        .left(8),
    };
    for &level in &levels {
        progress.message(format!("roof of {level}"));
        if level != SimdLevel::Scalar {
            let roof = Roof::measure(level, largest, if config.quick { 2 } else { 9 })?;
            bench.add_roof(roof);
        }
        progress.next_part();
    }
    let mut ways = vec![Way::Aos, Way::Soa];
    for &level in &levels {
        ways.push(Way::Level(level, level.token()?));
    }
    let mut plots = Vec::new();
    for kernel in kernels {
        let mut curves = Curves::new(kernel);
        for &elements in sizes {
            progress.message(format!("{}-{}", kernel.name, short_count(elements)));
            let measured = case::measure(kernel, elements, config.seed, &ways, repeats)?;
            bench.add(kernel, elements, &measured, &mut curves);
        }
        plots.push(curves);
        progress.next_part();
    }
    progress.finish();

    let text = format!("{}\n{}", bench.roof_table(), bench.table);
    let mut sections = vec![Section {
        title: "What the machine loads, by level".into(),
        body: html! {
            div.scroll { (PreEscaped(line_plot(&LOADS, &bench.load_curves())?)) }
        },
    }];
    for plot in &plots {
        sections.push(Section {
            title: plot.title.clone(),
            body: html! { div.scroll { (PreEscaped(line_plot(&TIME, &plot.curves)?)) } },
        });
    }
    sections.push(Section {
        title: "All rows".into(),
        body: row_table(&bench.rows),
    });
    let page = Page {
        title: "Jostle bench: kernels",
        summary: format!(
            "medians of up to {repeats} interleaved repeats, generated data, seed {}, one thread, \
             all levels compared",
            config.seed
        ),
        common: &config.common,
        sections,
    };
    finish_with(config, start, "simd", repeats, bench.rows, &text, &page)
}

/// The levels up to the one asked for.
fn levels(config: &BenchConfig) -> Vec<SimdLevel> {
    let mut levels = SimdLevel::available();
    let asked = config.common.simd;
    let end = levels.iter().position(|level| *level == asked);
    levels.truncate(end.map_or(levels.len(), |end| end + 1));
    levels
}

/// What the suite has found so far.
struct Bench {
    roofs: Vec<Roof>,
    rows: Vec<Row>,
    table: Table,
}

/// The times of a kernel over size.
struct Curves {
    title: String,
    curves: Vec<Curve>,
}

impl Curves {
    fn new(kernel: &Kernel) -> Self {
        Self {
            title: format!("{}: nanoseconds a test", kernel.name),
            curves: Vec::new(),
        }
    }

    fn add(&mut self, name: &str, guide: bool, point: (f64, f64)) {
        match self.curves.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push(point),
            None => self.curves.push(Curve {
                name: name.to_owned(),
                colour: colour(name),
                guide,
                points: vec![point],
            }),
        }
    }
}

fn colour(name: &str) -> [u8; 3] {
    match name {
        "scalar" => [222, 52, 38],
        "auto-vectorised" => [246, 150, 60],
        "twin" => [150, 130, 120],
        "sse2" => [130, 88, 172],
        "avx2" | "neon" | "wasm128" => [38, 132, 168],
        "avx512" => [84, 160, 72],
        _ => [120, 130, 142],
    }
}

impl Bench {
    fn add_roof(&mut self, roof: Roof) {
        for &(bytes, rate) in &roof.load {
            self.rows.push(Row {
                work: format!("roof-load-{}k", bytes >> 10),
                method: roof.level.name().to_owned(),
                ms: bytes as f64 / rate / 1e6,
                figures: Figures::default()
                    .with("gb_per_s", rate)
                    .with("working_set_bytes", bytes),
            });
        }
        for (work, rate) in [
            ("roof-compare", roof.compares),
            ("roof-arithmetic", roof.arithmetic),
        ] {
            self.rows.push(Row {
                work: work.to_owned(),
                method: roof.level.name().to_owned(),
                // Of a million operations.
                ms: 1.0 / rate,
                figures: Figures::default().with("operations_per_ns", rate),
            });
        }
        self.roofs.push(roof);
    }

    fn roof(&self, way: Way) -> Option<&Roof> {
        let level = match way {
            // What the compiler may use unasked.
            Way::Soa => return self.roofs.first(),
            Way::Aos => return None,
            Way::Level(level, _) => level,
        };
        self.roofs.iter().find(|roof| roof.level == level)
    }

    fn add(&mut self, kernel: &Kernel, elements: usize, measured: &Measured, curves: &mut Curves) {
        let tests = measured.tests.max(1) as f64;
        let scalar = measured.timings.iter().find(|t| matches!(t.way, Way::Aos));
        let scalar = scalar.map(|timing| timing.ns);
        let working_set = kernel.element * elements;
        let mut best = None;
        for timing in &measured.timings {
            let ns = timing.ns / tests;
            let bound = self
                .roof(timing.way)
                .map(|roof| roof.bound(&kernel.demand, working_set));
            let speedup = scalar.map(|scalar| scalar / timing.ns);
            let x = elements as f64;
            curves.add(timing.way.name(), false, (x, ns));
            best = bound.map_or(best, |(roof, _)| Some(roof));
            self.table.row([
                kernel.name.to_owned(),
                short_count(elements),
                timing.way.name().to_owned(),
                format!("{ns:.3}"),
                speedup.map_or(String::new(), |x| format!("{x:.2}")),
                format!("{:.1}%", 100.0 * measured.hits),
                format!("{:.1}", kernel.demand.bytes),
                bound.map_or(String::new(), |(roof, _)| format!("{roof:.3}")),
                bound.map_or(String::new(), |(_, bound)| bound.name().to_owned()),
                bound.map_or(String::new(), |(roof, _)| {
                    format!("{:.0}%", 100.0 * roof / ns)
                }),
            ]);
            self.rows.push(Row {
                work: format!("{}-{}", kernel.name, short_count(elements)),
                method: timing.way.name().to_owned(),
                ms: timing.ns / 1e6,
                figures: figures(kernel, measured, timing.ns, bound)
                    .with("speedup", speedup)
                    .with("working_set_bytes", working_set),
            });
        }
        if let Some(roof) = best {
            curves.add("roof of the best level", true, (elements as f64, roof));
        }
    }

    fn roof_table(&self) -> Table {
        let mut heading = vec!["roof".to_owned()];
        let loads = self.roofs.first().map(|roof| &roof.load);
        let bytes = loads.into_iter().flatten().map(|(bytes, _)| *bytes);
        heading.extend(bytes.map(|bytes| match bytes >> 20 {
            0 => format!("{} KiB", bytes >> 10),
            mib => format!("{mib} MiB"),
        }));
        heading.extend(["compares/ns".to_owned(), "add, mul/ns".to_owned()]);
        let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
        let mut table = Table::new(&heading);
        for roof in &self.roofs {
            let mut row = vec![format!("{}, GB/s", roof.level)];
            row.extend(roof.load.iter().map(|(_, rate)| format!("{rate:.0}")));
            row.extend([roof.compares, roof.arithmetic].map(|rate| format!("{rate:.0}")));
            table.row(row);
        }
        table
    }

    fn load_curves(&self) -> Vec<Curve> {
        let curve = |roof: &Roof| Curve {
            name: roof.level.name().to_owned(),
            colour: colour(roof.level.name()),
            guide: false,
            points: roof
                .load
                .iter()
                .map(|&(b, rate)| (b as f64, rate))
                .collect(),
        };
        self.roofs.iter().map(curve).collect()
    }
}

fn figures(kernel: &Kernel, measured: &Measured, ns: f64, bound: Option<(f64, Bound)>) -> Figures {
    let ns_per_test = ns / measured.tests.max(1) as f64;
    let bound_name = bound.map_or("none", |(_, bound)| bound.name());
    Figures::default()
        .with("tests", measured.tests)
        .with("ns_per_test", ns_per_test)
        .with("hit_share", measured.hits)
        .with("bytes_per_test", kernel.demand.bytes)
        .with("gb_per_s", kernel.demand.bytes / ns_per_test)
        .with("roof_ns_per_test", bound.map(|(roof, _)| roof))
        .with("roof_share", bound.map(|(roof, _)| roof / ns_per_test))
        .with("bound", bound_name.to_owned())
        .with("repeats", measured.repeats)
}
