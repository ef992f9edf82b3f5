//! The text form of machines: `.vir`, complete by itself, printed and parsed back to the same text.
//!
//! A program is its machines one after the other. A machine is a head (symbols, sites, spans) and its states in the
//! order of their ids; edges are indented. Sets are written as in the language, `[*]` is every byte; an action
//! without a place has its state's. Expressions and sites are named by what they say; where two ids say the same,
//! all but the first carry their number. Byte places of symbols ([`Span`]) are for diagnostics only and are not
//! printed: a machine that was parsed equals the printed one [without them](strip_places).

mod cursor;
mod names;
mod parse;
mod parse_head;
mod parse_portable;
mod print;
mod print_portable;

pub use names::Names;
pub use parse::{parse_machine, parse_program};
pub use print::{print_action, print_edge, print_machine, print_program, print_state};
pub use print_portable::{print_block, print_expr, print_stmt};

use crate::ids::{CodeId, EnumId, ExprId, FunctionId, VarId};
use crate::machine::{Machine, Program};
use crate::portable::{Code, CodeKind, Expr, ExprKind, Stmt, TextChange, TextQuery};
use vproto_source::Span;

/// Why a text is no machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line of the text, from 1.
    pub line: u32,
    /// A sentence.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Wipes the byte places of all symbols, which the text form does not carry.
pub fn strip_places(program: &mut Program) {
    for (_, machine) in program.machines.iter_mut() {
        strip_machine(machine);
    }
}

fn strip_machine(machine: &mut Machine) {
    let symbols = &mut machine.symbols;
    symbols.vars.iter_mut().for_each(|(_, v): (VarId, _)| v.span = Span::default());
    symbols.functions.iter_mut().for_each(|(_, f): (FunctionId, _)| f.span = Span::default());
    symbols.enums.iter_mut().for_each(|(_, e): (EnumId, _)| e.span = Span::default());
    symbols.exprs.iter_mut().for_each(|(_, e): (ExprId, _)| strip_expr(e));
    symbols.codes.iter_mut().for_each(|(_, c): (CodeId, _)| strip_code(c));
}

fn strip_code(code: &mut Code) {
    code.span = Span::default();
    match &mut code.kind {
        CodeKind::Condition(e) => strip_expr(e),
        CodeKind::Block(block) => block.iter_mut().for_each(strip_stmt),
        CodeKind::Opaque { .. } => {}
    }
}

/// Recursion is bounded by `portable::MAX_DEPTH`.
fn strip_stmt(stmt: &mut Stmt) {
    match stmt {
        Stmt::Assign(_, e) | Stmt::Return(Some(e)) => strip_expr(e),
        Stmt::Text(_, change) => match change {
            TextChange::Set(e) | TextChange::Append(e) | TextChange::Push(e) | TextChange::PushUtf8(e) => {
                strip_expr(e);
            }
            TextChange::Clear | TextChange::Swap(_) => {}
        },
        Stmt::If(c, then, other) => {
            strip_expr(c);
            then.iter_mut().chain(other).for_each(strip_stmt);
        }
        Stmt::Notify(_, args) => args.iter_mut().for_each(strip_expr),
        Stmt::Print(_, span) => *span = Span::default(),
        Stmt::Return(None) => {}
    }
}

/// Recursion is bounded by `portable::MAX_DEPTH`.
fn strip_expr(expr: &mut Expr) {
    expr.span = Span::default();
    match &mut expr.kind {
        ExprKind::Unary(_, a) => strip_expr(a),
        ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => {
            strip_expr(a);
            strip_expr(b);
        }
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| strip_expr(e)),
        ExprKind::Query(query, a) => {
            strip_expr(a);
            match query {
                TextQuery::Contains(e) | TextQuery::StartsWith(e) => strip_expr(e),
                TextQuery::Size | TextQuery::Empty => {}
            }
        }
        ExprKind::Call(_, args) => args.iter_mut().for_each(strip_expr),
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Text(_)
        | ExprKind::Var(_)
        | ExprKind::Member(..)
        | ExprKind::EnumMember(..)
        | ExprKind::Offset
        | ExprKind::Left => {}
    }
}
