//! Portable code: names and types.

use super::syntax::{Node, NodeKind, Statement};
use super::{Problem, ProblemKind};
use crate::vproto::ast::Name;
use crate::vproto::resolve::names::Names;
use vproto_ir::grammar::Module;
use vproto_ir::ids::{EnumId, ModuleId, Table, VarId};
use vproto_ir::portable::{BinaryOp, Expr, ExprKind, Stmt, TextChange, TextQuery, Type, UnaryOp};
use vproto_ir::symbols::{Role, VarType};
use vproto_source::Span;
use vproto_source::diagnostic::did_you_mean;

/// What names mean where code stands.
pub struct Checker<'a> {
    /// The module's own names.
    pub names: &'a mut Names,
    /// The modules that are resolved already.
    pub modules: &'a Table<ModuleId, Module>,
    /// The text of the file.
    pub text: &'a str,
    /// Whether it is worth while to guess what an unknown name was meant to be.
    pub guess: bool,
}

/// Names that a name is compared with to guess what was meant.
pub const MAX_KNOWN: usize = 500;

type Checked<T> = Result<T, Problem>;

/// What is expected of two operands and what it gives.
enum Operands {
    Arithmetic,
    Compare,
    Logic,
}

impl Checker<'_> {
    /// Types an expression.
    ///
    /// # Errors
    /// Where a name is unknown or types do not fit.
    pub fn expr(&mut self, node: &Node) -> Checked<Expr> {
        self.expr_with(node, None)
    }

    /// Types an expression that must be a number, a truth value or an enum.
    ///
    /// # Errors
    /// As [`Checker::expr`].
    pub fn scalar(&mut self, node: &Node) -> Checked<Expr> {
        let expr = self.expr(node)?;
        self.need_scalar(&expr)?;
        Ok(expr)
    }

    /// Types an expression; a member of `hint` goes before other names.
    fn expr_with(&mut self, node: &Node, hint: Option<EnumId>) -> Checked<Expr> {
        let (kind, ty) = match &node.kind {
            NodeKind::Int(value) => (ExprKind::Int(int(*value, node.span)?), Type::Int),
            NodeKind::Text(bytes) => (ExprKind::Text(bytes.clone()), Type::Text),
            NodeKind::Name(name) => self.name(name, node.span, hint)?,
            NodeKind::Unary(op, operand) => self.unary(*op, operand, node.span)?,
            NodeKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            NodeKind::Conditional(condition, then, other) => {
                self.conditional(condition, then, other, hint)?
            }
            NodeKind::Member(object, member) => self.member(object, member)?,
            NodeKind::Method(object, method, arguments) => self.query(object, method, arguments)?,
            NodeKind::Call(name, arguments) => self.call(name, arguments)?,
        };
        Ok(Expr { kind, ty, span: node.span })
    }

    fn name(&mut self, name: &str, span: Span, hint: Option<EnumId>) -> Checked<(ExprKind, Type)> {
        if let Some((of, index)) = hint.and_then(|of| Some((of, self.names.member(of, name)?))) {
            return Ok((ExprKind::EnumMember(of, index), Type::Enum(of)));
        }
        if let Some(var) = self.names.var(name) {
            let ty = self.var_type(var, span)?;
            return Ok((ExprKind::Var(var), ty));
        }
        if let Some(&(value, _)) = self.names.consts.get(name) {
            return Ok((ExprKind::Int(value), Type::Int));
        }
        match name {
            "offset" => return Ok((ExprKind::Offset, Type::Int)),
            "left" => return Ok((ExprKind::Left, Type::Int)),
            "true" => return Ok((ExprKind::Bool(true), Type::Bool)),
            "false" => return Ok((ExprKind::Bool(false), Type::Bool)),
            _ => {}
        }
        match self.names.enums_with(name) {
            [] => Err(self.unknown(name, span)),
            &[of] => {
                let index = self.names.member(of, name).unwrap_or(0);
                Ok((ExprKind::EnumMember(of, index), Type::Enum(of)))
            }
            several => {
                let owners: Vec<String> =
                    several.iter().map(|&e| format!("`{}`", self.names.symbols.enums[e].name)).collect();
                let owners = owners.join(" and ");
                Err(Problem::wrong(span, format!("`{name}` is a member of the enums of {owners}"))
                    .with_help("compare it with a variable of the enum that is meant"))
            }
        }
    }

    fn unknown(&self, name: &str, span: Span) -> Problem {
        let near = self.guess.then(|| did_you_mean(name, self.names.known().take(MAX_KNOWN))).flatten();
        Problem {
            kind: ProblemKind::UnknownName,
            span,
            message: format!("unknown name `{}`", crate::vproto::parser::shorten(name)),
            help: near.map(|near| format!("did you mean `{near}`?")),
        }
    }

    /// A variable of unknown type: that was reported.
    fn not_broken(&self, var: VarId, span: Span) -> Checked<()> {
        match self.names.is_broken(var) {
            false => Ok(()),
            true => Err(Problem { kind: ProblemKind::Consequence, span, message: String::new(), help: None }),
        }
    }

    fn var_type(&self, var: VarId, span: Span) -> Checked<Type> {
        self.not_broken(var, span)?;
        let var = &self.names.symbols.vars[var];
        type_of(var.ty).ok_or_else(|| {
            Problem::wrong(
                span,
                format!("`{}` is a module; its variables are read as `{}.x`", var.name, var.name),
            )
        })
    }

    fn need_scalar(&self, expr: &Expr) -> Checked<()> {
        match expr.ty {
            Type::Int | Type::Bool | Type::Enum(_) | Type::Opaque => Ok(()),
            Type::Text => Err(Problem::wrong(expr.span, "a number was expected, this is a text")
                .with_help("`.size()` is the number of its bytes, `.empty()` tells whether there are none")),
            Type::Float => {
                Err(Problem::not_understood(expr.span, "there is no portable arithmetic of floats"))
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Node, span: Span) -> Checked<(ExprKind, Type)> {
        if let (UnaryOp::Negate, NodeKind::Int(value)) = (op, &operand.kind) {
            let value = 0i64.checked_sub_unsigned(*value).ok_or_else(|| too_large(span))?;
            return Ok((ExprKind::Int(value), Type::Int));
        }
        let operand = self.scalar(operand)?;
        let ty = match (op, operand.ty) {
            (_, Type::Opaque) => Type::Opaque,
            (UnaryOp::Not, _) => Type::Bool,
            _ => Type::Int,
        };
        Ok((ExprKind::Unary(op, operand.into()), ty))
    }

    fn binary(&mut self, op: BinaryOp, left: &Node, right: &Node) -> Checked<(ExprKind, Type)> {
        let operands = operands(op);
        let (left, right) = match operands {
            Operands::Compare => self.compared(left, right)?,
            _ => (self.expr(left)?, self.expr(right)?),
        };
        if left.ty == Type::Text && right.ty == Type::Text {
            return match op {
                BinaryOp::Add => Ok((ExprKind::Concat(left.into(), right.into()), Type::Text)),
                BinaryOp::Equal | BinaryOp::NotEqual => {
                    Ok((ExprKind::Binary(op, left.into(), right.into()), Type::Bool))
                }
                _ => {
                    let span = left.span.to(right.span);
                    Err(Problem::not_understood(span, "texts know `+`, `==` and `!=` only"))
                }
            };
        }
        self.need_scalar(&left)?;
        self.need_scalar(&right)?;
        let ty = match operands {
            _ if left.ty == Type::Opaque || right.ty == Type::Opaque => Type::Opaque,
            Operands::Arithmetic => Type::Int,
            Operands::Compare | Operands::Logic => Type::Bool,
        };
        Ok((ExprKind::Binary(op, left.into(), right.into()), ty))
    }

    /// Two operands of a comparison: an enum on one side decides what a member's name on the other side means.
    fn compared(&mut self, left: &Node, right: &Node) -> Checked<(Expr, Expr)> {
        let plain = |node: &Node| matches!(node.kind, NodeKind::Name(_));
        let hint = |expr: &Expr| match expr.ty {
            Type::Enum(of) => Some(of),
            _ => None,
        };
        if let Some(of) = self.enum_of(left) {
            return Ok((self.expr(left)?, self.expr_with(right, Some(of))?));
        }
        if let Some(of) = self.enum_of(right) {
            return Ok((self.expr_with(left, Some(of))?, self.expr(right)?));
        }
        if plain(left) && !plain(right) {
            let right = self.expr(right)?;
            return Ok((self.expr_with(left, hint(&right))?, right));
        }
        let left = self.expr(left)?;
        let right = self.expr_with(right, hint(&left))?;
        Ok((left, right))
    }

    /// The enum of a variable.
    fn enum_of(&mut self, node: &Node) -> Option<EnumId> {
        let ty = match &node.kind {
            NodeKind::Name(name) => self.names.symbols.vars[self.names.var(name)?].ty,
            _ => return None,
        };
        match ty {
            VarType::Enum { of, .. } => Some(of),
            _ => None,
        }
    }

    fn conditional(
        &mut self,
        condition: &Node,
        then: &Node,
        other: &Node,
        hint: Option<EnumId>,
    ) -> Checked<(ExprKind, Type)> {
        let condition = self.scalar(condition)?;
        let (then, other) = (self.expr_with(then, hint)?, self.expr_with(other, hint)?);
        let texts = [then.ty, other.ty].iter().filter(|t| **t == Type::Text).count();
        let ty = match texts {
            2 => Type::Text,
            1 => {
                let span = then.span.to(other.span);
                return Err(Problem::wrong(span, "one of the two values is a text, the other is a number"));
            }
            _ => {
                self.need_scalar(&then)?;
                self.need_scalar(&other)?;
                let opaque = [condition.ty, then.ty, other.ty].contains(&Type::Opaque);
                match opaque {
                    true => Type::Opaque,
                    false if then.ty == other.ty => then.ty,
                    false => Type::Int,
                }
            }
        };
        Ok((ExprKind::Conditional(condition.into(), then.into(), other.into()), ty))
    }

    /// `v.x`: a variable of the module that v runs.
    fn member(&mut self, object: &Node, member: &Name) -> Checked<(ExprKind, Type)> {
        let (var, module) = self.module_of(object, member)?;
        let theirs = &self.modules[module].symbols;
        let Some(id) = theirs.var(&member.text) else {
            let near =
                did_you_mean(&member.text, theirs.vars.iter().map(|(_, v)| v.name.as_str()).take(MAX_KNOWN));
            let message = format!("module `{}` has no variable `{}`", self.modules[module].name, member.text);
            let problem = Problem::wrong(member.span, message);
            return Err(match near {
                Some(near) => problem.with_help(format!("did you mean `{near}`?")),
                None => problem,
            });
        };
        let ty = match theirs.vars[id].ty {
            VarType::Enum { of, .. } => {
                let listed = theirs.enums[of].clone();
                Type::Enum(self.names.foreign_enum(&listed.name, listed.members, listed.span))
            }
            other => type_of(other).ok_or_else(|| {
                Problem::wrong(member.span, "a module inside a module cannot be named from here")
            })?,
        };
        Ok((ExprKind::Member(var, id), ty))
    }

    fn module_of(&mut self, object: &Node, member: &Name) -> Checked<(VarId, ModuleId)> {
        let NodeKind::Name(name) = &object.kind else {
            return Err(Problem::not_understood(member.span, "only modules have members"));
        };
        let Some(var) = self.names.var(name) else { return Err(self.unknown(name, object.span)) };
        self.not_broken(var, object.span)?;
        match self.names.symbols.vars[var].ty {
            VarType::Module(module) => Ok((var, module)),
            _ => {
                Err(Problem::not_understood(member.span, format!("`{name}` is no module and has no members")))
            }
        }
    }

    fn query(&mut self, object: &Node, method: &Name, arguments: &[Node]) -> Checked<(ExprKind, Type)> {
        if !matches!(method.text.as_str(), "size" | "empty" | "contains" | "starts_with") {
            return Err(unknown_query(method));
        }
        let object = self.expr(object)?;
        if object.ty != Type::Text {
            return Err(Problem::not_understood(
                method.span,
                format!("`{}()` asks something of a text", method.text),
            ));
        }
        let arguments: Vec<Expr> = arguments.iter().map(|a| self.expr(a)).collect::<Checked<_>>()?;
        let (query, ty) = match (method.text.as_str(), arguments.as_slice()) {
            ("size", []) => (TextQuery::Size, Type::Int),
            ("empty", []) => (TextQuery::Empty, Type::Bool),
            ("contains", [text]) => (TextQuery::Contains(need_text(text)?.clone().into()), Type::Bool),
            ("starts_with", [text]) => (TextQuery::StartsWith(need_text(text)?.clone().into()), Type::Bool),
            _ => return Err(unknown_query(method)),
        };
        Ok((ExprKind::Query(query, object.into()), ty))
    }

    fn call(&mut self, name: &Name, arguments: &[Node]) -> Checked<(ExprKind, Type)> {
        let arguments: Vec<Expr> = arguments.iter().map(|a| self.expr(a)).collect::<Checked<_>>()?;
        self.not_a_variable(name)?;
        let function = self.names.function(&name.text, Role::Value, name.span);
        Ok((ExprKind::Call(function, arguments), Type::Opaque))
    }

    fn not_a_variable(&self, name: &Name) -> Checked<()> {
        match self.names.var(&name.text) {
            Some(_) => Err(Problem::not_understood(name.span, format!("`{}` is a variable", name.text))),
            None => Ok(()),
        }
    }

    /// Types statements.
    ///
    /// # Errors
    /// Where a name is unknown or types do not fit.
    pub fn statements(&mut self, statements: &[Statement]) -> Checked<Vec<Stmt>> {
        statements.iter().map(|s| self.statement(s)).collect()
    }

    fn statement(&mut self, statement: &Statement) -> Checked<Stmt> {
        match statement {
            Statement::Assign(name, op, value) => self.assign(name, *op, value),
            Statement::AssignMember(span) => {
                Err(Problem::wrong(*span, "variables of a module can only be read")
                    .with_help("values are handed to a module by options: `vproto:m:v(x=1)`"))
            }
            Statement::Method(name, method, arguments) => self.change(name, method, arguments),
            Statement::Call(name, arguments) => {
                let arguments: Vec<Expr> = arguments.iter().map(|a| self.expr(a)).collect::<Checked<_>>()?;
                if arguments.iter().any(|a| a.ty == Type::Opaque) {
                    return Err(Problem::not_understood(
                        name.span,
                        "the value of a user's function is opaque",
                    ));
                }
                self.not_a_variable(name)?;
                Ok(Stmt::Notify(self.names.function(&name.text, Role::Notify, name.span), arguments))
            }
            Statement::If(condition, then, other) => {
                let condition = self.portable_scalar(condition)?;
                Ok(Stmt::If(condition, self.statements(then)?, self.statements(other)?))
            }
            Statement::Return(value) => {
                Ok(Stmt::Return(value.as_ref().map(|v| self.portable_scalar(v)).transpose()?))
            }
            Statement::Print(span) => Ok(Stmt::Print(format!("{};", &self.text[span.range()]), *span)),
        }
    }

    /// A scalar that calls no function of the user.
    ///
    /// # Errors
    /// As [`Checker::expr`], and where a function is called.
    pub fn portable_scalar(&mut self, node: &Node) -> Checked<Expr> {
        let expr = self.scalar(node)?;
        not_opaque(&expr)?;
        Ok(expr)
    }

    fn target(&mut self, name: &Name) -> Checked<(VarId, VarType)> {
        match self.names.var(&name.text) {
            Some(var) => {
                self.not_broken(var, name.span)?;
                Ok((var, self.names.symbols.vars[var].ty))
            }
            None if matches!(name.text.as_str(), "offset" | "left")
                || self.names.consts.contains_key(&name.text) =>
            {
                Err(Problem::wrong(name.span, format!("`{}` cannot be assigned to", name.text)))
            }
            None => Err(self.unknown(&name.text, name.span)),
        }
    }

    fn assign(&mut self, name: &Name, op: Option<BinaryOp>, value: &Node) -> Checked<Stmt> {
        let (var, ty) = self.target(name)?;
        match ty {
            VarType::View => {
                Err(Problem::wrong(name.span, "a string_view can only be read, cleared and swapped")
                    .with_help("capture it as `string` to change it"))
            }
            VarType::Float { .. } => {
                Err(Problem::not_understood(name.span, "there is no portable arithmetic of floats"))
            }
            VarType::Module(_) => Err(Problem::not_understood(name.span, "a module cannot be assigned to")),
            VarType::String | VarType::Array { .. } => self.assign_text(var, op, value),
            VarType::Int { .. } | VarType::Bool | VarType::Enum { .. } => {
                self.assign_scalar(name, var, ty, op, value)
            }
        }
    }

    fn assign_text(&mut self, var: VarId, op: Option<BinaryOp>, value: &Node) -> Checked<Stmt> {
        let expr = self.expr(value)?;
        not_opaque(&expr)?;
        need_text(&expr)?;
        match op {
            None => Ok(Stmt::Text(var, TextChange::Set(expr))),
            Some(BinaryOp::Add) => Ok(Stmt::Text(var, TextChange::Append(expr))),
            Some(_) => Err(Problem::wrong(value.span, "texts know `=` and `+=` only")),
        }
    }

    fn assign_scalar(
        &mut self,
        name: &Name,
        var: VarId,
        ty: VarType,
        op: Option<BinaryOp>,
        value: &Node,
    ) -> Checked<Stmt> {
        let hint = match ty {
            VarType::Enum { of, .. } if op.is_none() => Some(of),
            _ => None,
        };
        let value = self.expr_with(value, hint)?;
        not_opaque(&value)?;
        self.need_scalar(&value)?;
        let Some(op) = op else { return Ok(Stmt::Assign(var, value)) };
        let old = Expr { kind: ExprKind::Var(var), ty: type_of(ty).unwrap_or(Type::Int), span: name.span };
        let span = name.span.to(value.span);
        let kind = ExprKind::Binary(op, old.into(), value.into());
        Ok(Stmt::Assign(var, Expr { kind, ty: Type::Int, span }))
    }

    /// A method that changes a text.
    fn change(&mut self, name: &Name, method: &Name, arguments: &[Node]) -> Checked<Stmt> {
        if !matches!(method.text.as_str(), "clear" | "swap" | "push" | "push_utf8") {
            return Err(unknown_change(method));
        }
        let (var, ty) = self.target(name)?;
        if !ty.is_text() {
            return Err(Problem::not_understood(method.span, format!("`{}()` changes a text", method.text)));
        }
        let view = ty == VarType::View;
        let change = match (method.text.as_str(), arguments) {
            ("clear", []) => TextChange::Clear,
            ("swap", [other]) => TextChange::Swap(self.swapped(ty, other)?),
            ("push" | "push_utf8", [_]) if view => {
                return Err(Problem::wrong(name.span, "a string_view can only be read, cleared and swapped")
                    .with_help("capture it as `string` to change it"));
            }
            ("push", [byte]) => TextChange::Push(self.portable_scalar(byte)?),
            ("push_utf8", [point]) => TextChange::PushUtf8(self.portable_scalar(point)?),
            _ => return Err(unknown_change(method)),
        };
        Ok(Stmt::Text(var, change))
    }

    fn swapped(&mut self, ty: VarType, other: &Node) -> Checked<VarId> {
        let NodeKind::Name(name) = &other.kind else {
            return Err(Problem::not_understood(other.span, "a variable was expected"));
        };
        let (var, theirs) = self.target(&Name { text: name.clone(), span: other.span })?;
        match theirs == ty {
            true => Ok(var),
            false => Err(Problem::wrong(other.span, "`swap` needs two variables of one type")),
        }
    }
}

fn unknown_change(method: &Name) -> Problem {
    let message =
        format!("texts are changed by `clear() swap(v) push(c) push_utf8(c)`, not by `{}`", method.text);
    Problem::not_understood(method.span, message)
}

fn unknown_query(method: &Name) -> Problem {
    let message =
        format!("texts know `size() empty() contains(\"x\") starts_with(\"x\")`, not `{}`", method.text);
    Problem::not_understood(method.span, message)
}

fn int(value: u64, span: Span) -> Checked<i64> {
    i64::try_from(value).map_err(|_| too_large(span))
}

fn too_large(span: Span) -> Problem {
    Problem::wrong(span, "portable numbers are below 2^63")
}

fn operands(op: BinaryOp) -> Operands {
    match op {
        BinaryOp::And | BinaryOp::Or => Operands::Logic,
        BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::Equal
        | BinaryOp::NotEqual => Operands::Compare,
        _ => Operands::Arithmetic,
    }
}

fn need_text(expr: &Expr) -> Checked<&Expr> {
    match expr.ty {
        Type::Text => Ok(expr),
        Type::Opaque => Err(Problem::not_understood(expr.span, "the value of a user's function is opaque")),
        _ => Err(Problem::wrong(expr.span, "a text was expected, this is a number")
            .with_help("one byte is added by `.push(c)`")),
    }
}

/// Refuses the value of a user's function.
///
/// # Errors
/// Where the expression is opaque.
pub fn not_opaque(expr: &Expr) -> Checked<()> {
    match expr.ty {
        Type::Opaque => Err(Problem::not_understood(expr.span, "the value of a user's function is opaque")),
        _ => Ok(()),
    }
}

/// The type of a variable in an expression; a module has none.
pub fn type_of(ty: VarType) -> Option<Type> {
    match ty {
        VarType::Int { .. } => Some(Type::Int),
        VarType::Bool => Some(Type::Bool),
        VarType::Enum { of, .. } => Some(Type::Enum(of)),
        VarType::Float { .. } => Some(Type::Float),
        VarType::String | VarType::View | VarType::Array { .. } => Some(Type::Text),
        VarType::Module(_) => None,
    }
}
