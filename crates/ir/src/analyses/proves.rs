//! `proves`: what can happen at all: which states raise, rest, are never reached, and which threads can win.

use super::{effects, forks, steps};
use crate::ids::{Id, StateId};
use crate::machine::{Edge, Kind, Machine};

/// Facts of a machine.
#[derive(Clone, Debug, Default)]
pub struct Proves {
    /// States that no input reaches.
    pub dead: Vec<StateId>,
    /// States that may raise, by themselves or by an action of an edge.
    pub raises: Vec<StateId>,
    /// States where the parser may rest.
    pub rests: Vec<StateId>,
    /// Forks from which no `win` is reached: the group and the index of the fork.
    pub never_win: Vec<(StateId, usize)>,
}

/// Finds the facts.
pub fn proves(machine: &Machine) -> Proves {
    let live = steps::reachable(machine);
    let mut all = Proves::default();
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        if !live[id.index()] {
            all.dead.push(id);
            continue;
        }
        let by_action = |e: &&Edge| e.actions.iter().any(|a| effects::may_raise(machine, &a.op));
        if effects::state_may_raise(machine, &state.kind) || state.kind.edges().iter().any(by_action) {
            all.raises.push(id);
        }
        if state.kind.rests() {
            all.rests.push(id);
        }
    }
    let groups = forks::forks(machine).groups;
    for (id, state) in machine.states.iter() {
        let Some(Kind::Par { forks }) = state.as_ref().map(|s| &s.kind) else { continue };
        let wins = groups.get(&id).map(|g| g.wins.as_slice()).unwrap_or_default();
        for (i, fork) in forks.iter().enumerate() {
            let reached = steps::reachable_from(machine, fork.to);
            if !wins.iter().any(|w| reached[w.index()]) {
                all.never_win.push((id, i));
            }
        }
    }
    all
}
