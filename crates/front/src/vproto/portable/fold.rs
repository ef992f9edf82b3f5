//! Constant expressions, with the arithmetic that holds at run time: signed 64 bits, nothing wraps.

use vproto_ir::portable::{BinaryOp, Expr, ExprKind, UnaryOp};

/// What folding an expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folded {
    /// A constant.
    Value(i64),
    /// It names something that is known at run time only.
    Variable,
    /// It is constant and has no value: an overflow, a division by zero.
    Overflow,
}

/// Folds an expression. Its depth is bounded, and so is the recursion.
pub fn fold(expr: &Expr) -> Folded {
    match try_fold(expr) {
        Ok(value) => Folded::Value(value),
        Err(stop) => stop,
    }
}

fn try_fold(expr: &Expr) -> Result<i64, Folded> {
    match &expr.kind {
        ExprKind::Int(value) => Ok(*value),
        ExprKind::Bool(value) => Ok(i64::from(*value)),
        ExprKind::Unary(op, operand) => {
            let value = try_fold(operand)?;
            match op {
                UnaryOp::Negate => value.checked_neg().ok_or(Folded::Overflow),
                UnaryOp::Not => Ok(i64::from(value == 0)),
                UnaryOp::Complement => Ok(!value),
            }
        }
        ExprKind::Binary(BinaryOp::And, left, right) => match try_fold(left)? {
            0 => Ok(0),
            _ => Ok(i64::from(try_fold(right)? != 0)),
        },
        ExprKind::Binary(BinaryOp::Or, left, right) => match try_fold(left)? {
            0 => Ok(i64::from(try_fold(right)? != 0)),
            _ => Ok(1),
        },
        ExprKind::Binary(op, left, right) => {
            binary(*op, try_fold(left)?, try_fold(right)?).ok_or(Folded::Overflow)
        }
        ExprKind::Conditional(condition, then, other) => match try_fold(condition)? {
            0 => try_fold(other),
            _ => try_fold(then),
        },
        _ => Err(Folded::Variable),
    }
}

/// An operation on two numbers; none where its value does not fit.
pub fn binary(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    let shift = u32::try_from(b).ok().filter(|n| *n < 64);
    Some(match op {
        BinaryOp::Multiply => a.checked_mul(b)?,
        BinaryOp::Divide => a.checked_div(b)?,
        BinaryOp::Remainder => a.checked_rem(b)?,
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Subtract => a.checked_sub(b)?,
        BinaryOp::ShiftLeft => {
            let shifted = a << shift?;
            (shifted >> shift? == a).then_some(shifted)?
        }
        BinaryOp::ShiftRight => a >> shift?,
        BinaryOp::Less => i64::from(a < b),
        BinaryOp::LessEqual => i64::from(a <= b),
        BinaryOp::Greater => i64::from(a > b),
        BinaryOp::GreaterEqual => i64::from(a >= b),
        BinaryOp::Equal => i64::from(a == b),
        BinaryOp::NotEqual => i64::from(a != b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::BitOr => a | b,
        BinaryOp::And => i64::from(a != 0 && b != 0),
        BinaryOp::Or => i64::from(a != 0 || b != 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_wraps() {
        assert_eq!(binary(BinaryOp::Add, i64::MAX, 1), None);
        assert_eq!(binary(BinaryOp::Divide, i64::MIN, -1), None);
        assert_eq!(binary(BinaryOp::Remainder, 1, 0), None);
        assert_eq!(binary(BinaryOp::ShiftLeft, 1, 62), Some(1 << 62));
        assert_eq!(binary(BinaryOp::ShiftLeft, 1, 63), None);
        assert_eq!(binary(BinaryOp::ShiftLeft, 1, 64), None);
        assert_eq!(binary(BinaryOp::ShiftRight, -8, 1), Some(-4));
        assert_eq!(binary(BinaryOp::Multiply, 3, -4), Some(-12));
    }
}
