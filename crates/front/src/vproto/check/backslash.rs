//! Parent lines without a `\` whose branching hides its exceptions from a `catch:` further out (language.md §2).
//!
//! The search for a handler stops at a branching that is no home and whose parent line has no `\`. Where each line of
//! the branching leaves it anyway, the `\` would change nothing else: it was forgotten.

use super::{Context, Search, alternatives, handlers};
use vproto_ir::grammar::{LineRole, TokenKind};
use vproto_ir::ids::{BranchingId, Id, LineId, Table, TreeId};
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics};

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    let all_leave = all_leave(cx);
    let forgotten = |b: BranchingId| all_leave[b.index()];
    let callers = Callers::of(cx, &forgotten);
    for (id, raised) in cx.module.branchings.ids().zip(raises(cx)) {
        let row = &cx.module.branchings[id];
        let Some(parent) = row.parent.filter(|_| raised && forgotten(id)) else { continue };
        let inside = cx.module.lines[parent].role != LineRole::Alternative;
        let catch = match cx.search(cx.module.lines[parent].branching, inside, &forgotten) {
            Search::Caught(catch) => Some(catch),
            Search::Leaves => callers.catch(row.tree),
            Search::Ends(_) => None,
        };
        if let Some(catch) = catch {
            report(cx, parent, id, catch, out);
        }
    }
}

fn report(cx: &Context<'_>, parent: LineId, branching: BranchingId, catch: LineId, out: &mut Diagnostics) {
    let Some(&first) = cx.module.branchings[branching].alternatives.first() else { return };
    let end = cx.module.lines[parent].span.end_point();
    let line = cx.files.place(end).line;
    out.push(
        Diagnostic::new(
            flow::MISSING_BACKSLASH,
            "an exception below this line ends parsing, though a `catch:` is further out",
            cx.module.lines[parent].span,
            "no `\\` at its end: the search for a handler stops here",
        )
        .with_label(cx.head_span(first), "raised here or below")
        .with_label(handlers::catch_span(cx, catch), "does not see it")
        .with_help(format!(
            "add `\\` at the end of line {line}: every line below leaves this branching anyway, so only exceptions are \
             affected"
        )),
    );
}

/// Of each branching, whether its parent line lacks a `\` that nothing but exceptions would notice: no line below goes
/// back to the branching by itself.
fn all_leave(cx: &Context<'_>) -> Vec<bool> {
    let branchings: &Table<BranchingId, _> = &cx.module.branchings;
    let mut leave: Vec<bool> = branchings
        .iter()
        .map(|(id, row)| {
            let parent = row.parent.map(|p| &cx.module.lines[p]);
            let open = parent.is_some_and(|p| !p.continues) && !row.home;
            open && row.catch.is_none() && !row.alternatives.is_empty() && cx.reach.branching(id)
        })
        .collect();
    for (_, line) in cx.module.lines.iter() {
        let goes_on = !line.tokens.iter().any(|&t| vproto_ir::facts::leaves(cx.kind(t)));
        if line.role == LineRole::Finish || line.children.is_some() || !goes_on {
            continue;
        }
        // It comes back to some branching around it, perhaps further out than the next: all are left alone.
        let mut branching = Some(line.branching);
        while let Some(b) = branching {
            leave[b.index()] = false;
            branching = cx.module.branchings[b].parent.map(|p| cx.module.lines[p].branching);
        }
    }
    leave
}

/// Of each branching, whether an exception's search for a handler ends there.
fn raises(cx: &Context<'_>) -> Vec<bool> {
    let mut raised = vec![false; cx.module.branchings.len()];
    let mut note = |search: Search| {
        if let Search::Ends(branching) = search {
            raised[branching.index()] = true;
        }
    };
    for (_, line) in cx.module.lines.iter() {
        let raises = line.role != LineRole::Finish
            && line.tokens.iter().any(|&t| cx.reach.token(t) && handlers::can_raise(cx, t));
        if raises {
            note(cx.search(line.branching, line.role != LineRole::Alternative, &|_| false));
        }
    }
    for (id, row) in cx.module.branchings.iter() {
        if cx.reach.branching(id) && !row.alternatives.is_empty() && alternatives::can_fail(cx, id) {
            note(cx.search(id, false, &|_| false));
        }
    }
    raised
}

/// Which `catch:` an exception that leaves a tree may find at those who called it.
struct Callers {
    catches: Vec<Option<LineId>>,
}

impl Callers {
    /// `forgotten` branchings are taken to have their `\`.
    fn of(cx: &Context<'_>, forgotten: &dyn Fn(BranchingId) -> bool) -> Callers {
        let trees = cx.module.trees.len();
        let mut catches: Vec<Option<LineId>> = vec![None; trees];
        // Trees whose exceptions go where those of the key go.
        let mut follow: Vec<Vec<TreeId>> = vec![Vec::new(); trees];
        let tree_of = |line: LineId| cx.module.branchings[cx.module.lines[line].branching].tree;
        for (id, line) in cx.module.lines.iter() {
            for &token in line.tokens.iter().filter(|&&t| cx.reach.token(t)) {
                let (label, is_call) = match cx.kind(token) {
                    TokenKind::Call(call) => (call.label, true),
                    TokenKind::Jump(label) => (*label, false),
                    _ => continue,
                };
                let target = tree_of(cx.module.labels[label].line);
                let search = cx.search(line.branching, line.role != LineRole::Alternative, forgotten);
                match search {
                    Search::Caught(catch) if is_call => catches[target.index()] = Some(catch),
                    Search::Leaves => follow[tree_of(id).index()].push(target),
                    _ if !is_call => follow[tree_of(id).index()].push(target),
                    _ => {}
                }
            }
        }
        let mut open: Vec<TreeId> = cx.module.trees.ids().filter(|t| catches[t.index()].is_some()).collect();
        while let Some(tree) = open.pop() {
            for &next in &follow[tree.index()] {
                if catches[next.index()].is_none() {
                    catches[next.index()] = catches[tree.index()];
                    open.push(next);
                }
            }
        }
        Callers { catches }
    }

    fn catch(&self, tree: TreeId) -> Option<LineId> {
        self.catches[tree.index()]
    }
}
