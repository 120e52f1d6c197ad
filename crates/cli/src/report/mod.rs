//! Self-contained HTML reports: pictures and plots are embedded, nothing is fetched.

mod figures;
mod page;
mod plots;

pub(crate) use figures::{Capability, Figures, Row, grouped};
pub(crate) use page::{Page, Section, figure_cells, png_image};
pub(crate) use plots::{Axes, Bar, Curve, Part, bar_plot, line_plot};
