//! Tokens that take bytes of a set, and modules.

use super::captures::counted_bits;
use super::context::Context;
use super::options::{self, Options, allow, open_counts};
use super::sinks::{Base, Form, Sink, needs_name, sink};
use crate::vproto::ast::{Field, Head, Name, Token, Word};
use vproto_ir::ByteSet;
use vproto_ir::grammar::{
    BitField, Bound, Counts, IntType, Max, Min, Scan, Store, SubParser, TokenKind, Varint,
};
use vproto_ir::ids::{ExprId, VarId};
use vproto_ir::symbols::{Role, VarType};
use vproto_source::Diagnostic;
use vproto_source::code::names;

/// A kind, and the condition of `if=`.
pub type Resolved = Option<(TokenKind, Option<ExprId>)>;

/// Spaces and tabs: what `trim` drops.
fn blanks() -> ByteSet {
    ByteSet::from_iter(*b" \t")
}

/// Resolves a set, or a word that takes bytes.
pub fn scan(context: &mut Context<'_>, token: &Token) -> Resolved {
    let sink = match sink(token) {
        Ok(sink) => sink,
        Err(diagnostic) => {
            context.report(*diagnostic);
            return None;
        }
    };
    match (&token.head, sink) {
        (_, Sink::Module(module, var)) => sub_parser(context, token, module, var),
        (Head::Word(Word::Varint), sink) => varint(context, token, &sink),
        (Head::Word(Word::Match), _) => None,
        (_, sink) => plain(context, token, sink),
    }
}

/// The set and the counts of a head that nothing is written behind.
fn defaults(token: &Token, sink: &Sink<'_>) -> (ByteSet, Counts) {
    match &token.head {
        Head::Set(set) if matches!(sink, Sink::Skip) => (*set, Counts::exactly(1)),
        Head::Set(set) => (*set, open_counts(set.is_all())),
        Head::Word(Word::Decimal(_) | Word::Signed(_)) => (ByteSet::digits(), open_counts(false)),
        Head::Word(Word::Hexadecimal(_)) => (ByteSet::hex_digits(), open_counts(false)),
        Head::Word(Word::Binary(bits, _) | Word::Float(bits, _)) => {
            (ByteSet::ALL, Counts::exactly(u64::from(*bits) / 8))
        }
        Head::Word(Word::Bool) => (ByteSet::ALL, Counts::exactly(1)),
        _ => (ByteSet::ALL, open_counts(true)),
    }
}

/// The options of a token that takes bytes of a set.
fn allowed(token: &Token, sink: &Sink<'_>) -> u32 {
    let by_head = match &token.head {
        Head::Set(_) => allow::COUNTS | allow::SSE,
        Head::Word(Word::Binary(8, _) | Word::Bool) => allow::OPTIONAL,
        Head::Word(Word::Binary(..) | Word::Float(..)) => 0,
        Head::Word(Word::Data | Word::String | Word::View) => allow::COUNTS | allow::UNTIL,
        _ => allow::COUNTS,
    };
    let by_base = match sink {
        Sink::Store(_, form) => match form.base {
            Base::Digits(..) => allow::WRAP | allow::TRIM,
            Base::Binary(..) => allow::WRAP | allow::SIGNED | allow::SWAP,
            Base::String | Base::Array => allow::INIT | allow::APPEND | allow::TRIM,
            Base::View => allow::APPEND | allow::TRIM,
            Base::Bool | Base::Float(..) | Base::Varint | Base::Member => 0,
        },
        Sink::Function(_) => allow::XOR,
        Sink::Skip => match token.head {
            Head::Word(Word::Binary(..)) => allow::SIGNED | allow::SWAP | allow::WRAP,
            Head::Word(Word::Array) => allow::INIT,
            _ => 0,
        },
        Sink::Module(..) => 0,
    };
    by_head | by_base | allow::IF
}

fn plain(context: &mut Context<'_>, token: &Token, sink: Sink<'_>) -> Resolved {
    let options = options::read(context, token, allowed(token, &sink), None);
    let (mut set, default) = defaults(token, &sink);
    let mut counts = options.counts(default, set.is_all());
    if options.until.is_some() {
        counts = until_counts(context, token, &options);
    }
    let signed = matches!(token.head, Head::Word(Word::Signed(_)));
    let sign = signed || digits_of_set(context, token, &sink, &mut set, options.trim);
    let store = store(context, token, &sink, &options, &set)?;
    let kind = Scan { set, sign, counts, until: options.until, store, xor: options.xor, hint: options.hint };
    Some((TokenKind::Scan(kind), options.condition))
}

