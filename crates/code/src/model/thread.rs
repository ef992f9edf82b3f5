//! Undecided `< >`: threads that look at the same byte, in the order of their priority.
//!
//! A function `step` shows one byte (256: the end; 257: none yet) to one thread. What a thread does that others could
//! see goes to its log; bytes that it captures are kept beside. The one that wins has its log replayed by the main
//! line, with the statements that the same actions have there.

use super::facts::{Captures, nested};
use super::r#gen::{Found, Gen};
use super::state::Rests;
use crate::tree::{Expr, Function, FunctionRole, Op as Do, Stmt, Ty, label};
use rustc_hash::FxHashMap;
use vproto_ir::analyses::threads;
use vproto_ir::byteset::ByteSet;
use vproto_ir::grammar::Until;
use vproto_ir::ids::{Id, SiteId, SpanId, StateId, VarId};
use vproto_ir::machine::{Action, Bound, Edge, ErrorKind, Form, Kind, Op, Text};
use vproto_ir::symbols::VarType;

/// No byte yet: a thread goes on to where it needs one.
pub const NO_BYTE: u64 = 257;
/// The end in place of a byte.
pub const END: u64 = 256;

/// Answers of `step`.
pub mod answer {
    /// The thread lives.
    pub const ALIVE: u64 = 0;
    /// It is dropped.
    pub const DROPPED: u64 = 1;
    /// It wins.
    pub const WON: u64 = 2;
    /// Others stand in its place.
    pub const FORKED: u64 = 3;
}

/// An action of a thread that waits for its victory.
#[derive(Clone, Debug)]
pub struct Logged {
    /// The action.
    pub action: Action,
    /// Its state.
    pub state: StateId,
}

/// What threads need at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadBounds {
    /// Threads at once.
    pub threads: u32,
    /// Actions that one of them logs.
    pub log: u32,
    /// Groups inside of groups.
    pub depth: u32,
    /// Bytes of captures that one of them keeps.
    pub text: u32,
    /// Text variables that one of them appends to.
    pub appended: u32,
}

fn answer(number: u64) -> Stmt {
    Stmt::Return(Expr::Int(number))
}

