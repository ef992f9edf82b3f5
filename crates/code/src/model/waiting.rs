//! Spans that begin or end inside of an undecided `< >`: its bytes wait until a state has won.
//!
//! Only groups that begin or end spans keep bytes. While a fragment lasts they are the fragment's own, from cursor
//! `waited` on; a cut moves them to `waiting`. The winner's `begin:` and `end:` are replayed on them, by their offsets.

use super::r#gen::{Found, Gen};
use crate::tree::{Expr, Op as Do, Stmt, Ty};
use std::collections::BTreeSet;
use vproto_ir::ids::{SpanId, StateId};
use vproto_ir::machine::{ErrorKind, Kind, Op};

impl Gen<'_> {
    /// The spans that states of a group begin or end, one a slot.
    pub fn waiting_spans(&self, par: StateId) -> Vec<SpanId> {
        let spans = self.logged(par).into_iter().filter_map(|(_, logged)| match logged.action.op {
            Op::Begin(span) | Op::End(span) => Some(SpanId(self.begin_slot(span))),
            _ => None,
        });
        let slots: BTreeSet<SpanId> = spans.collect();
        slots.into_iter().collect()
    }

    /// Where a span begins or ends: at the cursor, or where its state stood.
    pub fn here(&mut self) -> Expr {
        match self.replaying {
            Some(_) => self.local("replayed"),
            None => Expr::local("p"),
        }
    }

    fn waiting(&mut self) -> Expr {
        let waiting = self.field("waiting", Ty::Held, "bytes of an undecided `< >` that spans may get");
        self.holds("waiting", u64::from(self.m.symbols.limits.string));
        waiting
    }

    fn group_from(&mut self) -> Expr {
        self.field("group_from", Ty::Unsigned(64), "offset at which an undecided `< >` began")
    }

    /// A group begins: what its spans have so far is theirs.
    pub fn start_waiting(&mut self, par: StateId) {
        let spans = self.waiting_spans(par);
        if spans.is_empty() {
            return;
        }
        for span in spans {
            let cursor = self.begun(span.0);
            let open = cursor.clone().op(Do::NotEqual, Expr::local("nowhere"));
            let some = open.op(Do::Both, cursor.clone().op(Do::NotEqual, Expr::local("p")));
            let mut body = self.span_takes(span);
            body.push(Stmt::Set(cursor, Expr::local("p")));
            self.put(Stmt::when(some, body));
        }
        let (waiting, from, offset) = (self.waiting(), self.group_from(), self.offset());
        self.put(Stmt::Do(waiting.method("clear", vec![])));
        self.put(Stmt::Set(from, offset));
        let waited = self.local("waited");
        self.put(Stmt::Set(waited, Expr::local("p")));
    }

    /// A group that keeps bytes is bounded as a string is.
    pub fn bound_waiting(&mut self, par: StateId) {
        if self.waiting_spans(par).is_empty() {
            return;
        }
        let (site, captures) = (self.own_site(), self.facts.at(par));
        let taken = self.offset().minus(self.group_from());
        let most = Expr::Int(u64::from(self.m.symbols.limits.string));
        let mut failure = self.release_waiting(par);
        failure.extend(self.failure(ErrorKind::Limit, site, "", Found::Byte, &captures));
        self.put(Stmt::unless_rare(taken.op(Do::GreaterEqual, most), failure));
    }

    /// Whether a span waits for a group to be decided.
    pub fn span_waits(&mut self, span: SpanId) -> Option<Expr> {
        let pars = self.pars();
        let holders = pars.into_iter().filter(|par| self.waiting_spans(*par).contains(&span));
        let numbers: Vec<u64> = holders.map(|par| self.number_of(par)).collect();
        let here = |number: u64| Expr::field("number").eq(Expr::Int(number));
        let any = numbers.into_iter().map(here).reduce(|a, b| a.op(Do::Either, b))?;
        let undecided = self.threads().method("is_empty", vec![]).negated();
        Some(any.op(Do::Both, undecided))
    }

    /// At a cut the bytes of an undecided group are kept.
    pub fn cut_waiting(&mut self, id: StateId) {
        if !matches!(self.m.state(id).kind, Kind::Par { .. }) || self.waiting_spans(id).is_empty() {
            return;
        }
        let (waiting, waited) = (self.waiting(), self.local("waited"));
        let keep = Stmt::Do(Expr::runtime("append", vec![waiting, waited, Expr::local("p")]));
        let undecided = self.threads().method("is_empty", vec![]).negated();
        self.put(Stmt::when(undecided, vec![keep]));
    }

    /// A group is decided: its bytes stand in one place, and open spans begin there.
    pub fn gather(&mut self, par: StateId) {
        let spans = self.waiting_spans(par);
        if spans.is_empty() {
            return;
        }
        let (waiting, waited) = (self.waiting(), self.local("waited"));
        let mut body = vec![
            Stmt::Do(Expr::runtime("append", vec![waiting.clone(), waited.clone(), Expr::local("p")])),
            Stmt::Set(waited.clone(), waiting.clone().method("begin", vec![])),
        ];
        for span in spans {
            let cursor = self.begun(span.0);
            let open = cursor.clone().op(Do::NotEqual, Expr::local("nowhere"));
            body.push(Stmt::when(open, vec![Stmt::Set(cursor, waited.clone())]));
        }
        let cut = waiting.method("empty", vec![]).negated();
        self.put(Stmt::unless_rare(cut, body));
    }

    /// What is replayed happened at an offset.
    pub fn stand_at(&mut self, offset: Expr) {
        let (from, waited) = (self.group_from(), self.local("waited"));
        let here = self.here();
        self.put(Stmt::Set(here, waited.plus(offset.minus(from))));
    }

    /// Spans that stay open take what they have of bytes that are not the fragment's.
    pub fn settle(&mut self, par: StateId) {
        let spans = self.waiting_spans(par);
        if spans.is_empty() {
            return;
        }
        let before = self.replaying.replace(par);
        let (waiting, waited, end) = (self.waiting(), self.local("waited"), self.here());
        let size = waiting.clone().method("size", vec![]);
        let mut body = vec![Stmt::Set(end.clone(), waited.plus(size))];
        for span in spans {
            let cursor = self.begun(span.0);
            let open = cursor.clone().op(Do::NotEqual, Expr::local("nowhere"));
            let some = cursor.clone().op(Do::NotEqual, end.clone());
            let takes = self.span_takes(span);
            let then = vec![Stmt::when(some, takes), Stmt::Set(cursor, Expr::local("p"))];
            body.push(Stmt::when(open, then));
        }
        body.push(Stmt::Do(waiting.clone().method("clear", vec![])));
        self.replaying = before;
        let cut = waiting.method("empty", vec![]).negated();
        self.put(Stmt::unless_rare(cut, body));
    }

    /// No state is left: open spans get the bytes that waited.
    pub fn release_waiting(&mut self, par: StateId) -> Vec<Stmt> {
        self.apart(|g| {
            g.gather(par);
            g.settle(par);
        })
    }
}
