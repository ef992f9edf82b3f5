//! The neutral code tree: what a generated parser does, in no language.
//!
//! A [`Parser`] is one module's state, functions and tables. Its functions are statements over
//! - *locals* of the function that runs the machine (the cursor `p`, the end of what may be read, counters),
//! - *fields*, the saved context,
//! - *variables* of the user's object, by id,
//! - *frames* of the call stack,
//!
//! and calls: of the runtime (functions that every target brings under the same name), of the user's functions, and
//! of other functions of the parser. All integers of locals and fields are unsigned; arithmetic of portable code is
//! signed and goes through runtime functions wherever it could wrap.

use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{CodeId, FunctionId, ModuleId, SiteId, VarId};
use vproto_source::Span;

/// Everything that is printed for one module.
#[derive(Clone, Debug, PartialEq)]
pub struct Parser {
    /// The module.
    pub module: ModuleId,
    /// The saved context, in order.
    pub fields: Vec<Field>,
    /// Fields of a frame of the call stack; empty without calls.
    pub frame: Vec<Field>,
    /// Number of frames.
    pub depth: u32,
    /// Byte sets that are used by name: `Expr::In` and `Expr::Skip` speak of their indices.
    pub sets: Vec<ByteSet>,
    /// The sets of runs in loops, by index: one classification of a block of bytes serves all of them.
    pub hot_sets: Vec<usize>,
    /// Tables of 256 numbers, for branchings with many ways.
    pub tables: Vec<[u8; 256]>,
    /// Tables of regions of branchings, by row and class.
    pub tries: Vec<Vec<u16>>,
    /// Functions; the first one runs the machine.
    pub functions: Vec<Function>,
    /// Locals that the functions of a machine share which is dealt out; empty for one that is not.
    pub shared: Vec<Field>,
    /// Places that errors report, in the order of their numbers.
    pub sites: Vec<SiteId>,
    /// What errors expect, by number; parallel to `sites`.
    pub expected: Vec<String>,
    /// What the routines know of each resting state, by its number.
    pub rests: Vec<Rest>,
    /// The handler of each place: 0 nobody, 1 the call's, the others are cases of the routine.
    pub handlers: Vec<u64>,
    /// The handler of each call's site.
    pub call_handlers: Vec<u64>,
    /// The tree that each call names.
    pub call_trees: Vec<u64>,
    /// Whether each call is confined.
    pub call_fences: Vec<u64>,
    /// What threads of undecided `< >` need; none without such.
    pub threads: Option<crate::model::thread::ThreadBounds>,
    /// Slots of captures.
    pub slots: u32,
}

/// What the shared routines know of a resting state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// The place that an error reports where a byte is lacking or is not the state's; none: the state has code of its own.
    pub place: Option<u64>,
    /// How many bytes it takes.
    pub count: u64,
    /// The letters of a literal.
    pub text: Option<Vec<u8>>,
    /// Whether its letters are compared in lower case.
    pub folds: bool,
}

/// A named, typed slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Number of elements; 0 for one that is no array. Of held bytes: how many there are at most.
    pub count: u32,
    /// What it is for.
    pub doc: String,
    /// Its value at the start; zero for most.
    pub start: u64,
}

/// Types of locals, fields and casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// Unsigned, of 8, 16, 32 or 64 bits.
    Unsigned(u8),
    /// Signed, of 8, 16, 32 or 64 bits.
    Signed(u8),
    /// A truth value.
    Bool,
    /// A place in the input.
    Cursor,
    /// A piece of the input.
    Bytes,
    /// An accumulator of a capture that was cut: one number.
    Number,
    /// An accumulator of a capture that was cut: bytes that no variable holds yet.
    Held,
    /// A check value in the making.
    Digest,
    /// Letters of a text that is looked for, with its borders.
    Search,
    /// Threads of `< >`, and the bytes that their captures need.
    Threads,
}

