//! The colour scale on a picture.

use super::font::{text_width, write_text};
use super::{Canvas, Rgb, by_time};

const INK: Rgb = Rgb::bytes([52, 60, 70]);

/// Writes text with its base line through the middle below a point, pixels from the upper left corner.
pub(crate) fn draw_label(canvas: &mut Canvas, text: &str, [x, y]: [f32; 2]) {
    let size = canvas.height as f32 / 46.0;
    let left = x - text_width(text, size) / 2.0;
    write_text(canvas, text, [left, y + 1.6 * size], size, INK);
}

/// Draws the colour scale into the lower left corner: the times from 0 to 1, the first impact
/// marked, and the colour of what is not hit.
pub(crate) fn draw_legend(canvas: &mut Canvas, first: Option<f64>, untouched: Rgb) {
    let unit = canvas.height as f32 / 100.0;
    let size = 1.9 * unit;
    let (left, bar_width, bar_height) = (4.5 * unit, 38.0 * unit, 2.0 * unit);
    let bar_top = canvas.height as f32 - 9.0 * unit;

    write_text(
        canvas,
        "time of impact",
        [left, bar_top - 1.6 * unit],
        size,
        INK,
    );
    for x in 0..bar_width as usize {
        let colour = by_time(x as f64 / f64::from(bar_width));
        for y in 0..bar_height as usize {
            canvas.blend(
                left as i64 + x as i64,
                bar_top as i64 + y as i64,
                colour,
                1.0,
            );
        }
    }
    let below = bar_top + bar_height;
    for tick in ["0", "0.25", "0.5", "0.75", "1"] {
        let share: f32 = tick.parse().unwrap_or(0.0);
        let x = left + share * bar_width;
        canvas.line(
            [x, below + 0.4 * unit],
            [x, below + 1.1 * unit],
            0.2 * unit,
            INK,
        );
        let at = [x - text_width(tick, size) / 2.0, below + 2.2 * unit + size];
        write_text(canvas, tick, at, size, INK);
    }
    if let Some(first) = first {
        let x = left + first as f32 * bar_width;
        canvas.line(
            [x, bar_top - 0.6 * unit],
            [x, below + 0.4 * unit],
            0.35 * unit,
            INK,
        );
        let text = format!("first t = {first:.4}");
        let at = left + bar_width - text_width(&text, size);
        write_text(canvas, &text, [at, bar_top - 1.6 * unit], size, INK);
    }
    let swatch = left + bar_width + 5.0 * unit;
    for x in 0..(3.0 * unit) as i64 {
        for y in 0..bar_height as i64 {
            canvas.blend(swatch as i64 + x, bar_top as i64 + y, untouched, 1.0);
        }
    }
    let at = [swatch + 4.2 * unit, below - 0.15 * unit];
    write_text(canvas, "no impact", at, size, INK);
}
