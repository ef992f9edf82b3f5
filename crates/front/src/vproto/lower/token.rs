//! One rule a token: the edge that runs it and then what follows.

use super::Lowering;
use super::build::Ahead;
use super::outward::mark_of;
use vproto_ir::ByteSet;
use vproto_ir::facts::When;
use vproto_ir::grammar::{
    Bound as Given, Call, Counts, EnumText, Hint, Literal, Max, Min, Scan, Store, SubParser, TokenKind,
    Varint,
};
use vproto_ir::ids::{BranchingId, CodeId, LabelId, SiteId, StateId, TokenId, VarId};
use vproto_ir::machine::{
    Bound, Edge, ErrorKind, Form, Handler, Kind, Limit, Op, Predicate, SpanDef, Status, Text,
};
use vproto_ir::symbols::VarType;

/// Where a token stands.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// Who takes its exceptions.
    pub(super) handler: Handler,
    /// Whether it is one of a sequence of `< >` that is not decided yet.
    pub(super) forked: bool,
}

/// A bound as the state holds it, and the action that works it out.
type Worked = (Bound, Option<Op>);

impl Lowering<'_> {
    /// The token, then `next`.
    pub(super) fn token(&mut self, id: TokenId, context: Context, next: Ahead) -> Ahead {
        let token = &self.module.tokens[id];
        let site = self.out.site(token.span, context.handler, None);
        let Some(condition) = token.condition else {
            return self.present(id, site, context, next);
        };
        let behind = self.out.join(next);
        let there = self.present(id, site, context, Ahead::to(behind));
        let test = Kind::Test { what: Predicate::If(condition), then: there.edge(), other: Edge::to(behind) };
        Ahead::to(self.out.state(test, Some(site)))
    }

    /// The token where it is there.
    fn present(&mut self, id: TokenId, site: SiteId, context: Context, next: Ahead) -> Ahead {
        let module = self.module;
        match &module.tokens[id].kind {
            TokenKind::Scan(scan) => self.scan(scan, site, next),
            TokenKind::Literal(literal) => self.literal(literal, id, site, context, next),
            TokenKind::Match { var, counts } => self.matching(*var, *counts, site, next),
            TokenKind::Varint(varint) => self.varint(varint, site, next),
            TokenKind::EnumText(texts) => self.enum_text(texts, id, site, context, next),
            TokenKind::Parallel(group) => self.group(group, id, context, next),
            TokenKind::Module(sub) => self.sub_parser(sub, site, next),
            TokenKind::EnumInit(var) => next.first(Op::InitVar(*var, self.first_member(*var)), site),
            TokenKind::Code(code) => next.first(Op::Code(*code), site),
            TokenKind::If(code) => self.condition(*code, site, next),
            TokenKind::Notify { function, arguments } => {
                next.first(Op::Notify(*function, arguments.clone()), site)
            }
            kind @ (TokenKind::Begin(_)
            | TokenKind::BeginDigest(..)
            | TokenKind::End(_)
            | TokenKind::EndDigest(_)) => self.span_token(kind, site, next),
            TokenKind::EndModule(var) => next.first(Op::EndModule(*var), site),
            TokenKind::Label(label) => self.label(*label, next),
            TokenKind::Jump(label) => self.jump(*label, site),
            TokenKind::Call(call) => self.call(call, context, site, next),
            TokenKind::Return => Ahead::to(self.out.state(Kind::Ret, Some(site))),
            TokenKind::Reset => self.reset(site),
            TokenKind::Break if context.forked => Ahead::to(self.out.state(Kind::Drop, Some(site))),
            TokenKind::Break => Ahead::to(self.out.state(Kind::End(Status::Stopped), Some(site))),
            TokenKind::Bang if context.forked => {
                Ahead::to(self.out.state(Kind::Win { next: next.edge() }, Some(site)))
            }
            TokenKind::Bang => next,
            TokenKind::Back(branching) => self.back(*branching, site),
        }
    }

    /// The bounds of a scan, clamped where both are numbers.
    fn bounds(counts: Counts) -> (Worked, Worked) {
        let hi = match counts.max {
            Max::Fixed(n) => (Bound::Fixed(n), None),
            Max::Expr(e) => (Bound::Register, Some(Op::SetHi(e))),
            Max::None => (Bound::Unbounded, None),
        };
        let lo = match (counts.min, hi.0) {
            (Min::Fixed(n), Bound::Fixed(hi)) => (Bound::Fixed(n.min(hi)), None),
            (Min::Fixed(n), _) => (Bound::Fixed(n), None),
            (Min::Expr(e), _) => (Bound::Register, Some(Op::SetLo(e))),
            (Min::Max, Bound::Register) => (Bound::Register, Some(Op::SetLoToHi)),
            (Min::Max, Bound::Fixed(n)) => (Bound::Fixed(n), None),
            (Min::Max, Bound::Unbounded) => (Bound::Fixed(0), None),
        };
        (lo, hi)
    }

    /// The actions that work bounds out: `hi` before `lo`.
    fn working(next: Ahead, lo: Worked, hi: Worked, site: SiteId) -> Ahead {
        let next = lo.1.into_iter().fold(next, |next, op| next.first(op, site));
        hi.1.into_iter().fold(next, |next, op| next.first(op, site))
    }

    fn scan(&mut self, scan: &Scan, site: SiteId, next: Ahead) -> Ahead {
        let (lo, hi) = Self::bounds(scan.counts);
        let span = self
            .form(scan)
            .map(|form| self.out.span(SpanDef { form, trim: trims(&scan.store), private: false }));
        let next = span.into_iter().fold(next, |next, span| next.first(Op::Commit(span), site));
        // A maximum of no bytes leaves nothing to look at, unless the text of `until` ends it.
        let body = if hi.0 == Bound::Fixed(0) && scan.until.is_none() {
            next
        } else {
            let kind = Kind::Scan {
                set: scan.set,
                lo: lo.0,
                hi: hi.0,
                until: scan.until.clone(),
                hint: scan.hint,
                next: next.edge(),
            };
            let digits = self.out.state(kind, Some(site));
            Ahead::to(if scan.sign { self.sign(scan, digits, site) } else { digits })
        };
        let body = span.into_iter().fold(body, |next, span| next.first(Op::Open(span), site));
        Self::working(body, lo, hi, site)
    }

    /// One optional `+` or `-` in front of the digits; not where no digit may follow. It raises itself where a digit is
    /// needed: then signs are expected too.
    fn sign(&mut self, scan: &Scan, digits: StateId, site: SiteId) -> StateId {
        let signs = ByteSet::from_iter(*b"+-");
        let alternatives = || {
            let taken = Ahead::to(digits).silently(Op::Take).edge();
            vec![(signs, taken), (scan.set - signs, Edge::to(digits))]
        };
        let rest = || Some(Edge::to(digits));
        let needed = Kind::Dispatch { alts: alternatives(), other: None, eof: None };
        let free = Kind::Dispatch { alts: alternatives(), other: rest(), eof: rest() };
        let look = match scan.counts.min {
            Min::Fixed(0) => self.out.state(free, Some(site)),
            Min::Fixed(_) | Min::Max => self.out.state(needed, Some(site)),
            Min::Expr(min) => {
                let (needed, free) = (self.out.state(needed, Some(site)), self.out.state(free, Some(site)));
                self.out.test(Predicate::Zero(min), free, needed, site)
            }
        };
        match scan.counts.max {
            Max::Expr(max) => self.out.test(Predicate::Zero(max), digits, look, site),
            _ => look,
        }
    }

    /// What becomes of the bytes; none: they are skipped.
    fn form(&self, scan: &Scan) -> Option<Form> {
        Some(match &scan.store {
            Store::Skip => return None,
            Store::Stream(function) => Form::Pieces { function: *function, xor: scan.xor },
            Store::Digits { var, radix, ty, .. } => Form::Digits { var: *var, radix: *radix, ty: *ty },
            Store::Binary { var, big, swap, ty } => {
                Form::Binary { var: *var, big: *big, swap: *swap, ty: *ty }
            }
            Store::Text { var, append, keep, .. } => match self.module.symbols.vars[*var].ty {
                VarType::View => Form::View { var: *var, append: *append },
                VarType::Array { .. } => Form::Array { var: *var, append: *append },
                _ => Form::String { var: *var, append: *append, keep: *keep },
            },
            Store::Bits { fields, little } => Form::Bits { fields: fields.clone(), little: *little },
            Store::Float { var, big } => Form::Float { var: *var, big: *big },
        })
    }

    fn varint(&mut self, varint: &Varint, site: SiteId, next: Ahead) -> Ahead {
        let form = Form::Varint { var: varint.var, max: varint.max, ty: varint.ty };
        let span = self.out.span(SpanDef { form, trim: false, private: false });
        let last = self.fixed(ByteSet::ALL, 1, 1, next.first(Op::Commit(span), site), site);
        let more = u64::from(varint.max) - 1;
        let first = match more {
            0 => last,
            _ => self.fixed(ByteSet::range(0x80, 0xff), 0, more, Ahead::to(last), site),
        };
        Ahead::to(first).first(Op::Open(span), site)
    }

    /// A scan of `lo` to `hi` bytes.
    fn fixed(&mut self, set: ByteSet, lo: u64, hi: u64, next: Ahead, site: SiteId) -> StateId {
        let (lo, hi) = (Bound::Fixed(lo), Bound::Fixed(hi));
        let kind = Kind::Scan { set, lo, hi, until: None, hint: Hint::Auto, next: next.edge() };
        self.out.state(kind, Some(site))
    }

    fn sub_parser(&mut self, sub: &SubParser, site: SiteId, next: Ahead) -> Ahead {
        let (lo, hi) = Self::bounds(sub.counts);
        let kind = Kind::Module {
            var: sub.var,
            set: sub.set,
            lo: lo.0,
            hi: hi.0,
            join: sub.join,
            xor: sub.xor,
            sets: sub.sets.clone(),
            next: next.edge(),
        };
        let state = self.out.state(kind, Some(site));
        Self::working(Ahead::to(state), lo, hi, site)
    }

    fn literal(
        &mut self,
        literal: &Literal,
        id: TokenId,
        site: SiteId,
        context: Context,
        next: Ahead,
    ) -> Ahead {
        let span = self.module.tokens[id].span;
        let wanted = self.out.site_of_text(span, context.handler, &literal.text, literal.fold);
        let (lo, hi) = Self::bounds(literal.counts);
        if hi.0 == Bound::Fixed(0) {
            return Self::working(next, lo, hi, site);
        }
        if let [letter] = literal.text[..] {
            let kind = Kind::Scan {
                set: ByteSet::letter(letter, literal.fold),
                lo: lo.0,
                hi: hi.0,
                until: None,
                hint: Hint::Auto,
                next: next.edge(),
            };
            let scan = Ahead::to(self.out.state(kind, Some(wanted)));
            return Self::working(scan, lo, hi, site);
        }
        let text = |next| Kind::Literal { text: Text::Bytes(literal.text.clone()), fold: literal.fold, next };
        match (lo.0, hi.0) {
            (Bound::Fixed(1), Bound::Fixed(1)) => Ahead::to(self.out.state(text(next.edge()), Some(site))),
            (Bound::Fixed(0), Bound::Fixed(1)) => {
                let behind = self.out.join(next);
                let whole = self.out.state(text(Edge::to(behind)), Some(site));
                let set = ByteSet::letter(literal.text[0], literal.fold);
                Ahead::to(self.look(set, whole, behind, site))
            }
            _ => {
                let behind = self.out.join(next);
                let set = ByteSet::letter(literal.text[0], literal.fold);
                let round = self.out.reserve();
                let whole = self.out.state(text(self.counted(round).edge()), Some(site));
                let optional = self.look(set, whole, behind, site);
                self.rounds(round, lo.0, hi.0, whole, optional, behind, site);
                Self::working(Ahead::to(round).silently(Op::SetRepFixed(0)), lo, hi, site)
            }
        }
    }

    /// Looks whether a byte is one of the set.
    pub(super) fn look(&mut self, set: ByteSet, then: StateId, other: StateId, site: SiteId) -> StateId {
        let other = Some(Edge::to(other));
        // Nothing begins with a byte here, but one is waited for all the same.
        let alts = if set.is_empty() { Vec::new() } else { vec![(set, Edge::to(then))] };
        self.out.state(Kind::Dispatch { alts, other: other.clone(), eof: other }, Some(site))
    }

    /// To the next round, with one more whole literal.
    fn counted(&self, round: StateId) -> Ahead {
        Ahead::to(round).silently(Op::CountRep)
    }

    /// The tests in front of a round: enough, or too few, or as many as there are.
    #[expect(clippy::too_many_arguments, reason = "each is a different place in the loop")]
    fn rounds(
        &mut self,
        round: StateId,
        lo: Bound,
        hi: Bound,
        needed: StateId,
        optional: StateId,
        behind: StateId,
        site: SiteId,
    ) {
        let low = limit(lo, Limit::Lo);
        let below = match low {
            Some(Limit::Fixed(0)) | None => optional,
            Some(low) => self.out.test(Predicate::Below(low), needed, optional, site),
        };
        match limit(hi, Limit::Hi) {
            None => self.out.fill_join(round, Ahead::to(below)),
            Some(high) => {
                let (then, other) = (Edge::to(behind), Edge::to(below));
                let test = Kind::Test { what: Predicate::Reached(high), then, other };
                self.out.fill(round, test, Some(site));
            }
        }
    }

    /// `match:v`. An empty text is there without a byte, however often.
    fn matching(&mut self, var: VarId, counts: Counts, site: SiteId, next: Ahead) -> Ahead {
        let (lo, hi) = Self::bounds(counts);
        let text = |next| Kind::Literal { text: Text::Var(var), fold: false, next };
        if hi.0 == Bound::Fixed(0) {
            return Self::working(next, lo, hi, site);
        }
        if (lo.0, hi.0) == (Bound::Fixed(1), Bound::Fixed(1)) {
            return Ahead::to(self.out.state(text(next.edge()), Some(site)));
        }
        let behind = self.out.join(next);
        let round = self.out.reserve();
        let whole = self.out.state(text(self.counted(round).edge()), Some(site));
        let starts = self.out.test(Predicate::Starts(var), whole, behind, site);
        let optional = self.look(ByteSet::ALL, starts, behind, site);
        self.rounds(round, lo.0, hi.0, whole, optional, behind, site);
        let size = self.out.size_of(var);
        let filled = Ahead::to(round).silently(Op::SetRepFixed(0)).edge();
        let test = Kind::Test { what: Predicate::Zero(size), then: Edge::to(behind), other: filled };
        let test = self.out.state(test, Some(site));
        Self::working(Ahead::to(test), lo, hi, site)
    }

    fn enum_text(
        &mut self,
        texts: &EnumText,
        id: TokenId,
        site: SiteId,
        context: Context,
        next: Ahead,
    ) -> Ahead {
        let behind = self.out.join(next);
        let mut forks = Vec::new();
        for (value, text, fold) in &texts.texts {
            let win = self.out.state(Kind::Win { next: Edge::to(behind) }, Some(site));
            let set = Ahead::to(win).first(Op::SetVar(texts.var, *value), site);
            let literal = Literal { text: text.clone(), fold: *fold, counts: Counts::exactly(1) };
            let inside = Context { forked: true, ..context };
            forks.push(self.literal(&literal, id, site, inside, set).edge());
        }
        Ahead::to(self.out.state(Kind::Par { forks }, Some(site)))
    }

    /// `begin:` and `end:`; an `end:` of what is never begun does nothing.
    fn span_token(&self, kind: &TokenKind, site: SiteId, next: Ahead) -> Ahead {
        let Some(span) = self.slots.of(kind) else { return next };
        let begins = matches!(kind, TokenKind::Begin(_) | TokenKind::BeginDigest(..));
        next.first(if begins { Op::Begin(span) } else { Op::End(span) }, site)
    }

    /// `if {…}` in mid-line.
    fn condition(&mut self, code: CodeId, site: SiteId, next: Ahead) -> Ahead {
        let raise = self.out.state(Kind::Raise(ErrorKind::Condition), Some(site));
        let test = Kind::Test { what: Predicate::Code(code), then: next.edge(), other: Edge::to(raise) };
        Ahead::to(self.out.state(test, Some(site)))
    }

    fn label(&mut self, label: LabelId, next: Ahead) -> Ahead {
        let join = self.labels[label.0 as usize];
        self.out.fill_join(join, next);
        Ahead::to(join)
    }

    /// A cycle of jumps that takes no byte ends here.
    fn jump(&mut self, label: LabelId, site: SiteId) -> Ahead {
        let mark = self.new_mark();
        let target = Ahead::to(self.labels[label.0 as usize]).silently(Op::Mark(mark));
        self.moved(Predicate::Moved(mark), target, site)
    }

    fn back(&mut self, branching: BranchingId, site: SiteId) -> Ahead {
        let entry = Ahead::to(self.outward.entry[branching.0 as usize]);
        self.moved(Predicate::Moved(mark_of(branching)), entry, site)
    }

    fn reset(&mut self, site: SiteId) -> Ahead {
        let top = self.module.trees.rows()[0].branching;
        let entry = Ahead::to(self.outward.entry[top.0 as usize]).first(Op::Reset, site);
        self.moved(Predicate::MovedBottom(mark_of(top)), entry, site)
    }

    /// `target` where a byte was taken, else the error.
    fn moved(&mut self, what: Predicate, target: Ahead, site: SiteId) -> Ahead {
        let raise = self.out.state(Kind::Raise(ErrorKind::NoProgress), Some(site));
        let test = Kind::Test { what, then: target.edge(), other: Edge::to(raise) };
        Ahead::to(self.out.state(test, Some(site)))
    }

    /// `call:` with its options; `times` is asked before `max` is worked out.
    fn call(&mut self, call: &Call, context: Context, site: SiteId, next: Ahead) -> Ahead {
        let label = &self.module.labels[call.label];
        let tree = self.module.branchings[self.module.lines[label.line].branching].tree;
        let behind = self.out.join(next);
        let make = |this: &mut Self, needs: bool| {
            let kind = Kind::Call {
                to: Edge::to(this.labels[call.label.0 as usize]),
                next: Edge::to(behind),
                tree,
                fence: call.max.is_some(),
                times: call.times.is_some(),
                needs,
                keep: call.keep.clone(),
            };
            let state = Ahead::to(this.out.state(kind, Some(site)));
            let fenced = call.max.into_iter().fold(state, |next, max| next.first(hi_of(max), site));
            call.times.into_iter().fold(fenced, |next, times| next.first(rep_of(times), site))
        };
        // Only where `max` is 0 it matters whether the target needs a byte.
        let needs = match call.max {
            None => When::Never,
            Some(Given::Fixed(max)) if max > 0 => When::Never,
            Some(_) => self.facts.labels[call.label].needs_byte,
        };
        let made = match needs {
            When::Never => make(self, false),
            When::Always => make(self, true),
            When::Moment => {
                let (free, needing) = (make(self, false), make(self, true));
                let (free, needing) = (self.out.join(free), self.out.join(needing));
                let asked = self.needs_no_byte(call.label, context.handler, free, needing);
                Ahead::to(match call.max {
                    Some(Given::Expr(max)) => self.out.test(Predicate::Zero(max), asked, free, site),
                    _ => asked,
                })
            }
        };
        match (call.times, call.max) {
            (Some(Given::Expr(times)), Some(Given::Expr(_) | Given::Fixed(0))) => {
                let test =
                    Kind::Test { what: Predicate::Zero(times), then: Edge::to(behind), other: made.edge() };
                Ahead::to(self.out.state(test, Some(site)))
            }
            _ => made,
        }
    }

    /// Member that `enum{a, b}:v` sets.
    fn first_member(&self, var: VarId) -> u64 {
        let symbols = &self.module.symbols;
        match symbols.vars[var].ty {
            VarType::Enum { of, .. } => symbols.enums[of].members.first().map_or(0, |m| m.1),
            _ => 0,
        }
    }
}

fn hi_of(bound: Given) -> Op {
    match bound {
        Given::Fixed(n) => Op::SetHiFixed(n),
        Given::Expr(e) => Op::SetHi(e),
    }
}

fn rep_of(bound: Given) -> Op {
    match bound {
        Given::Fixed(n) => Op::SetRepFixed(n),
        Given::Expr(e) => Op::SetRep(e),
    }
}

/// The bound of a count of literals; none where there is no bound.
fn limit(bound: Bound, register: Limit) -> Option<Limit> {
    match bound {
        Bound::Fixed(n) => Some(Limit::Fixed(n)),
        Bound::Register => Some(register),
        Bound::Unbounded => None,
    }
}

fn trims(store: &Store) -> bool {
    matches!(store, Store::Digits { trim: true, .. } | Store::Text { trim: true, .. })
}
