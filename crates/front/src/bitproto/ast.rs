//! The tree of a schema as written: statements with their places, nothing looked up.

use super::lexer::Kind;
use vproto_source::Span;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As written; the parts of a dotted name joined by `.`.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Item {
    /// From its first token to its last; for blocks to the name and mark only.
    pub span: Span,
    /// Comment lines directly above it and, for one-line items, behind it; without slashes.
    pub doc: Vec<String>,
    /// What it says.
    pub kind: ItemKind,
}

/// What a statement says.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `proto NAME`.
    Proto(Name),
    /// `import [ALIAS] "PATH"`.
    Import {
        /// The name given to it.
        alias: Option<Name>,
        /// The path, unescaped.
        path: Name,
    },
    /// `option NAME = VALUE`.
    Option {
        /// The dotted name.
        name: Name,
        /// A literal or a reference.
        value: Expr,
    },
    /// `const NAME = VALUE`.
    Const {
        /// The name.
        name: Name,
        /// A literal, a reference or an integer expression.
        value: Expr,
    },
    /// `type NAME = TYPE`, `typedef TYPE NAME`.
    Alias {
        /// The name.
        name: Name,
        /// The type.
        ty: TypeExpr,
        /// Whether the old spelling was used.
        typedef: bool,
    },
    /// `enum NAME : uintN { ... }`.
    Enum {
        /// The name.
        name: Name,
        /// The number of bits.
        bits: u8,
        /// Its values, and what does not belong there.
        items: Vec<Item>,
    },
    /// `message NAME['] { ... }`.
    Message {
        /// The name.
        name: Name,
        /// The mark, if it is extensible.
        mark: Option<Span>,
        /// Its members.
        items: Vec<Item>,
    },
    /// `TYPE NAME = NUMBER`.
    Field {
        /// The type.
        ty: TypeExpr,
        /// The name.
        name: Name,
        /// The digits of the number.
        number: Name,
        /// What stands in brackets behind it.
        rules: Vec<Rule>,
    },
    /// `NAME = NUMBER`.
    EnumValue {
        /// The name.
        name: Name,
        /// A number literal.
        value: Expr,
    },
}

/// A rule of a field, an extension.
#[derive(Clone, Debug)]
pub struct Rule {
    /// All of it.
    pub span: Span,
    /// What it says.
    pub kind: RuleKind,
}

/// What a rule says.
#[derive(Clone, Debug)]
pub enum RuleKind {
    /// `LOW..HIGH`.
    Range(RuleValue, RuleValue),
    /// `default = VALUE`.
    Default(RuleValue),
}

/// A value in a rule.
#[derive(Clone, Debug)]
pub struct RuleValue {
    /// Whether a minus stands before it.
    pub negative: bool,
    /// The digits behind the point of a number.
    pub fraction: Option<String>,
    /// The value without them: a literal or a name.
    pub value: Expr,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// The single type, or that of the elements.
    pub single: SingleType,
    /// The capacity of an array.
    pub array: Option<ArrayExpr>,
    /// All of it.
    pub span: Span,
}

/// A type that is no array.
#[derive(Clone, Debug)]
pub enum SingleType {
    /// `bool`, `byte`, `uintN` or `intN`, as its token.
    Base(Kind),
    /// A named type.
    Reference(Name),
}

/// `[CAPACITY]` and its mark.
#[derive(Clone, Debug)]
pub struct ArrayExpr {
    /// A decimal literal or a reference.
    pub capacity: Expr,
    /// The mark, if it is extensible.
    pub mark: Option<Span>,
}

/// A value as written.
#[derive(Clone, Debug)]
pub struct Expr {
    /// All of it.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number: its digits and their base.
    Number(String, u32),
    /// A truth value.
    Truth(bool),
    /// A text, unescaped.
    Text(String),
    /// The name of a constant.
    Reference(String),
    /// An integer computation in postfix order, so that its depth costs no stack.
    Computed(Vec<Step>),
}

/// One step of a computation in postfix order.
#[derive(Clone, Debug)]
pub enum Step {
    /// Pushes a number: digits, base, place.
    Number(String, u32, Span),
    /// Pushes a constant.
    Reference(Name),
    /// Replaces the two topmost values by the result of `+`, `-`, `*` or `/`.
    Operator(u8, Span),
}
