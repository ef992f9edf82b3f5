//! Loops: in each activation, calls stepped over. A loop is a set of states that reach each other; its header is
//! where it is entered; loops inside of it are those that are left when the ways back to the header are cut.

use super::steps::{Slot, slots};
use crate::ids::{Id, StateId};
use crate::machine::{Bound, Kind, Machine};
use rustc_hash::FxHashSet;

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where it is entered.
    pub header: StateId,
    /// All its states, those of inner loops too, in the order of their ids.
    pub body: Vec<StateId>,
    /// Loops around it, itself included: from 1.
    pub depth: u32,
}

/// Loops deeper than this count as this deep.
const MOST_DEPTH: u32 = 8;

/// All loops, outer ones first.
pub fn loops(machine: &Machine) -> Vec<Loop> {
    let graph: Vec<Vec<usize>> = machine
        .states
        .iter()
        .map(|(_, state)| state.as_ref().map_or(Vec::new(), |s| own_edges(&s.kind)))
        .collect();
    let order = discovery(machine, &graph);
    let all: Vec<usize> = (0..graph.len()).filter(|s| order[*s] != usize::MAX).collect();
    let mut found = Vec::new();
    let mut work = vec![(all, FxHashSet::default(), 1)];
    while let Some((nodes, cut, depth)) = work.pop() {
        for part in components(&graph, &nodes, &cut) {
            let Some(header) = header(&graph, &part, &order) else { continue };
            let mut body: Vec<StateId> = part.iter().map(|s| StateId::from_index(*s)).collect();
            body.sort();
            found.push(Loop { header: StateId::from_index(header), body, depth });
            if depth < MOST_DEPTH {
                let mut inner = cut.clone();
                inner.insert(header);
                work.push((part, inner, depth + 1));
            }
        }
    }
    found.sort_by_key(|l| (l.depth, l.header));
    found
}

/// How many loops are around each state.
pub fn depths(machine: &Machine) -> Vec<u32> {
    let mut depths = vec![0; machine.states.len()];
    for found in loops(machine) {
        for state in &found.body {
            depths[state.index()] = depths[state.index()].max(found.depth);
        }
    }
    depths
}

/// Edges within an activation; those that only the end of input takes go round no loop.
fn own_edges(kind: &Kind) -> Vec<usize> {
    if matches!(kind, Kind::Scan { set, hi: Bound::Unbounded, until: None, .. } if set.is_all()) {
        return Vec::new();
    }
    let own = slots(kind).into_iter().filter(|(slot, _)| !matches!(slot, Slot::Into | Slot::Eof));
    own.map(|(_, e)| e.to.index()).collect()
}

/// When a walk from the start, then from called trees, finds each state.
fn discovery(machine: &Machine, graph: &[Vec<usize>]) -> Vec<usize> {
    let mut order = vec![usize::MAX; graph.len()];
    let mut next = 0;
    let targets = machine.states.iter().filter_map(|(_, s)| match s.as_ref().map(|s| &s.kind) {
        Some(Kind::Call { to, .. }) => Some(to.to.index()),
        _ => None,
    });
    let handlers = machine.sites.iter().filter_map(|(_, s)| match s.handler {
        crate::machine::Handler::Catch(state) => Some(state.index()),
        _ => None,
    });
    for root in [machine.start.index()].into_iter().chain(targets).chain(handlers) {
        let mut work = vec![root];
        while let Some(node) = work.pop() {
            if order.get(node).is_none_or(|o| *o != usize::MAX) {
                continue;
            }
            order[node] = next;
            next += 1;
            work.extend(graph[node].iter().rev());
        }
    }
    order
}

/// The state of a component that is found first.
fn header(graph: &[Vec<usize>], part: &[usize], order: &[usize]) -> Option<usize> {
    let first = part.iter().copied().min_by_key(|s| order[*s])?;
    (part.len() > 1 || graph[first].contains(&first)).then_some(first)
}

/// Strongly connected parts of some nodes, edges into `cut` nodes left out. Without recursion.
fn components(graph: &[Vec<usize>], nodes: &[usize], cut: &FxHashSet<usize>) -> Vec<Vec<usize>> {
    let inside: FxHashSet<usize> = nodes.iter().copied().collect();
    let mut walk = Walk {
        index: vec![usize::MAX; graph.len()],
        low: vec![0; graph.len()],
        on_stack: vec![false; graph.len()],
        ..Walk::default()
    };
    let next = |node: usize, i: usize| {
        graph[node].iter().filter(|to| inside.contains(*to) && !cut.contains(*to)).nth(i).copied()
    };
    for &root in nodes {
        if walk.index[root] == usize::MAX {
            walk.from(root, &next);
        }
    }
    walk.parts.retain(|part| part.len() > 1 || graph[part[0]].contains(&part[0]) && !cut.contains(&part[0]));
    walk.parts
}

/// Tarjan's walk.
#[derive(Default)]
struct Walk {
    index: Vec<usize>,
    low: Vec<usize>,
    count: usize,
    stack: Vec<usize>,
    on_stack: Vec<bool>,
    parts: Vec<Vec<usize>>,
}

impl Walk {
    fn from(&mut self, root: usize, next: &dyn Fn(usize, usize) -> Option<usize>) {
        let mut path = vec![(root, 0)];
        self.open(root);
        while let Some((node, i)) = path.pop() {
            let Some(to) = next(node, i) else {
                self.close(node);
                if let Some((parent, _)) = path.last() {
                    self.low[*parent] = self.low[*parent].min(self.low[node]);
                }
                continue;
            };
            path.push((node, i + 1));
            if self.index[to] == usize::MAX {
                self.open(to);
                path.push((to, 0));
            } else if self.on_stack[to] {
                self.low[node] = self.low[node].min(self.index[to]);
            }
        }
    }

    fn open(&mut self, node: usize) {
        self.index[node] = self.count;
        self.low[node] = self.count;
        self.count += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    fn close(&mut self, node: usize) {
        if self.low[node] == self.index[node] {
            let from = self.stack.iter().rposition(|n| *n == node).unwrap_or(0);
            let part = self.stack.split_off(from);
            part.iter().for_each(|n| self.on_stack[*n] = false);
            self.parts.push(part);
        }
    }
}
