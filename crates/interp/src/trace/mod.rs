//! The event trace (`tool.md`, "The event trace"): the same for the same input, whatever its fragmentation.

mod print;

pub use print::{printable, quoted};
pub use vproto_ir::machine::ErrorKind;

/// One event. `Display` writes its JSON line, without the line end.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The sub-module it comes from; none for the root.
    pub module: Option<String>,
    /// Bytes of the outer stream consumed when it happened.
    pub offset: u64,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// A variable was stored.
    Capture {
        /// Of the token.
        at: At,
        /// The variable.
        name: String,
        /// What it holds now.
        value: Value,
    },
    /// All bytes that went to one function, joined.
    Data {
        /// Of the token, of `end:`, else of `begin:`.
        at: At,
        /// The function.
        name: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The user's function was called.
    Notify {
        /// Of the token.
        at: At,
        /// The function.
        name: String,
        /// Its arguments.
        args: Vec<Value>,
    },
    /// A `catch:` takes an exception. No part of the trace: only where [`crate::Interpreter::tell_more`] asked for it.
    Caught(Failure),
    /// Parsing failed here; or a sub-module did.
    Error(Failure),
    /// Parsing is over.
    End(Status),
}

/// The line of a token, and its file where that is an included one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// Name of the included file.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: u32,
}

/// An error's place and reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Line of the token.
    pub at: At,
    /// Column of the token in characters, from 1.
    pub column: u32,
    /// Why.
    pub kind: ErrorKind,
    /// As it is printed: sets and literals, empty for other kinds.
    pub expected: String,
    /// What was there instead, if anything was looked at.
    pub found: Option<Found>,
    /// The module's variables when it happened, not printed: only where [`crate::Interpreter::tell_more`] asked for it.
    pub variables: Vec<(String, Value)>,
}

/// What an error found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A byte.
    Byte(u8),
    /// The end of the input, or of a limit.
    End,
}

/// How parsing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// At home, or at a `finish:` line.
    Complete,
    /// The input ended too early.
    Incomplete,
    /// By `break`.
    Stopped,
    /// By an exception that nobody caught.
    Error,
}

/// A value of a variable or an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number; also an enum's unlisted one.
    Int(i128),
    /// `true`, `false`.
    Bool(bool),
    /// An enum's member.
    Member(String),
    /// Bytes of a string, view or array.
    Bytes(Vec<u8>),
    /// A float of 32 bits.
    F32(f32),
    /// A float of 64 bits.
    F64(f64),
}
