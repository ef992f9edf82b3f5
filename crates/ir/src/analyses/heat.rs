//! How often states run: cold ones behind errors, once a stream, once a record, once a part of a record.

use super::loops::depths;
use super::steps::{Slot, slots};
use crate::ids::{Id, StateId};
use crate::machine::{Kind, Machine};

/// The estimate for a state: greater is hotter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Heat(pub u8);

impl Heat {
    /// Reached by exceptions only, or not at all.
    pub const COLD: Heat = Heat(0);
    /// In no loop.
    pub const ONCE: Heat = Heat(1);
    /// In one loop: a record of the stream.
    pub const RECORD: Heat = Heat(2);
    /// Hotter is not told apart.
    const MOST: Heat = Heat(9);
}

/// The heat of each state. A called tree is as hot as the hottest call of it, and its own loops come on top.
pub fn heat(machine: &Machine) -> Vec<Heat> {
    let depths = depths(machine);
    let mut heat = vec![Heat::COLD; machine.states.len()];
    // The heat around an activation, and a state of it.
    let mut work: Vec<(Heat, StateId)> = vec![(Heat::ONCE, machine.start)];
    while let Some((around, id)) = work.pop() {
        let Some(Some(state)) = machine.states.get(id) else { continue };
        let own = Heat(around.0.saturating_add(depths[id.index()] as u8).min(Heat::MOST.0));
        if heat[id.index()] >= own {
            continue;
        }
        heat[id.index()] = own;
        if matches!(state.kind, Kind::Raise(_)) {
            heat[id.index()] = Heat::COLD;
        }
        for (slot, edge) in slots(&state.kind) {
            work.push((if slot == Slot::Into { own } else { around }, edge.to));
        }
    }
    heat
}
