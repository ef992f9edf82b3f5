//! Calls: frames, fences, rounds, skips; marks and homes of activations; `begin` spans.

use super::facts::Captures;
use super::r#gen::{Found, Gen};
use crate::tree::{Callee, Event, Expr, Op as Do, Stmt, Ty, label};
use vproto_ir::ids::{MarkId, SiteId, SpanId, StateId, TreeId, VarId};
use vproto_ir::machine::{ErrorKind, Form, Kind, Op, Predicate};
use vproto_ir::symbols::VarType;

/// The offset that no stream reaches.
pub const NEVER: u64 = u64::MAX;

/// So many cursors of `begin:` spans are locals.
const LOCAL_SPANS: usize = 4;

/// What a call state says.
pub struct CallFacts {
    /// Confined.
    pub fence: bool,
    /// Repeated.
    pub times: bool,
    /// The tree.
    pub tree: TreeId,
    /// Saved variables.
    pub keep: Vec<VarId>,
}

impl Gen<'_> {
    /// Whether some call is confined.
    pub fn has_fences(&self) -> bool {
        self.facts.calls.iter().any(|c| self.call_facts(*c).fence)
    }

    fn has_times(&self) -> bool {
        self.facts.calls.iter().any(|c| self.call_facts(*c).times)
    }

    /// What a call state says.
    pub fn call_facts(&self, call: StateId) -> CallFacts {
        match &self.m.state(call).kind {
            Kind::Call { fence, times, tree, keep, .. } => {
                CallFacts { fence: *fence, times: *times, tree: *tree, keep: keep.clone() }
            }
            _ => CallFacts { fence: false, times: false, tree: TreeId(0), keep: Vec::new() },
        }
    }

    fn frame(name: &str) -> Expr {
        Expr::Element(format!("frames.{name}"), Box::new(Expr::field("depth").minus(Expr::Int(1))))
    }

    /// Fields of a frame: only what some call uses.
    pub fn frame_fields(&self) -> Vec<(String, Ty, String)> {
        let mut fields = vec![("call".to_owned(), Ty::Unsigned(16), "which call".to_owned())];
        if self.has_fences() {
            fields.insert(0, ("fence".to_owned(), Ty::Unsigned(64), "the end offset outside".to_owned()));
            fields.insert(
                0,
                ("home".to_owned(), Ty::Unsigned(64), "where the tree's home was entered".to_owned()),
            );
        }
        if self.has_times() {
            fields.insert(
                0,
                ("rounds".to_owned(), Ty::Unsigned(64), "rounds left, this one included".to_owned()),
            );
            fields.insert(0, ("start".to_owned(), Ty::Unsigned(64), "where the round began".to_owned()));
        }
        let most = self.facts.calls.iter().map(|c| self.call_marks(*c).len()).max().unwrap_or(0);
        for i in 0..most {
            fields.insert(0, (format!("mark{i}"), Ty::Unsigned(64), "a mark of the caller".to_owned()));
            if !self.facts.unspanned.is_empty() {
                fields.insert(0, (format!("mark{i}_order"), Ty::Unsigned(64), "its order".to_owned()));
            }
        }
        if !self.facts.unspanned.is_empty() {
            fields.insert(0, ("began".to_owned(), Ty::Unsigned(64), "order of its start".to_owned()));
        }
        let most = self.facts.calls.iter().map(|c| self.call_facts(*c).keep.len()).max().unwrap_or(0);
        for i in 0..most {
            fields.insert(0, (format!("keep{i}"), Ty::Unsigned(64), "a kept value".to_owned()));
        }
        fields
    }

    /// The marks that an activation of the called tree has for itself; those that `reset` asks for come first.
    fn call_marks(&self, call: StateId) -> Vec<MarkId> {
        let Kind::Call { to, .. } = &self.m.state(call).kind else { return Vec::new() };
        let mut found: Vec<MarkId> = self.bottom_marks();
        let mut note = |mark: MarkId| {
            let read = self.facts.tested.contains(&mark) || self.facts.unspanned.contains(&mark);
            if read && !found.contains(&mark) {
                found.push(mark);
            }
        };
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![to.to];
        let mut edges = vec![to];
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            let state = self.m.state(id);
            if let Kind::Test { what: Predicate::Moved(mark) | Predicate::MovedBottom(mark), .. } =
                &state.kind
            {
                note(*mark);
            }
            let ways = match &state.kind {
                Kind::Call { next, .. } => vec![next],
                kind => kind.edges(),
            };
            let sites = ways.iter().flat_map(|e| &e.actions).filter_map(|a| a.site).chain(state.site);
            for site in sites {
                if let vproto_ir::machine::Handler::Catch(handler) = self.m.sites[site].handler {
                    work.push(handler);
                }
            }
            work.extend(ways.iter().map(|e| e.to));
            edges.extend(ways);
        }
        for action in edges.iter().flat_map(|e| &e.actions) {
            if let Op::Mark(mark) | Op::Unspan(mark) = action.op {
                note(mark);
            }
        }
        found
    }

    /// Marks of the bottom activation that some test reads from inside of a call.
    fn bottom_marks(&self) -> Vec<MarkId> {
        let tests = self.m.states.rows().iter().flatten().filter_map(|s| match &s.kind {
            Kind::Test { what: Predicate::MovedBottom(mark), .. } => Some(*mark),
            _ => None,
        });
        let mut marks: Vec<MarkId> = tests.collect();
        marks.sort_unstable();
        marks.dedup();
        marks
    }

    fn mark_name(&self, mark: MarkId) -> String {
        format!("mark{}", mark.0)
    }

    fn mark_field(&mut self, mark: MarkId) -> Expr {
        let name = self.mark_name(mark);
        if !self.fields.iter().any(|f| f.name == name) {
            self.field(&name, Ty::Unsigned(64), "offset at which a branching was entered");
            if let Some(field) = self.fields.last_mut() {
                field.start = NEVER;
            }
        }
        Expr::field(&name)
    }

    fn order_field(&mut self, mark: MarkId) -> Expr {
        let name = format!("{}_order", self.mark_name(mark));
        if !self.fields.iter().any(|f| f.name == name) {
            self.field(&name, Ty::Unsigned(64), "its place among entries and begins");
            if let Some(field) = self.fields.last_mut() {
                field.start = NEVER;
            }
        }
        Expr::field(&name)
    }

    /// `mark m`.
    pub fn mark(&mut self, mark: MarkId) {
        if self.facts.tested.contains(&mark) {
            let (field, offset) = (self.mark_field(mark), self.offset());
            self.put(Stmt::Set(field, offset));
        }
        if self.facts.unspanned.contains(&mark) {
            let sequence = self.sequence();
            let order = self.order_field(mark);
            self.put(Stmt::Add(sequence.clone(), Expr::Int(1)));
            self.put(Stmt::Set(order, sequence));
        }
    }

    /// `moved m`.
    pub fn moved(&mut self, mark: MarkId) -> Expr {
        let (field, offset) = (self.mark_field(mark), self.offset());
        field.op(Do::NotEqual, offset)
    }

    /// `moved0 m`: of the bottom activation.
    pub fn moved_bottom(&mut self, mark: MarkId) -> Expr {
        let here = self.moved(mark);
        if !self.has_calls() {
            return here;
        }
        let place = self.bottom_marks().iter().position(|m| *m == mark).unwrap_or(0);
        let name = format!("frames.mark{place}");
        let (first, offset) = (Expr::Element(name, Box::new(Expr::Int(0))), self.offset());
        let below = first.op(Do::NotEqual, offset);
        let bottom = Expr::field("depth").eq(Expr::Int(0));
        Expr::Choose(Box::new(bottom), Box::new(here), Box::new(below))
    }

    /// `home t`.
    pub fn home(&mut self, tree: TreeId) {
        let offset = self.offset();
        let home = self.field("home", Ty::Unsigned(64), "offset at which the stream's home was entered");
        let bottom = vec![Stmt::Set(home, offset.clone())];
        if !self.has_calls() {
            if tree.0 == 0 {
                self.out.extend(bottom);
            }
            return;
        }
        let inner = if self.facts.fenced.contains(&tree) {
            let same = Expr::runtime("tree_of", vec![Gen::frame("call")]).eq(Expr::Int(u64::from(tree.0)));
            vec![Stmt::when(same, vec![Stmt::Set(Gen::frame("home"), offset)])]
        } else {
            Vec::new()
        };
        let at_bottom = Expr::field("depth").eq(Expr::Int(0));
        match (tree.0, inner.is_empty()) {
            (0, _) => self.put(Stmt::If(at_bottom, crate::tree::Odds::Even, bottom, inner)),
            (_, false) => self.put(Stmt::when(at_bottom.negated(), inner)),
            _ => {}
        }
    }

    /// `end` follows from the fence.
    pub fn set_end(&mut self) {
        let arguments =
            vec![Expr::local("first"), Expr::local("stop"), Expr::local("base"), Expr::field("fence")];
        self.put(Stmt::Set(Expr::local("end"), Expr::runtime("window", arguments)));
    }

    /// Bytes to the innermost limit.
    pub fn left(&mut self) -> Expr {
        let offset = self.offset();
        let limit = if self.is_sub() { Expr::field("limit") } else { Expr::Int(NEVER) };
        let end = if self.has_fences() {
            let fence = self.fence_field();
            if self.is_sub() { Expr::runtime("least", vec![fence, limit]) } else { fence }
        } else {
            limit
        };
        Expr::runtime("left", vec![end, offset])
    }

    /// Whether another module may run this one.
    pub fn is_sub(&self) -> bool {
        self.module != self.program.root
    }

    /// The field of the innermost fence.
    pub fn fence_field(&mut self) -> Expr {
        if !self.fields.iter().any(|f| f.name == "fence") {
            self.field("fence", Ty::Unsigned(64), "end offset of the innermost confined call");
            if let Some(field) = self.fields.last_mut() {
                field.start = NEVER;
            }
        }
        Expr::field("fence")
    }

    /// A call state.
    pub fn call_state(&mut self, call: StateId) {
        let facts = self.call_facts(call);
        let Kind::Call { to, next, needs, .. } = &self.m.state(call).kind else { return };
        let (to, next) = (to.clone(), next.clone());
        let site = self.own_site();
        let none = Captures::default();
        let number = self.facts.call(call);
        let behind = vec![Stmt::jump("behind", call.0)];
        if facts.times {
            let rep = self.local("rep");
            self.put(Stmt::unless_rare(rep.eq(Expr::Int(0)), behind.clone()));
        }
        if facts.fence {
            let (hi, left) = (self.local("hi"), self.left());
            let left = Expr::Cast(Ty::Unsigned(64), Box::new(left));
            let limit = self.failure(ErrorKind::Limit, site, "", Found::Nothing, &none);
            self.put(Stmt::unless_rare(hi.clone().op(Do::Greater, left), limit));
            if *needs {
                self.put(Stmt::unless_rare(hi.eq(Expr::Int(0)), behind));
            }
        }
        if !self.m.symbols.limits.calls_exact {
            let limit = self.failure(ErrorKind::Limit, site, "", Found::Nothing, &none);
            let full = Expr::field("depth").eq(Expr::Int(u64::from(self.depth())));
            self.put(Stmt::unless_rare(full, limit));
        }
        self.push_frame(&facts, number);
        self.put(Stmt::label("into", call.0));
        self.edge(&to);
        self.put(Stmt::label("behind", call.0));
        self.edge(&next);
    }

    /// Frames that there can be.
    pub fn depth(&self) -> u32 {
        self.m.symbols.limits.calls.max(1)
    }

    fn push_frame(&mut self, facts: &CallFacts, number: u64) {
        let marks = self.facts.calls.get(number as usize).map_or_else(Vec::new, |c| self.call_marks(*c));
        self.put(Stmt::Add(Expr::field("depth"), Expr::Int(1)));
        self.put(Stmt::Set(Gen::frame("call"), Expr::Cast(Ty::Unsigned(16), Box::new(Expr::Int(number)))));
        for (i, mark) in marks.iter().enumerate() {
            let field = self.mark_field(*mark);
            self.put(Stmt::Set(Gen::frame(&format!("mark{i}")), field));
            if self.facts.unspanned.contains(mark) {
                let order = self.order_field(*mark);
                self.put(Stmt::Set(Gen::frame(&format!("mark{i}_order")), order));
            }
        }
        self.forget_marks(&marks);
        self.frame_begins();
        if facts.times {
            let (rep, offset) = (self.local("rep"), self.offset());
            self.put(Stmt::Set(Gen::frame("rounds"), rep));
            self.put(Stmt::Set(Gen::frame("start"), offset));
        }
        for (i, var) in facts.keep.iter().enumerate() {
            let value = Expr::Cast(Ty::Unsigned(64), Box::new(Expr::Var(*var)));
            self.put(Stmt::Set(Gen::frame(&format!("keep{i}")), value));
        }
        if facts.fence {
            let (fence, offset, hi) = (self.fence_field(), self.offset(), self.local("hi"));
            self.put(Stmt::Set(Gen::frame("fence"), fence.clone()));
            self.put(Stmt::Set(Gen::frame("home"), offset.clone()));
            self.put(Stmt::Set(fence, offset.plus(hi)));
            self.set_end();
        }
    }

    /// Spans that begin from here on are the activation's.
    fn frame_begins(&mut self) {
        if !self.facts.unspanned.is_empty() {
            let sequence = self.sequence();
            self.put(Stmt::Set(Gen::frame("began"), sequence));
        }
    }

    fn forget_marks(&mut self, marks: &[MarkId]) {
        for mark in marks {
            let field = self.mark_field(*mark);
            self.put(Stmt::Set(field, Expr::Int(NEVER)));
            if self.facts.unspanned.contains(mark) {
                let order = self.order_field(*mark);
                self.put(Stmt::Set(order, Expr::Int(NEVER)));
            }
        }
    }

    /// Takes the last frame away; its fence becomes a skip.
    pub fn pop_frame(&mut self, by_exception: bool) {
        let mut cases = Vec::new();
        for call in self.facts.calls.clone() {
            let facts = self.call_facts(call);
            let number = self.facts.call(call);
            let body = self.apart(|g| {
                g.restore_marks(call);
                g.restore_kept(&facts);
                if facts.fence {
                    g.leave_fence(number);
                }
            });
            if !body.is_empty() {
                cases.push((vec![number], body));
            }
        }
        if !cases.is_empty() {
            self.put(Stmt::Switch(Gen::frame("call"), cases, Vec::new()));
        }
        self.put(Stmt::Set(Expr::field("depth"), Expr::field("depth").minus(Expr::Int(1))));
        let _ = by_exception;
    }

    fn restore_marks(&mut self, call: StateId) {
        for (i, mark) in self.call_marks(call).into_iter().enumerate() {
            let field = self.mark_field(mark);
            self.put(Stmt::Set(field, Gen::frame(&format!("mark{i}"))));
            if self.facts.unspanned.contains(&mark) {
                let order = self.order_field(mark);
                self.put(Stmt::Set(order, Gen::frame(&format!("mark{i}_order"))));
            }
        }
    }

    fn restore_kept(&mut self, facts: &CallFacts) {
        for (i, var) in facts.keep.iter().enumerate() {
            let value = Gen::frame(&format!("keep{i}"));
            let value = match self.m.symbols.vars[*var].ty {
                VarType::Bool => value.op(Do::NotEqual, Expr::Int(0)),
                _ => Expr::CastVar(*var, Box::new(value)),
            };
            self.put(Stmt::Set(Expr::Var(*var), value));
        }
    }

    fn leave_fence(&mut self, number: u64) {
        let fence = self.fence_field();
        let to = self.skip_field();
        self.field("skip_call", Ty::Unsigned(16), "the call whose bytes are skipped");
        self.put(Stmt::Set(to, fence.clone()));
        let number = Expr::Cast(Ty::Unsigned(16), Box::new(Expr::Int(number)));
        self.put(Stmt::Set(Expr::field("skip_call"), number));
        self.put(Stmt::Set(fence, Gen::frame("fence")));
    }

    fn skip_field(&mut self) -> Expr {
        self.field("skip_to", Ty::Unsigned(64), "end offset of bytes that nobody wants")
    }

    /// Skips what is left of a popped fence; then goes on at a numbered place.
    pub fn skip_then(&mut self, number: u64) {
        let to = self.skip_field();
        self.field("skip_after", Ty::Unsigned(16), "where to go behind them");
        let offset = self.offset();
        let then = vec![
            Stmt::Set(Expr::field("skip_after"), Expr::Cast(Ty::Unsigned(16), Box::new(Expr::Int(number)))),
            Stmt::Jump(label("skip", "")),
        ];
        self.put(Stmt::unless_rare(to.op(Do::Greater, offset), then));
    }

    /// The number at which a pending skip rests.
    pub fn skip_number(&self) -> u64 {
        u64::from(self.facts.count)
    }

    /// The routines of calls: return, skip.
    pub fn call_routines(&mut self) {
        if !self.has_calls() {
            return;
        }
        self.put(Stmt::Comment("A call returns.".to_owned()));
        self.put(Stmt::Label(label("ret", "")));
        let mut cases = Vec::new();
        for call in self.facts.calls.clone() {
            cases.push((vec![self.facts.call(call)], self.apart(|g| g.return_to(call))));
        }
        let broken = vec![Stmt::Jump(label("uncaught", ""))];
        self.put(Stmt::Switch(Gen::frame("call"), cases, broken));
        if self.has_fences() {
            self.skip_routine();
        }
    }

    fn return_to(&mut self, call: StateId) {
        let facts = self.call_facts(call);
        let site = self.m.state(call).site.unwrap_or(SiteId(0));
        let number = self.facts.call(call);
        let none = Captures::default();
        if facts.times {
            let empty = Gen::frame("start").eq(self.offset());
            if facts.fence {
                let used = self.local("used_up");
                let more = Gen::frame("rounds").op(Do::Greater, Expr::Int(1));
                let all = more.op(Do::Either, empty.clone().op(Do::Both, used));
                let spent = self.fence_field().eq(self.offset()).op(Do::Both, all);
                let truth = self.local("truth");
                self.put(Stmt::Set(truth.clone(), spent));
                let raise = self.apart(|g| {
                    g.pop_this(&facts, number);
                    let minimum = g.failure(ErrorKind::Minimum, site, "", Found::End, &none);
                    g.out.extend(minimum);
                });
                self.put(Stmt::unless_rare(truth, raise));
            }
            let raise = self.apart(|g| {
                g.pop_this(&facts, number);
                let failure = g.failure(ErrorKind::NoProgress, site, "", Found::Nothing, &none);
                g.out.extend(failure);
            });
            self.put(Stmt::unless_rare(empty, raise));
            let offset = self.offset();
            let round = self.apart(|g| {
                g.put(Stmt::Set(Gen::frame("rounds"), Gen::frame("rounds").minus(Expr::Int(1))));
                g.put(Stmt::Set(Gen::frame("start"), offset));
                if facts.fence {
                    let offset = g.offset();
                    g.put(Stmt::Set(Gen::frame("home"), offset));
                }
                g.frame_begins();
                let marks = g.call_marks(call);
                g.forget_marks(&marks);
                g.put(Stmt::jump("into", call.0));
            });
            self.put(Stmt::when(Gen::frame("rounds").op(Do::Greater, Expr::Int(1)), round));
        }
        self.pop_this(&facts, number);
        if facts.fence {
            self.skip_then(number);
            self.set_end();
        }
        self.put(Stmt::jump("behind", call.0));
    }

    /// As `pop_frame`, of a call that is known.
    fn pop_this(&mut self, facts: &CallFacts, number: u64) {
        let call = self.facts.calls.get(number as usize).copied();
        if let Some(call) = call {
            self.restore_marks(call);
        }
        self.restore_kept(facts);
        if facts.fence {
            self.leave_fence(number);
        }
        self.put(Stmt::Set(Expr::field("depth"), Expr::field("depth").minus(Expr::Int(1))));
    }

    fn skip_routine(&mut self) {
        self.put(Stmt::Comment("Bytes of a confined call that nobody took.".to_owned()));
        self.put(Stmt::Label(label("skip", "")));
        let to = self.skip_field();
        self.put(Stmt::Set(Expr::local("end"), Expr::local("stop")));
        let offset = self.offset();
        let most = vec![to.clone().minus(offset), Expr::local("p").to(Expr::local("stop"))];
        self.put(Stmt::Add(Expr::local("p"), Expr::runtime("least", most)));
        let lacks = to.clone().op(Do::Greater, self.offset());
        let number = self.skip_number();
        let rest = vec![Stmt::Set(Expr::field("number"), Expr::Int(number)), Stmt::Jump(label("rest", ""))];
        self.put(Stmt::unless_rare(lacks, rest));
        self.put(Stmt::Set(to, Expr::Int(0)));
        self.set_end();
        let mut cases = Vec::new();
        for call in self.facts.calls.clone() {
            if self.call_facts(call).fence {
                cases.push((vec![self.facts.call(call)], vec![Stmt::jump("behind", call.0)]));
            }
        }
        let calls = self.facts.calls.len() as u64;
        for (i, handler) in self.facts.handlers.clone().into_iter().enumerate() {
            cases.push((vec![calls + i as u64], vec![Stmt::jump("s", handler.0)]));
        }
        self.put(Stmt::Switch(Expr::field("skip_after"), cases, vec![Stmt::Jump(label("uncaught", ""))]));
    }

    // --- begin spans ---

    /// The slot of a `begin` span: one a name.
    pub fn begin_slot(&self, span: SpanId) -> u32 {
        self.facts.begin_slots.get(&span).map_or(span.0, |first| first.0)
    }

    /// All slots, each with its first span.
    pub fn begin_slots(&self) -> Vec<SpanId> {
        self.facts.begins.clone()
    }

    fn sequence(&mut self) -> Expr {
        self.field("sequence", Ty::Unsigned(64), "order of entries and begins")
    }

    /// Where a span's unkept bytes begin; null while it is not open.
    pub fn begun(&mut self, slot: u32) -> Expr {
        self.field(&format!("begun{slot}"), Ty::Unsigned(8), "whether a span is open, and was handed on");
        let name = format!("span{slot}");
        if self.facts.begins.len() <= LOCAL_SPANS {
            return self.local(&name);
        }
        // Many locals that live everywhere are what a C++ compiler takes longest for.
        self.field(&name, Ty::Cursor, "where its bytes begin in this fragment")
    }

    fn digest_field(&mut self, slot: u32) -> Expr {
        self.field(&format!("digest{slot}"), Ty::Digest, "a check value in the making")
    }

    /// `begin f`.
    pub fn begin(&mut self, span: SpanId, site: SiteId) {
        let slot = self.begin_slot(span);
        let cursor = self.begun(slot);
        let end = self.apart(|g| g.span_short(span));
        if !end.is_empty() {
            self.put(Stmt::unless_rare(cursor.clone().op(Do::NotEqual, Expr::local("nowhere")), end));
        }
        let here = self.here();
        self.put(Stmt::Set(cursor, here));
        self.put(Stmt::Set(Expr::field(&format!("begun{slot}")), Expr::Int(1)));
        if self.orders_spans() {
            let sequence = self.sequence();
            self.put(Stmt::Add(sequence.clone(), Expr::Int(1)));
            let order = self.span_order(slot);
            self.put(Stmt::Set(order, sequence));
        }
        match self.m.spans[span].form {
            Form::Begin(function) => self.trace(Event::SpanBegin { buffer: slot, site, function }),
            Form::Digest(digest, _) => {
                let field = self.digest_field(slot);
                self.put(Stmt::Do(Expr::runtime("begin_digest", vec![field, digest_number(digest)])));
            }
            _ => {}
        }
    }

    /// `end f`: nothing where it is not open.
    pub fn end(&mut self, span: SpanId, site: SiteId) {
        let slot = self.begin_slot(span);
        let cursor = self.begun(slot);
        let body = self.apart(|g| match g.m.spans[span].form {
            Form::Begin(_) => g.span_ends(span, Some(site)),
            Form::Digest(_, var) => {
                let field = g.digest_field(slot);
                let piece = cursor.clone().piece(g.here());
                g.put(Stmt::Do(Expr::runtime("fold_digest", vec![field.clone(), piece])));
                let value = Expr::runtime("digest_value", vec![field]);
                g.close_span(slot);
                let most = g.m.symbols.vars[var].ty.range().map_or(0, |(_, most)| most);
                if most < i128::from(u32::MAX) {
                    let most = Expr::Int(u64::try_from(most).unwrap_or(0));
                    let captures = g.facts.at(g.state);
                    let overflow = g.failure(ErrorKind::Overflow, site, "", Found::Nothing, &captures);
                    g.put(Stmt::unless_rare(value.clone().op(Do::Greater, most), overflow));
                }
                g.put(Stmt::Set(Expr::Var(var), Expr::CastVar(var, Box::new(value))));
                g.trace_capture(site, var);
            }
            _ => {}
        });
        self.put(Stmt::likely(cursor.op(Do::NotEqual, Expr::local("nowhere")), body));
    }

    fn close_span(&mut self, slot: u32) {
        let cursor = self.begun(slot);
        self.put(Stmt::Set(cursor, Expr::local("nowhere")));
        self.put(Stmt::Set(Expr::field(&format!("begun{slot}")), Expr::Int(0)));
    }

    fn span_ends(&mut self, span: SpanId, site: Option<SiteId>) {
        let slot = self.begin_slot(span);
        let Form::Begin(function) = self.m.spans[span].form else { return };
        self.span_piece(span, true);
        self.close_span(slot);
        let at = self.offset();
        self.trace(Event::SpanEnd { buffer: slot, site, function, at });
    }

    /// A span whose `end:` was not reached.
    fn span_short(&mut self, span: SpanId) {
        let slot = self.begin_slot(span);
        match self.m.spans[span].form {
            Form::Begin(_) => self.span_ends(span, None),
            _ => self.close_span(slot),
        }
    }

    fn span_piece(&mut self, span: SpanId, last: bool) {
        let slot = self.begin_slot(span);
        let Form::Begin(function) = self.m.spans[span].form else { return };
        let here = self.here();
        let bytes = self.begun(slot).piece(here);
        if self.options.trace {
            self.put(Stmt::Trace(Event::SpanPiece { buffer: slot, bytes: bytes.clone() }));
        }
        let first = Expr::field(&format!("begun{slot}")).eq(Expr::Int(1));
        self.put(Stmt::Do(Expr::Call(Callee::User(function), vec![bytes, first, Expr::Bool(last)])));
    }

    /// A span that is open takes what it has so far.
    pub fn span_takes(&mut self, span: SpanId) -> Vec<Stmt> {
        let slot = self.begin_slot(span);
        self.apart(|g| match g.m.spans[span].form {
            Form::Digest(..) => {
                let (field, here) = (g.digest_field(slot), g.here());
                let piece = g.begun(slot).piece(here);
                g.put(Stmt::Do(Expr::runtime("fold_digest", vec![field, piece])));
            }
            _ => {
                g.span_piece(span, false);
                g.put(Stmt::Set(Expr::field(&format!("begun{slot}")), Expr::Int(2)));
            }
        })
    }

    /// What open spans do at a cut.
    pub fn cut_spans(&mut self) {
        for span in self.begin_slots() {
            let slot = self.begin_slot(span);
            let cursor = self.begun(slot);
            let mut takes = cursor.clone().op(Do::NotEqual, Expr::local("nowhere"));
            takes = takes.op(Do::Both, cursor.clone().op(Do::NotEqual, Expr::local("p")));
            if let Some(waits) = self.span_waits(span) {
                takes = takes.op(Do::Both, waits.negated());
            }
            let body = self.span_takes(span);
            self.put(Stmt::when(takes, body));
        }
    }

    /// Cursors of open spans when parsing goes on.
    pub fn resume_spans(&mut self) {
        for span in self.begin_slots() {
            let slot = self.begin_slot(span);
            let cursor = self.begun(slot);
            let open = Expr::field(&format!("begun{slot}")).op(Do::NotEqual, Expr::Int(0));
            let at =
                Expr::Choose(Box::new(open), Box::new(Expr::local("p")), Box::new(Expr::local("nowhere")));
            self.put(Stmt::Set(cursor, at));
        }
    }

    /// `unspan m`: spans begun since then end here, in the order in which they began.
    pub fn unspan(&mut self, mark: MarkId) {
        let slots = self.begin_slots();
        if slots.is_empty() {
            return;
        }
        let since = self.order_field(mark);
        let start = if self.has_calls() {
            let inside = Expr::field("depth").op(Do::Greater, Expr::Int(0));
            Expr::Choose(Box::new(inside), Box::new(Gen::frame("began")), Box::new(Expr::Int(0)))
        } else {
            Expr::Int(0)
        };
        let unset = since.clone().eq(Expr::Int(NEVER));
        self.end_spans(Expr::Choose(Box::new(unset), Box::new(start), Box::new(since)));
    }

    /// Ends the spans that began after an order, oldest first, in the one routine that does it; then goes on here.
    pub fn end_spans(&mut self, since: Expr) {
        let number = self.span_ends;
        self.span_ends += 1;
        let (limit, after) = (self.local("number"), self.local("after"));
        self.put(Stmt::Set(limit, since));
        self.put(Stmt::Set(after, Expr::Int(number)));
        self.put(Stmt::Jump(label("end_spans", "")));
        self.put(Stmt::label("spans_ended", number));
    }

    /// Ends all spans that are open.
    pub fn end_all_spans(&mut self) {
        if !self.begin_slots().is_empty() {
            self.end_spans(Expr::Int(0));
        }
    }

    /// The routine: `number` has the order behind which spans end, `after` says who asks.
    pub fn end_spans_routine(&mut self) {
        if self.span_ends == 0 {
            return;
        }
        self.put(Stmt::Comment("Spans whose end was not reached, oldest first.".to_owned()));
        self.put(Stmt::Label(label("end_spans", "")));
        let (limit, oldest, which) = (Expr::local("number"), self.local("oldest"), self.local("which"));
        self.put(Stmt::Set(oldest.clone(), Expr::Int(NEVER)));
        self.put(Stmt::Set(which.clone(), Expr::Int(NEVER)));
        let slots = self.begin_slots();
        let mut cases = Vec::new();
        for span in &slots {
            let slot = self.begin_slot(*span);
            let open = self.begun(slot).op(Do::NotEqual, Expr::local("nowhere"));
            if self.orders_spans() {
                let order = self.span_order(slot);
                let since = order.clone().op(Do::Greater, limit.clone());
                let older = order.clone().op(Do::Less, oldest.clone());
                let then = vec![
                    Stmt::Set(oldest.clone(), order),
                    Stmt::Set(which.clone(), Expr::Int(u64::from(slot))),
                ];
                self.put(Stmt::when(open.op(Do::Both, since).op(Do::Both, older), then));
            } else {
                self.put(Stmt::when(open, vec![Stmt::Set(which.clone(), Expr::Int(u64::from(slot)))]));
            }
            let ends = self.apart(|g| {
                g.span_short(*span);
                g.put(Stmt::Jump(label("end_spans", "")));
            });
            cases.push((vec![u64::from(slot)], ends));
        }
        self.put(Stmt::Switch(which, cases, Vec::new()));
        let back = (0..self.span_ends).map(|i| (vec![i], vec![Stmt::jump("spans_ended", i)])).collect();
        self.put(Stmt::Switch(Expr::local("after"), back, vec![Stmt::Jump(label("over", ""))]));
    }

    /// Whether the order matters in which spans began.
    fn orders_spans(&self) -> bool {
        !self.facts.unspanned.is_empty() || self.begin_slots().len() > 1
    }

    fn span_order(&mut self, slot: u32) -> Expr {
        self.field(&format!("begun{slot}_order"), Ty::Unsigned(64), "when it began")
    }

    /// `reset`: as before the first byte, save for the position.
    pub fn reset(&mut self) {
        for span in self.begin_slots() {
            self.begun(self.begin_slot(span));
        }
        self.end_all_spans();
        self.put(Stmt::Do(Expr::Call(Callee::Own("clear_variables".to_owned()), vec![])));
        self.put(Stmt::Do(Expr::Call(Callee::Own("restart_context".to_owned()), vec![])));
        let (home, offset) = (Expr::field("home"), self.offset());
        self.put(Stmt::Set(home, offset));
        if self.has_fences() {
            self.set_end();
        }
    }
}

fn digest_number(digest: vproto_ir::grammar::Digest) -> Expr {
    use vproto_ir::grammar::Digest;
    let at = Digest::ALL.iter().position(|(_, d)| *d == digest).unwrap_or(0);
    Expr::Int(at as u64)
}
