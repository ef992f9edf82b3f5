//! Tokens to a tree. Every text gets one: after a fault the parser goes on at the next line or brace.
//!
//! Statements stand in [`statement`], values in [`value`].

mod statement;
mod value;

use super::ast::{Item, ItemKind, Name};
use super::lexer::{Kind, Token};
use vproto_source::code::bitproto as codes;
use vproto_source::{Code, Diagnostic, Diagnostics, Span};

/// How deep messages nest at most.
const MAX_DEPTH: u32 = 64;

/// Parses the tokens of one file.
pub fn parse(text: &str, tokens: &[Token], diagnostics: &mut Diagnostics) -> Vec<Item> {
    let mut parser = Parser { text, tokens, at: 0, depth: 0, diagnostics };
    let items = parser.items(Scope::File);
    if let [.., last, _] = tokens
        && last.kind == Kind::Comment
    {
        let title = "the last comment has no line end";
        parser.report(codes::COMMENT_AT_END, title, last.span.end_point(), "end the line here");
    }
    items
}

/// What a list of items belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    File,
    Message,
    Enum,
}

/// A statement was given up; the finding is made.
struct GivenUp;

type Parsed<T> = Result<T, GivenUp>;

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: u32,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    /// The current token; behind the end it stays the end.
    fn token(&self) -> Token {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> Token {
        let end = Token { kind: Kind::End, span: Span::default() };
        self.tokens.get(self.at + n).or(self.tokens.last()).copied().unwrap_or(end)
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len());
        token
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or("")
    }

    fn word(&self, token: Token) -> &'a str {
        self.slice(token.span)
    }

    fn is_sign(&self, c: u8) -> bool {
        self.token().kind == Kind::Sign(c)
    }

    fn take_sign(&mut self, c: u8) -> bool {
        let found = self.is_sign(c);
        if found {
            self.bump();
        }
        found
    }

    /// The items of a scope, up to its closing brace (taken) or the end.
    fn items(&mut self, scope: Scope) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            let doc = self.gap();
            let start = self.at;
            match self.token().kind {
                Kind::End => {
                    if scope != Scope::File {
                        self.unexpected("`}`", Some("a closing brace is missing"));
                    }
                    return items;
                }
                Kind::Sign(b'}') if scope != Scope::File => {
                    self.bump();
                    return items;
                }
                _ => {}
            }
            match self.item(scope) {
                Ok(mut item) => {
                    item.doc.splice(0..0, doc);
                    item.doc.extend(self.trailing_comment());
                    self.place_item(scope, item, &mut items);
                }
                Err(GivenUp) => self.recover(start, scope),
            }
        }
    }

    /// Line breaks and comments before an item; the comment lines directly above it.
    fn gap(&mut self) -> Vec<String> {
        let mut doc = Vec::new();
        let before = self.at.checked_sub(1).and_then(|i| self.tokens.get(i));
        // Characters without meaning are passed over where nothing else stands before them on the line.
        let mut begins_line = before.is_none_or(|t| t.kind == Kind::Newline);
        loop {
            begins_line |= self.token().kind == Kind::Newline;
            match self.token().kind {
                Kind::Comment => doc.push(self.comment()),
                Kind::Newline if self.ahead(1).kind == Kind::Newline => doc.clear(),
                Kind::Newline => {}
                Kind::Invalid if begins_line => {}
                _ => return doc,
            }
            self.bump();
        }
    }

    /// The text of the comment at hand.
    fn comment(&self) -> String {
        let text = self.word(self.token()).trim_start_matches('/');
        text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned()
    }

    fn trailing_comment(&mut self) -> Option<String> {
        if self.token().kind != Kind::Comment {
            return None;
        }
        let text = self.comment();
        self.bump();
        Some(text)
    }

    /// Keeps an item, unless it does not belong into its scope.
    fn place_item(&mut self, scope: Scope, item: Item, items: &mut Vec<Item>) {
        let what = describe(&item.kind);
        let fits = match scope {
            Scope::File => true,
            Scope::Message => matches!(
                item.kind,
                ItemKind::Field { .. }
                    | ItemKind::Message { .. }
                    | ItemKind::Enum { .. }
                    | ItemKind::Option { .. }
            ),
            Scope::Enum => matches!(item.kind, ItemKind::EnumValue { .. }),
        };
        if fits {
            return items.push(item);
        }
        let (code, title) = match (&item.kind, scope) {
            (ItemKind::Proto(_), _) => {
                (codes::PROTO_MISPLACED, "the proto name stands outside all braces".to_owned())
            }
            (_, Scope::Enum) => (codes::NOT_IN_ENUM, format!("an enum cannot hold {what}")),
            _ => (codes::NOT_IN_MESSAGE, format!("a message cannot hold {what}")),
        };
        self.report_help(code, &title, item.span, "move it out of the braces", None);
    }

    /// Skips the rest of a statement that was given up, a whole block if one begins on its line.
    fn recover(&mut self, start: usize, scope: Scope) {
        loop {
            match self.token().kind {
                Kind::Newline | Kind::End => break,
                Kind::Sign(b'}') if scope != Scope::File => break,
                Kind::Sign(b'{') => {
                    self.bump();
                    self.skip_block();
                    break;
                }
                Kind::Sign(b';') => {
                    self.bump();
                    break;
                }
                _ => self.bump(),
            };
        }
        if self.at == start && self.token().kind != Kind::End {
            self.bump();
        }
    }

    /// Skips to behind the brace that closes the current block.
    fn skip_block(&mut self) {
        let mut open = 1;
        while open > 0 && self.token().kind != Kind::End {
            match self.bump().kind {
                Kind::Sign(b'{') => open += 1,
                Kind::Sign(b'}') => open -= 1,
                _ => {}
            }
        }
    }

    /// The next token if it passes the test. A line break before it is reported and skipped.
    fn expect(&mut self, what: &str, test: impl Fn(&Self, Token) -> bool) -> Parsed<Token> {
        if test(self, self.token()) {
            return Ok(self.bump());
        }
        let breaks = (0..).take_while(|&n| self.ahead(n).kind == Kind::Newline).count();
        if breaks > 0 && test(self, self.ahead(breaks)) {
            let title = format!("line break before {what}");
            let help = Some("write the statement on one line");
            self.report_help(codes::LINE_BREAK, &title, self.token().span, "the line ends here", help);
            self.at += breaks;
            return Ok(self.bump());
        }
        Err(self.unexpected(what, None))
    }

    fn expect_sign(&mut self, c: u8) -> Parsed<Token> {
        self.expect(&format!("`{}`", c as char), |_, t| t.kind == Kind::Sign(c))
    }

    fn expect_name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.expect(what, |_, t| t.kind == Kind::Name)?;
        Ok(Name { text: self.word(token).to_owned(), span: token.span })
    }

    /// A name of parts with dots between; blanks may stand around the dots.
    fn dotted_name(&mut self, what: &str) -> Parsed<Name> {
        let mut name = self.expect_name(what)?;
        while self.take_sign(b'.') {
            let part = self.expect_name("a name after the dot")?;
            name.text = format!("{}.{}", name.text, part.text);
            name.span = name.span.to(part.span);
        }
        Ok(name)
    }

    /// Reports that the current token is not what the grammar wants.
    fn unexpected(&mut self, wanted: &str, help: Option<&str>) -> GivenUp {
        let token = self.token();
        let found = match token.kind {
            Kind::Invalid => return GivenUp,
            Kind::Newline => "the line ends".to_owned(),
            Kind::End => "the file ends".to_owned(),
            Kind::Comment => "a comment begins".to_owned(),
            _ => format!("`{}` stands", self.word(token)),
        };
        let title = format!("expected {wanted}, but {found} here");
        let label = format!("expected {wanted}");
        self.report_help(codes::UNEXPECTED, &title, token.span, &label, help);
        GivenUp
    }

    fn report(&mut self, code: Code, title: &str, span: Span, label: &str) {
        self.report_help(code, title, span, label, None);
    }

    fn report_help(&mut self, code: Code, title: &str, span: Span, label: &str, help: Option<&str>) {
        let mut found = Diagnostic::new(code, title, span, label);
        found.help = help.map(str::to_owned);
        self.diagnostics.push(found);
    }
}

/// An item with its article.
fn describe(kind: &ItemKind) -> &'static str {
    match kind {
        ItemKind::Proto(_) => "a proto name",
        ItemKind::Import { .. } => "an import",
        ItemKind::Option { .. } => "an option",
        ItemKind::Const { .. } => "a constant",
        ItemKind::Alias { .. } => "an alias",
        ItemKind::Enum { .. } => "an enum",
        ItemKind::Message { .. } => "a message",
        ItemKind::Field { .. } => "a field",
        ItemKind::EnumValue { .. } => "an enum value",
    }
}
