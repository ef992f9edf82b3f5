//! Invariants 9 and 10: what may run in a thread.

use super::Found;
use crate::analyses::forks::forks;
use crate::analyses::steps;
use crate::ids::{Id, StateId};
use crate::machine::{Kind, Op, Predicate};
use crate::portable::CodeKind;

/// Checks all groups that can be reached.
pub fn check(found: &mut Found<'_>, live: &[bool]) {
    let machine = found.machine;
    let forks = forks(machine);
    for par in &forks.faults {
        found.add(9, *par, "groups hold each other");
    }
    let mut groups: Vec<_> = forks.groups.iter().filter(|(par, _)| live[par.index()]).collect();
    groups.sort_by_key(|(par, _)| **par);
    for (_, group) in groups {
        for state in &group.states {
            check_inside(found, *state);
        }
    }
    check_outside(found, &forks.groups);
}

fn check_inside(found: &mut Found<'_>, id: StateId) {
    let machine = found.machine;
    let kind = &machine.state(id).kind;
    match kind {
        Kind::Call { .. } | Kind::Ret | Kind::Module { .. } | Kind::End(_) => {
            found.add(9, id, "a thread reaches a call, a return, a module or an end");
        }
        Kind::Test { what: Predicate::Code(code), .. } => {
            if matches!(machine.symbols.codes[*code].kind, CodeKind::Block(_)) {
                found.add(10, id, "a block decides inside a thread");
            }
        }
        Kind::Test { what: Predicate::Moved(_) | Predicate::MovedBottom(_), .. } => {
            found.add(9, id, "a thread asks for progress");
        }
        _ => {}
    }
    if kind.edges().iter().flat_map(|e| &e.actions).any(|a| a.op == Op::Reset) {
        found.add(9, id, "a thread resets");
    }
}

/// From the start on, groups stepped over: no `win` or `drop`.
fn check_outside(
    found: &mut Found<'_>,
    groups: &rustc_hash::FxHashMap<StateId, crate::analyses::forks::Group>,
) {
    let machine = found.machine;
    let mut seen = vec![false; machine.states.len()];
    let mut work = vec![machine.start];
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        let state = machine.state(id);
        match &state.kind {
            Kind::Par { .. } => {
                let wins = groups.get(&id).map(|g| g.wins.as_slice()).unwrap_or_default();
                work.extend(wins.iter().flat_map(|w| machine.state(*w).kind.edges()).map(|e| e.to));
                work.extend(steps::state_handler(machine, state));
            }
            Kind::Win { .. } | Kind::Drop => found.add(9, id, "win or drop stands outside of threads"),
            _ => work.extend(steps::successors(machine, state)),
        }
    }
}
