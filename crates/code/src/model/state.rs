//! States: one rule a kind.
//!
//! Labels of state 7: `s7` enters it, `in7` enters it where its first byte is known to fit, `more7` goes on behind a cut, `done7` leaves it by its edge, `eof7` by the edge of
//! the end. Where bytes run out a state sets `number` and goes to `rest`; what the end means for it is a case there.

use super::facts::two_numbers;
use super::r#gen::{Found, Gen};
use crate::tree::{Event, Expr, Odds, Op as Do, Stmt, label};
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{SiteId, StateId};
use vproto_ir::machine::{Bound, Edge, ErrorKind, Kind, Limit, Op, Predicate, Text};

/// What a resting state adds to the routines.
#[derive(Clone, Debug, Default)]
pub struct Rests {
    /// By number: where to go on. The second part says whether the state goes on in its middle.
    pub resume: Vec<(u64, StateId, Vec<Stmt>)>,
    /// By number: what the end means.
    pub ends: Vec<(u64, Vec<Stmt>)>,
}

impl Gen<'_> {
    /// One state of the main line.
    pub fn state(&mut self, id: StateId, rests: &mut Rests) {
        self.state = id;
        let m = self.m;
        let state = m.state(id);
        self.describe(id);
        self.put(Stmt::label("s", id.0));
        if self.options.plans {
            self.plans(id);
        }
        match &state.kind {
            Kind::Scan { until: Some(until), hi, next, .. } => self.until(id, until, *hi, next, rests),
            Kind::Scan { set, lo, hi, next, .. } => self.scan(id, set, *lo, *hi, next, rests),
            Kind::Literal { text: Text::Bytes(text), fold, next } => {
                self.literal(id, text, *fold, next, rests)
            }
            Kind::Literal { text: Text::Var(var), next, .. } => self.matching(id, *var, next, rests),
            Kind::Dispatch { alts, other, eof } => {
                self.dispatch(id, alts, other.as_ref(), eof.as_ref(), rests);
            }
            Kind::Test { what, then, other } => self.test(what, then, other),
            Kind::Act { next } => self.edge(next),
            Kind::Call { .. } => self.call_state(id),
            Kind::Ret => self.ret(),
            Kind::Par { .. } => self.par(id, rests),
            Kind::Win { .. } | Kind::Drop => {}
            Kind::Module { .. } => self.module_state(id, rests),
            Kind::Raise(kind) => {
                let (site, captures) = (self.own_site(), self.facts.at(id));
                let failure = self.failure(*kind, site, "", Found::Nothing, &captures);
                self.out.extend(failure);
            }
            Kind::End(status) => self.end_state(*status),
        }
    }

    /// The line of the description that a state comes from.
    fn describe(&mut self, id: StateId) {
        let state = self.m.state(id);
        let Some(site) = state.site.map(|s| &self.m.sites[s]) else { return };
        let what = match &state.kind {
            Kind::Scan { .. } | Kind::Literal { .. } => self.expected(id),
            Kind::Dispatch { .. } => "branching".to_owned(),
            Kind::Test { .. } => "condition".to_owned(),
            Kind::Call { .. } => "call".to_owned(),
            Kind::Ret => "return".to_owned(),
            Kind::Par { .. } => "< >".to_owned(),
            Kind::Module { .. } => "sub-parser".to_owned(),
            _ => return,
        };
        let file =
            site.file.and_then(|f| self.m.files.get(f as usize)).map_or(String::new(), |f| format!("{f}: "));
        // A backslash at the end would make the next line part of the comment.
        let what = if what.ends_with('\\') { format!("{what}.") } else { what };
        self.put(Stmt::Comment(format!("{file}line {}: {what}", site.line)));
    }

    /// Waits for bytes with a number.
    pub fn rest(&mut self, number: u64) -> Vec<Stmt> {
        vec![Stmt::Set(self.number(), Expr::Int(number)), Stmt::Jump(label("rest", ""))]
    }

    fn at_end(&self) -> Expr {
        Expr::local("p").eq(Expr::local("end"))
    }

    /// The resume number of a state.
    pub fn number_of(&self, id: StateId) -> u64 {
        u64::from(self.facts.numbers.get(&id).copied().unwrap_or(0))
    }

    /// What happens where a state lacks a byte.
    pub fn lack(&mut self, id: StateId) -> Vec<Stmt> {
        let expected = self.expected(id);
        let site = self.m.state(id).site.unwrap_or(SiteId(0));
        let place = self.place(site, &expected);
        let local = self.local("place");
        vec![Stmt::Set(local, Expr::Int(place)), Stmt::Jump(label("lack", ""))]
    }

    fn scan(&mut self, id: StateId, set: &ByteSet, lo: Bound, hi: Bound, next: &Edge, rests: &mut Rests) {
        let number = self.number_of(id);
        match (lo, hi) {
            (Bound::Fixed(1), Bound::Fixed(1)) => self.one_byte(id, set, rests),
            (Bound::Fixed(0), Bound::Fixed(1)) => self.optional_byte(id, set, rests),
            (Bound::Fixed(lo), Bound::Unbounded) if lo <= 1 => self.run(id, set, lo, rests),
            (Bound::Fixed(lo), Bound::Fixed(hi)) if lo == hi && set.is_all() => self.fixed(id, hi, rests),
            _ => self.counted(id, set, lo, hi, rests),
        }
        let _ = number;
        self.put(Stmt::label("done", id.0));
        self.edge(next);
    }

    fn one_byte(&mut self, id: StateId, set: &ByteSet, rests: &mut Rests) {
        let number = self.number_of(id);
        let rest = self.rest(number);
        self.put(Stmt::unless_rare(self.at_end(), rest));
        if !set.is_all() {
            let taken = self.contains(set, Expr::local("p").byte());
            let mismatch = self.mismatch();
            self.put(Stmt::unless_rare(taken.negated(), mismatch));
        }
        self.put(Stmt::label("in", id.0));
        self.put(Stmt::Add(Expr::local("p"), Expr::Int(1)));
        self.show(Some(1));
        rests.resume.push((number, id, vec![Stmt::jump("s", id.0)]));
        let lack = self.lack(id);
        rests.ends.push((number, lack));
    }

    fn show(&mut self, most: Option<u64>) {
        let captures = self.facts.at(self.state);
        self.show_bytes(&captures, most);
    }

    fn optional_byte(&mut self, id: StateId, set: &ByteSet, rests: &mut Rests) {
        let number = self.number_of(id);
        let rest = self.rest(number);
        self.put(Stmt::unless_rare(self.at_end(), rest));
        let taken = self.contains(set, Expr::local("p").byte());
        let take = vec![Stmt::Add(Expr::local("p"), Expr::Int(1))];
        self.put(Stmt::when(taken, take));
        self.show(Some(1));
        rests.resume.push((number, id, vec![Stmt::jump("s", id.0)]));
        rests.ends.push((number, vec![Stmt::jump("done", id.0)]));
    }

    /// `0..*` and `1..*`.
    fn run(&mut self, id: StateId, set: &ByteSet, lo: u64, rests: &mut Rests) {
        let number = self.number_of(id);
        let mut going = number;
        if lo == 1 {
            going = number + 1;
            let rest = self.rest(number);
            self.put(Stmt::unless_rare(self.at_end(), rest));
            let taken = self.contains(set, Expr::local("p").byte());
            let mismatch = self.mismatch();
            if !set.is_all() {
                self.put(Stmt::unless_rare(taken.negated(), mismatch));
            }
            self.put(Stmt::label("in", id.0));
            self.put(Stmt::Add(Expr::local("p"), Expr::Int(1)));
            rests.resume.push((number, id, vec![Stmt::jump("s", id.0)]));
            let lack = self.lack(id);
            rests.ends.push((number, lack));
        }
        self.put(Stmt::label("more", id.0));
        let (p, end) = (Expr::local("p"), Expr::local("end"));
        let skipped =
            if set.is_all() { end } else { Expr::Skip(self.set(set), Box::new(p.clone()), Box::new(end)) };
        self.put(Stmt::Set(p, skipped));
        self.show(None);
        let rest = self.rest(going);
        if set.is_all() {
            self.out.extend(rest);
        } else {
            self.put(Stmt::unless_rare(self.at_end(), rest));
        }
        rests.resume.push((going, id, vec![Stmt::jump("more", id.0)]));
        rests.ends.push((going, vec![Stmt::jump("done", id.0)]));
    }

    /// Any bytes, so many.
    fn fixed(&mut self, id: StateId, count: u64, rests: &mut Rests) {
        let number = self.number_of(id);
        let (p, end) = (Expr::local("p"), Expr::local("end"));
        let n = self.local("n");
        let enough = p.clone().to(end.clone()).op(Do::GreaterEqual, Expr::Int(count));
        let whole = vec![Stmt::Add(p.clone(), Expr::Int(count)), Stmt::jump("shown", id.0)];
        self.put(Stmt::likely(enough, whole));
        self.put(Stmt::Set(n.clone(), Expr::Int(0)));
        self.put(Stmt::label("more", id.0));
        let length = Expr::runtime("least", vec![Expr::Int(count).minus(n.clone()), p.clone().to(end)]);
        let taken = self.local("taken");
        self.put(Stmt::Set(taken.clone(), length));
        self.put(Stmt::Add(p, taken.clone()));
        self.put(Stmt::Add(n.clone(), taken));
        let rest = self.rest(number);
        self.put(Stmt::unless_rare(n.lt(Expr::Int(count)), rest));
        self.put(Stmt::label("shown", id.0));
        self.show(Some(count));
        rests.resume.push((number, id, vec![Stmt::jump("more", id.0)]));
        let lack = self.lack(id);
        rests.ends.push((number, lack));
    }

    /// Any bounds.
    fn counted(&mut self, id: StateId, set: &ByteSet, lo: Bound, hi: Bound, rests: &mut Rests) {
        let number = self.number_of(id);
        let (p, end, n) = (Expr::local("p"), Expr::local("end"), self.local("n"));
        self.put(Stmt::Set(n.clone(), Expr::Int(0)));
        self.put(Stmt::label("more", id.0));
        let lo_expr = if lo == Bound::Register { self.local("lo") } else { self.bound_expr(lo) };
        let most = match hi {
            Bound::Unbounded => None,
            bound => Some(self.bound_expr(bound)),
        };
        let limit = match &most {
            None => end.clone(),
            Some(most) => {
                let arguments = vec![p.clone(), end.clone(), most.clone().minus(n.clone())];
                Expr::runtime("at_most", arguments)
            }
        };
        let (before, stop_at) = (self.local("before"), self.local("limit"));
        self.put(Stmt::Set(before.clone(), p.clone()));
        self.put(Stmt::Set(stop_at.clone(), limit));
        let skipped = if set.is_all() {
            stop_at
        } else {
            Expr::Skip(self.set(set), Box::new(p.clone()), Box::new(stop_at))
        };
        self.put(Stmt::Set(p.clone(), skipped));
        self.put(Stmt::Add(n.clone(), before.to(p.clone())));
        self.show(match hi {
            Bound::Fixed(hi) => Some(hi),
            _ => None,
        });
        let done = vec![Stmt::jump("done", id.0)];
        if let Some(most) = most {
            self.put(Stmt::If(n.clone().op(Do::GreaterEqual, most), Odds::Likely, done.clone(), Vec::new()));
        }
        let rest = self.rest(number);
        if set.is_all() {
            self.out.extend(rest);
        } else {
            self.put(Stmt::unless_rare(self.at_end(), rest));
        }
        rests.resume.push((number, id, vec![Stmt::jump("more", id.0)]));
        let lacks = n.lt(lo_expr.clone());
        let lack = self.lack(id);
        let always = matches!(lo, Bound::Fixed(0));
        if !always && !set.is_all() {
            let mismatch = self.mismatch();
            self.put(Stmt::unless_rare(lacks.clone(), mismatch));
        }
        let end = if always { done } else { [vec![Stmt::when(lacks, lack)], done].concat() };
        rests.ends.push((number, end));
    }

    /// An edge that was taken because the next byte is of a set, and leaves it there: where the target would look for just
    /// that first, it is entered behind its test.
    fn known_way(&mut self, set: &ByteSet, edge: &Edge) -> Vec<Stmt> {
        let mut way = self.apart(|g| g.edge(edge));
        let looked = !edge.actions.iter().any(|a| matches!(a.op, Op::Take));
        let takes = match &self.m.state(edge.to).kind {
            Kind::Scan { set: first, lo: Bound::Fixed(1), hi, until: None, .. } => {
                matches!(hi, Bound::Fixed(1) | Bound::Unbounded) && set.is_subset(first)
            }
            _ => false,
        };
        if looked && takes && way.last() == Some(&Stmt::jump("s", edge.to.0)) {
            way.pop();
            way.push(Stmt::jump("in", edge.to.0));
        }
        way
    }

    /// A bound as an expression.
    pub fn bound_expr(&mut self, bound: Bound) -> Expr {
        match bound {
            Bound::Fixed(n) => Expr::Int(n),
            Bound::Register => self.local("hi"),
            Bound::Unbounded => Expr::Int(super::call::NEVER),
        }
    }

    fn literal(&mut self, id: StateId, text: &[u8], fold: bool, next: &Edge, rests: &mut Rests) {
        let number = self.number_of(id);
        let (p, end, k) = (Expr::local("p"), Expr::local("end"), self.local("k"));
        let length = text.len() as u64;
        let name = if fold { "same_folded" } else { "same" };
        let same = Expr::runtime_with(name, vec![length], vec![p.clone(), Expr::Text(lowered(text, fold))]);
        let enough = p.clone().to(end.clone()).op(Do::GreaterEqual, Expr::Int(length));
        let whole = vec![Stmt::Add(p.clone(), Expr::Int(length)), Stmt::jump("done", id.0)];
        self.put(Stmt::likely(enough.op(Do::Both, same), whole));
        self.put(Stmt::Set(k.clone(), Expr::Int(0)));
        self.put(Stmt::label("more", id.0));
        let name = if fold { "letters_folded" } else { "letters" };
        let letters = vec![p.clone(), end, Expr::Text(lowered(text, fold)), k.clone()];
        let taken = self.local("taken");
        self.put(Stmt::Set(taken.clone(), Expr::runtime(name, letters)));
        self.put(Stmt::Add(p, taken.clone()));
        self.put(Stmt::Add(k.clone(), taken));
        let unfinished = k.lt(Expr::Int(length));
        let rest = self.rest(number);
        let mismatch = self.mismatch();
        let wrong = [vec![Stmt::when(self.at_end(), rest)], mismatch].concat();
        self.put(Stmt::unless_rare(unfinished, wrong));
        self.put(Stmt::label("done", id.0));
        rests.resume.push((number, id, vec![Stmt::jump("more", id.0)]));
        let lack = self.lack(id);
        rests.ends.push((number, lack));
        self.edge(next);
    }

    /// The bytes of a variable.
    fn matching(&mut self, id: StateId, var: vproto_ir::ids::VarId, next: &Edge, rests: &mut Rests) {
        let number = self.number_of(id);
        let (p, end, k) = (Expr::local("p"), Expr::local("end"), self.local("k"));
        self.put(Stmt::Set(k.clone(), Expr::Int(0)));
        self.put(Stmt::label("more", id.0));
        let text = Expr::runtime("bytes", vec![Expr::Var(var)]);
        let taken = self.local("taken");
        let letters = vec![p.clone(), end, text.clone(), k.clone()];
        self.put(Stmt::Set(taken.clone(), Expr::runtime("letters", letters)));
        self.put(Stmt::Add(p, taken.clone()));
        self.put(Stmt::Add(k.clone(), taken));
        let unfinished = k.lt(text.method("size", vec![]));
        let rest = self.rest(number);
        let mismatch = self.mismatch();
        let wrong = [vec![Stmt::when(self.at_end(), rest)], mismatch].concat();
        self.put(Stmt::unless_rare(unfinished, wrong));
        self.put(Stmt::label("done", id.0));
        rests.resume.push((number, id, vec![Stmt::jump("more", id.0)]));
        let lack = self.lack(id);
        rests.ends.push((number, lack));
        self.edge(next);
    }

    fn dispatch(
        &mut self,
        id: StateId,
        alts: &[(ByteSet, Edge)],
        other: Option<&Edge>,
        eof: Option<&Edge>,
        rests: &mut Rests,
    ) {
        let number = self.number_of(id);
        let rest = self.rest(number);
        self.put(Stmt::unless_rare(self.at_end(), rest));
        rests.resume.push((number, id, vec![Stmt::jump("s", id.0)]));
        let otherwise = match other {
            Some(edge) => self.apart(|g| g.edge(edge)),
            None => self.mismatch(),
        };
        if alts.len() <= 4 {
            let odds = if alts.len() == 1 && other.is_none() { Odds::Likely } else { Odds::Even };
            let covered = alts.iter().fold(ByteSet::EMPTY, |all, (set, _)| all | *set).is_all();
            for (i, (set, edge)) in alts.iter().enumerate() {
                let way = self.known_way(set, edge);
                if covered && i + 1 == alts.len() || set.is_all() {
                    self.out.extend(way);
                } else {
                    let taken = self.contains(set, Expr::local("p").byte());
                    self.put(Stmt::If(taken, odds, way, Vec::new()));
                }
            }
            if !covered {
                self.out.extend(otherwise);
            }
        } else {
            let mut table = [0u8; 256];
            let mut cases = Vec::new();
            for (i, (set, edge)) in alts.iter().enumerate() {
                let class = u8::try_from(i + 1).unwrap_or(u8::MAX);
                set.iter().for_each(|b| table[usize::from(b)] = class);
                cases.push((vec![u64::from(class)], self.known_way(set, edge)));
            }
            let index = self.table(table);
            let class = Expr::Lookup(index, Box::new(Expr::local("p").byte()));
            self.put(Stmt::Switch(class, cases, otherwise));
        }
        let end = match eof {
            Some(edge) => {
                let way = self.apart(|g| g.edge(edge));
                self.cold.push(Stmt::label("eof", id.0));
                self.cold.extend(way);
                vec![Stmt::jump("eof", id.0)]
            }
            None => self.lack(id),
        };
        rests.ends.push((number, end));
    }

    fn table(&mut self, table: [u8; 256]) -> usize {
        match self.tables.iter().position(|t| *t == table) {
            Some(index) => index,
            None => {
                self.tables.push(table);
                self.tables.len() - 1
            }
        }
    }

    /// A question of a test state.
    pub fn predicate(&mut self, what: &Predicate, wrong: Vec<Stmt>) -> Option<Expr> {
        let (site, captures) = (self.own_site(), self.facts.at(self.state));
        let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, &captures);
        let m = self.m;
        Some(match what {
            Predicate::If(expr) => self.condition(&m.symbols.exprs[*expr], overflow),
            Predicate::Code(code) => {
                self.code(*code, site, &captures, wrong);
                return None;
            }
            Predicate::Moved(mark) => self.moved(*mark),
            Predicate::MovedBottom(mark) => self.moved_bottom(*mark),
            Predicate::Below(limit) => {
                let limit = self.limit(*limit);
                self.local("rep").lt(limit)
            }
            Predicate::Reached(limit) => {
                let limit = self.limit(*limit);
                self.local("rep").op(Do::GreaterEqual, limit)
            }
            Predicate::Zero(expr) => self.bound(&m.symbols.exprs[*expr], overflow).eq(Expr::Int(0)),
            Predicate::Starts(var) => {
                let text = Expr::runtime("bytes", vec![Expr::Var(*var)]);
                Expr::runtime("starts_here", vec![Expr::local("p"), Expr::local("end"), text])
            }
        })
    }

    fn limit(&mut self, limit: Limit) -> Expr {
        match limit {
            Limit::Fixed(n) => Expr::Int(n),
            Limit::Lo => self.local("lo"),
            Limit::Hi => self.local("hi"),
        }
    }

    fn test(&mut self, what: &Predicate, then: &Edge, other: &Edge) {
        let wrong = self.apart(|g| g.edge(other));
        if let Some(truth) = self.predicate(what, wrong.clone()) {
            self.put(Stmt::when(truth.negated(), wrong));
        }
        self.edge(then);
    }

    fn ret(&mut self) {
        let (site, captures) = (self.own_site(), self.facts.at(self.state));
        let nothing = self.failure(ErrorKind::Return, site, "", Found::Nothing, &captures);
        if !self.has_calls() {
            return self.out.extend(nothing);
        }
        self.put(Stmt::unless_rare(Expr::field("depth").eq(Expr::Int(0)), nothing));
        let counted = self.facts.calls.iter().map(|c| self.call_facts(*c)).any(|c| c.times && c.fence);
        if counted {
            let used = self.local("used_up");
            self.put(Stmt::Set(used, Expr::Bool(false)));
        }
        self.put(Stmt::Jump(label("ret", "")));
    }

    fn end_state(&mut self, status: vproto_ir::machine::Status) {
        match status {
            vproto_ir::machine::Status::Stopped => self.put(Stmt::Jump(label("stopped", ""))),
            vproto_ir::machine::Status::Complete => {
                if self.has_fences() {
                    let at_fence = self.fence_field().eq(self.offset());
                    self.put(Stmt::when(at_fence, vec![Stmt::Jump(label("fence", ""))]));
                }
                self.put(Stmt::Jump(label("complete", "")));
            }
        }
    }

    /// Captures of the states that rest, when parsing goes on.
    pub fn resume_captures(&mut self, id: StateId) {
        self.resume_waiting(id);
        let captures = self.facts.at(id);
        for span in &captures.open {
            let from = self.from(*span);
            self.put(Stmt::Set(from, Expr::local("p")));
            self.room_again(*span);
        }
        for span in &captures.closed {
            let (from, slot) = (self.from(*span), self.facts.slot(*span));
            let to = self.local(&format!("to{slot}"));
            self.put(Stmt::Set(from, Expr::local("p")));
            self.put(Stmt::Set(to, Expr::local("p")));
            self.room_again(*span);
        }
    }

    /// What the captures of a resting state do at a cut.
    pub fn cut_captures(&mut self, id: StateId) {
        self.state = id;
        self.cut_waiting(id);
        let captures = self.facts.at(id);
        let site = self.own_site();
        for span in &captures.open {
            self.cut(*span, false, site);
        }
        for span in &captures.closed {
            self.cut(*span, true, site);
        }
    }

    /// Numbers of a state.
    pub fn numbers(&self, id: StateId) -> Vec<u64> {
        let first = self.number_of(id);
        if two_numbers(&self.m.state(id).kind) { vec![first, first + 1] } else { vec![first] }
    }

    /// An error event of the trace.
    pub fn trace_error(&mut self) {
        self.trace(Event::Error);
    }
}

fn lowered(text: &[u8], fold: bool) -> Vec<u8> {
    if fold { text.to_ascii_lowercase() } else { text.to_vec() }
}
