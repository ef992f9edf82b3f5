//! `memory`: bytes that a parser saves between fragments, variables of the user left out.

use super::captures::captures;
use super::live::live;
use super::steps;
use crate::ids::Id;
use crate::machine::{Form, Kind, Machine, Op, Predicate};

/// Saved bytes by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The resume number and the position.
    pub place: u64,
    /// Registers that are live in some resting state.
    pub registers: u64,
    /// Captures that can be open at once.
    pub captures: u64,
    /// `begin` spans.
    pub begins: u64,
    /// Marks of one activation.
    pub marks: u64,
    /// One frame.
    pub frame: u64,
    /// Most frames.
    pub frames: u64,
    /// Threads of `< >`, where there are any.
    pub threads: u64,
}

impl Memory {
    /// All together.
    pub fn total(&self) -> u64 {
        let line = self.place + self.registers + self.captures + self.begins + self.marks;
        line + self.frames * (self.frame + self.marks) + self.threads
    }
}

/// What a machine saves.
pub fn memory(machine: &Machine) -> Memory {
    let reached = steps::reachable(machine);
    let (live, (captures, _)) = (live(machine), captures(machine));
    let mut all = Memory { place: 2 + 8 + 8, ..Memory::default() };
    let mut kept = [false; 5];
    let mut threads = 0;
    for (id, state) in machine.states.iter() {
        let (Some(state), true) = (state, reached[id.index()]) else { continue };
        if state.kind.rests() {
            let l = live[id.index()];
            [l.n, l.k, l.lo, l.hi, l.rep].iter().zip(&mut kept).for_each(|(now, any)| *any |= *now);
            let open = captures[id.index()].iter().flat_map(|c| c.open.iter().chain(&c.closed));
            all.captures = all.captures.max(open.map(|p| bytes_of(&machine.spans[*p].form)).sum());
        }
        match &state.kind {
            Kind::Call { fence, times, keep, .. } => {
                let part = |on: bool, bytes| if on { bytes } else { 0 };
                let own = 2 + part(*fence, 16) + part(*times, 16) + 8 * keep.len() as u64;
                all.frame = all.frame.max(own);
                all.frames = u64::from(machine.symbols.limits.calls);
            }
            Kind::Par { forks } => threads = threads.max(forks.len() as u64),
            _ => {}
        }
    }
    all.registers = 8 * kept.iter().filter(|k| **k).count() as u64;
    all.marks = 8 * marks(machine);
    all.begins = machine.spans.iter().map(|(_, s)| begin_bytes(&s.form)).sum();
    all.threads =
        threads.min(u64::from(machine.symbols.limits.states)) * (all.place + all.registers + all.captures);
    all
}

fn marks(machine: &Machine) -> u64 {
    let mut read = rustc_hash::FxHashSet::default();
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
    read.len() as u64
}

fn bytes_of(form: &Form) -> u64 {
    match form {
        Form::Pieces { xor, .. } => 8 + 8 * u64::from(xor.is_some()),
        Form::String { .. } | Form::Array { .. } => 8,
        Form::View { .. } => 24,
        Form::Digits { .. } | Form::Varint { .. } => 16,
        Form::Binary { .. } | Form::Bits { .. } | Form::Float { .. } => 16,
        Form::Begin(_) | Form::Digest(..) => 0,
    }
}

fn begin_bytes(form: &Form) -> u64 {
    match form {
        Form::Begin(_) => 9,
        Form::Digest(..) => 9,
        _ => 0,
    }
}
