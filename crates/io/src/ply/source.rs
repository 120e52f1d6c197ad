//! The values of a PLY body, from text or from binary data.

use super::header::Type;
use crate::error::Place;
use crate::text::{Lines, first_token, number, quote};

/// Why there is no next value.
#[derive(Debug)]
pub(super) enum Fault {
    /// The file ends.
    End,
    /// Something else, in words.
    Syntax(String),
}

/// A stream of rows of values. Every integer type of the format is exact in `f64`.
pub(super) trait Source {
    /// Moves to the next row.
    fn start_row(&mut self) -> Result<(), Fault>;
    /// The next value of the row.
    fn value(&mut self, kind: Type) -> Result<f64, Fault>;
    /// Refuses `count` values when they cannot all be there.
    fn announce(&mut self, count: u64, kind: Type) -> Result<(), Fault>;
    /// Skips `count` values.
    fn skip(&mut self, count: u64, kind: Type) -> Result<(), Fault>;
    /// Refuses values that are left over.
    fn end_row(&mut self) -> Result<(), Fault>;
    /// Where the next value is.
    fn place(&self) -> Place;
    /// The most rows of at least `smallest` bytes (if binary) that can still come.
    fn rows_left(&self, smallest: usize) -> usize;
}

/// A binary body; `BIG` is its byte order.
pub(super) struct Binary<'a, const BIG: bool> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a, const BIG: bool> Binary<'a, BIG> {
    pub(super) fn new(bytes: &'a [u8], position: usize) -> Self {
        Self { bytes, position }
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let rest = self.bytes.get(self.position..).ok_or(Fault::End)?;
        let mut bytes = *rest.first_chunk::<N>().ok_or(Fault::End)?;
        self.position += N;
        if BIG {
            bytes.reverse();
        }
        Ok(bytes)
    }

    fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.position)
    }
}

impl<const BIG: bool> Source for Binary<'_, BIG> {
    #[inline(always)]
    fn start_row(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn value(&mut self, kind: Type) -> Result<f64, Fault> {
        Ok(match kind {
            Type::I8 => i8::from_le_bytes(self.take()?).into(),
            Type::U8 => u8::from_le_bytes(self.take()?).into(),
            Type::I16 => i16::from_le_bytes(self.take()?).into(),
            Type::U16 => u16::from_le_bytes(self.take()?).into(),
            Type::I32 => i32::from_le_bytes(self.take()?).into(),
            Type::U32 => u32::from_le_bytes(self.take()?).into(),
            Type::F32 => f32::from_le_bytes(self.take()?).into(),
            Type::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    #[inline(always)]
    fn announce(&mut self, count: u64, kind: Type) -> Result<(), Fault> {
        let bytes = count.saturating_mul(kind.size() as u64);
        if bytes > self.left() as u64 {
            return Err(Fault::End);
        }
        Ok(())
    }

    fn skip(&mut self, count: u64, kind: Type) -> Result<(), Fault> {
        self.announce(count, kind)?;
        self.position += count as usize * kind.size();
        Ok(())
    }

    #[inline(always)]
    fn end_row(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn place(&self) -> Place {
        Place::Byte(self.position)
    }

    fn rows_left(&self, smallest: usize) -> usize {
        self.left() / smallest.max(1)
    }
}

/// A body of text: one row a line; empty lines do not count.
pub(super) struct Ascii<'a> {
    lines: Lines<'a>,
    /// What is left of the row.
    row: &'a [u8],
    length: usize,
}

impl<'a> Ascii<'a> {
    /// `lines` stands at the body of a file of `length` bytes.
    pub(super) fn new(lines: Lines<'a>, length: usize) -> Self {
        Self {
            lines,
            row: &[],
            length,
        }
    }

    fn word(&mut self) -> Result<&'a [u8], Fault> {
        let (word, rest) = first_token(self.row)
            .ok_or_else(|| Fault::Syntax("the line has too few values".to_owned()))?;
        self.row = rest;
        Ok(word)
    }
}

impl Source for Ascii<'_> {
    fn start_row(&mut self) -> Result<(), Fault> {
        self.row = self.lines.find(|line| !line.is_empty()).ok_or(Fault::End)?;
        Ok(())
    }

    fn value(&mut self, _: Type) -> Result<f64, Fault> {
        let word = self.word()?;
        number(word).ok_or_else(|| Fault::Syntax(format!("{} is no number", quote(word))))
    }

    fn announce(&mut self, _: u64, _: Type) -> Result<(), Fault> {
        Ok(())
    }

    fn skip(&mut self, count: u64, _: Type) -> Result<(), Fault> {
        // Ends with the line at the latest.
        (0..count).try_for_each(|_| self.word().map(drop))
    }

    fn end_row(&mut self) -> Result<(), Fault> {
        match first_token(self.row) {
            None => Ok(()),
            Some(_) => Err(Fault::Syntax("the line has too many values".to_owned())),
        }
    }

    fn place(&self) -> Place {
        Place::Line(self.lines.number())
    }

    fn rows_left(&self, _: usize) -> usize {
        // A row takes a character and the end of the line.
        self.length.saturating_sub(self.lines.position()) / 2 + 1
    }
}
