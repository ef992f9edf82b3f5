//! `thread`: edges lead past joins and carry their actions. A join stays where it is a handler that ends spans, the
//! start, or a long list of actions that several edges share.

use super::edit;
use vproto_ir::analyses::steps;
use vproto_ir::ids::{Id, StateId};
use vproto_ir::machine::{Edge, Kind, Machine, Op, State};

/// A list of more actions is not copied.
const SHORT: usize = 4;

/// Runs the pass.
pub fn run(machine: &mut Machine) {
    let users = steps::uses(machine);
    for id in machine.states.ids() {
        let Some(mut state) = machine.states[id].take() else { continue };
        let before = state.clone();
        machine.states[id] = Some(before);
        for edge in state.kind.edges_mut() {
            follow(machine, &users, edge);
        }
        machine.states[id] = Some(state);
    }
    let targets: Vec<StateId> = machine.states.ids().map(|id| bare(machine, id)).collect();
    edit::redirect(machine, |id| targets[id.index()]);
    edit::sweep(machine);
}

/// Lengthens an edge over the joins that it leads to.
fn follow(machine: &Machine, users: &[u32], edge: &mut Edge) {
    // A chain of joins is no longer than there are states.
    for _ in 0..machine.states.len() {
        let Some(Some(State { kind: Kind::Act { next }, site })) = machine.states.get(edge.to) else {
            return;
        };
        let shared = next.actions.len() > SHORT && users[edge.to.index()] > 1;
        if shared || matches!(next.actions.first().map(|a| &a.op), Some(Op::Unspan(_))) {
            return;
        }
        *edge = edit::join(edge, next, *site);
    }
}

/// Where a join without actions leads.
fn bare(machine: &Machine, id: StateId) -> StateId {
    let mut to = id;
    for _ in 0..machine.states.len() {
        match machine.states.get(to) {
            Some(Some(State { kind: Kind::Act { next }, .. })) if next.actions.is_empty() => to = next.to,
            _ => break,
        }
    }
    to
}
