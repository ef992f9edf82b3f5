//! Cycles of `jmp:`, `reset`, `back:` and handlers on which no byte need be taken (language.md §2, "Progress").
//!
//! The graph has a node for each branching, label and `catch:` line, and an edge wherever one is reached from another
//! without a byte, whatever conditions say. Returns of leaf lines are no edges: the progress rule stops them.

use super::{Context, alternatives, handlers};
use rustc_hash::FxHashSet;
use vproto_ir::facts::When;
use vproto_ir::grammar::TokenKind;
use vproto_ir::ids::{BranchingId, Id, LineId, TokenId, TreeId};
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics};

/// How a node is reached from another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By entering the children of a line.
    Below,
    /// By `jmp:` or `reset`.
    Jump(TokenId),
    /// By `back:`.
    Back(TokenId),
    /// By an exception to this `catch:` line.
    Handler(LineId),
}

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    let nodes = Nodes { branchings: cx.module.branchings.len(), labels: cx.module.labels.len() };
    let mut edges: Vec<(usize, usize, Way)> = Vec::new();
    for (id, branching) in cx.module.branchings.iter() {
        if !cx.reach.branching(id) {
            continue;
        }
        let from = nodes.branching(id);
        branching.alternatives.iter().for_each(|&line| walk(cx, &nodes, from, line, 0, &mut edges));
        if !branching.alternatives.is_empty()
            && alternatives::can_fail(cx, id)
            && let Some(catch) = cx.handler(id, false)
        {
            edges.push((from, nodes.catch(catch), Way::Handler(catch)));
        }
        if let Some(catch) = branching.catch
            && !takes_any_byte(cx, catch)
        {
            walk(cx, &nodes, nodes.catch(catch), catch, 0, &mut edges);
        }
    }
    for (id, label) in cx.module.labels.iter() {
        walk(cx, &nodes, nodes.label(id), label.line, label.index as usize, &mut edges);
    }
    report(cx, nodes.count(cx), &edges, out);
}

/// A handler line that takes the byte in hand, whichever it is, makes progress.
fn takes_any_byte(cx: &Context<'_>, line: LineId) -> bool {
    let row = &cx.module.lines[line];
    let varies = row.tokens.iter().any(|&t| cx.facts.tokens[t].varies);
    cx.facts.lines[line].first.is_all() && !varies
}

/// Numbers of the graph's nodes.
struct Nodes {
    branchings: usize,
    labels: usize,
}

impl Nodes {
    fn branching(&self, id: BranchingId) -> usize {
        id.index()
    }
    fn label(&self, id: vproto_ir::ids::LabelId) -> usize {
        self.branchings + id.index()
    }
    fn catch(&self, id: LineId) -> usize {
        self.branchings + self.labels + id.index()
    }
    fn count(&self, cx: &Context<'_>) -> usize {
        self.branchings + self.labels + cx.module.lines.len()
    }
}

/// Edges from a place in a line, up to the first token that takes a byte.
fn walk(
    cx: &Context<'_>,
    nodes: &Nodes,
    from: usize,
    line: LineId,
    index: usize,
    edges: &mut Vec<(usize, usize, Way)>,
) {
    let row = &cx.module.lines[line];
    let handler = cx.line_handler(line);
    for (at, &id) in row.tokens.iter().enumerate().skip(index) {
        if !cx.reach.token(id) {
            return;
        }
        // What decides on an alternative does not raise: it declines.
        let decides = at == 0
            && row.role == vproto_ir::grammar::LineRole::Alternative
            && cx.facts.tokens[id].alone == When::Never;
        if let Some(catch) = handler.filter(|_| !decides && handlers::can_raise(cx, id)) {
            edges.push((from, nodes.catch(catch), Way::Handler(catch)));
        }
        match cx.kind(id) {
            TokenKind::Jump(label) => return edges.push((from, nodes.label(*label), Way::Jump(id))),
            TokenKind::Reset => {
                let top = cx.module.trees[TreeId(0)].branching;
                return edges.push((from, nodes.branching(top), Way::Jump(id)));
            }
            TokenKind::Back(branching) => {
                return edges.push((from, nodes.branching(*branching), Way::Back(id)));
            }
            TokenKind::Return | TokenKind::Break => return,
            _ if cx.facts.tokens[id].empty == When::Never => return,
            _ => {}
        }
    }
    if let Some(children) = row.children {
        edges.push((from, nodes.branching(children), Way::Below));
    }
}

