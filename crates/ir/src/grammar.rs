//! The checked description: what the lines and tokens of a text mean, with every name resolved.
//!
//! Invariants (the front-end makes no [`Grammar`] from a description with errors):
//! - every id is one of its module's tables; `trees` is not empty, the first one is the stream;
//! - every branching has at least one alternative or a `finish:` line, every [`Parallel`] at least one sequence;
//! - `back:` names a branching that encloses its line; `return`, `call:`, `jmp:`, `back:`, `reset` and modules
//!   stand in no `< >`; a module does not hold itself, directly or not;
//! - defaults are applied: counts, widths and types are those that hold, not those that were written.
//!
//! What it leaves to others: FIRST sets and whether a line can be empty ([`crate::grammar`] stores no derived
//! facts), and everything about execution.

use crate::byteset::ByteSet;
use crate::ids::{
    BranchingId, CodeId, ExprId, FunctionId, LabelId, LineId, ModuleId, Table, TokenId, TreeId, VarId,
};
use crate::symbols::Symbols;
use vproto_source::{FileId, Span};

/// A whole program: the root module and all that it imports.
#[derive(Clone, Debug, PartialEq)]
pub struct Grammar {
    /// The modules. Modules used by `vproto:` come before those that use them, so the root is the last.
    pub modules: Table<ModuleId, Module>,
    /// The module that was asked for.
    pub root: ModuleId,
}

/// One description.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The file's stem, or what `@module` says.
    pub name: String,
    /// The file of the description; included files have others.
    pub file: FileId,
    /// Trees; the first one is where parsing starts.
    pub trees: Table<TreeId, Tree>,
    /// Branchings of all trees.
    pub branchings: Table<BranchingId, Branching>,
    /// Lines of all branchings.
    pub lines: Table<LineId, Line>,
    /// Tokens of all lines.
    pub tokens: Table<TokenId, Token>,
    /// Labels.
    pub labels: Table<LabelId, Label>,
    /// Variables, functions, enums, portable code, limits.
    pub symbols: Symbols,
    /// `@cpp { … }`, `@rust { … }`: language and text.
    pub heads: Vec<(String, Code)>,
    /// `@output Class`.
    pub output: Option<String>,
    /// `@doc "…"` in order.
    pub docs: Vec<String>,
    /// The bounds of memory that the description states by itself.
    pub stated: StatedLimits,
}

/// Which limits a description states by `@limit`; the others hold by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatedLimits {
    /// `@limit string=`
    pub string: bool,
    /// `@limit view=`
    pub view: bool,
}

/// Text for the head of the output, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// The text between the braces.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// The lines of depth 0 up to the next tree, with all that is below them.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Its depth-0 branching.
    pub branching: BranchingId,
}

/// Lines of one depth below one parent: the alternatives, and the handlers among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Branching {
    /// The tree it belongs to.
    pub tree: TreeId,
    /// The line it follows; none at depth 0.
    pub parent: Option<LineId>,
    /// Depth, from 0.
    pub depth: u32,
    /// Alternatives from top to bottom, `catch:` and `finish:` lines left out.
    pub alternatives: Vec<LineId>,
    /// The `catch:` line.
    pub catch: Option<LineId>,
    /// The `finish:` line.
    pub finish: Option<LineId>,
    /// Whether it is a home of its tree: entering it is a fresh start.
    pub home: bool,
}

/// A line: tokens that follow each other, then perhaps a branching.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The branching that holds it.
    pub branching: BranchingId,
    /// Its tokens; of a handler line without the `catch:` or `finish:` itself. May be empty only there.
    pub tokens: Vec<TokenId>,
    /// Whether it ends in `\`: when the branching below is over, go on one level up.
    pub continues: bool,
    /// The branching below it.
    pub children: Option<BranchingId>,
    /// Alternative or handler.
    pub role: LineRole,
    /// From the first token to the last.
    pub span: Span,
}

/// What a line is in its branching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineRole {
    /// One of the alternatives.
    Alternative,
    /// `catch:`
    Catch,
    /// `finish:`
    Finish,
}

/// A label and the place it names: the token `label:` itself stands in the line and does nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// The line it stands in.
    pub line: LineId,
    /// Its index among the line's tokens.
    pub index: u32,
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it does.
    pub kind: TokenKind,
    /// `if=e`: where e is false the token is not there.
    pub condition: Option<ExprId>,
    /// From its first character to its last, options included.
    pub span: Span,
}

