//! Threads: which states run inside `par`, and where they win.

use crate::ids::StateId;
use crate::machine::{Kind, Machine};
use rustc_hash::{FxHashMap, FxHashSet};

/// The states of threads.
#[derive(Clone, Debug, Default)]
pub struct Forks {
    /// For each `par`: the states of its own threads (those of nested groups left out), and the `win` states of them.
    pub groups: FxHashMap<StateId, Group>,
    /// For each state whether it runs inside of some group.
    pub inside: Vec<bool>,
    /// `par` states whose nesting has no end.
    pub faults: Vec<StateId>,
}

/// The threads of one `par`.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// In the order found.
    pub states: Vec<StateId>,
    /// Those among them that win.
    pub wins: Vec<StateId>,
}

/// All groups of a machine.
pub fn forks(machine: &Machine) -> Forks {
    let mut forks = Forks { inside: vec![false; machine.states.len()], ..Forks::default() };
    for (id, state) in machine.states.iter() {
        if state.as_ref().is_some_and(|s| matches!(s.kind, Kind::Par { .. })) {
            find(machine, id, &mut Vec::new(), &mut forks);
        }
    }
    for group in forks.groups.values() {
        for state in &group.states {
            if let Some(inside) = forks.inside.get_mut(state.0 as usize) {
                *inside = true;
            }
        }
    }
    forks
}

/// Walks the threads of one group; groups nested in it are walked first. `outer` bounds the recursion.
fn find(machine: &Machine, par: StateId, outer: &mut Vec<StateId>, forks: &mut Forks) {
    if forks.groups.contains_key(&par) {
        return;
    }
    if outer.contains(&par) || outer.len() > MAX_NESTING {
        forks.faults.push(par);
        return;
    }
    outer.push(par);
    let mut group = Group::default();
    let mut seen: FxHashSet<StateId> = FxHashSet::default();
    let mut work: Vec<StateId> = machine.state(par).kind.edges().iter().rev().map(|e| e.to).collect();
    while let Some(id) = work.pop() {
        let Some(Some(state)) = machine.states.get(id) else { continue };
        if !seen.insert(id) {
            continue;
        }
        group.states.push(id);
        match &state.kind {
            Kind::Win { .. } => group.wins.push(id),
            Kind::Par { .. } => {
                find(machine, id, outer, forks);
                let wins = forks.groups.get(&id).map(|g| g.wins.clone()).unwrap_or_default();
                work.extend(wins.iter().flat_map(|w| machine.state(*w).kind.edges()).map(|e| e.to));
            }
            kind => work.extend(kind.edges().iter().map(|e| e.to)),
        }
    }
    outer.pop();
    forks.groups.insert(par, group);
}

/// Deepest nesting of groups; the front-end refuses deeper ones long before.
const MAX_NESTING: usize = 256;
