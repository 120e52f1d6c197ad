//! Lists of pairs, and whether two of them are the same set.

/// Pairs as a method delivers them: in any order, either id first.
pub type Pairs = Vec<[u32; 2]>;

/// The set in order, smaller id first.
pub fn normalised(pairs: &[[u32; 2]]) -> Pairs {
    let mut pairs: Pairs = pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    pairs.sort_unstable();
    pairs
}

/// Refuses a peer whose pairs are another set than `expected`, which is normalised.
pub fn check(peer: &str, found: &[[u32; 2]], expected: &[[u32; 2]]) -> Result<(), String> {
    let found = normalised(found);
    if found == expected {
        return Ok(());
    }
    let first = found.iter().zip(expected).position(|(a, b)| a != b);
    Err(format!(
        "{peer} found {} pairs and not the {} expected; the first difference is at {first:?}",
        found.len(),
        expected.len()
    ))
}
