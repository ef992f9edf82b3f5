//! `tidy_spans`: `close p` and `deliver p` on one edge with no `take` between them are `commit p`.

use vproto_ir::machine::{Action, Edge, Machine, Op};

/// Runs the pass.
pub fn run(machine: &mut Machine) {
    for (_, state) in machine.states.iter_mut() {
        let Some(state) = state else { continue };
        state.kind.edges_mut().into_iter().for_each(tidy);
    }
}

fn tidy(edge: &mut Edge) {
    while let Some((close, deliver)) = pair(&edge.actions) {
        if let Op::Deliver(p) = edge.actions[deliver].op {
            edge.actions[deliver].op = Op::Commit(p);
        }
        edge.actions.remove(close);
    }
}

fn pair(actions: &[Action]) -> Option<(usize, usize)> {
    for (i, action) in actions.iter().enumerate() {
        let Op::Close(p) = action.op else { continue };
        let upto = actions[i..].iter().position(|a| a.op == Op::Take).map_or(actions.len(), |n| i + n);
        if let Some(n) = actions[i..upto].iter().position(|a| a.op == Op::Deliver(p)) {
            return Some((i, i + n));
        }
    }
    None
}
