//! `progress`: decides tests whose answer is known (`moved` from the way to it, `{}` always), and drops marks that
//! nobody reads.

use super::edit;
use rustc_hash::FxHashSet;
use vproto_ir::analyses::progress::{Answers, Progress, progress};
use vproto_ir::ids::MarkId;
use vproto_ir::machine::{Kind, Machine, Op, Predicate};
use vproto_ir::portable::CodeKind;

/// Runs the pass.
pub fn run(machine: &mut Machine) {
    decide(machine, &progress(machine));
    edit::sweep(machine);
    drop_marks(machine);
}

/// Puts joins in place of tests that the facts answer.
pub fn decide(machine: &mut Machine, facts: &Progress) {
    let codes = &machine.symbols.codes;
    for (id, state) in machine.states.iter_mut() {
        let Some(state) = state else { continue };
        let Kind::Test { what, then, other } = &state.kind else { continue };
        let answer = match what {
            Predicate::Moved(mark) => known(facts.answers(id, *mark)),
            // `{}` first in a line is the else of its branching.
            Predicate::Code(code) if codes[*code].kind == CodeKind::Block(Vec::new()) => Some(true),
            _ => None,
        };
        let next = match answer {
            Some(true) => then.clone(),
            Some(false) => other.clone(),
            None => continue,
        };
        state.kind = Kind::Act { next };
    }
}

fn known(answers: Answers) -> Option<bool> {
    (answers.moved != answers.unmoved).then_some(answers.moved)
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
