//! Tokens and lines behind a token that never comes back to its line.

use super::Context;
use vproto_ir::facts::leaves;
use vproto_ir::grammar::TokenKind;
use vproto_ir::ids::{LineId, TokenId};
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics};

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    for (_, line) in cx.module.lines.iter() {
        let Some(at) = line.tokens.iter().position(|&t| leaves(cx.kind(t))) else { continue };
        let leaving = line.tokens[at];
        let rest = &line.tokens[at + 1..];
        // A label behind it is a way in.
        if !cx.reach.token(leaving) || rest.iter().any(|&t| matches!(cx.kind(t), TokenKind::Label(_))) {
            continue;
        }
        let below = line.children.and_then(|b| cx.module.branchings[b].alternatives.first().copied());
        let span = match (rest.first(), rest.last(), below) {
            (Some(&first), Some(&last), _) => cx.span(first).to(cx.span(last)),
            (_, _, Some(child)) if !holds_label(cx, child) => cx.head_span(child),
            _ => continue,
        };
        let title = format!("nothing behind `{}` is ever reached", cx.text(leaving));
        out.push(
            Diagnostic::new(flow::UNREACHABLE_TOKENS, title, span, "never reached")
                .with_label(cx.span(leaving), "parsing goes on elsewhere from here")
                .with_help(format!("remove it, or move it before `{}`", cx.text(leaving))),
        );
    }
}

/// Whether a line or one below it has a label that can be entered from elsewhere.
fn holds_label(cx: &Context<'_>, line: LineId) -> bool {
    let mut open = vec![line];
    while let Some(line) = open.pop() {
        let row = &cx.module.lines[line];
        if row.tokens.iter().any(|&t: &TokenId| matches!(cx.kind(t), TokenKind::Label(_))) {
            return true;
        }
        open.extend(row.children.into_iter().flat_map(|b| cx.lines_of(b)));
    }
    false
}
