//! `catch:` lines that no exception can reach, and `finish:` lines that ask for bytes.

use super::{Context, alternatives};
use vproto_ir::facts::Decides;
use vproto_ir::grammar::{LineRole, Max, Min, Scan, Store, TokenKind};
use vproto_ir::ids::{Id, LineId, TokenId};
use vproto_ir::portable::{CodeKind, ExprKind};
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics, Span};

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    catches(cx, out);
    for (id, line) in cx.module.lines.iter() {
        if line.role == LineRole::Finish {
            finish(cx, id, out);
        }
    }
}

/// Every place that can raise marks the handler it finds; unmarked handlers are idle.
fn catches(cx: &Context<'_>, out: &mut Diagnostics) {
    let mut reached = vec![false; cx.module.lines.len()];
    for (id, line) in cx.module.lines.iter() {
        if line.tokens.iter().any(|&t| cx.reach.token(t) && can_raise(cx, t))
            && let Some(catch) = cx.line_handler(id)
        {
            reached[catch.index()] = true;
        }
    }
    for (id, branching) in cx.module.branchings.iter() {
        if cx.reach.branching(id)
            && !branching.alternatives.is_empty()
            && dispatch_raises(cx, id)
            && let Some(catch) = cx.handler(id, false)
        {
            reached[catch.index()] = true;
        }
    }
    for (id, branching) in cx.module.branchings.iter() {
        if let Some(catch) = branching.catch
            && !reached[catch.index()]
            && cx.reach.branching(id)
        {
            out.push(
                Diagnostic::new(
                    flow::IDLE_CATCH,
                    "no exception can reach this `catch:`",
                    catch_span(cx, catch),
                    "never runs",
                )
                .with_help("exceptions of deeper lines come here only through lines that end in `\\`"),
            );
        }
    }
}

/// The `catch:` itself is no token: its line's text begins with it.
pub(super) fn catch_span(cx: &Context<'_>, line: LineId) -> Span {
    let span = cx.module.lines[line].span;
    let file = cx.files.get(span.file);
    let before = file.text.get(..span.start as usize).unwrap_or("");
    let word = before.rfind('\n').map_or(0, |i| i + 1);
    let indent = before[word..].len() - before[word..].trim_start().len();
    if before[word + indent..].starts_with("catch:") {
        Span { start: (word + indent) as u32, end: span.end, ..span }
    } else {
        span
    }
}

/// Whether entering a branching may raise, the end of a limit included.
fn dispatch_raises(cx: &Context<'_>, id: vproto_ir::ids::BranchingId) -> bool {
    let needs_byte = cx.module.branchings[id]
        .alternatives
        .iter()
        .any(|&line| matches!(cx.facts.lines[line].decides, Decides::Byte { .. } | Decides::Parallel));
    needs_byte && !closes(cx, id) || alternatives::can_fail(cx, id)
}

/// Whether some alternative is taken where no byte is there.
fn closes(cx: &Context<'_>, id: vproto_ir::ids::BranchingId) -> bool {
    cx.module.branchings[id].alternatives.iter().any(|&line| match cx.facts.lines[line].decides {
        Decides::Taken => true,
        Decides::Condition(token) => cx.always_true(token),
        _ => false,
    })
}

/// Whether a token may raise an exception. In doubt it may.
pub(super) fn can_raise(cx: &Context<'_>, token: TokenId) -> bool {
    let row = &cx.module.tokens[token];
    if row.condition.is_some() {
        return true;
    }
    match &row.kind {
        TokenKind::Scan(scan) => scan_raises(scan),
        TokenKind::Literal(literal) => {
            let optional = matches!(
                (literal.counts.min, literal.counts.max),
                (Min::Fixed(0), Max::Fixed(_) | Max::None)
            );
            !(optional && literal.text.len() == 1)
        }
        TokenKind::EnumInit(_)
        | TokenKind::Begin(_)
        | TokenKind::BeginDigest(..)
        | TokenKind::End(_)
        | TokenKind::EndDigest(_)
        | TokenKind::Label(_)
        | TokenKind::Jump(_)
        | TokenKind::Reset
        | TokenKind::Break
        | TokenKind::Bang
        | TokenKind::Back(_) => false,
        TokenKind::Code(code) => {
            !matches!(&cx.module.symbols.codes[*code].kind, CodeKind::Block(statements) if statements.is_empty())
        }
        TokenKind::Notify { arguments, .. } => {
            let plain = |e: &ExprKind| {
                matches!(e, ExprKind::Var(_) | ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Text(_))
            };
            !arguments.iter().all(|&e| plain(&cx.module.symbols.exprs[e].kind))
        }
        _ => true,
    }
}

fn scan_raises(scan: &Scan) -> bool {
    let harmless = matches!(scan.store, Store::Skip | Store::Stream(_)) && scan.xor.is_none() && !scan.sign;
    let optional = scan.counts.min == Min::Fixed(0) && matches!(scan.counts.max, Max::Fixed(_) | Max::None);
    !(harmless && optional && scan.until.is_none())
}

/// Nothing comes after the end of input: tokens with bytes cannot run there.
fn finish(cx: &Context<'_>, line: LineId, out: &mut Diagnostics) {
    let takes = |&&t: &&TokenId| match cx.kind(t) {
        TokenKind::Call(_) => cx.facts.tokens[t].bytes.min > 0,
        TokenKind::Module(_) | TokenKind::Parallel(_) | TokenKind::Match { .. } => true,
        _ => cx.facts.tokens[t].bytes.max != Some(0),
    };
    if let Some(&token) = cx.module.lines[line].tokens.iter().find(takes) {
        let title = format!("`{}` in a `finish:` line takes bytes", cx.text(token));
        out.push(
            Diagnostic::new(
                flow::FINISH_TAKES_BYTES,
                title,
                cx.span(token),
                "runs when there is no input any more",
            )
            .with_help("only tokens without bytes can stand here, such as `notify:` and code"),
        );
    }
}
