//! States: one rule a kind.
//!
//! Labels of state 7: `s7` enters it, `in7` enters it where its first byte is known to fit, `more7` goes on behind a cut, `done7` leaves it by its edge, `eof7` by the edge of
//! the end. Where bytes run out a state sets `number` and goes to `rest`; what the end means for it is a case there.

use super::facts::two_numbers;
use super::r#gen::{Found, Gen};
use crate::tree::{Event, Expr, Odds, Op as Do, Rest, Stmt, Ty, label};
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{SiteId, StateId};
use vproto_ir::machine::{Bound, Edge, ErrorKind, Kind, Limit, Op, Predicate, Text};

/// What a resting state adds to the routines.
#[derive(Clone, Debug, Default)]
pub struct Rests {
    /// By number: where to go on. The second part says whether the state goes on in its middle.
    pub resume: Vec<(u64, StateId, Vec<Stmt>)>,
    /// By number: what the end means, where that is not a byte that is lacking.
    pub ends: Vec<(u64, Vec<Stmt>)>,
    /// Numbers of states that lack a byte at the end, with what the routines know of them.
    pub lacks: Vec<(u64, Rest)>,
    /// Whether some literal is spelled by the routine.
    pub spells: bool,
    /// Whether some token of fixed length is filled by the routine.
    pub fills: bool,
    /// Whether some state leaves it to the routine to tell the end from a wrong byte.
    pub refuses: bool,
}

impl Rests {
    /// By number.
    pub fn table(&self, count: u32) -> Vec<Rest> {
        if self.lacks.is_empty() {
            return Vec::new();
        }
        let mut table = vec![Rest::default(); count as usize + 1];
        for (number, rest) in &self.lacks {
            if let Some(row) = table.get_mut(*number as usize) {
                *row = rest.clone();
            }
        }
        table
    }
}

