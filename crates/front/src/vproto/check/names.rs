//! Declared variables that nothing reads or stores.

use super::Context;
use super::parallel::stores;
use vproto_ir::grammar::{Grammar, Module, Scan, Store, TokenKind, Until};
use vproto_ir::ids::{Id, VarId};
use vproto_ir::portable::{CodeKind, Expr, ExprKind, Stmt, TextChange, TextQuery};
use vproto_ir::symbols::VarType;
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics};

pub(super) fn check(cx: &Context<'_>, elsewhere: &[bool], out: &mut Diagnostics) {
    // Opaque code may name anything.
    if cx.module.symbols.codes.rows().iter().any(|code| matches!(code.kind, CodeKind::Opaque { .. })) {
        return;
    }
    let mut used = elsewhere.to_vec();
    let mut mark = |var: VarId| used[var.index()] = true;
    cx.module.tokens.rows().iter().for_each(|token| token_vars(&token.kind).into_iter().for_each(&mut mark));
    each_expr(cx.module, &mut |expr| expr.reads().vars.into_iter().for_each(&mut mark));
    for code in cx.module.symbols.codes.rows() {
        if let CodeKind::Block(statements) = &code.kind {
            statements.iter().for_each(|s| assigned(s, &mut mark));
        }
    }
    for (id, var) in cx.module.symbols.vars.iter() {
        if !used[id.index()] && !matches!(var.ty, VarType::Module(_)) {
            let title = format!("the variable `{}` is never used", var.name);
            let found = Diagnostic::new(
                flow::UNUSED_VARIABLE,
                title,
                var.span,
                "no token stores it and nothing reads it",
            );
            out.push(found.with_help("remove the declaration"));
        }
    }
}

/// Of each module's variables, whether another module reads it by `v.x` or sets it by `vproto:m:v(x=…)`.
pub(super) fn read_elsewhere(grammar: &Grammar) -> Vec<Vec<bool>> {
    let mut used: Vec<Vec<bool>> =
        grammar.modules.rows().iter().map(|m| vec![false; m.symbols.vars.len()]).collect();
    for (_, module) in grammar.modules.iter() {
        let target = |var: VarId| match module.symbols.vars[var].ty {
            VarType::Module(id) => Some(id.index()),
            _ => None,
        };
        let mut mark = |holder: VarId, var: VarId| {
            if let Some(flag) = target(holder).and_then(|m| used.get_mut(m)?.get_mut(var.index())) {
                *flag = true;
            }
        };
        each_expr(module, &mut |expr| members(expr, &mut mark));
        for token in module.tokens.rows() {
            if let TokenKind::Module(sub) = &token.kind {
                sub.sets.iter().for_each(|&(var, _)| mark(sub.var, var));
            }
        }
    }
    used
}

/// The variables that a token stores or reads.
fn token_vars(kind: &TokenKind) -> Vec<VarId> {
    let mut vars = stores(kind);
    match kind {
        TokenKind::Match { var, .. } | TokenKind::BeginDigest(_, var) => vars.push(*var),
        TokenKind::Scan(Scan { until, xor, store, .. }) => {
            if let Some(Until::Var(var)) = until {
                vars.push(*var);
            }
            vars.extend(xor);
            if let Store::Bits { fields, .. } = store {
                vars.extend(fields.iter().filter_map(|f| f.var));
            }
        }
        TokenKind::Module(sub) => vars.extend(sub.xor),
        TokenKind::Call(call) => vars.extend(&call.keep),
        _ => {}
    }
    vars
}

/// Every expression of a module: those of tokens, and those in conditions and blocks.
fn each_expr(module: &Module, visit: &mut impl FnMut(&Expr)) {
    module.symbols.exprs.rows().iter().for_each(&mut *visit);
    for code in module.symbols.codes.rows() {
        match &code.kind {
            CodeKind::Condition(expr) => visit(expr),
            CodeKind::Block(statements) => statements.iter().for_each(|s| statement_exprs(s, visit)),
            CodeKind::Opaque { .. } => {}
        }
    }
}

/// The expressions of a statement. Nesting is bounded by the parser.
fn statement_exprs(statement: &Stmt, visit: &mut impl FnMut(&Expr)) {
    match statement {
        Stmt::Assign(_, expr) | Stmt::Return(Some(expr)) => visit(expr),
        Stmt::Text(_, change) => match change {
            TextChange::Set(e) | TextChange::Append(e) | TextChange::Push(e) | TextChange::PushUtf8(e) => {
                visit(e)
            }
            TextChange::Clear | TextChange::Swap(_) => {}
        },
        Stmt::If(condition, then, other) => {
            visit(condition);
            then.iter().chain(other).for_each(|s| statement_exprs(s, visit));
        }
        Stmt::Notify(_, arguments) => arguments.iter().for_each(visit),
        Stmt::Return(None) | Stmt::Print(..) => {}
    }
}

/// The variables that a statement assigns.
fn assigned(statement: &Stmt, mark: &mut impl FnMut(VarId)) {
    match statement {
        Stmt::Assign(var, _) => mark(*var),
        Stmt::Text(var, change) => {
            mark(*var);
            if let TextChange::Swap(other) = change {
                mark(*other);
            }
        }
        Stmt::If(_, then, other) => then.iter().chain(other).for_each(|s| assigned(s, mark)),
        Stmt::Notify(..) | Stmt::Return(_) | Stmt::Print(..) => {}
    }
}

/// Every `v.x` of an expression. Its depth is bounded by the parser.
fn members(expr: &Expr, mark: &mut impl FnMut(VarId, VarId)) {
    match &expr.kind {
        ExprKind::Member(holder, var) => mark(*holder, *var),
        ExprKind::Unary(_, a) => members(a, mark),
        ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => [a, b].iter().for_each(|e| members(e, mark)),
        ExprKind::Conditional(a, b, c) => [a, b, c].iter().for_each(|e| members(e, mark)),
        ExprKind::Query(query, a) => {
            members(a, mark);
            if let TextQuery::Contains(b) | TextQuery::StartsWith(b) = query {
                members(b, mark);
            }
        }
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|e| members(e, mark)),
        _ => {}
    }
}
