//! `merge_dispatch`: where a dispatch leads to another one with the byte still in hand, its edges lead where that one
//! would have sent the byte. A state is only ever changed to do what it did, so others that lead to it notice
//! nothing; bytes on which the second one raises still go there, unless the first can report the same. Looks of
//! threads stay apart: errors of their group tell what each of them looked for.

use super::edit;
use vproto_ir::analyses::effects::is_visible;
use vproto_ir::analyses::forks::forks;
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{Id, SiteId, StateId};
use vproto_ir::machine::{Edge, Kind, Machine, State};

/// A dispatch of more alternatives is not lengthened.
const MOST_ALTERNATIVES: usize = 64;
/// Rounds of merging at one state: a chain of looks is short.
const MOST_ROUNDS: usize = 64;

/// Runs the pass.
pub fn run(machine: &mut Machine) {
    let inside = forks(machine).inside;
    for id in machine.states.ids().filter(|id| !inside[id.index()]) {
        for _ in 0..MOST_ROUNDS {
            if !merge(machine, id) {
                break;
            }
        }
    }
    edit::sweep(machine);
}

/// A dispatch that an edge leads to with the byte in hand.
struct Second {
    alts: Vec<(ByteSet, Edge)>,
    other: Option<Edge>,
    eof: Option<Edge>,
    site: Option<SiteId>,
}

/// Merges one level; whether anything changed.
fn merge(machine: &mut Machine, id: StateId) -> bool {
    let Some(State { kind: Kind::Dispatch { alts, other, eof }, site }) = &machine.states[id] else {
        return false;
    };
    let (alts, mut other, mut eof, mut site) = (alts.clone(), other.clone(), eof.clone(), *site);
    let mut changed = false;
    let mut merged: Vec<(ByteSet, Edge)> = Vec::new();
    let mut rest = ByteSet::ALL;
    for (set, edge) in alts {
        rest = rest - set;
        match second(machine, id, &edge, merged.len()) {
            Some(next) => {
                let (sent, left) = split(set, &edge, &next, &mut merged);
                changed |= sent;
                if !left.is_empty() {
                    merged.push((left, edge));
                }
            }
            None => merged.push((set, edge)),
        }
    }
    if let Some((edge, next)) =
        other.clone().and_then(|e| second(machine, id, &e, merged.len()).map(|n| (e, n)))
    {
        let (sent, left) = split(rest, &edge, &next, &mut merged);
        changed |= sent;
        if left.is_empty() && next.other.is_some() {
            other = None;
        } else if absorb(machine, &edge, &next, &mut other, &mut eof, &mut site) {
            changed = true;
        }
    }
    if let Some(ended) = eof.as_ref().and_then(|e| eof_of(machine, id, e)) {
        eof = Some(ended);
        changed = true;
    }
    if changed {
        machine.states[id] =
            Some(State { kind: Kind::Dispatch { alts: join_equal(merged), other, eof }, site });
    }
    changed
}

/// Where the end of input goes behind an edge that leads to a dispatch with an edge for it.
fn eof_of(machine: &Machine, first: StateId, edge: &Edge) -> Option<Edge> {
    let next = second(machine, first, edge, 0)?;
    Some(edit::join(edge, next.eof.as_ref()?, next.site))
}

/// The dispatch behind a look edge, if merging it is allowed: nothing that the user sees may happen before it.
fn second(machine: &Machine, first: StateId, edge: &Edge, size: usize) -> Option<Second> {
    if edge.takes() || edge.to == first || edge.actions.iter().any(|a| is_visible(machine, &a.op)) {
        return None;
    }
    match machine.states.get(edge.to)?.as_ref()? {
        State { kind: Kind::Dispatch { alts, other, eof }, site }
            if alts.len() + size <= MOST_ALTERNATIVES =>
        {
            Some(Second { alts: alts.clone(), other: other.clone(), eof: eof.clone(), site: *site })
        }
        _ => None,
    }
}

/// Sends the bytes of a set where the second dispatch would. Whether any is sent, and those on which it raises.
fn split(set: ByteSet, edge: &Edge, next: &Second, merged: &mut Vec<(ByteSet, Edge)>) -> (bool, ByteSet) {
    let mut rest = set;
    let before = merged.len();
    for (own, to) in &next.alts {
        let both = set & *own;
        rest = rest - *own;
        if !both.is_empty() {
            merged.push((both, edit::join(edge, to, next.site)));
        }
    }
    if let Some(to) = next.other.as_ref().filter(|_| !rest.is_empty()) {
        merged.push((rest, edit::join(edge, to, next.site)));
        rest = ByteSet::EMPTY;
    }
    (merged.len() > before, rest)
}

/// Lets the first dispatch raise for the second one where all that it does not take goes there unchanged.
fn absorb(
    machine: &mut Machine,
    edge: &Edge,
    next: &Second,
    other: &mut Option<Edge>,
    eof: &mut Option<Edge>,
    site: &mut Option<SiteId>,
) -> bool {
    let plain = |e: &Option<Edge>| e.as_ref().is_some_and(|e| e.actions.is_empty() && e.to == edge.to);
    let (Some(next_site), None) = (next.site, &next.other) else { return false };
    if !plain(other) || !plain(eof) {
        return false;
    }
    let expected = next.alts.iter().fold(ByteSet::EMPTY, |all, (set, _)| all | *set);
    let wants = machine.sites[next_site].wants.clone().unwrap_or_else(|| expected.to_string());
    *site = Some(edit::site_with(machine, next_site, Some(wants)));
    *other = None;
    *eof = next.eof.as_ref().map(|e| edit::placed(e, next.site));
    true
}

/// One alternative for equal edges.
fn join_equal(alts: Vec<(ByteSet, Edge)>) -> Vec<(ByteSet, Edge)> {
    let mut joined: Vec<(ByteSet, Edge)> = Vec::new();
    for (set, edge) in alts {
        match joined.iter_mut().find(|(_, e)| *e == edge) {
            Some((all, _)) => *all = *all | set,
            None => joined.push((set, edge)),
        }
    }
    joined
}
