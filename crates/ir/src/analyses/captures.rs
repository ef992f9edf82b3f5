//! Which captures are open, and which are closed but not delivered, at each state: the same on every path.

use super::steps;
use crate::ids::{SpanId, StateId};
use crate::machine::{Action, Kind, Machine, Op, State};

/// Captures at a state, in the order of their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Captures {
    /// Between `open` and `commit` or `close`.
    pub open: Vec<SpanId>,
    /// Behind `close`.
    pub closed: Vec<SpanId>,
}

/// What is wrong at a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Two paths disagree.
    Differs(StateId),
    /// An action does not fit: `open` of an open capture, `commit` of one that is not open, and so on.
    Action(StateId, SpanId),
    /// A capture is open where none may be.
    Left(StateId, SpanId),
}

/// Captures of each state that can be reached (`None` elsewhere), and what is wrong.
pub fn captures(machine: &Machine) -> (Vec<Option<Captures>>, Vec<Fault>) {
    let mut flow =
        Flow { machine, at: vec![None; machine.states.len()], faults: Vec::new(), work: Vec::new() };
    flow.enter(machine.start, Captures::default());
    while let Some(id) = flow.work.pop() {
        if let Some(Some(state)) = machine.states.get(id) {
            flow.leave(id, state);
        }
    }
    (flow.at, flow.faults)
}

struct Flow<'a> {
    machine: &'a Machine,
    at: Vec<Option<Captures>>,
    faults: Vec<Fault>,
    work: Vec<StateId>,
}

impl Flow<'_> {
    fn enter(&mut self, to: StateId, captures: Captures) {
        match self.at.get_mut(to.0 as usize) {
            Some(slot @ None) => {
                *slot = Some(captures);
                self.work.push(to);
            }
            Some(Some(old)) if *old != captures && !self.faults.contains(&Fault::Differs(to)) => {
                self.faults.push(Fault::Differs(to));
            }
            _ => {}
        }
    }

    fn leave(&mut self, id: StateId, state: &State) {
        let here = self.at[id.0 as usize].clone().unwrap_or_default();
        if matches!(state.kind, Kind::Call { .. } | Kind::Ret) {
            let left = here.open.iter().chain(&here.closed);
            self.faults.extend(left.map(|p| Fault::Left(id, *p)));
        }
        if let Some(handler) = steps::state_handler(self.machine, state) {
            self.enter(handler, Captures::default());
        }
        for edge in state.kind.edges() {
            for (_, handler) in steps::edge_handlers(self.machine, state, edge) {
                self.enter(handler, Captures::default());
            }
            let mut there = here.clone();
            for action in &edge.actions {
                if let Err(span) = apply(&mut there, action) {
                    self.faults.push(Fault::Action(id, span));
                }
            }
            self.enter(edge.to, there);
        }
    }
}

/// What an action does to the captures; the span that it does not fit.
fn apply(captures: &mut Captures, action: &Action) -> Result<(), SpanId> {
    let remove = |list: &mut Vec<SpanId>, p: SpanId| match list.iter().position(|x| *x == p) {
        Some(i) => {
            list.remove(i);
            Ok(())
        }
        None => Err(p),
    };
    let insert = |list: &mut Vec<SpanId>, p: SpanId| match list.binary_search(&p) {
        Ok(_) => Err(p),
        Err(i) => {
            list.insert(i, p);
            Ok(())
        }
    };
    match action.op {
        Op::Open(p) => insert(&mut captures.open, p),
        Op::Commit(p) => remove(&mut captures.open, p),
        Op::Close(p) => remove(&mut captures.open, p).and_then(|()| insert(&mut captures.closed, p)),
        Op::Deliver(p) => remove(&mut captures.closed, p),
        Op::DropSpan(p) => remove(&mut captures.open, p).or_else(|p| remove(&mut captures.closed, p)),
        _ => Ok(()),
    }
}
