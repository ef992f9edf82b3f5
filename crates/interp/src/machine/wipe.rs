//! Wiping of dead registers at cuts: an option that tests the analysis `live`.

use super::parser::{Cx, Line, Parser};
use vproto_ir::ids::Id;

/// Which registers of a line of control mean something in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Bytes taken by the running scan.
    pub n: bool,
    /// Letters of the running literal.
    pub k: bool,
    /// The register `lo`.
    pub lo: bool,
    /// The register `hi`.
    pub hi: bool,
    /// Whole literals so far, or the count of a call.
    pub rep: bool,
}

/// What a wiped register holds: nothing that a machine could mean.
const WIPED: u64 = 0xdead_dead_dead;

impl Parser {
    /// Wipes what is dead, where the options ask for it.
    pub(super) fn wipe(&mut self, cx: &Cx<'_>) {
        let Some(live) = &cx.options.wipe_dead else { return };
        let module = cx.program.modules.iter().position(|code| std::ptr::eq(code, cx.code));
        if let Some(states) = module.and_then(|module| live.get(module)) {
            wipe_line(&mut self.main, states);
        }
    }
}

fn wipe_line(line: &mut Line, states: &[Live]) {
    let live = line.state.and_then(|id| states.get(id.index())).copied();
    if let Some(live) = live {
        let registers = &mut line.registers;
        for (alive, register) in [
            (live.n, &mut registers.n),
            (live.k, &mut registers.k),
            (live.lo, &mut registers.lo),
            (live.hi, &mut registers.hi),
            (live.rep, &mut registers.rep),
        ] {
            if !alive {
                *register = WIPED;
            }
        }
    }
    for thread in line.group.iter_mut().flat_map(|group| &mut group.threads) {
        wipe_line(thread, states);
    }
}
