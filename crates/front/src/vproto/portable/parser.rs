//! Portable code: lexemes to syntax, with C's operators and precedence.

use super::Problem;
use super::lexer::{self, Lex};
use super::syntax::{Node, NodeKind, Statement};
use crate::vproto::ast::Name;
use vproto_ir::portable::{BinaryOp, MAX_DEPTH, UnaryOp};
use vproto_source::Span;

/// Height that syntax may have: typing adds a few levels.
const MAX_HEIGHT: usize = MAX_DEPTH - 8;

/// Reads the one expression under a span.
///
/// # Errors
/// Where it is no portable expression.
pub fn expression(text: &str, part: Span) -> Result<Node, Problem> {
    let mut parser = Parser::new(text, part)?;
    let node = parser.conditional()?;
    match parser.lexemes.get(parser.at) {
        Some((_, span)) => Err(Problem::not_understood(*span, "an operator was expected here")),
        None => Ok(node),
    }
}

/// Reads the condition of `if { … }`; a semicolon at its end is forgiven.
///
/// # Errors
/// Where it is no portable expression.
pub fn condition(text: &str, part: Span) -> Result<Node, Problem> {
    let mut parser = Parser::new(text, part)?;
    let node = parser.conditional()?;
    parser.take(";");
    match parser.lexemes.get(parser.at) {
        Some((_, span)) => Err(Problem::not_understood(*span, "an operator was expected here")),
        None => Ok(node),
    }
}

/// Reads the statements under a span.
///
/// # Errors
/// Where they are not portable.
pub fn statements(text: &str, part: Span) -> Result<Vec<Statement>, Problem> {
    let mut parser = Parser::new(text, part)?;
    let mut statements = Vec::new();
    while parser.at < parser.lexemes.len() {
        parser.statement(&mut statements)?;
    }
    Ok(statements)
}

struct Parser {
    lexemes: Vec<(Lex, Span)>,
    at: usize,
    depth: usize,
    end: Span,
}

/// Operators of two operands with their precedence; all group to the left.
const BINARY: &[(&str, u8, BinaryOp)] = &[
    ("||", 1, BinaryOp::Or),
    ("&&", 2, BinaryOp::And),
    ("|", 3, BinaryOp::BitOr),
    ("^", 4, BinaryOp::BitXor),
    ("&", 5, BinaryOp::BitAnd),
    ("==", 6, BinaryOp::Equal),
    ("!=", 6, BinaryOp::NotEqual),
    ("<", 7, BinaryOp::Less),
    ("<=", 7, BinaryOp::LessEqual),
    (">", 7, BinaryOp::Greater),
    (">=", 7, BinaryOp::GreaterEqual),
    ("<<", 8, BinaryOp::ShiftLeft),
    (">>", 8, BinaryOp::ShiftRight),
    ("+", 9, BinaryOp::Add),
    ("-", 9, BinaryOp::Subtract),
    ("*", 10, BinaryOp::Multiply),
    ("/", 10, BinaryOp::Divide),
    ("%", 10, BinaryOp::Remainder),
];

/// Compound assignments with their operator.
const COMPOUND: &[(&str, BinaryOp)] = &[
    ("+=", BinaryOp::Add),
    ("-=", BinaryOp::Subtract),
    ("*=", BinaryOp::Multiply),
    ("/=", BinaryOp::Divide),
    ("%=", BinaryOp::Remainder),
    ("&=", BinaryOp::BitAnd),
    ("|=", BinaryOp::BitOr),
    ("^=", BinaryOp::BitXor),
    ("<<=", BinaryOp::ShiftLeft),
    (">>=", BinaryOp::ShiftRight),
];

impl Parser {
    fn new(text: &str, part: Span) -> Result<Parser, Problem> {
        Ok(Parser { lexemes: lexer::lex(text, part)?, at: 0, depth: 0, end: part.end_point() })
    }

