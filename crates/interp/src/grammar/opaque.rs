//! What an interpreter cannot run, to be reported before any input is read.

use vproto_ir::grammar::Grammar;
use vproto_ir::portable::{CodeKind, Expr, ExprKind, Stmt, TextChange, TextQuery, Type};
use vproto_source::Span;

/// The places of opaque code: blocks and conditions that are not portable, values of the user's functions.
pub fn opaque_places(grammar: &Grammar) -> Vec<Span> {
    let mut places = Vec::new();
    for (_, module) in grammar.modules.iter() {
        let opaque = |expr: &&Expr| expr.ty == Type::Opaque || calls(expr);
        for (_, code) in module.symbols.codes.iter() {
            let found = match &code.kind {
                CodeKind::Condition(expr) => opaque(&expr),
                CodeKind::Block(block) => block.iter().any(statement_calls),
                CodeKind::Opaque { .. } => true,
            };
            places.extend(found.then_some(code.span));
        }
        places.extend(module.symbols.exprs.rows().iter().filter(opaque).map(|expr| expr.span));
    }
    places
}

/// The places of blocks with a `printf(…);`, which an interpreter skips: worth a warning.
pub fn skipped_prints(grammar: &Grammar) -> Vec<Span> {
    let codes = grammar.modules.rows().iter().flat_map(|module| module.symbols.codes.rows());
    let prints = |kind: &CodeKind| matches!(kind, CodeKind::Block(block) if block.iter().any(prints));
    codes.filter(|code| prints(&code.kind)).map(|code| code.span).collect()
}

fn prints(statement: &Stmt) -> bool {
    match statement {
        Stmt::Print(..) => true,
        Stmt::If(_, then, otherwise) => then.iter().chain(otherwise).any(prints),
        _ => false,
    }
}

fn statement_calls(statement: &Stmt) -> bool {
    match statement {
        Stmt::Assign(_, expr) | Stmt::Return(Some(expr)) => calls(expr),
        Stmt::Text(_, change) => match change {
            TextChange::Set(expr) | TextChange::Append(expr) => calls(expr),
            TextChange::Push(expr) | TextChange::PushUtf8(expr) => calls(expr),
            TextChange::Clear | TextChange::Swap(_) => false,
        },
        Stmt::If(condition, then, otherwise) => {
            calls(condition) || then.iter().chain(otherwise).any(statement_calls)
        }
        Stmt::Notify(_, arguments) => arguments.iter().any(calls),
        Stmt::Return(None) | Stmt::Print(..) => false,
    }
}

/// Whether the value of a user's function is asked for.
fn calls(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(..) => true,
        ExprKind::Unary(_, operand) => calls(operand),
        ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => calls(a) || calls(b),
        ExprKind::Conditional(condition, a, b) => calls(condition) || calls(a) || calls(b),
        ExprKind::Query(query, operand) => {
            calls(operand)
                || match query {
                    TextQuery::Contains(part) | TextQuery::StartsWith(part) => calls(part),
                    TextQuery::Size | TextQuery::Empty => false,
                }
        }
        _ => false,
    }
}
