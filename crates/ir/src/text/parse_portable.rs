//! Portable code from its source.

use super::cursor::{Cursor, Parsed};
use super::names::{Names, find_member};
use super::print_portable::OPERATORS;
use crate::ids::{EnumId, FunctionId, VarId};
use crate::portable::{BinaryOp, Expr, ExprKind, MAX_DEPTH, Stmt, TextChange, TextQuery, Type, UnaryOp};
use vproto_source::Span;

/// An expression that fills a text; `line` is where the text stands.
pub fn parse_expr(names: &Names<'_>, text: &str, line: u32) -> Parsed<Expr> {
    let mut parser = Parser { names, cursor: Cursor::new(text, line), depth: 0 };
    let expr = parser.expr(0)?;
    parser.cursor.end()?;
    Ok(expr)
}

/// Statements that fill a text.
pub fn parse_block(names: &Names<'_>, text: &str, line: u32) -> Parsed<Vec<Stmt>> {
    let mut parser = Parser { names, cursor: Cursor::new(text, line), depth: 0 };
    let mut block = Vec::new();
    while !parser.cursor.at_end() {
        block.push(parser.stmt()?);
    }
    Ok(block)
}

/// A variable by its name, or by number where it has none.
pub fn parse_var(names: &Names<'_>, cursor: &mut Cursor<'_>) -> Parsed<VarId> {
    if cursor.eat("#") {
        return cursor.index();
    }
    let name = cursor.name()?;
    match names.symbols.var(name) {
        Some(var) => Ok(var),
        None => cursor.error(format!("no variable is called {name}")),
    }
}

/// A variable of the module that `var` holds.
pub fn parse_member(names: &Names<'_>, var: VarId, cursor: &mut Cursor<'_>) -> Parsed<VarId> {
    if cursor.eat("#") {
        return cursor.index();
    }
    match names.module_of(var) {
        Some(symbols) => parse_var(&Names { symbols, modules: None }, cursor),
        None => cursor.error("that module is not known"),
    }
}

/// A function by its name, or by number where it has none.
pub fn parse_function(names: &Names<'_>, cursor: &mut Cursor<'_>) -> Parsed<FunctionId> {
    if cursor.eat("#") {
        return cursor.index();
    }
    let name = cursor.name()?;
    match names.find_function(name) {
        Some(function) => Ok(function),
        None => cursor.error(format!("no function is called {name}")),
    }
}

struct Parser<'a, 'b> {
    names: &'a Names<'a>,
    cursor: Cursor<'b>,
    depth: usize,
}

impl Parser<'_, '_> {
    fn make(&self, kind: ExprKind) -> Expr {
        Expr { ty: self.names.type_of(&kind), kind, span: Span::default() }
    }

    /// Operators that bind at least as strong as `least`. Recursion is bounded: deeper trees are refused.
    fn expr(&mut self, least: u8) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > 4 * MAX_DEPTH {
            return self.cursor.error("an expression is too deep");
        }
        let mut left = self.unary()?;
        while let Some((op, bind)) = self.operator(least.max(2)) {
            let right = self.expr(bind + 1)?;
            let concat = op == BinaryOp::Add && left.ty == Type::Text && right.ty == Type::Text;
            let (a, b) = (Box::new(left), Box::new(right));
            left = self.make(if concat { ExprKind::Concat(a, b) } else { ExprKind::Binary(op, a, b) });
        }
        if least <= 1 && self.cursor.eat("?") {
            let then = self.expr(1)?;
            self.cursor.expect(":")?;
            let other = self.expr(1)?;
            left = self.make(ExprKind::Conditional(Box::new(left), Box::new(then), Box::new(other)));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&mut self, least: u8) -> Option<(BinaryOp, u8)> {
        self.cursor.blanks();
        // The printer sets every binary operator between blanks, so no spelling is cut short.
        for (symbol, op, bind) in OPERATORS {
            if bind >= least && self.cursor.eat(&format!("{symbol} ")) {
                return Some((op, bind));
            }
        }
        None
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.cursor.blanks();
        let op = match self.cursor.peek() {
            Some(b'!') => UnaryOp::Not,
            Some(b'~') => UnaryOp::Complement,
            Some(b'-') => UnaryOp::Negate,
            _ => return self.postfix(),
        };
        if op == UnaryOp::Negate
            && let Ok(n) = self.cursor.number()
        {
            return Ok(self.make(ExprKind::Int(n)));
        }
        self.cursor.bump();
        let operand = self.expr(12)?;
        Ok(self.make(ExprKind::Unary(op, Box::new(operand))))
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        while self.cursor.eat(".") {
            let kind = match (self.cursor.peek(), &expr.kind) {
                (Some(b'#'), ExprKind::Var(var)) => {
                    ExprKind::Member(*var, parse_member(self.names, *var, &mut self.cursor)?)
                }
                (_, ExprKind::Var(var)) if expr.ty == Type::Opaque => {
                    ExprKind::Member(*var, parse_member(self.names, *var, &mut self.cursor)?)
                }
                _ => self.query(expr)?,
            };
            expr = self.make(kind);
        }
        Ok(expr)
    }