/// A function of the parser.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What it does.
    pub doc: String,
    /// How the target calls it and what it sees.
    pub role: FunctionRole,
    /// Locals, declared at its head.
    pub locals: Vec<Field>,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// What a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionRole {
    /// Takes one fragment: locals `p`, `first`, `stop`, `ending` are given.
    Run,
    /// Takes one byte (local `c`, 256 for the end, 257 for none yet) in a thread (local `t`), whose captures and log are
    /// its own; answers 0 where it lives, 1 where it is dropped, 2 where it wins. The target adds a function `round`
    /// that shows the byte to all threads of the group.
    Thread,
    /// States of a machine that is dealt out to several functions: goes on at label number `goal`, answers with the
    /// number of a label that is elsewhere. Locals that they share are in local `w`.
    Part,
    /// Opaque code: answers whether it went well. Its body has what the code may name beside the variables.
    Code(CodeId),
    /// A statement that is passed on as it was written.
    Print,
}

/// A label of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub String);

/// How likely a condition is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Odds {
    /// Not known.
    #[default]
    Even,
    /// Mostly true.
    Likely,
    /// Mostly false.
    Unlikely,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A sentence for the reader.
    Comment(String),
    /// A place to jump to.
    Label(Label),
    /// Goes to a label.
    Jump(Label),
    /// `place = value`.
    Set(Expr, Expr),
    /// `place += value`.
    Add(Expr, Expr),
    /// A new local of the enclosing block.
    Let(String, Ty, Expr),
    /// Evaluates for its effect.
    Do(Expr),
    /// A choice.
    If(Expr, Odds, Vec<Stmt>, Vec<Stmt>),
    /// A loop.
    While(Expr, Vec<Stmt>),
    /// A choice by number; the last part is taken for other numbers.
    Switch(Expr, Vec<(Vec<u64>, Vec<Stmt>)>, Vec<Stmt>),
    /// Statements with locals of their own.
    Block(Vec<Stmt>),
    /// Leaves the function with a value.
    Return(Expr),
    /// A statement of the target's language, with its place in the description.
    Native(String, Span),
    /// An event for the trace; only programs with a trace have them.
    Trace(Event),
}

/// An event of the trace. Offsets are those of the module's own stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A variable was stored.
    Capture(SiteId, Expr, VarId),
    /// A piece of a token's bytes for a function; the number names the buffer. `last` completes it.
    Piece {
        /// Buffer.
        buffer: u32,
        /// Of the token.
        site: SiteId,
        /// The user's function.
        function: FunctionId,
        /// The bytes.
        bytes: Expr,
        /// Prints what was collected, also nothing.
        last: bool,
        /// Offset.
        at: Expr,
    },
    /// A span begins.
    SpanBegin {
        /// Buffer.
        buffer: u32,
        /// Of the `begin:`.
        site: SiteId,
        /// The user's function.
        function: FunctionId,
    },
    /// A piece of a span's bytes.
    SpanPiece {
        /// Buffer.
        buffer: u32,
        /// The bytes.
        bytes: Expr,
    },
    /// Prints what was collected; without a site it was cut short and has the line of its `begin:`.
    SpanEnd {
        /// Buffer.
        buffer: u32,
        /// Of the `end:`.
        site: Option<SiteId>,
        /// The user's function.
        function: FunctionId,
        /// Offset.
        at: Expr,
    },
    /// The user's function was called.
    Notify(SiteId, Expr, FunctionId, Vec<(Expr, Option<vproto_ir::ids::EnumId>)>),
    /// A parser's error.
    Error,
}

/// A two-sided operator over unsigned numbers, cursors and truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Both,
    Either,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Int(u64),
    /// A signed number, in portable code.
    Signed(i64),
    /// A truth value.
    Bool(bool),
    /// A text of the description: a piece of bytes.
    Text(Vec<u8>),
    /// A local.
    Local(String),
    /// A field of the saved context.
    Field(String),
    /// An element of an array field.
    Element(String, Box<Expr>),
    /// A field of the frame that local `frame` names.
    Frame(String),
    /// A variable of the user's object.
    Var(VarId),
    /// A variable of a sub-parser: ours, then its own.
    Member(VarId, VarId),
    /// The sub-parser itself.
    SubParser(VarId),
    /// `a op b`.
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `!a`.
    Not(Box<Expr>),
    /// `c ? a : b`.
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The byte at a cursor.
    Byte(Box<Expr>),
    /// Number of bytes from one cursor to another that is not before it.
    Distance(Box<Expr>, Box<Expr>),
    /// The bytes from one cursor to another.
    Piece(Box<Expr>, Box<Expr>),
    /// Whether a byte is one of a set (an index of `Parser::sets`).
    In(usize, Box<Expr>),
    /// The first place from a cursor on, and before another, where no byte of the set stands; else the latter.
    Skip(usize, Box<Expr>, Box<Expr>),
    /// An element of a table of 256 (an index of `Parser::tables`) by a byte.
    Lookup(usize, Box<Expr>),
    /// The value as another type; it is known to fit or meant to be cut.
    Cast(Ty, Box<Expr>),
    /// The value as the type of a variable.
    CastVar(VarId, Box<Expr>),
    /// A call.
    Call(Callee, Vec<Expr>),
}

