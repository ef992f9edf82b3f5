//! Sets of bytes.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not, Sub};

/// A set of bytes: 256 bits. Prints as the language writes sets (`tool.md`, "expected").
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ByteSet {
    words: [u64; 4],
}

impl ByteSet {
    /// No byte.
    pub const EMPTY: ByteSet = ByteSet { words: [0; 4] };
    /// Every byte.
    pub const ALL: ByteSet = ByteSet { words: [u64::MAX; 4] };

    /// The one byte.
    pub fn byte(byte: u8) -> ByteSet {
        ByteSet::range(byte, byte)
    }

    /// The bytes `first..=last`; none where `last < first`.
    pub fn range(first: u8, last: u8) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        for byte in first..=last {
            set.insert(byte);
        }
        set
    }

    /// ASCII digits.
    pub fn digits() -> ByteSet {
        ByteSet::range(b'0', b'9')
    }

    /// Hexadecimal digits of either case.
    pub fn hex_digits() -> ByteSet {
        ByteSet::digits() | ByteSet::range(b'a', b'f') | ByteSet::range(b'A', b'F')
    }

    /// The byte, and with `fold` also the other case of an ASCII letter.
    pub fn letter(byte: u8, fold: bool) -> ByteSet {
        let mut set = ByteSet::byte(byte);
        if fold {
            set.insert(byte.to_ascii_lowercase());
            set.insert(byte.to_ascii_uppercase());
        }
        set
    }

    /// Adds a byte.
    pub fn insert(&mut self, byte: u8) {
        self.words[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Removes a byte.
    pub fn remove(&mut self, byte: u8) {
        self.words[usize::from(byte >> 6)] &= !(1 << (byte & 63));
    }

    /// Whether the byte is a member.
    pub fn contains(&self, byte: u8) -> bool {
        self.words[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Number of members, 0 to 256.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether no byte is a member.
    pub fn is_empty(&self) -> bool {
        self.words == [0; 4]
    }

    /// Whether every byte is a member.
    pub fn is_all(&self) -> bool {
        self.words == [u64::MAX; 4]
    }

    /// Whether the two share a byte.
    pub fn intersects(&self, other: &ByteSet) -> bool {
        !(*self & *other).is_empty()
    }

    /// Whether every member is one of `other`.
    pub fn is_subset(&self, other: &ByteSet) -> bool {
        (*self - *other).is_empty()
    }

    /// The lowest member.
    pub fn first(&self) -> Option<u8> {
        self.iter().next()
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255).filter(|&b| self.contains(b))
    }

    /// The members as ranges `first..=last`, ascending and not touching.
    pub fn ranges(&self) -> Vec<(u8, u8)> {
        let mut ranges: Vec<(u8, u8)> = Vec::new();
        for byte in self.iter() {
            match ranges.last_mut() {
                Some((_, last)) if u16::from(*last) + 1 == u16::from(byte) => *last = byte,
                _ => ranges.push((byte, byte)),
            }
        }
        ranges
    }

    /// The members as a table of 256 bits, bit `b & 63` of word `b >> 6`.
    pub fn words(&self) -> [u64; 4] {
        self.words
    }
}

impl BitOr for ByteSet {
    type Output = ByteSet;
    fn bitor(self, other: ByteSet) -> ByteSet {
        ByteSet { words: std::array::from_fn(|i| self.words[i] | other.words[i]) }
    }
}

impl BitAnd for ByteSet {
    type Output = ByteSet;
    fn bitand(self, other: ByteSet) -> ByteSet {
        ByteSet { words: std::array::from_fn(|i| self.words[i] & other.words[i]) }
    }
}

impl Sub for ByteSet {
    type Output = ByteSet;
    fn sub(self, other: ByteSet) -> ByteSet {
        ByteSet { words: std::array::from_fn(|i| self.words[i] & !other.words[i]) }
    }
}

impl Not for ByteSet {
    type Output = ByteSet;
    fn not(self) -> ByteSet {
        ByteSet::ALL - self
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        bytes.into_iter().for_each(|b| set.insert(b));
        set
    }
}

impl fmt::Display for ByteSet {
    /// Members ascending, runs of three or more as `a-b`, `[^…]` of the complement for 129 to 255 members.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let negate = (129..=255).contains(&self.len());
        let members = if negate { !*self } else { *self };
        f.write_str(if negate { "[^" } else { "[" })?;
        for (first, last) in members.ranges() {
            match last - first {
                0 => write_member(f, first)?,
                1 => {
                    write_member(f, first)?;
                    write_member(f, last)?;
                }
                _ => {
                    write_member(f, first)?;
                    f.write_str("-")?;
                    write_member(f, last)?;
                }
            }
        }
        f.write_str("]")
    }
}

fn write_member(f: &mut fmt::Formatter<'_>, byte: u8) -> fmt::Result {
    match byte {
        b'\t' => f.write_str("\\t"),
        b'\n' => f.write_str("\\n"),
        b'\r' => f.write_str("\\r"),
        b'\\' | b']' | b'[' | b'^' | b'-' => write!(f, "\\{}", byte as char),
        0x20..=0x7e => write!(f, "{}", byte as char),
        _ => write!(f, "\\x{byte:02x}"),
    }
}

/// A literal as the trace prints it: its bytes in double quotes, or in single ones where case does not matter.
pub fn quoted(text: &[u8], fold: bool) -> String {
    let quote = if fold { '\'' } else { '"' };
    let mut out = String::from(quote);
    for &byte in text {
        match byte {
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\\' => out.push_str("\\\\"),
            b'"' | b'\'' if char::from(byte) == quote => out.extend(['\\', quote]),
            0x20..=0x7e => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push(quote);
    out
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_the_trace_does() {
        assert_eq!(ByteSet::ALL.to_string(), "[\\x00-\\xff]");
        assert_eq!((!ByteSet::from_iter(*b"\r\n")).to_string(), "[^\\n\\r]");
        assert_eq!(ByteSet::from_iter(*b"ab-xyz").to_string(), "[\\-abx-z]");
        assert_eq!(ByteSet::hex_digits().to_string(), "[0-9A-Fa-f]");
    }

    #[test]
    fn literals_escape_their_own_quote() {
        assert_eq!(quoted(b"a\"'\r\\\xff", false), "\"a\\\"'\\r\\\\\\xff\"");
        assert_eq!(quoted(b"a\"'", true), "'a\"\\''");
    }

    #[test]
    fn set_algebra() {
        let digits = ByteSet::digits();
        assert_eq!(digits.len(), 10);
        assert!((digits & !digits).is_empty());
        assert!((digits | !digits).is_all());
        assert!(ByteSet::byte(b'3').is_subset(&digits));
        assert_eq!(ByteSet::letter(b'k', true).ranges(), vec![(b'K', b'K'), (b'k', b'k')]);
    }
}
