//! Times of many frames.

/// Milliseconds of all frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// Adds a frame.
    pub(crate) fn push(&mut self, ms: f64) {
        self.0.push(ms);
    }

    /// All of them together.
    pub(crate) fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The middle one; 0 without frames.
    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The smallest that is not below a share `q` of all.
    pub(crate) fn quantile(&self, q: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let at = (q * last as f64).round() as usize;
        sorted.get(at).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_few_frames() {
        let times = Times(vec![3.0, 1.0, 2.0]);
        assert_eq!((times.median(), times.quantile(0.99)), (2.0, 3.0));
        assert_eq!(times.total(), 6.0);
        assert_eq!(Times::default().median(), 0.0);
    }
}
