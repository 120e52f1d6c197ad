//! Named numbers: what a check or a measurement came to.

use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Figure {
    /// A count.
    Count(u64),
    /// A measured or computed number.
    Real(f64),
    /// A number that may not exist.
    Maybe(Option<f64>),
    /// A hash or a name.
    Text(String),
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(n) => f.write_str(&grouped(*n)),
            Self::Real(x) | Self::Maybe(Some(x)) => f.write_str(&short(*x)),
            Self::Maybe(None) => f.write_str("none"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(n) => serializer.serialize_u64(*n),
            Self::Real(x) => serializer.serialize_f64(*x),
            Self::Maybe(x) => x.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl From<u64> for Figure {
    fn from(n: u64) -> Self {
        Self::Count(n)
    }
}

impl From<usize> for Figure {
    fn from(n: usize) -> Self {
        Self::Count(n as u64)
    }
}

impl From<f64> for Figure {
    fn from(x: f64) -> Self {
        Self::Real(x)
    }
}

impl From<Option<f64>> for Figure {
    fn from(x: Option<f64>) -> Self {
        Self::Maybe(x)
    }
}

impl From<String> for Figure {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Values by name, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures(Vec<(String, Figure)>);

impl Figures {
    /// Adds a value.
    pub(crate) fn with(mut self, name: impl Into<String>, value: impl Into<Figure>) -> Self {
        self.add(name, value);
        self
    }

    /// Adds a value.
    pub(crate) fn add(&mut self, name: impl Into<String>, value: impl Into<Figure>) {
        self.0.push((name.into(), value.into()));
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(String, Figure)> {
        self.0.iter()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{} {value}", name.replace('_', " "))?;
        }
        Ok(())
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// What the engine claims, and whether it held.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Capability {
    /// The claim.
    pub name: &'static str,
    /// Whether the check held.
    pub ok: bool,
    /// What was found.
    pub figures: Figures,
}

/// One measurement of a bench.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Row {
    /// What was done.
    pub work: String,
    /// By which method.
    pub method: String,
    /// How long it took: the median.
    pub ms: f64,
    /// What else is known.
    pub figures: Figures,
}

/// Digits in groups of three.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Four significant digits.
fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".into()
    } else if !(1e-4..1e7).contains(&size) {
        format!("{x:.3e}")
    } else {
        let digits = (3 - size.log10().floor() as i32).max(0) as usize;
        format!("{x:.digits$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        let figures = Figures::default()
            .with("boxes", 1_234_567_u64)
            .with("toi", 0.181_812_3)
            .with("broad_ms", 12.345)
            .with("late", 1.5e-9)
            .with("first", None::<f64>);
        assert_eq!(
            figures.to_string(),
            "boxes 1,234,567, toi 0.1818, broad ms 12.35, late 1.500e-9, first none"
        );
        assert_eq!(
            serde_json::to_string(&figures).unwrap(),
            r#"{"boxes":1234567,"toi":0.1818123,"broad_ms":12.345,"late":1.5e-9,"first":null}"#
        );
    }
}
