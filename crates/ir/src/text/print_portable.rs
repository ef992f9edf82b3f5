//! Portable code as source. Every tree prints to a text that parses back to the same tree.

use super::names::{Names, quote};
use crate::portable::{BinaryOp, Expr, ExprKind, Stmt, TextChange, TextQuery, Type, UnaryOp};

/// An expression.
pub fn print_expr(names: &Names<'_>, expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(names, expr, 0, &mut out);
    out
}

/// Statements, separated by blanks.
pub fn print_block(names: &Names<'_>, block: &[Stmt]) -> String {
    block.iter().map(|s| print_stmt(names, s)).collect::<Vec<_>>().join(" ")
}

/// One statement. Recursion is bounded by `portable::MAX_DEPTH`.
pub fn print_stmt(names: &Names<'_>, stmt: &Stmt) -> String {
    let e = |expr: &Expr| print_expr(names, expr);
    match stmt {
        Stmt::Assign(var, value) => format!("{} = {};", names.var(*var), e(value)),
        Stmt::Text(var, change) => {
            let var = names.var(*var);
            match change {
                TextChange::Set(value) => format!("{var} = {};", e(value)),
                TextChange::Append(value) => format!("{var} += {};", e(value)),
                TextChange::Clear => format!("{var}.clear();"),
                TextChange::Swap(other) => format!("{var}.swap({});", names.var(*other)),
                TextChange::Push(value) => format!("{var}.push({});", e(value)),
                TextChange::PushUtf8(value) => format!("{var}.push_utf8({});", e(value)),
            }
        }
        Stmt::If(condition, then, other) => print_if(names, condition, then, other),
        Stmt::Notify(function, args) => format!("{}({});", names.function(*function), list(names, args)),
        Stmt::Return(Some(value)) => format!("return {};", e(value)),
        Stmt::Return(None) => "return;".to_string(),
        Stmt::Print(text, _) => format!("@print {};", quote(text.as_bytes())),
    }
}

fn print_if(names: &Names<'_>, condition: &Expr, then: &[Stmt], other: &[Stmt]) -> String {
    let head = format!("if ({}) {}", print_expr(names, condition), braces(names, then));
    if other.is_empty() { head } else { format!("{head} else {}", braces(names, other)) }
}

fn braces(names: &Names<'_>, block: &[Stmt]) -> String {
    if block.is_empty() { "{ }".to_string() } else { format!("{{ {} }}", print_block(names, block)) }
}

fn list(names: &Names<'_>, args: &[Expr]) -> String {
    args.iter().map(|a| print_expr(names, a)).collect::<Vec<_>>().join(", ")
}

/// Binding strength of what is not `?:` or a binary operator.
const UNARY: u8 = 12;

/// Writes `expr` where an operator of strength `outer` stands around it.
fn write_expr(names: &Names<'_>, expr: &Expr, outer: u8, out: &mut String) {
    if expr.ty != names.type_of(&expr.kind) {
        out.push_str(&format!("@{}(", type_name(expr.ty)));
        write_kind(names, &expr.kind, out);
        out.push(')');
    } else if strength(&expr.kind) < outer {
        out.push('(');
        write_kind(names, &expr.kind, out);
        out.push(')');
    } else {
        write_kind(names, &expr.kind, out);
    }
}

