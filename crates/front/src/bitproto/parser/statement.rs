//! Statements.

use super::{GivenUp, Kind, MAX_DEPTH, Parsed, Parser, Scope};
use crate::bitproto::ast::{ArrayExpr, Item, ItemKind, Name, SingleType, TypeExpr};
use crate::bitproto::lexer::unescape;
use vproto_source::Span;
use vproto_source::code::bitproto as codes;

impl Parser<'_> {
    /// One statement with its `;`.
    pub(super) fn item(&mut self, scope: Scope) -> Parsed<Item> {
        let token = self.token();
        let kind = match (token.kind, self.word(token)) {
            (Kind::Keyword, word) => self.keyword_item(word)?,
            (Kind::Name, _) if scope == Scope::Enum && self.ahead(1).kind == Kind::Sign(b'=') => {
                self.enum_value()?
            }
            (Kind::Name | Kind::Bool | Kind::Byte | Kind::Uint(_) | Kind::Int(_), _)
                if scope != Scope::File =>
            {
                self.field()?
            }
            (Kind::Sign(b'/'), _) if self.ahead(1).kind == Kind::Sign(b'*') => {
                return Err(self.block_comment());
            }
            (Kind::Sign(b';'), _) => {
                let help = "one `;` may follow a one-line statement, none follows `}`";
                return Err(self.unexpected("an item", Some(help)));
            }
            _ => return Err(self.unexpected(wanted(scope), None)),
        };
        let block = matches!(kind, ItemKind::Enum { .. } | ItemKind::Message { .. });
        if !block {
            self.take_sign(b';');
        }
        let last = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(token.span, |t| t.span);
        let span = if block { token.span } else { token.span.to(last) };
        Ok(Item { span, doc: Vec::new(), kind })
    }

    fn keyword_item(&mut self, word: &str) -> Parsed<ItemKind> {
        self.bump();
        match word {
            "proto" => Ok(ItemKind::Proto(self.proto_name())),
            "import" => self.import(),
            "option" => self.option(),
            "const" => self.constant(),
            "type" => self.alias(),
            "typedef" => self.typedef(),
            "enum" => self.enumeration(),
            _ => self.message(),
        }
    }

    /// The name, or `_` where it is missing, so that the file does not count as nameless too.
    fn proto_name(&mut self) -> Name {
        let span = self.token().span;
        self.expect_name("the proto's name").unwrap_or_else(|GivenUp| {
            while !matches!(self.token().kind, Kind::Newline | Kind::End | Kind::Sign(b'{' | b'}' | b';')) {
                self.bump();
            }
            Name { text: "_".to_owned(), span }
        })
    }

    fn import(&mut self) -> Parsed<ItemKind> {
        let alias = if self.token().kind == Kind::Name { Some(self.expect_name("a name")?) } else { None };
        let token = self.expect("a path in quotes", |_, t| t.kind == Kind::Text)?;
        let path = Name { text: unescape(self.word(token)), span: token.span };
        Ok(ItemKind::Import { alias, path })
    }

    fn option(&mut self) -> Parsed<ItemKind> {
        let name = self.dotted_name("the option's name")?;
        self.expect_sign(b'=')?;
        let value = self.simple_value()?;
        if matches!(self.token().kind, Kind::Sign(b'+' | b'-' | b'*' | b'/')) {
            return Err(self
                .unexpected("the end of the option", Some("compute in a constant, and use its name here")));
        }
        Ok(ItemKind::Option { name, value })
    }

    fn constant(&mut self) -> Parsed<ItemKind> {
        let name = self.expect_name("the constant's name")?;
        self.expect_sign(b'=')?;
        let value = self.value()?;
        Ok(ItemKind::Const { name, value })
    }

    fn alias(&mut self) -> Parsed<ItemKind> {
        let name = self.expect_name("the alias's name")?;
        self.expect_sign(b'=')?;
        let ty = self.type_expr()?;
        Ok(ItemKind::Alias { name, ty, typedef: false })
    }

    fn typedef(&mut self) -> Parsed<ItemKind> {
        let ty = self.type_expr()?;
        let name = self.expect_name("the alias's name")?;
        Ok(ItemKind::Alias { name, ty, typedef: true })
    }

    fn enumeration(&mut self) -> Parsed<ItemKind> {
        let name = self.expect_name("the enum's name")?;
        let head = self.enum_head();
        let bits = self.block_head(head)?;
        let items = self.items(Scope::Enum);
        Ok(ItemKind::Enum { name, bits: bits.unwrap_or(8), items })
    }

    /// `: uintN {`.
    fn enum_head(&mut self) -> Parsed<u8> {
        self.expect_sign(b':')?;
        let token = self.expect("uintN", |_, t| matches!(t.kind, Kind::Uint(_)))?;
        self.expect_sign(b'{')?;
        Ok(if let Kind::Uint(bits) = token.kind { bits } else { 8 })
    }

    fn message(&mut self) -> Parsed<ItemKind> {
        let name = self.expect_name("the message's name")?;
        let mark = self.mark();
        let head = self.expect_sign(b'{');
        self.block_head(head)?;
        if self.depth >= MAX_DEPTH {
            self.report(codes::SYNTAX_DEPTH, "messages nest more than 64 deep", name.span, "too deep");
            self.skip_block();
            return Ok(ItemKind::Message { name, mark, items: Vec::new() });
        }
        self.depth += 1;
        let items = self.items(Scope::Message);
        self.depth -= 1;
        Ok(ItemKind::Message { name, mark, items })
    }

    /// After a faulty head goes on in the block if it opens on the same line.
    fn block_head<T>(&mut self, head: Parsed<T>) -> Parsed<Option<T>> {
        let Err(GivenUp) = head else { return head.map(Some) };
        while !matches!(self.token().kind, Kind::Newline | Kind::End | Kind::Sign(b'{' | b'}' | b';')) {
            self.bump();
        }
        if self.take_sign(b'{') { Ok(None) } else { Err(GivenUp) }
    }

    fn mark(&mut self) -> Option<Span> {
        let span = self.token().span;
        self.take_sign(b'\'').then_some(span)
    }

    fn field(&mut self) -> Parsed<ItemKind> {
        let ty = self.type_expr()?;
        let is_name = |p: &Self, t| {
            matches!(t, Kind::Name) || matches!(t, Kind::Keyword) && p.word(p.token()) == "type"
        };
        let token = self.expect("the field's name", |p, t| is_name(p, t.kind))?;
        let name = Name { text: self.word(token).to_owned(), span: token.span };
        self.expect_sign(b'=')?;
        let number = self.expect("the field's number in decimal", |_, t| t.kind == Kind::Decimal)?;
        let number = Name { text: self.word(number).to_owned(), span: number.span };
        let rules = self.rules()?;
        Ok(ItemKind::Field { ty, name, number, rules })
    }

    fn enum_value(&mut self) -> Parsed<ItemKind> {
        let name = self.expect_name("a name")?;
        self.expect_sign(b'=')?;
        let value = self.number("a number")?;
        Ok(ItemKind::EnumValue { name, value })
    }

    /// A single type or an array of it.
    fn type_expr(&mut self) -> Parsed<TypeExpr> {
        let token = self.token();
        let (single, mut span) = match token.kind {
            Kind::Bool | Kind::Byte | Kind::Uint(_) | Kind::Int(_) => {
                self.bump();
                (SingleType::Base(token.kind), token.span)
            }
            _ => {
                let name = self.dotted_name("a type")?;
                let span = name.span;
                (SingleType::Reference(name), span)
            }
        };
        let mut array = None;
        if self.take_sign(b'[') {
            let capacity = self.capacity()?;
            span = span.to(self.expect_sign(b']')?.span);
            array = Some(ArrayExpr { capacity, mark: self.mark() });
        }
        Ok(TypeExpr { single, array, span })
    }

    /// Skips a block comment and refuses it.
    fn block_comment(&mut self) -> GivenUp {
        let start = self.token().span;
        let rest = self.text.get(start.end as usize + 1..).unwrap_or("");
        let end = rest.find("*/").map_or(start.end, |i| start.end + 1 + i as u32 + 2);
        let span = Span { end: start.end + 1, ..start };
        let help = Some("put // before each line");
        self.report_help(
            codes::BLOCK_COMMENT,
            "block comments do not exist",
            span,
            "only // begins a comment",
            help,
        );
        while self.token().kind != Kind::End && self.token().span.start < end {
            self.bump();
        }
        GivenUp
    }
}

fn wanted(scope: Scope) -> &'static str {
    match scope {
        Scope::File => "proto, import, option, const, type, enum or message",
        Scope::Message => "a field, message, enum, option or `}`",
        Scope::Enum => "NAME = NUMBER or `}`",
    }
}
