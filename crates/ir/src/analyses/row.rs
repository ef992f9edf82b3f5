//! Rows: what each byte does in a state, look edges composed. Models emit from rows; the states stay as they are.

use crate::byteset::ByteSet;
use crate::ids::StateId;
use crate::machine::{Action, Bound, Edge, Kind, Machine, Op};

/// What a set of bytes does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// The byte is taken, and nothing else happens.
    Stay,
    /// Actions, perhaps the byte, more actions, another state.
    Go(Go),
    /// This state raises, behind these actions.
    Raise(Vec<Action>, StateId),
}

/// A way to another state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// With the byte in hand.
    pub before: Vec<Action>,
    /// Whether the byte is taken; if not, the target has it in hand.
    pub takes: bool,
    /// Behind the byte.
    pub after: Vec<Action>,
    /// Where it ends.
    pub to: Option<StateId>,
}

/// The row of a state: disjoint sets that make up all bytes. Nothing: the state is *slow* (counts, letters, guards,
/// calls, threads, modules).
pub fn row(machine: &Machine, id: StateId) -> Option<Vec<(ByteSet, Way)>> {
    let kind = &machine.states.get(id)?.as_ref()?.kind;
    if !has_row(kind) {
        return None;
    }
    let mut row: Vec<(ByteSet, Way)> = Vec::new();
    for class in classes(machine, id) {
        let byte = class.first()?;
        let way = follow(machine, id, byte);
        match row.iter_mut().find(|(_, w)| *w == way) {
            Some((set, _)) => *set = *set | class,
            None => row.push((class, way)),
        }
    }
    Some(row)
}

/// Whether one byte decides what the state does, whatever came before.
pub fn has_row(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Scan { until: None, lo: Bound::Fixed(0), hi: Bound::Unbounded, .. }
            | Kind::Scan { until: None, lo: Bound::Fixed(_), hi: Bound::Fixed(1), .. }
            | Kind::Dispatch { .. }
    )
}

/// Sets of bytes that the states on the way do not tell apart.
fn classes(machine: &Machine, id: StateId) -> Vec<ByteSet> {
    let mut classes = vec![ByteSet::ALL];
    let mut refine = |set: &ByteSet| {
        for i in 0..classes.len() {
            let (inside, outside) = (classes[i] & *set, classes[i] - *set);
            if !inside.is_empty() && !outside.is_empty() {
                classes[i] = inside;
                classes.push(outside);
            }
        }
    };
    let mut seen = Vec::new();
    let mut work = vec![id];
    while let Some(id) = work.pop() {
        let Some(Some(state)) = machine.states.get(id) else { continue };
        if seen.contains(&id) || seen.len() > MOST_LOOKS {
            continue;
        }
        seen.push(id);
        match &state.kind {
            Kind::Scan { set, next, .. } if has_row(&state.kind) => {
                refine(set);
                work.push(next.to);
            }
            Kind::Dispatch { alts, other, .. } => {
                alts.iter().for_each(|(set, _)| refine(set));
                let looks = alts.iter().map(|(_, e)| e).chain(other).filter(|e| !e.takes());
                work.extend(looks.map(|e| e.to));
            }
            Kind::Act { next } => work.push(next.to),
            _ => {}
        }
    }
    classes
}

/// Longest chain of looks that is composed.
const MOST_LOOKS: usize = 64;

fn follow(machine: &Machine, from: StateId, byte: u8) -> Way {
    let mut go = Go::default();
    let mut id = from;
    for _ in 0..MOST_LOOKS {
        let Some(Some(state)) = machine.states.get(id) else { break };
        let take = |mut go: Go, behind: &[Action], to: StateId| {
            go.takes = true;
            go.after.extend(behind.iter().map(|a| placed(a, state.site)));
            go.to = Some(to);
            Way::Go(go)
        };
        let edge: &Edge = match &state.kind {
            Kind::Scan { set, hi, next, .. } if has_row(&state.kind) && set.contains(byte) => {
                if *hi == Bound::Fixed(1) {
                    return take(go, &next.actions, next.to);
                }
                return if id == from { Way::Stay } else { take(go, &[], id) };
            }
            Kind::Scan { lo: Bound::Fixed(0), next, .. } if has_row(&state.kind) => next,
            Kind::Scan { .. } if has_row(&state.kind) => return Way::Raise(go.before, id),
            Kind::Dispatch { alts, other, .. } => {
                let own = alts.iter().find(|(set, _)| set.contains(byte)).map(|(_, e)| e).or(other.as_ref());
                let Some(edge) = own else { return Way::Raise(go.before, id) };
                if let Some(at) = edge.actions.iter().position(|a| a.op == Op::Take) {
                    go.before.extend(edge.actions[..at].iter().map(|a| placed(a, state.site)));
                    return take(go, &edge.actions[at + 1..], edge.to);
                }
                edge
            }
            Kind::Act { next } => next,
            Kind::Raise(_) => return Way::Raise(go.before, id),
            _ => break,
        };
        go.before.extend(edge.actions.iter().map(|a| placed(a, state.site)));
        id = edge.to;
    }
    go.to = Some(id);
    Way::Go(go)
}

fn placed(action: &Action, site: Option<crate::ids::SiteId>) -> Action {
    Action { op: action.op.clone(), site: action.site.or(site) }
}
