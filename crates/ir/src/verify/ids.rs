//! Invariant 1: whatever an id names exists. Analyses index by ids, so this is checked first and alone.

use super::Found;
use crate::ids::{
    CodeId, EnumId, ExprId, FunctionId, Id, MarkId, ModuleId, SiteId, SpanId, StateId, TreeId, VarId,
};
use crate::machine::{Action, Form, Handler, Kind, Machine, Op, Plan, Predicate, State, Text, Until};
use crate::portable::{CodeKind, Expr, ExprKind, Stmt, TextChange, TextQuery, Type};
use crate::symbols::VarType;

/// Checks the ids of states, edges, captures, symbols and plans.
pub fn check(found: &mut Found<'_>) {
    let machine = found.machine;
    if !exists(machine, machine.start) {
        found.add(1, machine.start, "the start does not exist");
    }
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        for edge in state.kind.edges() {
            if !exists(machine, edge.to) {
                found.add(1, id, format!("an edge ends at {}, which does not exist", edge.to));
            }
        }
        report(found, id, |ids| ids.state(state));
    }
    for (id, span) in machine.spans.iter() {
        let unknown = unknown(found, |ids| ids.form(&span.form));
        if let Some(what) = unknown {
            found.add(1, None, format!("{id} names {what}, which does not exist"));
        }
    }
    report(found, None, |ids| ids.symbols());
    for plan in &machine.plans {
        let Plan::Chain(chain) = plan;
        if !exists(machine, chain.at) || !exists(machine, chain.to) {
            found.add(1, chain.at, "a plan joins states that do not exist");
        }
        let actions = chain.layouts.iter().flat_map(|layout| &layout.actions);
        report(found, chain.at, |ids| actions.for_each(|(_, action)| ids.action(action)));
    }
}

fn exists(machine: &Machine, state: StateId) -> bool {
    matches!(machine.states.get(state), Some(Some(_)))
}

fn unknown(found: &Found<'_>, look: impl FnOnce(&mut Ids<'_>)) -> Option<String> {
    let mut ids = Ids { found, unknown: None };
    look(&mut ids);
    ids.unknown
}

fn report(found: &mut Found<'_>, state: impl Into<Option<StateId>>, look: impl FnOnce(&mut Ids<'_>)) {
    let unknown = unknown(found, look);
    if let Some(what) = unknown {
        found.add(1, state, format!("it names {what}, which does not exist"));
    }
}

/// Looks at ids, and remembers one that names nothing.
struct Ids<'a> {
    found: &'a Found<'a>,
    unknown: Option<String>,
}

