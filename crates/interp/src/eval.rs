//! Portable code (language.md §4): expressions and statements with checked 64-bit arithmetic.
//!
//! Both interpreters use it through [`Environment`]. Every failure is an [`ErrorKind`] of the language; what
//! only a wrong grammar could ask (opaque code, a text where a number stands) is answered with `Condition`
//! rather than a panic. Recursion is bounded by [`vproto_ir::portable::MAX_DEPTH`].

use crate::store::{self, Read};
use crate::trace::Value;
use std::borrow::Cow;
use vproto_ir::ids::{FunctionId, VarId};
use vproto_ir::machine::ErrorKind;
use vproto_ir::portable::{BinaryOp, Expr, ExprKind, Stmt, TextChange, TextQuery, Type, UnaryOp};
use vproto_ir::symbols::{Symbols, VarType};

/// What portable code sees of the module that runs it.
pub trait Environment {
    /// The module's symbols.
    fn symbols(&self) -> &Symbols;
    /// The symbols of the module of a sub-parser.
    fn member_symbols(&self, parser: VarId) -> &Symbols;
    /// The value of a variable.
    fn read(&self, var: VarId) -> Read<'_>;
    /// The value of a variable of a sub-parser.
    fn read_member(&self, parser: VarId, member: VarId) -> Read<'_>;
    /// Bytes consumed since the start of the module's own stream.
    fn offset(&self) -> u64;
    /// Bytes to the innermost limit; `None` where there is none.
    fn left(&self) -> Option<u64>;
    /// Stores a number that fits.
    fn write(&mut self, var: VarId, value: i128);
    /// Stores bytes that fit.
    fn write_text(&mut self, var: VarId, bytes: Vec<u8>);
    /// Appends bytes that fit.
    fn append_text(&mut self, var: VarId, bytes: &[u8]);
    /// Exchanges two variables of one type.
    fn swap(&mut self, a: VarId, b: VarId);
    /// Calls a function of the user.
    fn notify(&mut self, function: FunctionId, arguments: Vec<Value>);
}

type Evaluated<T> = Result<T, ErrorKind>;

/// The value of an expression as an integer.
///
/// # Errors
/// `Overflow` where an operation or a variable does not fit 64 bits.
pub fn integer(env: &dyn Environment, expr: &Expr) -> Evaluated<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Ok(*value),
        ExprKind::Bool(value) => Ok(i64::from(*value)),
        ExprKind::EnumMember(of, member) => {
            let (_, value) = &env.symbols().enums[*of].members[*member as usize];
            fit(i128::from(*value))
        }
        ExprKind::Var(var) => scalar(env.read(*var)),
        ExprKind::Member(parser, member) => scalar(env.read_member(*parser, *member)),
        ExprKind::Offset => fit(i128::from(env.offset())),
        ExprKind::Left => Ok(env.left().and_then(|left| i64::try_from(left).ok()).unwrap_or(i64::MAX)),
        ExprKind::Unary(op, operand) => unary(*op, integer(env, operand)?),
        ExprKind::Binary(BinaryOp::And, a, b) => Ok(i64::from(truth(env, a)? && truth(env, b)?)),
        ExprKind::Binary(BinaryOp::Or, a, b) => Ok(i64::from(truth(env, a)? || truth(env, b)?)),
        ExprKind::Binary(op, a, b) if a.ty == Type::Text => {
            Ok(i64::from(compare(*op, text(env, a)?.cmp(&text(env, b)?))?))
        }
        ExprKind::Binary(op, a, b) => binary(*op, integer(env, a)?, integer(env, b)?),
        ExprKind::Conditional(condition, a, b) => integer(env, if truth(env, condition)? { a } else { b }),
        ExprKind::Query(query, operand) => ask(env, query, operand),
        ExprKind::Text(_) | ExprKind::Concat(..) | ExprKind::Call(..) => Err(ErrorKind::Condition),
    }
}

/// Whether an expression is true, that is: not zero.
///
/// # Errors
/// As [`integer`].
pub fn truth(env: &dyn Environment, expr: &Expr) -> Evaluated<bool> {
    Ok(integer(env, expr)? != 0)
}

/// The value of a bound: negative ones and those that overflow are `Overflow`.
///
/// # Errors
/// `Overflow`.
pub fn bound(env: &dyn Environment, expr: &Expr) -> Evaluated<u64> {
    u64::try_from(integer(env, expr)?).map_err(|_| ErrorKind::Overflow)
}

/// The bytes of a text expression.
///
/// # Errors
/// As [`integer`], for the condition of `?:`.
pub fn text<'a>(env: &'a dyn Environment, expr: &'a Expr) -> Evaluated<Cow<'a, [u8]>> {
    match &expr.kind {
        ExprKind::Text(bytes) => Ok(Cow::Borrowed(bytes)),
        ExprKind::Var(var) => bytes(env.read(*var)),
        ExprKind::Member(parser, member) => bytes(env.read_member(*parser, *member)),
        ExprKind::Concat(a, b) => {
            let mut joined = text(env, a)?.into_owned();
            joined.extend_from_slice(&text(env, b)?);
            Ok(Cow::Owned(joined))
        }
        ExprKind::Conditional(condition, a, b) => text(env, if truth(env, condition)? { a } else { b }),
        _ => Err(ErrorKind::Condition),
    }
}