impl Gen<'_> {
    /// The threads of the group that is undecided.
    pub fn threads(&mut self) -> Expr {
        self.field("threads", Ty::Threads, "threads of `< >` that are not decided")
    }

    /// A group of threads.
    pub fn par(&mut self, id: StateId, rests: &mut Rests) {
        let m = self.m;
        let Kind::Par { forks } = &m.state(id).kind else { return };
        let number = self.number_of(id);
        let threads = self.threads();
        let wins = self.step_function(id);
        let first = self.fork_number(id, 0);
        let (p, end) = (Expr::local("p"), Expr::local("end"));
        self.start_waiting(id);
        self.put(Stmt::Do(
            threads.clone().method("start", vec![Expr::Int(forks.len() as u64), Expr::Int(first)]),
        ));
        let outcome = self.local("outcome");
        let round = |g: &mut Self, byte: Expr| {
            let call = Expr::Call(crate::tree::Callee::Own(format!("round{}", id.0)), vec![byte, g.offset()]);
            Stmt::Set(Expr::local("outcome"), call)
        };
        let fresh = round(self, Expr::Int(NO_BYTE));
        self.put(fresh);
        let dead = self.none_left(id, Found::Nothing);
        self.put(Stmt::unless_rare(outcome.clone().eq(Expr::Int(answer::DROPPED)), dead));
        self.put(Stmt::label("more", id.0));
        let body = self.apart(|g| {
            let rest = g.rest(number);
            g.put(Stmt::unless_rare(p.clone().eq(end), rest));
            g.bound_waiting(id);
            let shown = round(g, p.clone().byte());
            g.put(shown);
            let dead = g.none_left(id, Found::Byte);
            g.put(Stmt::unless_rare(outcome.clone().eq(Expr::Int(answer::DROPPED)), dead));
            let won = outcome.clone().eq(Expr::Int(answer::WON));
            g.put(Stmt::unless_rare(won, vec![Stmt::jump("won", id.0)]));
            g.put(Stmt::Add(p.clone(), Expr::Int(1)));
        });
        self.put(Stmt::While(Expr::Bool(true), body));
        self.win(id, &wins);
        // A pause may have been granted before the group began.
        let none = threads.clone().method("is_empty", vec![]);
        let resume = vec![Stmt::when(none, vec![Stmt::jump("s", id.0)]), Stmt::jump("more", id.0)];
        rests.resume.push((number, id, resume));
        let at_end = self.apart(|g| {
            let shown = round(g, Expr::Int(END));
            g.put(shown);
            g.put(Stmt::when(outcome.clone().eq(Expr::Int(answer::WON)), vec![Stmt::jump("won", id.0)]));
            let dead = g.none_left(id, Found::End);
            g.out.extend(dead);
        });
        rests.ends.push((number, at_end));
    }

    /// No thread is left: an exception at the byte that was looked at, or a byte is lacking.
    fn none_left(&mut self, id: StateId, found: Found) -> Vec<Stmt> {
        let site = self.m.state(id).site.unwrap_or(SiteId(0));
        let captures = self.facts.at(id);
        let mut before = self.release_waiting(id);
        before.extend(match found {
            Found::Byte => self.failure(ErrorKind::Mismatch, site, super::raise::UNION, found, &captures),
            Found::End => {
                let place = self.place(site, super::raise::UNION);
                let local = self.local("place");
                vec![Stmt::Set(local, Expr::Int(place)), Stmt::jump("lack", "")]
            }
            Found::Nothing => {
                let kind = self.threads().method("kind", vec![]);
                let (k, f) = (self.local("kind"), self.local("found"));
                let between = vec![Stmt::Set(k, kind), Stmt::Set(f, Expr::Int(257))];
                self.failure_with(between, site, "", &captures)
            }
        });
        before
    }

    /// The winner's log, then the way on.
    fn win(&mut self, id: StateId, wins: &[StateId]) {
        let threads = self.threads();
        self.put(Stmt::label("won", id.0));
        let took = threads.clone().method("took", vec![]);
        self.put(Stmt::when(took, vec![Stmt::Add(Expr::local("p"), Expr::Int(1))]));
        let log = self.logged(id);
        self.gather(id);
        if !log.is_empty() {
            let index = self.local("entry");
            self.put(Stmt::Set(index.clone(), Expr::Int(0)));
            let mut cases = Vec::new();
            for (number, logged) in log {
                let way = self.apart(|g| g.replay(id, &logged));
                cases.push((vec![number], way));
            }
            let body = vec![
                Stmt::Let(
                    "logged".to_owned(),
                    Ty::Unsigned(64),
                    threads.clone().method("action", vec![index.clone()]),
                ),
                Stmt::Switch(Expr::local("logged"), cases, Vec::new()),
                Stmt::Add(index.clone(), Expr::Int(1)),
            ];
            self.put(Stmt::While(index.lt(threads.clone().method("log_size", vec![])), body));
        }
        self.settle(id);
        let state = self.local("number");
        self.put(Stmt::Set(state.clone(), threads.clone().method("winner", vec![])));
        self.put(Stmt::Do(threads.method("clear", vec![])));
        let mut cases = Vec::new();
        for win in wins {
            let Kind::Win { next } = &self.m.state(*win).kind else { continue };
            let way = self.apart(|g| {
                g.state = *win;
                let mut captures = Captures::default();
                for action in &next.actions {
                    g.action(action, &captures);
                    captures.step(action);
                }
                g.state = id;
                g.enter(next.to, true);
            });
            cases.push((vec![u64::from(win.0)], way));
        }
        self.state = id;
        self.put(Stmt::Switch(state, cases, vec![Stmt::jump("uncaught", "")]));
    }

    /// An action of the winner, with the offset at which it was reached.
    fn replay(&mut self, par: StateId, logged: &Logged) {
        let before = self.state;
        self.state = logged.state;
        self.replaying = Some(par);
        let threads = self.threads();
        let index = self.local("entry");
        let at = self.field("log_offset", Ty::Unsigned(64), "offset of the action that is replayed");
        self.put(Stmt::Set(at.clone(), threads.clone().method("offset", vec![index.clone()])));
        if self.options.trace && self.is_sub() {
            let outer =
                self.field("log_outer", Ty::Unsigned(64), "the same in the outer stream, for the trace");
            self.put(Stmt::Set(outer, threads.clone().method("outer", vec![index.clone()])));
        }
        self.at = Some(at.clone());
        let mut captures = Captures::default();
        if let Op::Commit(span) | Op::Deliver(span) = &logged.action.op {
            captures.open.insert(*span);
            self.bring(*span, threads, index);
        }
        if matches!(logged.action.op, Op::Begin(_) | Op::End(_)) {
            self.stand_at(at);
        }
        self.action(&logged.action, &captures);
        self.replaying = None;
        self.at = None;
        self.state = before;
    }

    /// Puts what a thread captured where a cut would have put it.
    fn bring(&mut self, span: SpanId, threads: Expr, index: Expr) {
        let (capture, from) = (self.slot_field(span), self.from(span));
        self.put(Stmt::Set(capture.clone(), threads.clone().method("value", vec![index.clone()])));
        self.put(Stmt::Set(from.clone(), Expr::local("p")));
        let slot = self.facts.slot(span);
        match self.m.spans[span].form {
            Form::Pieces { .. } => {
                let bytes = threads.method("text", vec![index]);
                let end = self.local(&format!("to{slot}"));
                self.put(Stmt::Set(from.clone(), bytes.clone().method("begin", vec![])));
                self.put(Stmt::Set(end, from.plus(bytes.method("size", vec![]))));
            }
            Form::String { .. } | Form::Array { .. } | Form::View { .. } | Form::Bits { .. } => {
                let held = self.held(span);
                let bytes = threads.method("text", vec![index]);
                let room = self.local(&format!("room{slot}"));
                self.put(Stmt::Set(room, Expr::Int(super::call::NEVER)));
                self.put(Stmt::Do(held.method("assign", vec![bytes])));
                self.put(Stmt::Do(capture.method("mark_cut", vec![])));
            }
            _ if self.folds(span) => {}
            _ => self.put(Stmt::Do(capture.method("mark_cut", vec![]))),
        }
    }

    /// Actions that the threads of a group log, with their numbers.
    pub fn logged(&self, par: StateId) -> Vec<(u64, Logged)> {
        let states = self.facts.threads.iter().filter(|(_, of)| *of == par).map(|(state, _)| *state);
        let mut found = Vec::new();
        for state in std::iter::once(par).chain(states) {
            let kind = &self.m.state(state).kind;
            if matches!(kind, Kind::Win { .. }) && !nested(self.m, par, state) {
                continue;
            }
            for (edge, actions) in kind.edges().iter().enumerate() {
                for (place, action) in actions.actions.iter().enumerate() {
                    if is_logged(&action.op) {
                        let number = u64::from(state.0) << 16 | (edge as u64) << 8 | place as u64;
                        found.push((number, Logged { action: action.clone(), state }));
                    }
                }
            }
        }
        found
    }

    /// What the threads of the machine need at most.
    pub fn thread_bounds(&self) -> ThreadBounds {
        let appended = u32::try_from(self.appended().len()).unwrap_or(u32::MAX);
        let mut bounds = ThreadBounds { threads: 1, log: 1, depth: 1, text: 0, appended };
        for par in self.pars() {
            let at_most = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
            bounds.threads = bounds.threads.max(at_most(threads::most_threads(self.m, par)));
            bounds.depth = bounds.depth.max(threads::nesting(self.m, par));
            let logged = threads::heaviest(self.m, par, &|action| u64::from(is_logged(&action.op)));
            // No description makes a thread that goes round and logs.
            let all = self.logged(par).len() as u64;
            bounds.log = bounds.log.max(at_most(logged.unwrap_or(all)));
            let text = threads::heaviest(self.m, par, &|action| match action.op {
                Op::Commit(span) => self.thread_text(par, span),
                _ => 0,
            });
            bounds.text = bounds.text.max(at_most(text.unwrap_or(u64::from(u32::MAX))));
        }
        bounds
    }

    /// Most bytes of a capture that a thread keeps until it wins.
    fn thread_text(&self, par: StateId, span: SpanId) -> u64 {
        let most = match &self.m.spans[span].form {
            Form::Pieces { .. } => u64::from(self.m.symbols.limits.string),
            Form::Bits { .. } => u64::MAX,
            _ => match self.text_target(span) {
                Some(_) => self.text_most(span),
                None => return 0,
            },
        };
        let states = threads::states(self.m, par).into_iter().map(|(id, _)| id);
        most.min(self.taken_while_open(states, span))
    }

    /// All groups of the main line.
    pub fn pars(&self) -> Vec<StateId> {
        let order = self.facts.order.iter().copied();
        order.filter(|s| matches!(self.m.state(*s).kind, Kind::Par { .. })).collect()
    }

    /// The number at which a thread starts with the actions of a fork.
    fn fork_number(&self, par: StateId, fork: usize) -> u64 {
        let mut number = self.m.states.len() as u64;
        for state in self.m.states.ids() {
            if state == par {
                return number + fork as u64;
            }
            if let Some(Kind::Par { forks }) = self.m.states[state].as_ref().map(|s| &s.kind) {
                number += forks.len() as u64;
            }
        }
        number
    }

    /// The function that shows a byte to a thread of a group; the `win` states that end one.
    fn step_function(&mut self, par: StateId) -> Vec<StateId> {
        let locals = std::mem::take(&mut self.locals);
        let (state, cold) = (self.state, std::mem::take(&mut self.cold));
        self.in_thread = true;
        self.at = Some(Expr::local("where"));
        let states: Vec<StateId> =
            self.facts.threads.iter().filter(|(_, of)| *of == par).map(|(s, _)| *s).collect();
        self.flow_thread_captures(par);
        let mut wins = Vec::new();
        let mut cases = Vec::new();
        let body = self.apart(|g| {
            let inner = states.iter().filter(|s| matches!(g.m.state(**s).kind, Kind::Par { .. }));
            let groups: Vec<StateId> = std::iter::once(par).chain(inner.copied()).collect();
            for group in &groups {
                for i in 0..g.m.state(*group).kind.edges().len() {
                    let n = g.fork_number(*group, i);
                    cases.push((vec![n], vec![Stmt::jump("fork", n)]));
                }
            }
            for state in &states {
                let kind = &g.m.state(*state).kind;
                if kind.rests() && !matches!(kind, Kind::Par { .. }) {
                    cases.push((vec![u64::from(state.0)], vec![Stmt::jump("on", state.0)]));
                }
            }
            let start = Expr::local("t.state");
            g.put(Stmt::Switch(start, cases.clone(), vec![answer(answer::DROPPED)]));
            for group in &groups {
                let m = g.m;
                for (i, fork) in m.state(*group).kind.edges().into_iter().enumerate() {
                    g.put(Stmt::label("fork", g.fork_number(*group, i)));
                    g.state = *group;
                    let captures = if *group == par { Captures::default() } else { g.facts.at(*group) };
                    g.thread_edge(par, 0x80 + i, fork, &captures);
                }
            }
            for state in &states {
                if matches!(g.m.state(*state).kind, Kind::Win { .. }) && !nested(g.m, par, *state) {
                    wins.push(*state);
                }
                g.thread_state(par, *state);
            }
        });
        let cold = std::mem::replace(&mut self.cold, cold);
        let function = Function {
            name: format!("step{}", par.0),
            doc: format!("Shows a byte to a thread of the `< >` of state {}.", par.0),
            role: FunctionRole::Thread,
            locals: self.local_fields(),
            body: super::goto::tidy([body, cold].concat()),
        };
        self.functions.push(function);
        self.in_thread = false;
        self.at = None;
        self.locals = locals;
        self.state = state;
        wins
    }

    /// Captures at the entry of each state of a group.
    fn flow_thread_captures(&mut self, par: StateId) {
        let mut seen: FxHashMap<StateId, Captures> = FxHashMap::default();
        let mut work: Vec<(StateId, Captures)> = Vec::new();
        for fork in self.m.state(par).kind.edges() {
            let mut after = Captures::default();
            fork.actions.iter().for_each(|a| after.step(a));
            work.push((fork.to, after));
        }
        while let Some((state, captures)) = work.pop() {
            if seen.contains_key(&state) {
                continue;
            }
            seen.insert(state, captures.clone());
            let kind = &self.m.state(state).kind;
            if matches!(kind, Kind::Win { .. }) && !nested(self.m, par, state) {
                continue;
            }
            for edge in kind.edges() {
                let mut after = captures.clone();
                edge.actions.iter().for_each(|a| after.step(a));
                work.push((edge.to, after));
            }
        }
        for (state, captures) in seen {
            self.facts.add_captures(state, captures);
        }
    }

    /// An edge of a thread; `edge` is its number in its state.
    fn thread_edge(&mut self, par: StateId, edge: usize, way: &Edge, captures: &Captures) {
        let mut captures = captures.clone();
        for (place, action) in way.actions.iter().enumerate() {
            let index = if edge >= 0x80 { edge - 0x80 } else { edge };
            let number = u64::from(self.state.0) << 16 | (index as u64) << 8 | place as u64;
            self.thread_action(action, number, &captures);
            captures.step(action);
        }
        let _ = par;
        self.put(Stmt::jump("s", way.to.0));
    }

    fn edge_of(&self, wanted: &Edge) -> usize {
        let edges = self.m.state(self.state).kind.edges();
        edges.iter().position(|e| std::ptr::eq(*e, wanted)).unwrap_or(0)
    }

    fn thread_way(&mut self, par: StateId, way: &Edge) {
        let captures = self.facts.at(self.state);
        let edge = self.edge_of(way);
        self.thread_edge(par, edge, way, &captures);
    }

    fn thread_slot(&self, span: SpanId) -> Expr {
        Expr::Local(format!("t.slots[{}]", self.facts.slot(span)))
    }

    fn thread_room(&self, span: SpanId) -> Expr {
        Expr::Local(format!("t.rooms[{}]", self.facts.slot(span)))
    }

    fn thread_strict(&self, span: SpanId) -> Expr {
        Expr::Local(format!("t.strict[{}]", self.facts.slot(span)))
    }

    fn thread_action(&mut self, action: &Action, number: u64, captures: &Captures) {
        let site = super::facts::site_of(action, self.m.state(self.state).site).unwrap_or(SiteId(0));
        match &action.op {
            Op::Take => {
                let taken = self.take_in_thread(captures);
                self.out.extend(taken);
            }
            Op::Open(span) => self.open_in_thread(*span, site, captures),
            Op::Commit(span) => {
                self.check_commit(*span, site);
                self.note_text(*span);
                let entry = vec![Expr::Int(number), Expr::local("where"), self.thread_slot(*span)];
                self.log_entry(entry);
            }
            Op::Notify(..) | Op::Code(_) | Op::SetVar(..) | Op::InitVar(..) | Op::Begin(_) | Op::End(_) => {
                self.log_entry(vec![Expr::Int(number), Expr::local("where")]);
            }
            Op::EndModule(_) | Op::Home(_) | Op::Reset | Op::Unspan(_) | Op::Mark(_) => {}
            Op::Close(_) | Op::Deliver(_) | Op::DropSpan(_) => {}
            _ => self.action(action, captures),
        }
    }

    /// Variables that states of groups append to: a thread knows how long they would be.
    pub fn appended(&self) -> Vec<VarId> {
        let pars = self.pars();
        let actions = pars.iter().flat_map(|par| threads::edges(self.m, *par)).flat_map(|e| &e.actions);
        let vars = actions.filter_map(|action| match action.op {
            Op::Open(span) => self.text_target(span).filter(|(_, append, _)| *append).map(|(var, ..)| var),
            _ => None,
        });
        vars.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// The size of a text as a thread sees it; none where no state appends to it.
    fn seen_size(&self, var: VarId) -> Option<(Expr, Expr)> {
        let index = Expr::Int(self.appended().iter().position(|v| *v == var)? as u64);
        let size = Expr::runtime("bytes", vec![Expr::Var(var)]).method("size", vec![]);
        let seen = Expr::local("t").method("stored_size", vec![index.clone(), size]);
        Some((index, seen))
    }

    fn note_text(&mut self, span: SpanId) {
        let Some((var, append, _)) = self.text_target(span) else { return };
        let Some((index, seen)) = self.seen_size(var) else { return };
        let before = if append { seen } else { Expr::Int(0) };
        let trim = u64::from(self.m.spans[span].trim);
        let arguments = vec![Expr::local("t"), index, before];
        self.put(Stmt::Do(Expr::runtime_with("note_text", vec![trim], arguments)));
    }

    /// How many bytes a text that is appended to may still get.
    pub fn room_of(&self, most: Expr, var: VarId) -> Expr {
        match self.seen_size(var) {
            Some((_, seen)) if self.in_thread => Expr::runtime("less", vec![most, seen]),
            _ => Expr::runtime("room", vec![most, Expr::Var(var)]),
        }
    }

    /// Something that waits until the thread wins.
    fn log_entry(&mut self, entry: Vec<Expr>) {
        self.put(Stmt::Do(Expr::local("t").method("log", entry)));
        if self.options.trace && self.is_sub() {
            let outer = Expr::runtime("outer_offset", vec![Expr::local("where")]);
            self.put(Stmt::Do(Expr::local("t").method("note_outer", vec![outer])));
        }
    }

    fn open_in_thread(&mut self, span: SpanId, site: SiteId, captures: &Captures) {
        let (slot, room) = (self.thread_slot(span), self.thread_room(span));
        self.put(Stmt::Do(slot.method("clear", vec![])));
        self.put(Stmt::Do(Expr::local("t").method("begin_text", vec![])));
        match &self.m.spans[span].form {
            Form::Pieces { xor, .. } => {
                if let Some(key) = xor {
                    let empty = Expr::runtime("bytes", vec![Expr::Var(*key)]).method("empty", vec![]);
                    let failure = self.failure(ErrorKind::Condition, site, "", Found::Nothing, captures);
                    self.put(Stmt::when(empty, failure));
                }
                let limit = Expr::Int(u64::from(self.m.symbols.limits.string));
                self.put(Stmt::Set(room, limit));
            }
            Form::String { .. } | Form::Array { .. } | Form::View { .. } => {
                let value = self.room_value(span, site, captures);
                self.put(Stmt::Set(room, value));
                if let Some(now) = self.refuses_now(span) {
                    self.put(Stmt::Set(self.thread_strict(span), now));
                }
            }
            _ => {}
        }
    }

    /// What an open capture does with the byte that is taken.
    fn take_in_thread(&mut self, captures: &Captures) -> Vec<Stmt> {
        let dropped = vec![answer(answer::DROPPED)];
        self.apart(|g| {
            for span in &captures.open {
                let (slot, thread, room) = (g.thread_slot(*span), Expr::local("t"), g.thread_room(*span));
                let trim = u64::from(g.m.spans[*span].trim);
                let byte = Expr::local("c");
                match g.m.spans[*span].form.clone() {
                    Form::Pieces { .. } => {
                        let kept = Expr::runtime_with("take_text", vec![0, 1], vec![thread, byte, room]);
                        g.put(Stmt::unless_rare(kept.negated(), dropped.clone()));
                    }
                    Form::String { .. } | Form::Array { .. } | Form::View { .. } => {
                        let strict = u64::from(g.strict_limit(*span).is_some());
                        let take = |strict| {
                            let arguments = vec![thread.clone(), byte.clone(), room.clone()];
                            Expr::runtime_with("take_text", vec![trim, strict], arguments)
                        };
                        let kept = match g.refuses_now(*span) {
                            Some(_) => {
                                let now = Box::new(g.thread_strict(*span));
                                Expr::Choose(now, Box::new(take(1)), Box::new(take(0)))
                            }
                            None => take(strict),
                        };
                        g.put(Stmt::unless_rare(kept.negated(), dropped.clone()));
                    }
                    Form::Bits { .. } => {
                        let call = Expr::runtime_with(
                            "take_text",
                            vec![0, 0],
                            vec![thread, byte.clone(), Expr::Int(super::call::NEVER)],
                        );
                        g.put(Stmt::Do(Expr::runtime("ignore", vec![call])));
                        g.put(Stmt::Do(Expr::runtime("keep_byte", vec![slot, byte])));
                    }
                    Form::Float { .. } => g.put(Stmt::Do(Expr::runtime("keep_byte", vec![slot, byte]))),
                    Form::Binary { .. } if !g.folds(*span) => {
                        g.put(Stmt::Do(Expr::runtime("keep_byte", vec![slot, byte])));
                    }
                    _ => {
                        let (name, numbers) = g.fold_name(*span);
                        let call = Expr::runtime_with(name, numbers, vec![slot, byte]);
                        g.put(Stmt::unless_rare(call.negated(), dropped.clone()));
                    }
                }
            }
            g.put(Stmt::Set(Expr::local("t.took"), Expr::Bool(true)));
            g.put(Stmt::Add(Expr::local("where"), Expr::Int(1)));
        })
    }

    /// The name of the function that folds one byte.
    fn fold_name(&self, span: SpanId) -> (&'static str, Vec<u64>) {
        let of = |ty: vproto_ir::grammar::IntType| {
            vec![u64::from(ty.bits), u64::from(ty.signed), u64::from(ty.wrap)]
        };
        match &self.m.spans[span].form {
            Form::Digits { radix, ty, .. } => {
                let trim = u64::from(self.m.spans[span].trim);
                ("take_digit", [vec![u64::from(*radix)], of(*ty), vec![trim]].concat())
            }
            Form::Varint { max, ty, .. } => ("take_varint", [vec![u64::from(*max)], of(*ty)].concat()),
            Form::Binary { var, .. } if self.m.symbols.vars[*var].ty == VarType::Bool => ("take_any", vec![]),
            Form::Binary { big, ty, .. } => ("take_binary", [vec![u64::from(*big)], of(*ty)].concat()),
            _ => ("take_any", vec![]),
        }
    }

    /// A binary value that does not fit drops the thread.
    fn check_commit(&mut self, span: SpanId, site: SiteId) {
        let Form::Binary { var, big, ty, .. } = self.m.spans[span].form.clone() else { return };
        if !self.folds(span) || self.m.symbols.vars[var].ty == VarType::Bool {
            return;
        }
        let (bad, number, slot) = (self.local("bad"), self.local("number"), self.thread_slot(span));
        let ty = [u64::from(ty.bits), u64::from(ty.signed), u64::from(ty.wrap)];
        let numbers = [vec![u64::from(big)], ty.to_vec()].concat();
        self.put(Stmt::Set(bad.clone(), Expr::Bool(false)));
        self.put(Stmt::Set(number, Expr::runtime_with("binary_value", numbers, vec![slot, bad.clone()])));
        let failure = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, &Captures::default());
        self.put(Stmt::unless_rare(bad, failure));
    }

    /// One state of a thread, byte by byte.
    fn thread_state(&mut self, par: StateId, id: StateId) {
        self.state = id;
        let m = self.m;
        let captures = self.facts.at(id);
        self.put(Stmt::label("s", id.0));
        let c = Expr::local("c");
        match &m.state(id).kind {
            Kind::Scan { set, lo, hi, until, next, .. } => {
                let n = self.local("n");
                self.put(Stmt::Set(n.clone(), Expr::Int(0)));
                self.put(Stmt::label("on", id.0));
                let most = self.bound_expr(*hi);
                let least = if *lo == Bound::Register { self.local("lo") } else { self.bound_expr(*lo) };
                if until.is_none() && *hi != Bound::Unbounded {
                    let done = vec![Stmt::jump("done", id.0)];
                    self.put(Stmt::when(n.clone().op(Do::GreaterEqual, most.clone()), done));
                }
                self.thread_waits(id);
                self.looks(if until.is_some() { ByteSet::ALL } else { *set });
                let enough = n.clone().op(Do::GreaterEqual, least);
                let is_end = c.clone().eq(Expr::Int(END));
                match until {
                    Some(until) => {
                        let expect = self.expect(ByteSet::ALL, true);
                        self.put(Stmt::when(is_end, expect));
                        self.thread_until(id, until, *hi, most, &captures);
                    }
                    None => {
                        let lacks = self.expect(*set, true);
                        let ends = vec![Stmt::when(enough.clone(), vec![Stmt::jump("done", id.0)])];
                        let ends = [ends, lacks[1..].to_vec()].concat();
                        self.put(Stmt::when(is_end, ends));
                        let mut taken = self.take_in_thread(&captures);
                        taken.push(Stmt::Add(n, Expr::Int(1)));
                        taken.push(Stmt::jump("on", id.0));
                        let member = self.contains(set, Expr::Cast(Ty::Unsigned(8), Box::new(c)));
                        let wrong = self.expect(*set, false);
                        self.put(Stmt::when(member, taken));
                        self.put(Stmt::when(enough.negated(), wrong[1..].to_vec()));
                    }
                }
                self.put(Stmt::label("done", id.0));
                self.thread_way(par, next);
            }
            Kind::Literal { text, fold, next } => self.thread_literal(par, id, text, *fold, next, &captures),
            Kind::Dispatch { alts, other, eof } => {
                self.put(Stmt::label("on", id.0));
                self.thread_waits(id);
                let all = alts.iter().fold(ByteSet::EMPTY, |all, (set, _)| all | *set);
                self.looks(all);
                let end = match eof {
                    Some(edge) => self.apart(|g| g.thread_way(par, edge)),
                    None => self.expect(all, true),
                };
                self.put(Stmt::when(c.clone().eq(Expr::Int(END)), end));
                for (set, edge) in alts {
                    let way = self.apart(|g| g.thread_way(par, edge));
                    let member = self.contains(set, Expr::Cast(Ty::Unsigned(8), Box::new(c.clone())));
                    self.put(Stmt::when(member, way));
                }
                match other {
                    Some(edge) => self.thread_way(par, edge),
                    None => {
                        let wrong = self.expect(all, false);
                        self.out.extend(wrong);
                    }
                }
            }
            Kind::Test { what, then, other } => {
                let wrong = self.apart(|g| g.thread_way(par, other));
                if let vproto_ir::machine::Predicate::Starts(var) = what {
                    let text = self.seen_text(*var);
                    let first = Expr::runtime("begins_with", vec![text, c]);
                    self.put(Stmt::when(first.negated(), wrong));
                } else if let Some(truth) = self.predicate(what, wrong.clone()) {
                    self.put(Stmt::when(truth.negated(), wrong));
                }
                self.thread_way(par, then);
            }
            Kind::Act { next } => self.thread_way(par, next),
            Kind::Win { next } => {
                if nested(m, par, id) {
                    let late = Expr::local("t").method("is_late", vec![]);
                    self.put(Stmt::when(late, vec![answer(answer::DROPPED)]));
                    let leave = crate::tree::Callee::Own(format!("leave{}", par.0));
                    let arguments = vec![Expr::local("t"), Expr::local("c"), Expr::local("where")];
                    self.put(Stmt::Do(Expr::Call(leave, arguments)));
                    self.thread_way(par, next);
                } else {
                    self.put(Stmt::Set(Expr::local("t.state"), Expr::Int(u64::from(id.0))));
                    self.put(answer(answer::WON));
                }
            }
            Kind::Par { forks } => {
                let first = self.fork_number(id, 0);
                let arguments = vec![Expr::local("t"), Expr::Int(forks.len() as u64), Expr::Int(first)];
                let threads = self.threads();
                self.put(Stmt::Do(threads.method("fork", arguments)));
                self.put(answer(answer::FORKED));
            }
            _ => self.put(answer(answer::DROPPED)),
        }
    }

    /// Without a byte that was not looked at yet a thread rests.
    fn thread_waits(&mut self, id: StateId) {
        let taken = Expr::local("t.took").op(Do::Either, Expr::local("c").eq(Expr::Int(NO_BYTE)));
        let rests =
            vec![Stmt::Set(Expr::local("t.state"), Expr::Int(u64::from(id.0))), answer(answer::ALIVE)];
        self.put(Stmt::when(taken, rests));
    }

    /// A state looks at the byte: if the whole group dies of it, this is what it would have taken.
    fn looks(&mut self, set: ByteSet) {
        let look = self.expect(set, false);
        self.out.extend(look.into_iter().take(1));
    }

    /// The thread dies; the group remembers what it would have taken.
    fn expect(&mut self, set: ByteSet, lack: bool) -> Vec<Stmt> {
        let threads = self.threads();
        let arguments: Vec<Expr> = set.words().iter().map(|w| Expr::Int(*w)).collect();
        let _ = lack;
        vec![Stmt::Do(threads.method("expect", arguments)), answer(answer::DROPPED)]
    }

    fn thread_until(&mut self, id: StateId, until: &Until, hi: Bound, most: Expr, captures: &Captures) {
        let c = Expr::local("c");
        let n = self.local("n");
        let is_text = match until {
            Until::Text(text) => c.eq(Expr::Int(text.first().copied().map_or(0, u64::from))),
            Until::Var(var) => {
                let text = self.seen_text(*var);
                let size = text.clone().method("size", vec![]).eq(Expr::Int(1));
                self.put(Stmt::when(size.negated(), vec![answer(answer::DROPPED)]));
                Expr::runtime("begins_with", vec![text, c])
            }
        };
        let end = vec![
            Stmt::Set(Expr::local("t.took"), Expr::Bool(true)),
            Stmt::Add(Expr::local("where"), Expr::Int(1)),
            Stmt::jump("done", id.0),
        ];
        self.put(Stmt::when(is_text, end));
        if hi != Bound::Unbounded {
            let wrong = self.expect(ByteSet::ALL, false);
            self.put(Stmt::when(n.clone().op(Do::GreaterEqual, most), wrong));
        }
        let taken = self.take_in_thread(captures);
        self.out.extend(taken);
        self.put(Stmt::Add(n, Expr::Int(1)));
        self.put(Stmt::jump("on", id.0));
    }

    fn thread_literal(
        &mut self,
        par: StateId,
        id: StateId,
        text: &Text,
        fold: bool,
        next: &Edge,
        captures: &Captures,
    ) {
        let (c, k) = (Expr::local("c"), self.local("k"));
        self.put(Stmt::Set(k.clone(), Expr::Int(0)));
        self.put(Stmt::label("on", id.0));
        let bytes = match text {
            Text::Bytes(bytes) if fold => Expr::Text(bytes.to_ascii_lowercase()),
            Text::Bytes(bytes) => Expr::Text(bytes.clone()),
            Text::Var(var) => self.seen_text(*var),
        };
        let all = k.clone().eq(bytes.clone().method("size", vec![]));
        self.put(Stmt::when(all, vec![Stmt::jump("done", id.0)]));
        self.thread_waits(id);
        let letter = Expr::runtime("letter", vec![bytes, k.clone()]);
        let folds = u64::from(fold);
        let threads = self.threads();
        let die = || {
            let call = threads.clone().method("expect_letter", vec![letter.clone(), Expr::Int(folds)]);
            vec![Stmt::Do(call), answer(answer::DROPPED)]
        };
        self.out.extend(die().into_iter().take(1));
        self.put(Stmt::when(c.clone().eq(Expr::Int(END)), vec![answer(answer::DROPPED)]));
        let name = if fold { "same_letter_folded" } else { "same_letter" };
        let same = Expr::runtime(name, vec![c, letter.clone()]);
        self.put(Stmt::when(same.negated(), vec![answer(answer::DROPPED)]));
        let taken = self.take_in_thread(captures);
        self.out.extend(taken);
        self.put(Stmt::Add(k, Expr::Int(1)));
        self.put(Stmt::jump("on", id.0));
        self.put(Stmt::label("done", id.0));
        self.thread_way(par, next);
    }

    /// The bytes of a text as the thread sees it.
    fn seen_text(&mut self, var: VarId) -> Expr {
        Expr::runtime("bytes", vec![Expr::Var(var)])
    }
}

fn is_logged(op: &Op) -> bool {
    matches!(
        op,
        Op::Commit(_)
            | Op::Notify(..)
            | Op::Code(_)
            | Op::SetVar(..)
            | Op::InitVar(..)
            | Op::Begin(_)
            | Op::End(_)
    )
}

/// The label of a fork, for tests.
pub fn fork_label(number: u64) -> crate::tree::Label {
    let _ = StateId::from_index(0);
    label("fork", number)
}
