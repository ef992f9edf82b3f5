//! Closers: the states whose last byte leads to a loop's header, and the bytes that, seen next, mean "not yet".

use super::loops::Loop;
use crate::byteset::ByteSet;
use crate::ids::StateId;
use crate::machine::{Bound, Edge, Kind, Machine, Text};

/// How rounds of a loop end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closers {
    /// The bytes that end a round.
    pub bytes: ByteSet,
    /// The states that take them.
    pub states: Vec<StateId>,
    /// Seen behind such a byte, these say that the round goes on.
    pub fold: ByteSet,
}

/// The closers of a loop.
///
/// # Errors
/// A state that ends a round by a look at a byte that is not its own.
pub fn closers(machine: &Machine, found: &Loop) -> Result<Closers, StateId> {
    let mut all = Closers::default();
    let mut seen = vec![found.header];
    let mut work = vec![found.header];
    while let Some(target) = work.pop() {
        for id in &found.body {
            let kind = &machine.state(*id).kind;
            for edge in kind.edges().into_iter().filter(|e| e.to == target) {
                match last_byte(kind, edge) {
                    Some(set) => {
                        all.bytes = all.bytes | set;
                        all.states.push(*id);
                    }
                    None if !passes(kind) => return Err(*id),
                    None if !seen.contains(id) && *id != found.header => {
                        seen.push(*id);
                        work.push(*id);
                        all.fold = all.fold | goes_on(kind, target, found);
                    }
                    None => {}
                }
            }
        }
    }
    Ok(all)
}

/// The set of the byte that an edge leaves behind it, where it is always just taken.
fn last_byte(kind: &Kind, edge: &Edge) -> Option<ByteSet> {
    match kind {
        Kind::Scan { set, lo: Bound::Fixed(lo), hi: Bound::Fixed(hi), until: None, .. } if lo == hi => {
            Some(*set)
        }
        Kind::Literal { text: Text::Bytes(text), fold, .. } => {
            text.last().map(|b| ByteSet::letter(*b, *fold))
        }
        Kind::Dispatch { alts, .. } if edge.takes() => {
            alts.iter().find(|(_, e)| std::ptr::eq(e, edge)).map(|(set, _)| *set)
        }
        _ => None,
    }
}

/// Whether a state only passes on what came before it.
fn passes(kind: &Kind) -> bool {
    matches!(kind, Kind::Dispatch { .. } | Kind::Act { .. } | Kind::Win { .. })
}

/// The bytes on which a look does not end the round.
fn goes_on(kind: &Kind, target: StateId, found: &Loop) -> ByteSet {
    let Kind::Dispatch { alts, .. } = kind else { return ByteSet::EMPTY };
    let stays = alts.iter().filter(|(_, e)| e.to != target && found.body.binary_search(&e.to).is_ok());
    stays.fold(ByteSet::EMPTY, |all, (set, _)| all | *set)
}
