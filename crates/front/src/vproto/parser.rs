//! The lexemes of one line to tokens.
//!
//! Whatever stands there becomes a token; what cannot be one is reported and kept as [`Head::Unknown`]. Which parts a
//! token may have is not asked here but where it is resolved.

use super::ast::{
    Block, Directive, Head, LineKind, Name, OptionItem, Options, Part, Quantifier, Redirect, Target, Token,
    WORDS, Word,
};
use super::lexer::{self, Lex, Lexeme};
use super::{MAX_FINDINGS, code_scan, escape, items, note};
use vproto_source::code::layout;
use vproto_source::diagnostic::did_you_mean;
use vproto_source::{Diagnostic, Diagnostics, FileId, Span};

/// Deepest nesting of `< >`.
pub const MAX_PARALLEL: u32 = 32;

/// Parses the lexemes of a line, comments left out; there is at least one.
pub fn parse_line(file: FileId, text: &str, lexemes: &[Lexeme], out: &mut Diagnostics) -> LineKind {
    let mut parser = Parser { file, text, lexemes, at: 0, nesting: 0, gave_up: false, out };
    if lexemes[0].kind == Lex::At {
        return LineKind::Directive(parser.directive());
    }
    let mut tokens = Vec::new();
    let mut continues = None;
    while let Some(lexeme) = parser.peek() {
        if lexeme.kind == Lex::Sign(b'\\') {
            parser.at += 1;
            continues = Some(lexeme.span);
            parser.nothing_more(lexeme.span);
        } else if let Some(token) = parser.token(tokens.is_empty()) {
            tokens.push(token);
        }
    }
    if let (Some(span), true) = (continues, tokens.is_empty()) {
        parser.report(
            Diagnostic::new(
                layout::LONE_BACKSLASH,
                "a line of `\\` alone",
                span,
                "no token stands in front of it",
            )
            .with_help("`\\` belongs at the end of the line that the branching below continues"),
        );
    }
    LineKind::Tokens { tokens, continues }
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    lexemes: &'a [Lexeme],
    at: usize,
    nesting: u32,
    /// Whether the rest of the line was passed over, so that what is not closed there is no news.
    gave_up: bool,
    out: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Lexeme> {
        self.lexemes.get(self.at).copied()
    }

    /// The next lexeme if no white space stands in front of it.
    fn peek_adjacent(&self) -> Option<Lexeme> {
        let end = self.lexemes.get(self.at.checked_sub(1)?)?.span.end;
        self.peek().filter(|l| l.span.start == end)
    }

    fn text(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    fn name(&self, lexeme: Lexeme) -> Name {
        Name { text: self.text(lexeme.span).to_string(), span: lexeme.span }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        note(self.out, diagnostic);
    }

    /// Behind `\` stands nothing: whatever does is reported and passed.
    fn nothing_more(&mut self, backslash: Span) {
        let Some((first, last)) = self.peek().zip(self.lexemes.last()) else { return };
        self.report(
            Diagnostic::new(
                layout::AFTER_BACKSLASH,
                "something follows `\\`",
                first.span.to(last.span),
                "`\\` ends a line, so this is not read",
            )
            .with_label(backslash, "the line ends here")
            .with_help("move the `\\` to the end of the line, or the rest to a line of its own"),
        );
        self.at = self.lexemes.len();
    }

    /// One token. `first` tells whether it stands first in its line.
    fn token(&mut self, first: bool) -> Option<Token> {
        let lexeme = self.peek()?;
        self.at += 1;
        let head = match lexeme.kind {
            Lex::Set if lexeme.closed => Head::Set(escape::set(self.text, inner(lexeme.span), self.out)),
            Lex::Text | Lex::FoldText if lexeme.closed => self.literal(lexeme),
            Lex::Brace if lexeme.closed => Head::Code(self.block(lexeme)),
            Lex::Word => self.word(lexeme, first),
            Lex::Sign(b'<') => self.parallel(lexeme),
            Lex::Set | Lex::Text | Lex::FoldText | Lex::Brace | Lex::Bad => Head::Unknown,
            _ => {
                self.unexpected(lexeme);
                return None;
            }
        };
        let head_span = lexeme.span.to(self.lexemes[self.at - 1].span);
        let parts = self.parts(&head);
        let span = lexeme.span.to(self.lexemes[self.at - 1].span);
        Some(Token { head, head_span, parts, span })
    }

    fn literal(&mut self, lexeme: Lexeme) -> Head {
        let bytes = escape::literal(self.text, inner(lexeme.span), self.out);
        if bytes.is_empty() {
            self.report(
                Diagnostic::new(layout::EMPTY_TEXT, "the literal is empty", lexeme.span, "it takes no byte")
                    .with_help("remove it; a branch that takes nothing is `{}`"),
            );
            return Head::Unknown;
        }
        Head::Text { bytes, fold: lexeme.kind == Lex::FoldText }
    }

    fn block(&self, lexeme: Lexeme) -> Block {
        let mut inside = inner(lexeme.span);
        let named = code_scan::named_language(self.text(inside));
        let language = named.map(|(_, name, _)| name.to_string());
        if let Some((_, _, length)) = named {
            inside.start += length as u32;
        }
        Block { span: lexeme.span, inner: inside, language }
    }

    /// The brace that must follow a word.
    fn brace(&mut self) -> Option<Lexeme> {
        let lexeme = self.peek().filter(|l| l.kind == Lex::Brace)?;
        self.at += 1;
        Some(lexeme)
    }

    fn word(&mut self, lexeme: Lexeme, first: bool) -> Head {
        let text = self.text(lexeme.span);
        match text {
            "if" => self.condition(lexeme),
            "enum" | "bits" | "bitsle" => match self.brace() {
                Some(brace) if !brace.closed => Head::Unknown,
                Some(brace) if text == "enum" => {
                    Head::Enum(items::members(self.file, self.text, brace.span, self.out))
                }
                Some(brace) => Head::Bits {
                    little: text == "bitsle",
                    fields: items::fields(self.file, self.text, brace.span, self.out),
                },
                None => self.missing_brace(lexeme),
            },
            _ => match Word::find(text) {
                Some(word @ (Word::Catch | Word::Finish)) => self.handler(lexeme, word, first),
                Some(word) => Head::Word(word),
                None => self.unknown_word(lexeme),
            },
        }
    }

    fn condition(&mut self, lexeme: Lexeme) -> Head {
        match self.brace() {
            Some(brace) if brace.closed => Head::If(self.block(brace)),
            Some(_) => Head::Unknown,
            None => {
                let parenthesis = self.peek().is_some_and(|l| l.kind == Lex::Paren);
                let mut diagnostic = Diagnostic::new(
                    layout::MALFORMED_TOKEN,
                    "`if` without its condition",
                    lexeme.span,
                    "a condition in braces must follow",
                );
                diagnostic = match parenthesis {
                    true => diagnostic.with_help("write braces, not parentheses: `if {type == 1}`"),
                    false => diagnostic.with_help("write `if {type == 1}`"),
                };
                self.report(diagnostic);
                Head::Unknown
            }
        }
    }

    fn missing_brace(&mut self, lexeme: Lexeme) -> Head {
        let text = self.text(lexeme.span);
        let example = if text == "enum" { "enum{a, b, c}:v" } else { "bits{a:4 b:12}" };
        self.report(
            Diagnostic::new(
                layout::MALFORMED_TOKEN,
                format!("`{text}` without its list"),
                lexeme.span,
                "a list in braces must follow",
            )
            .with_help(format!("write `{example}`")),
        );
        Head::Unknown
    }

    fn handler(&mut self, lexeme: Lexeme, word: Word, first: bool) -> Head {
        if self.peek_adjacent().is_some_and(|l| l.kind == Lex::Sign(b':')) {
            self.at += 1;
        } else {
            let name = word.name();
            self.report(
                Diagnostic::new(
                    layout::MALFORMED_TOKEN,
                    format!("`{name}` without its colon"),
                    lexeme.span,
                    "a colon must follow",
                )
                .with_help(format!("write `{name}:`")),
            );
        }
        if !first || self.nesting > 0 {
            let name = word.name();
            self.report(
                Diagnostic::new(
                    layout::HANDLER_NOT_FIRST,
                    format!("`{name}:` does not stand first in its line"),
                    lexeme.span,
                    "a handler is a line of its own",
                )
                .with_help(format!("begin a line of the branching that it serves with `{name}:`")),
            );
        }
        Head::Word(word)
    }

    fn unknown_word(&mut self, lexeme: Lexeme) -> Head {
        let text = self.text(lexeme.span);
        let known = WORDS.iter().map(|(name, _)| *name).chain(["if", "enum", "bits", "bitsle"]);
        let mut diagnostic = Diagnostic::new(
            layout::UNKNOWN_TOKEN,
            format!("unknown token `{}`", shorten(text)),
            lexeme.span,
            "no token has this name",
        );
        let room = self.out.len() < MAX_FINDINGS;
        if let Some(near) = room.then(|| did_you_mean(text, known)).flatten() {
            diagnostic = diagnostic.with_help(format!("did you mean `{near}`?"));
        } else if matches!(text, "jump" | "goto") {
            diagnostic = diagnostic.with_help("a jump is `jmp:label`");
        }
        self.report(diagnostic);
        Head::Unknown
    }

    fn unexpected(&mut self, lexeme: Lexeme) {
        let text = shorten(self.text(lexeme.span));
        if lexeme.kind == Lex::Sign(b':') && self.peek_adjacent().is_some_and(|l| l.kind == Lex::Word) {
            // The name belongs to the colon: one finding is enough.
            self.at += 1;
        }
        let diagnostic = Diagnostic::new(
            layout::UNEXPECTED,
            format!("`{text}` begins no token"),
            lexeme.span,
            "a token was expected here",
        );
        let help = match lexeme.kind {
            Lex::Sign(b'}' | b')' | b']') => "nothing is open here that it could close",
            Lex::Sign(b'>') => "no `<` is open here",
            Lex::Sign(b',') => "tokens that follow each other are separated by white space",
            Lex::Sign(b':') => "a name follows its token without white space: `u8:length`",
            Lex::Sign(b'?' | b'*' | b'+') => "a count follows the token that it counts",
            Lex::Sign(b'#' | b';') => "a comment begins with `//`",
            Lex::Sign(b'|') => "alternatives are lines of one depth, or stand in `< , >`",
            Lex::Sign(b'.') => "any byte is `b8` or `[\\x00-\\xff]`",
            Lex::Number => "text that must be there is a literal: `\"200\"`",
            Lex::At => "a directive is a line of its own",
            Lex::Arrow => "a redirection follows its token: `[a-z]->string:name`",
            Lex::Paren => "options follow their token: `data(max=20)`",
            _ => return self.report(diagnostic),
        };
        self.report(diagnostic.with_help(help));
    }

    fn parallel(&mut self, open: Lexeme) -> Head {
        self.nesting += 1;
        if self.nesting > MAX_PARALLEL {
            self.report(Diagnostic::new(
                layout::PARALLEL_TOO_DEEP,
                format!("`< >` is nested deeper than {MAX_PARALLEL} levels"),
                open.span,
                "this one is too deep",
            ));
            self.at = self.lexemes.len();
            self.gave_up = true;
            self.nesting -= 1;
            return Head::Unknown;
        }
        let mut sequences = vec![Vec::new()];
        let mut start = open.span;
        let closed = loop {
            let Some(lexeme) = self.peek() else { break false };
            match lexeme.kind {
                Lex::Sign(sign @ (b'>' | b',')) => {
                    self.at += 1;
                    if sequences.last().is_none_or(Vec::is_empty) {
                        self.empty_sequence(start.to(lexeme.span));
                    }
                    if sign == b'>' {
                        break true;
                    }
                    start = lexeme.span;
                    sequences.push(Vec::new());
                }
                Lex::Sign(b'\\') => break false,
                _ => {
                    let token = self.token(false);
                    sequences.last_mut().expect("there is always one").extend(token);
                }
            }
        };
        if !closed && self.nesting <= 1 && !self.gave_up {
            self.report(
                Diagnostic::new(
                    layout::OPEN_PARALLEL,
                    "a `<` is not closed",
                    open.span,
                    "no `>` follows on its line",
                )
                .with_help("all alternatives of `< , >` stand on one line"),
            );
        }
        self.nesting -= 1;
        if closed { Head::Parallel(sequences) } else { Head::Unknown }
    }

    fn empty_sequence(&mut self, span: Span) {
        self.report(
            Diagnostic::new(layout::EMPTY_SEQUENCE, "an alternative is empty", span, "no token stands here")
                .with_help("every alternative of `< , >` takes at least one byte"),
        );
    }

    /// Counts, options, redirections and names behind a head.
    fn parts(&mut self, head: &Head) -> Vec<Part> {
        let mut parts = Vec::new();
        let handler = matches!(head, Head::Word(Word::Catch | Word::Finish));
        while let Some(lexeme) = self.peek().filter(|_| !handler) {
            let part = match lexeme.kind {
                Lex::Sign(b':') if self.peek_adjacent().is_some() => {
                    self.at += 1;
                    match self.part_name(lexeme) {
                        Some(name) => Part::Name(name),
                        None => continue,
                    }
                }
                Lex::Sign(b'?') => self.count(lexeme, Quantifier::Optional),
                Lex::Sign(b'*') => self.count(lexeme, Quantifier::Any),
                Lex::Sign(b'+') => self.count(lexeme, Quantifier::Some),
                Lex::Paren => {
                    self.at += 1;
                    Part::Options(self.options(lexeme))
                }
                Lex::Arrow => {
                    self.at += 1;
                    Part::Redirect(self.redirect(lexeme))
                }
                Lex::Sign(b'=') if self.nesting == 0 => match self.start_value(lexeme) {
                    Some(part) => part,
                    None => continue,
                },
                _ => break,
            };
            parts.push(part);
        }
        parts
    }

    fn count(&mut self, lexeme: Lexeme, quantifier: Quantifier) -> Part {
        self.at += 1;
        Part::Count(quantifier, lexeme.span)
    }

    fn part_name(&mut self, colon: Lexeme) -> Option<Name> {
        if let Some(lexeme) = self.peek_adjacent().filter(|l| matches!(l.kind, Lex::Word | Lex::Number)) {
            self.at += 1;
            return Some(self.name(lexeme));
        }
        self.report(
            Diagnostic::new(
                layout::MISSING_NAME,
                "a name is missing",
                colon.span,
                "a name must follow this colon",
            )
            .with_help("no white space stands between the colon and the name"),
        );
        None
    }

    fn start_value(&mut self, equals: Lexeme) -> Option<Part> {
        self.at += 1;
        let rest = &self.lexemes[self.at..];
        let length = rest.iter().position(|l| l.kind == Lex::Sign(b'\\')).unwrap_or(rest.len());
        self.at += length;
        let Some((first, last)) = rest[..length].first().zip(rest[..length].last()) else {
            self.report(Diagnostic::new(
                layout::MALFORMED_TOKEN,
                "a start value is missing",
                equals.span,
                "a value must follow",
            ));
            return None;
        };
        Some(Part::Start(first.span.to(last.span)))
    }

    fn options(&mut self, lexeme: Lexeme) -> Options {
        let items: Vec<OptionItem> = match lexeme.closed {
            true => items::options(self.text, lexeme.span),
            false => Vec::new(),
        };
        Options { span: lexeme.span, items }
    }

    fn redirect(&mut self, arrow: Lexeme) -> Redirect {
        let Some(lexeme) = self.peek().filter(|l| l.kind == Lex::Word) else {
            self.report(
                Diagnostic::new(
                    layout::MISSING_NAME,
                    "the redirection lacks its target",
                    arrow.span,
                    "a type or a function must follow",
                )
                .with_help("write `[a-z]->string:name`, or `[a-z]->function`"),
            );
            return Redirect { span: arrow.span, target: Target::Missing };
        };
        self.at += 1;
        let span = arrow.span.to(lexeme.span);
        if self.text(lexeme.span) == "enum"
            && let Some(brace) = self.brace()
        {
            let span = arrow.span.to(brace.span);
            if !brace.closed {
                return Redirect { span, target: Target::Missing };
            }
            let members = items::members(self.file, self.text, brace.span, self.out);
            return Redirect { span, target: Target::Enum(members) };
        }
        Redirect { span, target: Target::Word(self.name(lexeme)) }
    }

    /// A line that begins with `@`.
    fn directive(&mut self) -> Directive {
        let at = self.lexemes[0];
        let word = Span { start: at.span.start + 1, ..at.span };
        let name = Name { text: self.text(word).to_string(), span: at.span };
        let rest = &self.lexemes[1..];
        let end = at.span.end_point();
        let span = rest.first().zip(rest.last()).map_or(end, |(first, last)| first.span.to(last.span));
        let block = rest.first().filter(|l| l.kind == Lex::Brace && l.closed).map(|l| Block {
            span: l.span,
            inner: inner(l.span),
            language: None,
        });
        Directive { name, rest: span, block }
    }
}

/// What stands between the two brackets or quotes of a span.
pub fn inner(span: Span) -> Span {
    Span { start: span.start + 1, end: span.end - 1, ..span }
}

/// A text for a message: long ones are cut.
pub fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_string();
    }
    text.chars().take(37).chain("...".chars()).collect()
}

/// Fields of `bits{ … }` and so on are lexed again from the inside of their brace.
pub(super) fn inside(file: FileId, text: &str, brace: Span, out: &mut Diagnostics) -> Vec<Lexeme> {
    let within = inner(brace);
    let mut lexemes = lexer::lex_range(file, text, within, out);
    lexemes.retain(|l| !matches!(l.kind, Lex::Comment | Lex::Newline));
    lexemes
}
