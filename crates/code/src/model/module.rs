//! Sub-parsers: bytes of a token are the stream of another module's parser.

use super::facts::Captures;
use super::r#gen::{Found, Gen};
use super::state::Rests;
use crate::tree::{Callee, Expr, Op as Do, Stmt, Ty, label};
use vproto_ir::ids::{ExprId, SiteId, StateId, VarId};
use vproto_ir::machine::{Bound, ErrorKind, Kind};
use vproto_ir::portable::{ExprKind, Type};
use vproto_ir::symbols::VarType;

/// Numbers of the ways in which a stream ends, as the runtime has them.
pub const LIMIT: u64 = 1;
/// The end of the stream.
pub const STREAM: u64 = 2;

impl Gen<'_> {
    /// A state that feeds a sub-parser.
    pub fn module_state(&mut self, id: StateId, rests: &mut Rests) {
        let m = self.m;
        let Kind::Module { var, set, lo, hi, join, xor, sets, next } = &m.state(id).kind else { return };
        let number = self.number_of(id);
        let site = self.own_site();
        let captures = self.facts.at(id);
        let (p, end, n) = (Expr::local("p"), Expr::local("end"), self.local("n"));
        let sub = Expr::SubParser(*var);
        let bounded = *hi != Bound::Unbounded;
        let most = self.bound_expr(*hi);
        let least = if *lo == Bound::Register { self.local("lo") } else { self.bound_expr(*lo) };
        self.enter_module(
            *var,
            *join,
            if bounded { most.clone() } else { Expr::Int(super::call::NEVER) },
            *xor,
            sets,
        );
        self.put(Stmt::Set(n.clone(), Expr::Int(0)));
        self.put(Stmt::label("more", id.0));
        let alive = self.alive(*var, site, &captures, true);
        self.out.extend(alive);
        let stopped = sub.clone().method("is_over", vec![]);
        let leave = vec![Stmt::jump("leave", id.0)];
        if bounded {
            self.put(Stmt::when(n.clone().op(Do::GreaterEqual, most.clone()), leave.clone()));
        } else {
            self.put(Stmt::unless_rare(stopped.clone(), leave.clone()));
        }
        let limit = self.local("limit");
        let window = if bounded {
            Expr::runtime("at_most", vec![p.clone(), end.clone(), most.clone().minus(n.clone())])
        } else {
            end.clone()
        };
        self.put(Stmt::Set(limit.clone(), window));
        if !set.is_all() {
            let run = Expr::Skip(self.set(set), Box::new(p.clone()), Box::new(limit.clone()));
            self.put(Stmt::Set(limit.clone(), run));
        }
        let whole = (bounded && !*join).then(|| most.clone());
        let body = self.apart(|g| g.feed(id, *var, *xor, bounded, whole));
        self.put(Stmt::when(p.clone().op(Do::NotEqual, limit), body));
        if bounded {
            self.put(Stmt::when(n.clone().op(Do::GreaterEqual, most), leave.clone()));
        }
        let rest = self.rest(number + 1);
        let lacks = n.clone().lt(least);
        let unclamped = !matches!(lo, Bound::Fixed(0));
        if set.is_all() {
            self.out.extend(rest);
        } else {
            self.put(Stmt::when(p.eq(end), rest));
            if unclamped {
                let mismatch = self.mismatch();
                let wrong = self.apart(|g| {
                    g.leave_module(*var, *join, Expr::Int(LIMIT), site, &captures);
                    g.out.extend(mismatch);
                });
                self.put(Stmt::unless_rare(lacks.clone(), wrong));
            }
        }
        self.put(Stmt::label("leave", id.0));
        let how = Expr::Int(LIMIT);
        self.leave_module(*var, *join, how, site, &captures);
        self.put(Stmt::label("done", id.0));
        self.edge(next);
        rests.resume.push((number, id, vec![Stmt::jump("s", id.0)]));
        rests.resume.push((number + 1, id, vec![Stmt::jump("more", id.0)]));
        let lack = self.lack(id);
        let ends = self.apart(|g| {
            let stream = Expr::local("ending").eq(Expr::Int(STREAM));
            let by_stream = if g.has_fences() {
                let open = g.fence_field().op(Do::NotEqual, g.offset());
                stream.op(Do::Both, open)
            } else {
                stream
            };
            let how =
                Expr::Choose(Box::new(by_stream), Box::new(Expr::Int(STREAM)), Box::new(Expr::Int(LIMIT)));
            g.leave_module(*var, *join, how, site, &captures);
            if unclamped {
                g.put(Stmt::when(lacks, lack));
            }
            g.put(Stmt::jump("done", id.0));
        });
        rests.ends.push((number, ends.clone()));
        let again = vec![Stmt::jump("endmodule", id.0)];
        self.cold.push(Stmt::label("endmodule", id.0));
        self.cold.extend(ends);
        if let Some(last) = rests.ends.last_mut() {
            last.1 = again.clone();
        }
        rests.ends.push((number + 1, again));
    }

    fn enter_module(
        &mut self,
        var: VarId,
        join: bool,
        limit: Expr,
        xor: Option<VarId>,
        sets: &[(VarId, ExprId)],
    ) {
        let sub = Expr::SubParser(var);
        let site = self.own_site();
        let captures = self.facts.at(self.state);
        if let Some(key) = xor {
            let empty = Expr::runtime("bytes", vec![Expr::Var(key)]).method("empty", vec![]);
            let failure = self.failure(ErrorKind::Condition, site, "", Found::Nothing, &captures);
            self.put(Stmt::unless_rare(empty, failure));
        }
        let body = self.apart(|g| {
            for (i, (member, expr)) in sets.iter().enumerate() {
                g.option(i, var, *member, *expr, site, &captures);
            }
            let begin = |limit: Expr| Stmt::Do(Expr::SubParser(var).method("begin_stream", vec![limit]));
            if join {
                let runs = g.field(&format!("runs{}", var.0), Ty::Bool, "a joined module is in its stream");
                let anew =
                    vec![Stmt::Set(runs.clone(), Expr::Bool(true)), begin(Expr::Int(super::call::NEVER))];
                g.put(Stmt::when(runs.negated(), anew));
                let place = g.place(site, "");
                let field =
                    g.field(&format!("joined_at{}", var.0), Ty::Unsigned(32), "the token that feeds it");
                g.put(Stmt::Set(field, Expr::Int(place)));
            } else {
                let left = g.left();
                let left = Expr::Cast(Ty::Unsigned(64), Box::new(left));
                let left = Expr::runtime("unlimited", vec![left]);
                g.put(begin(Expr::runtime("least", vec![limit, left])));
                if g.joined().contains(&var) {
                    let runs =
                        g.field(&format!("runs{}", var.0), Ty::Bool, "a joined module is in its stream");
                    g.put(Stmt::Set(runs, Expr::Bool(false)));
                }
            }
            if g.joined().contains(&var) {
                let order =
                    g.field(&format!("joined{}", var.0), Ty::Unsigned(32), "when a module was first used");
                let count = g.field("joins", Ty::Unsigned(32), "number of modules that were used");
                let first = vec![Stmt::Add(count.clone(), Expr::Int(1)), Stmt::Set(order.clone(), count)];
                g.put(Stmt::when(order.eq(Expr::Int(0)), first));
            }
            for (i, (member, expr)) in sets.iter().enumerate() {
                g.set_option(i, var, *member, *expr, site, &captures);
            }
            // A module may do something before its first byte. With a byte at hand it does that when it gets it.
            let nothing = Expr::local("p").eq(Expr::local("end"));
            let feed = g.apart(|g| {
                g.set_outer(var);
                let empty = Expr::local("p").piece(Expr::local("p"));
                g.put(Stmt::Do(sub.method("feed", vec![empty])));
            });
            g.put(Stmt::unless_rare(nothing, feed));
        });
        if sets.is_empty() { self.out.extend(body) } else { self.put(Stmt::Block(body)) }
    }

    fn set_outer(&mut self, var: VarId) {
        if self.options.trace {
            let outer = Expr::runtime("outer_offset", vec![self.offset()]);
            self.put(Stmt::Do(Expr::SubParser(var).method("set_outer", vec![outer])));
        }
    }

    /// Variables of modules that are joined.
    pub fn joined(&self) -> Vec<VarId> {
        let mut found = Vec::new();
        for state in self.m.states.rows().iter().flatten() {
            if let Kind::Module { var, join: true, .. } = &state.kind
                && !found.contains(var)
            {
                found.push(*var);
            }
        }
        found
    }

    /// `x=e`: evaluated before the module begins.
    fn option(
        &mut self,
        i: usize,
        var: VarId,
        member: VarId,
        expr: ExprId,
        site: SiteId,
        captures: &Captures,
    ) {
        let expr = &self.m.symbols.exprs[expr];
        if expr.ty == Type::Text || self.lone(expr).is_some() {
            return;
        }
        let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, captures);
        let (value, fails) = self.guarded(|g| match g.var_type(var, Some(member)) {
            VarType::Bool => g.truth(expr),
            _ => g.int(expr),
        });
        let ty = if self.var_type(var, Some(member)) == VarType::Bool { Ty::Bool } else { Ty::Signed(64) };
        if fails {
            let bad = self.local("bad");
            self.put(Stmt::Set(bad, Expr::Bool(false)));
        }
        self.put(Stmt::Let(format!("option{i}"), ty, value));
        if fails {
            self.put(Stmt::unless_rare(Expr::local("bad"), overflow));
        }
    }

    fn lone(&self, expr: &vproto_ir::portable::Expr) -> Option<VarId> {
        match &expr.kind {
            ExprKind::Var(from) if !self.m.symbols.vars[*from].ty.is_text() => Some(*from),
            _ => None,
        }
    }

    /// `x=e`: the value must fit the module's variable.
    fn set_option(
        &mut self,
        i: usize,
        var: VarId,
        member: VarId,
        expr: ExprId,
        site: SiteId,
        captures: &Captures,
    ) {
        let expr = &self.m.symbols.exprs[expr];
        let ty = self.var_type(var, Some(member));
        let target = Expr::Member(var, member);
        if expr.ty == Type::Text {
            let limit = self.failure(ErrorKind::Limit, site, "", Found::Nothing, captures);
            let text = self.text(expr);
            let most = match self.m.symbols.vars[var].ty {
                VarType::Module(of) => {
                    let limits = self.program.machines[of].symbols.limits;
                    match ty {
                        VarType::View => u64::from(limits.view),
                        VarType::Array { capacity } => u64::from(capacity),
                        _ => u64::from(limits.string),
                    }
                }
                _ => 0,
            };
            let call = Expr::runtime("assign", vec![target, Expr::Int(most), text]);
            return self.put(Stmt::unless_rare(call.negated(), limit));
        }
        let value = self.lone(expr).map_or_else(|| Expr::local(&format!("option{i}")), Expr::Var);
        if matches!(ty, VarType::Float { .. }) {
            return self.put(Stmt::Set(target, value));
        }
        if ty == VarType::Bool {
            let value = match self.lone(expr) {
                Some(from) if self.m.symbols.vars[from].ty != VarType::Bool => {
                    value.op(Do::NotEqual, Expr::Int(0))
                }
                _ => value,
            };
            return self.put(Stmt::Set(target, value));
        }
        let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, captures);
        let set = Expr::runtime("fit", vec![target, value]);
        self.put(Stmt::unless_rare(set.negated(), overflow));
    }

    /// A module that failed is an exception of the token that feeds it.
    fn alive(&mut self, var: VarId, site: SiteId, captures: &Captures, whole: bool) -> Vec<Stmt> {
        let failed = Expr::SubParser(var).method("has_failed", vec![]);
        let (k, f, partial) = (self.local("kind"), self.local("found"), self.local("partial"));
        let found = Expr::SubParser(var).method("error_found", vec![]);
        let incomplete =
            if whole { Expr::SubParser(var).method("is_incomplete", vec![]) } else { Expr::Bool(false) };
        let between = vec![
            Stmt::Set(k, Expr::Int(Gen::kind_number(ErrorKind::Module))),
            Stmt::Set(partial, incomplete),
            Stmt::Set(f, found),
        ];
        let failure = self.failure_with(between, site, "", captures);
        vec![Stmt::unless_rare(failed, failure)]
    }

    /// Bytes up to local `limit` are handed on.
    fn feed(&mut self, id: StateId, var: VarId, xor: Option<VarId>, bounded: bool, whole: Option<Expr>) {
        let sub = Expr::SubParser(var);
        let (p, n, limit) = (Expr::local("p"), Expr::local("n"), Expr::local("limit"));
        let taken = self.local("taken");
        if bounded {
            let rest = vec![
                Stmt::Add(n.clone(), p.clone().to(limit.clone())),
                Stmt::Set(p.clone(), limit.clone()),
                Stmt::jump("more", id.0),
            ];
            self.put(Stmt::unless_rare(sub.clone().method("is_over", vec![]), rest));
        }
        self.set_outer(var);
        match xor {
            None => {
                let bytes = p.clone().piece(limit.clone());
                let feed = Stmt::Set(taken.clone(), sub.clone().method("feed", vec![bytes.clone()]));
                match whole {
                    // All bytes that the module gets are here: it need not rest before its end.
                    Some(most) => {
                        let all = p.clone().to(limit.clone()).eq(most.minus(n.clone()));
                        let last = sub.clone().method("feed_last", vec![bytes]);
                        let then = vec![Stmt::Set(taken.clone(), last)];
                        self.put(Stmt::If(all, crate::tree::Odds::Likely, then, vec![feed]));
                    }
                    None => self.put(feed),
                }
            }
            Some(key) => {
                let scratch = self.local("scratch");
                let key = Expr::runtime("bytes", vec![Expr::Var(key)]);
                let piece =
                    Expr::runtime("unmask", vec![scratch, p.clone().piece(limit.clone()), key, n.clone()]);
                let chunk = self.local("chunk");
                self.put(Stmt::Set(chunk.clone(), piece));
                let size = chunk.clone().method("size", vec![]);
                self.put(Stmt::Set(limit.clone(), p.clone().plus(size)));
                self.put(Stmt::Set(taken.clone(), sub.clone().method("feed", vec![chunk.clone()])));
                self.move_out(var, chunk);
            }
        }
        self.put(Stmt::Add(p.clone(), taken.clone()));
        self.put(Stmt::Add(n, taken));
        let number = self.number_of(id) + 1;
        let pause = vec![Stmt::Set(self.number(), Expr::Int(number)), Stmt::Jump(label("cut", ""))];
        let inner = sub.clone().method("takes_pause", vec![]);
        self.put(Stmt::unless_rare(inner, pause));
        if xor.is_some() {
            self.put(Stmt::jump("more", id.0));
        } else {
            let again = p.op(Do::NotEqual, limit).op(Do::Either, sub.method("is_over", vec![]));
            self.put(Stmt::unless_rare(again, vec![Stmt::jump("more", id.0)]));
        }
    }

    /// Views of a module do not point into a piece that was combined: its buffer goes away.
    fn move_out(&mut self, var: VarId, chunk: Expr) {
        let VarType::Module(of) = self.m.symbols.vars[var].ty else { return };
        if !super::goto::has_views(self.program, of) {
            return;
        }
        let first = Expr::runtime("begin", vec![chunk.clone()]);
        let stop = first.clone().plus(chunk.method("size", vec![]));
        let arguments = vec![first, stop, Expr::Bool(false)];
        self.put(Stmt::Do(Expr::SubParser(var).method("move_views", arguments)));
    }

    fn leave_module(&mut self, var: VarId, join: bool, how: Expr, site: SiteId, captures: &Captures) {
        if join {
            return;
        }
        self.finish_module(var, how);
        let alive = self.alive(var, site, captures, true);
        self.out.extend(alive);
    }

    fn finish_module(&mut self, var: VarId, how: Expr) {
        self.set_outer(var);
        self.put(Stmt::Do(Expr::SubParser(var).method("end_stream", vec![how])));
    }

    /// `end:v`: the stream of a joined module is over; its variables stay until the next token begins it anew.
    pub fn end_module(&mut self, var: VarId, site: SiteId, captures: &Captures) {
        let runs = self.field(&format!("runs{}", var.0), Ty::Bool, "a joined module is in its stream");
        let body = self.apart(|g| {
            g.put(Stmt::Set(runs.clone(), Expr::Bool(false)));
            g.finish_module(var, Expr::Int(STREAM));
            let alive = g.alive(var, site, captures, false);
            g.out.extend(alive);
        });
        self.put(Stmt::when(runs, body));
    }

    /// The stream is complete, if the joined modules are: in the order in which they began.
    pub fn finish_joined(&mut self) {
        let joined = self.joined();
        for _ in &joined {
            for var in &joined {
                let order = |v: VarId| Expr::field(&format!("joined{}", v.0));
                let runs = |v: VarId| Expr::field(&format!("runs{}", v.0));
                for v in &joined {
                    self.field(&format!("joined{}", v.0), Ty::Unsigned(32), "when a module was first used");
                    self.field(&format!("runs{}", v.0), Ty::Bool, "a joined module is in its stream");
                }
                let mut next = runs(*var);
                for other in joined.iter().filter(|o| *o != var) {
                    let gone = runs(*other).negated();
                    next = next.op(Do::Both, gone.op(Do::Either, order(*other).op(Do::Greater, order(*var))));
                }
                let body = self.apart(|g| {
                    g.put(Stmt::Set(runs(*var), Expr::Bool(false)));
                    g.finish_module(*var, Expr::Int(STREAM));
                    let place =
                        g.field(&format!("joined_at{}", var.0), Ty::Unsigned(32), "the token that feeds it");
                    let sub_found = Expr::SubParser(*var).method("error_found", vec![]);
                    let partial = g.local("partial");
                    let failed = Expr::SubParser(*var).method("has_failed", vec![]);
                    let incomplete = Expr::SubParser(*var).method("is_incomplete", vec![]);
                    let (l, k, f) = (g.local("place"), g.local("kind"), g.local("found"));
                    let then = vec![
                        Stmt::Set(partial, Expr::Bool(false)),
                        Stmt::Set(l, place),
                        Stmt::Set(k, Expr::Int(Gen::kind_number(ErrorKind::Module))),
                        Stmt::Set(f, sub_found),
                        Stmt::when(incomplete, vec![Stmt::Jump(label("incomplete", ""))]),
                        Stmt::Jump(label("uncaught", "")),
                    ];
                    g.put(Stmt::unless_rare(failed, then));
                });
                self.put(Stmt::when(next, body));
            }
        }
    }

    /// Calls a function of the parser itself.
    pub fn own(&mut self, name: &str) {
        self.put(Stmt::Do(Expr::Call(Callee::Own(name.to_owned()), vec![])));
    }
}
