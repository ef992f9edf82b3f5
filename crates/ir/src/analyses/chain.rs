//! Chains: paths of items of exact length, checked by one length test and wide loads.
//!
//! A chain stands at a state just entered and is maximal: literals, scans of `k..k` bytes, dispatches with one
//! alternative, at most two optional bytes. Its actions run behind all checks, in order, each at its offset; it ends
//! with the edge of the first user-visible one. Bytes that a capture may refuse are left to the states. Nothing that a
//! chain does before its actions can be seen, so one that does not match has done nothing.

use super::captures::{Captures, captures};
use super::effects;
use crate::byteset::ByteSet;
use crate::ids::{Id, SpanId, StateId};
use crate::machine::{Action, Bound, Chain, Edge, Form, Handler, Kind, Layout, Machine, Op, Plan, Text};

/// Most bytes of a chain, and of one item of it.
const MOST_BYTES: usize = 256;
const MOST_ITEM: u64 = 64;
/// Most optional items.
const MOST_OPTIONS: usize = 2;
/// A chain of fewer bytes is no gain.
const LEAST_BYTES: usize = 2;

/// All chains of a machine, in the order of their states.
pub fn chains(machine: &Machine) -> Vec<Plan> {
    let entries = Entries::new(machine);
    let mut heads = heads(machine);
    let mut chains: Vec<Option<Chain>> = vec![None; machine.states.len()];
    let mut seen = vec![false; machine.states.len()];
    while let Some(head) = heads.pop() {
        if std::mem::replace(&mut seen[head.index()], true) {
            continue;
        }
        let Some(open) = entries.open_at(head) else { continue };
        if let Some(chain) = chain(machine, head, open) {
            heads.push(chain.to);
            chains[head.index()] = Some(chain);
        }
    }
    chains.into_iter().flatten().map(Plan::Chain).collect()
}

/// A capture, and where in the chain it was opened, if no byte of it came before.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    span: SpanId,
    from: Option<usize>,
}

impl Opened {
    /// Whether it may refuse a byte, so many bytes of the chain taken with it.
    pub fn may_refuse(self, machine: &Machine, taken: usize) -> bool {
        refuses(machine, self.span, self.from.map(|from| taken - from))
    }

    /// What an action that stands behind so many bytes does to the captures that are open.
    pub fn track(open: &mut Vec<Opened>, op: &Op, taken: usize) {
        match op {
            Op::Open(span) => open.push(Opened { span: *span, from: Some(taken) }),
            Op::Commit(p) | Op::Close(p) | Op::DropSpan(p) => open.retain(|opened| opened.span != *p),
            _ => {}
        }
    }
}

/// How states are entered: the edges into each, and the captures that are open there.
pub struct Entries<'a> {
    edges: Vec<Vec<&'a Edge>>,
    captures: Vec<Option<Captures>>,
}

impl<'a> Entries<'a> {
    /// Those of all states.
    pub fn new(machine: &'a Machine) -> Entries<'a> {
        let mut edges = vec![Vec::new(); machine.states.len()];
        for edge in machine.states.rows().iter().flatten().flat_map(|s| s.kind.edges()) {
            edges[edge.to.index()].push(edge);
        }
        Entries { edges, captures: captures(machine).0 }
    }

    /// Captures that are open where a state is entered; none where nothing leads to it.
    pub fn open_at(&self, state: StateId) -> Option<Vec<Opened>> {
        let at = self.captures[state.index()].as_ref()?;
        let edges = &self.edges[state.index()];
        Some(at.open.iter().map(|span| Opened { span: *span, from: opened_at(edges, *span) }).collect())
    }
}

/// 0 where every edge into a state opens the capture behind its last byte.
fn opened_at(entries: &[&Edge], span: SpanId) -> Option<usize> {
    let opens = |edge: &&Edge| {
        let last = edge.actions.iter().rposition(|a| a.op == Op::Take).map_or(0, |i| i + 1);
        edge.actions[last..].iter().any(|a| a.op == Op::Open(span))
    };
    entries.iter().all(opens).then_some(0)
}

/// States that are entered otherwise than from inside of a chain.
fn heads(machine: &Machine) -> Vec<StateId> {
    let mut heads = vec![false; machine.states.len()];
    heads[machine.start.index()] = true;
    for (_, site) in machine.sites.iter() {
        if let Handler::Catch(state) = site.handler {
            heads[state.index()] = true;
        }
    }
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        let forward = item(machine, id).map(|(_, edge)| edge);
        for edge in state.kind.edges() {
            let inner = forward.is_some_and(|f| std::ptr::eq(f, edge)) && !ends(machine, edge);
            heads[edge.to.index()] |= !inner;
        }
    }
    machine.states.ids().filter(|s| heads[s.index()]).collect()
}

/// What a state contributes.
enum Item {
    /// So many bytes.
    Bytes(Vec<ByteSet>),
    /// A byte or none.
    Option(ByteSet),
    /// The next byte is one of these; it is not taken.
    Look(ByteSet),
    /// Nothing.
    Join,
}

