//! Tokens of a schema. Line breaks and comments are tokens: the grammar allows them only between items.

use vproto_source::code::bitproto as codes;
use vproto_source::{Diagnostic, Diagnostics, FileId, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// End of a line.
    Newline,
    /// `// ...` without the line end.
    Comment,
    /// A name.
    Name,
    /// A reserved word: proto, import, option, type, const, enum, message, typedef.
    Keyword,
    /// `bool`.
    Bool,
    /// `byte`.
    Byte,
    /// `uintN`; the width is checked.
    Uint(u8),
    /// `intN`; the width is checked.
    Int(u8),
    /// Decimal digits.
    Decimal,
    /// `0x` and digits.
    Hex,
    /// `true`, `yes` and their contraries.
    Truth(bool),
    /// A text in double quotes.
    Text,
    /// One character of `: ; { } [ ] ( ) = . ' + - * /`.
    Sign(u8),
    /// Characters that no token begins with; they were reported.
    Invalid,
    /// End of the file.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
}

const KEYWORDS: [&str; 8] = ["proto", "import", "option", "type", "const", "enum", "message", "typedef"];

/// All tokens of a text; the last one is [`Kind::End`].
pub fn lex(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { file, text, at: 0, tokens: Vec::new(), diagnostics };
    while let Some(c) = text[lexer.at..].chars().next() {
        lexer.token(c);
    }
    lexer.push(Kind::End, text.len());
    lexer.tokens
}

/// The text of a string token with its escapes resolved; unknown ones are left out, they were reported.
pub fn unescape(literal: &str) -> String {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            out.extend(chars.next().and_then(escape));
        } else {
            out.push(c);
        }
    }
    out
}

fn escape(c: char) -> Option<char> {
    match c {
        't' => Some('\t'),
        'r' => Some('\r'),
        'n' => Some('\n'),
        '\\' | '\'' | '"' => Some(c),
        _ => None,
    }
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: &'a mut Diagnostics,
}

impl Lexer<'_> {
    fn token(&mut self, c: char) {
        match c {
            ' ' | '\t' | '\r' => self.at += 1,
            '\n' => self.push(Kind::Newline, self.at + 1),
            '/' if self.text[self.at..].starts_with("//") => self.comment(),
            '"' => self.string(),
            '0'..='9' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' => self.word(),
            ':' | ';' | '{' | '}' | '[' | ']' | '(' | ')' | '=' | '.' | '\'' | '+' | '-' | '*' | '/' => {
                self.push(Kind::Sign(c as u8), self.at + 1);
            }
            _ => self.invalid(c),
        }
    }

    fn push(&mut self, kind: Kind, end: usize) {
        self.tokens.push(Token { kind, span: Span::new(self.file, self.at, end) });
        self.at = end;
    }

    /// The end of the longest run of bytes from `from` that pass the test.
    fn run(&self, from: usize, test: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or(&[]);
        from + rest.iter().position(|&b| !test(b)).unwrap_or(rest.len())
    }

    fn comment(&mut self) {
        self.push(Kind::Comment, self.run(self.at, |b| b != b'\n'));
    }

    fn number(&mut self) {
        let hex = self.run(self.at + 2, |b| b.is_ascii_hexdigit());
        if self.text[self.at..].starts_with("0x") && hex > self.at + 2 {
            self.push(Kind::Hex, hex);
        } else {
            self.push(Kind::Decimal, self.run(self.at, |b| b.is_ascii_digit()));
        }
    }

    fn word(&mut self) {
        let end = self.run(self.at, |b| b.is_ascii_alphanumeric() || b == b'_');
        let text = self.text;
        let word = &text[self.at..end];
        let kind = match word {
            "bool" => Kind::Bool,
            "byte" => Kind::Byte,
            "true" | "yes" => Kind::Truth(true),
            "false" | "no" => Kind::Truth(false),
            _ if KEYWORDS.contains(&word) => Kind::Keyword,
            _ => self.sized(word, end).unwrap_or(Kind::Name),
        };
        self.push(kind, end);
    }

    /// `uintN` and `intN`; a width out of range is reported and read as 8.
    fn sized(&mut self, word: &str, end: usize) -> Option<Kind> {
        let (digits, signed) = match word.strip_prefix("uint") {
            Some(digits) => (digits, false),
            None => (word.strip_prefix("int")?, true),
        };
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let width = digits.trim_start_matches('0').parse().ok().filter(|w| (1..=64).contains(w));
        let width = width.unwrap_or_else(|| {
            let code = if signed { codes::INT_WIDTH } else { codes::UINT_WIDTH };
            let title = format!("`{word}` does not exist");
            self.report(code, title, end, "not 1 to 64 bits", Some("the number of bits is 1 to 64"));
            8
        });
        Some(if signed { Kind::Int(width) } else { Kind::Uint(width) })
    }

    fn string(&mut self) {
        let bytes = self.text.as_bytes();
        let mut i = self.at + 1;
        let mut bad = Vec::new();
        loop {
            match bytes.get(i) {
                Some(b'"') => break,
                Some(b'\n') | None => return self.open_string(i),
                Some(b'\\') if bytes.get(i + 1).is_some_and(|&b| b != b'\n') => {
                    let c = self.text[i + 1..].chars().next().unwrap_or('\\');
                    if escape(c).is_none() {
                        bad.push((i, i + 1 + c.len_utf8()));
                    }
                    i += 1 + c.len_utf8();
                }
                Some(_) => i += 1,
            }
        }
        for (start, end) in bad {
            let title = format!("unknown escape `{}`", &self.text[start..end]);
            let span = Span::new(self.file, start, end);
            let found = Diagnostic::new(codes::BAD_ESCAPE, title, span, "not an escape");
            self.diagnostics.push(found.with_help("strings know \\t \\r \\n \\\\ \\' and \\\""));
        }
        self.push(Kind::Text, i + 1);
    }

    fn open_string(&mut self, end: usize) {
        let help = Some("close it with \" on the same line; \\n stands for a line end");
        self.report(
            codes::OPEN_STRING,
            "the string does not end on its line".to_owned(),
            end,
            "begins here",
            help,
        );
        self.push(Kind::Text, end);
    }

    fn invalid(&mut self, c: char) {
        let end = self.at + c.len_utf8();
        let help = match c {
            '\u{feff}' => Some("save the file without byte order mark"),
            '#' => Some("comments begin with //"),
            '%' => Some("only + - * and / compute"),
            _ if !c.is_ascii() => Some("names are ASCII letters, digits and _"),
            _ => None,
        };
        self.report(
            codes::INVALID_TOKEN,
            format!("no token begins with {c:?}"),
            end,
            "not allowed here",
            help,
        );
        self.push(Kind::Invalid, end);
    }

    fn report(
        &mut self,
        code: vproto_source::Code,
        title: String,
        end: usize,
        label: &str,
        help: Option<&str>,
    ) {
        let mut found = Diagnostic::new(code, title, Span::new(self.file, self.at, end), label);
        found.help = help.map(str::to_owned);
        self.diagnostics.push(found);
    }
}
