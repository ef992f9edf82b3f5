//! Reading one line of the text form.

use super::ParseError;
use crate::byteset::ByteSet;

/// A place in a line.
pub struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
}

/// What a rule of the text form gives.
pub type Parsed<T> = Result<T, ParseError>;

impl<'a> Cursor<'a> {
    /// The start of a line; `line` counts from 1.
    pub fn new(text: &'a str, line: u32) -> Cursor<'a> {
        Cursor { text: text.as_bytes(), at: 0, line }
    }

    /// The line's number.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// An error here.
    pub fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let rest = String::from_utf8_lossy(&self.text[self.at.min(self.text.len())..]).into_owned();
        let rest: String = rest.chars().take(40).collect();
        Err(ParseError { line: self.line, message: format!("{} at \"{rest}\"", message.into()) })
    }

    /// The next byte, not taken.
    pub fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Takes one byte.
    pub fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Skips blanks.
    pub fn blanks(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    /// Takes the text if it comes next, blanks before it skipped.
    pub fn eat(&mut self, text: &str) -> bool {
        let from = self.at;
        self.blanks();
        if self.text[self.at..].starts_with(text.as_bytes()) {
            self.at += text.len();
            return true;
        }
        self.at = from;
        false
    }

    /// Takes the word if it comes next and is not the start of a longer one.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let from = self.at;
        if self.eat(word) && !self.peek().is_some_and(is_word) {
            return true;
        }
        self.at = from;
        false
    }

    /// Takes the text, which must come next.
    pub fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { self.error(format!("expected \"{text}\"")) }
    }

    /// Whether nothing is left.
    pub fn at_end(&mut self) -> bool {
        self.blanks();
        self.at == self.text.len()
    }

    /// The line must be over.
    pub fn end(&mut self) -> Parsed<()> {
        if self.at_end() { Ok(()) } else { self.error("expected the end of the line") }
    }

    /// Letters, digits, `_`, and `-` inside of a word where `dash` allows it.
    fn letters(&mut self, dash: bool) -> &'a str {
        self.blanks();
        let from = self.at;
        while let Some(byte) = self.peek() {
            let inside =
                dash && byte == b'-' && self.text.get(self.at + 1).is_some_and(u8::is_ascii_alphabetic);
            if !is_word(byte) && !inside {
                break;
            }
            self.at += 1;
        }
        std::str::from_utf8(&self.text[from..self.at]).unwrap_or("")
    }

    /// A word; `no-progress` is one.
    pub fn word(&mut self) -> Parsed<&'a str> {
        let word = self.letters(true);
        if word.is_empty() { self.error("expected a word") } else { Ok(word) }
    }

    /// A name, as portable code has it.
    pub fn name(&mut self) -> Parsed<&'a str> {
        let word = self.letters(false);
        if word.is_empty() { self.error("expected a name") } else { Ok(word) }
    }

    /// A number.
    pub fn number<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        self.blanks();
        let from = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        let digits = std::str::from_utf8(&self.text[from..self.at]).unwrap_or("");
        match digits.parse() {
            Ok(n) => Ok(n),
            Err(_) => {
                self.at = from;
                self.error("expected a number that fits")
            }
        }
    }

    /// An id: its prefix and number.
    pub fn id<I: crate::ids::Id>(&mut self, prefix: &str) -> Parsed<I> {
        if !self.eat(prefix) || !self.peek().is_some_and(|b| b.is_ascii_digit()) {
            return self.error(format!("expected an id \"{prefix}…\""));
        }
        self.index()
    }

    /// A number that is an id.
    pub fn index<I: crate::ids::Id>(&mut self) -> Parsed<I> {
        let n: u32 = self.number()?;
        if n > MAX_ID { self.error("an id is too large") } else { Ok(I::from_index(n as usize)) }
    }

    /// A text in double quotes.
    pub fn string(&mut self) -> Parsed<Vec<u8>> {
        self.expect("\"")?;
        let mut bytes = Vec::new();
        loop {
            match self.bump() {
                None => return self.error("a text has no end"),
                Some(b'"') => return Ok(bytes),
                Some(b'\\') => bytes.push(self.escape()?),
                Some(byte) => bytes.push(byte),
            }
        }
    }

    /// A text in double quotes that is UTF-8.
    pub fn utf8(&mut self) -> Parsed<String> {
        let bytes = self.string()?;
        String::from_utf8(bytes).or_else(|_| self.error("a text is not UTF-8"))
    }

    fn escape(&mut self) -> Parsed<u8> {
        Ok(match self.bump() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'0') => 0,
            Some(b'x') => {
                let digit = |b: Option<u8>| b.and_then(|b| (b as char).to_digit(16));
                match (digit(self.bump()), digit(self.bump())) {
                    (Some(high), Some(low)) => (high * 16 + low) as u8,
                    _ => return self.error("expected two hexadecimal digits"),
                }
            }
            Some(byte) if byte.is_ascii_punctuation() => byte,
            _ => return self.error("an unknown escape"),
        })
    }

    /// A set in brackets, or one letter in quotes.
    pub fn set(&mut self) -> Parsed<ByteSet> {
        self.blanks();
        if self.peek() == Some(b'"') {
            return match self.string()?.as_slice() {
                [byte] => Ok(ByteSet::byte(*byte)),
                _ => self.error("expected one letter"),
            };
        }
        if self.eat("[*]") {
            return Ok(ByteSet::ALL);
        }
        self.expect("[")?;
        let negate = self.peek() == Some(b'^');
        self.at += usize::from(negate);
        let mut bytes = ByteSet::EMPTY;
        while self.peek() != Some(b']') {
            let first = self.member()?;
            let range = self.peek() == Some(b'-') && self.text.get(self.at + 1) != Some(&b']');
            let last = if range {
                self.at += 1;
                self.member()?
            } else {
                first
            };
            bytes = bytes | ByteSet::range(first, last);
        }
        self.at += 1;
        Ok(if negate { !bytes } else { bytes })
    }

    fn member(&mut self) -> Parsed<u8> {
        match self.bump() {
            Some(b'\\') => self.escape(),
            Some(byte) => Ok(byte),
            None => self.error("a set has no end"),
        }
    }
}

/// Largest id that a text may have: a text of few bytes makes no huge table.
pub const MAX_ID: u32 = 1 << 20;

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