/// What a token does.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// Takes bytes of a set: sets, integers, `data`, `string`, `bits`, `bool`, floats.
    Scan(Scan),
    /// `"text"`, `'text'`.
    Literal(Literal),
    /// `match:v`: the bytes of a variable, as a literal; none if it is empty.
    Match {
        /// A text variable.
        var: VarId,
        /// How often, as of a literal.
        counts: Counts,
    },
    /// `varint`.
    Varint(Varint),
    /// `enum{a "A", b "B"}:v`: matches one of the texts as `< >` would, and sets v.
    EnumText(EnumText),
    /// `< s1, s2, … >`.
    Parallel(Parallel),
    /// `vproto:m:v`, `[set]->vproto:m:v`.
    Module(SubParser),
    /// `enum{a, b}:v`: sets v to the first member; takes no input.
    EnumInit(VarId),
    /// `{ … }`: a block, portable or opaque.
    Code(CodeId),
    /// `if {…}`: a condition, portable or opaque.
    If(CodeId),
    /// `notify:f(…)`.
    Notify {
        /// The user's function.
        function: FunctionId,
        /// Its arguments; a lone variable is passed as it is.
        arguments: Vec<ExprId>,
    },
    /// `begin:f`: from here all bytes go to f.
    Begin(FunctionId),
    /// `begin:crc32:v`: from here a check value is computed.
    BeginDigest(Digest, VarId),
    /// `end:f`.
    End(FunctionId),
    /// `end:v` of a check value: stores it.
    EndDigest(VarId),
    /// `end:v` of a joined module: finishes and resets it.
    EndModule(VarId),
    /// `label:l`.
    Label(LabelId),
    /// `jmp:l`.
    Jump(LabelId),
    /// `call:l`.
    Call(Call),
    /// `return`.
    Return,
    /// `reset`.
    Reset,
    /// `break`.
    Break,
    /// `bang`.
    Bang,
    /// `back:n`: the branching that is entered.
    Back(BranchingId),
}

/// How many bytes (or whole literals) a token takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    /// The least number; clamped to `max` at run time.
    pub min: Min,
    /// The greatest number.
    pub max: Max,
    /// Whether `min` was written (`?` and `*` write it). A minimum of 0 that was not written does not make an
    /// alternative empty.
    pub min_written: bool,
}

/// A least number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Min {
    /// A number.
    Fixed(u64),
    /// Computed when the token is entered; negative or above 2^63-1 is `overflow`.
    Expr(ExprId),
    /// As `max`: the set holds every byte and only `max` was written.
    Max,
}

/// A greatest number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Max {
    /// A number.
    Fixed(u64),
    /// Computed when the token is entered, before `min`.
    Expr(ExprId),
    /// No bound.
    None,
}

/// A number or a portable expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A number.
    Fixed(u64),
    /// Computed where it is used.
    Expr(ExprId),
}

/// A token that takes bytes of one set.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// The bytes it takes.
    pub set: ByteSet,
    /// `i8 … i64` and `->int`: one optional `+` or `-` in front, which does not count to the bounds.
    pub sign: bool,
    /// How many.
    pub counts: Counts,
    /// `until=`: ends behind the first occurrence of a text, which is consumed but not stored. `counts.max` counts the
    /// bytes before it, `counts.min` is 0, not written.
    pub until: Option<Until>,
    /// What becomes of the bytes.
    pub store: Store,
    /// `xor=a`: each byte is combined with the next byte of array a, cyclic. Only with `Store::Stream`.
    pub xor: Option<VarId>,
    /// `sse`, `nosse`.
    pub hint: Hint,
}

/// The text that ends a token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Until {
    /// A text of at least one byte.
    Text(Vec<u8>),
    /// The bytes of a variable when the token is entered: 1 to 255, else `condition` (none) or `limit`.
    Var(VarId),
}

/// A vector hint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Hint {
    /// None given.
    #[default]
    Auto,
    /// `nosse`.
    Never,
    /// `sse`.
    Vector,
    /// `sse=SSE2`.
    Sse2,
    /// `sse=SSE4.2`.
    Sse42,
    /// `sse=AVX2`.
    Avx2,
}

/// What becomes of the bytes that a token takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Store {
    /// They are skipped; no event.
    Skip,
    /// The fragments go to the user's function.
    Stream(FunctionId),
    /// Digits; a digit too many for the variable is `overflow` at that digit.
    Digits {
        /// An integer variable.
        var: VarId,
        /// 10 or 16.
        radix: u8,
        /// What the value must fit; may be narrower than the variable, which has the widest type of its tokens.
        ty: IntType,
        /// `trim`: blanks at both ends are dropped (only where the set holds them).
        trim: bool,
    },
    /// A binary integer of at most 8 significant bytes.
    Binary {
        /// An integer, enum or boolean variable. A boolean is true where any byte is not zero.
        var: VarId,
        /// Big-endian.
        big: bool,
        /// `swap=e`: the other order where e is true, asked when the token completes.
        swap: Option<ExprId>,
        /// What the value must fit.
        ty: IntType,
    },
    /// A string, view or array.
    Text {
        /// The variable.
        var: VarId,
        /// `append`: entering does not clear.
        append: bool,
        /// `trim`: spaces and tabs at both ends of the token's own piece are dropped.
        trim: bool,
        /// `init=n` of a string: more bytes are consumed, not stored.
        keep: Option<Bound>,
    },
    /// `bits{…}`: the fields, in the order of the wire. `counts` is the whole number of bytes.
    Bits {
        /// The fields.
        fields: Vec<BitField>,
        /// `bitsle`: least significant first.
        little: bool,
    },
    /// IEEE float of 4 or 8 bytes.
    Float {
        /// A float variable.
        var: VarId,
        /// Big-endian.
        big: bool,
    },
}

