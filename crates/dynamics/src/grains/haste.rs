//! How fast things may become around each grain.

use jostle_geom::chunks::fill_chunks;

use super::grid::{Frame, Spread};
use super::rows::Row;

/// Cells of the coarse grid, in radii of the largest grain.
const COARSE: f32 = 4.0;

/// The largest speed of the grains around each one, m/s, itself included: what it may be pushed to until the next
/// rebuild. Returns the mean.
pub(super) fn speeds(
    spread: &mut Spread,
    bounds: [[f32; 3]; 2],
    rows: &[Row],
    large: f32,
    speeds: &mut Vec<f32>,
) -> f32 {
    speeds.resize(rows.len(), 0.0);
    fill_chunks(speeds, 4096, |first, speeds| {
        for (speed, row) in speeds.iter_mut().zip(&rows[first..]) {
            let [x, y, z, _] = row.velocity;
            *speed = (x * x + y * y + z * z).sqrt();
        }
    });
    let frame = Frame::new(bounds, rows.len(), COARSE * large);
    spread.apply(&frame, rows, speeds);
    let sum = speeds.iter().map(|&s| f64::from(s)).sum::<f64>();
    (sum / rows.len().max(1) as f64) as f32
}
