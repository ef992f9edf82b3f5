//! Captures: what becomes of the bytes between `open` and `commit`.
//!
//! While a fragment lasts a capture is the cursor `from<slot>`. At a cut its form says what is kept: pieces are handed
//! on, digits are folded into `capture<slot>`, bytes of texts go to `held<slot>`. No variable changes before
//! `commit`, so an exception only has to forget the slot. `capture<slot>.cut` tells the two ways apart.

use super::facts::Captures;
use super::r#gen::{Found, Gen};
use crate::tree::{Callee, Event, Expr, Op as Do, Stmt, Ty};
use vproto_ir::grammar::{Bound as Given, IntType};
use vproto_ir::ids::{SiteId, SpanId, StateId, VarId};
use vproto_ir::machine::{Bound, ErrorKind, Form, Kind};
use vproto_ir::symbols::VarType;

impl Gen<'_> {
    /// The cursor at which the unkept bytes of a capture begin.
    pub fn from(&mut self, span: SpanId) -> Expr {
        let slot = self.facts.slot(span);
        self.local(&format!("from{slot}"))
    }

    /// The accumulator of a capture.
    pub fn slot_field(&mut self, span: SpanId) -> Expr {
        let slot = self.facts.slot(span);
        self.field(&format!("capture{slot}"), Ty::Number, "a capture that was cut")
    }

    /// The bytes of a capture that was cut.
    pub fn held(&mut self, span: SpanId) -> Expr {
        let slot = self.facts.slot(span);
        let name = format!("held{slot}");
        let held = self.field(&name, Ty::Held, "bytes of a capture that was cut");
        let most = self.held_most(span);
        self.holds(&name, most);
        held
    }

    /// A field must have room for so many bytes, where texts are of fixed size.
    pub fn holds(&mut self, name: &str, bytes: u64) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        if let Some(field) = self.fields.iter_mut().find(|f| f.name == name) {
            field.count = field.count.max(bytes);
        }
    }

    /// Most bytes of a capture that are held.
    fn held_most(&self, span: SpanId) -> u64 {
        match &self.m.spans[span].form {
            Form::Bits { fields, .. } => fields.iter().map(|f| u64::from(f.bits)).sum::<u64>().div_ceil(8),
            Form::Binary { .. } | Form::Float { .. } => self.fixed_length(span).unwrap_or(8),
            _ => {
                let states = self.facts.open_states.get(&span).into_iter().flatten().copied();
                self.text_most(span).min(self.taken_while_open(states, span))
            }
        }
    }

    /// Most bytes that a text capture stores.
    pub fn text_most(&self, span: SpanId) -> u64 {
        match self.text_target(span) {
            Some((var, _, Some(Given::Fixed(keep)))) => keep.min(self.text_limit(var)),
            Some((var, ..)) => self.text_limit(var),
            None => 0,
        }
    }

    /// Most bytes that some states take while a capture is open: scans with a bound, each of which ends it.
    pub fn taken_while_open(&self, states: impl Iterator<Item = StateId>, span: SpanId) -> u64 {
        let is_open = |id: StateId| self.facts.captures.get(&id).is_some_and(|c| c.open.contains(&span));
        let mut sum = 0u64;
        for id in states.filter(|id| is_open(*id)) {
            match &self.m.state(id).kind {
                Kind::Scan { hi: Bound::Fixed(hi), until: None, next, .. } if !is_open(next.to) => {
                    sum = sum.saturating_add(*hi);
                }
                _ => return u64::MAX,
            }
        }
        sum
    }

    fn was_cut(&mut self, span: SpanId) -> Expr {
        self.slot_field(span).method("was_cut", vec![])
    }

    /// Forgets what a slot holds.
    pub fn forget_slot(&mut self, slot: u32) {
        for name in [format!("capture{slot}"), format!("held{slot}")] {
            if self.fields.iter().any(|f| f.name == name) {
                self.put(Stmt::Do(Expr::field(&name).method("clear", vec![])));
            }
        }
    }

    /// Whether a capture is a thread's own: it must not show before the thread wins.
    fn is_private(&self, span: SpanId) -> bool {
        self.in_thread || self.m.spans[span].private
    }

    /// The variable that a text capture stores, and whether it is appended to.
    pub fn text_target(&self, span: SpanId) -> Option<(VarId, bool, Option<Given>)> {
        match &self.m.spans[span].form {
            Form::String { var, append, keep } => Some((*var, *append, *keep)),
            Form::Array { var, append } | Form::View { var, append } => Some((*var, *append, None)),
            _ => None,
        }
    }

    /// How many bytes a text capture takes before it refuses one; none: it never refuses.
    pub fn strict_limit(&self, span: SpanId) -> Option<u64> {
        let (var, _, keep) = self.text_target(span)?;
        let array = matches!(self.m.symbols.vars[var].ty, VarType::Array { .. });
        let strict = match keep {
            None => !array,
            Some(Given::Fixed(n)) => n > self.text_limit(var),
            Some(Given::Expr(_)) => true,
        };
        strict.then(|| self.text_limit(var))
    }

    /// Whether a text refuses bytes is known at run time where it keeps a number of them that is: then, and only then,
    /// if it may keep more than the limit.
    pub fn refuses_now(&mut self, span: SpanId) -> Option<Expr> {
        let (var, _, keep) = self.text_target(span)?;
        let Some(Given::Expr(_)) = keep else { return None };
        let most = Expr::Int(self.text_limit(var));
        Some(self.keep_field(span).op(Do::Greater, most))
    }

    /// A test of a text that only counts where it refuses bytes.
    pub fn if_refusing(&mut self, span: SpanId, test: Expr) -> Expr {
        match self.refuses_now(span) {
            Some(now) => now.op(Do::Both, test),
            None => test,
        }
    }

    fn keep_field(&mut self, span: SpanId) -> Expr {
        let slot = self.facts.slot(span);
        self.field(&format!("keep{slot}"), Ty::Unsigned(64), "bytes that a text keeps")
    }

    /// Whether the capture's digits or bytes are folded as they are taken, because one of them may be refused.
    pub fn folds(&self, span: SpanId) -> bool {
        match &self.m.spans[span].form {
            Form::Digits { .. } | Form::Varint { .. } => true,
            Form::Binary { ty, swap: None, .. } => {
                self.fixed_length(span).is_none_or(|k| k > 8 || !ty.wrap && k * 8 > u64::from(ty.bits))
            }
            _ => false,
        }
    }

    /// The length of a capture that is one scan of so many bytes.
    pub fn fixed_length(&self, span: SpanId) -> Option<u64> {
        let [state] = self.facts.open_states.get(&span)?[..] else { return None };
        match &self.m.state(state).kind {
            Kind::Scan { lo: Bound::Fixed(lo), hi: Bound::Fixed(hi), until: None, .. } if lo == hi => {
                Some(*hi)
            }
            _ => None,
        }
    }

    /// Starts a capture.
    pub fn open(&mut self, span: SpanId, site: SiteId, captures: &Captures) {
        let from = self.from(span);
        let private = self.is_private(span);
        let form = self.m.spans[span].form.clone();
        self.put(Stmt::Set(from, Expr::local("p")));
        match form {
            Form::Pieces { xor: Some(key), .. } => {
                let empty = Expr::runtime("bytes", vec![Expr::Var(key)]).method("empty", vec![]);
                let failure = self.failure(ErrorKind::Condition, site, "", Found::Nothing, captures);
                self.put(Stmt::unless_rare(empty, failure));
                let slot = self.slot_field(span);
                self.put(Stmt::Do(slot.method("clear", vec![])));
            }
            Form::Pieces { .. } => {}
            Form::String { var, append, .. } | Form::Array { var, append } | Form::View { var, append } => {
                self.room(span, site, captures);
                if !append && !private {
                    self.put(Stmt::Do(Expr::runtime("clear", vec![Expr::Var(var)])));
                }
            }
            Form::Digits { var, .. } | Form::Binary { var, .. } | Form::Float { var, .. } => {
                self.start_number(span, private.then_some(var).xor(Some(var)));
            }
            Form::Varint { var, .. } => self.start_number(span, if private { None } else { var }),
            Form::Bits { fields, .. } => {
                for var in fields.iter().filter_map(|f| f.var).filter(|_| !private) {
                    self.zero(var);
                }
            }
            Form::Begin(_) | Form::Digest(..) => {}
        }
    }

    fn start_number(&mut self, span: SpanId, var: Option<VarId>) {
        if let Some(var) = var {
            self.zero(var);
        }
        if self.folds(span) {
            let slot = self.slot_field(span);
            self.put(Stmt::Do(slot.method("clear", vec![])));
        }
    }

    fn zero(&mut self, var: VarId) {
        let zero =
            if self.m.symbols.vars[var].ty == VarType::Bool { Expr::Bool(false) } else { Expr::Int(0) };
        self.put(Stmt::Set(Expr::Var(var), Expr::CastVar(var, Box::new(zero))));
    }

    /// Works out how many bytes a text may still get.
    fn room(&mut self, span: SpanId, site: SiteId, captures: &Captures) {
        let slot = self.facts.slot(span);
        let value = self.room_value(span, site, captures);
        let room = self.local(&format!("room{slot}"));
        self.put(Stmt::Set(room, value));
    }

    /// How many bytes a text that is opened may get.
    pub fn room_value(&mut self, span: SpanId, site: SiteId, captures: &Captures) -> Expr {
        let Some((var, append, keep)) = self.text_target(span) else { return Expr::Int(0) };
        let limit = Expr::Int(self.text_limit(var));
        let mut most = limit.clone();
        match keep {
            Some(Given::Fixed(n)) => most = Expr::Int(n.min(self.text_limit(var))),
            Some(Given::Expr(e)) => {
                let expr = &self.m.symbols.exprs[e];
                let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, captures);
                let value = self.bound(expr, overflow);
                let field = self.keep_field(span);
                self.put(Stmt::Set(field.clone(), value));
                most = Expr::runtime("least", vec![field, limit]);
            }
            None => {}
        }
        if append { self.room_of(most, var) } else { most }
    }

    /// Shows the bytes up to the cursor to the captures that may refuse one; then the cursor stands there.
    pub fn show_bytes(&mut self, captures: &Captures, most: Option<u64>) {
        let state = self.state;
        for span in captures.open.clone() {
            if self.folds(span) {
                self.fold_bytes(span, captures);
            } else if let Some(limit) = self.strict_limit(span) {
                let append = self.text_target(span).is_some_and(|(_, append, _)| append);
                if append || most.is_none_or(|most| most > limit) {
                    self.bound_bytes(span, captures);
                }
            }
            self.state = state;
        }
    }

    /// A bounded text refuses the first byte too many.
    pub fn bound_bytes(&mut self, span: SpanId, captures: &Captures) {
        let (from, slot) = (self.from(span), self.facts.slot(span));
        if self.m.spans[span].trim {
            self.skip_leading(span);
        }
        let room = self.local(&format!("room{slot}"));
        let too_many = from.clone().to(Expr::local("p")).op(Do::Greater, room.clone());
        let too_many = self.if_refusing(span, too_many);
        let refusal = self.apart(|g| {
            g.put(Stmt::Set(Expr::local("p"), from.plus(room)));
            let (site, expected) = (g.own_site(), g.refusal_expects(ErrorKind::Limit));
            let kind = g.refusal_kind(span, ErrorKind::Limit);
            let failure = g.failure(kind, site, &expected, Found::Byte, captures);
            g.out.extend(failure);
        });
        self.put(Stmt::unless_rare(too_many, refusal));
    }

    /// Where the last thread of a group refuses a byte, nobody takes it.
    fn refusal_kind(&self, span: SpanId, kind: ErrorKind) -> ErrorKind {
        if self.m.spans[span].private { ErrorKind::Mismatch } else { kind }
    }

    /// Leading blanks of a trimmed text are nobody's.
    fn skip_leading(&mut self, span: SpanId) {
        let from = self.from(span);
        let held = self.held(span).method("empty", vec![]);
        let skipped = Expr::runtime("skip_blanks", vec![from.clone(), Expr::local("p")]);
        self.put(Stmt::when(held, vec![Stmt::Set(from, skipped)]));
    }

    /// What an error says that a refused byte is not.
    fn refusal_expects(&self, kind: ErrorKind) -> String {
        let _ = kind;
        if self.is_until(self.state) { self.expected(self.state) } else { String::new() }
    }

    fn fold_call(&mut self, span: SpanId, end: Expr) -> Expr {
        let (slot, from) = (self.slot_field(span), self.from(span));
        let arguments = vec![slot, from, end.clone()];
        match &self.m.spans[span].form {
            Form::Digits { radix, ty, .. } => {
                let trim = u64::from(self.m.spans[span].trim);
                Expr::runtime_with(
                    "fold_digits",
                    [vec![u64::from(*radix)], of_type(*ty), vec![trim]].concat(),
                    arguments,
                )
            }
            Form::Varint { max, ty, .. } => {
                Expr::runtime_with("fold_varint", [vec![u64::from(*max)], of_type(*ty)].concat(), arguments)
            }
            Form::Binary { var, .. } if self.m.symbols.vars[*var].ty == VarType::Bool => {
                Expr::runtime("fold_any", arguments)
            }
            Form::Binary { big, ty, .. } => {
                Expr::runtime_with("fold_binary", [vec![u64::from(*big)], of_type(*ty)].concat(), arguments)
            }
            _ => end,
        }
    }

    fn fold_bytes(&mut self, span: SpanId, captures: &Captures) {
        let call = self.fold_call(span, Expr::local("p"));
        let from = self.from(span);
        self.put(Stmt::Set(from.clone(), call));
        let mut others = captures.clone();
        others.open.remove(&span);
        let trim = self.m.spans[span].trim;
        let slot = self.slot_field(span);
        let refusal = self.apart(|g| {
            g.put(Stmt::Set(Expr::local("p"), from.clone()));
            let site = g.own_site();
            if trim {
                let expected = g.refusal_expects(ErrorKind::Mismatch);
                let mismatch = g.failure(ErrorKind::Mismatch, site, &expected, Found::Byte, &others);
                g.put(Stmt::when(slot.method("is_blank", vec![]), mismatch));
            }
            let kind = g.refusal_kind(span, ErrorKind::Overflow);
            let overflow = g.failure(kind, site, "", Found::Byte, &others);
            g.out.extend(overflow);
        });
        self.put(Stmt::unless_rare(from.op(Do::NotEqual, Expr::local("p")), refusal));
    }

    /// Before a byte is taken on an edge: a full text refuses it.
    pub fn refuse_byte(&mut self, captures: &Captures) {
        for span in captures.open.clone() {
            if self.strict_limit(span).is_some() {
                let (from, slot) = (self.from(span), self.facts.slot(span));
                let room = self.local(&format!("room{slot}"));
                let full = from.to(Expr::local("p")).op(Do::GreaterEqual, room);
                let full = self.if_refusing(span, full);
                let site = self.own_site();
                let kind = self.refusal_kind(span, ErrorKind::Limit);
                let failure = self.failure(kind, site, "", Found::Byte, captures);
                self.put(Stmt::unless_rare(full, failure));
            }
        }
    }

    /// Ends a capture at the cursor and stores it.
    pub fn commit(&mut self, span: SpanId, site: SiteId, captures: &Captures) {
        let replayed = self.at.is_some();
        let end = if self.is_until(self.state) && !replayed {
            self.local("text_start")
        } else if replayed && matches!(self.m.spans[span].form, Form::Pieces { .. }) {
            let slot = self.facts.slot(span);
            self.local(&format!("to{slot}"))
        } else {
            Expr::local("p")
        };
        self.store(span, site, captures, end);
    }

    /// Stores a capture that was closed earlier.
    pub fn deliver(&mut self, span: SpanId, site: SiteId, captures: &Captures) {
        let slot = self.facts.slot(span);
        let to = self.local(&format!("to{slot}"));
        let before = self.at.clone();
        if self.options.trace {
            let doc = "where a capture was closed, for the trace";
            self.at = Some(self.field(&format!("closed{slot}"), Ty::Unsigned(64), doc));
        }
        self.store(span, site, captures, to);
        self.at = before;
    }

    /// Forgets a capture.
    pub fn drop_span(&mut self, span: SpanId) {
        let slot = self.facts.slot(span);
        let cut = self.was_cut(span);
        let forget = self.apart(|g| g.forget_slot(slot));
        self.put(Stmt::unless_rare(cut, forget));
    }

    fn store(&mut self, span: SpanId, site: SiteId, captures: &Captures, end: Expr) {
        match self.m.spans[span].form.clone() {
            Form::Pieces { .. } => {
                self.hand_on(span, site, true, end);
                self.clear_cut(span);
            }
            Form::String { var, .. } | Form::Array { var, .. } | Form::View { var, .. } => {
                self.store_text(span, end);
                self.trace_capture(site, var);
            }
            Form::Digits { var, ty, .. } => {
                self.fold_rest(span, &end);
                let value = self.slot_field(span);
                let value = Expr::runtime_with("digits_value", of_type(ty), vec![value]);
                self.store_number(var, value, site);
            }
            Form::Varint { var, ty, .. } => {
                self.fold_rest(span, &end);
                if let Some(var) = var {
                    let value = self.slot_field(span);
                    let value = Expr::runtime_with("varint_value", of_type(ty), vec![value]);
                    self.store_number(var, value, site);
                }
            }
            Form::Binary { var, big, swap, ty } => {
                self.store_binary(span, var, big, swap, ty, site, captures, end);
            }
            Form::Bits { fields, little } => {
                let at = self.whole(span, end);
                let local = self.local("at");
                self.put(Stmt::Set(local.clone(), at));
                let mut offset = 0;
                for field in &fields {
                    if let Some(var) = field.var {
                        let numbers =
                            vec![u64::from(little), offset, u64::from(field.bits), u64::from(field.signed)];
                        let value = Expr::runtime_with("bit_field", numbers, vec![local.clone()]);
                        self.put(Stmt::Set(Expr::Var(var), Expr::CastVar(var, Box::new(value))));
                    }
                    offset += u64::from(field.bits);
                }
                self.clear_cut(span);
                for var in fields.iter().filter_map(|f| f.var) {
                    self.trace_capture(site, var);
                }
            }
            Form::Float { var, big } => {
                let at = self.whole(span, end);
                let bits = match self.m.symbols.vars[var].ty {
                    VarType::Float { bits } => u64::from(bits),
                    _ => 64,
                };
                let value = Expr::runtime_with("float_value", vec![u64::from(big), bits], vec![at]);
                self.store_number(var, value, site);
                self.clear_cut(span);
            }
            Form::Begin(_) | Form::Digest(..) => {}
        }
    }

    /// What a capture has kept is used up. Numbers that are folded start anew when they are opened, and those that are
    /// read as a whole are not cut any more when that was done.
    fn clear_cut(&mut self, span: SpanId) {
        match self.m.spans[span].form {
            _ if self.folds(span) => return,
            Form::Pieces { .. } => {
                let capture = self.slot_field(span);
                return self.put(Stmt::Do(capture.method("end_cut", vec![])));
            }
            Form::Binary { .. } | Form::Float { .. } | Form::Bits { .. }
                if self.fixed_length(span).is_none_or(|k| k <= 8) =>
            {
                return;
            }
            _ => {}
        }
        let slot = self.facts.slot(span);
        let cut = self.was_cut(span);
        let forget = self.apart(|g| g.forget_slot(slot));
        self.put(Stmt::unless_rare(cut, forget));
    }

    /// The sign of a number without digits behind it, and bytes taken on edges, are not folded yet.
    fn fold_rest(&mut self, span: SpanId, end: &Expr) {
        let from = self.from(span);
        let call = self.fold_call(span, end.clone());
        let rest = from.clone().op(Do::NotEqual, end.clone());
        let states = self.facts.open_states.get(&span).map_or(&[][..], |states| states);
        let shown = matches!(states, [one] if matches!(self.m.state(*one).kind, Kind::Scan { .. }));
        if !shown {
            self.put(Stmt::unless_rare(rest, vec![Stmt::Set(from, call)]));
        }
    }

    fn store_number(&mut self, var: VarId, value: Expr, site: SiteId) {
        let value = match self.m.symbols.vars[var].ty {
            VarType::Bool => value.op(Do::NotEqual, Expr::Int(0)),
            VarType::Float { .. } => value,
            _ => Expr::CastVar(var, Box::new(value)),
        };
        self.put(Stmt::Set(Expr::Var(var), value));
        self.trace_capture(site, var);
    }

    /// Where all bytes of a short capture stand: in the fragment, or in the slot if it was cut.
    fn whole(&mut self, span: SpanId, end: Expr) -> Expr {
        let (slot, from) = (self.slot_field(span), self.from(span));
        if self.fixed_length(span).is_some_and(|k| k > 8) {
            let held = self.held(span);
            return Expr::runtime("whole_long", vec![slot, held, from, end]);
        }
        Expr::runtime("whole", vec![slot, from, end])
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one form")]
    fn store_binary(
        &mut self,
        span: SpanId,
        var: VarId,
        big: bool,
        swap: Option<vproto_ir::ids::ExprId>,
        ty: IntType,
        site: SiteId,
        captures: &Captures,
        end: Expr,
    ) {
        let mut after = captures.clone();
        after.open.remove(&span);
        let length = if self.folds(span) { None } else { self.fixed_length(span) };
        let Some(length) = length else {
            self.fold_rest(span, &end);
            let slot = self.slot_field(span);
            if self.m.symbols.vars[var].ty == VarType::Bool {
                return self.finish_binary(span, var, ty, site, slot.method("number", vec![]), &after, 64);
            }
            let (bad, number) = (self.local("bad"), self.local("number"));
            self.put(Stmt::Set(bad.clone(), Expr::Bool(false)));
            let numbers = [vec![u64::from(big)], of_type(ty)].concat();
            let value = Expr::runtime_with("binary_value", numbers, vec![slot, bad.clone()]);
            self.put(Stmt::Set(number.clone(), value));
            let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, &after);
            self.put(Stmt::unless_rare(bad, overflow));
            self.clear_cut_after(span, var, Expr::CastVar(var, Box::new(number)));
            self.trace_capture(site, var);
            return;
        };
        let at = self.whole(span, end);
        let read = |big: bool, at: Expr| {
            Expr::runtime_with(if big { "load_big" } else { "load_little" }, vec![length], vec![at])
        };
        let value = match swap {
            None => read(big, at),
            Some(expr) => {
                let local = self.local("at");
                self.put(Stmt::Set(local.clone(), at));
                let expr = &self.m.symbols.exprs[expr];
                let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, &after);
                let swapped = self.condition(expr, overflow);
                Expr::Choose(
                    Box::new(swapped),
                    Box::new(read(!big, local.clone())),
                    Box::new(read(big, local)),
                )
            }
        };
        self.finish_binary(span, var, ty, site, value, &after, length * 8);
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one form")]
    fn finish_binary(
        &mut self,
        span: SpanId,
        var: VarId,
        ty: IntType,
        site: SiteId,
        value: Expr,
        after: &Captures,
        bits: u64,
    ) {
        if self.m.symbols.vars[var].ty == VarType::Bool {
            self.clear_cut_after(span, var, value.op(Do::NotEqual, Expr::Int(0)));
            return self.trace_capture(site, var);
        }
        let mut value = value;
        if !ty.wrap && bits > u64::from(ty.bits) {
            let local = self.local("number");
            self.put(Stmt::Set(local.clone(), value));
            let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, after);
            let most = Expr::Int(if ty.bits >= 64 { u64::MAX } else { (1 << ty.bits) - 1 });
            self.put(Stmt::unless_rare(local.clone().op(Do::Greater, most), overflow));
            value = local;
        }
        if bits != u64::from(ty.bits) || ty.signed {
            value =
                Expr::runtime_with("wrapped", vec![u64::from(ty.bits), u64::from(ty.signed)], vec![value]);
        }
        self.clear_cut_after(span, var, Expr::CastVar(var, Box::new(value)));
        self.trace_capture(site, var);
    }

    fn clear_cut_after(&mut self, span: SpanId, var: VarId, value: Expr) {
        self.put(Stmt::Set(Expr::Var(var), value));
        self.clear_cut(span);
    }

    fn store_text(&mut self, span: SpanId, end: Expr) {
        let Some((var, append, keep)) = self.text_target(span) else { return };
        let array = matches!(self.m.symbols.vars[var].ty, VarType::Array { .. });
        let numbers = vec![u64::from(self.m.spans[span].trim), u64::from(append)];
        let slot = self.facts.slot(span);
        let (capture, held, from) = (self.slot_field(span), self.held(span), self.from(span));
        let room = if keep.is_some() || array {
            self.local(&format!("room{slot}"))
        } else {
            Expr::Int(self.text_limit(var))
        };
        let arguments = vec![Expr::Var(var), capture, held, from, end, room];
        self.put(Stmt::Do(Expr::runtime_with("finish_text", numbers, arguments)));
    }

    /// What a capture does at a cut, in a state where it is open.
    pub fn cut(&mut self, span: SpanId, closed: bool, site: SiteId) {
        let slot = self.facts.slot(span);
        let end = if closed {
            self.local(&format!("to{slot}"))
        } else if self.is_until(self.state) {
            self.local("text_start")
        } else {
            Expr::local("p")
        };
        match self.m.spans[span].form.clone() {
            Form::Pieces { .. } => {
                let from = self.from(span);
                let some = from.op(Do::NotEqual, end.clone());
                let pieces = self.apart(|g| g.hand_on(span, site, false, end.clone()));
                self.put(Stmt::when(some, pieces));
            }
            Form::String { .. } | Form::Array { .. } | Form::View { .. } => {
                let trim = u64::from(self.m.spans[span].trim);
                let (capture, held, from) = (self.slot_field(span), self.held(span), self.from(span));
                let room = self.local(&format!("room{slot}"));
                let arguments = vec![capture, held, from, end, room.clone()];
                self.put(Stmt::Set(room, Expr::runtime_with("hold", vec![trim], arguments)));
            }
            _ if self.folds(span) => {
                let call = self.fold_call(span, end);
                let from = self.from(span);
                self.put(Stmt::Set(from, call));
            }
            _ => {
                let (capture, from) = (self.slot_field(span), self.from(span));
                if self.fixed_length(span).is_some_and(|k| k > 8) {
                    let held = self.held(span);
                    self.put(Stmt::Do(Expr::runtime("keep_long", vec![capture, held, from, end])));
                } else {
                    self.put(Stmt::Do(Expr::runtime("keep", vec![capture, from, end])));
                }
            }
        }
    }

    /// Hands on what a capture of form `pieces` has.
    pub fn hand_on(&mut self, span: SpanId, site: SiteId, last: bool, end: Expr) {
        let Form::Pieces { function, xor } = self.m.spans[span].form else { return };
        let (from, capture) = (self.from(span), self.slot_field(span));
        let first = capture.clone().method("was_cut", vec![]).negated();
        match xor {
            None => {
                let bytes = from.piece(end.clone());
                self.hand_piece(span, site, function, bytes, first, Expr::Bool(last), last);
            }
            Some(key) => {
                let position = capture.clone().method("position", vec![]);
                let key = Expr::runtime("bytes", vec![Expr::Var(key)]);
                let going = self.local("truth");
                self.put(Stmt::Set(going.clone(), Expr::Bool(true)));
                let body = self.apart(|g| {
                    let scratch = g.local("scratch");
                    let piece = Expr::runtime(
                        "unmask",
                        vec![scratch, from.clone().piece(end.clone()), key, position.clone()],
                    );
                    g.put(Stmt::Let("unmasked".to_owned(), Ty::Bytes, piece));
                    let length = Expr::local("unmasked").method("size", vec![]);
                    g.put(Stmt::Add(from.clone(), length.clone()));
                    g.put(Stmt::Add(position, length));
                    g.put(Stmt::Set(going.clone(), from.clone().op(Do::NotEqual, end.clone())));
                    let end = if last { going.clone().negated() } else { Expr::Bool(false) };
                    g.hand_piece(span, site, function, Expr::local("unmasked"), first, end, last);
                    g.put(Stmt::Do(capture.method("mark_cut", vec![])));
                });
                self.put(Stmt::While(going, body));
                return;
            }
        }
        if !last {
            self.put(Stmt::Do(capture.method("mark_cut", vec![])));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the arguments of a stream callback")]
    fn hand_piece(
        &mut self,
        span: SpanId,
        site: SiteId,
        function: vproto_ir::ids::FunctionId,
        bytes: Expr,
        first: Expr,
        is_last: Expr,
        last: bool,
    ) {
        if self.options.trace {
            let at = self.offset();
            let piece =
                Event::Piece { buffer: span.0, site, function, bytes: bytes.clone(), last: false, at };
            self.put(Stmt::Trace(piece));
        }
        self.put(Stmt::Do(Expr::Call(Callee::User(function), vec![bytes, first, is_last.clone()])));
        if self.options.trace && last {
            let empty = Expr::Text(Vec::new());
            let at = self.offset();
            let event = Event::Piece { buffer: span.0, site, function, bytes: empty, last: true, at };
            let print = vec![Stmt::Trace(event)];
            match is_last {
                Expr::Bool(true) => self.out.extend(print),
                test => self.put(Stmt::when(test, print)),
            }
        }
    }

    /// The first state, in order, in which a capture is open: where its token stands.
    pub fn token_state(&self, span: SpanId) -> Option<StateId> {
        let states = self.facts.open_states.get(&span)?.iter();
        let placed = states.filter_map(|s| Some((*self.facts.places.get(s)?, *s)));
        placed.min().map(|(_, state)| state)
    }
}

fn of_type(ty: IntType) -> Vec<u64> {
    vec![u64::from(ty.bits), u64::from(ty.signed), u64::from(ty.wrap)]
}