    fn query(&mut self, text: Expr) -> Parsed<ExprKind> {
        let name = self.cursor.name()?;
        self.cursor.expect("(")?;
        let query = match name {
            "size" => TextQuery::Size,
            "empty" => TextQuery::Empty,
            "contains" => TextQuery::Contains(Box::new(self.expr(0)?)),
            "starts_with" => TextQuery::StartsWith(Box::new(self.expr(0)?)),
            _ => return self.cursor.error(format!("a text has no question {name}")),
        };
        self.cursor.expect(")")?;
        Ok(ExprKind::Query(query, Box::new(text)))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        self.cursor.blanks();
        match self.cursor.peek() {
            Some(b'(') => {
                self.cursor.bump();
                let expr = self.expr(0)?;
                self.cursor.expect(")")?;
                Ok(expr)
            }
            Some(b'"') => {
                let text = self.cursor.string()?;
                Ok(self.make(ExprKind::Text(text)))
            }
            Some(b'0'..=b'9') => {
                let n = self.cursor.number()?;
                Ok(self.make(ExprKind::Int(n)))
            }
            Some(b'@') => {
                self.cursor.bump();
                self.marked()
            }
            Some(b'#') => {
                self.cursor.bump();
                let index: u32 = self.cursor.number()?;
                if self.cursor.eat("(") {
                    return self.call(FunctionId(index));
                }
                Ok(self.make(ExprKind::Var(VarId(index))))
            }
            _ => self.named(),
        }
    }

    fn named(&mut self) -> Parsed<Expr> {
        let name = self.cursor.name()?;
        let kind = match name {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "offset" => ExprKind::Offset,
            "left" => ExprKind::Left,
            _ if self.cursor.eat("(") => {
                return match self.names.find_function(name) {
                    Some(function) => self.call(function),
                    None => self.cursor.error(format!("no function is called {name}")),
                };
            }
            _ => match self.names.symbols.var(name) {
                Some(var) => ExprKind::Var(var),
                None => return self.cursor.error(format!("no variable is called {name}")),
            },
        };
        Ok(self.make(kind))
    }

    /// Behind `@`: an enum's member, or a type in front of an expression.
    fn marked(&mut self) -> Parsed<Expr> {
        if self.cursor.eat("#") {
            let id: EnumId = self.cursor.index()?;
            self.cursor.expect(".")?;
            let index = self.cursor.number()?;
            return Ok(self.make(ExprKind::EnumMember(id, index)));
        }
        let name = self.cursor.name()?;
        if !self.cursor.eat("(") {
            self.cursor.expect(".")?;
            let member = self.cursor.name()?;
            let found = self.names.find_enum(name);
            let found =
                found.and_then(|id| Some((id, find_member(self.names.symbols.enums.get(id)?, member)?)));
            return match found {
                Some((id, index)) => Ok(self.make(ExprKind::EnumMember(id, index))),
                None => self.cursor.error(format!("no enum has a member {name}.{member}")),
            };
        }
        let ty = match name {
            "int" => Type::Int,
            "bool" => Type::Bool,
            "text" => Type::Text,
            "float" => Type::Float,
            "opaque" => Type::Opaque,
            _ => match name.strip_prefix("enum").and_then(|n| n.parse().ok()) {
                Some(id) => Type::Enum(EnumId(id)),
                None => return self.cursor.error(format!("no type is called {name}")),
            },
        };
        let mut expr = self.expr(0)?;
        self.cursor.expect(")")?;
        expr.ty = ty;
        Ok(expr)
    }

