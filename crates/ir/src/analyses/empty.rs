//! Ways on which no byte is taken, and which calls can come back without one.

use super::filled;
use super::steps::{self, Slot, Taken};
use crate::ids::{MarkId, StateId};
use crate::machine::{Edge, Kind, Machine, Op, Predicate, State};
use rustc_hash::FxHashMap;

/// A way on which no byte need be taken.
pub struct Way {
    /// Where it leads.
    pub to: StateId,
    /// The mark that differed from the position, where it is the `then` edge of a `moved` test.
    pub moved: Option<MarkId>,
    /// Whether the target of that edge marks it again.
    pub remarks: bool,
    /// Marks that it sets.
    pub marks: Vec<MarkId>,
}

/// What is known of states that take bytes by the help of others. Indexed by state.
pub struct Emptiness {
    /// Calls that can be behind themselves without a byte: the callee can come back empty, or a fence or a count
    /// lets it.
    pub calls: Vec<bool>,
    /// Literals of a variable that is not empty.
    pub filled: Vec<bool>,
}

/// Finds what can be passed without a byte.
pub fn emptiness(machine: &Machine) -> Emptiness {
    let mut empty = Emptiness { calls: vec![false; machine.states.len()], filled: filled::filled(machine) };
    let mut open: Vec<(StateId, StateId, Vec<MarkId>)> = Vec::new();
    for (id, state) in machine.states.iter() {
        let Some(State { kind: Kind::Call { to, fence, times, .. }, .. }) = state else { continue };
        if *fence || *times {
            empty.calls[id.0 as usize] = true;
        } else {
            open.push((id, to.to, marks_of(to)));
        }
    }
    loop {
        let mut known: FxHashMap<(StateId, Vec<MarkId>), bool> = FxHashMap::default();
        let before = open.len();
        let mut still = Vec::new();
        for (id, entry, marks) in open {
            let key = (entry, marks.clone());
            let back = *known.entry(key).or_insert_with(|| reaches_return(machine, entry, &marks, &empty));
            if back {
                empty.calls[id.0 as usize] = true;
            } else {
                still.push((id, entry, marks));
            }
        }
        open = still;
        if open.len() == before {
            return empty;
        }
    }
}

/// Whether a `ret` can be reached from a tree's entry without a byte. `moved m` is true there where m was not set.
fn reaches_return(machine: &Machine, entry: StateId, marks: &[MarkId], empty: &Emptiness) -> bool {
    let mut set: FxHashMap<StateId, Vec<MarkId>> = FxHashMap::default();
    set.insert(entry, marks.to_vec());
    let mut work = vec![entry];
    while let Some(id) = work.pop() {
        let Some(Some(state)) = machine.states.get(id) else { continue };
        if state.kind == Kind::Ret {
            return true;
        }
        let here = set.get(&id).cloned().unwrap_or_default();
        for way in ways(machine, id, state, empty) {
            if way.moved.is_some_and(|m| here.contains(&m)) {
                continue;
            }
            let mut there = here.clone();
            there.extend(way.marks.iter().filter(|m| !here.contains(m)));
            if merge(&mut set, way.to, there) {
                work.push(way.to);
            }
        }
    }
    false
}

/// Keeps what is set on all ways; whether that changed.
fn merge(set: &mut FxHashMap<StateId, Vec<MarkId>>, to: StateId, there: Vec<MarkId>) -> bool {
    match set.get_mut(&to) {
        None => {
            set.insert(to, there);
            true
        }
        Some(old) => {
            let before = old.len();
            old.retain(|m| there.contains(m));
            old.len() != before
        }
    }
}

/// All ways from a state on which no byte need be taken. A call's callee is not entered: `empty` says whether the
/// call can be one step.
pub fn ways(machine: &Machine, id: StateId, state: &State, empty: &Emptiness) -> Vec<Way> {
    let plain = |to| Way { to, moved: None, remarks: false, marks: Vec::new() };
    let mut all: Vec<Way> = steps::state_handler(machine, state).into_iter().map(plain).collect();
    for (slot, edge) in steps::slots(&state.kind) {
        if slot == Slot::Into {
            let handlers = steps::edge_handlers(machine, state, edge);
            all.extend(handlers.into_iter().map(|(_, h)| plain(h)));
            continue;
        }
        let behind_call = slot == Slot::Next && matches!(state.kind, Kind::Call { .. });
        if behind_call && !empty.calls.get(id.0 as usize).copied().unwrap_or(true) {
            continue;
        }
        let moved = match &state.kind {
            Kind::Test { what: Predicate::Moved(m) | Predicate::MovedBottom(m), .. }
                if slot == Slot::Then =>
            {
                Some(*m)
            }
            _ => None,
        };
        let remarks = moved.is_some_and(|m| marks_again(machine, edge, m));
        let filled = empty.filled.get(id.0 as usize).copied().unwrap_or(false);
        if filled {
            continue;
        }
        if steps::taken_on(&state.kind, edge) != Taken::Byte {
            all.push(Way { to: edge.to, moved, remarks, marks: marks_of(edge) });
        }
        for (taken, handler) in steps::edge_handlers(machine, state, edge) {
            if taken != Taken::Byte {
                all.push(Way { to: handler, moved, remarks, marks: Vec::new() });
            }
        }
    }
    all
}

/// Whether the edge, or the joins that it leads to, set the mark.
fn marks_again(machine: &Machine, edge: &Edge, mark: MarkId) -> bool {
    let mut edge = edge;
    for _ in 0..machine.states.len().max(1) {
        if marks_of(edge).contains(&mark) {
            return true;
        }
        match machine.states.get(edge.to) {
            Some(Some(State { kind: Kind::Act { next }, .. })) => edge = next,
            _ => return false,
        }
    }
    false
}

fn marks_of(edge: &Edge) -> Vec<MarkId> {
    let mark = |op: &Op| if let Op::Mark(m) = op { Some(*m) } else { None };
    edge.actions.iter().filter_map(|a| mark(&a.op)).collect()
}
