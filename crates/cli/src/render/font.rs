//! A stroke font of the few characters that a legend needs.

use super::{Canvas, Rgb};

/// Points of a stroke: x to the right, y up, the base line at 0, capitals 6 high.
type Stroke = &'static [[f32; 2]];

/// Width and strokes of a character; corners within a stroke are rounded, those between strokes
/// are sharp.
#[allow(clippy::too_many_lines, reason = "a table")]
fn glyph(c: char) -> (f32, &'static [Stroke]) {
    match c {
        'a' => (3.0, &[BOWL, &[[3.0, 4.0], [3.0, 0.0]]]),
        'c' => (
            2.9,
            &[&[
                [2.9, 3.2],
                [2.2, 4.0],
                [0.8, 4.0],
                [0.0, 3.0],
                [0.0, 1.0],
                [0.8, 0.0],
                [2.2, 0.0],
                [2.9, 0.8],
            ]],
        ),
        'e' => (
            3.0,
            &[
                &[[0.0, 2.1], [3.0, 2.1]],
                &[
                    [3.0, 2.1],
                    [3.0, 3.2],
                    [2.2, 4.0],
                    [0.8, 4.0],
                    [0.0, 3.0],
                    [0.0, 1.0],
                    [0.8, 0.0],
                    [2.2, 0.0],
                    [2.9, 0.7],
                ],
            ],
        ),
        'f' => (
            2.1,
            &[
                &[[2.1, 6.0], [1.2, 6.1], [0.8, 5.2], [0.8, 0.0]],
                &[[0.0, 4.0], [2.0, 4.0]],
            ],
        ),
        'i' => (0.0, &[STEM, &[[0.0, 5.7], [0.0, 5.75]]]),
        'm' => (
            4.6,
            &[
                STEM,
                &[
                    [0.0, 2.6],
                    [0.5, 3.8],
                    [1.5, 4.2],
                    [2.3, 3.6],
                    [2.3, 2.4],
                    [2.3, 0.0],
                ],
                &[
                    [2.3, 2.6],
                    [2.8, 3.8],
                    [3.8, 4.2],
                    [4.6, 3.6],
                    [4.6, 2.4],
                    [4.6, 0.0],
                ],
            ],
        ),
        'n' => (
            2.8,
            &[
                STEM,
                &[
                    [0.0, 2.4],
                    [0.6, 3.7],
                    [1.8, 4.2],
                    [2.8, 3.6],
                    [2.8, 2.4],
                    [2.8, 0.0],
                ],
            ],
        ),
        'o' => (3.0, &[BOWL]),
        'p' => (3.0, &[BOWL, &[[0.0, 4.0], [0.0, -2.0]]]),
        'r' => (
            1.9,
            &[STEM, &[[0.0, 2.2], [0.5, 3.7], [1.3, 4.1], [1.9, 4.0]]],
        ),
        's' => (
            2.6,
            &[&[
                [2.5, 3.3],
                [1.9, 4.0],
                [0.6, 4.0],
                [0.0, 3.2],
                [0.3, 2.3],
                [1.3, 2.0],
                [2.4, 1.7],
                [2.6, 0.7],
                [2.0, 0.0],
                [0.6, 0.0],
                [0.0, 0.7],
            ]],
        ),
        't' => (
            2.0,
            &[
                &[[0.8, 5.4], [0.8, 0.9], [1.1, 0.0], [2.0, 0.1]],
                &[[0.0, 4.0], [1.9, 4.0]],
            ],
        ),
        '0' => (3.4, &[ZERO]),
        '1' => (2.0, &[&[[0.2, 4.8], [1.7, 6.0]], &[[1.7, 6.0], [1.7, 0.0]]]),
        '2' => (
            3.4,
            &[
                &[
                    [0.1, 4.5],
                    [0.4, 5.7],
                    [1.7, 6.2],
                    [3.1, 5.6],
                    [3.2, 4.2],
                    [2.4, 2.9],
                    [0.0, 0.0],
                ],
                &[[0.0, 0.0], [3.4, 0.0]],
            ],
        ),
        '3' => (
            3.4,
            &[
                &[
                    [0.2, 5.0],
                    [0.8, 6.0],
                    [2.4, 6.1],
                    [3.2, 5.2],
                    [3.0, 3.7],
                    [2.0, 3.2],
                    [1.2, 3.2],
                ],
                &[
                    [1.2, 3.2],
                    [2.4, 3.2],
                    [3.4, 2.5],
                    [3.4, 0.9],
                    [2.6, 0.0],
                    [0.8, 0.0],
                    [0.0, 1.0],
                ],
            ],
        ),
        '4' => (
            3.4,
            &[
                &[[2.5, 0.0], [2.5, 6.0]],
                &[[2.5, 6.0], [0.0, 1.8]],
                &[[0.0, 1.8], [3.4, 1.8]],
            ],
        ),
        '5' => (
            3.4,
            &[
                &[[3.1, 6.0], [0.5, 6.0]],
                &[[0.5, 6.0], [0.3, 3.2]],
                &[
                    [0.3, 3.2],
                    [1.2, 3.9],
                    [2.6, 3.9],
                    [3.4, 2.9],
                    [3.4, 1.0],
                    [2.5, 0.0],
                    [0.9, 0.0],
                    [0.0, 0.9],
                ],
            ],
        ),
        '6' => (3.4, &[SIX]),
        '7' => (3.4, &[&[[0.0, 6.0], [3.4, 6.0]], &[[3.4, 6.0], [1.2, 0.0]]]),
        '8' => (
            3.4,
            &[
                &[
                    [1.7, 3.2],
                    [2.8, 3.2],
                    [3.2, 4.6],
                    [2.7, 6.1],
                    [0.7, 6.1],
                    [0.2, 4.6],
                    [0.6, 3.2],
                    [1.7, 3.2],
                ],
                &[
                    [1.7, 3.2],
                    [3.1, 3.2],
                    [3.6, 1.6],
                    [2.9, 0.0],
                    [0.5, 0.0],
                    [-0.2, 1.6],
                    [0.3, 3.2],
                    [1.7, 3.2],
                ],
            ],
        ),
        '9' => (3.4, &[NINE]),
        '.' => (0.2, &[&[[0.1, 0.0], [0.1, 0.05]]]),
        '=' => (2.6, &[&[[0.0, 3.6], [2.6, 3.6]], &[[0.0, 2.0], [2.6, 2.0]]]),
        _ => (1.0, &[]),
    }
}

