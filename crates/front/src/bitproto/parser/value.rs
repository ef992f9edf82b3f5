//! Values: literals, references, integer expressions.

use super::{GivenUp, Kind, Parsed, Parser};
use crate::bitproto::ast::{Expr, ExprKind, Name, Rule, RuleKind, RuleValue, Step};
use crate::bitproto::lexer::{Token, unescape};
use vproto_source::Span;

impl Parser<'_> {
    /// A number literal.
    pub(super) fn number(&mut self, what: &str) -> Parsed<Expr> {
        let token = self.expect(what, |_, t| matches!(t.kind, Kind::Decimal | Kind::Hex))?;
        let (digits, base) = self.digits(token);
        Ok(Expr { span: token.span, kind: ExprKind::Number(digits, base) })
    }

    /// What stands in brackets: decimal digits or a reference.
    pub(super) fn capacity(&mut self) -> Parsed<Expr> {
        let what = "a capacity (decimal number or constant)";
        match self.token().kind {
            Kind::Decimal => self.number(what),
            _ => self.reference(what),
        }
    }

    /// A literal or a reference, as options have it.
    pub(super) fn simple_value(&mut self) -> Parsed<Expr> {
        match self.token().kind {
            Kind::Decimal | Kind::Hex => self.number("a number"),
            Kind::Truth(_) | Kind::Text => Ok(self.literal()),
            _ => self.reference("a value"),
        }
    }

    /// Anything a constant can be.
    pub(super) fn value(&mut self) -> Parsed<Expr> {
        match self.token().kind {
            Kind::Truth(_) | Kind::Text => Ok(self.literal()),
            _ => self.expression(),
        }
    }

    /// The rules of a field, each in brackets of its own.
    pub(super) fn rules(&mut self) -> Parsed<Vec<Rule>> {
        let mut rules = Vec::new();
        while self.is_sign(b'[') {
            let start = self.bump().span;
            let word = self.word(self.token());
            let kind = if word == "default" && self.ahead(1).kind == Kind::Sign(b'=') {
                self.bump();
                self.bump();
                RuleKind::Default(self.rule_value()?)
            } else {
                let low = self.rule_value()?;
                self.expect_sign(b'.')?;
                self.expect_sign(b'.')?;
                RuleKind::Range(low, self.rule_value()?)
            };
            let end = self.expect_sign(b']')?.span;
            rules.push(Rule { span: start.to(end), kind });
        }
        Ok(rules)
    }

    /// A literal or a name, maybe with a sign and a fraction.
    fn rule_value(&mut self) -> Parsed<RuleValue> {
        let start = self.token().span;
        let negative = self.take_sign(b'-');
        let mut value = match self.token().kind {
            Kind::Name => {
                // One part at a time: `A..B` is no dotted name.
                let mut name = self.expect_name("a value")?;
                while self.is_sign(b'.') && self.ahead(1).kind == Kind::Name {
                    self.bump();
                    let part = self.expect_name("a name after the dot")?;
                    name =
                        Name { text: format!("{}.{}", name.text, part.text), span: name.span.to(part.span) };
                }
                Expr { span: name.span, kind: ExprKind::Reference(name.text) }
            }
            _ => self.simple_value()?,
        };
        let mut fraction = None;
        if matches!(value.kind, ExprKind::Number(_, 10))
            && self.is_sign(b'.')
            && self.ahead(1).kind == Kind::Decimal
        {
            self.bump();
            let token = self.bump();
            fraction = Some(self.word(token).to_owned());
            value.span = value.span.to(token.span);
        }
        value.span = start.to(value.span);
        Ok(RuleValue { negative, fraction, value })
    }

    fn literal(&mut self) -> Expr {
        let token = self.bump();
        let kind = match token.kind {
            Kind::Truth(b) => ExprKind::Truth(b),
            _ => ExprKind::Text(unescape(self.word(token))),
        };
        Expr { span: token.span, kind }
    }

    fn reference(&mut self, what: &str) -> Parsed<Expr> {
        let name = self.dotted_name(what)?;
        Ok(Expr { span: name.span, kind: ExprKind::Reference(name.text) })
    }

    fn digits(&self, token: Token) -> (String, u32) {
        match self.word(token) {
            word if token.kind == Kind::Hex => (word.get(2..).unwrap_or("").to_owned(), 16),
            word => (word.to_owned(), 10),
        }
    }

    /// Operators and parentheses on a stack of their own, so that no nesting costs call depth.
    fn expression(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        let mut steps = Vec::new();
        let mut pending: Vec<(u8, Span)> = Vec::new();
        let mut parentheses = false;
        loop {
            while self.is_sign(b'(') {
                parentheses = true;
                let token = self.bump();
                pending.push((b'(', token.span));
            }
            steps.push(self.operand()?);
            while self.is_sign(b')') && pending.iter().any(|p| p.0 == b'(') {
                self.bump();
                reduce(&mut steps, &mut pending, 0);
                pending.pop();
            }
            let Kind::Sign(sign @ (b'+' | b'-' | b'*' | b'/')) = self.token().kind else { break };
            reduce(&mut steps, &mut pending, strength(sign));
            let token = self.bump();
            pending.push((sign, token.span));
        }
        if pending.iter().any(|p| p.0 == b'(') {
            return Err(self.unexpected("`)`", None));
        }
        reduce(&mut steps, &mut pending, 0);
        let end = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(start, |t| t.span);
        let kind = match (parentheses, steps.as_slice()) {
            (false, [Step::Number(digits, base, _)]) => ExprKind::Number(digits.clone(), *base),
            (false, [Step::Reference(name)]) => ExprKind::Reference(name.text.clone()),
            _ => ExprKind::Computed(steps),
        };
        Ok(Expr { span: start.to(end), kind })
    }

    fn operand(&mut self) -> Parsed<Step> {
        let token = self.token();
        match token.kind {
            Kind::Decimal | Kind::Hex => {
                self.bump();
                let (digits, base) = self.digits(token);
                Ok(Step::Number(digits, base, token.span))
            }
            Kind::Sign(b'-' | b'+') => Err(self.signed_literal()),
            _ => self.dotted_name("a value").map(|Name { text, span }| Step::Reference(Name { text, span })),
        }
    }

    fn signed_literal(&mut self) -> GivenUp {
        self.unexpected("a value", Some("literals have no sign: write (0 - 1) for a negative number"))
    }
}

/// Moves pending operators that bind at least as strongly as `than` to the steps, down to the last parenthesis.
fn reduce(steps: &mut Vec<Step>, pending: &mut Vec<(u8, Span)>, than: u8) {
    while let Some(&(sign, span)) = pending.last()
        && sign != b'('
        && strength(sign) >= than
    {
        steps.push(Step::Operator(sign, span));
        pending.pop();
    }
}

fn strength(sign: u8) -> u8 {
    if matches!(sign, b'*' | b'/') { 2 } else { 1 }
}
