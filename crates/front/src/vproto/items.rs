//! What stands inside brackets: options, members of enums, fields of bits.

use super::ast::{Field, Member, Name, OptionItem};
use super::escape;
use super::lexer::{Lex, Lexeme, quote_end};
use super::note;
use super::parser::{inner, inside, shorten};
use vproto_source::code::layout;
use vproto_source::{Diagnostic, Diagnostics, FileId, Span};

/// The items of a closed parenthesis, split at the commas that stand in no quotes and no inner parentheses.
pub fn options(text: &str, paren: Span) -> Vec<OptionItem> {
    let within = inner(paren).range();
    let bytes = text.as_bytes();
    let (mut items, mut start, mut depth, mut i) = (Vec::new(), within.start, 0usize, within.start);
    while i < within.end {
        match bytes[i] {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                items.push(option_item(text, paren, start, i));
                start = i + 1;
            }
            quote @ (b'"' | b'\'') => i = quote_end(bytes, i, within.end, quote).unwrap_or(within.end) - 1,
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                i = text[i + 2..within.end].find("*/").map_or(within.end, |n| i + 2 + n + 1);
            }
            _ => {}
        }
        i += 1;
    }
    if !items.is_empty() || !text[within.clone()].trim().is_empty() {
        items.push(option_item(text, paren, start, within.end));
    }
    items
}

fn option_item(text: &str, paren: Span, start: usize, end: usize) -> OptionItem {
    let part = &text[start..end];
    let lead = part.len() - part.trim_start().len();
    let span = Span::new(paren.file, start + lead, start + lead + part.trim().len());
    let (part, shift) = without_comments(part.trim());
    let length = part.bytes().position(|b| !super::lexer::is_word(b)).unwrap_or(part.len());
    let starts_name = part.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    let from = span.start as usize + shift;
    let end = from + part.len();
    let key_span = Span::new(paren.file, from, from + length);
    let rest = part[length..].trim_start();
    let assigned = rest.strip_prefix('=').filter(|r| !r.starts_with('='));
    let key = (starts_name && (rest.is_empty() || assigned.is_some()))
        .then(|| Name { text: part[..length].to_string(), span: key_span });
    let value = key.as_ref().and(assigned).map(|value| {
        let value = value.trim_start();
        Span::new(paren.file, end - value.len(), end)
    });
    OptionItem { span, key, value }
}

/// An item without the comments at its two ends, and the length of those in front.
fn without_comments(part: &str) -> (&str, usize) {
    let mut rest = part;
    while let Some(length) = rest.strip_prefix("/*").and_then(|comment| comment.find("*/")) {
        rest = rest[length + 4..].trim_start();
    }
    let shift = part.len() - rest.len();
    while let Some(start) = rest.strip_suffix("*/").and_then(|comment| comment.rfind("/*")) {
        rest = rest[..start].trim_end();
    }
    (rest, shift)
}

/// The members of `enum{ … }`.
pub fn members(file: FileId, text: &str, brace: Span, out: &mut Diagnostics) -> Vec<Member> {
    let lexemes = inside(file, text, brace, out);
    let mut list = List { text, out, at: 0, lexemes: &lexemes };
    let mut members = Vec::new();
    while list.at < list.lexemes.len() {
        members.extend(list.member());
    }
    if members.is_empty() {
        note(
            list.out,
            Diagnostic::new(
                layout::BAD_LIST,
                "the enum has no members",
                brace,
                "a list of names was expected",
            )
            .with_help("write `enum{a, b, c}:v`"),
        );
    }
    members
}

/// The fields of `bits{ … }`.
pub fn fields(file: FileId, text: &str, brace: Span, out: &mut Diagnostics) -> Vec<Field> {
    let lexemes = inside(file, text, brace, out);
    let mut list = List { text, out, at: 0, lexemes: &lexemes };
    let mut fields = Vec::new();
    while list.at < list.lexemes.len() {
        fields.extend(list.field());
    }
    if fields.is_empty() {
        note(
            list.out,
            Diagnostic::new(
                layout::BAD_LIST,
                "there are no bit fields",
                brace,
                "a list of fields was expected",
            )
            .with_help("write `bits{a:4 b:12}`"),
        );
    }
    fields
}

