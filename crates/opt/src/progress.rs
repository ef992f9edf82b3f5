//! `progress`: decides `moved` tests whose answer is known from the way to them, and drops marks that nobody reads.

use super::edit;
use rustc_hash::FxHashSet;
use vproto_ir::analyses::progress::progress;
use vproto_ir::ids::MarkId;
use vproto_ir::machine::{Kind, Machine, Op, Predicate};

/// Runs the pass.
pub fn run(machine: &mut Machine) {
    decide(machine);
    edit::sweep(machine);
    drop_marks(machine);
}

fn decide(machine: &mut Machine) {
    let facts = progress(machine);
    for (id, state) in machine.states.iter_mut() {
        let Some(state) = state else { continue };
        let Kind::Test { what: Predicate::Moved(mark), then, other } = &state.kind else { continue };
        let answers = facts.answers(id, *mark);
        let next = match (answers.moved, answers.unmoved) {
            (true, false) => then.clone(),
            (false, true) => other.clone(),
            _ => continue,
        };
        state.kind = Kind::Act { next };
    }
}

fn drop_marks(machine: &mut Machine) {
    let mut read: FxHashSet<MarkId> = FxHashSet::default();
    for state in machine.states.rows().iter().flatten() {
        if let Kind::Test { what: Predicate::Moved(m) | Predicate::MovedBottom(m), .. } = &state.kind {
            read.insert(*m);
        }
        for action in state.kind.edges().iter().flat_map(|e| &e.actions) {
            if let Op::Unspan(m) = action.op {
                read.insert(m);
            }
        }
    }
    for (_, state) in machine.states.iter_mut() {
        let Some(state) = state else { continue };
        for edge in state.kind.edges_mut() {
            edge.actions.retain(|a| !matches!(a.op, Op::Mark(m) if !read.contains(&m)));
        }
    }
}
