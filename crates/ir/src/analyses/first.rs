//! The bytes that a state, or what it leads to without a byte, may take next.

use super::steps::{self, Taken};
use crate::byteset::ByteSet;
use crate::ids::{Id, StateId};
use crate::machine::{Bound, Kind, Machine, Text};

/// FIRST of a state. Calls are entered, and stepped over as if the callee could come back empty; a return adds
/// nothing, for its caller is not known.
pub fn first(machine: &Machine, from: StateId) -> ByteSet {
    let mut all = ByteSet::EMPTY;
    let mut seen = vec![false; machine.states.len()];
    let mut work = vec![from];
    while let Some(id) = work.pop() {
        let Some(Some(state)) = machine.states.get(id) else { continue };
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        all = all | own(&state.kind);
        match &state.kind {
            // A dispatch has decided: what its alternatives lead to is in their sets.
            Kind::Dispatch { .. } => {}
            kind if steps::taken_before(kind) != Taken::Byte => {
                work.extend(kind.edges().iter().map(|e| e.to))
            }
            _ => {}
        }
    }
    all
}

/// The bytes that the state itself takes or sends somewhere.
fn own(kind: &Kind) -> ByteSet {
    match kind {
        Kind::Scan { until: Some(_), .. } => ByteSet::ALL,
        Kind::Scan { hi: Bound::Fixed(0), .. } => ByteSet::EMPTY,
        Kind::Scan { set, .. } | Kind::Module { set, .. } => *set,
        Kind::Literal { text: Text::Bytes(text), fold, .. } => {
            text.first().map_or(ByteSet::EMPTY, |b| ByteSet::letter(*b, *fold))
        }
        Kind::Literal { text: Text::Var(_), .. } => ByteSet::ALL,
        Kind::Dispatch { other: Some(_), .. } => ByteSet::ALL,
        Kind::Dispatch { alts, .. } => alts.iter().fold(ByteSet::EMPTY, |all, (set, _)| all | *set),
        _ => ByteSet::EMPTY,
    }
}
