//! `chains`: the machine's plans are those that the analysis finds.

use vproto_ir::analyses::chain::chains;
use vproto_ir::machine::Machine;

/// Replaces all plans.
pub fn run(machine: &mut Machine) {
    machine.plans = chains(machine);
}
