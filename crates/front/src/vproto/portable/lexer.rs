//! Lexemes of portable code.

use super::Problem;
use crate::vproto::lexer::{is_word, quote_end};
use vproto_source::{FileId, Span};

/// A lexeme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lex {
    /// A number, or a character in single quotes.
    Int(u64),
    /// `"text"`
    Text(Vec<u8>),
    /// A name or keyword.
    Word(String),
    /// An operator or bracket.
    Op(&'static str),
    /// `printf( … )`, whatever stands in the parentheses.
    Print,
}

/// Operators, the longer ones first.
const OPERATORS: &[&str] = &[
    "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "++", "--", "+", "-", "*", "/", "%", "<", ">", "=", "!", "~", "&", "|", "^", "?", ":", "(", ")",
    "{", "}", ",", ";", ".",
];

/// Splits the text under a span.
///
/// # Errors
/// At the first thing that is not in the notation.
pub fn lex(text: &str, part: Span) -> Result<Vec<(Lex, Span)>, Problem> {
    let end = part.end as usize;
    let mut lexer = Lexer { file: part.file, text: &text[..end], at: part.start as usize };
    let mut lexemes = Vec::new();
    while let Some(lexeme) = lexer.next()? {
        lexemes.push(lexeme);
    }
    Ok(lexemes)
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Result<Option<(Lex, Span)>, Problem> {
        self.skip_blanks()?;
        let start = self.at;
        let Some(&first) = self.text.as_bytes().get(start) else { return Ok(None) };
        let lexeme = match first {
            b'0'..=b'9' => self.number()?,
            b'"' => Lex::Text(self.quoted(b'"')?),
            b'\'' => self.character()?,
            b if is_word(b) => self.word()?,
            _ => self.operator()?,
        };
        Ok(Some((lexeme, self.span(start))))
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    fn skip_blanks(&mut self) -> Result<(), Problem> {
        loop {
            let rest = &self.text[self.at..];
            let blanks = rest.len() - rest.trim_ascii_start().len();
            self.at += blanks;
            let rest = &rest[blanks..];
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let start = self.at;
                let Some(length) = comment.find("*/") else {
                    self.at = self.text.len();
                    return Err(Problem::not_understood(self.span(start), "the comment is not closed"));
                };
                self.at += length + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn word_end(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        self.at + rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len())
    }

    fn word(&mut self) -> Result<Lex, Problem> {
        let start = self.at;
        self.at = self.word_end();
        let word = &self.text[start..self.at];
        if self.text[self.at..].starts_with(['"', '\'']) {
            return Err(Problem::not_understood(self.span(start), "prefixed literals are not portable"));
        }
        if word == "printf" && self.text[self.at..].trim_start().starts_with('(') {
            return self.print(start);
        }
        Ok(Lex::Word(word.to_string()))
    }

    fn print(&mut self, start: usize) -> Result<Lex, Problem> {
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'"' | b'\'' => {
                    self.at = quote_end(bytes, self.at, bytes.len(), byte).map_or(bytes.len(), |e| e - 1)
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 && byte == b')' {
                return Ok(Lex::Print);
            }
        }
        self.at = bytes.len();
        Err(Problem::not_understood(self.span(start), "`)` is missing"))
    }

    fn number(&mut self) -> Result<Lex, Problem> {
        let start = self.at;
        self.at = self.word_end();
        let digits = self.text[start..self.at].trim_end_matches(['u', 'U', 'l', 'L']);
        let value = match digits.get(..2) {
            Some("0x" | "0X") => u64::from_str_radix(&digits[2..], 16),
            Some("0b" | "0B") => u64::from_str_radix(&digits[2..], 2),
            Some(two) if two.starts_with('0') => u64::from_str_radix(digits, 8),
            _ => digits.parse(),
        };
        if self.text[self.at..].starts_with(['.', '\'']) {
            return Err(Problem::not_understood(self.span(start), "only whole numbers are portable"));
        }
        value
            .map(Lex::Int)
            .map_err(|_| Problem::not_understood(self.span(start), "this is no number below 2^64"))
    }

    fn character(&mut self) -> Result<Lex, Problem> {
        let start = self.at;
        let bytes = self.quoted(b'\'')?;
        match bytes.as_slice() {
            [byte] => Ok(Lex::Int(u64::from(*byte))),
            _ => Err(Problem::not_understood(
                self.span(start),
                "one byte in single quotes is a number, more are not",
            )),
        }
    }

    fn quoted(&mut self, quote: u8) -> Result<Vec<u8>, Problem> {
        let start = self.at;
        let Some(end) = quote_end(self.text.as_bytes(), start, self.text.len(), quote) else {
            self.at = self.text.len();
            return Err(Problem::not_understood(self.span(start), "the literal is not closed"));
        };
        self.at = end;
        let inner = &self.text[start + 1..end - 1];
        unescape(inner)
            .ok_or_else(|| Problem::not_understood(self.span(start), "the literal has an unknown escape"))
    }

    fn operator(&mut self) -> Result<Lex, Problem> {
        let start = self.at;
        let rest = &self.text[start..];
        match OPERATORS.iter().find(|op| rest.starts_with(**op)) {
            Some(op) => {
                self.at += op.len();
                Ok(Lex::Op(op))
            }
            None => {
                self.at += rest.chars().next().map_or(1, char::len_utf8);
                Err(Problem::not_understood(self.span(start), "this is no operator of portable code"))
            }
        }
    }
}

/// The bytes of a literal in code: C's escapes, with exactly two digits behind `\x`.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' {
            if first == b'\n' {
                return None;
            }
            bytes.push(first);
            continue;
        }
        let (&letter, after) = rest.split_first()?;
        rest = after;
        bytes.push(match letter {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'0' if !rest.first().is_some_and(u8::is_ascii_digit) => 0,
            b'x' => {
                let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
                rest = &rest[2..];
                u8::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?
            }
            letter if letter.is_ascii_punctuation() => letter,
            _ => return None,
        });
    }
    Some(bytes)
}
