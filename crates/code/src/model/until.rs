//! Scans that end at a text.
//!
//! Letters that may begin the text are held back: `k` of them stand before the cursor. Those of earlier fragments,
//! `carried` of them, are only known as letters of the text; if they turn out to be content they are taken from it.
//! Time is linear: on a letter that differs the search goes on with the longest border.

use super::facts::Captures;
use super::r#gen::{Found, Gen};
use super::state::Rests;
use crate::tree::{Expr, Op as Do, Stmt, Ty, label};
use vproto_ir::grammar::Until;
use vproto_ir::ids::{SiteId, SpanId, StateId};
use vproto_ir::machine::{Bound, Edge, ErrorKind, Form, Kind};

/// The text of a search: known, or in a field.
#[derive(Clone)]
enum Wanted {
    Known(Vec<u8>),
    Field,
}

impl Gen<'_> {
    /// Whether a state is a scan with a text.
    pub fn is_until(&self, id: StateId) -> bool {
        matches!(&self.m.state(id).kind, Kind::Scan { until: Some(_), .. })
    }

    fn wanted(&mut self, id: StateId) -> Wanted {
        match &self.m.state(id).kind {
            Kind::Scan { until: Some(Until::Text(text)), .. } => Wanted::Known(text.clone()),
            _ => {
                self.field("search", Ty::Search, "the text that ends a token, with its borders");
                Wanted::Field
            }
        }
    }

    fn text_of(wanted: &Wanted) -> Expr {
        match wanted {
            Wanted::Known(text) => Expr::Text(text.clone()),
            Wanted::Field => Expr::field("search").method("text", vec![]),
        }
    }

    fn border_of(wanted: &Wanted, k: Expr) -> Expr {
        match wanted {
            Wanted::Known(text) => {
                let borders = borders(text).into_iter().flat_map(u16::to_le_bytes).collect();
                Expr::runtime("border", vec![Expr::Text(borders), k])
            }
            Wanted::Field => Expr::field("search").method("border", vec![k]),
        }
    }

    /// A scan with a text.
    pub fn until(&mut self, id: StateId, until: &Until, hi: Bound, next: &Edge, rests: &mut Rests) {
        let number = self.number_of(id);
        let wanted = self.wanted(id);
        let (p, end) = (Expr::local("p"), Expr::local("end"));
        let (n, k, carried) = (self.local("n"), self.local("k"), self.local("carried"));
        let captures = self.facts.at(id);
        for register in [&n, &k, &carried] {
            self.put(Stmt::Set(register.clone(), Expr::Int(0)));
        }
        if let Until::Var(var) = until {
            self.start_search(*var, &captures);
        }
        self.put(Stmt::label("more", id.0));
        let most = if hi == Bound::Unbounded { None } else { Some(self.bound_expr(hi)) };
        let body = self.apart(|g| {
            let find = g.apart(|g| g.find_first(id, &wanted, most.clone(), &captures));
            let rest = g.rest(number + 1);
            let waits = vec![Stmt::when(p.clone().eq(end.clone()), rest)];
            g.put(Stmt::If(k.clone().eq(Expr::Int(0)), Default::default(), find, waits));
            let letter = Expr::runtime("letter", vec![Gen::text_of(&wanted), k.clone()]);
            let same = p.clone().byte().eq(letter);
            let size = Gen::text_of(&wanted).method("size", vec![]);
            let taken = vec![
                Stmt::Add(p.clone(), Expr::Int(1)),
                Stmt::Add(k.clone(), Expr::Int(1)),
                Stmt::when(k.clone().eq(size), vec![Stmt::jump("found", id.0)]),
            ];
            let other = g.apart(|g| g.fall_back(&wanted, most.clone(), &captures));
            g.put(Stmt::If(same, Default::default(), taken, other));
        });
        self.put(Stmt::While(Expr::Bool(true), body));
        self.put(Stmt::label("found", id.0));
        let start = self.local("text_start");
        self.put(Stmt::Set(start, p.minus(k.minus(carried.clone()))));
        rests.resume.push((number, id, vec![Stmt::jump("s", id.0)]));
        let again = vec![Stmt::Set(carried, Expr::local("k")), Stmt::jump("more", id.0)];
        rests.resume.push((number + 1, id, again));
        let lack = self.lack(id);
        rests.ends.push((number, lack.clone()));
        rests.ends.push((number + 1, lack));
        self.edge(next);
    }

    fn start_search(&mut self, var: vproto_ir::ids::VarId, captures: &Captures) {
        let text = Expr::runtime("bytes", vec![Expr::Var(var)]);
        let site = self.own_site();
        let size = text.clone().method("size", vec![]);
        let none = self.failure(ErrorKind::Condition, site, "", Found::Nothing, captures);
        let variable = format!("{}{}", super::raise::MATCHED, var.0);
        let long = self.failure(ErrorKind::Limit, site, &variable, Found::Nothing, captures);
        self.put(Stmt::unless_rare(size.clone().eq(Expr::Int(0)), none));
        self.put(Stmt::unless_rare(size.op(Do::Greater, Expr::Int(255)), long));
        self.put(Stmt::Do(Expr::field("search").method("start", vec![text])));
    }

    /// Content up to the first letter of the text.
    fn find_first(&mut self, id: StateId, wanted: &Wanted, most: Option<Expr>, captures: &Captures) {
        let (p, end, n) = (Expr::local("p"), Expr::local("end"), self.local("n"));
        let letter = Expr::runtime("letter", vec![Gen::text_of(wanted), Expr::Int(0)]);
        let found = self.local("limit");
        self.put(Stmt::Set(found.clone(), Expr::runtime("find", vec![p.clone(), end, letter])));
        match most {
            None => self.put(Stmt::Set(p.clone(), found)),
            Some(most) => {
                let before = self.local("before");
                self.put(Stmt::Set(before.clone(), p.clone()));
                let arguments = vec![p.clone(), found.clone(), most.minus(n.clone())];
                self.put(Stmt::Set(p.clone(), Expr::runtime("at_most", arguments)));
                self.put(Stmt::Add(n, before.to(p.clone())));
                self.show_bytes(captures, None);
                let site = self.own_site();
                let expected = self.expected(id);
                let limit = self.failure(ErrorKind::Limit, site, &expected, Found::Byte, captures);
                self.put(Stmt::unless_rare(p.clone().op(Do::NotEqual, found), limit));
                let rest = self.rest(self.number_of(id) + 1);
                let at_end = p.eq(Expr::local("end"));
                let rest = [self.nothing_held(), rest].concat();
                return self.put(Stmt::unless_rare(at_end, rest));
            }
        }
        self.show_bytes(captures, None);
        let rest = self.rest(self.number_of(id) + 1);
        let rest = [self.nothing_held(), rest].concat();
        self.put(Stmt::unless_rare(p.eq(Expr::local("end")), rest));
    }

    fn nothing_held(&mut self) -> Vec<Stmt> {
        let carried = self.local("carried");
        vec![Stmt::Set(carried, Expr::Int(0))]
    }

    /// The byte is not the text's next letter: all held letters but a border are content.
    fn fall_back(&mut self, wanted: &Wanted, most: Option<Expr>, captures: &Captures) {
        let (k, n) = (self.local("k"), self.local("n"));
        let border = self.local("border");
        self.put(Stmt::Set(border.clone(), Gen::border_of(wanted, k.clone())));
        let site = self.own_site();
        let expected = self.expected(self.state);
        if let Some(most) = most {
            let content = n.clone().plus(k.clone()).minus(border.clone());
            let limit = self.failure(ErrorKind::Limit, site, &expected, Found::Byte, captures);
            self.put(Stmt::unless_rare(content.op(Do::Greater, most), limit));
        }
        let freed = self.local("freed");
        let carried = self.local("carried");
        let part = Expr::runtime("least", vec![carried.clone(), k.clone().minus(border.clone())]);
        self.put(Stmt::Set(freed.clone(), part));
        for span in captures.open.clone() {
            let taken = self.apart(|g| g.take_from_text(span, wanted, freed.clone(), site));
            self.put(Stmt::when(freed.clone().op(Do::NotEqual, Expr::Int(0)), taken));
            if self.strict_limit(span).is_some() {
                let slot = self.facts.slot(span);
                let (from, room) = (self.from(span), self.local(&format!("room{slot}")));
                let content = from.to(Expr::local("p").minus(border.clone()));
                let within = Expr::local("p").to(Expr::local("p"));
                let _ = within;
                let limit = self.failure(ErrorKind::Limit, site, &expected, Found::Byte, captures);
                let held_here = border.clone().op(Do::Less, k.clone().minus(carried.clone()));
                let full = held_here.op(Do::Both, content.op(Do::Greater, room));
                let full = self.if_refusing(span, full);
                self.put(Stmt::unless_rare(full, limit));
            }
        }
        self.put(Stmt::Set(carried.clone(), carried.minus(freed)));
        self.put(Stmt::Add(n, k.clone().minus(border.clone())));
        self.put(Stmt::Set(k, border));
    }

    /// Letters of earlier fragments turned out to be content.
    fn take_from_text(&mut self, span: SpanId, wanted: &Wanted, count: Expr, site: SiteId) {
        let text = Gen::text_of(wanted);
        match self.m.spans[span].form.clone() {
            Form::Pieces { .. } => {
                let from = self.from(span);
                let back = self.local("back");
                self.put(Stmt::Set(back.clone(), from.clone()));
                self.put(Stmt::Set(from.clone(), text.method("begin", vec![])));
                let end = from.clone().plus(count);
                let stop = self.local("text_start");
                self.put(Stmt::Set(stop.clone(), end));
                self.hand_on(span, site, false, stop);
                self.put(Stmt::Set(from, back));
            }
            Form::String { .. } | Form::View { .. } | Form::Array { .. } => {
                let trim = u64::from(self.m.spans[span].trim);
                let slot = self.facts.slot(span);
                let room = self.local(&format!("room{slot}"));
                let (capture, held) = (self.slot_field(span), self.held(span));
                let begin = text.method("begin", vec![]);
                let end = begin.clone().plus(count);
                let arguments = vec![capture, held, begin, end, room.clone()];
                self.put(Stmt::Set(room, Expr::runtime_with("hold", vec![trim], arguments)));
            }
            _ => {}
        }
    }

    /// All letters that were held back in earlier fragments are content: the token is cut short.
    pub fn release_carried(&mut self, span: SpanId, site: SiteId) {
        let wanted = self.wanted(self.state);
        let carried = self.local("carried");
        let taken = self.apart(|g| g.take_from_text(span, &wanted, carried.clone(), site));
        self.put(Stmt::when(carried.op(Do::NotEqual, Expr::Int(0)), taken));
    }

    /// Where the content of the running token ends in this fragment, for a cut.
    pub fn set_text_start(&mut self) {
        let (k, carried) = (self.local("k"), self.local("carried"));
        let start = self.local("text_start");
        self.put(Stmt::Set(start, Expr::local("p").minus(k.minus(carried))));
    }
}

/// Lengths of the longest proper borders of the first `k` letters.
fn borders(text: &[u8]) -> Vec<u16> {
    let mut lengths = vec![0u16; text.len() + 1];
    let mut border = 0usize;
    for k in 1..text.len() {
        while border > 0 && text[k] != text[border] {
            border = usize::from(lengths[border]);
        }
        if text[k] == text[border] {
            border += 1;
        }
        lengths[k + 1] = u16::try_from(border).unwrap_or(u16::MAX);
    }
    lengths
}

/// The label of a search that ended.
pub fn found(id: StateId) -> crate::tree::Label {
    label("found", id.0)
}
