//! What a model has to know of a machine before it prints a state: order, resume numbers, open captures, threads.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use vproto_ir::ids::{MarkId, SiteId, SpanId, StateId, TreeId};
use vproto_ir::machine::{Action, Bound, Edge, Form, Handler, Kind, Machine, Op, Predicate};

/// Captures that are open, and captures that are closed but not delivered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captures {
    /// Between `open` and `commit` or `close`.
    pub open: BTreeSet<SpanId>,
    /// Between `close` and `deliver`.
    pub closed: BTreeSet<SpanId>,
}

/// What holds of a machine as a whole.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// States of the main line, in the order in which they are printed.
    pub order: Vec<StateId>,
    /// States of threads, with the outermost `par` that starts them, in order.
    pub threads: Vec<(StateId, StateId)>,
    /// The resume number of each resting state of the main line; a scan `1..*` and a module have two.
    pub numbers: FxHashMap<StateId, u32>,
    /// How many numbers there are; 0 is the start.
    pub count: u32,
    /// Captures at the entry of each state.
    pub captures: FxHashMap<StateId, Captures>,
    /// The states at whose entry a capture is open.
    pub open_states: FxHashMap<SpanId, Vec<StateId>>,
    /// The place of each state in the order.
    pub places: FxHashMap<StateId, usize>,
    /// The slot of a capture: captures that are open at the same time have different ones.
    pub slots: FxHashMap<SpanId, u32>,
    /// Number of slots.
    pub slot_count: u32,
    /// States that may be entered with a callback behind them that asked for a pause.
    pub watched: FxHashSet<StateId>,
    /// Marks that some test reads.
    pub tested: BTreeSet<MarkId>,
    /// Marks that some `unspan` reads.
    pub unspanned: BTreeSet<MarkId>,
    /// Trees whose home some frame with a fence keeps.
    pub fenced: BTreeSet<TreeId>,
    /// Call states, in order; the index is the number a frame holds.
    pub calls: Vec<StateId>,
    /// States that handlers of sites name, in order.
    pub handlers: Vec<StateId>,
    /// Regions of branchings that are walked by a table.
    pub regions: Vec<Vec<StateId>>,
    /// States of regions.
    pub rows: FxHashMap<StateId, super::trie::Row>,
    /// The first `begin` span of each name, in order.
    pub begins: Vec<SpanId>,
    /// The first span of the name of each `begin` span.
    pub begin_slots: FxHashMap<SpanId, SpanId>,
}

impl Facts {
    /// Looks at the whole machine.
    ///
    /// With more states than `tables` regions of branchings become tables.
    pub fn of(machine: &Machine, tables: usize) -> Facts {
        let mut facts = Facts::default();
        facts.find_handlers(machine);
        facts.find_begins(machine);
        facts.walk(machine);
        facts.read_marks(machine);
        facts.flow_captures(machine);
        if facts.order.len() > tables {
            facts.find_regions(machine);
        }
        facts.number(machine);
        facts.places = facts.order.iter().enumerate().map(|(i, s)| (*s, i)).collect();
        facts.colour(machine);
        facts.watch(machine);
        facts
    }

    /// The captures at the entry of a state.
    pub fn at(&self, state: StateId) -> Captures {
        self.captures.get(&state).cloned().unwrap_or_default()
    }

    /// The slot of a capture.
    pub fn slot(&self, span: SpanId) -> u32 {
        self.slots.get(&span).copied().unwrap_or(0)
    }

    /// The index of a call state among `calls`.
    pub fn call(&self, state: StateId) -> u64 {
        self.calls.iter().position(|s| *s == state).unwrap_or(0) as u64
    }

    /// Whether threads run at all.
    pub fn has_threads(&self) -> bool {
        !self.threads.is_empty()
    }

    fn find_handlers(&mut self, machine: &Machine) {
        let mut found = BTreeSet::new();
        for (_, state) in machine.states.iter() {
            let Some(state) = state else { continue };
            let of_actions = state.kind.edges().into_iter().flat_map(|e| &e.actions).filter_map(|a| a.site);
            for site in state.site.into_iter().chain(of_actions) {
                if let Handler::Catch(target) = machine.sites[site].handler {
                    found.insert(target);
                }
            }
        }
        self.handlers = found.into_iter().collect();
    }

    /// One `begin` span a name is open at a time.
    fn find_begins(&mut self, machine: &Machine) {
        let mut known = FxHashMap::default();
        for (id, def) in machine.spans.iter() {
            let name = match &def.form {
                Form::Begin(function) => (false, function.0),
                Form::Digest(_, var) => (true, var.0),
                _ => continue,
            };
            let first = *known.entry(name).or_insert(id);
            self.begin_slots.insert(id, first);
            if first == id {
                self.begins.push(id);
            }
        }
    }

