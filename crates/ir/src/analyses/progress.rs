//! What progress tests answer: for each state and mark, whether the position may equal the one that the mark stored
//! (*unmoved*), and whether it may differ or the mark may not be set (*moved*).
//!
//! Facts are local to an activation: into a callee goes "all moved"; behind a call comes what was before it, plus
//! "may have moved", minus "unmoved" where the callee cannot come back empty. Exceptions from the middle of a token
//! count as both.

use super::steps::{self, Slot, Taken};
use super::{empty, steps::taken_at_raise};
use crate::ids::{MarkId, StateId};
use crate::machine::{Kind, Machine, Op, Predicate, State};
use rustc_hash::FxHashMap;

/// Facts of a machine.
pub struct Progress {
    index: FxHashMap<MarkId, usize>,
    at: Vec<Option<Facts>>,
}

/// Bits of the tested marks.
#[derive(Clone, PartialEq)]
struct Facts {
    unmoved: Vec<u64>,
    moved: Vec<u64>,
}

/// The answers that a test can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    /// It may be true.
    pub moved: bool,
    /// It may be false.
    pub unmoved: bool,
}

impl Progress {
    /// What `moved mark` may answer at a state; nothing where the state is not reached.
    pub fn answers(&self, state: StateId, mark: MarkId) -> Answers {
        match (self.at.get(state.0 as usize), self.index.get(&mark)) {
            (Some(Some(facts)), Some(&i)) => {
                Answers { moved: bit(&facts.moved, i), unmoved: bit(&facts.unmoved, i) }
            }
            (Some(Some(_)), None) => Answers { moved: true, unmoved: true },
            _ => Answers { moved: false, unmoved: false },
        }
    }

    /// Whether the state is reached.
    pub fn reached(&self, state: StateId) -> bool {
        matches!(self.at.get(state.0 as usize), Some(Some(_)))
    }
}

/// What the analysis assumes of states. Tests plant faults here; all else uses [`Rules::TRUE`].
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What may have been taken when a state raises.
    pub at_raise: fn(&Kind) -> Taken,
    /// Whether facts flow to handlers.
    pub handlers: bool,
    /// Whether calls may come back without a byte.
    pub empty_calls: bool,
}

impl Rules {
    /// What holds.
    pub const TRUE: Rules = Rules { at_raise: taken_at_raise, handlers: true, empty_calls: true };
}

/// Finds the facts of all states that can be reached.
pub fn progress(machine: &Machine) -> Progress {
    progress_by(machine, Rules::TRUE)
}

/// The same by other rules.
pub fn progress_by(machine: &Machine, rules: Rules) -> Progress {
    let mut index = FxHashMap::default();
    for (_, state) in machine.states.iter() {
        if let Some(State { kind: Kind::Test { what: Predicate::Moved(m), .. }, .. }) = state {
            let next = index.len();
            index.entry(*m).or_insert(next);
        }
    }
    let at = vec![None; machine.states.len()];
    let empty = empty::emptiness(machine);
    let queued = vec![false; machine.states.len()];
    let mut flow = Flow { machine, rules, empty, index, at, work: Vec::new(), queued };
    let start = flow.fresh();
    flow.enter(machine.start, &start);
    while let Some(id) = flow.work.pop() {
        flow.queued[id.0 as usize] = false;
        if let Some(Some(state)) = machine.states.get(id) {
            flow.leave(id, state);
        }
    }
    Progress { index: flow.index, at: flow.at }
}

struct Flow<'a> {
    machine: &'a Machine,
    rules: Rules,
    empty: empty::Emptiness,
    index: FxHashMap<MarkId, usize>,
    at: Vec<Option<Facts>>,
    work: Vec<StateId>,
    queued: Vec<bool>,
}

