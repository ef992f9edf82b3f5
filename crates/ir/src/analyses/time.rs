//! `steps`: how many states are passed at most between two bytes. Invariant 7 makes it finite.

use super::{empty, steps};
use crate::ids::Id;
use crate::machine::{Kind, Machine, Predicate};

/// The bound of steps a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Longest path without a byte.
    pub steps: u32,
    /// Progress tests left: each may start the path anew once.
    pub tests: u32,
    /// Frames that may be passed without a byte, where calls can come back empty or recurse; else 0.
    pub calls: u32,
}

impl Bound {
    /// All in one number.
    pub fn total(self) -> u64 {
        u64::from(self.steps) * (u64::from(self.tests) + 1) * (u64::from(self.calls) + 1)
    }
}

/// The bound of a machine that the verifier has found good; nothing where there is a cycle.
pub fn bound(machine: &Machine) -> Option<Bound> {
    let live = steps::reachable(machine);
    let empty = empty::emptiness(machine);
    let mut graph: Vec<Vec<usize>> = vec![Vec::new(); machine.states.len()];
    let (mut tests, mut calls) = (0, false);
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        if !live[id.index()] {
            continue;
        }
        let ways = empty::ways(machine, id, state, &empty);
        graph[id.index()] = ways.iter().filter(|w| !w.remarks).map(|w| w.to.index()).collect();
        tests += u32::from(matches!(
            state.kind,
            Kind::Test { what: Predicate::Moved(_) | Predicate::MovedBottom(_), .. }
        ));
        calls |= matches!(state.kind, Kind::Call { .. });
    }
    let steps = longest(&graph)?;
    Some(Bound { steps, tests, calls: if calls { machine.symbols.limits.calls } else { 0 } })
}

/// States on the longest path of a graph without cycles. Without recursion.
fn longest(graph: &[Vec<usize>]) -> Option<u32> {
    let mut entries = vec![0u32; graph.len()];
    graph.iter().flatten().for_each(|to| entries[*to] += 1);
    let mut length = vec![1u32; graph.len()];
    let mut free: Vec<usize> = (0..graph.len()).filter(|n| entries[*n] == 0).collect();
    let mut gone = 0;
    while let Some(node) = free.pop() {
        gone += 1;
        for &to in &graph[node] {
            length[to] = length[to].max(length[node] + 1);
            entries[to] -= 1;
            if entries[to] == 0 {
                free.push(to);
            }
        }
    }
    (gone == graph.len()).then(|| length.into_iter().max().unwrap_or(1))
}
