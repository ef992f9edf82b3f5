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
        let stopped = sub.clone().method("has_stopped", vec![]);
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
        let body = self.apart(|g| g.feed(id, *var, *xor, bounded, site, &captures));
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
                self.put(Stmt::unless_rare(lacks.clone(), mismatch));
            }
        }
        self.put(Stmt::label("leave", id.0));
        let how = Expr::Int(LIMIT);
        self.leave_module(*var, *join, how, site, &captures, Found::Nothing);
        self.put(Stmt::label("done", id.0));
        self.edge(next);
        rests.resume.push((number, id, vec![Stmt::jump("s", id.0)]));
        rests.resume.push((number + 1, id, vec![Stmt::jump("more", id.0)]));
        let lack = self.lack(id);
        let ends = self.apart(|g| {
            if unclamped {
                g.put(Stmt::when(lacks, lack));
            }
            let stream = Expr::local("ending").eq(Expr::Int(STREAM));
            let at_limit = if g.has_fences() {
                let fenced = g.fence_field().eq(g.offset());
                stream.negated().op(Do::Either, fenced)
            } else {
                stream.negated()
            };
            g.put(Stmt::when(at_limit, vec![Stmt::jump("leave", id.0)]));
            g.leave_module(*var, *join, Expr::Int(STREAM), site, &captures, Found::End);
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
        if join {
            let at = self.join_index(var);
            let order =
                self.field(&format!("joined{}", var.0), Ty::Unsigned(32), "when a joined module began");
            let _ = at;
            let count = self.field("joins", Ty::Unsigned(32), "number of joined modules that began");
            let begin = vec![Stmt::Add(count.clone(), Expr::Int(1)), Stmt::Set(order.clone(), count)];
            self.put(Stmt::when(order.eq(Expr::Int(0)), begin));
        } else {
            self.put(Stmt::Do(sub.method("begin_stream", vec![limit])));
        }
        for (member, expr) in sets {
            self.set_option(var, *member, *expr, site, &captures);
        }
    }

    fn join_index(&self, var: VarId) -> usize {
        self.joined().iter().position(|v| *v == var).unwrap_or(0)
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

    /// `x=e`: the value must fit the module's variable.
    fn set_option(&mut self, var: VarId, member: VarId, expr: ExprId, site: SiteId, captures: &Captures) {
        let expr = &self.m.symbols.exprs[expr];
        let ty = self.var_type(var, Some(member));
        let target = Expr::Member(var, member);
        let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, captures);
        if expr.ty == Type::Text {
            let text = self.text(expr);
            let call = Expr::runtime("assign", vec![target, Expr::Int(u64::from(u32::MAX)), text]);
            return self.put(Stmt::Do(call));
        }
        if ty == VarType::Bool {
            let truth = self.condition(expr, overflow);
            return self.put(Stmt::Set(target, truth));
        }
        let lone = match &expr.kind {
            ExprKind::Var(from) if self.m.symbols.vars[*from].ty.is_scalar() => Some(*from),
            _ => None,
        };
        let value = match lone {
            Some(from) => Expr::Var(from),
            None => {
                let (value, fails) = self.guarded(|g| g.int(expr));
                let local = self.local("value");
                if fails {
                    self.put(Stmt::Set(self.out_bad(), Expr::Bool(false)));
                }
                self.put(Stmt::Set(local.clone(), value));
                if fails {
                    self.put(Stmt::unless_rare(Expr::local("bad"), overflow.clone()));
                }
                local
            }
        };
        let set = Expr::runtime("fit", vec![target, value]);
        self.put(Stmt::unless_rare(set.negated(), overflow));
    }

    fn out_bad(&self) -> Expr {
        Expr::local("bad")
    }

    /// Bytes up to local `limit` are handed on.
    fn feed(
        &mut self,
        id: StateId,
        var: VarId,
        xor: Option<VarId>,
        bounded: bool,
        site: SiteId,
        captures: &Captures,
    ) {
        let sub = Expr::SubParser(var);
        let (p, n, limit) = (Expr::local("p"), Expr::local("n"), Expr::local("limit"));
        let taken = self.local("taken");
        if bounded {
            let rest = vec![
                Stmt::Add(n.clone(), p.clone().to(limit.clone())),
                Stmt::Set(p.clone(), limit.clone()),
                Stmt::jump("more", id.0),
            ];
            self.put(Stmt::unless_rare(sub.clone().method("has_stopped", vec![]), rest));
        }
        if self.options.trace {
            let outer = Expr::runtime("outer_offset", vec![self.offset()]);
            self.put(Stmt::Do(sub.clone().method("set_outer", vec![outer])));
        }
        match xor {
            None => {
                let feed = sub.clone().method("feed", vec![p.clone().piece(limit.clone())]);
                self.put(Stmt::Set(taken.clone(), feed));
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
                self.put(Stmt::Set(taken.clone(), sub.clone().method("feed", vec![chunk])));
            }
        }
        self.put(Stmt::Add(p.clone(), taken.clone()));
        self.put(Stmt::Add(n, taken));
        let failed = sub.clone().method("has_failed", vec![]);
        let failure = self.failure(ErrorKind::Module, site, "", Found::Nothing, captures);
        self.put(Stmt::unless_rare(failed, failure));
        let number = self.number_of(id) + 1;
        let pause = vec![Stmt::Set(self.number(), Expr::Int(number)), Stmt::Jump(label("pause", ""))];
        let inner = sub.method("takes_pause", vec![]);
        self.put(Stmt::unless_rare(inner, pause));
        if xor.is_some() {
            self.put(Stmt::jump("more", id.0));
        } else {
            self.put(Stmt::unless_rare(p.op(Do::NotEqual, limit), vec![Stmt::jump("more", id.0)]));
        }
    }

    fn leave_module(
        &mut self,
        var: VarId,
        join: bool,
        how: Expr,
        site: SiteId,
        captures: &Captures,
        found: Found,
    ) {
        if join {
            return;
        }
        self.finish_module(var, how);
        let failed = Expr::SubParser(var).method("has_failed", vec![]);
        let failure = self.failure(ErrorKind::Module, site, "", found, captures);
        self.put(Stmt::unless_rare(failed, failure));
    }

    fn finish_module(&mut self, var: VarId, how: Expr) {
        if self.options.trace {
            let outer = Expr::runtime("outer_offset", vec![self.offset()]);
            self.put(Stmt::Do(Expr::SubParser(var).method("set_outer", vec![outer])));
        }
        self.put(Stmt::Do(Expr::SubParser(var).method("end_stream", vec![how])));
    }

    /// `end:v`: the stream of a joined module is over, and it is as before its first byte; its variables stay.
    pub fn end_module(&mut self, var: VarId, site: SiteId, captures: &Captures) {
        self.finish_module(var, Expr::Int(STREAM));
        let truth = self.local("truth");
        self.put(Stmt::Set(truth.clone(), Expr::SubParser(var).method("has_failed", vec![])));
        self.put(Stmt::Do(Expr::SubParser(var).method("rewind", vec![])));
        if self.joined().contains(&var) {
            let order =
                self.field(&format!("joined{}", var.0), Ty::Unsigned(32), "when a joined module began");
            self.put(Stmt::Set(order, Expr::Int(0)));
        }
        let failure = self.failure(ErrorKind::Module, site, "", Found::Nothing, captures);
        self.put(Stmt::unless_rare(truth, failure));
    }

    /// The stream is complete, if the joined modules are: in the order in which they began.
    pub fn finish_joined(&mut self) {
        let joined = self.joined();
        for _ in &joined {
            for var in &joined {
                let order = |v: VarId| Expr::field(&format!("joined{}", v.0));
                let mut next = order(*var).op(Do::NotEqual, Expr::Int(0));
                for other in joined.iter().filter(|o| *o != var) {
                    let gone = order(*other).eq(Expr::Int(0));
                    next = next.op(Do::Both, gone.op(Do::Either, order(*other).op(Do::Greater, order(*var))));
                }
                let body = self.apart(|g| {
                    g.put(Stmt::Set(order(*var), Expr::Int(0)));
                    g.finish_module(*var, Expr::Int(STREAM));
                    let site = g.join_site(*var);
                    let place = g.place(site, "");
                    let failed = Expr::SubParser(*var).method("has_failed", vec![]);
                    let incomplete = Expr::SubParser(*var).method("is_incomplete", vec![]);
                    let (l, k, f) = (g.local("place"), g.local("kind"), g.local("found"));
                    let then = vec![
                        Stmt::Set(l, Expr::Int(place)),
                        Stmt::Set(k, Expr::Int(Gen::kind_number(ErrorKind::Module))),
                        Stmt::Set(f, Expr::Int(257)),
                        Stmt::when(incomplete, vec![Stmt::Jump(label("incomplete", ""))]),
                        Stmt::Jump(label("uncaught", "")),
                    ];
                    g.put(Stmt::unless_rare(failed, then));
                });
                self.put(Stmt::when(next, body));
            }
        }
    }

    fn join_site(&self, wanted: VarId) -> SiteId {
        let found = self.m.states.rows().iter().flatten().find_map(|state| match &state.kind {
            Kind::Module { var, .. } if *var == wanted => state.site,
            _ => None,
        });
        found.unwrap_or(SiteId(0))
    }

    /// Calls a function of the parser itself.
    pub fn own(&mut self, name: &str) {
        self.put(Stmt::Do(Expr::Call(Callee::Own(name.to_owned()), vec![])));
    }
}
