//! What a module's tokens speak of: variables, functions, enums, portable code, limits.
//!
//! The grammar and the machine of a module own equal copies; ids of one are ids of the other. So a machine
//! printed as text is complete by itself.

use crate::ids::{CodeId, EnumId, ExprId, FunctionId, ModuleId, Table, VarId};
use crate::portable::{Code, Expr};
use vproto_source::Span;

/// The symbols of one module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symbols {
    /// Variables, in order of first appearance; declared ones where they are declared.
    pub vars: Table<VarId, Var>,
    /// Functions of the user, in order of first appearance.
    pub functions: Table<FunctionId, Function>,
    /// Enum types.
    pub enums: Table<EnumId, Enum>,
    /// Portable expressions: bounds, options, arguments, conditions.
    pub exprs: Table<ExprId, Expr>,
    /// Code blocks.
    pub codes: Table<CodeId, Code>,
    /// Bounds of memory.
    pub limits: Limits,
}

/// A variable of the user's object.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub ty: VarType,
    /// Value at the start and after `reset`; the type's zero where absent. Fits the type.
    pub start: Option<i128>,
    /// Where it appears first.
    pub span: Span,
}

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarType {
    /// An integer of 8, 16, 32 or 64 bits (le24/be24 and bit fields have the next larger one).
    Int {
        /// Width in bits: 8, 16, 32 or 64.
        bits: u8,
        /// Two's complement.
        signed: bool,
    },
    /// true or false.
    Bool,
    /// A member of an enum, or an unlisted number that was read: an integer of `bits` bits, unsigned.
    Enum {
        /// The type.
        of: EnumId,
        /// Width in bits of the integer that holds it.
        bits: u8,
    },
    /// IEEE float of 32 or 64 bits.
    Float {
        /// 32 or 64.
        bits: u8,
    },
    /// Bytes that the variable owns; bounded by `Limits::string`.
    String,
    /// A view of bytes; bounded by `Limits::view`.
    View,
    /// A buffer of fixed size with a length.
    Array {
        /// Capacity in bytes.
        capacity: u32,
    },
    /// A sub-parser of another module.
    Module(ModuleId),
}

impl VarType {
    /// Whether it is an integer, a boolean or an enum: what portable arithmetic reads and `keep` saves.
    pub fn is_scalar(self) -> bool {
        matches!(self, VarType::Int { .. } | VarType::Bool | VarType::Enum { .. })
    }

    /// Whether it holds bytes.
    pub fn is_text(self) -> bool {
        matches!(self, VarType::String | VarType::View | VarType::Array { .. })
    }

    /// Smallest and largest value of a scalar.
    pub fn range(self) -> Option<(i128, i128)> {
        match self {
            VarType::Int { bits, signed: true } => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            VarType::Int { bits, signed: false } | VarType::Enum { bits, .. } => Some((0, (1 << bits) - 1)),
            VarType::Bool => Some((0, 1)),
            _ => None,
        }
    }
}

/// A function of the user's object. One name has one role; roles `Stream` and `Span` of one name are one function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// How it is called.
    pub role: Role,
    /// Where it appears first.
    pub span: Span,
}

/// How a function of the user is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// By `notify:f(…)`, or as a statement of portable code.
    Notify,
    /// With fragments of bytes: `->f`, `data:f`, `begin:f … end:f`.
    Stream,
    /// In an expression; its value is opaque.
    Value,
}

/// An enum type.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The name of the first variable declared with it; targets derive the type's name from it.
    pub name: String,
    /// Members with their values, in the order written.
    pub members: Vec<(String, u64)>,
    /// Where it is declared.
    pub span: Span,
}

impl Enum {
    /// The name of a value, if it is listed.
    pub fn member(&self, value: u64) -> Option<&str> {
        self.members.iter().find(|(_, v)| *v == value).map(|(name, _)| name.as_str())
    }
}

/// Bounds of memory, from `@limit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Frames of the call stack.
    pub calls: u32,
    /// Whether `calls` is exact (no recursion) and cannot be exceeded.
    pub calls_exact: bool,
    /// Bytes of an owned string.
    pub string: u32,
    /// Bytes of a view.
    pub view: u32,
    /// Parallel states of one group.
    pub states: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { calls: 256, calls_exact: false, string: 64 << 10, view: 64 << 10, states: 16 }
    }
}

impl Symbols {
    /// The variable of a name.
    pub fn var(&self, name: &str) -> Option<VarId> {
        self.vars.iter().find(|(_, v)| v.name == name).map(|(id, _)| id)
    }
}
