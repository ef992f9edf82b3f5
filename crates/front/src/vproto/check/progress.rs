//! Loops that never take a byte, and homes that may be left and entered again without one.

use super::Context;
use vproto_ir::facts::{Decides, When, leaves};
use vproto_ir::grammar::TokenKind;
use vproto_ir::ids::{BranchingId, Id, LineId};
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics};

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    let inert = inert(cx);
    for (id, tree) in cx.module.trees.iter() {
        if cx.reach.tree(id) && inert[tree.branching.index()] {
            report_inert(cx, id.index() == 0, tree.branching, out);
        }
    }
    for (id, branching) in cx.module.branchings.iter() {
        if branching.home && cx.reach.branching(id) && !inert[id.index()] {
            branching.alternatives.iter().for_each(|&line| doubtful(cx, line, out));
        }
    }
}

/// Branchings in which every course takes no byte and comes back: nothing in them can end their loop.
fn inert(cx: &Context<'_>) -> Vec<bool> {
    let mut inert = vec![false; cx.module.branchings.len()];
    let mut order: Vec<BranchingId> = cx.module.branchings.ids().collect();
    order.sort_by_key(|&b| std::cmp::Reverse(cx.module.branchings[b].depth));
    for id in order {
        let alternatives = &cx.module.branchings[id].alternatives;
        inert[id.index()] =
            !alternatives.is_empty() && alternatives.iter().all(|&line| inert_line(cx, &inert, line));
    }
    inert
}

fn inert_line(cx: &Context<'_>, inert: &[bool], line: LineId) -> bool {
    let decided = matches!(cx.facts.lines[line].decides, Decides::Condition(_) | Decides::Taken);
    let row = &cx.module.lines[line];
    let idle = |token| {
        let kind = cx.kind(token);
        !leaves(kind)
            && !matches!(kind, TokenKind::Call(_) | TokenKind::Module(_))
            && cx.facts.tokens[token].bytes.max == Some(0)
    };
    decided && row.tokens.iter().all(|&t| idle(t)) && row.children.is_none_or(|b| inert[b.index()])
}

fn report_inert(cx: &Context<'_>, stream: bool, branching: BranchingId, out: &mut Diagnostics) {
    let Some(&line) = cx.module.branchings[branching].alternatives.first() else { return };
    let span = cx.module.lines[line].span;
    let found =
        Diagnostic::new(flow::NO_PROGRESS, "this loop never takes a byte", span, "comes back here at once");
    out.push(if stream {
        found
            .with_help("a tree repeats for as long as there is input: begin it with a token that takes bytes")
    } else {
        found.with_help("a called tree is a loop: end it by `return`")
    });
}

/// A leaf line of a home that can complete without input.
fn doubtful(cx: &Context<'_>, line: LineId, out: &mut Diagnostics) {
    let row = &cx.module.lines[line];
    let facts = &cx.facts.lines[line];
    let leaf = row.children.is_none() && !row.tokens.iter().any(|&t| leaves(cx.kind(t)));
    let by_bytes =
        facts.empty == When::Always && facts.decides == Decides::Taken && facts.bytes.max != Some(0);
    let calls = row.tokens.iter().any(|&t| matches!(cx.kind(t), TokenKind::Call(_)));
    if leaf && by_bytes && !calls && !facts.first.is_all() {
        let title = "this loop may come round without taking a byte";
        let label = format!("completes without input on a byte outside of {}", facts.first);
        out.push(
            Diagnostic::new(flow::MAY_NOT_PROGRESS, title, row.span, label)
                .with_help("give one of its tokens a minimum of 1: the parser stops with `no-progress` here"),
        );
    }
}
