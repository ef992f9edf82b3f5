//! Portable code before names and types: what C's grammar says.

use crate::vproto::ast::Name;
use vproto_ir::portable::{BinaryOp, UnaryOp};
use vproto_source::Span;

/// An expression.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Its place.
    pub span: Span,
    /// Height of the tree; bounded by the parser.
    pub height: usize,
}

/// Sorts of expressions.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// A number; above 2^63-1 only as the operand of a minus.
    Int(u64),
    /// `"text"`
    Text(Vec<u8>),
    /// A name.
    Name(String),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Node>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Node>, Box<Node>),
    /// `c ? a : b`
    Conditional(Box<Node>, Box<Node>, Box<Node>),
    /// `v.x`
    Member(Box<Node>, Name),
    /// `v.f(a)`
    Method(Box<Node>, Name, Vec<Node>),
    /// `f(a)`
    Call(Name, Vec<Node>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `x = e`, or with an operator `x += e`.
    Assign(Name, Option<BinaryOp>, Node),
    /// `v.x = e`, which is refused with a reason.
    AssignMember(Span),
    /// `x.f(a)`
    Method(Name, Name, Vec<Node>),
    /// `f(a)`
    Call(Name, Vec<Node>),
    /// `if (c) … else …`
    If(Node, Vec<Statement>, Vec<Statement>),
    /// `return e`
    Return(Option<Node>),
    /// `printf(…);` with its place.
    Print(Span),
}
