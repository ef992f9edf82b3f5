//! Variables and their types, functions, check values: all that tokens define, before anything that names them.

use super::context::Context;
use super::each_token;
use super::sinks::{Base, Form, Sink, sink};
use super::trees::TreeLines;
use super::types::{Captured, storage};
use crate::vproto::ast::{Field, Head, Member, Name, Part, Quantifier, Token, Word};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use vproto_ir::grammar::Digest;
use vproto_ir::ids::EnumId;
use vproto_ir::symbols::{Var, VarType};
use vproto_source::code::names;
use vproto_source::diagnostic::did_you_mean;
use vproto_source::{Diagnostic, Span};

/// What is known of a variable so far.
struct Known {
    ty: Captured,
    span: Span,
}

type Variables = IndexMap<String, Known>;

/// Collects what the tokens of all trees define.
pub fn collect(context: &mut Context<'_>, trees: &[TreeLines]) {
    let mut variables = Variables::new();
    let lines = std::mem::take(&mut context.lines);
    let mut starts = Vec::new();
    for tree in trees {
        for token in tree.lines.iter().flat_map(|&i| lines[i].tokens()) {
            each_token(token, &mut |token| define(context, &mut variables, token));
            if tree.declares {
                declare(context, token);
            }
            starts.extend(token.start().map(|value| (token, value, tree.declares)));
        }
    }
    for (name, known) in variables {
        let ty = known.ty.var_type().unwrap_or(VarType::Array { capacity: 0 });
        if known.ty == Captured::Array(None) {
            no_capacity(context, &name, known.span);
        }
        let var = context.names.add_var(Var { name, ty, start: None, span: known.span });
        if matches!(known.ty, Captured::Unknown | Captured::Array(None)) {
            context.names.set_broken(var);
        }
    }
    for (token, value, declares) in starts {
        start_value(context, token, value, declares);
    }
    context.lines = lines;
}

/// What one token defines.
fn define(context: &mut Context<'_>, variables: &mut Variables, token: &Token) {
    match &token.head {
        Head::Bits { fields, .. } => {
            let signed = has_option(token, "signed");
            fields
                .iter()
                .filter(|f| f.name.text != "_")
                .for_each(|f| define_field(context, variables, f, signed));
        }
        Head::Word(Word::Begin) => define_begin(context, variables, token),
        Head::Word(Word::End) => {
            if let Some(name) = token.names().next() {
                context.ended.entry(name.text.clone()).or_insert(name.span);
            }
        }
        _ => match sink(token) {
            Ok(Sink::Store(name, form)) => {
                let ty = captured(context, token, name, &form);
                add(context, variables, name, ty);
            }
            Ok(Sink::Module(module, name)) => {
                let id = context.imports.get(&module.text).copied().flatten();
                add(context, variables, name, id.map_or(Captured::Unknown, Captured::Module));
            }
            _ => {}
        },
    }
}

fn define_field(context: &mut Context<'_>, variables: &mut Variables, field: &Field, signed: bool) {
    let ty = match (field.bits, signed) {
        (1, false) => Captured::Bit,
        (bits, signed) => Captured::int(bits as u8, signed),
    };
    add(context, variables, &field.name, ty);
}

fn define_begin(context: &mut Context<'_>, variables: &mut Variables, token: &Token) {
    let found: Vec<&Name> = token.names().collect();
    match found.as_slice() {
        [function] => {
            context.spans.entry(function.text.clone()).or_insert(function.span);
        }
        [digest, var] => {
            context.digests.entry(var.text.clone()).or_insert(var.span);
            let ty = match find_digest(&digest.text) {
                Some(digest) => Captured::int(digest.bits(), false),
                None => {
                    unknown_digest(context, digest);
                    Captured::Unknown
                }
            };
            add(context, variables, var, ty);
        }
        _ => {}
    }
}

/// The check value of a name.
pub fn find_digest(name: &str) -> Option<Digest> {
    Digest::ALL.iter().find(|(n, _)| *n == name).map(|&(_, d)| d)
}

fn unknown_digest(context: &mut Context<'_>, name: &Name) {
    let known = Digest::ALL.map(|(n, _)| n);
    let diagnostic = Diagnostic::new(
        names::UNKNOWN_DIGEST,
        format!("unknown check value `{}`", name.text),
        name.span,
        "this is none of the check values that are known",
    );
    let help = match did_you_mean(&name.text, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", known.join(" ")),
    };
    context.report(diagnostic.with_help(help));
}

/// Whether an option of this name is written.
pub fn has_option(token: &Token, key: &str) -> bool {
    token.options().any(|o| o.key.as_ref().is_some_and(|k| k.text == key))
}

/// The constant value of an option, if it is written and constant.
fn option_constant(context: &mut Context<'_>, token: &Token, key: &str) -> Option<i64> {
    let item = token.options().find(|o| o.key.as_ref().is_some_and(|k| k.text == key))?;
    let value = item.value?;
    context.quiet_constant(value)
}

