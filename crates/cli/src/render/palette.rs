//! Colours.

/// Red, green and blue as displays take them, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rgb(pub [f32; 3]);

/// From the earliest impact to the latest: hot to cold, of falling lightness contrast so that the
/// early ones stand out.
const STOPS: [[u8; 3]; 6] = [
    [160, 8, 50],
    [222, 52, 38],
    [246, 132, 36],
    [250, 200, 70],
    [120, 190, 140],
    [38, 132, 168],
];

impl Rgb {
    /// From bytes.
    pub(crate) const fn bytes(rgb: [u8; 3]) -> Self {
        Self([
            rgb[0] as f32 / 255.0,
            rgb[1] as f32 / 255.0,
            rgb[2] as f32 / 255.0,
        ])
    }

    /// Between two colours.
    pub(crate) fn mix(self, other: Self, share: f32) -> Self {
        Self(std::array::from_fn(|i| {
            self.0[i] + (other.0[i] - self.0[i]) * share
        }))
    }

    /// Squared: near enough to linear light to shade in.
    pub(super) fn linear(self) -> [f32; 3] {
        self.0.map(|x| x * x)
    }
}

/// The colour of a time of impact in [0, 1].
pub(crate) fn by_time(t: f64) -> Rgb {
    let place = t.clamp(0.0, 1.0) as f32 * (STOPS.len() - 1) as f32;
    let below = (place as usize).min(STOPS.len() - 2);
    Rgb::bytes(STOPS[below]).mix(Rgb::bytes(STOPS[below + 1]), place - below as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_runs_from_first_to_last_stop() {
        for (t, stop) in [(0.0, STOPS[0]), (0.4, STOPS[2]), (1.0, STOPS[5])] {
            let pairs = by_time(t).0.into_iter().zip(Rgb::bytes(stop).0);
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-6), "{t}");
        }
    }
}
