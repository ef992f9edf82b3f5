//! `< >` that stays threads: what its states may do before one of them has won.

use crate::ids::StateId;
use crate::machine::{Edge, Kind, Machine, Op};
use rustc_hash::FxHashSet;

/// Deepest nesting that is followed.
const DEEPEST: u32 = 200;

/// The states of a group, each with the number of groups around it inside of this one; its `win` states are the last.
pub fn states(machine: &Machine, par: StateId) -> Vec<(StateId, u32)> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut work: Vec<(StateId, u32)> = forks(machine, par).iter().rev().map(|fork| (fork.to, 0)).collect();
    while let Some((id, depth)) = work.pop() {
        if !seen.insert((id, depth)) {
            continue;
        }
        found.push((id, depth));
        match &machine.state(id).kind {
            Kind::Win { .. } if depth == 0 => {}
            Kind::Win { next } => work.push((next.to, depth - 1)),
            // Groups nest as deeply as descriptions do; a machine that was made up may go round.
            Kind::Par { .. } if depth >= DEEPEST => {}
            Kind::Par { forks } => work.extend(forks.iter().rev().map(|fork| (fork.to, depth + 1))),
            kind => work.extend(kind.edges().iter().rev().map(|edge| (edge.to, depth))),
        }
    }
    found
}

fn forks(machine: &Machine, par: StateId) -> &[Edge] {
    match &machine.state(par).kind {
        Kind::Par { forks } => forks,
        _ => &[],
    }
}

/// The edges that states of a group follow before one of them has won.
pub fn edges(machine: &Machine, par: StateId) -> Vec<&Edge> {
    let mut found: Vec<&Edge> = forks(machine, par).iter().collect();
    for (id, depth) in states(machine, par) {
        match &machine.state(id).kind {
            Kind::Win { .. } if depth == 0 => {}
            kind => found.extend(kind.edges()),
        }
    }
    found
}

/// Whether a state begins or ends a span: then all bytes up to the decision are kept, at most as many as a string holds.
pub fn keeps_bytes(machine: &Machine, par: StateId) -> bool {
    let actions = edges(machine, par).into_iter().flat_map(|edge| &edge.actions);
    actions.into_iter().any(|action| matches!(action.op, Op::Begin(_) | Op::End(_)))
}
