//! Invariants 5 and 13: registers are set before they are read, on every path.

use super::Found;
use crate::analyses::steps::{self, Slot};
use crate::ids::{Id, StateId};
use crate::machine::{Bound, Kind, Limit, Machine, Op, Predicate, State};

/// Registers that are set on every path.
#[derive(Clone, Copy, PartialEq)]
struct Set {
    lo: bool,
    hi: bool,
    rep: bool,
}

const NONE: Set = Set { lo: false, hi: false, rep: false };

/// Checks all states that can be reached.
pub fn check(found: &mut Found<'_>, live: &[bool]) {
    let machine = found.machine;
    let sets = flow(machine);
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        let (true, Some(set)) = (live[id.index()], sets[id.index()]) else { continue };
        let (needs, invariant) = needs(&state.kind);
        let missing =
            [(needs.lo && !set.lo, "lo"), (needs.hi && !set.hi, "hi"), (needs.rep && !set.rep, "rep")];
        for (_, register) in missing.iter().filter(|(m, _)| *m) {
            found.add(invariant, id, format!("{register} is not set on every edge to it"));
        }
        if let Kind::Call { fence: false, needs: true, .. } = state.kind {
            found.add(13, id, "needs without fence");
        }
    }
}

fn needs(kind: &Kind) -> (Set, u8) {
    match kind {
        Kind::Scan { lo, hi, .. } | Kind::Module { lo, hi, .. } => {
            (Set { lo: *lo == Bound::Register, hi: *hi == Bound::Register, rep: false }, 5)
        }
        Kind::Test { what: Predicate::Below(limit) | Predicate::Reached(limit), .. } => {
            (Set { lo: *limit == Limit::Lo, hi: *limit == Limit::Hi, rep: true }, 5)
        }
        Kind::Call { fence, times, .. } => (Set { lo: false, hi: *fence, rep: *times }, 13),
        _ => (NONE, 5),
    }
}

/// A scan with bounds in registers uses them up; a call, a thread and a handler have none.
fn flow(machine: &Machine) -> Vec<Option<Set>> {
    let mut at: Vec<Option<Set>> = vec![None; machine.states.len()];
    let mut work = Vec::new();
    enter(&mut at, &mut work, machine.start, NONE);
    while let Some(id) = work.pop() {
        let (Some(Some(state)), Some(here)) = (machine.states.get(id), at[id.index()]) else { continue };
        for (to, set) in leave(machine, state, here) {
            enter(&mut at, &mut work, to, set);
        }
    }
    at
}

fn enter(at: &mut [Option<Set>], work: &mut Vec<StateId>, to: StateId, set: Set) {
    let joined = match at[to.index()] {
        None => set,
        Some(old) => Set { lo: old.lo && set.lo, hi: old.hi && set.hi, rep: old.rep && set.rep },
    };
    if at[to.index()] != Some(joined) {
        at[to.index()] = Some(joined);
        work.push(to);
    }
}

fn leave(machine: &Machine, state: &State, here: Set) -> Vec<(StateId, Set)> {
    let mut ways: Vec<(StateId, Set)> = Vec::new();
    ways.extend(steps::state_handler(machine, state).map(|h| (h, NONE)));
    for (slot, edge) in steps::slots(&state.kind) {
        ways.extend(steps::edge_handlers(machine, state, edge).into_iter().map(|(_, h)| (h, NONE)));
        let mut set = match &state.kind {
            Kind::Call { .. } => NONE,
            Kind::Scan { .. } | Kind::Module { .. } => {
                let used = needs(&state.kind).0;
                Set { lo: here.lo && !used.lo, hi: here.hi && !used.hi, rep: here.rep }
            }
            Kind::Win { .. } => NONE,
            _ if slot == Slot::Fork => NONE,
            _ => here,
        };
        for action in &edge.actions {
            match action.op {
                Op::SetLo(_) | Op::SetLoFixed(_) | Op::SetLoToHi => set.lo = true,
                Op::SetHi(_) | Op::SetHiFixed(_) => set.hi = true,
                Op::SetRep(_) | Op::SetRepFixed(_) => set.rep = true,
                _ => {}
            }
        }
        ways.push((edge.to, set));
    }
    ways
}
