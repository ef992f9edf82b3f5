//! Edges: actions in their order, then the way to the target.

use super::facts::{Captures, site_of, visible_edge};
use super::r#gen::{Found, Gen};
use super::portable::Outcomes;
use crate::tree::{Callee, Event, Expr, Op as Do, Stmt, Ty};
use vproto_ir::ids::{CodeId, ExprId, FunctionId, SiteId, StateId};
use vproto_ir::machine::{Action, Edge, ErrorKind, Kind, Op};
use vproto_ir::portable::{self, CodeKind, ExprKind};

impl Gen<'_> {
    /// All of an edge of the state being written, the jump included.
    pub fn edge(&mut self, edge: &Edge) {
        let mut captures = self.facts.at(self.state);
        for action in &edge.actions {
            self.action(action, &captures);
            captures.step(action);
        }
        self.enter(edge.to, visible_edge(self.m, edge));
    }

    /// Goes to a state; a callback may have asked for a pause.
    pub fn enter(&mut self, to: StateId, visible: bool) {
        let rests = self.m.state(to).kind.rests();
        let passed_on = !self.m.state(self.state).kind.rests() && self.facts.watched.contains(&self.state);
        let watched = visible || passed_on || matches!(self.m.state(self.state).kind, Kind::Par { .. });
        if rests && watched && !self.in_thread {
            let number = self.facts.numbers.get(&to).copied().unwrap_or(0);
            let paused = self.field("pausing", Ty::Bool, "a callback asked for a pause");
            self.pauses = true;
            let then = vec![
                Stmt::Set(self.number(), Expr::Int(u64::from(number))),
                Stmt::Jump(crate::tree::label("pause", "")),
            ];
            self.put(Stmt::unless_rare(paused, then));
        }
        self.put(Stmt::jump("s", to.0));
    }

    /// The field that holds where the parser rests.
    pub fn number(&mut self) -> Expr {
        Expr::field("number")
    }

    /// One action. `captures` are those before it.
    pub fn action(&mut self, action: &Action, captures: &Captures) {
        let site = site_of(action, self.m.state(self.state).site).unwrap_or(SiteId(0));
        match &action.op {
            Op::Take => self.take_byte(captures),
            Op::Open(span) => self.open(*span, site, captures),
            Op::Commit(span) => self.commit(*span, site, captures),
            Op::Close(span) => {
                let slot = self.facts.slot(*span);
                let to = self.local(&format!("to{slot}"));
                self.put(Stmt::Set(to, Expr::local("p")));
                if self.options.trace {
                    let doc = "where a capture was closed, for the trace";
                    let (field, offset) =
                        (self.field(&format!("closed{slot}"), Ty::Unsigned(64), doc), self.offset());
                    self.put(Stmt::Set(field, Expr::runtime("outer_offset", vec![offset])));
                }
            }
            Op::Deliver(span) => self.deliver(*span, site, captures),
            Op::DropSpan(span) => self.drop_span(*span),
            Op::SetLo(e) => self.register("lo", *e, site, captures),
            Op::SetHi(e) => self.register("hi", *e, site, captures),
            Op::SetRep(e) => self.register("rep", *e, site, captures),
            Op::SetLoFixed(n) => self.set_register("lo", Expr::Int(*n)),
            Op::SetHiFixed(n) => self.set_register("hi", Expr::Int(*n)),
            Op::SetLoToHi => {
                let hi = self.local("hi");
                self.set_register("lo", hi);
            }
            Op::SetRepFixed(n) => self.set_register("rep", Expr::Int(*n)),
            Op::CountRep => {
                let rep = self.local("rep");
                self.put(Stmt::Add(rep, Expr::Int(1)));
            }
            Op::Begin(span) => self.begin(*span, site),
            Op::End(span) => self.end(*span, site),
            Op::EndModule(var) => self.end_module(*var, site, captures),
            Op::Notify(function, arguments) => {
                let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, captures);
                let m = self.m;
                let arguments: Vec<&portable::Expr> =
                    arguments.iter().map(|e| &m.symbols.exprs[*e]).collect();
                self.notify(*function, &arguments, site, overflow);
            }
            Op::Code(code) => {
                let wrong = self.failure(ErrorKind::Condition, site, "", Found::Nothing, captures);
                self.code(*code, site, captures, wrong);
            }
            Op::SetVar(var, value) => {
                self.put(Stmt::Set(Expr::Var(*var), Expr::CastVar(*var, Box::new(Expr::Int(*value)))));
                self.trace_capture(site, *var);
            }
            Op::InitVar(var, value) => {
                self.put(Stmt::Set(Expr::Var(*var), Expr::CastVar(*var, Box::new(Expr::Int(*value)))));
            }
            Op::Mark(mark) => self.mark(*mark),
            Op::Home(tree) => self.home(*tree),
            Op::Unspan(mark) => self.unspan(*mark),
            Op::Reset => self.reset(),
        }
    }

    /// Takes the byte in hand. A bounded text that is full refuses it.
    fn take_byte(&mut self, captures: &Captures) {
        self.refuse_byte(captures);
        self.put(Stmt::Add(Expr::local("p"), Expr::Int(1)));
    }

    fn set_register(&mut self, name: &str, value: Expr) {
        let register = self.local(name);
        self.put(Stmt::Set(register, value));
    }

    /// `hi = e`: negative is `overflow`.
    fn register(&mut self, name: &str, expr: ExprId, site: SiteId, captures: &Captures) {
        let expr = &self.m.symbols.exprs[expr];
        let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, captures);
        let value = self.bound(expr, overflow);
        self.set_register(name, value);
    }

    /// The value of a bound, as an unsigned number; does `overflow` where it is negative.
    pub fn bound(&mut self, expr: &portable::Expr, overflow: Vec<Stmt>) -> Expr {
        if let ExprKind::Int(value) = expr.kind
            && let Ok(value) = u64::try_from(value)
        {
            return Expr::Int(value);
        }
        let (low, _) = super::portable::range(expr, &|var, member| self.var_type(var, member));
        let (value, fails) = self.guarded(|g| g.int(expr));
        if low >= 0 && !fails {
            return Expr::Cast(Ty::Unsigned(64), Box::new(value));
        }
        let local = self.local("value");
        let negative = local.clone().lt(Expr::Signed(0));
        if fails {
            self.put(Stmt::Set(Expr::local("bad"), Expr::Bool(false)));
        }
        self.put(Stmt::Set(local.clone(), value));
        let wrong = if fails { Expr::local("bad").op(Do::Either, negative) } else { negative };
        self.put(Stmt::unless_rare(wrong, overflow));
        Expr::Cast(Ty::Unsigned(64), Box::new(local))
    }

    /// Calls the user's function, arguments from left to right.
    pub fn notify(
        &mut self,
        function: FunctionId,
        arguments: &[&portable::Expr],
        site: SiteId,
        overflow: Vec<Stmt>,
    ) {
        let mut passed = Vec::new();
        let mut fails = false;
        let mut lets = Vec::new();
        for (i, argument) in arguments.iter().enumerate() {
            let (value, may_fail) = self.guarded(|g| g.argument(argument));
            fails |= may_fail;
            let lone = matches!(argument.kind, ExprKind::Var(_) | ExprKind::Member(..) | ExprKind::Call(..));
            if lone || !may_fail {
                passed.push(value);
                continue;
            }
            let name = format!("argument{i}");
            let ty = match argument.ty {
                portable::Type::Bool => Ty::Bool,
                portable::Type::Text => Ty::Bytes,
                _ => Ty::Signed(64),
            };
            lets.push(Stmt::Let(name.clone(), ty, value));
            passed.push(Expr::local(&name));
        }
        let mut body = Vec::new();
        if fails {
            let bad = self.local("bad");
            body.push(Stmt::Set(bad.clone(), Expr::Bool(false)));
            body.extend(lets);
            body.push(Stmt::unless_rare(bad, overflow));
        }
        if self.options.trace {
            let enums = arguments.iter().map(|a| match (&a.kind, a.ty) {
                (ExprKind::Var(_) | ExprKind::Member(..), _) => None,
                (_, portable::Type::Enum(of)) => Some(of),
                _ => None,
            });
            let shown = passed.iter().cloned().zip(enums).collect();
            let at = self.offset();
            body.push(Stmt::Trace(Event::Notify(site, at, function, shown)));
        }
        body.push(Stmt::Do(Expr::Call(Callee::User(function), passed)));
        if fails { self.put(Stmt::Block(body)) } else { self.out.extend(body) }
    }

    /// A block or condition; `wrong` where it is false.
    pub fn code(&mut self, code: CodeId, site: SiteId, captures: &Captures, wrong: Vec<Stmt>) {
        let m = self.m;
        match &m.symbols.codes[code].kind {
            CodeKind::Condition(expr) => {
                let overflow = self.failure(ErrorKind::Overflow, site, "", Found::Nothing, captures);
                let truth = self.condition(expr, overflow);
                match truth {
                    Expr::Bool(true) => {}
                    truth => self.put(Stmt::when(truth.negated(), wrong)),
                }
            }
            CodeKind::Block(block) => {
                let outcomes = Outcomes {
                    site,
                    good: self.good(),
                    wrong,
                    overflow: self.failure(ErrorKind::Overflow, site, "", Found::Nothing, captures),
                    limit: self.failure(ErrorKind::Limit, site, "", Found::Nothing, captures),
                };
                let body = self.apart(|g| g.block(block, &outcomes));
                self.out.extend(body);
                self.put(Stmt::Label(outcomes.good));
            }
            CodeKind::Opaque { .. } => {
                let text = m.symbols.codes[code].text.clone();
                let locals = self.builtins(&text);
                let call = Expr::Call(Callee::Own(self.opaque(code, locals)), Vec::new());
                self.put(Stmt::when(call.negated(), wrong));
            }
        }
    }

    /// The function of a piece of opaque code.
    fn opaque(&mut self, code: CodeId, locals: Vec<Stmt>) -> String {
        let name = format!("code{}", code.0);
        if !self.functions.iter().any(|f| f.name == name) {
            self.functions.push(crate::tree::Function {
                name: name.clone(),
                doc: String::new(),
                role: crate::tree::FunctionRole::Code(code),
                locals: Vec::new(),
                body: locals,
            });
        }
        name
    }

    /// The event of a variable that was stored.
    pub fn trace_capture(&mut self, site: SiteId, var: vproto_ir::ids::VarId) {
        let at = self.offset();
        self.trace(Event::Capture(site, at, var));
    }

    /// An event, in programs that have a trace.
    pub fn trace(&mut self, event: Event) {
        if self.options.trace {
            self.put(Stmt::Trace(event));
        }
    }
}
