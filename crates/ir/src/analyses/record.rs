//! Record loops: what a loop must tell for masks and a bit-parallel loop to stand in for it, or why it cannot.
//!
//! Found before `determinise`: afterwards a loop over known names is a trie, not a loop of items.
//! *Sync* bytes end a record and are taken nowhere else in it, save where the next byte tells (*fold*). Class *carry*:
//! the first field of every shape ends at one and the same byte that stands in nothing before it, so the starts of
//! records ripple to it by an addition. Class *split*: only the ends of records are known.

use super::closers::{Closers, closers};
use super::first::first;
use super::loops::{Loop, loops};
use crate::byteset::ByteSet;
use crate::ids::StateId;
use crate::machine::{Bound, Edge, Kind, Machine, Op, Text};

/// Most ways round a loop that are told apart.
const MOST_SHAPES: usize = 8;
/// Longest way round.
const MOST_ITEMS: usize = 256;

/// A loop that masks can cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The loop's header: records begin there, and a doubtful one is handed to it (`doubt`).
    pub header: StateId,
    /// How much is known.
    pub class: Class,
    /// Bytes that end a record.
    pub sync: ByteSet,
    /// Behind a sync byte these say that the record goes on.
    pub fold: ByteSet,
    /// Ways round, where they can be listed.
    pub shapes: Vec<Vec<Item>>,
    /// First bytes on which the loop is left, and where to.
    pub exits: Vec<(ByteSet, StateId)>,
}

/// How much is known of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The first field of every shape ends at this byte.
    Carry(u8),
    /// Only the ends are known.
    Split,
}

/// A part of a way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The bytes it takes.
    pub set: ByteSet,
    /// Least number.
    pub least: u64,
    /// Greatest number; none: no bound.
    pub most: Option<u64>,
}

/// Why a loop is no record loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Its header does not decide on a byte.
    Header(StateId),
    /// A condition, code, a call, a module, a length or a text known at run time, at this state.
    Guard(StateId),
    /// A record ends by a look at the byte behind it, at this state.
    EndsByLook(StateId),
    /// This byte ends records, and is taken inside of them too, at this state.
    Inside(u8, StateId),
    /// The loop is left in the midst of a record, at this state.
    LeftInside(StateId),
    /// Nothing ends a record.
    NoEnd,
}

/// The verdict on each loop of a machine, by header.
pub fn records(machine: &Machine) -> Vec<(StateId, Result<Record, Against>)> {
    loops(machine).iter().map(|l| (l.header, record(machine, l))).collect()
}

/// The verdict on one loop.
///
/// # Errors
/// The first reason against it.
pub fn record(machine: &Machine, found: &Loop) -> Result<Record, Against> {
    let inside = |s: StateId| found.body.binary_search(&s).is_ok();
    if let Some(guard) = found.body.iter().find(|s| is_guard(machine, **s)) {
        return Err(Against::Guard(*guard));
    }
    if !matches!(
        machine.state(found.header).kind,
        Kind::Dispatch { .. } | Kind::Scan { .. } | Kind::Literal { .. }
    ) {
        return Err(Against::Header(found.header));
    }
    let exits = exits(machine, found);
    left_inside(machine, found)?;
    let ends = closers(machine, found).map_err(Against::EndsByLook)?;
    if ends.bytes.is_empty() {
        return Err(Against::NoEnd);
    }
    let head = first(machine, found.header);
    let fold = ends.fold | inside_folds(machine, found, &ends, head)?;
    let shapes = if fold.is_empty() { shapes(machine, found.header, &inside) } else { None };
    let carry = shapes.as_ref().and_then(|s| separator(s));
    let class = carry.map_or(Class::Split, Class::Carry);
    let shapes = shapes.unwrap_or_default();
    Ok(Record { header: found.header, class, sync: ends.bytes, fold, shapes, exits })
}

fn is_guard(machine: &Machine, id: StateId) -> bool {
    let kind = &machine.state(id).kind;
    let code =
        |e: &&Edge| e.actions.iter().any(|a| matches!(a.op, Op::Code(_) | Op::Reset | Op::EndModule(_)));
    match kind {
        Kind::Test { .. } | Kind::Call { .. } | Kind::Module { .. } | Kind::Ret | Kind::End(_) => true,
        Kind::Scan { until: Some(_), .. } | Kind::Literal { text: Text::Var(_), .. } => true,
        Kind::Scan { lo, hi, .. } if *lo == Bound::Register || *hi == Bound::Register => true,
        kind => kind.edges().iter().any(code),
    }
}

/// Alternatives of the header that leave the loop.
fn exits(machine: &Machine, found: &Loop) -> Vec<(ByteSet, StateId)> {
    let Kind::Dispatch { alts, other, .. } = &machine.state(found.header).kind else { return Vec::new() };
    let rest = alts.iter().fold(ByteSet::ALL, |rest, (set, _)| rest - *set);
    let others = other.iter().map(|e| (rest, e.to));
    let all = alts.iter().map(|(set, e)| (*set, e.to)).chain(others);
    all.filter(|(_, to)| found.body.binary_search(to).is_err()).collect()
}

