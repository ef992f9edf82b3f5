//! What single actions and expressions may do: raise, be seen by the user, be refused.

use crate::ids::VarId;
use crate::machine::{Bound, Form, Kind, Machine, Op, Predicate, SpanDef};
use crate::portable::{BinaryOp, CodeKind, Expr, ExprKind, Stmt, TextChange, TextQuery, UnaryOp};
use crate::symbols::VarType;

/// Whether the user's object sees the action: such actions keep their place among themselves and before rests.
pub fn is_visible(machine: &Machine, op: &Op) -> bool {
    match op {
        Op::Notify(..) | Op::Code(_) | Op::Begin(_) | Op::End(_) | Op::EndModule(_) | Op::Reset => true,
        Op::Commit(p) | Op::Deliver(p) => matches!(machine.spans[*p].form, Form::Pieces { .. }),
        _ => false,
    }
}

/// Whether the action may raise an exception.
pub fn may_raise(machine: &Machine, op: &Op) -> bool {
    match op {
        Op::Commit(p) | Op::Close(p) => commit_may_raise(machine, &machine.spans[*p]),
        Op::Open(p) => open_may_raise(machine, &machine.spans[*p]),
        Op::SetLo(e) | Op::SetHi(e) | Op::SetRep(e) => bound_may_raise(machine, &machine.symbols.exprs[*e]),
        Op::Notify(_, args) => args.iter().any(|e| argument_may_raise(machine, &machine.symbols.exprs[*e])),
        Op::Code(code) => match &machine.symbols.codes[*code].kind {
            CodeKind::Condition(_) | CodeKind::Opaque { .. } => true,
            CodeKind::Block(block) => block.iter().any(|s| stmt_may_raise(machine, s)),
        },
        Op::EndModule(_) => true,
        _ => false,
    }
}

/// Whether answering the question may raise.
pub fn test_may_raise(machine: &Machine, what: &Predicate) -> bool {
    match what {
        Predicate::If(e) => expr_may_raise(machine, &machine.symbols.exprs[*e]),
        Predicate::Zero(e) => bound_may_raise(machine, &machine.symbols.exprs[*e]),
        Predicate::Code(code) => match &machine.symbols.codes[*code].kind {
            CodeKind::Condition(e) => expr_may_raise(machine, e),
            CodeKind::Opaque { condition, .. } => !condition,
            CodeKind::Block(block) => block.iter().any(|s| stmt_may_raise(machine, s)),
        },
        _ => false,
    }
}

/// Whether the state itself may raise, its edges' actions left out.
pub fn state_may_raise(machine: &Machine, kind: &Kind) -> bool {
    match kind {
        Kind::Scan { lo, until, .. } => *lo != Bound::Fixed(0) || until.is_some(),
        Kind::Literal { .. } | Kind::Par { .. } | Kind::Module { .. } | Kind::Ret | Kind::Raise(_) => true,
        Kind::Call { fence, times, .. } => *fence || *times || !machine.symbols.limits.calls_exact,
        Kind::Dispatch { alts, other, eof } => {
            let all = alts.iter().fold(crate::ByteSet::EMPTY, |all, (set, _)| all | *set);
            eof.is_none() || (other.is_none() && !all.is_all())
        }
        Kind::Test { what, .. } => test_may_raise(machine, what),
        Kind::Act { .. } | Kind::Win { .. } | Kind::Drop | Kind::End(_) => false,
    }
}

fn commit_may_raise(machine: &Machine, span: &SpanDef) -> bool {
    match &span.form {
        Form::Digits { .. } => true,
        Form::Varint { ty, .. } => ty.bits < 64 && !ty.wrap,
        Form::Binary { var, swap, ty, .. } => {
            let swap = swap.is_some_and(|e| expr_may_raise(machine, &machine.symbols.exprs[e]));
            swap || (!ty.wrap && !fits(machine, *var, ty.bits, ty.signed))
        }
        Form::Bits { fields, .. } => {
            fields.iter().any(|f| f.var.is_some_and(|v| !fits(machine, v, f.bits, f.signed)))
        }
        _ => false,
    }
}

/// Whether every integer of so many bits fits the variable.
fn fits(machine: &Machine, var: VarId, bits: u8, signed: bool) -> bool {
    let ty = machine.symbols.vars[var].ty;
    if ty == VarType::Bool {
        return true;
    }
    let Some((low, high)) = ty.range() else { return false };
    let bits = u32::from(bits.clamp(1, 64));
    let (least, most) =
        if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    low <= least && most <= high
}

fn open_may_raise(machine: &Machine, span: &SpanDef) -> bool {
    match &span.form {
        Form::Pieces { xor, .. } => xor.is_some(),
        Form::String { keep: Some(crate::grammar::Bound::Expr(e)), .. } => {
            bound_may_raise(machine, &machine.symbols.exprs[*e])
        }
        _ => false,
    }
}

/// Negative values are refused too.
fn bound_may_raise(machine: &Machine, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(n) => *n < 0,
        ExprKind::Var(v) => machine.symbols.vars[*v]
            .ty
            .range()
            .is_none_or(|(low, high)| low < 0 || high > i128::from(i64::MAX)),
        ExprKind::Left | ExprKind::Offset => false,
        _ => true,
    }
}

