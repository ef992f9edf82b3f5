//! `< >` that stays threads: what its states may do before one of them has won.

use crate::ids::StateId;
use crate::machine::{Action, Edge, Kind, Machine, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// Deepest nesting that is followed.
const DEEPEST: u32 = 200;

/// The states of a group, each with the number of groups around it inside of this one; its `win` states are the last.
pub fn states(machine: &Machine, par: StateId) -> Vec<(StateId, u32)> {
    walk(machine, forks(machine, par).iter().rev().map(|fork| fork.to).collect())
}

fn walk(machine: &Machine, from: Vec<StateId>) -> Vec<(StateId, u32)> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut work: Vec<(StateId, u32)> = from.into_iter().map(|id| (id, 0)).collect();
    while let Some((id, depth)) = work.pop() {
        if !seen.insert((id, depth)) {
            continue;
        }
        found.push((id, depth));
        match &machine.state(id).kind {
            Kind::Win { .. } if depth == 0 => {}
            Kind::Win { next } => work.push((next.to, depth - 1)),
            // Groups nest as deeply as descriptions do; a machine that was made up may go round.
            Kind::Par { .. } if depth >= DEEPEST => {}
            Kind::Par { forks } => work.extend(forks.iter().rev().map(|fork| (fork.to, depth + 1))),
            kind => work.extend(kind.edges().iter().rev().map(|edge| (edge.to, depth))),
        }
    }
    found
}

fn forks(machine: &Machine, par: StateId) -> &[Edge] {
    match &machine.state(par).kind {
        Kind::Par { forks } => forks,
        _ => &[],
    }
}

/// The edges that states of a group follow before one of them has won.
pub fn edges(machine: &Machine, par: StateId) -> Vec<&Edge> {
    let mut found: Vec<&Edge> = forks(machine, par).iter().collect();
    for (id, depth) in states(machine, par) {
        match &machine.state(id).kind {
            Kind::Win { .. } if depth == 0 => {}
            kind => found.extend(kind.edges()),
        }
    }
    found
}

/// Whether a state begins or ends a span: then all bytes up to the decision are kept, at most as many as a string holds.
pub fn keeps_bytes(machine: &Machine, par: StateId) -> bool {
    let actions = edges(machine, par).into_iter().flat_map(|edge| &edge.actions);
    actions.into_iter().any(|action| matches!(action.op, Op::Begin(_) | Op::End(_)))
}

/// How deeply groups nest inside of one.
pub fn nesting(machine: &Machine, par: StateId) -> u32 {
    states(machine, par).into_iter().map(|(_, depth)| depth).max().unwrap_or(0)
}

/// How many threads of a group there can be at once. A thread that comes to a group inside is replaced by that one's
/// threads, and the winner of those takes its place again; so a fork counts as its greatest inner group.
pub fn most_threads(machine: &Machine, par: StateId) -> u64 {
    counted(machine, par, &mut FxHashMap::default(), 0)
}

/// Recursion follows the nesting of groups, which is bounded.
fn counted(machine: &Machine, par: StateId, known: &mut FxHashMap<StateId, u64>, depth: u32) -> u64 {
    if let Some(count) = known.get(&par) {
        return *count;
    }
    let mut sum = 0u64;
    for fork in forks(machine, par) {
        let mut most = 1;
        for (id, inner) in walk(machine, vec![fork.to]) {
            if inner == 0 && depth < DEEPEST && matches!(machine.state(id).kind, Kind::Par { .. }) {
                most = most.max(counted(machine, id, known, depth + 1));
            }
        }
        sum = sum.saturating_add(most);
    }
    known.insert(par, sum);
    sum
}

/// The greatest weight of the actions on a way of one thread from the start to where it wins; none where a way goes
/// round and has weight.
pub fn heaviest(machine: &Machine, par: StateId, weight: &dyn Fn(&Action) -> u64) -> Option<u64> {
    let states = states(machine, par);
    let mut best: FxHashMap<(StateId, u32), u64> = FxHashMap::default();
    let of = |edge: &Edge| edge.actions.iter().map(weight).fold(0u64, u64::saturating_add);
    for fork in forks(machine, par) {
        let at = best.entry((fork.to, 0)).or_default();
        *at = (*at).max(of(fork));
    }
    for _ in 0..=states.len() {
        let mut changed = false;
        for &(id, depth) in &states {
            let Some(&sum) = best.get(&(id, depth)) else { continue };
            let kind = &machine.state(id).kind;
            let inner = match kind {
                Kind::Win { .. } if depth == 0 => continue,
                Kind::Win { .. } => depth - 1,
                Kind::Par { .. } => depth + 1,
                _ => depth,
            };
            for edge in kind.edges() {
                let total = sum.saturating_add(of(edge));
                let at = best.entry((edge.to, inner)).or_default();
                changed |= total > *at;
                *at = total.max(*at);
            }
        }
        if !changed {
            return Some(best.into_values().max().unwrap_or(0));
        }
    }
    None
}