/// The item of a state, with the edge behind it.
fn item(machine: &Machine, id: StateId) -> Option<(Item, &Edge)> {
    match &machine.states.get(id)?.as_ref()?.kind {
        Kind::Scan { set, lo: Bound::Fixed(lo), hi: Bound::Fixed(hi), until: None, next, .. } => {
            match (*lo, *hi) {
                (0, 1) => Some((Item::Option(*set), next)),
                (lo, hi) if lo == hi && hi <= MOST_ITEM => Some((Item::Bytes(vec![*set; hi as usize]), next)),
                _ => None,
            }
        }
        Kind::Literal { text: Text::Bytes(bytes), fold, next } => {
            Some((Item::Bytes(bytes.iter().map(|b| ByteSet::letter(*b, *fold)).collect()), next))
        }
        Kind::Dispatch { alts, other: None, .. } => match alts.as_slice() {
            [(set, edge)] if edge.takes() => Some((Item::Bytes(vec![*set]), edge)),
            [(set, edge)] => Some((Item::Look(*set), edge)),
            _ => None,
        },
        Kind::Act { next } => Some((Item::Join, next)),
        _ => None,
    }
}

/// Whether nothing may follow the edge in a chain.
fn ends(machine: &Machine, edge: &Edge) -> bool {
    edge.actions.iter().any(|a| effects::is_visible(machine, &a.op))
}

/// The chain at one state, if there is one worth having.
fn chain(machine: &Machine, at: StateId, open: Vec<Opened>) -> Option<Chain> {
    let path = path(machine, at, open);
    let optional: Vec<usize> = (0..path.len()).filter(|i| matches!(path[*i].0, Item::Option(_))).collect();
    let mut layouts: Vec<Layout> = Vec::new();
    for skipped in 0..1usize << optional.len() {
        let skip =
            |i: usize| optional.iter().position(|o| *o == i).is_some_and(|bit| skipped >> bit & 1 == 1);
        layouts.extend(layout(machine, &path, &skip));
    }
    layouts.sort_by_key(|l| std::cmp::Reverse(l.bytes.len()));
    let to = path.last()?.2.to;
    (layouts.first()?.bytes.len() >= LEAST_BYTES).then_some(Chain { at, layouts, to })
}

/// The items from a state on, cut behind the last one that takes a byte in every layout.
fn path(machine: &Machine, at: StateId, mut open: Vec<Opened>) -> Vec<(Item, StateId, &Edge)> {
    let mut path = Vec::new();
    let mut seen = vec![];
    let (mut keep, mut bytes, mut options, mut state) = (0, 0, 0, at);
    while let Some((item, edge)) = item(machine, state) {
        let taken = match &item {
            Item::Bytes(sets) => sets.len(),
            Item::Option(_) => 1,
            _ => 0,
        };
        options += usize::from(matches!(item, Item::Option(_)));
        bytes += taken;
        let refused = taken > 0 && open.iter().any(|opened| opened.may_refuse(machine, bytes));
        if seen.contains(&state) || bytes > MOST_BYTES || options > MOST_OPTIONS || refused {
            break;
        }
        // `open` in front of the `take` of the same edge does not happen in chains' items but for determinised ones.
        let before = if edge.takes() { bytes - taken } else { bytes };
        edge.actions.iter().for_each(|a| Opened::track(&mut open, &a.op, before));
        seen.push(state);
        let certain = matches!(item, Item::Bytes(_));
        path.push((item, state, edge));
        if certain {
            keep = path.len();
        }
        if ends(machine, edge) {
            break;
        }
        state = edge.to;
    }
    path.truncate(keep);
    path
}

/// Whether a capture may refuse one of so many bytes.
fn refuses(machine: &Machine, span: SpanId, bytes: Option<usize>) -> bool {
    let span = &machine.spans[span];
    match &span.form {
        Form::Binary { ty, .. } => !ty.wrap && bytes.is_none_or(|n| n * 8 > usize::from(ty.bits)),
        Form::Bits { .. } | Form::Float { .. } => false,
        _ => effects::may_refuse(machine, span, bytes.map(|n| n as u64)),
    }
}

/// One way through the items; `None` where no bytes can go it.
fn layout(
    machine: &Machine,
    path: &[(Item, StateId, &Edge)],
    skip: &dyn Fn(usize) -> bool,
) -> Option<Layout> {
    let mut layout = Layout { bytes: Vec::new(), actions: Vec::new() };
    let mut allowed = ByteSet::ALL;
    for (i, (item, state, edge)) in path.iter().enumerate() {
        let mut put = |sets: &[ByteSet]| {
            for set in sets {
                layout.bytes.push(*set & std::mem::replace(&mut allowed, ByteSet::ALL));
            }
        };
        let from = match item {
            Item::Bytes(sets) => {
                put(sets);
                if edge.takes() { layout.bytes.len() - 1 } else { layout.bytes.len() }
            }
            Item::Option(set) if skip(i) => {
                allowed = allowed - *set;
                layout.bytes.len()
            }
            Item::Option(set) => {
                put(&[*set]);
                layout.bytes.len()
            }
            Item::Look(set) => {
                allowed = allowed & *set;
                layout.bytes.len()
            }
            Item::Join => layout.bytes.len(),
        };
        add_actions(&mut layout, machine.state(*state).site, edge, from);
    }
    let possible = layout.bytes.iter().all(|set| !set.is_empty());
    possible.then_some(layout)
}