/// What an integer that is read must fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// Bits, 1 to 64 (24 for le24).
    pub bits: u8,
    /// Two's complement: `i*`, or the option `signed`.
    pub signed: bool,
    /// `wrap`: a value that does not fit wraps.
    pub wrap: bool,
}

/// A field of `bits{…}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// Its variable; none for `_`.
    pub var: Option<VarId>,
    /// Width in bits, 1 to 64.
    pub bits: u8,
    /// Two's complement.
    pub signed: bool,
}

/// `"text"`, `'text'`; the count is of whole literals.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// At least one byte.
    pub text: Vec<u8>,
    /// ASCII letters in either case.
    pub fold: bool,
    /// How often.
    pub counts: Counts,
}

/// `varint`.
#[derive(Clone, Debug, PartialEq)]
pub struct Varint {
    /// The variable; none skips.
    pub var: Option<VarId>,
    /// Most bytes, 1 to 10. A continuation bit in the last one is `overflow`, and so is a tenth byte above 1.
    pub max: u8,
    /// What the value must fit.
    pub ty: IntType,
}

/// `enum{a "A", b "B"}:v`. Alternatives in the order written; ties go to the earlier.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumText {
    /// The variable.
    pub var: VarId,
    /// Member value, text, and whether ASCII letters match in either case.
    pub texts: Vec<(u64, Vec<u8>, bool)>,
}

/// `< s1, s2, … >`: sequences that run side by side, the earlier has priority.
#[derive(Clone, Debug, PartialEq)]
pub struct Parallel {
    /// The sequences; none can be empty.
    pub sequences: Vec<Vec<TokenId>>,
}

/// `vproto:m:v`.
#[derive(Clone, Debug, PartialEq)]
pub struct SubParser {
    /// A variable of type `Module`.
    pub var: VarId,
    /// The bytes that are handed on; another byte is the module's end of input.
    pub set: ByteSet,
    /// How many.
    pub counts: Counts,
    /// `join`: many tokens feed one stream.
    pub join: bool,
    /// `xor=a`.
    pub xor: Option<VarId>,
    /// `x=e`: variables of the module (ids of its symbols) that are set before the first byte, in order.
    pub sets: Vec<(VarId, ExprId)>,
}

/// `call:l` with its options; `if=` stands at the token.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Where to.
    pub label: LabelId,
    /// `max=n`: a confined call.
    pub max: Option<Bound>,
    /// `times=n`.
    pub times: Option<Bound>,
    /// `keep=a b`.
    pub keep: Vec<VarId>,
}

/// The check values of `begin:crc32:v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Digest {
    /// CRC-32 as in Ethernet and zlib (reflected, 0xEDB88320).
    Crc32,
    /// Adler-32 (RFC 1950).
    Adler32,
    /// All bytes exclusive-or.
    Xor8,
    /// Sum modulo 2^8.
    Sum8,
    /// Sum modulo 2^16.
    Sum16,
    /// The complemented Internet sum (RFC 1071); 0 over a good header.
    Inet16,
}

impl Digest {
    /// All of them with their names in the language.
    pub const ALL: [(&'static str, Digest); 6] = [
        ("crc32", Digest::Crc32),
        ("adler32", Digest::Adler32),
        ("xor8", Digest::Xor8),
        ("sum8", Digest::Sum8),
        ("sum16", Digest::Sum16),
        ("inet16", Digest::Inet16),
    ];

    /// Its name in the language.
    pub fn name(self) -> &'static str {
        Digest::ALL.iter().find(|(_, d)| *d == self).map_or("", |(name, _)| name)
    }

    /// Width of the value in bits.
    pub fn bits(self) -> u8 {
        match self {
            Digest::Crc32 | Digest::Adler32 => 32,
            Digest::Sum16 | Digest::Inet16 => 16,
            Digest::Xor8 | Digest::Sum8 => 8,
        }
    }
}

impl Module {
    /// The first token of a line that is not a label.
    pub fn first_token(&self, line: LineId) -> Option<TokenId> {
        let is_label = |t: &&TokenId| !matches!(self.tokens[**t].kind, TokenKind::Label(_));
        self.lines[line].tokens.iter().find(is_label).copied()
    }
}

impl Counts {
    /// Exactly `n`.
    pub fn exactly(n: u64) -> Counts {
        Counts { min: Min::Fixed(n), max: Max::Fixed(n), min_written: false }
    }
}
