//! Plots as SVG text.

use std::error::Error;

use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;

use crate::error::CliError;

const INK: RGBColor = RGBColor(52, 60, 70);
const GRID: RGBColor = RGBColor(226, 231, 238);
/// Curves of more points are drawn without a dot for each.
const DOTS: usize = 40;
const FONT: &str = "system-ui, sans-serif";

/// A named share of the bars, by colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Its name in the legend.
    pub name: &'static str,
    /// Red, green, blue.
    pub colour: [u8; 3],
}

/// A bar of parts laid end to end.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// What stands beside it.
    pub label: String,
    /// A length for each part.
    pub parts: Vec<f64>,
}

/// What the axes of a plot of lines mean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    /// Along the bottom.
    pub x: &'static str,
    /// Along the side.
    pub y: &'static str,
    /// Whether both are logarithmic; otherwise both are linear and y starts at 0.
    pub logarithmic: bool,
}

impl Axes {
    /// Time over size.
    pub(crate) const SCALING: Self = Self {
        x: "boxes (vertices, edges and faces)",
        y: "milliseconds",
        logarithmic: true,
    };
}

/// A line of a plot.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Red, green, blue.
    pub colour: [u8; 3],
    /// Whether it is a guide, drawn dashed and without points.
    pub guide: bool,
    /// x and y, x growing; both above zero where axes are logarithmic.
    pub points: Vec<(f64, f64)>,
}

fn colour([r, g, b]: [u8; 3]) -> RGBColor {
    RGBColor(r, g, b)
}

fn failed(error: &dyn Error) -> CliError {
    CliError::Draw(format!("a plot: {error}"))
}

/// Horizontal bars made of parts.
pub(crate) fn bar_plot(parts: &[Part], bars: &[Bar], unit: &str) -> Result<String, CliError> {
    let mut svg = String::new();
    draw_bars(&mut svg, parts, bars, unit).map_err(|error| failed(error.as_ref()))?;
    Ok(svg)
}

fn draw_bars(
    svg: &mut String,
    parts: &[Part],
    bars: &[Bar],
    unit: &str,
) -> Result<(), Box<dyn Error>> {
    const ROW: i32 = 34;
    const LEFT: i32 = 250;
    const RIGHT: i32 = 800;
    let bottom = 44 + ROW * bars.len() as i32;
    let root = SVGBackend::with_string(svg, (900, bottom as u32 + 40)).into_drawing_area();
    let style = |size: i32| (FONT, size).into_font().color(&INK);
    let longest = bars.iter().map(|bar| bar.parts.iter().sum::<f64>());
    let longest = longest.fold(0.0, f64::max).max(1e-9);
    let place = |value: f64| LEFT + (f64::from(RIGHT - LEFT) * value / longest) as i32;

    let mut x = LEFT;
    for part in parts {
        let swatch = [(x, 12), (x + 14, 26)];
        root.draw(&Rectangle::new(swatch, colour(part.colour).filled()))?;
        root.draw(&Text::new(part.name, (x + 20, 12), style(15)))?;
        x += 40 + 8 * part.name.len() as i32;
    }
    for tick in ticks(longest) {
        let x = place(tick);
        root.draw(&PathElement::new(vec![(x, 40), (x, bottom)], GRID))?;
        let text = format!("{tick} {unit}");
        let half = 4 * text.len() as i32;
        root.draw(&Text::new(text, (x - half, bottom + 8), style(14)))?;
    }
    for (i, bar) in bars.iter().enumerate() {
        let top = 46 + ROW * i as i32;
        root.draw(&Text::new(bar.label.clone(), (8, top + 4), style(15)))?;
        let mut from = 0.0;
        for (part, length) in parts.iter().zip(&bar.parts) {
            let corners = [(place(from), top), (place(from + length), top + ROW - 10)];
            root.draw(&Rectangle::new(corners, colour(part.colour).filled()))?;
            from += length;
        }
        let text = format!("{from:.1}");
        root.draw(&Text::new(text, (place(from) + 6, top + 4), style(14)))?;
    }
    root.present()?;
    Ok(())
}

/// A handful of round values up to `longest`, starting with 0.
fn ticks(longest: f64) -> Vec<f64> {
    let rough = longest / 4.0;
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough);
    let count = (longest / step).floor() as usize;
    // Divided rather than multiplied by a fraction: 3 / 10 prints shorter than 3 · 0.1.
    let inverse = (1.0 / step).round();
    let value = |i: usize| {
        if step < 1.0 {
            i as f64 / inverse
        } else {
            i as f64 * step
        }
    };
    (0..=count).map(value).collect()
}