/// Bits of a binary integer whose width the counts give: the constant `max`, else 64.
pub fn counted_bits(context: &mut Context<'_>, token: &Token) -> u8 {
    if token.parts.iter().any(|p| matches!(p, Part::Count(Quantifier::Optional, _))) {
        return 8;
    }
    match option_constant(context, token, "max") {
        Some(bytes @ 1..=8) => bytes as u8 * 8,
        _ => 64,
    }
}

/// What a token says of its variable.
fn captured(context: &mut Context<'_>, token: &Token, name: &Name, form: &Form<'_>) -> Captured {
    let signed = has_option(token, "signed");
    let base = match form.base {
        Base::Digits(_, bits, sign) => Captured::int(bits, sign),
        Base::Binary(Some(bits), _) => Captured::int(bits, signed),
        Base::Binary(None, _) => Captured::int(counted_bits(context, token), signed),
        Base::Varint => Captured::int(64, false),
        Base::Bool => Captured::Bool,
        Base::Float(bits, _) => Captured::Float(bits),
        Base::String => Captured::String,
        Base::View => Captured::View,
        Base::Array => Captured::Array(array_capacity(context, token)),
        Base::Member => Captured::int(8, false),
    };
    let Some((members, span)) = form.members else { return base };
    let Some((of, largest)) = enum_type(context, name, members, span) else { return Captured::Unknown };
    let needed = storage((64 - largest.leading_zeros()) as u8);
    match base {
        Captured::Int { bits, signed: false } if form.base == Base::Member => {
            Captured::Enum(of, bits.max(needed))
        }
        Captured::Int { bits, signed: false } => {
            if needed > bits {
                never_read(context, of, span, bits);
            }
            Captured::Enum(of, bits)
        }
        _ => {
            context.report(
                Diagnostic::new(
                    names::TYPE_CLASH,
                    "an enum cannot be signed",
                    span,
                    "read as a signed integer",
                )
                .with_label(token.head_span, "this token gives signed values"),
            );
            Captured::Unknown
        }
    }
}

fn never_read(context: &mut Context<'_>, of: EnumId, span: Span, bits: u8) {
    let members = &context.names.symbols.enums[of].members;
    let large = members.iter().find(|(_, value)| bits < 64 && value >> bits > 0);
    let name = large.map_or(String::new(), |(name, _)| name.clone());
    context.report(Diagnostic::new(
        names::MEMBER_TOO_LARGE,
        "a member of the enum can never be read",
        span,
        format!("the integer has {bits} bits, `{name}` needs more"),
    ));
}

fn array_capacity(context: &mut Context<'_>, token: &Token) -> Option<u32> {
    let capacity = option_constant(context, token, "init").or_else(|| option_constant(context, token, "max"));
    capacity.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)
}

/// The members of an enum with their values; the enum type and its largest value.
fn enum_type(
    context: &mut Context<'_>,
    name: &Name,
    members: &[Member],
    span: Span,
) -> Option<(EnumId, u64)> {
    let listed = member_values(context, members, true);
    let largest = listed.iter().map(|(_, v)| *v).max()?;
    Some((context.names.enum_type(&name.text, listed, span), largest))
}

/// Names and values of members: a value that is not written is one more than the one before.
pub fn member_values(context: &mut Context<'_>, members: &[Member], report: bool) -> Vec<(String, u64)> {
    let mut listed: Vec<(String, u64)> = Vec::new();
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut next = Some(0u64);
    for member in members {
        let written = match member.value {
            Some(span) if report => context.constant(span).map(|v| (v, span)),
            Some(span) => context.quiet_constant(span).map(|v| (v, span)),
            None => None,
        };
        let value = match written {
            Some((value, span)) => match u64::try_from(value) {
                Ok(value) => value,
                Err(_) => {
                    if report {
                        negative_member(context, span);
                    }
                    0
                }
            },
            None => next.unwrap_or(0),
        };
        next = value.checked_add(1);
        if !seen.insert(&member.name.text) {
            if report {
                double_member(context, &member.name);
            }
            continue;
        }
        listed.push((member.name.text.clone(), value));
    }
    listed
}

fn negative_member(context: &mut Context<'_>, span: Span) {
    context.report(Diagnostic::new(
        names::BAD_BOUND,
        "a member of an enum is negative",
        span,
        "values begin at 0",
    ));
}

fn double_member(context: &mut Context<'_>, name: &Name) {
    context.report(Diagnostic::new(
        names::DOUBLE_ENUM_MEMBER,
        format!("member `{}` is listed twice", name.text),
        name.span,
        "a second member of this name",
    ));
}