impl Gen<'_> {
    /// One state of the main line.
    pub fn state(&mut self, id: StateId, rests: &mut Rests) {
        self.state = id;
        if let Some(row) = self.facts.rows.get(&id).copied() {
            return self.trie_state(id, row, rests);
        }
        let m = self.m;
        let state = m.state(id);
        self.describe(id);
        self.put(Stmt::label("s", id.0));
        self.plans(id);
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
    pub fn describe(&mut self, id: StateId) {
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

    /// A byte is lacking where a state ends; the place is that of a wrong byte, too.
    fn lacks(&mut self, id: StateId, number: u64, rests: &mut Rests) {
        self.lacks_text(id, number, 0, None, false, rests);
    }

    fn lacks_text(
        &mut self,
        id: StateId,
        number: u64,
        count: u64,
        text: Option<Vec<u8>>,
        folds: bool,
        rests: &mut Rests,
    ) {
        let expected = self.expected(id);
        let site = self.m.state(id).site.unwrap_or(SiteId(0));
        let place = Some(self.place(site, &expected));
        rests.lacks.push((number, Rest { place, count, text, folds }));
    }

    /// Where there is no byte, or one that the state does not take.
    fn refuse(&mut self, taken: Expr, number: u64, rests: &mut Rests) {
        let captures = self.facts.at(self.state);
        if self.has_pieces(&captures) {
            let rest = self.rest(number);
            self.put(Stmt::unless_rare(self.at_end(), rest));
            let mismatch = self.mismatch();
            return self.put(Stmt::unless_rare(taken.negated(), mismatch));
        }
        rests.refuses = true;
        let wrong = self.at_end().op(Do::Either, taken.negated());
        self.put(Stmt::unless_rare(wrong, Gen::go_with(number, "refuse")));
    }

    /// Goes to a routine with the number of a state.
    fn go_with(number: u64, routine: &str) -> Vec<Stmt> {
        vec![Stmt::Set(Expr::field("number"), Expr::Int(number)), Stmt::Jump(label(routine, ""))]
    }

    /// What states have in common that wait in the middle of a token.
    pub fn token_routines(&mut self, rests: &Rests) {
        let (p, end, number) = (Expr::local("p"), Expr::local("end"), Expr::field("number"));
        let at_end = p.clone().eq(end.clone());
        let rest = vec![Stmt::jump("rest", "")];
        let next = [Stmt::Add(number.clone(), Expr::Int(1)), Stmt::jump("again", "")];
        if rests.spells {
            self.put(Stmt::Comment(
                "A literal that is not whole in this fragment, letter by letter.".to_owned(),
            ));
            self.put(Stmt::label("spell", ""));
            let (k, taken) = (self.local("k"), self.local("taken"));
            let text = Expr::runtime("rest_text", vec![number.clone()]);
            let folds = Expr::runtime("rest_folds", vec![number.clone()]);
            let letters = vec![p.clone(), end.clone(), text.clone(), k.clone(), folds];
            self.put(Stmt::Set(taken.clone(), Expr::runtime("spelled", letters)));
            self.put(Stmt::Add(p.clone(), taken.clone()));
            self.put(Stmt::Add(k.clone(), taken));
            let unfinished = k.lt(text.method("size", vec![]));
            self.put(Stmt::when(unfinished, vec![Stmt::jump("refuse", "")]));
            self.out.extend(next.clone());
        }
        if rests.spells || rests.refuses {
            self.put(Stmt::label("refuse", ""));
            self.put(Stmt::when(at_end, rest.clone()));
            let place = self.local("place");
            self.put(Stmt::Set(place, Expr::runtime("rest_place", vec![number.clone()])));
            let jump = self.failure_jump(ErrorKind::Mismatch, Found::Byte);
            self.put(jump);
        }
        if rests.fills {
            self.put(Stmt::Comment("A token of fixed length that is not whole in this fragment.".to_owned()));
            self.put(Stmt::label("fill", ""));
            let (n, taken) = (self.local("n"), self.local("taken"));
            let count = Expr::runtime("rest_count", vec![number]);
            let most = vec![count.clone().minus(n.clone()), p.clone().to(end)];
            self.put(Stmt::Set(taken.clone(), Expr::runtime("least", most)));
            self.put(Stmt::Add(p, taken.clone()));
            self.put(Stmt::Add(n.clone(), taken));
            self.put(Stmt::when(n.lt(count), rest));
            self.out.extend(next);
        }
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
        self.first_byte(id, set, number, rests);
        self.show(Some(1));
    }

    /// A byte of the set must come.
    fn first_byte(&mut self, id: StateId, set: &ByteSet, number: u64, rests: &mut Rests) {
        if set.is_all() {
            let rest = self.rest(number);
            self.put(Stmt::unless_rare(self.at_end(), rest));
        } else {
            let taken = self.contains(set, Expr::local("p").byte());
            self.refuse(taken, number, rests);
        }
        self.put(Stmt::label("in", id.0));
        self.put(Stmt::Add(Expr::local("p"), Expr::Int(1)));
        rests.resume.push((number, id, vec![Stmt::jump("s", id.0)]));
        self.lacks(id, number, rests);
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
            self.first_byte(id, set, number, rests);
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
        rests.fills = true;
        let mut part = vec![Stmt::Set(n, Expr::Int(0))];
        part.extend(Gen::go_with(number, "fill"));
        if self.has_plan(id) {
            // The chain has tried to take it whole.
            self.out.extend(part);
        } else {
            let lacks = p.clone().to(end).lt(Expr::Int(count));
            self.put(Stmt::unless_rare(lacks, part));
            self.put(Stmt::Add(p, Expr::Int(count)));
        }
        self.put(Stmt::label("shown", id.0));
        self.show(Some(count));
        rests.resume.push((number, id, vec![Stmt::jump("fill", "")]));
        rests.resume.push((number + 1, id, vec![Stmt::jump("shown", id.0)]));
        self.lacks_text(id, number, count, None, false, rests);
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
        rests.spells = true;
        let name = if fold { "same_folded" } else { "same" };
        let same = Expr::runtime_with(name, vec![length], vec![p.clone(), Expr::Text(lowered(text, fold))]);
        let enough = p.clone().to(end.clone()).op(Do::GreaterEqual, Expr::Int(length));
        let mut part = vec![Stmt::Set(k, Expr::Int(0))];
        part.extend(Gen::go_with(number, "spell"));
        if self.has_plan(id) {
            // The chain has tried to take it whole.
            self.out.extend(part);
        } else {
            self.put(Stmt::unless_rare(enough.op(Do::Both, same).negated(), part));
            self.put(Stmt::Add(p, Expr::Int(length)));
        }
        self.put(Stmt::label("done", id.0));
        rests.resume.push((number, id, vec![Stmt::jump("spell", "")]));
        rests.resume.push((number + 1, id, vec![Stmt::jump("done", id.0)]));
        self.lacks_text(id, number, length, Some(lowered(text, fold)), fold, rests);
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
        self.lacks(id, number, rests);
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
        if let [(set, edge)] = alts
            && other.is_none()
            && eof.is_none()
            && !set.is_all()
        {
            self.out.pop();
            let taken = self.contains(set, Expr::local("p").byte());
            self.refuse(taken, number, rests);
            self.lacks(id, number, rests);
            return self.edge(edge);
        }
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
        self.dispatch_end(id, number, rests);
    }

    /// What the end means for a branching.
    pub fn dispatch_end(&mut self, id: StateId, number: u64, rests: &mut Rests) {
        let m = self.m;
        match &m.state(id).kind {
            Kind::Dispatch { eof: Some(edge), .. } => {
                let way = self.apart(|g| g.edge(edge));
                self.cold.push(Stmt::label("eof", id.0));
                self.cold.extend(way);
                rests.ends.push((number, vec![Stmt::jump("eof", id.0)]));
            }
            _ => self.lacks(id, number, rests),
        }
    }

    /// The number of a table of 256.
    pub fn table(&mut self, table: [u8; 256]) -> usize {
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

    /// Captures, when parsing goes on: what they have is kept, their next byte is the first of the fragment.
    pub fn resume_captures(&mut self) {
        if self.locals.contains("waited") {
            // Bytes of a group that is not decided.
            self.put(Stmt::Set(Expr::local("waited"), Expr::local("p")));
        }
        for slot in 0..self.facts.slot_count {
            for name in [format!("from{slot}"), format!("to{slot}")] {
                if self.locals.contains(&name) {
                    self.put(Stmt::Set(Expr::local(&name), Expr::local("p")));
                }
            }
            let name = format!("room{slot}");
            if self.locals.contains(&name) {
                let field = self.field(&name, Ty::Unsigned(64), "bytes that a text may still get");
                self.put(Stmt::Set(Expr::local(&name), field));
            }
        }
    }

    /// What texts may still get, where the fragment ends.
    pub fn save_rooms(&mut self) {
        for slot in 0..self.facts.slot_count {
            let name = format!("room{slot}");
            if self.locals.contains(&name) {
                let field = self.field(&name, Ty::Unsigned(64), "bytes that a text may still get");
                self.put(Stmt::Set(field, Expr::local(&name)));
            }
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
