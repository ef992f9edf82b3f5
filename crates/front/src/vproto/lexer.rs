//! Text to lexemes: the pieces that lines are made of.
//!
//! Brackets of every sort are one lexeme each, with all that they hold: a set up to `]`, a parenthesis up to its `)`
//! on the same line, a brace up to its `}` wherever that is, outside of the strings and comments of the code's
//! language. Every byte of the text is white space or part of exactly one lexeme. Work is linear in the text.

use super::code_scan::{self, Language};
use super::note;
use vproto_source::code::layout;
use vproto_source::{Diagnostic, Diagnostics, FileId, Span};

/// What a lexeme is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lex {
    /// A name or word.
    Word,
    /// A number, with letters and points that follow it.
    Number,
    /// `[ … ]`
    Set,
    /// `"…"`
    Text,
    /// `'…'`
    FoldText,
    /// `( … )`
    Paren,
    /// `{ … }`
    Brace,
    /// `->`
    Arrow,
    /// `@name`
    At,
    /// A comment.
    Comment,
    /// The end of a line.
    Newline,
    /// Any other ASCII sign.
    Sign(u8),
    /// Something broken that was reported.
    Bad,
}

/// A lexeme with its place.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme {
    /// What it is.
    pub kind: Lex,
    /// Where it stands.
    pub span: Span,
    /// Whether its closing bracket or quote is there.
    pub closed: bool,
}

/// Splits a text into lexemes.
pub fn lex(file: FileId, text: &str, out: &mut Diagnostics) -> Vec<Lexeme> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    lex_range(file, text, Span::new(file, mark, text.len()), out)
}

/// Splits a part of a text into lexemes.
pub fn lex_range(file: FileId, text: &str, part: Span, out: &mut Diagnostics) -> Vec<Lexeme> {
    let text = &text[..part.end as usize];
    let mut lexer = Lexer {
        file,
        text,
        at: part.start as usize,
        out,
        lexemes: Vec::new(),
        known_line_end: 0,
        braces_may_span: true,
    };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.lexemes
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    out: &'a mut Diagnostics,
    lexemes: Vec<Lexeme>,
    /// The end of the line at hand, found once a line.
    known_line_end: usize,
    /// Cleared by the first brace that is never closed, so that work stays linear.
    braces_may_span: bool,
}

