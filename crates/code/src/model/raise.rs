//! Exceptions: the place where one arises, and the one routine that finds who takes it.

use super::facts::Captures;
use super::r#gen::{Found, Gen};
use crate::tree::{Expr, Op, Stmt, Ty, label};
use vproto_ir::byteset::{ByteSet, quoted};
use vproto_ir::grammar::Until;
use vproto_ir::ids::{SiteId, StateId};
use vproto_ir::machine::{ErrorKind, Form, Handler, Kind, Op as Action, Text};

/// Stands for the text of a run-time `until`; no text of an error begins so.
pub const SEARCHED: &str = "\u{1}";
/// Stands for the text of a variable, whose number follows.
pub const MATCHED: &str = "\u{2}";
/// Stands for what the threads of a group would have taken; the site's own words follow, for where that is nothing.
pub const UNION: &str = "\u{3}";

/// The tail of failures of one kind.
fn failure_label(kind: u64, found: Found) -> crate::tree::Label {
    let found = match found {
        Found::Nothing => "here",
        Found::Byte => "byte",
        Found::End => "end",
    };
    label(found, format!("_{kind}"))
}

impl Gen<'_> {
    /// Statements that raise. Pieces of an open `data` token are handed on first.
    pub fn failure(
        &mut self,
        kind: ErrorKind,
        site: SiteId,
        expected: &str,
        found: Found,
        captures: &Captures,
    ) -> Vec<Stmt> {
        if self.in_thread {
            let threads = self.field("threads", Ty::Threads, "threads of `< >` that are not decided");
            return vec![
                Stmt::Do(threads.method("died", vec![Expr::Int(Gen::kind_number(kind))])),
                Stmt::Return(Expr::Int(super::thread::answer::DROPPED)),
            ];
        }
        let place = self.place(site, expected);
        self.apart(|g| {
            if let Some(par) = g.replaying {
                g.settle(par);
            }
            g.cut_pieces(captures, site);
            let local = g.local("place");
            g.put(Stmt::Set(local, Expr::Int(place)));
            let jump = g.failure_jump(kind, found);
            g.put(jump);
        })
    }

    /// Statements that raise what was found elsewhere: `kind` and `found` are set by those in between.
    pub fn failure_with(
        &mut self,
        between: Vec<Stmt>,
        site: SiteId,
        expected: &str,
        captures: &Captures,
    ) -> Vec<Stmt> {
        let place = self.place(site, expected);
        self.apart(|g| {
            if let Some(par) = g.replaying {
                g.settle(par);
            }
            g.cut_pieces(captures, site);
            let local = g.local("place");
            g.put(Stmt::Set(local, Expr::Int(place)));
            g.out.extend(between);
            g.put(Stmt::Jump(label("raise", "")));
        })
    }

    /// The jump to the tail of a kind of failures; `place` is set.
    pub fn failure_jump(&mut self, kind: ErrorKind, found: Found) -> Stmt {
        let kind = Gen::kind_number(kind);
        self.failures.insert((kind, found));
        Stmt::Jump(failure_label(kind, found))
    }

    /// Pieces of `data` tokens that do not complete are handed on.
    fn cut_pieces(&mut self, captures: &Captures, site: SiteId) {
        for span in &captures.open {
            if matches!(self.m.spans[*span].form, Form::Pieces { .. }) {
                self.cut_short(*span, site);
            }
        }
    }

    /// What the failures of all states have in common: one tail a kind and what was found.
    pub fn failure_tails(&mut self) {
        for (kind, found) in self.failures.clone() {
            self.put(Stmt::Label(failure_label(kind, found)));
            let (k, f) = (self.local("kind"), self.local("found"));
            self.put(Stmt::Set(k, Expr::Int(kind)));
            let looked = match found {
                Found::Nothing => Expr::Int(257),
                Found::End => Expr::Int(256),
                Found::Byte => Expr::local("p").byte(),
            };
            self.put(Stmt::Set(f, looked));
            let never_caught = kind == Gen::kind_number(ErrorKind::NoProgress);
            let target = if never_caught { "uncaught" } else { "raise" };
            self.put(Stmt::Jump(label(target, "")));
        }
    }

    /// Whether a capture hands on pieces: then a failure has more to do than to say where it is.
    pub fn has_pieces(&self, captures: &Captures) -> bool {
        captures.open.iter().any(|span| matches!(self.m.spans[*span].form, Form::Pieces { .. }))
    }

    /// Hands on what a `data` token has that does not complete; letters that are held back too.
    pub fn cut_short(&mut self, span: vproto_ir::ids::SpanId, site: SiteId) {
        if self.is_until(self.state) {
            self.release_carried(span, site);
        }
        let capture = self.slot_field(span).method("was_cut", vec![]);
        let from = self.from(span);
        let some = capture.op(Op::Either, from.op(Op::NotEqual, Expr::local("p")));
        let hand = self.apart(|g| g.hand_on(span, site, true, Expr::local("p")));
        self.put(Stmt::when(some, hand));
    }

    /// What a state expects, as errors print it; an empty text where a variable says it.
    pub fn expected(&self, state: StateId) -> String {
        let state = self.m.state(state);
        if let Some(wants) = state.site.and_then(|site| self.m.sites[site].wants.clone()) {
            return wants;
        }
        match &state.kind {
            Kind::Scan { until: Some(Until::Text(text)), .. } => quoted(text, false),
            Kind::Scan { until: Some(Until::Var(_)), .. } => SEARCHED.to_owned(),
            Kind::Scan { set, .. } | Kind::Module { set, .. } => set.to_string(),
            Kind::Literal { text: Text::Bytes(text), fold, .. } => quoted(text, *fold),
            Kind::Literal { text: Text::Var(var), .. } => format!("{MATCHED}{}", var.0),
            Kind::Dispatch { alts, .. } => {
                alts.iter().fold(ByteSet::EMPTY, |all, (set, _)| all | *set).to_string()
            }
            _ => String::new(),
        }
    }

    /// The statements of a byte that the state does not take.
    pub fn mismatch(&mut self) -> Vec<Stmt> {
        let expected = self.expected(self.state);
        let (site, captures) = (self.own_site(), self.facts.at(self.state));
        self.failure(ErrorKind::Mismatch, site, &expected, Found::Byte, &captures)
    }

    /// The routine: `place`, `kind` and `found` are set.
    pub fn raise_routine(&mut self) {
        self.put(Stmt::Comment("An exception: who takes it?".to_owned()));
        self.put(Stmt::Label(label("raise", "")));
        let ended = self.local("ended");
        self.put(Stmt::when(ended, vec![Stmt::Jump(label("uncaught", ""))]));
        self.put(Stmt::Comment("What was captured so far is nobody's.".to_owned()));
        for slot in 0..self.facts.slot_count {
            self.forget_slot(slot);
        }
        if self.facts.has_threads() {
            let threads = self.field("threads", Ty::Threads, "threads of `< >` that are not decided");
            self.put(Stmt::Do(threads.method("clear", vec![])));
        }
        let handler = self.local("handler");
        let table = Expr::runtime("handler_of", vec![Expr::local("place")]);
        self.put(Stmt::Set(handler, table));
        if self.has_calls() {
            self.unwind();
        }
        let cases: Vec<(Vec<u64>, Vec<Stmt>)> = (0..self.facts.handlers.len())
            .map(|i| {
                let state = self.facts.handlers[i];
                (vec![i as u64 + 2], self.apart(|g| g.catch(state)))
            })
            .collect();
        let uncaught = vec![Stmt::Jump(label("uncaught", ""))];
        self.put(Stmt::Switch(Expr::local("handler"), cases, uncaught));
    }

    /// Goes to a handler: its spans end here, before bytes are skipped.
    fn catch(&mut self, state: StateId) {
        let first = self.m.state(state).kind.edges().first().and_then(|e| e.actions.first()).cloned();
        let fenced = self.has_fences();
        if fenced {
            if let Some(action) = first
                && matches!(action.op, Action::Unspan(_))
            {
                self.action(&action, &Captures::default());
            }
            let number =
                self.facts.handlers.iter().position(|s| *s == state).unwrap_or(0) + self.facts.calls.len();
            self.skip_then(number as u64);
        }
        self.put(Stmt::jump("s", state.0));
    }

    /// The number of a handler: 0 stops, 1 asks the call, the others are catch lines.
    pub fn handler_number(&self, handler: Handler) -> u64 {
        match handler {
            Handler::Stop => 0,
            Handler::Up => 1,
            Handler::Catch(state) => {
                2 + self.facts.handlers.iter().position(|s| *s == state).unwrap_or(0) as u64
            }
        }
    }

    /// Looks the handler up without popping; then pops.
    fn unwind(&mut self) {
        let depth = self.local("level");
        if self.has_fences() {
            let to = self.field("skip_to", Ty::Unsigned(64), "end offset of bytes that nobody wants");
            self.put(Stmt::Set(to, Expr::Int(0)));
        }
        let frames = Expr::field("depth");
        self.put(Stmt::Set(depth.clone(), frames));
        let asked =
            Expr::local("handler").eq(Expr::Int(1)).op(Op::Both, depth.clone().op(Op::Greater, Expr::Int(0)));
        let body = vec![
            Stmt::Set(depth.clone(), depth.clone().minus(Expr::Int(1))),
            Stmt::Set(
                Expr::local("handler"),
                Expr::runtime(
                    "call_handler",
                    vec![Expr::Element("frames.call".to_owned(), Box::new(depth.clone()))],
                ),
            ),
        ];
        self.put(Stmt::While(asked, body));
        let stops = Expr::local("handler").op(Op::Less, Expr::Int(2));
        self.put(Stmt::when(stops, vec![Stmt::Jump(label("uncaught", ""))]));
        let pop = self.apart(|g| g.pop_frame(true));
        self.put(Stmt::While(Expr::field("depth").op(Op::Greater, depth), pop));
        if self.has_fences() {
            self.set_end();
        }
    }
}
