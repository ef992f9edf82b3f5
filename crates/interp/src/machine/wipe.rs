//! Wiping of dead registers at cuts: an option that tests the analysis `live`. A machine that reads what is not live
//! then gives other events.

use super::parser::{Cx, Line, Parser};
use vproto_ir::analyses::live::Live;
use vproto_ir::ids::Id;

/// What a wiped bound holds: nothing that a machine could mean.
const WIPED: u64 = 0xdead_dead_dead;

impl Parser {
    /// Wipes what is dead, where the options ask for it.
    pub(super) fn wipe(&mut self, cx: &Cx<'_>) {
        if let Some(live) = &cx.code.live {
            wipe_line(&mut self.main, live);
        }
    }
}

/// Counters begin at 0 wherever they are read next; bounds are set anew.
fn wipe_line(line: &mut Line, states: &[Live]) {
    let live = line.state.and_then(|id| states.get(id.index())).copied();
    if let Some(live) = live {
        let registers = &mut line.registers;
        for (alive, register, wiped) in [
            (live.n, &mut registers.n, 0),
            (live.k, &mut registers.k, 0),
            (live.lo, &mut registers.lo, WIPED),
            (live.hi, &mut registers.hi, WIPED),
            (live.rep, &mut registers.rep, WIPED),
        ] {
            if !alive {
                *register = wiped;
            }
        }
    }
    for thread in line.group.iter_mut().flat_map(|group| &mut group.threads) {
        wipe_line(thread, states);
    }
}
