//! Invariants 9 and 10: what may run in a thread.
//!
//! Each state runs at one depth of threads: 0 outside, one more behind each `fork`, one less behind `win`. A raise in
//! a thread drops it, so handlers are of depth 0 only.

use super::Found;
use crate::analyses::steps;
use crate::ids::{Id, StateId};
use crate::machine::{Edge, Kind, Op, Predicate, State};
use crate::portable::CodeKind;

/// Deepest nesting of groups; the front-end refuses deeper ones long before.
const MOST_NESTED: u32 = 256;

/// Checks all states that can be reached.
pub fn check(found: &mut Found<'_>) {
    let machine = found.machine;
    let mut depths: Vec<Option<u32>> = vec![None; machine.states.len()];
    let mut work = vec![(machine.start, 0)];
    while let Some((id, depth)) = work.pop() {
        let Some(Some(state)) = machine.states.get(id) else { continue };
        match depths[id.index()] {
            // What only raises is the same anywhere.
            Some(known) if known == depth || matches!(state.kind, Kind::Raise(_)) => continue,
            Some(_) => {
                found.add(9, id, "it runs in threads and outside, or at two depths of them");
                continue;
            }
            None => depths[id.index()] = Some(depth),
        }
        if depth > MOST_NESTED {
            found.add(9, id, "groups hold each other");
            continue;
        }
        if depth > 0 {
            inside(found, id, state);
        }
        match &state.kind {
            Kind::Par { forks } => work.extend(forks.iter().map(|fork| (fork.to, depth + 1))),
            Kind::Win { .. } | Kind::Drop if depth == 0 => {
                found.add(9, id, "win or drop stands outside of threads");
            }
            Kind::Win { next } => work.push((next.to, depth - 1)),
            kind => work.extend(kind.edges().iter().map(|edge| (edge.to, depth))),
        }
        if depth == 0 {
            let handlers =
                state.kind.edges().into_iter().flat_map(|e| steps::edge_handlers(machine, state, e));
            work.extend(handlers.map(|(_, h)| (h, 0)));
            work.extend(steps::state_handler(machine, state).map(|h| (h, 0)));
        }
        if depth == 1
            && let Kind::Win { next } = &state.kind
        {
            work.extend(steps::edge_handlers(machine, state, next).into_iter().map(|(_, h)| (h, 0)));
        }
    }
}

/// A state in a thread. What hangs on the edge of a `win` happens outside of it.
fn inside(found: &mut Found<'_>, id: StateId, state: &State) {
    match &state.kind {
        Kind::Call { .. } | Kind::Ret | Kind::Module { .. } | Kind::End(_) => {
            found.add(9, id, "a thread reaches a call, a return, a module or an end");
        }
        Kind::Test { what: Predicate::Code(code), .. } => {
            if matches!(found.machine.symbols.codes[*code].kind, CodeKind::Block(_)) {
                found.add(10, id, "a block decides inside a thread");
            }
        }
        Kind::Test { what: Predicate::Moved(_) | Predicate::MovedBottom(_), .. } => {
            found.add(9, id, "a thread asks for progress");
        }
        Kind::Win { .. } => return,
        _ => {}
    }
    let of_the_parser = |edge: &Edge| {
        let ops = edge.actions.iter().map(|a| &a.op);
        ops.into_iter()
            .any(|op| matches!(op, Op::Reset | Op::EndModule(_) | Op::Mark(_) | Op::Home(_) | Op::Unspan(_)))
    };
    if state.kind.edges().into_iter().any(of_the_parser) {
        found.add(9, id, "a thread resets, enters a branching or ends a module");
    }
}
