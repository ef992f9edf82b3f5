//! Portable code: the expressions and statements that the compiler understands (language.md §4).
//!
//! Arithmetic is on signed 64-bit integers and never wraps; every operation that does not fit is the exception
//! `overflow`. Trees are typed when they are built; their depth is bounded by [`MAX_DEPTH`].

use crate::ids::{EnumId, FunctionId, VarId};
use vproto_source::Span;

/// Deepest nesting of an expression or statement; deeper ones are refused by the front-end.
pub const MAX_DEPTH: usize = 200;

/// A typed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// What an expression reads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reads {
    /// Variables in order of appearance; of `v.x` the v.
    pub vars: Vec<VarId>,
    /// Whether `offset` or `left` is among it: they change with every byte.
    pub moving: bool,
}

impl Expr {
    /// What the expression reads. Its depth is bounded, so the walk is.
    pub fn reads(&self) -> Reads {
        let mut out = Reads::default();
        collect(self, &mut out);
        out
    }
}

fn collect(expr: &Expr, out: &mut Reads) {
    match &expr.kind {
        ExprKind::Var(var) | ExprKind::Member(var, _) => out.vars.push(*var),
        ExprKind::Offset | ExprKind::Left => out.moving = true,
        ExprKind::Unary(_, a) => collect(a, out),
        ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => [a, b].iter().for_each(|e| collect(e, out)),
        ExprKind::Conditional(a, b, c) => [a, b, c].iter().for_each(|e| collect(e, out)),
        ExprKind::Query(query, a) => {
            collect(a, out);
            if let TextQuery::Contains(b) | TextQuery::StartsWith(b) = query {
                collect(b, out);
            }
        }
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|e| collect(e, out)),
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Text(_) | ExprKind::EnumMember(..) => {}
    }
}

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A signed 64-bit integer; booleans convert to it, and it to booleans, as in C.
    Int,
    /// A truth value.
    Bool,
    /// An enum; compares with its own members and with integers.
    Enum(EnumId),
    /// Bytes.
    Text,
    /// A float; can only be passed on as an argument.
    Float,
    /// The value of a user's function: opaque.
    Opaque,
}

/// An operation.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number, `'c'` included.
    Int(i64),
    /// `true`, `false`.
    Bool(bool),
    /// A text in double quotes.
    Text(Vec<u8>),
    /// A variable.
    Var(VarId),
    /// `v.x`: a variable of a sub-parser's module. The first id is ours, the second the module's.
    Member(VarId, VarId),
    /// A member of an enum.
    EnumMember(EnumId, u32),
    /// Bytes consumed since the start of the module's own stream.
    Offset,
    /// Bytes to the innermost limit or the module's `max`; 2^63-1 where there is none.
    Left,
    /// An operation of one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operation of two operands. `&&` and `||` evaluate the right one only if it decides.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A question to a text: `size() empty() contains("x") starts_with("x")`.
    Query(TextQuery, Box<Expr>),
    /// `s + "x"`: both are texts.
    Concat(Box<Expr>, Box<Expr>),
    /// A call of the user's function; makes the expression opaque.
    Call(FunctionId, Vec<Expr>),
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// Operators of two operands, as C words and binds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

/// Questions to a text.
#[derive(Clone, Debug, PartialEq)]
pub enum TextQuery {
    /// Number of bytes.
    Size,
    /// Whether there are none.
    Empty,
    /// Whether the text occurs.
    Contains(Box<Expr>),
    /// Whether it begins so.
    StartsWith(Box<Expr>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `x = e;`: the value must fit the variable. Compound assignments and `x++` are written out as `x = x + e`.
    Assign(VarId, Expr),
    /// Of a text variable: changes it in place.
    Text(VarId, TextChange),
    /// `if (c) { … } else { … }`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `f(a, b);`: a call of the user's function, an event `notify`.
    Notify(FunctionId, Vec<Expr>),
    /// `return e;`: ends the block; false is the exception `condition` (or, first in a line, "not this alternative").
    Return(Option<Expr>),
    /// `printf(…);`: passed on to C and C++, skipped elsewhere. The text is the statement as written, with its place.
    Print(String, Span),
}

/// A change of a text variable.
#[derive(Clone, Debug, PartialEq)]
pub enum TextChange {
    /// `s = e;`
    Set(Expr),
    /// `s += e;`
    Append(Expr),
    /// `s.clear();`
    Clear,
    /// `s.swap(v);`: both are of one type.
    Swap(VarId),
    /// `s.push(c);`: one byte.
    Push(Expr),
    /// `s.push_utf8(c);`: one code point.
    PushUtf8(Expr),
}

/// A statement or expression with its place, as a token holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// What it does.
    pub kind: CodeKind,
    /// From brace to brace.
    pub span: Span,
    /// The text between the braces, for targets that pass it on and for the machine's text form.
    pub text: String,
}

/// The three sorts of code.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeKind {
    /// A condition: `if {…}`.
    Condition(Expr),
    /// Statements; an empty list is true ("else", where it stands first in a line).
    Block(Vec<Stmt>),
    /// Not understood: for one target only. `condition` tells `if {…}` from `{…}`.
    Opaque {
        /// The language named, as in `{rust: …}`; C++ where none is.
        language: Option<String>,
        /// Whether it stands in `if {…}`.
        condition: bool,
    },
}
