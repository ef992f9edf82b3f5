//! `determinise`: a group of `< >` whose threads are literals, sets and bounded counts becomes dispatches.
//!
//! The `par` state becomes the dispatch of the first byte, so what leads to it stays as it is. Edges carry the eager
//! actions: `open` and `close` of the living threads, `drop` of the dead, `take`; on winning what waited. Captures of
//! the group become private: opening them clears nothing, for the thread may still lose.
//!
//! A group stays threads where a value could drop a thread, where a bound is computed, where a condition is asked,
//! where an event comes before a thread's last byte, or where the product has more than [`MOST_STATES`] states.
//! Nested groups go first. A group also stays threads where a dispatch could not tell what the threads looked for, which errors
//! report: the bytes of its sets are those that a thread would take, all others go `other` or are refused.

use super::edit;
use super::product::{self, Shown, Stays, Step, Stepped, Thread};
use rustc_hash::{FxHashMap, FxHashSet};
use vproto_ir::analyses::forks::forks;
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{Id, SiteId, SpanId, StateId};
use vproto_ir::machine::{Bound, Edge, Kind, Machine, Op, State, Text};

/// Most states of one group.
const MOST_STATES: usize = 256;

/// Runs the pass.
pub fn run(machine: &mut Machine) {
    loop {
        let mut changed = false;
        let inside = forks(machine).inside;
        for id in machine.states.ids() {
            if let Some(State { kind: Kind::Par { forks }, site }) = &machine.states[id] {
                let (forks, site) = (forks.clone(), *site);
                let nested = inside.get(id.index()).copied().unwrap_or(false);
                if let Ok(group) = explore(machine, &forks, site, nested) {
                    replace(machine, id, site, group);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    edit::sweep(machine);
}

/// A group as a product.
struct Product {
    /// Positions of the living threads; the first is the start.
    states: Vec<Vec<Thread>>,
    /// For each state what bytes do, and the end.
    rows: Vec<Row>,
    /// Captures that threads open; those that open behind the group are not among them.
    private: FxHashSet<SpanId>,
}

/// What a state of the product does.
#[derive(Default)]
struct Row {
    /// On bytes that a thread would take.
    alts: Vec<(ByteSet, Way)>,
    /// On all others, where they decide.
    other: Option<Edge>,
    eof: Option<Edge>,
}

/// What the threads look for at a byte must be what the sets of their dispatch say, where an error may report it.
struct Looks {
    /// The bytes that the dispatch names.
    named: ByteSet,
    /// Whether there are bytes that nobody takes.
    dies: bool,
    /// What was looked for at bytes where the own group, or one that encloses it, may fail.
    told: Vec<ByteSet>,
}

/// Where bytes lead.
#[derive(PartialEq)]
enum Way {
    /// To a state of the product.
    On(Vec<vproto_ir::machine::Action>, usize),
    /// Out of it.
    Won(Edge),
}

fn explore(machine: &Machine, forks: &[Edge], site: Option<SiteId>, nested: bool) -> Result<Product, Stays> {
    let Look { classes, private } = look(machine, forks)?;
    let first = product::start(machine, forks, site)?;
    let mut known: FxHashMap<Vec<Thread>, usize> = FxHashMap::default();
    known.insert(first.clone(), 0);
    let mut product = Product { states: vec![first], rows: Vec::new(), private };
    while product.rows.len() < product.states.len() {
        let row = product.row(machine, &classes, &mut known, nested)?;
        product.rows.push(row);
        if product.states.len() > MOST_STATES {
            return Err(Stays);
        }
    }
    if is_refused(machine, &product) { Err(Stays) } else { Ok(product) }
}

impl Product {
    /// What the first state without a row does; positions that it leads to are added.
    fn row(
        &mut self,
        machine: &Machine,
        classes: &[ByteSet],
        known: &mut FxHashMap<Vec<Thread>, usize>,
        nested: bool,
    ) -> Result<Row, Stays> {
        let here = self.states[self.rows.len()].clone();
        let mut row = Row::default();
        let mut looks = Looks { named: ByteSet::EMPTY, dies: false, told: Vec::new() };
        for class in classes {
            let Some(byte) = class.first() else { continue };
            let Stepped { step, expected } = product::step(machine, &here, Shown::Byte(byte))?;
            looks.note(&step, expected, nested);
            let way = match step {
                Step::Dead => continue,
                Step::Won(edge) if !expected.contains(byte) => {
                    row.other = Some(edge);
                    continue;
                }
                Step::Won(edge) => Way::Won(edge),
                Step::On(actions, threads) => {
                    let next = *known.entry(threads.clone()).or_insert(self.states.len());
                    if next == self.states.len() {
                        self.states.push(threads);
                    }
                    Way::On(actions, next)
                }
            };
            looks.named = looks.named | *class;
            match row.alts.iter_mut().find(|(_, w)| *w == way) {
                Some((set, _)) => *set = *set | *class,
                None => row.alts.push((*class, way)),
            }
        }
        if !looks.can_be_told(&row) {
            return Err(Stays);
        }
        if let Step::Won(edge) = product::step(machine, &here, Shown::End)?.step {
            row.eof = Some(edge);
        }
        Ok(row)
    }
}

impl Looks {
    /// Remembers what was looked for at a byte. Where a nested group is decided, the one that encloses it may still
    /// refuse the byte.
    fn note(&mut self, step: &Step, expected: ByteSet, nested: bool) {
        self.dies |= matches!(step, Step::Dead);
        if matches!(step, Step::Dead) || nested && matches!(step, Step::Won(_)) {
            self.told.push(expected);
        }
    }

    /// Whether the sets of the dispatch say all of it. Bytes that no thread would take do all the same, so they
    /// either decide or are refused.
    fn can_be_told(&self, row: &Row) -> bool {
        !(self.dies && row.other.is_some()) && self.told.iter().all(|told| *told == self.named)
    }
}

/// What the states of the threads show before any byte.
struct Look {
    /// Sets of bytes that no state tells apart.
    classes: Vec<ByteSet>,
    /// Captures that they open.
    private: FxHashSet<SpanId>,
}

/// Looks at all states of the threads. Refuses numbers that may not fit.
fn look(machine: &Machine, forks: &[Edge]) -> Result<Look, Stays> {
    let mut classes = vec![ByteSet::ALL];
    let mut seen: FxHashSet<StateId> = FxHashSet::default();
    let mut work: Vec<StateId> = forks.iter().map(|f| f.to).collect();
    let mut refine = |set: ByteSet| {
        for i in 0..classes.len() {
            let (inside, outside) = (classes[i] & set, classes[i] - set);
            if !inside.is_empty() && !outside.is_empty() {
                classes[i] = inside;
                classes.push(outside);
            }
        }
    };
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        let state = machine.state(id);
        match &state.kind {
            Kind::Scan { set, .. } => refine(*set),
            Kind::Literal { text: Text::Bytes(text), fold, .. } => {
                text.iter().for_each(|b| refine(ByteSet::letter(*b, *fold)));
            }
            Kind::Dispatch { alts, .. } => alts.iter().for_each(|(set, _)| refine(*set)),
            Kind::Act { .. } | Kind::Test { .. } => {}
            Kind::Win { .. } => continue,
            _ => return Err(Stays),
        }
        if seen.len() > 4 * MOST_STATES {
            return Err(Stays);
        }
        work.extend(state.kind.edges().iter().map(|e| e.to));
    }
    let most = most_bytes(machine, &seen, forks);
    if most.iter().any(|(p, most)| product::refuses_number(machine, *p, *most)) {
        return Err(Stays);
    }
    Ok(Look { classes, private: most.into_keys().collect() })
}

/// How many bytes each capture of the threads can have; no bound where a loop or an unbounded scan lies in it.
fn most_bytes(
    machine: &Machine,
    states: &FxHashSet<StateId>,
    forks: &[Edge],
) -> FxHashMap<SpanId, Option<u64>> {
    let mut most: FxHashMap<SpanId, Option<u64>> = FxHashMap::default();
    let mut openings: Vec<(SpanId, StateId)> = Vec::new();
    // What the edge of a win opens stands behind the group.
    let kinds = states.iter().map(|id| &machine.state(*id).kind).filter(|k| !matches!(k, Kind::Win { .. }));
    for edge in kinds.flat_map(Kind::edges).chain(forks) {
        for action in &edge.actions {
            if let Op::Open(p) = action.op {
                openings.push((p, edge.to));
            }
        }
    }
    for (span, from) in openings {
        let mut seen: FxHashSet<StateId> = FxHashSet::default();
        let mut work = vec![from];
        let mut sum = Some(0u64);
        while let Some(id) = work.pop() {
            if !states.contains(&id) || !seen.insert(id) {
                continue;
            }
            let kind = &machine.state(id).kind;
            let bytes = match kind {
                Kind::Scan { hi: Bound::Fixed(hi), .. } => Some(*hi),
                Kind::Scan { .. } | Kind::Test { .. } => None,
                Kind::Literal { text: Text::Bytes(text), .. } => Some(text.len() as u64),
                _ => Some(u64::from(kind.edges().iter().any(|e| e.takes()))),
            };
            sum = sum.zip(bytes).map(|(a, b)| a.saturating_add(b));
            let ends = |e: &&&Edge| {
                !e.actions.iter().any(|a| matches!(a.op, Op::Commit(p) | Op::Close(p) if p == span))
            };
            work.extend(kind.edges().iter().filter(ends).map(|e| e.to));
            // A way back would be counted once only.
            if kind.edges().iter().filter(ends).any(|e| e.to == from || e.to == id) {
                sum = None;
            }
        }
        let entry = most.entry(span).or_insert(sum);
        *entry = entry.zip(sum).map(|(a, b)| a.max(b));
    }
    most
}

/// Whether a bound of memory could drop one of several threads: then one of them must be able to leave alone. While
/// only one is left, a refused byte is a byte that nobody takes.
fn is_refused(machine: &Machine, product: &Product) -> bool {
    let limited = |threads: &Vec<Thread>| {
        threads.len() > 1 && threads.iter().any(|t| t.open.iter().any(|p| product::is_limited(machine, *p)))
    };
    let crowded: Vec<bool> = product.states.iter().map(limited).collect();
    let limits = &machine.symbols.limits;
    let few = crowded.iter().filter(|c| **c).count() < limits.string.min(limits.view) as usize;
    !few || has_cycle(product, &crowded)
}

/// Whether the states of a subset can follow each other for ever.
fn has_cycle(product: &Product, inside: &[bool]) -> bool {
    let mut entries = vec![0usize; product.states.len()];
    let next = |state: usize| {
        let ways = product.rows[state].alts.iter();
        ways.filter_map(|(_, w)| if let Way::On(_, to) = w { Some(*to) } else { None })
    };
    for state in (0..inside.len()).filter(|s| inside[*s]) {
        next(state).for_each(|to| entries[to] += 1);
    }
    let mut free: Vec<usize> = (0..inside.len()).filter(|s| inside[*s] && entries[*s] == 0).collect();
    let mut gone = 0;
    while let Some(state) = free.pop() {
        gone += 1;
        for to in next(state) {
            entries[to] -= 1;
            if entries[to] == 0 && inside[to] {
                free.push(to);
            }
        }
    }
    gone < inside.iter().filter(|i| **i).count()
}

/// Puts the product in place of the `par` state.
fn replace(machine: &mut Machine, par: StateId, site: Option<SiteId>, product: Product) {
    let site = site.map(|s| edit::site_with(machine, s, None));
    for span in product.private {
        machine.spans[span].private = true;
    }
    let first = machine.states.len();
    let id_of = |state: usize| if state == 0 { par } else { StateId::from_index(first + state - 1) };
    for (i, row) in product.rows.into_iter().enumerate() {
        let edge = |way: Way| match way {
            Way::On(actions, to) => Edge { actions, to: id_of(to) },
            Way::Won(edge) => edge,
        };
        let alts: Vec<(ByteSet, Edge)> = row.alts.into_iter().map(|(set, way)| (set, edge(way))).collect();
        let state = State { kind: Kind::Dispatch { alts, other: row.other, eof: row.eof }, site };
        if i == 0 {
            machine.states[par] = Some(state);
        } else {
            machine.states.push(Some(state));
        }
    }
}
