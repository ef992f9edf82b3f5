//! Faults that passes could have: each changes a machine as a wrong pass would.

use rustc_hash::FxHashMap;
use vproto_ir::analyses::progress::{Rules, progress_by};
use vproto_ir::analyses::steps::Taken;
use vproto_ir::ids::StateId;
use vproto_ir::machine::{Kind, Machine, Op, Plan};
use vproto_opt::progress::decide;

use super::faults::{Fault, each_actions, each_kind, each_site, fault, keep_ops};

/// Faults of passes that work on a machine as it was lowered.
pub const BEFORE: &[Fault] = &[
    fault("progress: an exception in mid-token has taken nothing", |m| {
        decide_by(m, Rules { at_raise: |_| Taken::Nothing, ..Rules::TRUE });
    }),
    fault("progress: an exception in mid-token has taken a byte", |m| {
        decide_by(m, Rules { at_raise: |kind| surely(kind), ..Rules::TRUE });
    }),
    fault("progress: handlers are skipped", |m| decide_by(m, Rules { handlers: false, ..Rules::TRUE })),
    fault("progress: calls always take a byte", |m| {
        decide_by(m, Rules { empty_calls: false, ..Rules::TRUE });
    }),
    fault("progress: all marks are dropped", |m| keep_ops(m, |op| !matches!(op, Op::Mark(_)))),
    fault("fold_equal: places do not belong to equality", fold_without_sites),
    fault("inline: what a call keeps is not asked", |m| {
        each_kind(m, |kind| {
            if let Kind::Call { keep, next, .. } = kind
                && !keep.is_empty()
            {
                *kind = Kind::Act { next: next.clone() };
            }
        });
    }),
];

/// Faults that show in a machine behind all passes.
pub const BEHIND: &[Fault] = &[
    fault("thread: a moved action reports the place of its new state", |m| {
        each_actions(m, |actions| actions.iter_mut().for_each(|a| a.site = None));
    }),
    fault("merge_dispatch: the first look reports for the second", |m| each_site(m, |s| s.wants = None)),
    fault("determinise: captures of dead threads stay", |m| {
        keep_ops(m, |op| !matches!(op, Op::DropSpan(_)));
    }),
    fault("determinise: captures clear before they have won", |m| {
        m.spans.iter_mut().for_each(|(_, span)| span.private = false);
    }),
    fault("determinise: nobody wins by a look", |m| {
        each_kind(m, |kind| {
            if let Kind::Dispatch { other, .. } = kind {
                *other = None;
            }
        });
    }),
    fault("chains: a place is one byte late", |m| {
        let layouts = m.plans.iter_mut().flat_map(|Plan::Chain(chain)| &mut chain.layouts);
        layouts.flat_map(|layout| &mut layout.actions).for_each(|(place, _)| *place += 1);
    }),
    fault("chains: the last byte is not checked", |m| {
        let layouts = m.plans.iter_mut().flat_map(|Plan::Chain(chain)| &mut chain.layouts);
        layouts.filter_map(|layout| layout.bytes.last_mut()).for_each(|set| *set = !*set | *set);
    }),
];

fn decide_by(machine: &mut Machine, rules: Rules) {
    let facts = progress_by(machine, rules);
    decide(machine, &facts);
}

fn surely(kind: &Kind) -> Taken {
    match (Rules::TRUE.at_raise)(kind) {
        Taken::Nothing => Taken::Nothing,
        _ => Taken::Byte,
    }
}

/// One round of folding that does not look at places.
fn fold_without_sites(machine: &mut Machine) {
    let mut known: FxHashMap<Kind, StateId> = FxHashMap::default();
    let mut targets: Vec<StateId> = machine.states.ids().collect();
    for (id, state) in machine.states.iter() {
        if let Some(state) = state {
            targets[id.0 as usize] = *known.entry(state.kind.clone()).or_insert(id);
        }
    }
    each_kind(machine, |kind| {
        kind.edges_mut().into_iter().for_each(|edge| edge.to = targets[edge.to.0 as usize]);
    });
}