/// The value of an argument of `notify:`. A lone variable is passed as it is, whatever its size.
///
/// # Errors
/// As [`integer`].
pub fn argument(env: &dyn Environment, expr: &Expr) -> Evaluated<Value> {
    match (&expr.kind, expr.ty) {
        (ExprKind::Var(var), _) => Ok(store::value(env.read(*var), env.symbols(), *var)),
        (ExprKind::Member(parser, member), _) => {
            let read = env.read_member(*parser, *member);
            Ok(store::value(read, env.member_symbols(*parser), *member))
        }
        (_, Type::Text) => Ok(Value::Bytes(text(env, expr)?.into_owned())),
        (_, Type::Bool) => Ok(Value::Bool(truth(env, expr)?)),
        (_, Type::Enum(of)) => {
            let number = integer(env, expr)?;
            let member = u64::try_from(number).ok().and_then(|n| env.symbols().enums[of].member(n));
            Ok(member.map_or(Value::Int(number.into()), |name| Value::Member(name.to_owned())))
        }
        _ => Ok(Value::Int(integer(env, expr)?.into())),
    }
}

/// The values of all arguments, from left to right.
///
/// # Errors
/// As [`argument`].
pub fn arguments<'a>(
    env: &dyn Environment,
    exprs: impl IntoIterator<Item = &'a Expr>,
) -> Evaluated<Vec<Value>> {
    exprs.into_iter().map(|expr| argument(env, expr)).collect()
}

/// Runs a block. Its value is that of its `return`, or true; the caller makes `condition` of a false one.
///
/// # Errors
/// `Overflow` of an operation or an assignment, `Limit` of a text that grows beyond its bound. What was
/// done before stays done.
pub fn run(env: &mut dyn Environment, block: &[Stmt]) -> Evaluated<bool> {
    Ok(statements(env, block)?.unwrap_or(true))
}

/// Stores a number into an integer, boolean or enum variable.
///
/// # Errors
/// `Overflow` where it does not fit. A boolean takes every number, as in C.
pub fn assign(env: &mut dyn Environment, var: VarId, value: i64) -> Evaluated<()> {
    let value = fitting(env, var, value)?;
    env.write(var, value);
    Ok(())
}

/// The value of the `return` that was reached, if one was.
fn statements(env: &mut dyn Environment, block: &[Stmt]) -> Evaluated<Option<bool>> {
    for statement in block {
        match statement {
            Stmt::Assign(var, expr) => {
                let value = integer(env, expr)?;
                assign(env, *var, value)?;
            }
            Stmt::Text(var, change) => change_text(env, *var, change)?,
            Stmt::If(condition, then, otherwise) => {
                let branch = if truth(env, condition)? { then } else { otherwise };
                if let Some(value) = statements(env, branch)? {
                    return Ok(Some(value));
                }
            }
            Stmt::Notify(function, exprs) => {
                let values = arguments(env, exprs)?;
                env.notify(*function, values);
            }
            Stmt::Return(None) => return Ok(Some(true)),
            Stmt::Return(Some(expr)) => return Ok(Some(truth(env, expr)?)),
            Stmt::Print(..) => {}
        }
    }
    Ok(None)
}

/// The number that an assignment stores.
fn fitting(env: &dyn Environment, var: VarId, value: i64) -> Evaluated<i128> {
    let ty = env.symbols().vars[var].ty;
    let value = if ty == VarType::Bool { i128::from(value != 0) } else { i128::from(value) };
    let (least, greatest) = ty.range().ok_or(ErrorKind::Condition)?;
    if (least..=greatest).contains(&value) { Ok(value) } else { Err(ErrorKind::Overflow) }
}

fn change_text(env: &mut dyn Environment, var: VarId, change: &TextChange) -> Evaluated<()> {
    let limit = store::limit(env.symbols(), env.symbols().vars[var].ty);
    let piece = match change {
        TextChange::Set(expr) => {
            let bytes = text(env, expr)?.into_owned();
            if bytes.len() > limit {
                return Err(ErrorKind::Limit);
            }
            env.write_text(var, bytes);
            return Ok(());
        }
        TextChange::Clear => {
            env.write_text(var, Vec::new());
            return Ok(());
        }
        TextChange::Swap(other) => {
            env.swap(var, *other);
            return Ok(());
        }
        TextChange::Append(expr) => text(env, expr)?.into_owned(),
        TextChange::Push(expr) => vec![u8::try_from(integer(env, expr)?).map_err(|_| ErrorKind::Overflow)?],
        TextChange::PushUtf8(expr) => {
            let code = u32::try_from(integer(env, expr)?).ok().and_then(char::from_u32);
            code.ok_or(ErrorKind::Overflow)?.to_string().into_bytes()
        }
    };
    if bytes(env.read(var))?.len().saturating_add(piece.len()) > limit {
        return Err(ErrorKind::Limit);
    }
    env.append_text(var, &piece);
    Ok(())
}

