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
    let mut searches: Vec<Search> = Vec::new();
    let mut known: FxHashMap<(StateId, Vec<MarkId>), usize> = FxHashMap::default();
    for (id, state) in machine.states.iter() {
        let Some(State { kind: Kind::Call { to, fence, times, .. }, .. }) = state else { continue };
        if *fence || *times {
            empty.calls[id.0 as usize] = true;
            continue;
        }
        let marks = marks_of(to);
        let number = *known.entry((to.to, marks.clone())).or_insert(searches.len());
        if number == searches.len() {
            searches.push(Search::new(to.to, marks));
        }
        searches[number].calls.push(id);
    }
    // A search that a call has stopped goes on from there once the call can come back empty.
    let mut waiting: FxHashMap<StateId, Vec<usize>> = FxHashMap::default();
    let mut ready: Vec<(usize, StateId)> = searches.iter().enumerate().map(|(i, s)| (i, s.entry)).collect();
    while let Some((number, from)) = ready.pop() {
        let search = &mut searches[number];
        let was = search.returns;
        for call in search.go_on(machine, &empty, from) {
            waiting.entry(call).or_default().push(number);
        }
        if was || !search.returns {
            continue;
        }
        for call in search.calls.clone() {
            empty.calls[call.0 as usize] = true;
            ready.extend(waiting.remove(&call).unwrap_or_default().into_iter().map(|number| (number, call)));
        }
    }
    empty
}

/// A walk from a tree's entry on which no byte need be taken. `moved m` is true there where m was not set.
struct Search {
    entry: StateId,
    /// Calls that lead here.
    calls: Vec<StateId>,
    /// For each state that is reached the marks that are set on all ways to it.
    set: FxHashMap<StateId, Vec<MarkId>>,
    /// Whether a `ret` is reached.
    returns: bool,
}

impl Search {
    fn new(entry: StateId, marks: Vec<MarkId>) -> Search {
        let set = [(entry, marks)].into_iter().collect();
        Search { entry, calls: Vec::new(), set, returns: false }
    }

    /// Goes on from a state that is reached. The calls that stop it.
    fn go_on(&mut self, machine: &Machine, empty: &Emptiness, from: StateId) -> Vec<StateId> {
        let mut stopped = Vec::new();
        let mut work = vec![from];
        while let Some(id) = work.pop() {
            let Some(Some(state)) = machine.states.get(id) else { continue };
            match state.kind {
                Kind::Ret => {
                    self.returns = true;
                    return Vec::new();
                }
                Kind::Call { .. } if !empty.calls[id.0 as usize] => stopped.push(id),
                _ => {}
            }
            let here = self.set.get(&id).cloned().unwrap_or_default();
            for way in ways(machine, id, state, empty) {
                if way.moved.is_some_and(|m| here.contains(&m)) {
                    continue;
                }
                let mut there = here.clone();
                there.extend(way.marks.iter().filter(|m| !here.contains(m)));
                if merge(&mut self.set, way.to, there) {
                    work.push(way.to);
                }
            }
        }
        stopped
    }
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
