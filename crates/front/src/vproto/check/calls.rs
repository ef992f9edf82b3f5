//! Calls: recursion that takes no byte, calls that never return, `return` with nothing to return to, the stack's bound.

use super::Context;
use super::cycles::{Graph, components};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use vproto_ir::facts::{Decides, When, leaves};
use vproto_ir::grammar::{Call, TokenKind};
use vproto_ir::ids::{Id, LabelId, LineId, TokenId, TreeId};
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics};

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    recursion(cx, out);
    depth(cx, out);
    for (id, token) in cx.module.tokens.iter() {
        if matches!(token.kind, TokenKind::Return) && cx.reach.only_at_bottom(id) {
            out.push(
                Diagnostic::new(
                    flow::RETURN_NOWHERE,
                    "this `return` has nothing to return to",
                    cx.span(id),
                    "no call is open here",
                )
                .with_help("enter this tree by `call:`, or leave it by `jmp:`, `back:` or `break`"),
            );
        }
    }
    for (id, line) in cx.module.lines.iter() {
        endless(cx, id, &line.tokens, out);
    }
}

/// A call that is reached from a label before any byte was taken.
struct Step {
    from: LabelId,
    to: LabelId,
    token: TokenId,
    /// Whether a condition or an option may prevent it.
    conditional: bool,
}

/// Calls that reach themselves without a byte in between: they end in the exception `limit`.
fn recursion(cx: &Context<'_>, out: &mut Diagnostics) {
    let steps: Vec<Step> = cx.module.labels.ids().flat_map(|label| entry_calls(cx, label)).collect();
    let certain = report_cycles(cx, &steps, true, &[], out);
    report_cycles(cx, &steps, false, &certain, out);
}

/// Reports one call of each cycle; only cycles of unconditional steps where `certain`. Tells the labels concerned.
fn report_cycles(
    cx: &Context<'_>,
    steps: &[Step],
    certain: bool,
    known: &[bool],
    out: &mut Diagnostics,
) -> Vec<bool> {
    let mut graph = Graph::new(cx.module.labels.len());
    let steps: Vec<&Step> = steps.iter().filter(|s| !certain || !s.conditional).collect();
    steps.iter().for_each(|s| graph.edge(s.from.index(), s.to.index()));
    let component = components(&graph);
    let mut reported = vec![false; cx.module.labels.len()];
    let mut seen = FxHashSet::default();
    for step in steps {
        let group = component[step.from.index()];
        if group != component[step.to.index()] {
            continue;
        }
        reported[step.from.index()] = true;
        let before = known.get(step.from.index()).copied().unwrap_or(false);
        if before || !cx.reach.token(step.token) || !seen.insert(group) {
            continue;
        }
        let name = &cx.module.labels[step.to].name;
        let (code, title) = if certain {
            (
                flow::ENDLESS_RECURSION,
                format!("the call of `{name}` comes back to itself without taking a byte"),
            )
        } else {
            (
                flow::EMPTY_RECURSION,
                format!("the call of `{name}` may come back to itself without taking a byte"),
            )
        };
        out.push(
            Diagnostic::new(code, title, cx.span(step.token), "each round only fills the call stack")
                .with_label(cx.span(label_token(cx, step.from)), "reached from here without a byte")
                .with_help("take a byte before the call, or make it a loop: lines of one branching repeat by themselves"),
        );
    }
    reported
}

/// The token of a label.
fn label_token(cx: &Context<'_>, label: LabelId) -> TokenId {
    let place = &cx.module.labels[label];
    cx.module.lines[place.line].tokens[place.index as usize]
}

/// The calls that can be reached from a label without a byte.
fn entry_calls(cx: &Context<'_>, label: LabelId) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut seen: FxHashSet<(LineId, usize, bool)> = FxHashSet::default();
    let place = &cx.module.labels[label];
    let mut open = vec![(place.line, place.index as usize, false)];
    while let Some((line, index, mut conditional)) = open.pop() {
        if seen.len() > 10_000 || !seen.insert((line, index, conditional)) {
            continue;
        }
        let row = &cx.module.lines[line];
        let mut passed = true;
        for &id in row.tokens.iter().skip(index) {
            let facts = &cx.facts.tokens[id];
            match cx.kind(id) {
                TokenKind::If(_) => conditional = true,
                TokenKind::Code(_) => conditional |= !cx.always_true(id),
                TokenKind::Call(Call { label: to, times, max, .. }) => {
                    let optional =
                        cx.module.tokens[id].condition.is_some() || times.is_some() || max.is_some();
                    steps.push(Step {
                        from: label,
                        to: *to,
                        token: id,
                        conditional: conditional || optional,
                    });
                }
                TokenKind::Jump(to) => {
                    let target = &cx.module.labels[*to];
                    open.push((target.line, target.index as usize, conditional));
                }
                _ => {}
            }
            conditional |= !facts.first.is_empty() && facts.empty > When::Never;
            if leaves(cx.kind(id)) || facts.empty == When::Never {
                passed = false;
                break;
            }
        }
        if let (true, Some(children)) = (passed, row.children) {
            for &child in &cx.module.branchings[children].alternatives {
                let decided =
                    matches!(cx.facts.lines[child].decides, Decides::Condition(t) if !cx.always_true(t));
                open.push((child, 0, conditional || decided));
            }
        }
    }
    steps
}

