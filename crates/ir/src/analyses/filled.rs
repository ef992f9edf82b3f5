//! Literals of a variable (`literal =v`) that take a byte for certain: on every way there it was asked whether the
//! text is empty, or whether the byte in hand is its first one, and nothing has changed the variable since.

use super::steps::{self, Slot};
use crate::ids::{Id, StateId, VarId};
use crate::machine::{Action, Form, Kind, Machine, Op, Predicate, State, Text};
use crate::portable::{ExprKind, TextQuery};

/// For each state whether it is such a literal. Indexed by state.
pub fn filled(machine: &Machine) -> Vec<bool> {
    let of = |state: &State| match &state.kind {
        Kind::Literal { text: Text::Var(var), .. } => Some(*var),
        _ => None,
    };
    if !machine.states.rows().iter().flatten().any(|s| of(s).is_some()) {
        return vec![false; machine.states.len()];
    }
    let known = known(machine);
    let is_filled = |(id, state): (StateId, &Option<State>)| {
        let var = state.as_ref().and_then(of);
        var.is_some_and(|v| known[id.index()].as_ref().is_some_and(|k| k.contains(&v)))
    };
    machine.states.iter().map(is_filled).collect()
}

/// Variables that are not empty on every way to a state.
fn known(machine: &Machine) -> Vec<Option<Vec<VarId>>> {
    let mut at: Vec<Option<Vec<VarId>>> = vec![None; machine.states.len()];
    let mut work = vec![(machine.start, Vec::new())];
    while let Some((id, vars)) = work.pop() {
        let Some(Some(state)) = machine.states.get(id) else { continue };
        let joined = match &at[id.index()] {
            None => vars,
            Some(old) => {
                let both: Vec<VarId> = old.iter().copied().filter(|v| vars.contains(v)).collect();
                if both.len() == old.len() {
                    continue;
                }
                both
            }
        };
        at[id.index()] = Some(joined.clone());
        work.extend(steps::state_handler(machine, state).map(|h| (h, Vec::new())));
        for (slot, edge) in steps::slots(&state.kind) {
            work.extend(steps::edge_handlers(machine, state, edge).into_iter().map(|(_, h)| (h, Vec::new())));
            let mut there = joined.clone();
            there.extend(learnt(machine, &state.kind, slot));
            if !keeps(&state.kind) {
                there.clear();
            }
            edge.actions.iter().for_each(|a| forget(machine, a, &mut there));
            work.push((edge.to, there));
        }
    }
    at
}

/// The variable that a test finds not to be empty.
fn learnt(machine: &Machine, kind: &Kind, slot: Slot) -> Option<VarId> {
    let Kind::Test { what, .. } = kind else { return None };
    match (what, slot) {
        (Predicate::Starts(var), Slot::Then) => Some(*var),
        (Predicate::Zero(expr), Slot::Else) => match &machine.symbols.exprs[*expr].kind {
            ExprKind::Query(TextQuery::Size, text) => match text.kind {
                ExprKind::Var(var) => Some(var),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Whether a state by itself changes no variable.
fn keeps(kind: &Kind) -> bool {
    match kind {
        Kind::Test { what, .. } => !matches!(what, Predicate::Code(_)),
        Kind::Call { .. } | Kind::Ret | Kind::Par { .. } | Kind::Win { .. } | Kind::Module { .. } => false,
        _ => true,
    }
}

fn forget(machine: &Machine, action: &Action, vars: &mut Vec<VarId>) {
    match &action.op {
        Op::Open(p) | Op::Commit(p) | Op::Deliver(p) => match &machine.spans[*p].form {
            Form::String { var, .. } | Form::View { var, .. } | Form::Array { var, .. } => {
                vars.retain(|v| v != var)
            }
            _ => {}
        },
        Op::Code(_) | Op::Notify(..) | Op::Reset | Op::EndModule(_) | Op::Begin(_) | Op::End(_) => {
            vars.clear()
        }
        _ => {}
    }
}