/// `until=` has no `min`.
fn until_counts(context: &mut Context<'_>, token: &Token, options: &Options) -> Counts {
    if options.min.is_some() {
        context.report(
            Diagnostic::new(
                names::BAD_OPTION,
                "`until` and a least number of bytes exclude each other",
                token.span,
                "the text ends the token whatever the count",
            )
            .with_help("remove `min`"),
        );
    }
    let max = match options.max {
        Some(Bound::Fixed(n)) => Max::Fixed(n),
        Some(Bound::Expr(e)) => Max::Expr(e),
        None => Max::None,
    };
    Counts { min: Min::Fixed(0), max, min_written: false }
}

/// Checks the set of `->uint`, `->hex` and `->int`. Signs are taken out of it; whether there were some is returned.
fn digits_of_set(
    context: &mut Context<'_>,
    token: &Token,
    sink: &Sink<'_>,
    set: &mut ByteSet,
    trim: bool,
) -> bool {
    let (Head::Set(_), Sink::Store(_, Form { base: Base::Digits(radix, _, signed), .. })) =
        (&token.head, sink)
    else {
        return false;
    };
    let signs = if *signed { ByteSet::from_iter(*b"+-") } else { ByteSet::EMPTY };
    let digits = if *radix == 16 { ByteSet::hex_digits() } else { ByteSet::digits() };
    let free = if trim { blanks() } else { ByteSet::EMPTY };
    let found = *set & signs;
    *set = *set - signs;
    let other = *set - digits - free;
    if !other.is_empty() || set.is_empty() {
        let label = match other.is_empty() {
            true => "it holds no digit".to_string(),
            false => format!("it holds {other}"),
        };
        let diagnostic = Diagnostic::new(
            names::NO_DIGITS,
            "the set holds other bytes than digits",
            token.head_span,
            label,
        );
        let diagnostic = match (radix, signed) {
            (10, false) if other.is_subset(&(ByteSet::hex_digits() | ByteSet::EMPTY)) => {
                diagnostic.with_help("hexadecimal digits are read by `->hex:name`")
            }
            (10, false) if other.is_subset(&ByteSet::from_iter(*b"+-")) => {
                diagnostic.with_help("a sign is read by `->int:name`")
            }
            _ => diagnostic.with_help("take the other bytes by a token of their own"),
        };
        context.report(diagnostic);
    }
    if found.len() == 1 {
        context.report(
            Diagnostic::new(
                names::ONE_SIGN,
                "the set holds one of the two signs",
                token.head_span,
                "`->int` takes both, or none",
            )
            .with_help("write `[+\\-0-9]`"),
        );
    }
    !found.is_empty()
}

fn store(
    context: &mut Context<'_>,
    token: &Token,
    sink: &Sink<'_>,
    options: &Options,
    set: &ByteSet,
) -> Option<Store> {
    let (name, form) = match sink {
        Sink::Skip | Sink::Module(..) => return Some(Store::Skip),
        Sink::Function(name) => {
            let function = context.names.function(&name.text, Role::Stream, name.span);
            return Some(Store::Stream(function));
        }
        Sink::Store(name, form) => (name, form),
    };
    let var = context.names.var(&name.text)?;
    Some(match form.base {
        Base::Digits(radix, bits, signed) => {
            let ty = IntType { bits, signed, wrap: options.wrap };
            Store::Digits { var, radix, ty, trim: options.trim && set.intersects(&blanks()) }
        }
        Base::Binary(bits, big) => {
            let bits = bits.unwrap_or_else(|| counted_bits(context, token));
            let ty = IntType { bits, signed: options.signed, wrap: options.wrap };
            Store::Binary { var, big, swap: options.swap, ty }
        }
        Base::Bool => Store::Binary {
            var,
            big: false,
            swap: None,
            ty: IntType { bits: 64, signed: false, wrap: false },
        },
        Base::Float(_, big) => Store::Float { var, big },
        Base::String | Base::View | Base::Array => {
            Store::Text { var, append: options.append, trim: options.trim, keep: keep(context, var, options) }
        }
        Base::Varint | Base::Member => return None,
    })
}

/// How many bytes a text token keeps: `init` of a string, and of an array whose variable is larger.
fn keep(context: &Context<'_>, var: VarId, options: &Options) -> Option<Bound> {
    match (context.names.symbols.vars[var].ty, options.init) {
        (VarType::Array { capacity }, Some(Bound::Fixed(n))) => {
            (n < u64::from(capacity)).then_some(Bound::Fixed(n))
        }
        (_, init) => init,
    }
}

