//! Resume numbers: what is saved as "the state" when the input ends in a resting state. Dense, hot ones first.
//!
//! A number is a state, or a place in it: a literal has one a letter, a scan `1..*` two (nothing yet, going on). The
//! same in every execution model.

use super::heat::heat;
use super::steps;
use crate::ids::{Id, StateId};
use crate::machine::{Bound, Kind, Machine, Text};

/// The numbers of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The first number of each state that rests, and how many it has; indexed by state.
    pub of: Vec<Option<(u32, u32)>>,
    /// States in the order of their numbers.
    pub order: Vec<StateId>,
    /// How many numbers there are.
    pub count: u32,
}

/// Numbers all resting states that can be reached.
pub fn numbers(machine: &Machine) -> Numbers {
    let heat = heat(machine);
    let live = steps::reachable(machine);
    let rests = |id: &StateId| live[id.index()] && machine.state(*id).kind.rests();
    let mut order: Vec<StateId> = machine.states.ids().filter(rests).collect();
    order.sort_by_key(|id| (std::cmp::Reverse(heat[id.index()]), *id));
    let mut numbers = Numbers { of: vec![None; machine.states.len()], order: Vec::new(), count: 0 };
    for id in order {
        let places = places(&machine.state(id).kind);
        numbers.of[id.index()] = Some((numbers.count, places));
        numbers.count += places;
        numbers.order.push(id);
    }
    numbers
}

/// How many places a state can rest in.
pub fn places(kind: &Kind) -> u32 {
    match kind {
        Kind::Scan { lo: Bound::Fixed(1), hi: Bound::Unbounded, until: None, .. } => 2,
        Kind::Literal { text: Text::Bytes(text), .. } => text.len() as u32,
        _ => 1,
    }
}