    /// Depth first, the way that is mostly taken first, so that it follows without a jump.
    fn walk(&mut self, machine: &Machine) {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<StateId> = self.handlers.iter().rev().copied().collect();
        stack.push(machine.start);
        let mut pars = Vec::new();
        while let Some(state) = stack.pop() {
            if !seen.insert(state) {
                continue;
            }
            self.order.push(state);
            match &machine.state(state).kind {
                Kind::Par { forks } => {
                    pars.push(state);
                    stack.extend(wins(machine, forks).into_iter().rev());
                }
                Kind::Call { .. } => {
                    self.calls.push(state);
                    stack.extend(machine.state(state).kind.edges().iter().rev().map(|e| e.to));
                }
                kind => stack.extend(kind.edges().iter().rev().map(|e| e.to)),
            }
        }
        for par in pars {
            self.walk_thread(machine, par);
        }
    }

    fn walk_thread(&mut self, machine: &Machine, par: StateId) {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<StateId> = machine.state(par).kind.edges().iter().rev().map(|e| e.to).collect();
        while let Some(state) = stack.pop() {
            if !seen.insert(state) {
                continue;
            }
            self.threads.push((state, par));
            match &machine.state(state).kind {
                Kind::Win { next } => {
                    // A nested group goes on inside the thread.
                    if nested(machine, par, state) {
                        stack.push(next.to);
                    }
                }
                kind => stack.extend(kind.edges().iter().rev().map(|e| e.to)),
            }
        }
    }

    fn number(&mut self, machine: &Machine) {
        let mut next = 1;
        for state in &self.order {
            let kind = &machine.state(*state).kind;
            if let Some(at) = self.rows.get(state) {
                if at.row == 0 {
                    for state in &self.regions[at.region] {
                        self.numbers.insert(*state, next);
                        next += 1;
                    }
                }
            } else if kind.rests() {
                self.numbers.insert(*state, next);
                next += if two_numbers(kind) { 2 } else { 1 };
            }
        }
        self.count = next;
    }

    fn read_marks(&mut self, machine: &Machine) {
        for state in machine.states.rows().iter().flatten() {
            match &state.kind {
                Kind::Test { what: Predicate::Moved(mark) | Predicate::MovedBottom(mark), .. } => {
                    self.tested.insert(*mark);
                }
                Kind::Call { tree, fence: true, .. } => {
                    self.fenced.insert(*tree);
                }
                _ => {}
            }
            for action in state.kind.edges().into_iter().flat_map(|e| &e.actions) {
                if let Op::Unspan(mark) = action.op {
                    self.unspanned.insert(mark);
                }
            }
        }
    }

    fn flow_captures(&mut self, machine: &Machine) {
        let mut work: Vec<(StateId, Captures)> =
            self.handlers.iter().map(|s| (*s, Captures::default())).collect();
        work.push((machine.start, Captures::default()));
        while let Some((state, captures)) = work.pop() {
            if self.captures.contains_key(&state) {
                continue;
            }
            self.add_captures(state, captures.clone());
            for edge in machine.state(state).kind.edges() {
                let mut after = captures.clone();
                edge.actions.iter().for_each(|action| after.step(action));
                work.push((edge.to, after));
            }
        }
    }

    /// Notes the captures at the entry of a state.
    pub fn add_captures(&mut self, state: StateId, captures: Captures) {
        let before = self.at(state);
        for span in captures.open.difference(&before.open) {
            self.open_states.entry(*span).or_default().push(state);
        }
        self.captures.insert(state, captures);
    }

    fn colour(&mut self, machine: &Machine) {
        let mut clashes: BTreeMap<SpanId, BTreeSet<SpanId>> = BTreeMap::new();
        let mut together = |captures: &Captures| {
            let all: Vec<SpanId> = captures.open.iter().chain(&captures.closed).copied().collect();
            for a in &all {
                clashes.entry(*a).or_default().extend(all.iter().filter(|b| *b != a));
            }
        };
        for (state, at) in &self.captures {
            together(at);
            for edge in machine.state(*state).kind.edges() {
                let mut after = at.clone();
                for action in &edge.actions {
                    after.step(action);
                    together(&after);
                }
            }
        }
        for (span, others) in &clashes {
            let taken: BTreeSet<u32> = others.iter().filter_map(|o| self.slots.get(o).copied()).collect();
            let slot = (0..).find(|slot| !taken.contains(slot)).unwrap_or(0);
            self.slots.insert(*span, slot);
            self.slot_count = self.slot_count.max(slot + 1);
        }
    }

