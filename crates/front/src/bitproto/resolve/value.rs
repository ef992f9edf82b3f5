//! Values of constants, capacities and options.

use super::Resolver;
use super::scope::Def;
use crate::bitproto::ast::{Expr, ExprKind, Name, Step};
use crate::bitproto::integer::Integer;
use vproto_ir::wire::schema::ConstantValue;
use vproto_source::Span;
use vproto_source::code::bitproto as codes;

/// The value of a constant.
#[derive(Clone, Debug)]
pub(super) enum Constant {
    Integer(Integer),
    Truth(bool),
    Text(String),
}

impl Constant {
    pub(super) fn to_schema(&self) -> ConstantValue {
        match self {
            Constant::Integer(n) => ConstantValue::Integer(n.to_string()),
            Constant::Truth(b) => ConstantValue::Bool(*b),
            Constant::Text(t) => ConstantValue::Text(t.clone()),
        }
    }
}

impl Resolver<'_, '_> {
    /// The value of an expression; `None` if it has none, which was reported.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Option<Constant> {
        match &expr.kind {
            ExprKind::Number(digits, base) => self.number(digits, *base, expr.span).map(Constant::Integer),
            ExprKind::Truth(b) => Some(Constant::Truth(*b)),
            ExprKind::Text(t) => Some(Constant::Text(t.clone())),
            ExprKind::Reference(path) => self.referenced(path, expr.span),
            ExprKind::Computed(steps) => self.compute(steps).map(Constant::Integer),
        }
    }

    /// A number literal.
    pub(super) fn number(&mut self, digits: &str, base: u32, span: Span) -> Option<Integer> {
        let number = Integer::parse(digits, base);
        if number.is_none() {
            self.too_large(span);
        }
        number
    }

    fn too_large(&mut self, span: Span) {
        self.report(codes::NUMBER_TOO_LARGE, "the number has more than 4300 digits", span, "too large", "");
    }

    /// The constant of a name.
    fn referenced(&mut self, path: &str, span: Span) -> Option<Constant> {
        match self.look_up(path) {
            Some(Def::Constant(id)) => self.values.get(id.index()).cloned(),
            Some(Def::Broken) => None,
            Some(_) => {
                let title = format!("`{path}` is not a constant");
                self.report(codes::NOT_A_CONSTANT, &title, span, "not a constant", "");
                None
            }
            None => {
                let is_constant = |d| matches!(d, Def::Constant(_));
                self.unknown(codes::UNDEFINED_CONSTANT, "constant", path, span, is_constant);
                None
            }
        }
    }

    fn compute(&mut self, steps: &[Step]) -> Option<Integer> {
        let mut stack: Vec<Integer> = Vec::new();
        for step in steps {
            let value = match step {
                Step::Number(digits, base, span) => self.number(digits, *base, *span)?,
                Step::Reference(name) => self.integer_of(name)?,
                Step::Operator(sign, span) => {
                    let right = stack.pop()?;
                    let left = stack.pop()?;
                    self.apply(*sign, *span, &left, &right)?
                }
            };
            stack.push(value);
        }
        stack.pop()
    }

    fn integer_of(&mut self, name: &Name) -> Option<Integer> {
        match self.referenced(&name.text, name.span)? {
            Constant::Integer(n) => Some(n),
            _ => {
                let title = format!("`{}` is not an integer", name.text);
                let help = "only integers can be computed with";
                self.report(codes::NOT_AN_INTEGER, &title, name.span, "not an integer", help);
                None
            }
        }
    }

    fn apply(&mut self, sign: u8, span: Span, left: &Integer, right: &Integer) -> Option<Integer> {
        if sign == b'/' && right.is_zero() {
            self.report(codes::DIVISION_BY_ZERO, "division by zero", span, "the divisor is 0", "");
            return None;
        }
        let result = match sign {
            b'+' => left.add(right),
            b'-' => left.sub(right),
            b'*' => left.mul(right),
            _ => left.div(right),
        };
        if result.is_none() {
            self.too_large(span);
        }
        result
    }

    /// The capacity of an array.
    pub(super) fn capacity(&mut self, expr: &Expr) -> Option<u32> {
        let value = self.evaluate(expr)?;
        let capacity = match &value {
            Constant::Integer(n) => n.to_u64().filter(|n| (1..=65535).contains(n)).map(|n| n as u32),
            _ => None,
        };
        if capacity.is_none() {
            let title = match value {
                Constant::Integer(_) => "the capacity is not from 1 to 65535",
                _ => "the capacity is not an integer",
            };
            let help = "a capacity is an integer from 1 to 65535";
            self.report(codes::ARRAY_CAPACITY, title, expr.span, "not a capacity", help);
        }
        capacity
    }
}
