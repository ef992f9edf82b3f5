//! Sets whose runs deserve the masks of blocks: 64 bytes are classified once for all runs that end among them.

use vproto_ir::analyses::heat::{Heat, heat};
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::Id;
use vproto_ir::machine::{Bound, Kind, Machine};

/// More sets than these would cost more than they spare.
const MOST: usize = 4;

/// Runs of sets with so few members are short.
const FEW: u32 = 4;

/// The sets of runs without a bound in the hottest states that have any, by index: what comes round less often is not worth a
/// mask.
pub fn hot_sets(machine: &Machine, sets: &[ByteSet]) -> Vec<usize> {
    let heat = heat(machine);
    let mut found: Vec<(Heat, usize)> = Vec::new();
    for (id, state) in machine.states.iter() {
        let Some(Kind::Scan { set, hi: Bound::Unbounded, until: None, .. }) = state.as_ref().map(|s| &s.kind)
        else {
            continue;
        };
        let heat = heat.get(id.index()).copied().unwrap_or_default();
        let Some(index) = sets.iter().position(|s| s == set) else { continue };
        if heat >= Heat::RECORD && !set.is_all() && set.len() > FEW as usize {
            found.push((heat, index));
        }
    }
    let hottest = found.iter().map(|(heat, _)| *heat).max().unwrap_or_default();
    let mut hot: Vec<usize> =
        found.iter().filter(|(heat, _)| *heat == hottest).map(|(_, set)| *set).collect();
    hot.sort_unstable();
    hot.dedup();
    hot.truncate(MOST);
    hot
}
