//! Tokens that leave nothing for what follows, and numbers that cannot fit.

use super::Context;
use vproto_ir::ByteSet;
use vproto_ir::grammar::{IntType, Max, Min, Scan, Store, TokenKind};
use vproto_ir::ids::{BranchingId, LineId, TokenId, VarId};
use vproto_ir::symbols::VarType;
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics, Span};

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    for id in cx.module.lines.ids() {
        greedy(cx, id, out);
    }
    for (id, token) in cx.module.tokens.iter() {
        if let TokenKind::Scan(scan) = &token.kind
            && cx.reach.token(id)
        {
            width(cx, id, scan, out);
        }
    }
    unbounded(cx, out);
}

/// Captures shown by name in one note.
const MOST_NAMED: usize = 8;

/// Texts that only the default limit bounds: one note for all of them.
fn unbounded(cx: &Context<'_>, out: &mut Diagnostics) {
    let mut found: Vec<(VarId, TokenId)> = Vec::new();
    for (id, token) in cx.module.tokens.iter() {
        let TokenKind::Scan(scan) = &token.kind else { continue };
        if let Some(var) = grows(cx, scan)
            && cx.reach.token(id)
            && !found.iter().any(|&(v, _)| v == var)
        {
            found.push((var, id));
        }
        if found.len() > MOST_NAMED {
            break;
        }
    }
    let Some(&(_, first)) = found.first() else { return };
    let names: Vec<String> = found
        .iter()
        .take(MOST_NAMED)
        .map(|&(v, _)| format!("`{}`", cx.module.symbols.vars[v].name))
        .collect();
    let more = if found.len() > MOST_NAMED { " and more" } else { "" };
    let (title, label) = match found.len() {
        1 => (format!("the capture {} has no bound of its own", names[0]), "may take any number of bytes"),
        _ => (
            format!("captures without a bound of their own: {}{more}", names.join(", ")),
            "the first one: may take any number of bytes",
        ),
    };
    out.push(Diagnostic::new(flow::DEFAULT_BOUND, title, cx.span(first), label).with_help(
        "they stop with `limit` above 64 KiB: bound each by `(max=…)`, or state what is allowed by `@limit string=… view=…`",
    ));
}

/// The variable of a text whose length nothing that is written bounds.
fn grows(cx: &Context<'_>, scan: &Scan) -> Option<VarId> {
    let Store::Text { var, append, keep: None, .. } = scan.store else { return None };
    let stated = match cx.module.symbols.vars[var].ty {
        VarType::String => cx.module.stated.string,
        VarType::View => cx.module.stated.view,
        _ => true,
    };
    (!stated && (append || scan.counts.max == Max::None)).then_some(var)
}

/// A run without a greatest count takes all bytes of its set: what must begin with one of them never gets it.
fn greedy(cx: &Context<'_>, line: LineId, out: &mut Diagnostics) {
    let tokens = &cx.module.lines[line].tokens;
    for (index, &id) in tokens.iter().enumerate() {
        let TokenKind::Scan(scan) = cx.kind(id) else { continue };
        let unbounded = scan.counts.max == Max::None && scan.until.is_none();
        if !unbounded || cx.module.tokens[id].condition.is_some() || !cx.reach.token(id) {
            continue;
        }
        if let Some(starved) = starved(cx, line, index + 1, scan.set) {
            report_greedy(cx, id, scan, starved, out);
        }
    }
}

/// The place behind a run of `set` that needs a byte of it, if nothing before that place can take another byte.
fn starved(cx: &Context<'_>, line: LineId, from: usize, set: ByteSet) -> Option<Span> {
    for &id in cx.module.lines[line].tokens.iter().skip(from) {
        let token = &cx.facts.tokens[id];
        if vproto_ir::facts::leaves(cx.kind(id)) || !token.first.is_subset(&set) {
            return None;
        }
        if token.bytes.min > 0 && !token.first.is_empty() {
            return Some(cx.span(id));
        }
    }
    cx.module.lines[line].children.and_then(|b| starved_branching(cx, b, set))
}