struct List<'a> {
    text: &'a str,
    out: &'a mut Diagnostics,
    at: usize,
    lexemes: &'a [Lexeme],
}

impl List<'_> {
    fn take(&mut self, kind: Lex) -> Option<Lexeme> {
        let lexeme = self.lexemes.get(self.at).copied().filter(|l| l.kind == kind)?;
        self.at += 1;
        Some(lexeme)
    }

    fn name(&mut self) -> Option<Name> {
        let lexeme = self.take(Lex::Word)?;
        Some(Name { text: self.text[lexeme.span.range()].to_string(), span: lexeme.span })
    }

    fn wrong(&mut self, expected: &str) {
        if let Some(lexeme) = self.lexemes.get(self.at) {
            let text = shorten(&self.text[lexeme.span.range()]);
            note(
                self.out,
                Diagnostic::new(
                    layout::BAD_LIST,
                    format!("`{text}` does not belong here"),
                    lexeme.span,
                    format!("{expected} was expected"),
                ),
            );
        }
    }

    /// One member and the comma behind it.
    fn member(&mut self) -> Option<Member> {
        let Some(name) = self.name() else {
            self.wrong("the name of a member");
            self.skip_to_comma();
            return None;
        };
        let value = self.take(Lex::Sign(b'=')).and_then(|_| self.value());
        let text = self.member_text();
        if self.at < self.lexemes.len() && self.take(Lex::Sign(b',')).is_none() {
            self.wrong("a comma");
            self.skip_to_comma();
        }
        Some(Member { name, value, text })
    }

    /// The lexemes behind `=`, up to the comma or the text.
    fn value(&mut self) -> Option<Span> {
        let rest = &self.lexemes[self.at..];
        let ends = |l: &Lexeme| matches!(l.kind, Lex::Sign(b',') | Lex::Text);
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        if length == 0 {
            self.wrong("a value");
            return None;
        }
        self.at += length;
        Some(rest[0].span.to(rest[length - 1].span))
    }

    fn member_text(&mut self) -> Option<(Vec<u8>, bool, Span)> {
        let exact = self.take(Lex::Text);
        let lexeme = exact.or_else(|| self.take(Lex::FoldText)).filter(|l| l.closed)?;
        let bytes = escape::literal(self.text, inner(lexeme.span), self.out);
        if bytes.is_empty() {
            note(
                self.out,
                Diagnostic::new(
                    layout::EMPTY_TEXT,
                    "the literal is empty",
                    lexeme.span,
                    "a member's text has at least one byte",
                ),
            );
        }
        Some((bytes, exact.is_none(), lexeme.span))
    }

    fn skip_to_comma(&mut self) {
        while self.at < self.lexemes.len() {
            if self.take(Lex::Sign(b',')).is_some() {
                return;
            }
            self.at += 1;
        }
    }

    /// `name:width`; a comma behind it is tolerated.
    fn field(&mut self) -> Option<Field> {
        let Some(name) = self.name() else {
            self.wrong("the name of a field");
            self.at += 1;
            return None;
        };
        let width = self.take(Lex::Sign(b':')).and_then(|_| self.take(Lex::Number));
        let bits = width
            .and_then(|l| self.text[l.span.range()].parse::<u32>().ok())
            .filter(|&n| (1..=64).contains(&n));
        if bits.is_none() {
            let place = width.map_or(name.span, |w| name.span.to(w.span));
            note(
                self.out,
                Diagnostic::new(
                    layout::BAD_LIST,
                    format!("field `{}` has no width", shorten(&name.text)),
                    place,
                    "a width of 1 to 64 bits was expected",
                )
                .with_help("write `name:4` for four bits"),
            );
        }
        self.take(Lex::Sign(b','));
        Some(Field { name, bits: bits.unwrap_or(0) })
    }
}
