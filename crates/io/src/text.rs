//! Lines, tokens and numbers of text formats, over bytes.

/// Blanks within a line.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// `line` without blanks at its ends.
pub(crate) fn trim(mut line: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = line
        && is_blank(*first)
    {
        line = rest;
    }
    while let [rest @ .., last] = line
        && is_blank(*last)
    {
        line = rest;
    }
    line
}

/// The first word of a line and what follows it.
pub(crate) fn first_token(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = line.iter().position(|&byte| !is_blank(byte))?;
    let line = &line[start..];
    let end = line.iter().position(|&byte| is_blank(byte));
    Some(line.split_at(end.unwrap_or(line.len())))
}

/// The words of a line.
pub(crate) fn tokens(mut line: &[u8]) -> impl Iterator<Item = &[u8]> {
    core::iter::from_fn(move || {
        let (token, rest) = first_token(line)?;
        line = rest;
        Some(token)
    })
}

/// A decimal integer with optional sign of at most 18 digits (which always fit).
pub(crate) fn integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits
        .iter()
        .fold(0, |value, d| value * 10 + i64::from(d - b'0'));
    Some(if negative { -value } else { value })
}

/// The nearest `f64` of a decimal number; infinite when it is too large.
pub(crate) fn number(token: &[u8]) -> Option<f64> {
    str::from_utf8(token).ok()?.parse().ok()
}

/// A token for a message: readable, and short whatever the file holds.
pub(crate) fn quote(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    let shown = String::from_utf8_lossy(&token[..token.len().min(LONGEST)]);
    let more = if token.len() > LONGEST { "…" } else { "" };
    format!("{shown:?}{more}")
}

/// Lines that end with LF, CR LF or, when the first line does, a lone CR.
///
/// The convention is fixed by the first line: a binary body may begin with either byte.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    position: usize,
    number: usize,
    end: u8,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let first = bytes.iter().position(|&b| b == b'\n' || b == b'\r');
        let lone_cr = first.is_some_and(|i| bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n'));
        Self {
            bytes,
            position: 0,
            number: 0,
            end: if lone_cr { b'\r' } else { b'\n' },
        }
    }

    /// Offset of the first byte after the lines taken so far.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Number of the line taken last, from 1.
    pub(crate) fn number(&self) -> usize {
        self.number
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    /// The next line, without blanks at its ends.
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.position..).filter(|r| !r.is_empty())?;
        let length = rest.iter().position(|&b| b == self.end);
        self.position += length.map_or(rest.len(), |l| l + 1);
        self.number += 1;
        Some(trim(&rest[..length.unwrap_or(rest.len())]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_follow_the_first_line() {
        let all = |text: &'static [u8]| Lines::new(text).collect::<Vec<_>>();
        assert_eq!(all(b"a\nb\r\n\n c "), [&b"a"[..], b"b", b"", b"c"]);
        assert_eq!(all(b"a\rb\rc"), [b"a", b"b", b"c"]);
        assert_eq!(all(b"a\r\nb\rc"), [&b"a"[..], b"b\rc"]);
        assert_eq!(all(b""), [b""; 0]);
    }

    #[test]
    fn long_tokens_are_cut_in_messages() {
        assert_eq!(quote(b"ab\xff"), "\"ab\u{fffd}\"");
        assert!(quote(&vec![b'x'; 1_000_000]).len() < 60);
    }
}
