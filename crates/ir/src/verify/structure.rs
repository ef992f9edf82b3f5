//! Invariants 1, 2, 3, 4, 8 and 14: what a state says about itself.

use super::Found;
use crate::analyses::effects;
use crate::analyses::steps;
use crate::byteset::ByteSet;
use crate::ids::{ExprId, Id, SiteId, SpanId, StateId, VarId};
use crate::machine::{Action, Bound, Edge, Form, Handler, Kind, Op, Predicate, State, Text, Until};

/// Invariant 1, for states and for all other ids that a state names.
pub fn references(found: &mut Found<'_>) {
    let machine = found.machine;
    let exists = |s: StateId| matches!(machine.states.get(s), Some(Some(_)));
    if !exists(machine.start) {
        found.add(1, machine.start, "the start does not exist");
    }
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        for edge in state.kind.edges() {
            if !exists(edge.to) {
                found.add(1, id, format!("an edge ends at {}, which does not exist", edge.to));
            }
        }
        if let Some(what) = unknown_id(found, state) {
            found.add(1, id, format!("it names {what}, which does not exist"));
        }
    }
    for (id, span) in machine.spans.iter() {
        if let Some(what) = unknown_in_form(found, &span.form) {
            found.add(1, None, format!("{id} names {what}, which does not exist"));
        }
    }
}

struct Ids<'a> {
    found: &'a Found<'a>,
    unknown: Option<String>,
}

impl Ids<'_> {
    fn check<I: Id, T>(&mut self, table: &crate::Table<I, T>, id: I) {
        if table.get(id).is_none() {
            self.unknown = Some(format!("{id:?}"));
        }
    }
    fn var(&mut self, id: VarId) {
        self.check(&self.found.machine.symbols.vars, id);
    }
    fn expr(&mut self, id: ExprId) {
        self.check(&self.found.machine.symbols.exprs, id);
    }
    fn span(&mut self, id: SpanId) {
        self.check(&self.found.machine.spans, id);
    }
    fn site(&mut self, id: Option<SiteId>) {
        let Some(id) = id else { return };
        self.check(&self.found.machine.sites, id);
        if let Some(Handler::Catch(state)) = self.found.machine.sites.get(id).map(|s| s.handler)
            && !matches!(self.found.machine.states.get(state), Some(Some(_)))
        {
            self.unknown = Some(format!("handler {state}"));
        }
    }

    fn kind(&mut self, kind: &Kind) {
        match kind {
            Kind::Scan { until: Some(Until::Var(v)), .. } | Kind::Literal { text: Text::Var(v), .. } => {
                self.var(*v)
            }
            Kind::Test { what: Predicate::If(e) | Predicate::Zero(e), .. } => self.expr(*e),
            Kind::Test { what: Predicate::Code(c), .. } => self.check(&self.found.machine.symbols.codes, *c),
            Kind::Test { what: Predicate::Starts(v), .. } => self.var(*v),
            Kind::Call { keep, .. } => keep.iter().for_each(|v| self.var(*v)),
            Kind::Module { var, xor, sets, .. } => {
                self.var(*var);
                xor.iter().for_each(|v| self.var(*v));
                sets.iter().for_each(|(_, e)| self.expr(*e));
            }
            _ => {}
        }
    }

    fn action(&mut self, action: &Action) {
        self.site(action.site);
        match &action.op {
            Op::Open(p) | Op::Commit(p) | Op::Close(p) | Op::Deliver(p) => self.span(*p),
            Op::DropSpan(p) | Op::Begin(p) | Op::End(p) => self.span(*p),
            Op::SetLo(e) | Op::SetHi(e) | Op::SetRep(e) => self.expr(*e),
            Op::EndModule(v) | Op::SetVar(v, _) | Op::InitVar(v, _) => self.var(*v),
            Op::Notify(function, args) => {
                self.check(&self.found.machine.symbols.functions, *function);
                args.iter().for_each(|e| self.expr(*e));
            }
            Op::Code(c) => self.check(&self.found.machine.symbols.codes, *c),
            Op::Take | Op::SetLoFixed(_) | Op::SetHiFixed(_) | Op::SetLoToHi | Op::SetRepFixed(_) => {}
            Op::CountRep | Op::Mark(_) | Op::Home(_) | Op::Unspan(_) | Op::Reset => {}
        }
    }
}

fn unknown_id(found: &Found<'_>, state: &State) -> Option<String> {
    let mut ids = Ids { found, unknown: None };
    ids.site(state.site);
    ids.kind(&state.kind);
    state.kind.edges().iter().flat_map(|e| &e.actions).for_each(|a| ids.action(a));
    ids.unknown
}

fn unknown_in_form(found: &Found<'_>, form: &Form) -> Option<String> {
    let mut ids = Ids { found, unknown: None };
    match form {
        Form::Pieces { function, xor } => {
            ids.check(&found.machine.symbols.functions, *function);
            xor.iter().for_each(|v| ids.var(*v));
        }
        Form::String { var, keep, .. } => {
            ids.var(*var);
            if let Some(crate::grammar::Bound::Expr(e)) = keep {
                ids.expr(*e);
            }
        }
        Form::Binary { var, swap, .. } => {
            ids.var(*var);
            swap.iter().for_each(|e| ids.expr(*e));
        }
        Form::Array { var, .. }
        | Form::View { var, .. }
        | Form::Digits { var, .. }
        | Form::Float { var, .. } => {
            ids.var(*var);
        }
        Form::Digest(_, var) => ids.var(*var),
        Form::Varint { var, .. } => var.iter().for_each(|v| ids.var(*v)),
        Form::Bits { fields, .. } => fields.iter().filter_map(|f| f.var).for_each(|v| ids.var(v)),
        Form::Begin(function) => ids.check(&found.machine.symbols.functions, *function),
    }
    ids.unknown
}

