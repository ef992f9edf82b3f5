//! What must be saved where the parser rests: registers that something may still read.

use super::forks::forks;
use super::steps::{Slot, slots};
use crate::ids::{Id, StateId};
use crate::machine::{Bound, Edge, Kind, Limit, Machine, Op, Predicate, Text};

/// Registers that mean something in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Bytes taken by the running scan. Of a scan `1..*` the resume number tells as much.
    pub n: bool,
    /// Letters of the running literal, or of a half-seen `until` text. Of a literal whose letters are known the
    /// resume number tells as much.
    pub k: bool,
    /// The register `lo`.
    pub lo: bool,
    /// The register `hi`.
    pub hi: bool,
    /// Whole literals so far, or the count of a call.
    pub rep: bool,
}

impl Live {
    fn join(self, other: Live) -> Live {
        Live {
            n: self.n || other.n,
            k: self.k || other.k,
            lo: self.lo || other.lo,
            hi: self.hi || other.hi,
            rep: self.rep || other.rep,
        }
    }
}

/// What is live in each state, while it runs; indexed by state.
pub fn live(machine: &Machine) -> Vec<Live> {
    let forks = forks(machine);
    let mut live: Vec<Live> =
        machine.states.iter().map(|(_, s)| s.as_ref().map_or(Live::default(), |s| reads(&s.kind))).collect();
    // A group's `par` keeps the registers of its line for what comes behind the winner.
    let mut behind: Vec<Vec<&Edge>> = vec![Vec::new(); machine.states.len()];
    for (par, group) in &forks.groups {
        behind[par.index()].extend(group.wins.iter().flat_map(|w| machine.state(*w).kind.edges()));
    }
    let mut users: Vec<Vec<StateId>> = vec![Vec::new(); machine.states.len()];
    for (id, state) in machine.states.iter() {
        for edge in state.iter().flat_map(|s| s.kind.edges()).chain(behind[id.index()].iter().copied()) {
            users[edge.to.index()].push(id);
        }
    }
    let mut work: Vec<StateId> = machine.states.ids().collect();
    while let Some(id) = work.pop() {
        let Some(state) = &machine.states[id] else { continue };
        let mut now = live[id.index()];
        for (slot, edge) in slots(&state.kind) {
            let passes = slot != Slot::Fork && !matches!(state.kind, Kind::Win { .. } | Kind::Call { .. });
            if passes {
                now = now.join(before(edge, live[edge.to.index()]));
            }
        }
        for edge in &behind[id.index()] {
            now = now.join(before(edge, live[edge.to.index()]));
        }
        if now != live[id.index()] {
            live[id.index()] = now;
            work.extend(&users[id.index()]);
        }
    }
    live
}

/// What is live before the actions of an edge; entering a state makes `n` and `k` new.
fn before(edge: &Edge, target: Live) -> Live {
    let mut live = Live { n: false, k: false, ..target };
    for action in edge.actions.iter().rev() {
        match action.op {
            Op::SetLo(_) | Op::SetLoFixed(_) => live.lo = false,
            Op::SetLoToHi => live = Live { hi: live.hi || live.lo, lo: false, ..live },
            Op::SetHi(_) | Op::SetHiFixed(_) => live.hi = false,
            Op::SetRep(_) | Op::SetRepFixed(_) => live.rep = false,
            _ => {}
        }
    }
    live
}

/// What the state itself reads.
fn reads(kind: &Kind) -> Live {
    let none = Live::default();
    match kind {
        Kind::Scan { lo, hi, until, .. } => {
            let tells = matches!((*lo, *hi), (Bound::Fixed(0), Bound::Unbounded) | (_, Bound::Fixed(1)));
            let (lo, hi) = (*lo == Bound::Register, *hi == Bound::Register);
            Live { n: !tells, k: until.is_some(), lo, hi, ..none }
        }
        Kind::Literal { text: Text::Bytes(_) | Text::Var(_), .. } => Live { k: true, ..none },
        Kind::Module { lo, hi, .. } => {
            let (lo, hi) = (*lo == Bound::Register, *hi == Bound::Register);
            Live { n: true, lo, hi, ..none }
        }
        Kind::Test { what: Predicate::Below(limit) | Predicate::Reached(limit), .. } => {
            Live { rep: true, lo: *limit == Limit::Lo, hi: *limit == Limit::Hi, ..none }
        }
        Kind::Call { fence, times, .. } => Live { hi: *fence, rep: *times, ..none },
        _ => none,
    }
}