/// Adds what a token says of a variable to what is known.
fn add(context: &mut Context<'_>, variables: &mut Variables, name: &Name, ty: Captured) {
    if matches!(name.text.as_str(), "offset" | "left" | "true" | "false") {
        reserved(context, name);
    } else if name.text.starts_with(|c: char| c.is_ascii_digit()) {
        context.report(Diagnostic::new(
            names::BAD_NAME,
            format!("`{}` is no name", name.text),
            name.span,
            "names begin with a letter or `_`",
        ));
    } else if let Some(&(_, first)) = context.names.consts.get(&name.text) {
        context.report(
            Diagnostic::new(
                names::NAME_CLASH,
                format!("`{}` is a constant and a variable", name.text),
                name.span,
                "a variable of this name",
            )
            .with_label(first, "the constant"),
        );
    }
    let Some(known) = variables.get_mut(&name.text) else {
        variables.insert(name.text.clone(), Known { ty, span: name.span });
        return;
    };
    match known.ty.widest(ty) {
        Some(widest) => known.ty = widest,
        None => {
            let (before, first) = (known.ty, known.span);
            clash(context, name, before, ty, first);
        }
    }
}

/// Reports a name that the language keeps for itself.
pub fn reserved(context: &mut Context<'_>, name: &Name) {
    context.report(
        Diagnostic::new(
            names::RESERVED_NAME,
            format!("`{}` is a reserved name", name.text),
            name.span,
            "expressions give this name a meaning of its own",
        )
        .with_help("choose another name"),
    );
}

fn clash(context: &mut Context<'_>, name: &Name, before: Captured, ty: Captured, first: Span) {
    let diagnostic = Diagnostic::new(
        names::TYPE_CLASH,
        format!("variable `{}` has two types", name.text),
        name.span,
        format!("here it is {}", ty.describe()),
    )
    .with_label(first, format!("here it is {}", before.describe()));
    let help = match (before, ty) {
        (Captured::Int { .. }, Captured::Int { .. }) => "no integer holds both ranges: use two variables",
        (Captured::Enum(..), Captured::Enum(..)) => "write the same list of members in both places",
        (Captured::String, Captured::View) | (Captured::View, Captured::String) => {
            "use one of the two in both places"
        }
        _ => "use two variables",
    };
    context.report(diagnostic.with_help(help));
}

fn no_capacity(context: &mut Context<'_>, name: &str, span: Span) {
    context.report(
        Diagnostic::new(
            names::NO_CAPACITY,
            format!("array `{name}` has no capacity"),
            span,
            "neither `init` nor a constant `max` above 0 is given",
        )
        .with_help("write `(max=n, init=16)`: more than 16 bytes are consumed, not stored"),
    );
}

/// Remembers a declaration; a second one of the same variable is an error.
fn declare(context: &mut Context<'_>, token: &Token) {
    let Some(name) = token.last_name() else { return };
    if let Some(&first) = context.declared.get(&name.text) {
        context.report(
            Diagnostic::new(
                names::DOUBLE_VARIABLE,
                format!("variable `{}` is declared twice", name.text),
                name.span,
                "a second declaration",
            )
            .with_label(first, "the first one")
            .with_help("remove one of the two"),
        );
        return;
    }
    context.declared.insert(name.text.clone(), name.span);
}

/// `= value` behind a declaration.
fn start_value(context: &mut Context<'_>, token: &Token, span: Span, declares: bool) {
    if !declares {
        context.report(
            Diagnostic::new(
                names::MISPLACED_START,
                "a start value outside of a declaration",
                span,
                "only lone typed tokens of a tree of their own have start values",
            )
            .with_help("declare the variable below a blank line, or assign it in code: `{ width = 2; }`"),
        );
        return;
    }
    let Some(var) = token.last_name().and_then(|name| context.names.var(&name.text)) else { return };
    if context.names.is_broken(var) {
        return;
    }
    let ty = context.names.symbols.vars[var].ty;
    let member = match ty {
        VarType::Enum { of, .. } => context
            .names
            .member(of, context.text(span))
            .map(|i| context.names.symbols.enums[of].members[i as usize].1),
        _ => None,
    };
    let value = match member {
        Some(value) => i128::from(value),
        None => match large_number(context.text(span)) {
            Some(value) => value,
            None => match context.constant(span) {
                Some(value) => i128::from(value),
                None => return,
            },
        },
    };
    match ty.range() {
        Some((low, high)) if (low..=high).contains(&value) => {
            context.names.symbols.vars[var].start = Some(value)
        }
        Some((low, high)) => context.report(Diagnostic::new(
            names::BAD_START,
            "the start value does not fit its variable",
            span,
            format!("the variable holds {low} to {high}"),
        )),
        None => context.report(Diagnostic::new(
            names::BAD_START,
            "this variable has no start value",
            span,
            "only integers, booleans and enums have one; others start empty",
        )),
    }
}

/// A number between 2^63 and 2^64, which expressions do not know.
fn large_number(text: &str) -> Option<i128> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => text.parse::<u64>().ok()?,
    };
    Some(i128::from(value))
}
