//! The HTML page.

use base64::Engine;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::Figures;
use crate::args::Common;

const STYLE: &str = "
:root { color-scheme: light; }
body { margin: 0; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
       color: #1f2933; background: #eef1f5; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 2rem; margin: 0 0 .25rem; letter-spacing: -.01em; }
h2 { font-size: 1.2rem; margin: 0 0 .5rem; }
.facts { color: #52606d; margin: 0 0 1.5rem; }
section { background: #fff; border-radius: 10px; padding: 1.25rem 1.5rem; margin: 0 0 1.25rem;
          box-shadow: 0 1px 3px rgba(20, 30, 50, .12); }
figure { margin: 0; }
figure img, figure svg { display: block; width: 100%; height: auto; border-radius: 6px; }
figcaption, .note { color: #52606d; font-size: .9rem; margin: .5rem 0 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; color: #52606d; font-weight: 600; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid #e4e8ee; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.held { color: #12805c; font-weight: 600; white-space: nowrap; }
.failed { color: #b3001b; font-weight: 700; white-space: nowrap; }
.figures span { display: inline-block; margin: 0 .9rem .1rem 0; }
.figures b { font-weight: 500; color: #7b8794; }
";

/// One card of a page.
pub(crate) struct Section {
    /// Its heading.
    pub title: String,
    /// What is in it.
    pub body: Markup,
}

/// A whole report.
pub(crate) struct Page<'a> {
    /// Its title.
    pub title: &'a str,
    /// One line below it.
    pub summary: String,
    /// How it was run.
    pub common: &'a Common,
    /// Its cards, in order.
    pub sections: Vec<Section>,
}

impl Page<'_> {
    /// The HTML text.
    pub(crate) fn render(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    main {
                        h1 { (self.title) }
                        p.facts {
                            (self.summary) br;
                            "jostle " (env!("CARGO_PKG_VERSION")) ", "
                            (self.common.threads) " threads, SIMD level " (self.common.simd)
                        }
                        @for section in &self.sections {
                            section {
                                h2 { (section.title) }
                                (section.body)
                            }
                        }
                    }
                }
            }
        };
        page.into_string()
    }
}

/// A PNG as an image that needs no file.
pub(crate) fn png_image(png: &[u8], description: &str) -> Markup {
    let data = base64::engine::general_purpose::STANDARD.encode(png);
    html! { img src=(format!("data:image/png;base64,{data}")) alt=(description); }
}

/// Figures as one cell of a table.
pub(crate) fn figure_cells(figures: &Figures) -> Markup {
    html! {
        td.figures {
            @for (name, value) in figures.iter() {
                span { b { (name.replace('_', " ")) } " " (value) }
            }
        }
    }
}