fn ask(env: &dyn Environment, query: &TextQuery, operand: &Expr) -> Evaluated<i64> {
    let bytes = text(env, operand)?;
    match query {
        TextQuery::Size => fit(bytes.len() as i128),
        TextQuery::Empty => Ok(i64::from(bytes.is_empty())),
        TextQuery::StartsWith(prefix) => Ok(i64::from(bytes.starts_with(&text(env, prefix)?))),
        TextQuery::Contains(part) => {
            let part = text(env, part)?;
            let found = part.is_empty() || bytes.windows(part.len()).any(|window| window == &*part);
            Ok(i64::from(found))
        }
    }
}

fn unary(op: UnaryOp, value: i64) -> Evaluated<i64> {
    match op {
        UnaryOp::Negate => value.checked_neg().ok_or(ErrorKind::Overflow),
        UnaryOp::Not => Ok(i64::from(value == 0)),
        UnaryOp::Complement => Ok(!value),
    }
}

fn binary(op: BinaryOp, a: i64, b: i64) -> Evaluated<i64> {
    let result = match op {
        BinaryOp::Multiply => a.checked_mul(b),
        BinaryOp::Divide => a.checked_div(b),
        BinaryOp::Remainder => a.checked_rem(b),
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Subtract => a.checked_sub(b),
        BinaryOp::ShiftLeft => shift_left(a, b),
        BinaryOp::ShiftRight => u32::try_from(b).ok().and_then(|count| a.checked_shr(count)),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::And => Some(i64::from(a != 0 && b != 0)),
        BinaryOp::Or => Some(i64::from(a != 0 || b != 0)),
        _ => return Ok(i64::from(compare(op, a.cmp(&b))?)),
    };
    result.ok_or(ErrorKind::Overflow)
}

/// `a * 2^count` where that fits.
fn shift_left(a: i64, count: i64) -> Option<i64> {
    let count = u32::try_from(count).ok()?;
    let shifted = a.checked_shl(count)?;
    (shifted >> count == a).then_some(shifted)
}

fn compare(op: BinaryOp, order: std::cmp::Ordering) -> Evaluated<bool> {
    match op {
        BinaryOp::Less => Ok(order.is_lt()),
        BinaryOp::LessEqual => Ok(order.is_le()),
        BinaryOp::Greater => Ok(order.is_gt()),
        BinaryOp::GreaterEqual => Ok(order.is_ge()),
        BinaryOp::Equal => Ok(order.is_eq()),
        BinaryOp::NotEqual => Ok(order.is_ne()),
        _ => Err(ErrorKind::Condition),
    }
}

fn scalar(read: Read<'_>) -> Evaluated<i64> {
    match read {
        Read::Scalar(value) => fit(value),
        _ => Err(ErrorKind::Condition),
    }
}

fn bytes(read: Read<'_>) -> Evaluated<Cow<'_, [u8]>> {
    match read {
        Read::Text(bytes) => Ok(Cow::Borrowed(bytes)),
        _ => Err(ErrorKind::Condition),
    }
}

fn fit(value: i128) -> Evaluated<i64> {
    i64::try_from(value).map_err(|_| ErrorKind::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_never_wraps() {
        let overflow = Err(ErrorKind::Overflow);
        assert_eq!(binary(BinaryOp::Add, i64::MAX, 1), overflow);
        assert_eq!(binary(BinaryOp::Divide, 1, 0), overflow);
        assert_eq!(binary(BinaryOp::Divide, i64::MIN, -1), overflow);
        assert_eq!(binary(BinaryOp::Remainder, -7, 2), Ok(-1));
        assert_eq!(binary(BinaryOp::ShiftLeft, 1, 62), Ok(1 << 62));
        assert_eq!(binary(BinaryOp::ShiftLeft, 1, 63), overflow);
        assert_eq!(binary(BinaryOp::ShiftLeft, -1, 63), Ok(i64::MIN));
        assert_eq!(binary(BinaryOp::ShiftRight, -8, 1), Ok(-4));
        assert_eq!(binary(BinaryOp::ShiftRight, 8, 64), overflow);
        assert_eq!(binary(BinaryOp::ShiftLeft, 0, -1), overflow);
        assert_eq!(unary(UnaryOp::Negate, i64::MIN), overflow);
        assert_eq!(unary(UnaryOp::Complement, 0), Ok(-1));
        assert_eq!(binary(BinaryOp::LessEqual, 2, 2), Ok(1));
    }
}
