//! Leaf lines that go back to a branching whose conditions cannot have changed (language.md §4).
//!
//! A branching that only asks conditions decides as it did the last time, unless something that they read has changed
//! on the way. Such a loop repeats one alternative to the end of the stream: most often a `\` or a `return` is missing.

use super::parallel::stores;
use super::{Context, alternatives};
use rustc_hash::{FxHashMap, FxHashSet};
use vproto_ir::facts::Decides;
use vproto_ir::grammar::TokenKind;
use vproto_ir::ids::{BranchingId, Id, LineId, TokenId, TreeId, VarId};
use vproto_ir::portable::{CodeKind, Stmt, TextChange};
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics, Span};

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    let confined = confined_trees(cx);
    let mut leaves_to: Vec<Vec<LineId>> = vec![Vec::new(); cx.module.branchings.len()];
    for (id, line) in cx.module.lines.iter() {
        if line.children.is_none() && !line.tokens.iter().any(|&t| vproto_ir::facts::leaves(cx.kind(t))) {
            leaves_to[cx.loop_target(id).index()].push(id);
        }
    }
    for (id, branching) in cx.module.branchings.iter() {
        let asks_only = branching
            .alternatives
            .iter()
            .all(|&l| matches!(cx.facts.lines[l].decides, Decides::Condition(_)));
        let ends = branching.catch.is_some() || branching.finish.is_some();
        let free = branching.home && (branching.tree == TreeId(0) || confined[branching.tree.index()]);
        if asks_only && !ends && !free && cx.reach.branching(id) {
            let asked = Asked::of(cx, id);
            for &leaf in &leaves_to[id.index()] {
                leaf_of(cx, id, &asked, leaf, out);
            }
        }
    }
}

/// Trees that some call confines: their loops end by the limit.
fn confined_trees(cx: &Context<'_>) -> Vec<bool> {
    let mut confined = vec![false; cx.module.trees.len()];
    for token in cx.module.tokens.rows() {
        if let TokenKind::Call(call) = &token.kind
            && call.max.is_some()
        {
            let line = cx.module.labels[call.label].line;
            confined[cx.module.branchings[cx.module.lines[line].branching].tree.index()] = true;
        }
    }
    confined
}

fn leaf_of(cx: &Context<'_>, branching: BranchingId, asked: &Asked, leaf: LineId, out: &mut Diagnostics) {
    let Some(path) = path(cx, branching, leaf) else { return };
    let Some(&alternative) = path.last() else { return };
    let Some(asked) = asked.before(alternative) else { return };
    let tokens = || path.iter().flat_map(|&l| &cx.module.lines[l].tokens).copied();
    let takes = tokens().any(|t| cx.facts.tokens[t].bytes.min > 0);
    let to_the_end =
        tokens().any(|t| cx.facts.tokens[t].first.is_all() && cx.facts.tokens[t].bytes.max.is_none());
    if !takes || to_the_end || tokens().any(|t| may_change(cx, t, asked)) {
        return;
    }
    let parent = cx.module.branchings[branching].parent;
    let first =
        cx.module.branchings[branching].alternatives.first().map_or(cx.head_span(leaf), |&l| cx.head_span(l));
    let help = match parent {
        Some(parent) if !cx.module.branchings[branching].home => {
            let line = cx.files.place(end_of(cx, parent)).line;
            format!(
                "perhaps a `\\` is missing at the end of line {line}, or a `return` at the end of this one"
            )
        }
        _ => "perhaps a `return` is missing at the end of this line".to_string(),
    };
    out.push(
        Diagnostic::new(
            flow::STUCK_CONDITIONS,
            "this line goes back to conditions that cannot have changed",
            cx.module.lines[leaf].span,
            "nothing here changes what they ask",
        )
        .with_label(first, "they decide as before, so the same alternative is taken for ever")
        .with_help(help),
    );
}

fn end_of(cx: &Context<'_>, line: LineId) -> Span {
    cx.module.lines[line].span.end_point()
}

/// The lines from a leaf up to the alternative of `branching` that holds it; none where a label lets others in.
fn path(cx: &Context<'_>, branching: BranchingId, leaf: LineId) -> Option<Vec<LineId>> {
    let mut path = vec![leaf];
    let mut line = leaf;
    loop {
        if cx.module.lines[line].tokens.iter().any(|&t| matches!(cx.kind(t), TokenKind::Label(_))) {
            return None;
        }
        let up = cx.module.lines[line].branching;
        if up == branching {
            return Some(path);
        }
        line = cx.module.branchings[up].parent?;
        path.push(line);
    }
}

/// What the conditions of a branching read, from top to bottom.
struct Asked {
    /// Each variable once, in the order of its first appearance.
    vars: Vec<VarId>,
    /// How many of them have appeared down to each alternative; alternatives behind a condition that is not understood,
    /// or before the first condition, are not there.
    counts: FxHashMap<LineId, usize>,
}

impl Asked {
    fn of(cx: &Context<'_>, branching: BranchingId) -> Asked {
        let mut asked = Asked { vars: Vec::new(), counts: FxHashMap::default() };
        let mut known: FxHashSet<VarId> = FxHashSet::default();
        let mut any = false;
        for &line in &cx.module.branchings[branching].alternatives {
            let Decides::Condition(token) = cx.facts.lines[line].decides else { break };
            if let TokenKind::If(code) = cx.kind(token) {
                let CodeKind::Condition(expr) = &cx.module.symbols.codes[*code].kind else { break };
                let reads = expr.reads();
                if reads.moving || !alternatives::is_pure(expr) {
                    break;
                }
                any = true;
                asked.vars.extend(reads.vars.into_iter().filter(|&v| known.insert(v)));
            } else if !cx.always_true(token) {
                break;
            }
            if any {
                asked.counts.insert(line, asked.vars.len());
            }
        }
        asked
    }

    fn before(&self, alternative: LineId) -> Option<&[VarId]> {
        self.counts.get(&alternative).map(|&count| &self.vars[..count])
    }
}

/// Whether a token may change one of the variables. Calls and functions of the user may change anything.
fn may_change(cx: &Context<'_>, token: TokenId, vars: &[VarId]) -> bool {
    match cx.kind(token) {
        TokenKind::Call(_) => true,
        TokenKind::Notify { .. } => false,
        TokenKind::Code(code) => match &cx.module.symbols.codes[*code].kind {
            CodeKind::Block(statements) => statements.iter().any(|s| changes(s, vars)),
            _ => true,
        },
        TokenKind::If(code) => matches!(cx.module.symbols.codes[*code].kind, CodeKind::Opaque { .. }),
        TokenKind::Parallel(group) => group.sequences.iter().flatten().any(|&t| may_change(cx, t, vars)),
        kind => stores(kind).iter().any(|v| vars.contains(v)),
    }
}

/// Whether a statement assigns one of the variables. Nesting is bounded by the parser.
fn changes(statement: &Stmt, vars: &[VarId]) -> bool {
    match statement {
        Stmt::Assign(var, _) => vars.contains(var),
        Stmt::Text(var, change) => {
            vars.contains(var) || matches!(change, TextChange::Swap(other) if vars.contains(other))
        }
        Stmt::If(_, then, other) => then.iter().chain(other).any(|s| changes(s, vars)),
        Stmt::Notify(..) | Stmt::Return(_) | Stmt::Print(..) => false,
    }
}
