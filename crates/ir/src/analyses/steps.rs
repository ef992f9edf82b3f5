//! The ways a parser can go from a state, and whether a byte is taken on them. The base of all flow analyses.

use super::effects;
use crate::ids::{SiteId, StateId};
use crate::machine::{Bound, Edge, ErrorKind, Handler, Kind, Machine, Op, State, Text};

/// Whether a way takes bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// None.
    Nothing,
    /// Perhaps.
    Maybe,
    /// At least one.
    Byte,
}

/// The slot of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The only one, or the one behind a call.
    Next,
    /// An alternative of a dispatch, or its `other`.
    Alternative,
    /// The end of input.
    Eof,
    /// A test is true.
    Then,
    /// A test is false.
    Else,
    /// Into a called tree.
    Into,
    /// Into a thread.
    Fork,
}

/// The edges of a state with their slots, in the order of the text form.
pub fn slots(kind: &Kind) -> Vec<(Slot, &Edge)> {
    match kind {
        Kind::Dispatch { alts, other, eof } => {
            let alts = alts.iter().map(|(_, e)| e).chain(other).map(|e| (Slot::Alternative, e));
            alts.chain(eof.iter().map(|e| (Slot::Eof, e))).collect()
        }
        Kind::Test { then, other, .. } => vec![(Slot::Then, then), (Slot::Else, other)],
        Kind::Call { to, next, .. } => vec![(Slot::Into, to), (Slot::Next, next)],
        Kind::Par { forks } => forks.iter().map(|e| (Slot::Fork, e)).collect(),
        kind => kind.edges().into_iter().map(|e| (Slot::Next, e)).collect(),
    }
}

/// What is taken before an edge of this state is followed, its own `take` left out. Calls are left to the caller.
pub fn taken_before(kind: &Kind) -> Taken {
    match kind {
        Kind::Scan { until: Some(_), .. } => Taken::Byte,
        // The least number is never above the greatest one, which may be 0 at run time.
        Kind::Scan { lo: Bound::Fixed(0) | Bound::Register, .. } | Kind::Scan { hi: Bound::Register, .. } => {
            Taken::Maybe
        }
        Kind::Scan { .. } => Taken::Byte,
        Kind::Literal { text: Text::Bytes(_), .. } => Taken::Byte,
        Kind::Literal { text: Text::Var(_), .. } | Kind::Module { .. } => Taken::Maybe,
        _ => Taken::Nothing,
    }
}

/// What is taken when an edge was followed to its end.
pub fn taken_on(kind: &Kind, edge: &Edge) -> Taken {
    if edge.takes() { Taken::Byte } else { taken_before(kind) }
}

/// What may have been taken when the state itself raises.
pub fn taken_at_raise(kind: &Kind) -> Taken {
    match kind {
        Kind::Scan { hi: Bound::Fixed(1), until: None, .. } => Taken::Nothing,
        Kind::Scan { .. }
        | Kind::Literal { .. }
        | Kind::Module { .. }
        | Kind::Par { .. }
        | Kind::Call { .. } => Taken::Maybe,
        _ => Taken::Nothing,
    }
}

/// The handler that takes what the state itself raises, if one in the same activation does. A scan always may: a
/// span may refuse a byte. Behind a call it is who takes what leaves the callee.
pub fn state_handler(machine: &Machine, state: &State) -> Option<StateId> {
    let raises = match &state.kind {
        Kind::Raise(ErrorKind::NoProgress) => false,
        Kind::Scan { .. } | Kind::Call { .. } => true,
        kind => effects::state_may_raise(machine, kind),
    };
    if raises { handler(machine, state.site) } else { None }
}

/// The state that takes what is raised at a site.
pub fn handler(machine: &Machine, site: Option<SiteId>) -> Option<StateId> {
    match machine.sites.get(site?)?.handler {
        Handler::Catch(state) => Some(state),
        Handler::Stop | Handler::Up => None,
    }
}

/// Handlers of the actions of an edge that may raise, with what the edge had taken.
pub fn edge_handlers(machine: &Machine, state: &State, edge: &Edge) -> Vec<(Taken, StateId)> {
    let mut taken = taken_before(&state.kind);
    let mut handlers = Vec::new();
    for action in &edge.actions {
        if action.op == Op::Take {
            taken = Taken::Byte;
        }
        if effects::may_raise(machine, &action.op) {
            handlers.extend(handler(machine, action.site.or(state.site)).map(|h| (taken, h)));
        }
    }
    handlers
}

/// All states that can come next, handlers and called trees included.
pub fn successors(machine: &Machine, state: &State) -> Vec<StateId> {
    let mut all: Vec<StateId> = Vec::new();
    for edge in state.kind.edges() {
        all.push(edge.to);
        all.extend(edge_handlers(machine, state, edge).into_iter().map(|(_, h)| h));
    }
    all.extend(state_handler(machine, state));
    all
}

/// Which states can be reached from the start; indexed by state.
pub fn reachable(machine: &Machine) -> Vec<bool> {
    reachable_from(machine, machine.start)
}

/// Which states can be reached from one.
pub fn reachable_from(machine: &Machine, from: StateId) -> Vec<bool> {
    let mut seen = vec![false; machine.states.len()];
    let mut work = vec![from];
    while let Some(id) = work.pop() {
        let Some(Some(state)) = machine.states.get(id) else { continue };
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        work.extend(successors(machine, state));
    }
    seen
}

/// Number of edges and handlers that lead to each state; the start counts one.
pub fn uses(machine: &Machine) -> Vec<u32> {
    let mut uses = vec![0u32; machine.states.len()];
    if let Some(start) = uses.get_mut(machine.start.0 as usize) {
        *start += 1;
    }
    for (_, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        for to in successors(machine, state) {
            if let Some(count) = uses.get_mut(to.0 as usize) {
                *count += 1;
            }
        }
    }
    uses
}

/// Which states may be dropped: those to which no edge leads, and which no site of a kept state names as handler,
/// whether it can raise or not.
pub fn droppable(machine: &Machine) -> Vec<bool> {
    let mut drop = vec![true; machine.states.len()];
    let mut work = vec![machine.start];
    while let Some(id) = work.pop() {
        let Some(Some(state)) = machine.states.get(id) else { continue };
        if !std::mem::replace(&mut drop[id.0 as usize], false) {
            continue;
        }
        let edges = state.kind.edges();
        let sites = edges.iter().flat_map(|e| e.actions.iter().map(|a| a.site)).chain([state.site]);
        work.extend(sites.filter_map(|site| handler(machine, site)));
        work.extend(edges.iter().map(|e| e.to));
    }
    drop
}
