//! Parallel alternatives: those that can be empty, those that can never win, and conditions that name what is not
//! there yet.

use super::product::{Step, rival, winners};
use super::{Context, literal_name};
use vproto_ir::ByteSet;
use vproto_ir::facts::{Decides, When};
use vproto_ir::grammar::{Bound, Counts, Literal, Max, Min, Parallel, Scan, Store, SubParser, TokenKind};
use vproto_ir::ids::{ExprId, TokenId, VarId};
use vproto_ir::portable::CodeKind;
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics, Span};

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    for (id, token) in cx.module.tokens.iter() {
        match &token.kind {
            TokenKind::Parallel(group) => empty(cx, id, group, out),
            TokenKind::EnumText(texts) => {
                let literal = |text: &[u8], fold| letters(text, fold);
                let sequences =
                    texts.texts.iter().map(|(_, text, fold)| (token.span, literal(text, *fold))).collect();
                compete(sequences, out);
            }
            _ => {}
        }
    }
    for group in groups(cx) {
        let sequences = group.iter().flat_map(|&t| sequences(cx, t));
        compete(sequences.filter_map(|(span, s)| Some((span, steps(cx, s)?))).collect(), out);
        group.iter().for_each(|&t| conditions(cx, t, out));
    }
}

/// Groups that start together: all that begin a line of one branching, else each by itself.
fn groups(cx: &Context<'_>) -> Vec<Vec<TokenId>> {
    let mut groups = Vec::new();
    let mut leading = vec![false; cx.module.tokens.len()];
    for (id, branching) in cx.module.branchings.iter() {
        let lines = branching.alternatives.iter();
        let heads = lines.filter(|&&l| cx.facts.lines[l].decides == Decides::Parallel);
        let group: Vec<TokenId> = heads.filter_map(|&l| cx.module.first_token(l)).collect();
        group.iter().for_each(|t| leading[t.0 as usize] = true);
        if cx.reach.branching(id) && !group.is_empty() {
            groups.push(group);
        }
    }
    let single = cx.module.tokens.iter().filter(|(id, t)| {
        matches!(t.kind, TokenKind::Parallel(_)) && !leading[id.0 as usize] && cx.reach.token(*id)
    });
    groups.extend(single.map(|(id, _)| vec![id]));
    groups
}

fn sequences<'a>(cx: &Context<'a>, token: TokenId) -> impl Iterator<Item = (Span, &'a [TokenId])> {
    let group = match cx.kind(token) {
        TokenKind::Parallel(group) => group.sequences.as_slice(),
        _ => &[],
    };
    let module = cx.module;
    group.iter().filter_map(move |s| {
        let (first, last) = (s.first()?, s.last()?);
        Some((module.tokens[*first].span.to(module.tokens[*last].span), s.as_slice()))
    })
}

fn empty(cx: &Context<'_>, id: TokenId, group: &Parallel, out: &mut Diagnostics) {
    for sequence in &group.sequences {
        let can_be = sequence.iter().map(|&t| cx.facts.tokens[t].empty).min().unwrap_or(When::Always);
        if can_be == When::Never {
            continue;
        }
        let span = match (sequence.first(), sequence.last()) {
            (Some(&first), Some(&last)) => cx.span(first).to(cx.span(last)),
            _ => cx.span(id),
        };
        let label = if can_be == When::Always {
            "can complete without input"
        } else {
            "takes nothing at some moments"
        };
        out.push(
            Diagnostic::new(flow::EMPTY_PARALLEL, "an alternative in `< >` can be empty", span, label)
                .with_help(
                    "give one of its tokens a minimum of 1, or move the optional part behind the `< >`",
                ),
        );
    }
}

/// Losers of one group that are told.
const MOST_LOSERS: usize = 50;

/// Reports the sequences that can never win.
fn compete(sequences: Vec<(Span, Vec<Step>)>, out: &mut Diagnostics) {
    let (spans, steps): (Vec<Span>, Vec<Vec<Step>>) = sequences.into_iter().unzip();
    let Some(wins) = winners(&steps) else { return };
    for (loser, _) in wins.iter().enumerate().filter(|(_, wins)| !**wins).take(MOST_LOSERS) {
        let Some((text, winner, seen)) = rival(&steps, loser) else { continue };
        let title = format!("the alternative {} can never win", literal_name(&text));
        let prefix = literal_name(&text[..seen.min(text.len())]);
        let when = format!("after {prefix} another alternative has won");
        let found = Diagnostic::new(flow::NEVER_WINS, title, spans[loser], when);
        let found = if spans[winner] == spans[loser] {
            found
        } else {
            found.with_label(spans[winner], format!("wins on {prefix}"))
        };
        out.push(found.with_help("the first to complete wins: let the shorter one end in what must follow it, or leave this one out"));
    }
}

/// A sequence as steps; none if it holds a token whose course is not fixed.
fn steps(cx: &Context<'_>, sequence: &[TokenId]) -> Option<Vec<Step>> {
    let mut out = Vec::new();
    for &id in sequence {
        let token = &cx.module.tokens[id];
        if token.condition.is_some() {
            return None;
        }
        match &token.kind {
            TokenKind::Scan(scan) => out.push(scan_step(scan)?),
            TokenKind::Literal(literal) => out.extend(literal_steps(literal)?),
            TokenKind::Begin(_)
            | TokenKind::BeginDigest(..)
            | TokenKind::End(_)
            | TokenKind::EndDigest(_)
            | TokenKind::EnumInit(_)
            | TokenKind::Code(_)
            | TokenKind::Notify { .. } => {}
            _ => return None,
        }
    }
    (!out.iter().all(|step| step.min == 0 || step.skip > 0)).then_some(out)
}

