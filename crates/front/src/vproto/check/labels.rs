//! Trees that are never entered, labels that nobody names, tokens behind the end of a line.

use super::Context;
use vproto_ir::facts::leaves;
use vproto_ir::grammar::TokenKind;
use vproto_ir::ids::{Id, LabelId, TokenId, TreeId};
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics};

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    trees(cx, out);
    unused(cx, out);
    behind(cx, out);
}

/// The label that a token names.
fn named(kind: &TokenKind) -> Option<LabelId> {
    match kind {
        TokenKind::Call(call) => Some(call.label),
        TokenKind::Jump(label) => Some(*label),
        _ => None,
    }
}

/// A tree without a label that anybody outside names.
fn trees(cx: &Context<'_>, out: &mut Diagnostics) {
    let mut entered = vec![false; cx.module.trees.len()];
    let tree_of = |line| cx.module.branchings[cx.module.lines[line].branching].tree;
    for (_, line) in cx.module.lines.iter() {
        let from = cx.module.branchings[line.branching].tree;
        for label in line.tokens.iter().filter_map(|&t| named(cx.kind(t))) {
            let to = tree_of(cx.module.labels[label].line);
            entered[to.index()] |= from != to;
        }
    }
    for (id, tree) in cx.module.trees.iter() {
        if id == TreeId(0) || entered[id.index()] {
            continue;
        }
        let Some(line) = cx.lines_of(tree.branching).next() else { continue };
        let title = "this tree is never entered";
        out.push(
            Diagnostic::new(
                flow::TREE_NOT_ENTERED,
                title,
                cx.head_span(line),
                "no `call:` or `jmp:` leads here",
            )
            .with_help("remove the blank line above, or name a label of it by `call:` or `jmp:`"),
        );
    }
}

fn unused(cx: &Context<'_>, out: &mut Diagnostics) {
    let mut used = vec![false; cx.module.labels.len()];
    for label in cx.module.tokens.rows().iter().filter_map(|t| named(&t.kind)) {
        used[label.index()] = true;
    }
    for (id, token) in cx.module.tokens.iter() {
        if let TokenKind::Label(label) = token.kind
            && !used[label.index()]
        {
            let name = &cx.module.labels[label].name;
            let title = format!("the label `{name}` is never used");
            let found =
                Diagnostic::new(flow::UNUSED_LABEL, title, cx.span(id), "no `call:` or `jmp:` names it");
            out.push(found.with_help("remove the label"));
        }
    }
}

/// Tokens and children behind a token that never comes back to its line.
fn behind(cx: &Context<'_>, out: &mut Diagnostics) {
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
fn holds_label(cx: &Context<'_>, line: vproto_ir::ids::LineId) -> bool {
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
