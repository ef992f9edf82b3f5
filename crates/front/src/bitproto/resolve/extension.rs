//! What bitproto 1.3.2 does not know: floating-point numbers, texts, ranges and defaults. A file switches it on.

use super::Resolver;
use super::value::Constant;
use crate::bitproto::ast::{ExprKind, Name, Rule, RuleKind, RuleValue, TypeExpr};
use vproto_ir::wire::schema::{Field, Scalar, Type};
use vproto_source::Span;
use vproto_source::code::bitproto as codes;

impl Resolver<'_, '_> {
    /// Whether extensions are on in the file at hand; reported if not.
    fn extension(&mut self, what: &str, span: Span) -> bool {
        let file = self.stack.last().and_then(|id| self.schema.protos.get(id.index()));
        let on = file.is_some_and(|f| f.options.extensions.is_some());
        if !on {
            let title = format!("{what} needs extensions, which are off");
            let help =
                "write `option extensions = true` at the top of the file; bitproto 1.3.2 will refuse it";
            self.report(codes::EXTENSION_OFF, &title, span, "an extension", help);
        }
        on
    }

    /// `floatN`.
    pub(super) fn float(&mut self, name: &Name) -> Option<Type> {
        let bits = name.text.strip_prefix("float")?.parse().ok()?;
        self.extension(&format!("`{}`", name.text), name.span).then_some(Type::Float(bits))
    }

    /// The element of `string[N]`.
    pub(super) fn string(&mut self, expr: &TypeExpr) -> Option<Type> {
        if !self.extension("`string`", expr.span) {
            return None;
        }
        match &expr.array {
            Some(array) if array.mark.is_none() => Some(Type::Char),
            _ => {
                let title = "a string needs a capacity, and has no mark";
                self.report(codes::STRING_CAPACITY, title, expr.span, "not a string", "write string[16]");
                None
            }
        }
    }

    /// The rules of the field that was added last, if it has the name.
    pub(super) fn rules(&mut self, name: &Name, rules: &[Rule], field: Option<&mut Field>) {
        let Some(first) = rules.first() else { return };
        if !self.extension("a rule", first.span) {
            return;
        }
        let Some(field) = field.filter(|f| f.span == name.span) else { return };
        for rule in rules {
            self.rule(rule, field);
        }
        if let (Some((low, high)), Some(default)) = (&field.rules.range, &field.rules.default)
            && (less(default, low) || less(high, default))
        {
            self.refuse_rule("the default is outside the range", first.span);
        }
    }

    fn refuse_rule(&mut self, title: &str, span: Span) {
        self.report(codes::RULE, title, span, "does not fit", "");
    }

    fn rule(&mut self, rule: &Rule, field: &mut Field) {
        let ty = field.ty.clone();
        match &rule.kind {
            RuleKind::Range(low, high) => {
                let of = self.schema.innermost(&ty).clone();
                if !matches!(of, Type::Byte | Type::Uint(_) | Type::Int(_) | Type::Float(_)) {
                    return self.refuse_rule("only numbers have a range", rule.span);
                }
                let (Some(low), Some(high)) = (self.scalar(&of, low), self.scalar(&of, high)) else { return };
                if less(&high, &low) {
                    return self.refuse_rule("the range is empty", rule.span);
                }
                if field.rules.range.replace((low, high)).is_some() {
                    self.refuse_rule("a second range", rule.span);
                }
            }
            RuleKind::Default(value) => {
                let Some(value) = self.scalar(&ty, value) else { return };
                if field.rules.default.replace(value).is_some() {
                    self.refuse_rule("a second default", rule.span);
                }
            }
        }
    }

    /// A value as one of a type; `None` if it is not, which was reported.
    fn scalar(&mut self, ty: &Type, written: &RuleValue) -> Option<Scalar> {
        let value = self.rule_value(ty, written)?;
        let fitting = self.fit(ty, value);
        if fitting.is_none() {
            self.refuse_rule("the field's type has no such value", written.value.span);
        }
        fitting
    }

    fn rule_value(&mut self, ty: &Type, written: &RuleValue) -> Option<Scalar> {
        if let (Type::Enum(id), ExprKind::Reference(name)) = (self.schema.strip(ty), &written.value.kind) {
            let last = name.rsplit('.').next().unwrap_or(name);
            let values = &self.schema.enumeration(*id).values;
            if let Some(value) = values.iter().find(|v| v.name == last) {
                return Some(Scalar::Integer(i128::from(value.value)));
            }
        }
        if let (Some(fraction), ExprKind::Number(digits, _)) = (&written.fraction, &written.value.kind) {
            let number: f64 = format!("{digits}.{fraction}").parse().ok()?;
            return Some(Scalar::Float(if written.negative { -number } else { number }));
        }
        Some(match self.evaluate(&written.value)? {
            Constant::Truth(b) => Scalar::Bool(b),
            Constant::Text(t) => Scalar::Text(t),
            Constant::Integer(n) => {
                let number: i128 = n.to_string().parse().unwrap_or(i128::MAX);
                Scalar::Integer(if written.negative { -number } else { number })
            }
        })
    }

    fn fit(&self, ty: &Type, value: Scalar) -> Option<Scalar> {
        let between = |low: i128, high: i128| match value {
            Scalar::Integer(n) => (low..=high).contains(&n),
            _ => false,
        };
        let fits = match (self.schema.strip(ty), &value) {
            (Type::Bool, Scalar::Bool(_)) => true,
            (Type::Float(bits), Scalar::Float(v)) => v.abs() <= largest(*bits),
            (Type::Float(_), Scalar::Integer(n)) => return self.fit(ty, Scalar::Float(*n as f64)),
            (Type::Byte, _) => between(0, 255),
            (Type::Uint(n), _) => between(0, (1 << n) - 1),
            (Type::Int(n), _) => between(-(1 << (n - 1)), (1 << (n - 1)) - 1),
            (Type::Enum(id), Scalar::Integer(n)) => {
                self.schema.enumeration(*id).values.iter().any(|v| i128::from(v.value) == *n)
            }
            (text, Scalar::Text(t)) => {
                let capacity = self.schema.text_capacity(text).unwrap_or(0);
                t.len() <= capacity as usize && capacity > 0 && !t.contains('\0')
            }
            _ => false,
        };
        fits.then_some(value)
    }
}

/// The largest finite number of so many bits.
fn largest(bits: u8) -> f64 {
    match bits {
        16 => 65504.0,
        32 => f64::from(f32::MAX),
        _ => f64::MAX,
    }
}

fn less(a: &Scalar, b: &Scalar) -> bool {
    match (a, b) {
        (Scalar::Integer(a), Scalar::Integer(b)) => a < b,
        (Scalar::Float(a), Scalar::Float(b)) => a < b,
        _ => false,
    }
}