    /// A callback may ask for a pause; the next resting state grants it. Marks the states in between.
    fn watch(&mut self, machine: &Machine) {
        let mut work: Vec<StateId> = Vec::new();
        let any = machine.states.rows().iter().flatten().any(|s| {
            s.kind.edges().iter().any(|e| visible_edge(machine, e))
                || matches!(&s.kind, Kind::Test { what: Predicate::Code(_), .. })
        });
        if !any {
            return;
        }
        work.extend(self.handlers.iter().copied());
        for state in &self.order {
            let kind = &machine.state(*state).kind;
            if matches!(
                kind,
                Kind::Test { what: Predicate::Code(_), .. } | Kind::Par { .. } | Kind::Call { .. }
            ) {
                work.push(*state);
            }
            work.extend(kind.edges().iter().filter(|e| visible_edge(machine, e)).map(|e| e.to));
        }
        while let Some(state) = work.pop() {
            let kind = &machine.state(state).kind;
            let stops = kind.rests() && !matches!(kind, Kind::Par { .. });
            if !self.watched.insert(state) || stops {
                continue;
            }
            work.extend(kind.edges().iter().map(|e| e.to));
        }
    }
}

impl Captures {
    /// What holds behind an action.
    pub fn step(&mut self, action: &Action) {
        match &action.op {
            Op::Open(span) => {
                self.open.insert(*span);
            }
            Op::Commit(span) | Op::DropSpan(span) => {
                self.open.remove(span);
                self.closed.remove(span);
            }
            Op::Close(span) => {
                self.open.remove(span);
                self.closed.insert(*span);
            }
            Op::Deliver(span) => {
                self.closed.remove(span);
            }
            _ => {}
        }
    }
}

/// Whether a resting state has one number for "just entered" and one for "going on".
pub fn two_numbers(kind: &Kind) -> bool {
    match kind {
        Kind::Scan { lo: Bound::Fixed(1), hi: Bound::Unbounded, until: None, .. } | Kind::Module { .. } => {
            true
        }
        Kind::Scan { set, lo: Bound::Fixed(lo), hi: Bound::Fixed(hi), until: None, .. } => {
            *lo == *hi && *lo > 1 && set.is_all()
        }
        Kind::Scan { until, .. } => until.is_some(),
        Kind::Literal { text, .. } => matches!(text, vproto_ir::machine::Text::Bytes(_)),
        _ => false,
    }
}

/// Whether the user's functions may run on an edge.
pub fn visible_edge(machine: &Machine, edge: &Edge) -> bool {
    edge.actions.iter().any(|action| match &action.op {
        Op::Notify(..) | Op::Code(_) | Op::EndModule(_) => true,
        Op::Commit(span) | Op::Deliver(span) | Op::End(span) | Op::Begin(span) => {
            matches!(machine.spans[*span].form, Form::Pieces { .. } | Form::Begin(_))
        }
        Op::Unspan(_) | Op::Reset => true,
        _ => false,
    })
}

/// The targets of the `win` states that the forks reach, nested groups apart.
fn wins(machine: &Machine, forks: &[Edge]) -> Vec<StateId> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut stack: Vec<(StateId, u32)> = forks.iter().rev().map(|e| (e.to, 0)).collect();
    while let Some((state, depth)) = stack.pop() {
        if !seen.insert((state, depth)) {
            continue;
        }
        match &machine.state(state).kind {
            Kind::Win { next } if depth == 0 => found.push(next.to),
            Kind::Win { next } => stack.push((next.to, depth - 1)),
            Kind::Par { forks } => stack.extend(forks.iter().rev().map(|e| (e.to, depth + 1))),
            kind => stack.extend(kind.edges().iter().rev().map(|e| (e.to, depth))),
        }
    }
    found
}

/// Whether a `win` state, reached from a `par`, belongs to a group inside it.
pub fn nested(machine: &Machine, par: StateId, win: StateId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack: Vec<(StateId, u32)> = machine.state(par).kind.edges().iter().map(|e| (e.to, 0)).collect();
    while let Some((state, depth)) = stack.pop() {
        if !seen.insert((state, depth)) {
            continue;
        }
        if state == win && depth > 0 {
            return true;
        }
        match &machine.state(state).kind {
            Kind::Win { .. } if depth == 0 => {}
            Kind::Win { next } => stack.push((next.to, depth - 1)),
            Kind::Par { forks } => stack.extend(forks.iter().map(|e| (e.to, depth + 1))),
            kind => stack.extend(kind.edges().iter().map(|e| (e.to, depth))),
        }
    }
    false
}

/// The site that an action reports: its own or its state's.
pub fn site_of(action: &Action, state: Option<SiteId>) -> Option<SiteId> {
    action.site.or(state)
}