/// Lines over axes.
pub(crate) fn line_plot(axes: &Axes, curves: &[Curve]) -> Result<String, CliError> {
    let mut svg = String::new();
    draw_lines(&mut svg, axes, curves).map_err(|error| failed(error.as_ref()))?;
    Ok(svg)
}

fn draw_lines(svg: &mut String, axes: &Axes, curves: &[Curve]) -> Result<(), Box<dyn Error>> {
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let extent = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)))
    };
    if points().next().is_none() {
        return Ok(());
    }
    let (x_low, x_high) = extent(&mut points().map(|p| p.0));
    let (y_low, y_high) = extent(&mut points().map(|p| p.1));
    let root = SVGBackend::with_string(svg, (900, 460)).into_drawing_area();
    let mut builder = ChartBuilder::on(&root);
    builder
        .margin(12)
        .x_label_area_size(52)
        .y_label_area_size(72);
    if axes.logarithmic {
        let x = (x_low / 1.4..x_high * 1.4).log_scale();
        let y = (y_low / 1.4..y_high * 1.4).log_scale();
        draw_curves(&mut builder.build_cartesian_2d(x, y)?, axes, curves)?;
    } else {
        let (x, y) = (
            x_low..x_high.max(x_low + 1e-9),
            0.0..(y_high * 1.15).max(1e-9),
        );
        draw_curves(&mut builder.build_cartesian_2d(x, y)?, axes, curves)?;
    }
    root.present()?;
    Ok(())
}

/// The mesh, the lines and the legend of a chart with any scale.
fn draw_curves<'a, X, Y>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
    axes: &Axes,
    curves: &[Curve],
) -> Result<(), Box<dyn Error>>
where
    X: 'a + Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: 'a + Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let style = |size: i32| (FONT, size).into_font().color(&INK);
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(GRID.mix(0.35))
        .axis_style(INK)
        .label_style(style(15))
        .axis_desc_style(style(16))
        .x_desc(axes.x)
        .y_desc(axes.y)
        .x_label_formatter(&|x| round_number(*x))
        .y_label_formatter(&|y| round_number(*y))
        .draw()?;
    for curve in curves {
        let ink = colour(curve.colour);
        let stroke = ink.stroke_width(if curve.guide { 2 } else { 3 });
        let line = curve.points.iter().copied();
        let series = if curve.guide {
            chart.draw_series(DashedLineSeries::new(line, 7, 6, stroke))?
        } else {
            chart.draw_series(LineSeries::new(line, stroke))?
        };
        series
            .label(curve.name.clone())
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 22, y)], stroke));
        // Dots mark what was measured; where points lie dense they are the line.
        if !curve.guide && curve.points.len() <= DOTS {
            let dots = curve
                .points
                .iter()
                .map(|&p| Circle::new(p, 4, ink.filled()));
            chart.draw_series(dots)?;
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .margin(14)
        .legend_area_size(30)
        .label_font(style(15))
        .background_style(WHITE.mix(0.9))
        .border_style(GRID)
        .draw()?;
    Ok(())
}

/// 0.1, 10, 1k, 1M.
fn round_number(x: f64) -> String {
    for (size, unit) in [(1e6, "M"), (1e3, "k")] {
        if x >= size * 0.999 {
            return format!("{:.0}{unit}", x / size);
        }
    }
    format!("{x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(1.0), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(37.0), [0.0, 10.0, 20.0, 30.0]);
        assert!(ticks(0.003).len() <= 6);
    }

    #[test]
    fn plots_are_svg() {
        let parts = [Part {
            name: "broad",
            colour: [1, 2, 3],
        }];
        let bars = [Bar {
            label: "h8".into(),
            parts: vec![2.5],
        }];
        assert!(bar_plot(&parts, &bars, "ms").unwrap().contains("</svg>"));
        let curve = Curve {
            name: "h8".into(),
            colour: [1, 2, 3],
            guide: false,
            points: vec![(1e4, 3.0), (1e5, 30.0)],
        };
        for logarithmic in [true, false] {
            let axes = Axes {
                logarithmic,
                ..Axes::SCALING
            };
            let plot = line_plot(&axes, std::slice::from_ref(&curve));
            assert!(plot.unwrap().contains("</svg>"));
            assert_eq!(line_plot(&axes, &[]).unwrap(), "");
        }
    }
}
