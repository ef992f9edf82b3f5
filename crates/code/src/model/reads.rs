//! Which variables the code of a description reads: a view that is read must be valid at any time.

use std::collections::BTreeSet;
use vproto_ir::grammar::Until;
use vproto_ir::ids::{ModuleId, VarId};
use vproto_ir::machine::{Form, Kind, Predicate, Program, Text};
use vproto_ir::portable::{CodeKind, Expr, ExprKind, Stmt, TextChange, TextQuery};

/// Variables of a module that some expression, block, or token of the program reads.
pub fn read_variables(program: &Program, module: ModuleId) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for (id, machine) in program.machines.iter() {
        let mut exprs: Vec<&Expr> = machine.symbols.exprs.rows().iter().collect();
        let mut stmts: Vec<&Stmt> = Vec::new();
        for code in machine.symbols.codes.rows() {
            match &code.kind {
                CodeKind::Condition(expr) => exprs.push(expr),
                CodeKind::Block(block) => stmts.extend(block),
                CodeKind::Opaque { .. } if id == module => {
                    found.extend(machine.symbols.vars.ids());
                }
                CodeKind::Opaque { .. } => {}
            }
        }
        while let Some(stmt) = stmts.pop() {
            match stmt {
                Stmt::Assign(_, e) | Stmt::Return(Some(e)) => exprs.push(e),
                Stmt::Text(var, change) => {
                    if id == module {
                        found.insert(*var);
                    }
                    match change {
                        TextChange::Set(e)
                        | TextChange::Append(e)
                        | TextChange::Push(e)
                        | TextChange::PushUtf8(e) => {
                            exprs.push(e);
                        }
                        TextChange::Swap(other) if id == module => {
                            found.insert(*other);
                        }
                        TextChange::Swap(_) | TextChange::Clear => {}
                    }
                }
                Stmt::If(c, a, b) => {
                    exprs.push(c);
                    stmts.extend(a.iter().chain(b));
                }
                Stmt::Notify(_, arguments) => exprs.extend(arguments),
                Stmt::Print(..) if id == module => found.extend(machine.symbols.vars.ids()),
                Stmt::Return(None) | Stmt::Print(..) => {}
            }
        }
        while let Some(expr) = exprs.pop() {
            match &expr.kind {
                ExprKind::Var(var) if id == module => {
                    found.insert(*var);
                }
                ExprKind::Member(parser, var) => {
                    let of = machine.symbols.vars[*parser].ty;
                    if of == vproto_ir::symbols::VarType::Module(module) {
                        found.insert(*var);
                    }
                }
                ExprKind::Unary(_, a) => exprs.push(a),
                ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => exprs.extend([&**a, &**b]),
                ExprKind::Conditional(c, a, b) => exprs.extend([&**c, &**a, &**b]),
                ExprKind::Query(query, a) => {
                    exprs.push(a);
                    if let TextQuery::Contains(b) | TextQuery::StartsWith(b) = query {
                        exprs.push(b);
                    }
                }
                ExprKind::Call(_, arguments) => exprs.extend(arguments),
                _ => {}
            }
        }
        if id == module {
            for state in machine.states.rows().iter().flatten() {
                match &state.kind {
                    Kind::Scan { until: Some(Until::Var(var)), .. }
                    | Kind::Literal { text: Text::Var(var), .. }
                    | Kind::Module { xor: Some(var), .. }
                    | Kind::Test { what: Predicate::Starts(var), .. } => {
                        found.insert(*var);
                    }
                    _ => {}
                }
            }
            for span in machine.spans.rows() {
                if let Form::View { var, append: true } | Form::Pieces { xor: Some(var), .. } = span.form {
                    found.insert(var);
                }
            }
        }
    }
    found
}