    /// Behind the parenthesis of a call.
    fn call(&mut self, function: FunctionId) -> Parsed<Expr> {
        let args = self.arguments()?;
        Ok(self.make(ExprKind::Call(function, args)))
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = Vec::new();
        while !self.cursor.eat(")") {
            if !args.is_empty() {
                self.cursor.expect(",")?;
            }
            args.push(self.expr(0)?);
        }
        Ok(args)
    }

    /// Recursion is bounded as that of expressions.
    fn stmt(&mut self) -> Parsed<Stmt> {
        self.depth += 1;
        if self.depth > 4 * MAX_DEPTH {
            return self.cursor.error("a statement is too deep");
        }
        let stmt = self.stmt_here()?;
        self.depth -= 1;
        Ok(stmt)
    }

    fn stmt_here(&mut self) -> Parsed<Stmt> {
        if self.cursor.eat("@print") {
            let text = self.cursor.utf8()?;
            self.cursor.expect(";")?;
            return Ok(Stmt::Print(text, Span::default()));
        }
        if self.cursor.eat_word("if") {
            return self.branch();
        }
        if self.cursor.eat_word("return") {
            let value = if self.cursor.eat(";") { None } else { Some(self.expr(0)?) };
            if value.is_some() {
                self.cursor.expect(";")?;
            }
            return Ok(Stmt::Return(value));
        }
        let stmt = self.simple()?;
        self.cursor.expect(";")?;
        Ok(stmt)
    }

    fn branch(&mut self) -> Parsed<Stmt> {
        self.cursor.expect("(")?;
        let condition = self.expr(0)?;
        self.cursor.expect(")")?;
        let then = self.block()?;
        let other = if self.cursor.eat_word("else") { self.block()? } else { Vec::new() };
        Ok(Stmt::If(condition, then, other))
    }

    fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.cursor.expect("{")?;
        let mut block = Vec::new();
        while !self.cursor.eat("}") {
            block.push(self.stmt()?);
        }
        Ok(block)
    }

    /// An assignment, a change of a text, a call.
    fn simple(&mut self) -> Parsed<Stmt> {
        let numbered = self.cursor.eat("#");
        let name = self.cursor.name()?;
        if self.cursor.eat("(") {
            let function =
                if numbered { name.parse().ok().map(FunctionId) } else { self.names.find_function(name) };
            return match function {
                Some(function) => Ok(Stmt::Notify(function, self.arguments()?)),
                None => self.cursor.error(format!("no function is called {name}")),
            };
        }
        let var = if numbered { name.parse().ok().map(VarId) } else { self.names.symbols.var(name) };
        let Some(var) = var else {
            return self.cursor.error(format!("no variable is called {name}"));
        };
        if self.cursor.eat(".") {
            return Ok(Stmt::Text(var, self.change()?));
        }
        if self.cursor.eat("+=") {
            return Ok(Stmt::Text(var, TextChange::Append(self.expr(0)?)));
        }
        self.cursor.expect("=")?;
        let value = self.expr(0)?;
        let text = self.names.symbols.vars.get(var).is_some_and(|v| v.ty.is_text());
        Ok(if text { Stmt::Text(var, TextChange::Set(value)) } else { Stmt::Assign(var, value) })
    }

    fn change(&mut self) -> Parsed<TextChange> {
        let name = self.cursor.name()?;
        self.cursor.expect("(")?;
        let change = match name {
            "clear" => TextChange::Clear,
            "swap" => TextChange::Swap(parse_var(self.names, &mut self.cursor)?),
            "push" => TextChange::Push(self.expr(0)?),
            "push_utf8" => TextChange::PushUtf8(self.expr(0)?),
            _ => return self.cursor.error(format!("a text has no change {name}")),
        };
        self.cursor.expect(")")?;
        Ok(change)
    }
}
