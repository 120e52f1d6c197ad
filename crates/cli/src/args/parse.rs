//! Values that clap alone cannot read.

use jostle::broad::step::StepMethod;
use jostle::geom::PairKind;

/// Broad phases of DESIGN that are still to come.
const PLANNED: [&str; 2] = ["bvh", "grid"];

/// A number of bytes: `1000000`, `64MiB`, `2GB`, `1.5GiB`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return Err("a size is a number with B, kB, MB, GB, TB, KiB, MiB, GiB or TiB".into()),
    };
    let too_large = || "this size is larger than any memory".to_owned();
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor).ok_or_else(too_large);
    }
    let part: f64 = number
        .parse()
        .map_err(|_| "a size starts with a number, such as 64MiB".to_owned())?;
    let bytes = part * factor as f64;
    if bytes >= u64::MAX as f64 {
        return Err(too_large());
    }
    Ok(bytes as u64)
}

/// A broad phase by name.
pub(super) fn broad_phase(name: &str) -> Result<StepMethod, String> {
    if PLANNED.contains(&name) {
        return Err(format!(
            "the broad phase {name:?} does not exist yet: one of h8, sweep, brute"
        ));
    }
    name.parse().map_err(|error| format!("{error}"))
}

/// A finite number that is not negative.
pub(super) fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        Ok(value) => Err(format!("{value} is not a finite number of at least 0")),
        Err(_) => Err("not a number".into()),
    }
}

/// A finite number above zero.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        Ok(value) => Err(format!("{value} is not a finite number above 0")),
        Err(_) => Err("not a number".into()),
    }
}

/// A number in (0, 1].
pub(super) fn share(text: &str) -> Result<f64, String> {
    match positive(text)? {
        value if value <= 1.0 => Ok(value),
        value => Err(format!("{value} is more than 1")),
    }
}

/// Degrees from the vertical, in [5, 90].
pub(super) fn steep(text: &str) -> Result<f64, String> {
    match positive(text)? {
        value if (5.0..=90.0).contains(&value) => Ok(value),
        value => Err(format!("{value} is not between 5 and 90 degrees")),
    }
}

/// The kind of a pair by either of its names.
pub(super) fn pair_kind(name: &str) -> Result<PairKind, String> {
    match name {
        "ee" | "edge-edge" => Ok(PairKind::EdgeEdge),
        "vf" | "vertex-face" => Ok(PairKind::VertexFace),
        _ => Err("one of ee, edge-edge, vf, vertex-face".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_decimal_and_binary_units() {
        for (text, bytes) in [
            ("1000000", 1_000_000),
            ("64MiB", 64 << 20),
            ("2GB", 2_000_000_000),
            ("1.5KiB", 1536),
            ("7 kb", 7_000),
            ("0", 0),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "MiB", "64M", "-1", "1e9", "99999999TiB", "1.2.3"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn planned_broad_phases_are_told_from_unknown_ones() {
        assert_eq!(broad_phase("sweep"), Ok(StepMethod::Sweep));
        assert!(broad_phase("bvh").unwrap_err().contains("not exist yet"));
        assert!(broad_phase("sap").unwrap_err().contains("unknown"));
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert_eq!(not_negative("0"), Ok(0.0));
        assert!(not_negative("-1e-9").is_err());
        assert!(not_negative("inf").is_err());
        assert!(not_negative("NaN").is_err());
        assert!(positive("0").is_err());
        assert_eq!(positive("1e-9"), Ok(1e-9));
        assert_eq!((share("1"), steep("90")), (Ok(1.0), Ok(90.0)));
        assert!(share("1.01").is_err() && share("0").is_err());
        assert!(steep("90.1").is_err() && steep("4").is_err());
    }
}