/// The first alternative of a branching none of whose alternatives can be taken behind a run of `set`.
fn starved_branching(cx: &Context<'_>, id: BranchingId, set: ByteSet) -> Option<Span> {
    let branching = &cx.module.branchings[id];
    let needs = |&line: &LineId| {
        use vproto_ir::facts::Decides;
        let facts = &cx.facts.lines[line];
        let plain =
            matches!(facts.decides, Decides::Byte { otherwise: None, moment: false } | Decides::Parallel);
        plain && facts.first.is_subset(&set)
    };
    let handled = branching.finish.is_some() || cx.handler(id, false).is_some();
    let starved = !handled && branching.alternatives.iter().all(needs);
    starved.then(|| branching.alternatives.first().map(|&l| cx.head_span(l))).flatten()
}

fn report_greedy(cx: &Context<'_>, id: TokenId, scan: &Scan, starved: Span, out: &mut Diagnostics) {
    let (code, title, why, help) = if scan.set.is_all() {
        (
            flow::UNBOUNDED_CAPTURE,
            format!("`{}` takes everything up to the end of input", cx.text(id)),
            "takes any byte, without an end".to_string(),
            "give it an end: `max=…`, or `until=\"…\"`",
        )
    } else {
        (
            flow::STARVED_TOKEN,
            format!("`{}` takes the bytes that must follow it", cx.text(id)),
            format!("takes every byte of {}", scan.set),
            "tokens do not give back what they took: leave the byte out of the set, or bound the count by `max=…`",
        )
    };
    out.push(
        Diagnostic::new(code, title, starved, "can never begin here")
            .with_label(cx.span(id), why)
            .with_help(help),
    );
}

/// Numbers that take more than their variable holds.
fn width(cx: &Context<'_>, id: TokenId, scan: &Scan, out: &mut Diagnostics) {
    let (var, ty) = match &scan.store {
        Store::Digits { var, ty, .. } | Store::Binary { var, ty, .. } => (*var, *ty),
        _ => return,
    };
    if ty.wrap {
        return;
    }
    let symbol = &cx.module.symbols.vars[var];
    let found = match &scan.store {
        Store::Digits { radix, .. } => wide_digits(scan, *radix, ty),
        _ => wide_binary(scan, ty),
    };
    if let Some(label) = found {
        let title = format!("`{}` takes more than `{}` holds", cx.text(id), symbol.name);
        out.push(
            Diagnostic::new(flow::WIDE_NUMBER, title, cx.span(id), label)
                .with_help("take a wider type, fewer bytes, or `wrap` if only the lowest bits matter"),
        );
    }
}

/// A least count of digits above what the type's greatest value has: all but numbers with leading zeros overflow.
fn wide_digits(scan: &Scan, radix: u8, ty: IntType) -> Option<String> {
    let Min::Fixed(min) = scan.counts.min else { return None };
    let largest: u128 = (1 << (ty.bits - u8::from(ty.signed))) - 1;
    let digits = std::iter::successors(Some(largest), |n| Some(n / u128::from(radix)).filter(|&n| n > 0))
        .count() as u64;
    (min > digits).then(|| format!("at least {min} digits, but {} bits hold at most {digits}", ty.bits))
}

/// A least number of bytes above the type's: fewer than all values fit.
fn wide_binary(scan: &Scan, ty: IntType) -> Option<String> {
    let bytes = match (scan.counts.min, scan.counts.max) {
        (Min::Fixed(min), Max::Fixed(max)) => min.min(max),
        (Min::Max, Max::Fixed(max)) => max,
        (Min::Fixed(min), _) => min,
        _ => return None,
    };
    (bytes.saturating_mul(8) > u64::from(ty.bits))
        .then(|| format!("{bytes} bytes, but the value must fit {} bits", ty.bits))
}