/// A lone variable is passed as it is.
fn argument_may_raise(machine: &Machine, expr: &Expr) -> bool {
    !matches!(expr.kind, ExprKind::Var(_) | ExprKind::Member(..)) && expr_may_raise(machine, expr)
}

/// Whether evaluating may overflow. Recursion is bounded by `portable::MAX_DEPTH`.
pub fn expr_may_raise(machine: &Machine, expr: &Expr) -> bool {
    let raise = |e: &Expr| expr_may_raise(machine, e);
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Text(_)
        | ExprKind::EnumMember(..)
        | ExprKind::Offset
        | ExprKind::Left => false,
        ExprKind::Var(v) => {
            machine.symbols.vars[*v].ty.range().is_some_and(|(_, high)| high > i128::from(i64::MAX))
        }
        ExprKind::Member(..) | ExprKind::Call(..) => true,
        ExprKind::Unary(UnaryOp::Negate, _) => true,
        ExprKind::Unary(_, e) => raise(e),
        ExprKind::Binary(op, a, b) => !is_total(*op) || raise(a) || raise(b),
        ExprKind::Concat(a, b) => raise(a) || raise(b),
        ExprKind::Conditional(a, b, c) => raise(a) || raise(b) || raise(c),
        ExprKind::Query(query, text) => {
            let inner = match query {
                TextQuery::Contains(e) | TextQuery::StartsWith(e) => raise(e),
                TextQuery::Size | TextQuery::Empty => false,
            };
            inner || raise(text)
        }
    }
}

fn is_total(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(
        op,
        Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual | BitAnd | BitXor | BitOr | And | Or
    )
}

/// Recursion is bounded by `portable::MAX_DEPTH`.
fn stmt_may_raise(machine: &Machine, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Assign(var, value) => !value_fits(machine, *var, value),
        Stmt::Text(_, TextChange::Clear | TextChange::Swap(_)) => false,
        Stmt::Text(..) => true,
        Stmt::If(condition, then, other) => {
            expr_may_raise(machine, condition) || then.iter().chain(other).any(|s| stmt_may_raise(machine, s))
        }
        Stmt::Notify(_, args) => args.iter().any(|e| argument_may_raise(machine, e)),
        Stmt::Return(value) => value.as_ref().is_some_and(|e| e.kind != ExprKind::Bool(true)),
        Stmt::Print(..) => false,
    }
}

/// Whether an assignment certainly succeeds: constants, truth values, variables of a type that fits.
fn value_fits(machine: &Machine, var: VarId, value: &Expr) -> bool {
    let Some((low, high)) = machine.symbols.vars[var].ty.range() else { return false };
    match &value.kind {
        ExprKind::Int(n) => low <= i128::from(*n) && i128::from(*n) <= high,
        ExprKind::Bool(_) | ExprKind::EnumMember(..) => true,
        ExprKind::Var(v) => {
            let range = machine.symbols.vars[*v].ty.range();
            range.is_some_and(|(a, b)| low <= a && b <= high && b <= i128::from(i64::MAX))
        }
        _ => false,
    }
}

/// Whether a capture of this form may refuse a byte or a value when at most `most` bytes come (`None`: no bound).
pub fn may_refuse(machine: &Machine, span: &SpanDef, most: Option<u64>) -> bool {
    match &span.form {
        Form::Digits { var, radix, ty } => {
            let digits =
                if *radix == 16 { u64::from(ty.bits) / 4 } else { decimal_digits(ty.bits, ty.signed) };
            !ty.wrap && (most.is_none_or(|m| m > digits) || !fits(machine, *var, ty.bits, ty.signed))
        }
        Form::Binary { ty, .. } => {
            commit_may_raise(machine, span) || (!ty.wrap && most.is_none_or(|m| m * 8 > u64::from(ty.bits)))
        }
        Form::Varint { .. } => true,
        Form::Bits { .. } => commit_may_raise(machine, span),
        Form::String { append: true, keep: None, .. } | Form::View { append: true, .. } => true,
        Form::String { keep: None, .. } => most.is_none_or(|m| m > u64::from(machine.symbols.limits.string)),
        Form::String { keep: Some(crate::grammar::Bound::Expr(_)), .. } => true,
        Form::View { .. } => most.is_none_or(|m| m > u64::from(machine.symbols.limits.view)),
        Form::Pieces { xor, .. } => xor.is_some(),
        Form::String { .. } | Form::Array { .. } | Form::Float { .. } | Form::Begin(_) | Form::Digest(..) => {
            false
        }
    }
}

/// Digits that always fit.
fn decimal_digits(bits: u8, signed: bool) -> u64 {
    let most: u128 = (1u128 << (u32::from(bits.clamp(1, 64)) - u32::from(signed))) - 1;
    let mut digits = 0;
    let mut value: u128 = 9;
    while value <= most {
        digits += 1;
        value = value * 10 + 9;
    }
    digits
}
