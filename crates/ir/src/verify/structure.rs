//! Invariants 2, 3, 4, 8 and 14: what a state says about itself.

use super::Found;
use crate::analyses::effects;
use crate::analyses::steps;
use crate::byteset::ByteSet;
use crate::ids::{Id, StateId};
use crate::machine::{Bound, Edge, Handler, Kind, Machine, Op, Predicate, State, Text};

/// Invariants 2, 3, 4, 8 and 14, of states that can be reached.
pub fn states(found: &mut Found<'_>, live: &[bool]) {
    let machine = found.machine;
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        if !live[id.index()] {
            continue;
        }
        match &state.kind {
            Kind::Dispatch { alts, .. } => dispatch(found, id, alts),
            Kind::Scan { set, lo, hi, until, .. } => {
                // With until the text must come at once.
                bounds(found, id, lo, if until.is_some() { &Bound::Unbounded } else { hi });
                if set.is_empty() {
                    found.add(2, id, "the set of a scan is empty");
                }
                if until.is_some() && *lo != Bound::Fixed(0) {
                    found.add(3, id, "a scan with until has a least number");
                }
            }
            Kind::Module { lo, hi, .. } => bounds(found, id, lo, hi),
            Kind::Literal { text: Text::Bytes(bytes), .. } if bytes.len() < 2 => {
                found.add(3, id, "a literal has less than two letters");
            }
            Kind::Par { forks } if forks.is_empty() => found.add(2, id, "no thread is forked"),
            _ => {}
        }
        if state.site.is_none() && effects::state_may_raise(machine, &state.kind) {
            found.add(4, id, "it can fail and has no site");
        }
        for edge in state.kind.edges() {
            edge_rules(found, id, state, edge);
        }
    }
    starts_tests(found, live);
    unspans(found, live);
}

fn dispatch(found: &mut Found<'_>, id: StateId, alts: &[(ByteSet, Edge)]) {
    let mut seen = ByteSet::EMPTY;
    for (set, _) in alts {
        if set.is_empty() {
            found.add(2, id, "the set of an alternative is empty");
        }
        if seen.intersects(set) {
            found.add(2, id, format!("two alternatives share {}", seen & *set));
        }
        seen = seen | *set;
    }
}

fn bounds(found: &mut Found<'_>, id: StateId, lo: &Bound, hi: &Bound) {
    if *lo == Bound::Unbounded {
        found.add(3, id, "the least number has no bound");
    }
    if let (Bound::Fixed(lo), Bound::Fixed(hi)) = (lo, hi)
        && lo > hi
    {
        found.add(3, id, "lo is above hi");
    }
    if *hi == Bound::Fixed(0) {
        found.add(3, id, "hi is 0");
    }
}

fn edge_rules(found: &mut Found<'_>, id: StateId, state: &State, edge: &Edge) {
    let takes = edge.actions.iter().filter(|a| a.op == Op::Take).count();
    let on_byte = match &state.kind {
        Kind::Dispatch { eof, .. } => !eof.as_ref().is_some_and(|e| std::ptr::eq(e, edge)),
        _ => false,
    };
    if takes > usize::from(on_byte) {
        found.add(8, id, "take stands where no byte is in hand, or twice");
    }
    for action in &edge.actions {
        if action.site.or(state.site).is_none() && effects::may_raise(found.machine, &action.op) {
            found.add(4, id, "an action can fail and has no site");
        }
    }
}

/// `starts v` only behind a dispatch of the same byte: tests may stand between.
fn starts_tests(found: &mut Found<'_>, live: &[bool]) {
    let machine = found.machine;
    let mut good = vec![true; machine.states.len()];
    let mut work: Vec<StateId> = handlers(machine).chain([machine.start]).collect();
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        for (slot, edge) in steps::slots(&state.kind).into_iter().filter(|_| live[id.index()]) {
            let passes = match &state.kind {
                Kind::Dispatch { .. } => slot == steps::Slot::Alternative && !edge.takes(),
                Kind::Test { .. } | Kind::Act { .. } => true,
                _ => false,
            };
            if !passes {
                work.push(edge.to);
            }
        }
    }
    while let Some(id) = work.pop() {
        if !std::mem::replace(&mut good[id.index()], false) {
            continue;
        }
        if let Some(Some(State { kind: kind @ (Kind::Test { .. } | Kind::Act { .. }), .. })) =
            machine.states.get(id)
        {
            work.extend(kind.edges().iter().map(|edge| edge.to));
        }
    }
    for (id, state) in machine.states.iter() {
        let starts = state.as_ref().map(|s| matches!(s.kind, Kind::Test { what: Predicate::Starts(_), .. }));
        if starts == Some(true) && live[id.index()] && !good[id.index()] {
            found.add(14, id, "starts is asked without a byte in hand");
        }
    }
}

/// The first states of `catch:` lines.
fn handlers(machine: &Machine) -> impl Iterator<Item = StateId> {
    machine.sites.iter().filter_map(|(_, site)| match site.handler {
        Handler::Catch(state) => Some(state),
        _ => None,
    })
}

/// `unspan` is the first action of a handler's first state.
fn unspans(found: &mut Found<'_>, live: &[bool]) {
    let machine = found.machine;
    let mut leads = vec![false; machine.states.len()];
    handlers(machine).for_each(|id| leads[id.index()] = true);
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        let first = matches!(state.kind, Kind::Act { .. }) && leads[id.index()];
        for edge in state.kind.edges().into_iter().filter(|_| live[id.index()]) {
            let behind = edge.actions.iter().skip(usize::from(first));
            if behind.into_iter().any(|a| matches!(a.op, Op::Unspan(_))) {
                found.add(14, id, "unspan is not the first action of a handler");
            }
        }
    }
}