    fn op(&self) -> Option<&'static str> {
        match self.lexemes.get(self.at) {
            Some((Lex::Op(op), _)) => Some(op),
            _ => None,
        }
    }

    fn word_at(&self, at: usize) -> Option<&str> {
        match self.lexemes.get(at) {
            Some((Lex::Word(word), _)) => Some(word),
            _ => None,
        }
    }

    fn take(&mut self, op: &str) -> bool {
        let found = self.op() == Some(op);
        self.at += usize::from(found);
        found
    }

    fn span(&self) -> Span {
        self.lexemes.get(self.at).map_or(self.end, |(_, span)| *span)
    }

    fn last_span(&self) -> Span {
        self.at.checked_sub(1).and_then(|at| self.lexemes.get(at)).map_or(self.end, |(_, span)| *span)
    }

    fn expect(&mut self, op: &str) -> Result<(), Problem> {
        if self.take(op) {
            return Ok(());
        }
        Err(Problem::not_understood(self.span(), format!("`{op}` was expected here")))
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Parser) -> Result<T, Problem>) -> Result<T, Problem> {
        if self.depth >= MAX_HEIGHT {
            return Err(Problem::wrong(
                self.span(),
                format!("this is nested deeper than {MAX_HEIGHT} levels"),
            ));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn node(kind: NodeKind, span: Span, below: &[usize]) -> Result<Node, Problem> {
        let height = below.iter().max().map_or(1, |h| h + 1);
        if height > MAX_HEIGHT {
            return Err(Problem::wrong(span, format!("this has more than {MAX_HEIGHT} levels of operators")));
        }
        Ok(Node { kind, span, height })
    }

    fn conditional(&mut self) -> Result<Node, Problem> {
        self.deeper(|p| {
            let condition = p.binary(1)?;
            if !p.take("?") {
                return Ok(condition);
            }
            let then = p.conditional()?;
            p.expect(":")?;
            let other = p.conditional()?;
            let span = condition.span.to(other.span);
            let heights = [condition.height, then.height, other.height];
            Parser::node(NodeKind::Conditional(condition.into(), then.into(), other.into()), span, &heights)
        })
    }

    fn binary(&mut self, least: u8) -> Result<Node, Problem> {
        let mut left = self.unary()?;
        while let Some(&(_, precedence, op)) =
            self.op().and_then(|op| BINARY.iter().find(|(name, p, _)| *name == op && *p >= least))
        {
            self.at += 1;
            let right = self.deeper(|p| p.binary(precedence + 1))?;
            let span = left.span.to(right.span);
            let heights = [left.height, right.height];
            left = Parser::node(NodeKind::Binary(op, left.into(), right.into()), span, &heights)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, Problem> {
        let start = self.span();
        let op = match self.op() {
            Some("-") => Some(UnaryOp::Negate),
            Some("!") => Some(UnaryOp::Not),
            Some("~") => Some(UnaryOp::Complement),
            Some("+") => None,
            _ => return self.postfix(),
        };
        self.at += 1;
        let operand = self.deeper(Parser::unary)?;
        let Some(op) = op else { return Ok(operand) };
        let (span, height) = (start.to(operand.span), operand.height);
        Parser::node(NodeKind::Unary(op, operand.into()), span, &[height])
    }

    fn postfix(&mut self) -> Result<Node, Problem> {
        let mut node = self.primary()?;
        while self.take(".") {
            let name = self.name()?;
            let height = node.height;
            let start = node.span;
            node = if self.op() == Some("(") {
                let arguments = self.arguments()?;
                let heights: Vec<usize> = arguments.iter().map(|a| a.height).chain([height]).collect();
                let span = start.to(self.last_span());
                Parser::node(NodeKind::Method(node.into(), name, arguments), span, &heights)?
            } else {
                let span = start.to(name.span);
                Parser::node(NodeKind::Member(node.into(), name), span, &[height])?
            };
        }
        Ok(node)
    }

    fn name(&mut self) -> Result<Name, Problem> {
        let span = self.span();
        let Some(text) = self.word_at(self.at).map(str::to_string) else {
            return Err(Problem::not_understood(span, "a name was expected here"));
        };
        self.at += 1;
        Ok(Name { text, span })
    }

    fn primary(&mut self) -> Result<Node, Problem> {
        let span = self.span();
        let Some((lexeme, _)) = self.lexemes.get(self.at).cloned() else {
            return Err(Problem::not_understood(span, "an operand is missing"));
        };
        self.at += 1;
        match lexeme {
            Lex::Int(value) => Parser::node(NodeKind::Int(value), span, &[]),
            Lex::Text(bytes) => Parser::node(NodeKind::Text(bytes), span, &[]),
            Lex::Word(text) if is_keyword(&text) => {
                Err(Problem::not_understood(span, format!("`{text}` does not belong into an expression")))
            }
            Lex::Word(text) if self.op() == Some("(") => {
                let arguments = self.arguments()?;
                let heights: Vec<usize> = arguments.iter().map(|a| a.height).collect();
                let whole = span.to(self.last_span());
                Parser::node(NodeKind::Call(Name { text, span }, arguments), whole, &heights)
            }
            Lex::Word(text) => Parser::node(NodeKind::Name(text), span, &[]),
            Lex::Op("(") => {
                let mut node = self.conditional()?;
                self.expect(")")?;
                node.span = span.to(self.last_span());
                Ok(node)
            }
            Lex::Op(_) | Lex::Print => Err(Problem::not_understood(span, "an operand was expected here")),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Node>, Problem> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        if self.take(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.conditional()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn statement(&mut self, out: &mut Vec<Statement>) -> Result<(), Problem> {
        if self.take(";") {
            return Ok(());
        }
        if self.take("{") {
            return self.deeper(|p| p.block_rest(out));
        }
        if let Some((Lex::Print, span)) = self.lexemes.get(self.at) {
            out.push(Statement::Print(*span));
            self.at += 1;
            return self.end_of_statement();
        }
        let statement = match self.word_at(self.at) {
            Some("if") => {
                self.at += 1;
                self.deeper(Parser::if_statement)?
            }
            Some("return") => {
                self.at += 1;
                let value = if self.op() == Some(";") { None } else { Some(self.conditional()?) };
                self.end_of_statement()?;
                Statement::Return(value)
            }
            _ => {
                let statement = self.simple()?;
                self.end_of_statement()?;
                statement
            }
        };
        out.push(statement);
        Ok(())
    }

    /// A semicolon; the last statement of the text may lack it.
    fn end_of_statement(&mut self) -> Result<(), Problem> {
        if self.at == self.lexemes.len() { Ok(()) } else { self.expect(";") }
    }

    fn block_rest(&mut self, out: &mut Vec<Statement>) -> Result<(), Problem> {
        while !self.take("}") {
            if self.at == self.lexemes.len() {
                return Err(Problem::not_understood(self.end, "`}` was expected here"));
            }
            self.statement(out)?;
        }
        Ok(())
    }

    fn if_statement(&mut self) -> Result<Statement, Problem> {
        self.expect("(")?;
        let condition = self.conditional()?;
        self.expect(")")?;
        let mut then = Vec::new();
        self.statement(&mut then)?;
        let mut other = Vec::new();
        if self.word_at(self.at) == Some("else") {
            self.at += 1;
            self.statement(&mut other)?;
        }
        Ok(Statement::If(condition, then, other))
    }

    fn simple(&mut self) -> Result<Statement, Problem> {
        for (sign, op) in [("++", BinaryOp::Add), ("--", BinaryOp::Subtract)] {
            if self.take(sign) {
                let name = self.name()?;
                return Ok(Parser::step(name, op));
            }
        }
        let name = self.name()?;
        if is_keyword(&name.text) {
            return Err(Problem::not_understood(
                name.span,
                format!("`{}` begins no portable statement", name.text),
            ));
        }
        match self.op() {
            Some("(") => Ok(Statement::Call(name, self.arguments()?)),
            Some(".") => self.member_statement(name),
            Some("++") => self.stepped(name, BinaryOp::Add),
            Some("--") => self.stepped(name, BinaryOp::Subtract),
            Some("=") => {
                self.at += 1;
                Ok(Statement::Assign(name, None, self.conditional()?))
            }
            Some(op) => match COMPOUND.iter().find(|(sign, _)| *sign == op) {
                Some((_, op)) => {
                    self.at += 1;
                    Ok(Statement::Assign(name, Some(*op), self.conditional()?))
                }
                None => Err(Problem::not_understood(self.span(), "this is no portable statement")),
            },
            None => Err(Problem::not_understood(name.span, "this is no portable statement")),
        }
    }

    fn stepped(&mut self, name: Name, op: BinaryOp) -> Result<Statement, Problem> {
        self.at += 1;
        Ok(Parser::step(name, op))
    }

    fn step(name: Name, op: BinaryOp) -> Statement {
        let one = Node { kind: NodeKind::Int(1), span: name.span, height: 1 };
        Statement::Assign(name, Some(op), one)
    }

    fn member_statement(&mut self, name: Name) -> Result<Statement, Problem> {
        self.at += 1;
        let member = self.name()?;
        if self.op() == Some("(") {
            return Ok(Statement::Method(name, member, self.arguments()?));
        }
        if matches!(self.op(), Some("=" | "++" | "--"))
            || COMPOUND.iter().any(|(sign, _)| self.op() == Some(sign))
        {
            while !matches!(self.op(), Some(";")) && self.at < self.lexemes.len() {
                self.at += 1;
            }
            return Ok(Statement::AssignMember(name.span.to(member.span)));
        }
        Err(Problem::not_understood(self.span(), "this is no portable statement"))
    }
}

/// Words of C that are no names.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "else"
            | "return"
            | "while"
            | "for"
            | "do"
            | "switch"
            | "case"
            | "break"
            | "continue"
            | "goto"
            | "sizeof"
            | "const"
            | "auto"
            | "static"
            | "int"
            | "char"
            | "unsigned"
            | "signed"
            | "long"
            | "short"
            | "double"
            | "float"
            | "void"
            | "struct"
            | "union"
            | "new"
            | "delete"
            | "this"
            | "using"
            | "typedef"
            | "try"
            | "throw"
    )
}