/// Calls that need more frames than `@limit calls` allows, however they are reached.
fn depth(cx: &Context<'_>, out: &mut Diagnostics) {
    let limits = cx.module.symbols.limits;
    if limits.calls_exact {
        return;
    }
    let tree_of =
        |label: LabelId| cx.module.branchings[cx.module.lines[cx.module.labels[label].line].branching].tree;
    let mut ways: Vec<Vec<(TreeId, u32, TokenId)>> = vec![Vec::new(); cx.module.trees.len()];
    for (_, line) in cx.module.lines.iter() {
        let from = cx.module.branchings[line.branching].tree;
        for &id in line.tokens.iter().filter(|&&t| cx.reach.token(t)) {
            match cx.kind(id) {
                TokenKind::Call(call) => ways[from.index()].push((tree_of(call.label), 1, id)),
                TokenKind::Jump(label) => ways[from.index()].push((tree_of(*label), 0, id)),
                _ => {}
            }
        }
    }
    let mut best = vec![u32::MAX; cx.module.trees.len()];
    let mut open = VecDeque::from([(TreeId(0), 0)]);
    while let Some((tree, frames)) = open.pop_front() {
        if best[tree.index()] <= frames {
            continue;
        }
        best[tree.index()] = frames;
        for &(to, cost, token) in &ways[tree.index()] {
            if frames + cost > limits.calls && best[to.index()] == u32::MAX {
                return report_depth(cx, token, frames + cost, limits.calls, out);
            }
            if cost == 0 { open.push_front((to, frames)) } else { open.push_back((to, frames + 1)) }
        }
    }
}

fn report_depth(cx: &Context<'_>, token: TokenId, frames: u32, limit: u32, out: &mut Diagnostics) {
    out.push(
        Diagnostic::new(
            flow::CALLS_LIMIT,
            format!("this call is always deeper than `@limit calls={limit}`"),
            cx.span(token),
            format!("{frames} calls are open here at least"),
        )
        .with_help(format!("write `@limit calls={frames}` or more")),
    );
}

/// Calls without a limit whose target has no way to a `return`, where something stands behind them.
fn endless(cx: &Context<'_>, line: LineId, tokens: &[TokenId], out: &mut Diagnostics) {
    for (index, &id) in tokens.iter().enumerate() {
        let TokenKind::Call(call) = cx.kind(id) else { continue };
        let target = &cx.module.labels[call.label];
        let last = index + 1 == tokens.len() && cx.module.lines[line].children.is_none();
        let returns = cx.facts.labels[call.label].bytes.min != u64::MAX;
        if call.max.is_some() || last || returns || !cx.reach.token(id) || leaves_otherwise(cx, call.label) {
            continue;
        }
        let title = format!("the call of `{}` never returns", target.name);
        let found = Diagnostic::new(
            flow::NEVER_RETURNS,
            title,
            cx.span(id),
            "what stands behind it is never reached",
        );
        out.push(
            found
                .with_label(cx.span(label_token(cx, call.label)), "no `return` can be reached from here")
                .with_help("end the called tree by `return`: a tree is a loop otherwise"),
        );
    }
}

/// Whether the target's tree can be left in another way than by `return`.
fn leaves_otherwise(cx: &Context<'_>, label: LabelId) -> bool {
    let tree = cx.module.branchings[cx.module.lines[cx.module.labels[label].line].branching].tree;
    let lines = cx.module.lines.rows().iter().filter(|l| cx.module.branchings[l.branching].tree == tree);
    let mut tokens = lines.flat_map(|l| &l.tokens);
    tokens.any(|&t| matches!(cx.kind(t), TokenKind::Break | TokenKind::Reset | TokenKind::Jump(_)))
}