fn write_kind(names: &Names<'_>, kind: &ExprKind, out: &mut String) {
    match kind {
        ExprKind::Int(n) => out.push_str(&n.to_string()),
        ExprKind::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        ExprKind::Text(text) => out.push_str(&quote(text)),
        ExprKind::Var(var) => out.push_str(&names.var(*var)),
        ExprKind::Member(var, member) => {
            out.push_str(&format!("{}.{}", names.var(*var), names.member(*var, *member)));
        }
        ExprKind::EnumMember(id, index) => out.push_str(&format!("@{}", names.enum_member(*id, *index))),
        ExprKind::Offset => out.push_str("offset"),
        ExprKind::Left => out.push_str("left"),
        ExprKind::Unary(op, operand) => write_unary(names, *op, operand, out),
        ExprKind::Binary(op, left, right) => write_binary(names, symbol(*op), bind(*op), left, right, out),
        ExprKind::Concat(left, right) => write_binary(names, "+", bind(BinaryOp::Add), left, right, out),
        ExprKind::Conditional(condition, then, other) => {
            write_expr(names, condition, 2, out);
            out.push_str(" ? ");
            write_expr(names, then, 1, out);
            out.push_str(" : ");
            write_expr(names, other, 1, out);
        }
        ExprKind::Query(query, text) => {
            write_expr(names, text, UNARY + 1, out);
            out.push_str(&match query {
                TextQuery::Size => ".size()".to_string(),
                TextQuery::Empty => ".empty()".to_string(),
                TextQuery::Contains(e) => format!(".contains({})", print_expr(names, e)),
                TextQuery::StartsWith(e) => format!(".starts_with({})", print_expr(names, e)),
            });
        }
        ExprKind::Call(function, args) => {
            out.push_str(&format!("{}({})", names.function(*function), list(names, args)));
        }
    }
}

/// A negated number keeps parentheses: `-5` is a number, `-(5)` an operation.
fn write_unary(names: &Names<'_>, op: UnaryOp, operand: &Expr, out: &mut String) {
    out.push(match op {
        UnaryOp::Negate => '-',
        UnaryOp::Not => '!',
        UnaryOp::Complement => '~',
    });
    let bare = !matches!(operand.kind, ExprKind::Int(_) | ExprKind::Unary(UnaryOp::Negate, _));
    if bare || op != UnaryOp::Negate {
        write_expr(names, operand, UNARY, out);
    } else {
        out.push('(');
        write_expr(names, operand, 0, out);
        out.push(')');
    }
}

fn write_binary(names: &Names<'_>, symbol: &str, bind: u8, left: &Expr, right: &Expr, out: &mut String) {
    write_expr(names, left, bind, out);
    out.push_str(&format!(" {symbol} "));
    write_expr(names, right, bind + 1, out);
}

fn strength(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Conditional(..) => 1,
        ExprKind::Binary(op, ..) => bind(*op),
        ExprKind::Concat(..) => bind(BinaryOp::Add),
        ExprKind::Unary(..) => UNARY,
        ExprKind::Int(n) if *n < 0 => UNARY,
        _ => UNARY + 1,
    }
}

/// How an operator is written.
pub fn symbol(op: BinaryOp) -> &'static str {
    OPERATORS.iter().find(|(_, o, _)| *o == op).map_or("", |(s, _, _)| s)
}

fn bind(op: BinaryOp) -> u8 {
    OPERATORS.iter().find(|(_, o, _)| *o == op).map_or(0, |(_, _, b)| *b)
}

/// Operators of two operands with their strength; longer spellings before their prefixes.
pub const OPERATORS: [(&str, BinaryOp, u8); 18] = [
    ("||", BinaryOp::Or, 2),
    ("&&", BinaryOp::And, 3),
    ("<<", BinaryOp::ShiftLeft, 9),
    (">>", BinaryOp::ShiftRight, 9),
    ("==", BinaryOp::Equal, 7),
    ("!=", BinaryOp::NotEqual, 7),
    ("<=", BinaryOp::LessEqual, 8),
    (">=", BinaryOp::GreaterEqual, 8),
    ("<", BinaryOp::Less, 8),
    (">", BinaryOp::Greater, 8),
    ("|", BinaryOp::BitOr, 4),
    ("^", BinaryOp::BitXor, 5),
    ("&", BinaryOp::BitAnd, 6),
    ("+", BinaryOp::Add, 10),
    ("-", BinaryOp::Subtract, 10),
    ("*", BinaryOp::Multiply, 11),
    ("/", BinaryOp::Divide, 11),
    ("%", BinaryOp::Remainder, 11),
];

fn type_name(ty: Type) -> String {
    match ty {
        Type::Int => "int".to_string(),
        Type::Bool => "bool".to_string(),
        Type::Enum(id) => format!("enum{}", id.0),
        Type::Text => "text".to_string(),
        Type::Float => "float".to_string(),
        Type::Opaque => "opaque".to_string(),
    }
}
