//! Pixels, and their way into a PNG.

use super::Rgb;
use crate::error::CliError;

/// A picture in display colours.
#[derive(Clone, Debug)]
pub(crate) struct Canvas {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Row by row from the upper left.
    pub pixels: Vec<Rgb>,
}

impl Canvas {
    /// Averages squares of `factor`² pixels.
    pub(super) fn reduced(&self, factor: usize) -> Self {
        let (width, height) = (self.width / factor, self.height / factor);
        let mut pixels = Vec::with_capacity(width * height);
        let share = 1.0 / (factor * factor) as f32;
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0; 3];
                for dy in 0..factor {
                    for dx in 0..factor {
                        let Rgb(rgb) =
                            self.pixels[(y * factor + dy) * self.width + x * factor + dx];
                        for (total, value) in sum.iter_mut().zip(rgb) {
                            *total += value * share;
                        }
                    }
                }
                pixels.push(Rgb(sum));
            }
        }
        Self {
            width,
            height,
            pixels,
        }
    }

    /// Covers a share of a pixel with a colour; pixels outside do not matter.
    pub(super) fn blend(&mut self, x: i64, y: i64, colour: Rgb, share: f32) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else {
            return;
        };
        if x < self.width && y < self.height {
            let pixel = &mut self.pixels[y * self.width + x];
            *pixel = pixel.mix(colour, share.clamp(0.0, 1.0));
        }
    }

    /// A line with round ends. Pixels from the upper left corner.
    pub(super) fn line(&mut self, from: [f32; 2], to: [f32; 2], width: f32, colour: Rgb) {
        let reach = width / 2.0 + 1.0;
        let low = [from[0].min(to[0]) - reach, from[1].min(to[1]) - reach];
        let high = [from[0].max(to[0]) + reach, from[1].max(to[1]) + reach];
        let along = [to[0] - from[0], to[1] - from[1]];
        let squared = along[0] * along[0] + along[1] * along[1];
        for y in low[1].floor() as i64..=high[1].ceil() as i64 {
            for x in low[0].floor() as i64..=high[0].ceil() as i64 {
                let d = [x as f32 + 0.5 - from[0], y as f32 + 0.5 - from[1]];
                let at = if squared > 0.0 {
                    ((d[0] * along[0] + d[1] * along[1]) / squared).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let gap = [d[0] - at * along[0], d[1] - at * along[1]];
                let distance = (gap[0] * gap[0] + gap[1] * gap[1]).sqrt();
                let cover = width / 2.0 + 0.5 - distance;
                if cover > 0.0 {
                    self.blend(x, y, colour, cover);
                }
            }
        }
    }

    /// The bytes of a PNG file.
    pub(crate) fn to_png(&self) -> Result<Vec<u8>, CliError> {
        let draw = |error: png::EncodingError| CliError::Draw(format!("the picture: {error}"));
        let bytes: Vec<u8> = self
            .pixels
            .iter()
            .flat_map(|pixel| pixel.0.map(|x| (x.clamp(0.0, 1.0) * 255.0 + 0.5) as u8))
            .collect();
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header().map_err(draw)?;
        writer.write_image_data(&bytes).map_err(draw)?;
        writer.finish().map_err(draw)?;
        Ok(file)
    }
}