/// What is called.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A function of the runtime; the numbers are compile-time arguments.
    Runtime(&'static str, Vec<u64>),
    /// A method of a runtime object.
    Method(Box<Expr>, &'static str),
    /// A function of the user's object.
    User(FunctionId),
    /// Another function of the parser.
    Own(String),
}

/// `s7`, `done_7`: the label of a state with what it is for.
pub fn label(role: &str, number: impl std::fmt::Display) -> Label {
    Label(format!("{role}{number}"))
}

impl Expr {
    /// A local.
    pub fn local(name: &str) -> Expr {
        Expr::Local(name.to_owned())
    }

    /// A field.
    pub fn field(name: &str) -> Expr {
        Expr::Field(name.to_owned())
    }

    /// A call of the runtime.
    pub fn runtime(name: &'static str, arguments: Vec<Expr>) -> Expr {
        Expr::Call(Callee::Runtime(name, Vec::new()), arguments)
    }

    /// A call of the runtime with compile-time numbers.
    pub fn runtime_with(name: &'static str, numbers: Vec<u64>, arguments: Vec<Expr>) -> Expr {
        Expr::Call(Callee::Runtime(name, numbers), arguments)
    }

    /// A call of a method.
    pub fn method(self, name: &'static str, arguments: Vec<Expr>) -> Expr {
        Expr::Call(Callee::Method(Box::new(self), name), arguments)
    }

    /// `self op other`.
    pub fn op(self, op: Op, other: Expr) -> Expr {
        Expr::Binary(op, Box::new(self), Box::new(other))
    }

    /// `self == other`.
    pub fn eq(self, other: Expr) -> Expr {
        self.op(Op::Equal, other)
    }

    /// `self < other`.
    pub fn lt(self, other: Expr) -> Expr {
        self.op(Op::Less, other)
    }

    /// `self + other`.
    pub fn plus(self, other: Expr) -> Expr {
        self.op(Op::Add, other)
    }

    /// `self - other`.
    pub fn minus(self, other: Expr) -> Expr {
        self.op(Op::Sub, other)
    }

    /// `!self`.
    pub fn negated(self) -> Expr {
        Expr::Not(Box::new(self))
    }

    /// The byte at this cursor.
    pub fn byte(self) -> Expr {
        Expr::Byte(Box::new(self))
    }

    /// Bytes from here to `end`.
    pub fn to(self, end: Expr) -> Expr {
        Expr::Distance(Box::new(self), Box::new(end))
    }

    /// The bytes from here to `end`.
    pub fn piece(self, end: Expr) -> Expr {
        Expr::Piece(Box::new(self), Box::new(end))
    }
}

impl Stmt {
    /// `if (condition) { then }`.
    pub fn when(condition: Expr, then: Vec<Stmt>) -> Stmt {
        Stmt::If(condition, Odds::Even, then, Vec::new())
    }

    /// The same, mostly false.
    pub fn unless_rare(condition: Expr, then: Vec<Stmt>) -> Stmt {
        Stmt::If(condition, Odds::Unlikely, then, Vec::new())
    }

    /// The same, mostly true.
    pub fn likely(condition: Expr, then: Vec<Stmt>) -> Stmt {
        Stmt::If(condition, Odds::Likely, then, Vec::new())
    }

    /// Goes to a label.
    pub fn jump(role: &str, number: impl std::fmt::Display) -> Stmt {
        Stmt::Jump(label(role, number))
    }

    /// A label.
    pub fn label(role: &str, number: impl std::fmt::Display) -> Stmt {
        Stmt::Label(label(role, number))
    }
}