/// Whether a byte leaves the loop elsewhere than at its header.
fn left_inside(machine: &Machine, found: &Loop) -> Result<(), Against> {
    for id in found.body.iter().filter(|s| **s != found.header) {
        let kind = &machine.state(*id).kind;
        let ways: Vec<&Edge> = match kind {
            Kind::Dispatch { alts, other, .. } => alts.iter().map(|(_, e)| e).chain(other).collect(),
            kind => kind.edges(),
        };
        if ways.iter().any(|e| found.body.binary_search(&e.to).is_err()) {
            return Err(Against::LeftInside(*id));
        }
    }
    Ok(())
}

/// Where a closing byte is taken inside of a record: the bytes that may follow there, if they tell.
fn inside_folds(machine: &Machine, found: &Loop, ends: &Closers, head: ByteSet) -> Result<ByteSet, Against> {
    let mut fold = ByteSet::EMPTY;
    for id in &found.body {
        for (set, follow) in takings(machine, *id) {
            let common = set & ends.bytes;
            if common.is_empty() || ends.states.contains(id) && set == common {
                continue;
            }
            if follow.intersects(&head) {
                return Err(Against::Inside(common.first().unwrap_or(0), *id));
            }
            fold = fold | follow;
        }
    }
    Ok(fold)
}

/// The sets that a state takes, each with the bytes that may come next.
fn takings(machine: &Machine, id: StateId) -> Vec<(ByteSet, ByteSet)> {
    match &machine.state(id).kind {
        Kind::Scan { set, hi, next, .. } => {
            let again = if *hi == Bound::Fixed(1) { ByteSet::EMPTY } else { *set };
            vec![(*set, again | first(machine, next.to))]
        }
        Kind::Literal { text: Text::Bytes(text), fold, next } => {
            let letter = |i: usize| text.get(i).map(|b| ByteSet::letter(*b, *fold));
            let behind = first(machine, next.to);
            (0..text.len()).filter_map(|i| Some((letter(i)?, letter(i + 1).unwrap_or(behind)))).collect()
        }
        Kind::Dispatch { alts, .. } => {
            let takes = alts.iter().filter(|(_, e)| e.takes());
            takes.map(|(set, e)| (*set, first(machine, e.to))).collect()
        }
        _ => Vec::new(),
    }
}

/// All ways round, as lists of items; nothing where a way repeats a state or there are too many.
fn shapes(machine: &Machine, header: StateId, inside: &dyn Fn(StateId) -> bool) -> Option<Vec<Vec<Item>>> {
    let mut done: Vec<Vec<Item>> = Vec::new();
    let mut work: Vec<(StateId, Vec<StateId>, Vec<Item>)> = vec![(header, Vec::new(), Vec::new())];
    while let Some((id, path, items)) = work.pop() {
        if id == header && !path.is_empty() {
            done.push(items);
            continue;
        }
        if path.contains(&id) || items.len() > MOST_ITEMS || work.len() + done.len() >= 4 * MOST_SHAPES {
            return None;
        }
        let mut path = path;
        path.push(id);
        let kind = &machine.state(id).kind;
        let own = items_of(kind);
        for edge in kind.edges().iter().rev().filter(|e| inside(e.to)) {
            let taken = take_of(kind, edge);
            let items = items.iter().chain(&own).copied().chain(taken).collect();
            work.push((edge.to, path.clone(), items));
        }
    }
    done.dedup();
    (!done.is_empty() && done.len() <= MOST_SHAPES).then_some(done)
}

fn items_of(kind: &Kind) -> Vec<Item> {
    match kind {
        Kind::Scan { set, lo: Bound::Fixed(least), hi, .. } => {
            let most = if let Bound::Fixed(n) = hi { Some(*n) } else { None };
            vec![Item { set: *set, least: *least, most }]
        }
        Kind::Literal { text: Text::Bytes(text), fold, .. } => {
            text.iter().map(|b| Item { set: ByteSet::letter(*b, *fold), least: 1, most: Some(1) }).collect()
        }
        _ => Vec::new(),
    }
}

fn take_of(kind: &Kind, edge: &Edge) -> Option<Item> {
    let Kind::Dispatch { alts, .. } = kind else { return None };
    let (set, _) = alts.iter().find(|(_, e)| std::ptr::eq(e, edge)).filter(|_| edge.takes())?;
    Some(Item { set: *set, least: 1, most: Some(1) })
}

/// The byte at which the first field of every shape ends: a single byte behind a run, that stands in nothing before.
fn separator(shapes: &[Vec<Item>]) -> Option<u8> {
    let general = shapes.iter().find(|s| s.first().is_some_and(|i| i.most.is_none()))?;
    let is_byte = |i: &&Item| i.set.len() == 1 && i.least == 1 && i.most == Some(1);
    let byte = general.iter().find(is_byte)?.set.first()?;
    let ends_there = |shape: &Vec<Item>| {
        let at = shape.iter().position(|i| i.set.contains(byte));
        at.is_some_and(|at| is_byte(&&shape[at]))
    };
    shapes.iter().all(ends_there).then_some(byte)
}