fn report(cx: &Context<'_>, count: usize, edges: &[(usize, usize, Way)], out: &mut Diagnostics) {
    let mut graph = Graph::new(count);
    edges.iter().for_each(|&(from, to, _)| graph.edge(from, to));
    let component = components(&graph);
    let inside: Vec<&(usize, usize, Way)> =
        edges.iter().filter(|(a, b, _)| component[*a] == component[*b]).collect();
    let handled: FxHashSet<usize> = inside
        .iter()
        .filter(|(_, _, way)| matches!(way, Way::Handler(_)))
        .map(|&&(from, _, _)| component[from])
        .collect();
    let rank = |way: &Way| match way {
        Way::Jump(_) => 0,
        Way::Handler(_) => 1,
        Way::Back(_) => 2,
        Way::Below => 3,
    };
    let mut ordered = inside.clone();
    ordered.sort_by_key(|(_, _, way)| rank(way));
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    for &&(from, _, way) in &ordered {
        if way != Way::Below && seen.insert(component[from]) {
            report_cycle(cx, way, handled.contains(&component[from]), out);
        }
    }
}

fn report_cycle(cx: &Context<'_>, way: Way, through_handler: bool, out: &mut Diagnostics) {
    let found = match way {
        Way::Jump(token) => {
            let title = format!("`{}` can come back to itself without taking a byte", cx.text(token));
            Diagnostic::new(
                flow::EMPTY_CYCLE,
                title,
                cx.span(token),
                "closes a cycle on which no byte need be taken",
            )
        }
        Way::Handler(line) => Diagnostic::new(
            flow::EMPTY_CYCLE,
            "this handler can raise the same exception again without taking a byte",
            cx.module.lines[line].span,
            "leads back to where the exception was",
        ),
        Way::Back(token) => {
            let title = format!("`{}` can come back to itself without taking a byte", cx.text(token));
            Diagnostic::new(
                flow::MAY_NOT_PROGRESS,
                title,
                cx.span(token),
                "ends in the error `no-progress` then",
            )
        }
        Way::Below => return,
    };
    let help = if through_handler {
        "take at least the byte that was not acceptable: `catch: [^\\n]* \"\\n\" …`"
    } else {
        "take a byte on the way round"
    };
    out.push(found.with_help(help));
}

/// A graph by lists of successors.
pub(super) struct Graph {
    successors: Vec<Vec<usize>>,
}

impl Graph {
    pub(super) fn new(nodes: usize) -> Graph {
        Graph { successors: vec![Vec::new(); nodes] }
    }

    pub(super) fn edge(&mut self, from: usize, to: usize) {
        self.successors[from].push(to);
    }
}

/// The strongly connected component of each node (Tarjan, without recursion). A node without an edge to itself that
/// is alone has a component of its own, so an edge is on a cycle exactly if both its ends have one component.
pub(super) fn components(graph: &Graph) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = graph.successors.len();
    let (mut index, mut low, mut component) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut stack, mut next, mut groups) = (Vec::new(), 0, 0);
    for root in 0..count {
        if index[root] != NONE {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some(&mut (node, ref mut edge)) = path.last_mut() {
            if *edge == 0 && index[node] == NONE {
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
            }
            if let Some(&to) = graph.successors[node].get(*edge) {
                *edge += 1;
                if index[to] == NONE {
                    path.push((to, 0));
                } else if component[to] == NONE {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = groups;
                    if member == node {
                        break;
                    }
                }
                groups += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_the_cycles() {
        let mut graph = Graph::new(6);
        for (from, to) in [(0, 1), (1, 2), (2, 1), (2, 3), (4, 4), (3, 5)] {
            graph.edge(from, to);
        }
        let component = components(&graph);
        assert_eq!(component[1], component[2]);
        let distinct: std::collections::BTreeSet<usize> = component.iter().copied().collect();
        assert_eq!(distinct.len(), 5);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let mut graph = Graph::new(200_000);
        (1..200_000).for_each(|n| graph.edge(n - 1, n));
        graph.edge(199_999, 0);
        assert!(components(&graph).iter().all(|&c| c == 0));
    }
}