/// Invariants 2, 3, 4, 8 and 14, of states that can be reached.
pub fn states(found: &mut Found<'_>, live: &[bool]) {
    let machine = found.machine;
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        if !live[id.index()] {
            continue;
        }
        match &state.kind {
            Kind::Dispatch { alts, .. } => dispatch(found, id, alts),
            Kind::Scan { set, lo, hi, until, .. } => {
                bounds(found, id, lo, hi);
                if set.is_empty() {
                    found.add(2, id, "the set of a scan is empty");
                }
                if until.is_some() && *lo != Bound::Fixed(0) {
                    found.add(3, id, "a scan with until has a least number");
                }
            }
            Kind::Module { lo, hi, .. } => bounds(found, id, lo, hi),
            Kind::Literal { text: Text::Bytes(bytes), .. } if bytes.len() < 2 => {
                found.add(3, id, "a literal has less than two letters");
            }
            Kind::Par { forks } if forks.is_empty() => found.add(2, id, "no thread is forked"),
            _ => {}
        }
        if state.site.is_none() && effects::state_may_raise(machine, &state.kind) {
            found.add(4, id, "it can fail and has no site");
        }
        for edge in state.kind.edges() {
            edge_rules(found, id, state, edge);
        }
    }
    starts_tests(found, live);
    unspans(found, live);
}

fn dispatch(found: &mut Found<'_>, id: StateId, alts: &[(ByteSet, Edge)]) {
    let mut seen = ByteSet::EMPTY;
    for (set, _) in alts {
        if set.is_empty() {
            found.add(2, id, "the set of an alternative is empty");
        }
        if seen.intersects(set) {
            found.add(2, id, format!("two alternatives share {}", seen & *set));
        }
        seen = seen | *set;
    }
}

fn bounds(found: &mut Found<'_>, id: StateId, lo: &Bound, hi: &Bound) {
    if *lo == Bound::Unbounded {
        found.add(3, id, "the least number has no bound");
    }
    if let (Bound::Fixed(lo), Bound::Fixed(hi)) = (lo, hi)
        && lo > hi
    {
        found.add(3, id, "lo is above hi");
    }
    if *hi == Bound::Fixed(0) {
        found.add(3, id, "hi is 0");
    }
}

fn edge_rules(found: &mut Found<'_>, id: StateId, state: &State, edge: &Edge) {
    let takes = edge.actions.iter().filter(|a| a.op == Op::Take).count();
    let on_byte = match &state.kind {
        Kind::Dispatch { eof, .. } => !eof.as_ref().is_some_and(|e| std::ptr::eq(e, edge)),
        _ => false,
    };
    if takes > usize::from(on_byte) {
        found.add(8, id, "take stands where no byte is in hand, or twice");
    }
    for action in &edge.actions {
        if action.site.or(state.site).is_none() && effects::may_raise(found.machine, &action.op) {
            found.add(4, id, "an action can fail and has no site");
        }
    }
}

/// `starts v` only behind a dispatch of the same byte: tests may stand between.
fn starts_tests(found: &mut Found<'_>, live: &[bool]) {
    let machine = found.machine;
    let mut good = vec![true; machine.states.len()];
    let handlers = machine.sites.iter().filter_map(|(_, s)| match s.handler {
        Handler::Catch(state) => Some(state),
        _ => None,
    });
    handlers.chain([machine.start]).for_each(|s| good[s.index()] = false);
    loop {
        let mut changed = false;
        for (id, state) in machine.states.iter() {
            let Some(state) = state else { continue };
            if !live[id.index()] {
                continue;
            }
            for (slot, edge) in steps::slots(&state.kind) {
                let passes = match &state.kind {
                    Kind::Dispatch { .. } => slot == steps::Slot::Alternative && !edge.takes(),
                    Kind::Test { .. } | Kind::Act { .. } => good[id.index()],
                    _ => false,
                };
                if !passes && std::mem::replace(&mut good[edge.to.index()], false) {
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    for (id, state) in machine.states.iter() {
        let starts = state.as_ref().map(|s| matches!(s.kind, Kind::Test { what: Predicate::Starts(_), .. }));
        if starts == Some(true) && live[id.index()] && !good[id.index()] {
            found.add(14, id, "starts is asked without a byte in hand");
        }
    }
}

/// `unspan` is the first action of a handler's first state.
fn unspans(found: &mut Found<'_>, live: &[bool]) {
    let machine = found.machine;
    let handlers: Vec<StateId> = machine
        .sites
        .iter()
        .filter_map(|(_, s)| if let Handler::Catch(state) = s.handler { Some(state) } else { None })
        .collect();
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        if !live[id.index()] {
            continue;
        }
        for edge in state.kind.edges() {
            for (i, action) in edge.actions.iter().enumerate() {
                let first = i == 0 && matches!(state.kind, Kind::Act { .. }) && handlers.contains(&id);
                if matches!(action.op, Op::Unspan(_)) && !first {
                    found.add(14, id, "unspan is not the first action of a handler");
                }
            }
        }
    }
}