fn scan_step(scan: &Scan) -> Option<Step> {
    // A value that does not fit drops the sequence, so that a rival may win.
    if scan.sign || scan.until.is_some() || matches!(scan.store, Store::Digits { .. }) {
        return None;
    }
    let max = match scan.counts.max {
        Max::Fixed(n) => Some(u32::try_from(n).ok()?),
        Max::None => None,
        Max::Expr(_) => return None,
    };
    let min = match scan.counts.min {
        Min::Fixed(n) => u32::try_from(n).ok()?,
        Min::Max => max?,
        Min::Expr(_) => return None,
    };
    Some(Step { set: scan.set, min: max.map_or(min, |m| m.min(min)), max, skip: 0 })
}

fn literal_steps(literal: &Literal) -> Option<Vec<Step>> {
    let mut steps = letters(&literal.text, literal.fold);
    match (literal.counts.min, literal.counts.max) {
        (Min::Fixed(1), Max::Fixed(1)) => {}
        (Min::Fixed(0), Max::Fixed(1)) => steps.first_mut()?.skip = literal.text.len(),
        _ => return None,
    }
    Some(steps)
}

fn letters(text: &[u8], fold: bool) -> Vec<Step> {
    text.iter().map(|&b| Step { set: ByteSet::letter(b, fold), min: 1, max: Some(1), skip: 0 }).collect()
}

/// A condition inside may only name variables that were set before the `<`; bounds and options read the values from
/// before it.
fn conditions(cx: &Context<'_>, group: TokenId, out: &mut Diagnostics) {
    let mut stored: Vec<(VarId, TokenId)> = Vec::new();
    let mut asked: Vec<(VarId, TokenId)> = Vec::new();
    let mut open = vec![group];
    while let Some(id) = open.pop() {
        for (_, sequence) in sequences(cx, id) {
            for &token in sequence {
                asked.extend(reads_at_once(cx, token).into_iter().map(|v| (v, token)));
                match cx.kind(token) {
                    TokenKind::Parallel(_) => open.push(token),
                    kind => stored.extend(stores(kind).into_iter().map(|v| (v, token))),
                }
            }
        }
    }
    asked.dedup();
    for (var, asks) in asked {
        let Some(&(_, store)) = stored.iter().find(|(v, _)| *v == var) else { continue };
        let name = &cx.module.symbols.vars[var].name;
        let condition = matches!(cx.kind(asks), TokenKind::If(_));
        let (code, title, label, help) = if condition {
            (
                flow::CONDITION_IN_PARALLEL,
                format!("`{name}` is not yet known in this condition"),
                "runs while the alternatives are undecided".to_owned(),
                "put the condition behind the `< >`",
            )
        } else {
            (
                flow::STALE_IN_PARALLEL,
                format!("`{}` reads `{name}` before it is known", cx.text(asks)),
                format!("uses the value that `{name}` had before the `<`"),
                "capture the value before the `< >`, or put this token behind it",
            )
        };
        out.push(
            Diagnostic::new(code, title, cx.span(asks), label)
                .with_label(
                    cx.span(store),
                    format!("`{name}` becomes visible only when its alternative has won"),
                )
                .with_help(help),
        );
    }
}

/// The variables that a token in an undecided `< >` reads when it runs: not code and `notify:`, which wait.
fn reads_at_once(cx: &Context<'_>, token: TokenId) -> Vec<VarId> {
    let symbols = &cx.module.symbols;
    let row = &cx.module.tokens[token];
    let mut exprs: Vec<ExprId> = row.condition.into_iter().collect();
    let mut vars = Vec::new();
    match &row.kind {
        TokenKind::If(code) => {
            if let CodeKind::Condition(expr) = &symbols.codes[*code].kind {
                vars.extend(expr.reads().vars);
            }
        }
        TokenKind::Scan(scan) => {
            exprs.extend(bounds(&scan.counts));
            vars.extend(scan.xor);
            match scan.store {
                Store::Text { keep: Some(Bound::Expr(keep)), .. } => exprs.push(keep),
                Store::Binary { swap, .. } => exprs.extend(swap),
                _ => {}
            }
        }
        TokenKind::Literal(literal) => exprs.extend(bounds(&literal.counts)),
        TokenKind::Match { var, counts } => {
            exprs.extend(bounds(counts));
            vars.push(*var);
        }
        _ => {}
    }
    vars.extend(exprs.into_iter().flat_map(|e| symbols.exprs[e].reads().vars));
    vars
}

/// The bounds that are computed at run time.
fn bounds(counts: &Counts) -> impl Iterator<Item = ExprId> + use<> {
    let min = match counts.min {
        Min::Expr(e) => Some(e),
        Min::Fixed(_) | Min::Max => None,
    };
    let max = match counts.max {
        Max::Expr(e) => Some(e),
        Max::Fixed(_) | Max::None => None,
    };
    min.into_iter().chain(max)
}

/// The variables that a token stores.
pub(super) fn stores(kind: &TokenKind) -> Vec<VarId> {
    match kind {
        TokenKind::Scan(scan) => match &scan.store {
            Store::Skip | Store::Stream(_) => Vec::new(),
            Store::Digits { var, .. }
            | Store::Binary { var, .. }
            | Store::Text { var, .. }
            | Store::Float { var, .. } => {
                vec![*var]
            }
            Store::Bits { fields, .. } => fields.iter().filter_map(|f| f.var).collect(),
        },
        TokenKind::Varint(varint) => varint.var.into_iter().collect(),
        TokenKind::EnumText(texts) => vec![texts.var],
        TokenKind::EnumInit(var) | TokenKind::EndDigest(var) | TokenKind::EndModule(var) => vec![*var],
        TokenKind::Module(SubParser { var, .. }) => vec![*var],
        _ => Vec::new(),
    }
}