impl Lexer<'_> {
    fn next(&mut self) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let follows = |n: usize, b: u8| bytes.get(start + n) == Some(&b);
        match bytes[start] {
            b' ' | b'\t' => self.at += 1,
            b'\r' if follows(1, b'\n') => self.at += 1,
            b'\n' => self.push(Lex::Newline, start + 1, true),
            b'/' if follows(1, b'/') => self.line_comment(),
            b'/' if follows(1, b'*') => self.block_comment(),
            b'[' => self.set(),
            b'"' => self.quoted(b'"', Lex::Text),
            b'\'' => self.quoted(b'\'', Lex::FoldText),
            b'(' => self.paren(),
            b'{' => self.brace(),
            b'-' if follows(1, b'>') => self.push(Lex::Arrow, start + 2, true),
            b'@' => self.push(Lex::At, self.word_end(start + 1), true),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.push(Lex::Word, self.word_end(start), true),
            b'0'..=b'9' => self.push(Lex::Number, self.number_end(start), true),
            b if b.is_ascii_punctuation() => self.push(Lex::Sign(b), start + 1, true),
            _ => self.unexpected(),
        }
    }

    fn push(&mut self, kind: Lex, end: usize, closed: bool) {
        let span = Span::new(self.file, self.at, end);
        self.lexemes.push(Lexeme { kind, span, closed });
        self.at = end;
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        note(self.out, diagnostic);
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    /// The end of the line that holds `from`, without its line break.
    fn line_end(&mut self, from: usize) -> usize {
        if from >= self.known_line_end {
            self.known_line_end = self.find_line_end(from);
        }
        self.known_line_end
    }

    fn find_line_end(&self, from: usize) -> usize {
        let end = self.text.as_bytes()[from..]
            .iter()
            .position(|&b| b == b'\n')
            .map_or(self.text.len(), |n| from + n);
        if end > from && self.text.as_bytes()[end - 1] == b'\r' && end < self.text.len() {
            end - 1
        } else {
            end
        }
    }

    fn word_end(&self, from: usize) -> usize {
        let rest = &self.text.as_bytes()[from..];
        from + rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len())
    }

    fn number_end(&self, from: usize) -> usize {
        let rest = &self.text.as_bytes()[from..];
        from + rest.iter().position(|&b| !is_word(b) && b != b'.').unwrap_or(rest.len())
    }

    fn line_comment(&mut self) {
        let end = self.line_end(self.at);
        self.push(Lex::Comment, end, true);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.text[start + 2..].find("*/") {
            Some(n) => self.push(Lex::Comment, start + 2 + n + 2, true),
            None => {
                let open = self.span(start, start + 2);
                self.report(
                    Diagnostic::new(
                        layout::OPEN_COMMENT,
                        "a comment is not closed",
                        open,
                        "the comment that begins here runs to the end of the file",
                    )
                    .with_help("close it with `*/`"),
                );
                self.push(Lex::Comment, self.text.len(), false);
            }
        }
    }

    fn set(&mut self) {
        let start = self.at;
        let line_end = self.line_end(start);
        let bytes = self.text.as_bytes();
        let mut i = start + 1;
        while i < line_end {
            match bytes[i] {
                b'\\' => i += 1,
                b']' => return self.push(Lex::Set, i + 1, true),
                _ => {}
            }
            i += 1;
        }
        let open = self.span(start, start + 1);
        self.report(
            Diagnostic::new(
                layout::OPEN_SET,
                "a set is not closed",
                open,
                "the set that begins here has no `]`",
            )
            .with_help("close it with `]` on the same line; a `]` that is a member is written `\\]`"),
        );
        self.push(Lex::Set, line_end, false);
    }

    fn quoted(&mut self, quote: u8, kind: Lex) {
        let start = self.at;
        let line_end = self.line_end(start);
        match quote_end(self.text.as_bytes(), start, line_end, quote) {
            Some(end) => self.push(kind, end, true),
            None => {
                let open = self.span(start, start + 1);
                let quote = quote as char;
                self.report(
                    Diagnostic::new(
                        layout::OPEN_TEXT,
                        "a literal is not closed",
                        open,
                        format!("the literal that begins here has no second `{quote}` on its line"),
                    )
                    .with_help(format!("a `{quote}` inside the literal is written `\\{quote}`")),
                );
                self.push(kind, line_end, false);
            }
        }
    }

    fn paren(&mut self) {
        let start = self.at;
        let line_end = self.line_end(start);
        match paren_end(self.text.as_bytes(), start, line_end) {
            Ok(end) => self.push(Lex::Paren, end, true),
            Err(comment) => {
                let open = self.span(start, start + 1);
                let mut diagnostic = Diagnostic::new(
                    layout::OPEN_PAREN,
                    "a parenthesis is not closed",
                    open,
                    "this `(` has no `)` on its line",
                );
                if let Some(at) = comment {
                    let place = self.span(at, line_end);
                    diagnostic = diagnostic.with_label(place, "this comment runs to the end of the line");
                }
                self.report(diagnostic);
                self.push(Lex::Paren, line_end, false);
            }
        }
    }

    fn brace(&mut self) {
        let start = self.at;
        let limit = if self.braces_may_span { self.text.len() } else { self.line_end(start) };
        let language = self.brace_language(start);
        match code_scan::brace_end(&self.text[..limit], start, language) {
            Ok(end) => self.push(Lex::Brace, end, true),
            Err(eaten) => {
                self.braces_may_span = false;
                let open = self.span(start, start + 1);
                let mut diagnostic = Diagnostic::new(
                    layout::OPEN_BRACE,
                    "a brace is not closed",
                    open,
                    "the `{` that begins here has no `}`",
                );
                if let Some((from, to)) = eaten {
                    let place = self.span(from, to);
                    diagnostic = diagnostic
                        .with_label(place, "the comment runs to the end of the line, its `}` belongs to it")
                        .with_help("put the `}` in front of the `//`, or use `/* */`");
                }
                self.report(diagnostic);
                let end = self.line_end(start);
                self.push(Lex::Brace, end, false);
            }
        }
    }

    /// What the text in a brace is written in: lists of `enum` and `bits` are ours, code is C++ unless it says else.
    fn brace_language(&self, start: usize) -> Language {
        if let Some(last) = self.lexemes.last() {
            let word = &self.text[last.span.range()];
            match (last.kind, word) {
                (Lex::Word, "enum" | "bits" | "bitsle") => return Language::List,
                (Lex::At, _) => return Language::find(&word[1..]).unwrap_or(Language::Cpp),
                _ => {}
            }
        }
        code_scan::named_language(&self.text[start + 1..]).map_or(Language::Cpp, |(language, ..)| language)
    }

    /// A run of characters that begin no lexeme.
    fn unexpected(&mut self) {
        let start = self.at;
        let known = |c: char| c.is_ascii_graphic() || matches!(c, ' ' | '\t' | '\n');
        let rest = &self.text[start..];
        let end = start + rest.find(known).unwrap_or(rest.len());
        let first = rest.chars().next().unwrap_or(' ');
        let what = match first {
            '\r' => "a carriage return without a line feed".to_string(),
            '\u{a0}' => "a no-break space".to_string(),
            '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}' => format!("the typographic quote `{first}`"),
            c if c.is_control() => format!("the control character U+{:04X}", u32::from(c)),
            c => format!("`{c}`"),
        };
        let place = self.span(start, end);
        self.report(
            Diagnostic::new(
                layout::UNEXPECTED_CHARACTER,
                format!("unexpected character: {what}"),
                place,
                "no token begins so",
            )
            .with_help("bytes beyond ASCII stand in literals, comments and code only"),
        );
        self.push(Lex::Bad, end, false);
    }
}

/// Whether a byte belongs to names.
pub fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// The place behind the closing quote of the literal that begins at `start`, before `limit`.
pub fn quote_end(bytes: &[u8], start: usize, limit: usize, quote: u8) -> Option<usize> {
    let mut i = start + 1;
    while i < limit {
        match bytes[i] {
            b'\\' => i += 1,
            b if b == quote => return Some(i + 1),
            _ => {}
        }
        i += 1;
    }
    None
}

/// The place behind the `)` that closes the `(` at `start`; else where a `//` comment ate it, if one did.
fn paren_end(bytes: &[u8], start: usize, limit: usize) -> Result<usize, Option<usize>> {
    let (mut i, mut depth) = (start, 0usize);
    while i < limit {
        match bytes[i] {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(i + 1);
                }
            }
            quote @ (b'"' | b'\'') => i = quote_end(bytes, i, limit, quote).ok_or(None)? - 1,
            b'/' if bytes.get(i + 1) == Some(&b'/') => return Err(Some(i)),
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                let rest = &bytes[(i + 2).min(limit)..limit];
                i += 3 + rest.windows(2).position(|w| w == b"*/").ok_or(None)?;
            }
            _ => {}
        }
        i += 1;
    }
    Err(None)
}
