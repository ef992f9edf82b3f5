//! Which trees can be entered, and how deep calls go.

use vproto_ir::grammar::{Module, TokenKind};
use vproto_ir::ids::{Id, LabelId, Table, TreeId};

/// Who enters whom: an edge a `jmp:` or `call:`.
#[derive(Debug)]
pub struct Entries {
    /// For each tree its targets, and whether by a call.
    edges: Table<TreeId, Vec<(TreeId, bool)>>,
}

/// How deep calls go from the first tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallDepth {
    /// A tree may be called while it is running.
    Recursive,
    /// The greatest number of frames.
    Exactly(u32),
}

impl Entries {
    /// Reads the jumps and calls of a module whose labels are known.
    pub fn of(module: &Module) -> Entries {
        let mut edges: Table<TreeId, Vec<(TreeId, bool)>> = module.trees.ids().map(|_| Vec::new()).collect();
        for (_, line) in module.lines.iter() {
            let from = module.branchings[line.branching].tree;
            for &token in &line.tokens {
                let (label, call) = match &module.tokens[token].kind {
                    TokenKind::Jump(label) => (*label, false),
                    TokenKind::Call(call) => (call.label, true),
                    _ => continue,
                };
                let to = tree_of(module, label);
                edges[from].push((to, call));
            }
        }
        for (_, targets) in edges.iter_mut() {
            targets.sort_unstable();
            targets.dedup();
        }
        Entries { edges }
    }

    /// Which trees are entered, from the first one on.
    pub fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        let mut open: Vec<TreeId> = self.edges.ids().take(1).collect();
        while let Some(tree) = open.pop() {
            if !std::mem::replace(&mut reached[tree.index()], true) {
                open.extend(self.edges[tree].iter().map(|&(to, _)| to));
            }
        }
        reached
    }

    /// How deep calls go from the first tree.
    pub fn depth(&self) -> CallDepth {
        let components = self.components();
        let count = components.iter().max().map_or(0, |c| c + 1);
        // Components are numbered from the leaves up, so one pass in that order sees targets before sources.
        let mut depth = vec![0u32; count];
        let mut trees: Vec<TreeId> = self.edges.ids().collect();
        trees.sort_by_key(|t| components[t.index()]);
        let reached = self.reached();
        for tree in trees.into_iter().filter(|t| reached[t.index()]) {
            let own = components[tree.index()];
            for &(to, call) in &self.edges[tree] {
                let other = components[to.index()];
                if own == other && call {
                    return CallDepth::Recursive;
                }
                if own != other {
                    depth[own] = depth[own].max(depth[other] + u32::from(call));
                }
            }
        }
        let root = components.first().copied();
        CallDepth::Exactly(root.map_or(0, |c| depth[c]))
    }

    /// Strongly connected components by Tarjan's algorithm, without recursion; leaves have the lower numbers.
    fn components(&self) -> Vec<usize> {
        let n = self.edges.len();
        let mut search =
            Search { order: vec![0; n], low: vec![0; n], component: vec![usize::MAX; n], next: 1, done: 0 };
        let mut stack = Vec::new();
        for root in 0..n {
            let mut work = if search.order[root] == 0 { vec![(root, 0usize)] } else { Vec::new() };
            while let Some((node, edge)) = work.pop() {
                if edge == 0 {
                    search.open(node);
                    stack.push(node);
                }
                let edges = &self.edges[TreeId::from_index(node)];
                if edge > 0 {
                    let child = edges[edge - 1].0.index();
                    if search.component[child] == usize::MAX {
                        search.low[node] = search.low[node].min(search.low[child]);
                    }
                }
                match edges.get(edge) {
                    Some(&(to, _)) => {
                        work.push((node, edge + 1));
                        let to = to.index();
                        if search.order[to] == 0 {
                            work.push((to, 0));
                        } else if search.component[to] == usize::MAX {
                            search.low[node] = search.low[node].min(search.order[to]);
                        }
                    }
                    None if search.low[node] == search.order[node] => search.close(node, &mut stack),
                    None => {}
                }
            }
        }
        search.component
    }
}

struct Search {
    order: Vec<usize>,
    low: Vec<usize>,
    component: Vec<usize>,
    next: usize,
    done: usize,
}

impl Search {
    fn open(&mut self, node: usize) {
        self.order[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
    }

    fn close(&mut self, node: usize, stack: &mut Vec<usize>) {
        while let Some(member) = stack.pop() {
            self.component[member] = self.done;
            if member == node {
                break;
            }
        }
        self.done += 1;
    }
}

fn tree_of(module: &Module, label: LabelId) -> TreeId {
    module.branchings[module.lines[module.labels[label].line].branching].tree
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(edges: &[&[(u32, bool)]]) -> CallDepth {
        let edges =
            edges.iter().map(|list| list.iter().map(|&(to, call)| (TreeId(to), call)).collect()).collect();
        Entries { edges }.depth()
    }

    #[test]
    fn the_longest_chain_of_calls_counts() {
        assert_eq!(depth(&[&[]]), CallDepth::Exactly(0));
        assert_eq!(depth(&[&[(1, true), (2, true)], &[(2, true)], &[]]), CallDepth::Exactly(2));
        assert_eq!(depth(&[&[(1, false)], &[(0, false), (2, true)], &[]]), CallDepth::Exactly(1));
    }

    #[test]
    fn a_call_round_a_cycle_recurses() {
        assert_eq!(depth(&[&[(0, true)]]), CallDepth::Recursive);
        assert_eq!(depth(&[&[(1, true)], &[(2, false)], &[(1, true)]]), CallDepth::Recursive);
        assert_eq!(depth(&[&[], &[(1, true)]]), CallDepth::Exactly(0));
    }
}