/// Actions get their state's site, for a layout has no states.
fn add_actions(layout: &mut Layout, site: Option<crate::ids::SiteId>, edge: &Edge, from: usize) {
    let mut at = from;
    for action in &edge.actions {
        if action.op == Op::Take {
            at += 1;
        } else {
            let action = Action { op: action.op.clone(), site: action.site.or(site) };
            layout.actions.push((at as u32, action));
        }
    }
}

/// The compares that a layout needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// `load(width)@offset & mask == value`, bytes in the order of the input: the first one is the lowest.
    pub words: Vec<Word>,
    /// Bytes that need a test of their set.
    pub classes: Vec<(u32, ByteSet)>,
}

/// One wide compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where the word is loaded.
    pub offset: u32,
    /// Its width in bytes: 1, 2, 4 or 8.
    pub width: u32,
    /// Bits that count; the first byte is in the lowest eight.
    pub mask: u64,
    /// What they must be.
    pub value: u64,
}

/// The compares of a layout: words that may overlap, and what words cannot say.
pub fn checks(layout: &Layout) -> Checks {
    let masks: Vec<Option<(u8, u8)>> = layout.bytes.iter().map(mask).collect();
    let mut checks = Checks::default();
    for (i, set) in layout.bytes.iter().enumerate() {
        if masks[i].is_none() {
            checks.classes.push((i as u32, *set));
        }
    }
    let needed = |i: &usize| masks[*i].is_some_and(|(mask, _)| mask != 0);
    let mut from = 0;
    while let Some(first) = (from..masks.len()).find(needed) {
        let last = (first..masks.len().min(first + 8)).rev().find(needed).unwrap_or(first);
        let fits = |w: &usize| *w <= masks.len();
        let width = [1, 2, 4, 8].into_iter().filter(fits).find(|w| *w > last - first).unwrap_or(1);
        let width =
            if width > last - first { width } else { [8, 4, 2, 1].into_iter().find(fits).unwrap_or(1) };
        let offset = first.min(masks.len() - width);
        checks.words.push(word(&masks, offset, width));
        from = offset + width;
    }
    checks
}

fn word(masks: &[Option<(u8, u8)>], offset: usize, width: usize) -> Word {
    let (mut mask, mut value) = (0, 0);
    for i in 0..width {
        let (m, v) = masks[offset + i].unwrap_or((0, 0));
        mask |= u64::from(m) << (8 * i);
        value |= u64::from(v) << (8 * i);
    }
    Word { offset: offset as u32, width: width as u32, mask, value }
}

/// Mask and value that say exactly this set, if any do.
fn mask(set: &ByteSet) -> Option<(u8, u8)> {
    let all = set.iter().fold(0xff, |a, b| a & b);
    let any = set.iter().fold(0, |a, b| a | b);
    let mask = !(all ^ any);
    (set.len() == 1 << (mask.count_zeros())).then_some((mask, all))
}

/// The captures that begin and end inside a layout: span, first byte, one past the last.
pub fn whole_captures(layout: &Layout) -> Vec<(SpanId, u32, u32)> {
    let mut open: Vec<(SpanId, u32)> = Vec::new();
    let mut whole = Vec::new();
    for (at, action) in &layout.actions {
        match action.op {
            Op::Open(p) => open.push((p, *at)),
            Op::Commit(p) => {
                if let Some(i) = open.iter().position(|(q, _)| *q == p) {
                    whole.push((p, open.remove(i).1, *at));
                }
            }
            _ => {}
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_overlap_and_classes_remain() {
        let mut bytes: Vec<ByteSet> = b" HTTP/".iter().map(|b| ByteSet::byte(*b)).collect();
        bytes.extend([ByteSet::digits(), ByteSet::byte(b'.'), ByteSet::digits()]);
        bytes.extend(b"\r\n".iter().map(|b| ByteSet::byte(*b)));
        let checks = checks(&Layout { bytes, actions: Vec::new() });
        let spots: Vec<(u32, u32)> = checks.words.iter().map(|w| (w.offset, w.width)).collect();
        assert_eq!(spots, [(0, 8), (9, 2)]);
        assert_eq!(checks.words[0].mask, 0xff00_ffff_ffff_ffff);
        assert_eq!(checks.words[0].value, 0x2e00_2f50_5454_4820);
        assert_eq!(checks.classes.iter().map(|c| c.0).collect::<Vec<_>>(), [6, 8]);
    }

    #[test]
    fn masks_say_their_set_exactly() {
        assert_eq!(mask(&ByteSet::letter(b'k', true)), Some((0xdf, 0x4b)));
        assert_eq!(mask(&ByteSet::ALL), Some((0, 0)));
        assert_eq!(mask(&ByteSet::range(b'0', b'7')), Some((0xf8, 0x30)));
        assert_eq!(mask(&ByteSet::digits()), None);
    }
}