impl<'a> Ids<'a> {
    fn machine(&self) -> &'a Machine {
        self.found.machine
    }

    fn check<I: Id, T>(&mut self, table: &crate::Table<I, T>, id: I) {
        self.hold(table.get(id).is_some(), id);
    }

    fn hold(&mut self, holds: bool, what: impl std::fmt::Debug) {
        if !holds {
            self.unknown = Some(format!("{what:?}"));
        }
    }

    fn var(&mut self, id: VarId) {
        self.check(&self.machine().symbols.vars, id);
    }

    fn expr(&mut self, id: ExprId) {
        self.check(&self.machine().symbols.exprs, id);
    }

    fn code(&mut self, id: CodeId) {
        self.check(&self.machine().symbols.codes, id);
    }

    fn function(&mut self, id: FunctionId) {
        self.check(&self.machine().symbols.functions, id);
    }

    fn span(&mut self, id: SpanId) {
        self.check(&self.machine().spans, id);
    }

    fn mark(&mut self, id: MarkId) {
        self.hold(id.0 < self.machine().marks, id);
    }

    fn tree(&mut self, id: TreeId) {
        self.hold(id.0 < self.machine().trees, id);
    }

    fn site(&mut self, id: Option<SiteId>) {
        let Some(id) = id else { return };
        let machine = self.machine();
        let Some(site) = machine.sites.get(id) else { return self.hold(false, id) };
        self.hold(site.file.is_none_or(|file| (file as usize) < machine.files.len()), "a file of a site");
        if let Handler::Catch(state) = site.handler {
            self.hold(exists(machine, state), format_args!("handler {state}"));
        }
    }

    fn state(&mut self, state: &State) {
        self.site(state.site);
        self.kind(&state.kind);
        state.kind.edges().iter().flat_map(|e| &e.actions).for_each(|a| self.action(a));
    }

    fn kind(&mut self, kind: &Kind) {
        match kind {
            Kind::Scan { until: Some(Until::Var(v)), .. } | Kind::Literal { text: Text::Var(v), .. } => {
                self.var(*v);
            }
            Kind::Test { what, .. } => match what {
                Predicate::If(e) | Predicate::Zero(e) => self.expr(*e),
                Predicate::Code(c) => self.code(*c),
                Predicate::Starts(v) => self.var(*v),
                Predicate::Moved(m) | Predicate::MovedBottom(m) => self.mark(*m),
                Predicate::Below(_) | Predicate::Reached(_) => {}
            },
            Kind::Call { keep, tree, .. } => {
                self.tree(*tree);
                keep.iter().for_each(|v| self.var(*v));
            }
            Kind::Module { var, xor, sets, .. } => {
                self.sub_parser(*var);
                xor.iter().for_each(|v| self.var(*v));
                for (member, value) in sets {
                    self.member(*var, *member);
                    self.expr(*value);
                }
            }
            _ => {}
        }
    }

    fn action(&mut self, action: &Action) {
        self.site(action.site);
        match &action.op {
            Op::Open(p) | Op::Commit(p) | Op::Close(p) | Op::Deliver(p) => self.span(*p),
            Op::DropSpan(p) | Op::Begin(p) | Op::End(p) => self.span(*p),
            Op::SetLo(e) | Op::SetHi(e) | Op::SetRep(e) => self.expr(*e),
            Op::EndModule(v) => self.sub_parser(*v),
            Op::SetVar(v, _) | Op::InitVar(v, _) => self.var(*v),
            Op::Notify(function, args) => {
                self.function(*function);
                args.iter().for_each(|e| self.expr(*e));
            }
            Op::Code(c) => self.code(*c),
            Op::Mark(m) | Op::Unspan(m) => self.mark(*m),
            Op::Home(t) => self.tree(*t),
            Op::Take | Op::SetLoFixed(_) | Op::SetHiFixed(_) | Op::SetLoToHi | Op::SetRepFixed(_) => {}
            Op::CountRep | Op::Reset => {}
        }
    }

    fn form(&mut self, form: &Form) {
        match form {
            Form::Pieces { function, xor } => {
                self.function(*function);
                xor.iter().for_each(|v| self.var(*v));
            }
            Form::String { var, keep, .. } => {
                self.var(*var);
                if let Some(crate::grammar::Bound::Expr(e)) = keep {
                    self.expr(*e);
                }
            }
            Form::Binary { var, swap, .. } => {
                self.var(*var);
                swap.iter().for_each(|e| self.expr(*e));
            }
            Form::Array { var, .. }
            | Form::View { var, .. }
            | Form::Digits { var, .. }
            | Form::Float { var, .. }
            | Form::Digest(_, var) => self.var(*var),
            Form::Varint { var, .. } => var.iter().for_each(|v| self.var(*v)),
            Form::Bits { fields, .. } => fields.iter().filter_map(|f| f.var).for_each(|v| self.var(v)),
            Form::Begin(function) => self.function(*function),
        }
    }

    /// The module of a variable that is a sub-parser of one that comes before its user.
    fn module_of(&self, var: VarId) -> Option<ModuleId> {
        match self.machine().symbols.vars.get(var)?.ty {
            VarType::Module(module) if module.index() < self.found.module.index() => Some(module),
            _ => None,
        }
    }

    fn sub_parser(&mut self, var: VarId) {
        self.hold(self.module_of(var).is_some(), format_args!("sub-parser {var}"));
    }

    /// A variable of a sub-parser's module.
    fn member(&mut self, var: VarId, member: VarId) {
        self.sub_parser(var);
        let module = self.module_of(var).and_then(|m| self.found.program.machines.get(m));
        let known = module.is_some_and(|m| m.symbols.vars.get(member).is_some());
        self.hold(known, format_args!("{var}.{member}"));
    }

    fn symbols(&mut self) {
        let symbols = &self.machine().symbols;
        for var in symbols.vars.rows() {
            match var.ty {
                VarType::Enum { of, .. } => self.check(&symbols.enums, of),
                VarType::Module(module) => self.check(&self.found.program.machines, module),
                _ => {}
            }
        }
        symbols.exprs.rows().iter().for_each(|e| self.tree_of(e));
        for code in symbols.codes.rows() {
            match &code.kind {
                CodeKind::Condition(expr) => self.tree_of(expr),
                CodeKind::Block(block) => self.block(block),
                CodeKind::Opaque { .. } => {}
            }
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        for statement in block {
            match statement {
                Stmt::Assign(var, expr) => {
                    self.var(*var);
                    self.tree_of(expr);
                }
                Stmt::Text(var, change) => {
                    self.var(*var);
                    match change {
                        TextChange::Set(e) | TextChange::Append(e) => self.tree_of(e),
                        TextChange::Push(e) | TextChange::PushUtf8(e) => self.tree_of(e),
                        TextChange::Swap(other) => self.var(*other),
                        TextChange::Clear => {}
                    }
                }
                Stmt::If(condition, then, other) => {
                    self.tree_of(condition);
                    self.block(then);
                    self.block(other);
                }
                Stmt::Notify(function, args) => {
                    self.function(*function);
                    args.iter().for_each(|e| self.tree_of(e));
                }
                Stmt::Return(value) => value.iter().for_each(|e| self.tree_of(e)),
                Stmt::Print(..) => {}
            }
        }
    }

    /// An expression with its operands; the front-end bounds their depth by `MAX_DEPTH`.
    fn tree_of(&mut self, expr: &Expr) {
        if let Type::Enum(of) = expr.ty {
            self.check(&self.machine().symbols.enums, of);
        }
        match &expr.kind {
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Member(var, member) => self.member(*var, *member),
            ExprKind::EnumMember(of, member) => self.enum_member(*of, *member),
            ExprKind::Unary(_, a) => self.tree_of(a),
            ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => {
                self.tree_of(a);
                self.tree_of(b);
            }
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| self.tree_of(e)),
            ExprKind::Query(query, a) => {
                self.tree_of(a);
                if let TextQuery::Contains(b) | TextQuery::StartsWith(b) = query {
                    self.tree_of(b);
                }
            }
            ExprKind::Call(function, args) => {
                self.function(*function);
                args.iter().for_each(|e| self.tree_of(e));
            }
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Text(_) => {}
            ExprKind::Offset | ExprKind::Left => {}
        }
    }

    fn enum_member(&mut self, of: EnumId, member: u32) {
        let known = self.machine().symbols.enums.get(of);
        self.hold(known.is_some_and(|e| (member as usize) < e.members.len()), format_args!("{of}.{member}"));
    }
}