fn varint(context: &mut Context<'_>, token: &Token, sink: &Sink<'_>) -> Resolved {
    let options = options::read(context, token, allow::MAX | allow::WRAP | allow::IF, None);
    let max = match options.max {
        None => 10,
        Some(Bound::Fixed(n @ 1..=10)) => n as u8,
        Some(_) => {
            context.report(Diagnostic::new(
                names::BAD_BOUND,
                "a varint has 1 to 10 bytes",
                token.span,
                "`max` is a constant from 1 to 10",
            ));
            10
        }
    };
    let var = match sink {
        Sink::Store(name, _) => Some(context.names.var(&name.text)?),
        _ => None,
    };
    let ty = IntType { bits: 64, signed: false, wrap: options.wrap };
    Some((TokenKind::Varint(Varint { var, max, ty }), options.condition))
}

/// `bits{ … }:`
pub fn bits(context: &mut Context<'_>, token: &Token, little: bool, fields: &[Field]) -> Resolved {
    if let Some(name) = token.names().next() {
        context.report(Diagnostic::new(
            names::BAD_NAME,
            "bit fields have names of their own",
            name.span,
            "a name does not belong here",
        ));
    }
    let options = options::read(context, token, allow::SIGNED | allow::WRAP | allow::IF, None);
    let sum: u32 = fields.iter().map(|f| f.bits).sum();
    if !sum.is_multiple_of(8) && fields.iter().all(|f| f.bits > 0) {
        let missing = 8 - sum % 8;
        context.report(
            Diagnostic::new(
                names::BITS_UNEVEN,
                "the bit fields do not fill whole bytes",
                token.head_span,
                format!("they have {sum} bits"),
            )
            .with_help(format!("`_:{missing}` skips the bits that are missing")),
        );
    }
    let resolved = fields.iter().map(|field| BitField {
        var: if field.name.text == "_" { None } else { context.names.var(&field.name.text) },
        bits: field.bits as u8,
        signed: options.signed,
    });
    let fields = resolved.collect();
    let kind = Scan {
        set: ByteSet::ALL,
        sign: false,
        counts: Counts::exactly(u64::from(sum) / 8),
        until: None,
        store: Store::Bits { fields, little },
        xor: None,
        hint: options.hint,
    };
    Some((TokenKind::Scan(kind), options.condition))
}

fn sub_parser(context: &mut Context<'_>, token: &Token, module: &Name, var: &Name) -> Resolved {
    let id = context.imports.get(&module.text).copied().flatten();
    let set = match &token.head {
        Head::Set(set) => *set,
        _ => ByteSet::ALL,
    };
    let sse = if matches!(token.head, Head::Set(_)) { allow::SSE } else { 0 };
    let allowed = allow::COUNTS | allow::XOR | allow::JOIN | allow::IF | allow::SETS | sse;
    let options = options::read(context, token, allowed, id);
    let counts = options.counts(open_counts(set.is_all()), set.is_all());
    id?;
    let var = context.names.var(&var.text)?;
    if !matches!(context.names.symbols.vars[var].ty, VarType::Module(_)) {
        return None;
    }
    let Options { join, xor, sets, condition, .. } = options;
    Some((TokenKind::Module(SubParser { var, set, counts, join, xor, sets }), condition))
}

/// `match:v`
pub fn match_text(context: &mut Context<'_>, token: &Token) -> Resolved {
    let options = options::read(context, token, allow::COUNTS | allow::IF, None);
    let name = match super::sinks::one_name(token) {
        Ok(Some(name)) => name,
        Ok(None) => {
            context.report(needs_name(token, "variable"));
            return None;
        }
        Err(diagnostic) => {
            context.report(*diagnostic);
            return None;
        }
    };
    let Some(var) = context.names.var(&name.text) else {
        options::unknown_variable(context, &name.text, name.span);
        return None;
    };
    if context.names.is_broken(var) {
        return None;
    }
    if !context.names.symbols.vars[var].ty.is_text() {
        context.report(Diagnostic::new(
            names::TYPE_CLASH,
            format!("`{}` is no text", name.text),
            name.span,
            "`match:` needs a string, a view or an array",
        ));
        return None;
    }
    let counts = options.counts(Counts::exactly(1), false);
    Some((TokenKind::Match { var, counts }, options.condition))
}