const STEM: Stroke = &[[0.0, 4.0], [0.0, 0.0]];
const BOWL: Stroke = &[
    [3.0, 2.0],
    [3.0, 3.1],
    [2.2, 4.0],
    [0.8, 4.0],
    [0.0, 3.1],
    [0.0, 0.9],
    [0.8, 0.0],
    [2.2, 0.0],
    [3.0, 0.9],
    [3.0, 2.0],
];
const ZERO: Stroke = &[
    [3.4, 3.0],
    [3.4, 4.8],
    [2.6, 6.0],
    [0.8, 6.0],
    [0.0, 4.8],
    [0.0, 1.2],
    [0.8, 0.0],
    [2.6, 0.0],
    [3.4, 1.2],
    [3.4, 3.0],
];
const SIX: Stroke = &[
    [3.0, 5.4],
    [2.2, 6.1],
    [1.0, 6.0],
    [0.0, 4.4],
    [0.0, 1.4],
    [0.7, 0.0],
    [2.6, 0.0],
    [3.4, 1.0],
    [3.4, 2.6],
    [2.6, 3.6],
    [1.0, 3.6],
    [0.1, 2.2],
];
const NINE: Stroke = &[
    [0.4, 0.6],
    [1.2, -0.1],
    [2.4, 0.0],
    [3.4, 1.6],
    [3.4, 4.6],
    [2.7, 6.0],
    [0.8, 6.0],
    [0.0, 5.0],
    [0.0, 3.4],
    [0.8, 2.4],
    [2.4, 2.4],
    [3.3, 3.8],
];

/// Cuts the corners of a stroke (Chaikin); the ends stay.
fn rounded(points: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let closed = points.len() > 2 && points.first() == points.last();
    let mut cut = Vec::with_capacity(points.len() * 2);
    let between =
        |a: [f32; 2], b: [f32; 2], s: f32| [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s];
    for pair in points.windows(2) {
        cut.push(between(pair[0], pair[1], 0.25));
        cut.push(between(pair[0], pair[1], 0.75));
    }
    if closed {
        cut.extend(cut.first().copied());
    } else if let (Some(first), Some(last)) = (points.first(), points.last()) {
        cut.insert(0, *first);
        cut.push(*last);
    }
    cut
}

/// Width of a text whose capitals are `size` pixels high.
pub(super) fn text_width(text: &str, size: f32) -> f32 {
    let units: f32 = text.chars().map(|c| glyph(c).0 + SPACING).sum();
    (units - SPACING).max(0.0) * size / 6.0
}

/// Between two characters, in the units of the strokes.
const SPACING: f32 = 1.5;

/// Writes a text with its base line starting at a point.
pub(super) fn write_text(canvas: &mut Canvas, text: &str, at: [f32; 2], size: f32, colour: Rgb) {
    let scale = size / 6.0;
    let mut x = at[0];
    for c in text.chars() {
        let (width, strokes) = glyph(c);
        for stroke in strokes {
            let points = rounded(&rounded(stroke));
            for pair in points.windows(2) {
                let place = |p: [f32; 2]| [x + p[0] * scale, at[1] - p[1] * scale];
                canvas.line(place(pair[0]), place(pair[1]), size * 0.125, colour);
            }
        }
        x += (width + SPACING) * scale;
    }
}