impl Flow<'_> {
    /// An activation that has just begun: no mark is set, so all count as moved.
    fn fresh(&self) -> Facts {
        let words = self.index.len().div_ceil(64);
        Facts { unmoved: vec![0; words], moved: vec![u64::MAX; words] }
    }

    fn enter(&mut self, to: StateId, facts: &Facts) {
        let Some(slot) = self.at.get_mut(to.0 as usize) else { return };
        let changed = match slot {
            None => {
                *slot = Some(facts.clone());
                true
            }
            Some(old) => old.join(facts),
        };
        if changed && !std::mem::replace(&mut self.queued[to.0 as usize], true) {
            self.work.push(to);
        }
    }

    fn catch(&mut self, handler: StateId, facts: &Facts) {
        if self.rules.handlers {
            self.enter(handler, facts);
        }
    }

    fn leave(&mut self, id: StateId, state: &State) {
        let Some(here) = self.at[id.0 as usize].clone() else { return };
        if let Some(handler) = steps::state_handler(self.machine, state) {
            let mut facts = here.clone();
            facts.take((self.rules.at_raise)(&state.kind));
            self.catch(handler, &facts);
        }
        for (slot, edge) in steps::slots(&state.kind) {
            let Some(facts) = self.before(id, state, slot, &here) else { continue };
            self.along(state, edge, facts);
        }
    }

    /// Facts before the actions of an edge; `None` where the edge is never followed.
    fn before(&self, id: StateId, state: &State, slot: Slot, here: &Facts) -> Option<Facts> {
        let mut facts = here.clone();
        match (&state.kind, slot) {
            (Kind::Call { .. }, Slot::Into) => facts = self.fresh(),
            (Kind::Call { .. }, _) => {
                let empty = self.rules.empty_calls && self.empty.calls[id.0 as usize];
                facts.take(if empty { Taken::Maybe } else { Taken::Byte });
            }
            (Kind::Test { what: Predicate::Moved(m), .. }, _) => {
                let i = *self.index.get(m)?;
                let (keep, clear) = match slot {
                    Slot::Then => (&facts.moved, &mut facts.unmoved),
                    _ => (&facts.unmoved, &mut facts.moved),
                };
                if !bit(keep, i) {
                    return None;
                }
                clear[i / 64] &= !(1 << (i % 64));
            }
            (Kind::Literal { .. }, _) if self.empty.filled[id.0 as usize] => facts.take(Taken::Byte),
            (kind, _) => facts.take(steps::taken_before(kind)),
        }
        Some(facts)
    }

    fn along(&mut self, state: &State, edge: &crate::machine::Edge, mut facts: Facts) {
        for action in &edge.actions {
            match action.op {
                Op::Take => facts.take(Taken::Byte),
                Op::Mark(m) => self.mark(&mut facts, m),
                Op::Reset => {
                    facts = Facts { unmoved: facts.moved.iter().map(|_| u64::MAX).collect(), ..self.fresh() }
                }
                _ => {}
            }
            if super::effects::may_raise(self.machine, &action.op)
                && let Some(handler) = steps::handler(self.machine, action.site.or(state.site))
            {
                self.catch(handler, &facts);
            }
        }
        self.enter(edge.to, &facts);
    }

    fn mark(&self, facts: &mut Facts, mark: MarkId) {
        if let Some(&i) = self.index.get(&mark) {
            facts.unmoved[i / 64] |= 1 << (i % 64);
            facts.moved[i / 64] &= !(1 << (i % 64));
        }
    }
}

impl Facts {
    fn take(&mut self, taken: Taken) {
        if taken == Taken::Nothing {
            return;
        }
        for (moved, unmoved) in self.moved.iter_mut().zip(&mut self.unmoved) {
            *moved |= *unmoved;
            if taken == Taken::Byte {
                *unmoved = 0;
            }
        }
    }

    /// Adds the other's facts; whether there were new ones.
    fn join(&mut self, other: &Facts) -> bool {
        let mut changed = false;
        let pairs =
            self.moved.iter_mut().zip(&other.moved).chain(self.unmoved.iter_mut().zip(&other.unmoved));
        for (mine, theirs) in pairs {
            changed |= *theirs & !*mine != 0;
            *mine |= *theirs;
        }
        changed
    }
}

fn bit(words: &[u64], i: usize) -> bool {
    words.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1)
}
