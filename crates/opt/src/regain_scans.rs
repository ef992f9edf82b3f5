//! `regain_scans`: a dispatch that takes bytes and stays is a scan, so that vector loops see it; one that takes the
//! byte of its only set is a scan of one byte.

use super::edit;
use vproto_ir::byteset::ByteSet;
use vproto_ir::grammar::Hint;
use vproto_ir::ids::StateId;
use vproto_ir::machine::{Bound, Edge, Kind, Machine, Op, State};

/// Runs the pass.
pub fn run(machine: &mut Machine) {
    for id in machine.states.ids() {
        regain_loop(machine, id);
        regain_byte(machine, id);
    }
}

/// `[S] {take} -> self` becomes `scan S 0..*`; what else the dispatch does stands in a dispatch behind it.
fn regain_loop(machine: &mut Machine, id: StateId) {
    let Some(State { kind: Kind::Dispatch { alts, other, eof }, site: Some(site) }) =
        machine.states[id].clone()
    else {
        return;
    };
    let stays = |edge: &Edge| edge.to == id && matches!(edge.actions.as_slice(), [a] if a.op == Op::Take);
    let Some((set, _)) = alts.iter().find(|(_, e)| stays(e)) else { return };
    let (set, all) = (*set, alts.iter().fold(ByteSet::EMPTY, |all, (set, _)| all | *set));
    let rest: Vec<(ByteSet, Edge)> = alts.into_iter().filter(|(_, e)| !stays(e)).collect();
    // Whether all other bytes, and the end, go one way: then no look is needed behind the scan.
    let single = match (rest.as_slice(), &other, &eof) {
        ([(left, edge)], None, Some(end)) if *left == !set && edge == end => Some(edge.clone()),
        ([], Some(edge), Some(end)) if edge == end => Some(edge.clone()),
        _ => None,
    };
    // Scan and look report what the whole did: the scan where a capture refuses a byte, the look all others.
    let wants = machine.sites[site].wants.clone().unwrap_or_else(|| all.to_string());
    let site = edit::site_with(machine, site, Some(wants));
    let next = match single.filter(|e| !e.takes()) {
        Some(edge) => edit::placed(&edge, Some(site)),
        None => Edge::to(edit::add(machine, Kind::Dispatch { alts: rest, other, eof }, Some(site))),
    };
    let (lo, hi) = (Bound::Fixed(0), Bound::Unbounded);
    let kind = Kind::Scan { set, lo, hi, until: None, hint: Hint::Auto, next };
    machine.states[id] = Some(State { kind, site: Some(site) });
}

/// `[S] {take; …} -> s` alone becomes `scan S 1..1`.
fn regain_byte(machine: &mut Machine, id: StateId) {
    let Some(State { kind: Kind::Dispatch { alts, other: None, eof: None }, site }) = &machine.states[id]
    else {
        return;
    };
    let [(set, edge)] = alts.as_slice() else { return };
    let Some((first, behind)) = edge.actions.split_first() else { return };
    if first.op != Op::Take {
        return;
    }
    let next = Edge { actions: behind.to_vec(), to: edge.to };
    let one = Bound::Fixed(1);
    let kind = Kind::Scan { set: *set, lo: one, hi: one, until: None, hint: Hint::Auto, next };
    machine.states[id] = Some(State { kind, site: *site });
}
