//! The machine: a byte-wise graph that alone defines behaviour at any cut (`docs/ir.md`, design page "The machine").
//!
//! # Entities
//! A [`Machine`] belongs to one module. *States* rest, test or act; *edges* carry ordered actions and a target;
//! *spans* say what becomes of the bytes between `open` and `commit`; *sites* say where in the description a state or
//! action comes from, and which handler takes its exception. Ids index dense tables and are never renumbered; a
//! pass may leave holes in `states`.
//!
//! # Invariants (`verify` checks them; numbers are those of the design page)
//! 1. Edges end at states that exist; the start, every handler, and whatever else an id names too.
//! 2. Sets of a dispatch are disjoint and not empty; with `other`, or a site to raise at.
//! 3. `lo <= hi`, `hi > 0` where both are numbers; with `until` `lo` is 0, and `hi` may be.
//! 4. What can fail has a site.
//! 5. Edges into a scan (or module) with register bounds set them.
//! 6. Open and closed captures are the same on every path to a state; none at a handler, `call`, `ret`.
//! 7. Every cycle that takes no byte passes the `then` edge of a `moved m` whose target marks m.
//! 8. At most one `take` per edge, only on dispatch edges.
//! 9. `win`/`drop` are reached only inside forks; forks reach no `call`, `ret`, `reset`, `module`, `end`, `moved`, and
//!    enter no branching before `win`. A state that does more than raise runs at one depth of threads only.
//! 10. User code inside forks is behind a log.
//! 11. Printing and parsing gives the same text.
//! 12. A plan does what the states do from where it stands, and nothing visible but at its end; one a state.
//! 13. `fence` calls get `hi`, `times` calls get `rep` on every edge in; `needs` only with `fence`.
//! 14. `starts v` only behind a dispatch of the same byte; `unspan` only first in a handler's state.

use crate::byteset::ByteSet;
use crate::grammar::{BitField, Digest, Hint, IntType};
use crate::ids::{CodeId, ExprId, FunctionId, MarkId, SiteId, SpanId, StateId, Table, TreeId, VarId};
use crate::symbols::Symbols;

/// The machines of a program, one a module, in the order of the grammar's modules (users after used).
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Indexed by module id.
    pub machines: Table<crate::ids::ModuleId, Machine>,
    /// The machine that was asked for.
    pub root: crate::ids::ModuleId,
}

/// The machine of one module.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The module's name.
    pub name: String,
    /// Where parsing starts, and where `reset` and a finished module go.
    pub start: StateId,
    /// States; `None` is a hole left by a pass.
    pub states: Table<StateId, Option<State>>,
    /// Captures and begin spans.
    pub spans: Table<SpanId, SpanDef>,
    /// Places in the description with their handlers.
    pub sites: Table<SiteId, Site>,
    /// Number of progress marks ever made.
    pub marks: u32,
    /// Number of trees.
    pub trees: u32,
    /// Variables, functions, enums, portable code, limits: equal to the grammar's.
    pub symbols: Symbols,
    /// Names of included files that sites speak of; sites of the module's own file have no file.
    pub files: Vec<String>,
    /// Fast replacements of steps, derived; deleting all leaves a correct machine.
    pub plans: Vec<crate::machine::Plan>,
}

/// A state: its kind, and the place it reports.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// What it does.
    pub kind: Kind,
    /// Where it raises, and for pictures where it comes from.
    pub site: Option<SiteId>,
}

/// A way to another state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// In order. With `take` in it the edge takes the byte in hand at that place; without it, it only looked.
    pub actions: Vec<Action>,
    /// The target.
    pub to: StateId,
}

/// The kinds of states. Those marked *rests* can be suspended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// *Rests.* Takes bytes of the set while fewer than `hi` are taken; leaves at `hi` without looking at another byte,
    /// or at a byte outside the set where `lo` are taken; else raises.
    Scan {
        /// The bytes it takes.
        set: ByteSet,
        /// Least number.
        lo: Bound,
        /// Greatest number.
        hi: Bound,
        /// The text that ends it; then `lo` is 0 and `hi` counts the bytes before the text.
        until: Option<Until>,
        /// Vector hint.
        hint: Hint,
        /// Where it goes.
        next: Edge,
    },
    /// *Rests.* Two letters or more, all of them; or the bytes of a variable, none if it is empty.
    Literal {
        /// The text.
        text: Text,
        /// ASCII letters in either case.
        fold: bool,
        /// Where it goes.
        next: Edge,
    },
    /// *Rests.* Decides on the byte in hand.
    Dispatch {
        /// Disjoint sets with their edges.
        alts: Vec<(ByteSet, Edge)>,
        /// The rest of the bytes; absent: raises.
        other: Option<Edge>,
        /// The end of input; absent: `lack`.
        eof: Option<Edge>,
    },
    /// Decides without a byte.
    Test {
        /// The question.
        what: Predicate,
        /// Where it is true.
        then: Edge,
        /// Where it is false.
        other: Edge,
    },
    /// A join.
    Act {
        /// Where it goes.
        next: Edge,
    },
    /// Pushes a frame, or goes `next` where the count is 0.
    Call {
        /// Into the called tree.
        to: Edge,
        /// Behind the call.
        next: Edge,
        /// The tree it names; `home` of it belongs to the frame.
        tree: TreeId,
        /// Confined: reads `hi`.
        fence: bool,
        /// Repeated: reads `rep`.
        times: bool,
        /// The target needs a byte: with `hi` 0 the call is not made.
        needs: bool,
        /// Variables saved in the frame.
        keep: Vec<VarId>,
    },
    /// Returns; an empty stack raises `return`.
    Ret,
    /// *Rests.* Starts threads, in order of priority.
    Par {
        /// One edge a thread.
        forks: Vec<Edge>,
    },
    /// A thread wins; the parser goes on at `next` behind its log.
    Win {
        /// Where the parser goes on.
        next: Edge,
    },
    /// A thread leaves.
    Drop,
    /// *Rests.* Feeds a sub-parser.
    Module {
        /// A variable of type `Module`.
        var: VarId,
        /// The bytes that are handed on.
        set: ByteSet,
        /// Least number.
        lo: Bound,
        /// Greatest number.
        hi: Bound,
        /// Many tokens feed one stream.
        join: bool,
        /// Key array.
        xor: Option<VarId>,
        /// Variables of the module (ids of its symbols) set before the first byte.
        sets: Vec<(VarId, ExprId)>,
        /// Where it goes.
        next: Edge,
    },
    /// Raises at its site.
    Raise(ErrorKind),
    /// Ends parsing (a fenced call, where `Complete` meets a fence).
    End(Status),
}

/// A bound of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// A number.
    Fixed(u64),
    /// The register `lo` or `hi`.
    Register,
    /// No bound (`hi` only).
    Unbounded,
}

/// The text of a literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Text {
    /// Bytes, two or more.
    Bytes(Vec<u8>),
    /// Those of a text variable.
    Var(VarId),
}

/// The text that ends a scan.
pub use crate::grammar::Until;

/// Questions of a `test`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// A portable condition: `if=`, or a written-out guard.
    If(ExprId),
    /// Code that decides: a condition or a block whose `return` decides, portable or opaque.
    Code(CodeId),
    /// Whether the position differs from the one that the mark stored; true where the mark is not set.
    Moved(MarkId),
    /// The same of the bottom activation: for `reset`.
    MovedBottom(MarkId),
    /// Whether fewer whole literals than this were taken.
    Below(Limit),
    /// Whether as many whole literals as this were taken.
    Reached(Limit),
    /// Whether a bound is 0 now.
    Zero(ExprId),
    /// Whether the byte in hand is the first one of a text variable; only behind a dispatch.
    Starts(VarId),
}

/// What `below` and `reached` compare `rep` with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// A number.
    Fixed(u64),
    /// Register `lo`.
    Lo,
    /// Register `hi`.
    Hi,
}

/// An action, with the site that it reports where that is not its state's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// What it does.
    pub op: Op,
    /// Its own place.
    pub site: Option<SiteId>,
}

/// What an action does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Takes the byte in hand.
    Take,
    /// Starts a capture; clears its variable (not with `append`, not in `< >`).
    Open(SpanId),
    /// Ends it and stores or delivers. May raise.
    Commit(SpanId),
    /// Ends it inside a determinised `< >`; delivered on winning.
    Close(SpanId),
    /// Delivers a closed capture.
    Deliver(SpanId),
    /// Forgets a capture of a thread that left.
    DropSpan(SpanId),
    /// `lo = e`. Negative is `overflow`.
    SetLo(ExprId),
    /// `hi = e`. Negative is `overflow`.
    SetHi(ExprId),
    /// `lo = n`, `hi = n` by number, for bounds where the other one is computed.
    SetLoFixed(u64),
    /// `hi = n`.
    SetHiFixed(u64),
    /// `lo = hi`.
    SetLoToHi,
    /// `rep = e`. Negative is `overflow`.
    SetRep(ExprId),
    /// `rep = n`.
    SetRepFixed(u64),
    /// One more whole literal: `rep += 1`.
    CountRep,
    /// Begins a span of the user's function, or of a check value (form `Begin` or `Digest`). One function, and one
    /// variable of check values, has one slot: what is open there ends, a check value without being stored.
    Begin(SpanId),
    /// Ends what is open in its slot: delivers the last piece or stores the check value, of whatever kind. Nothing
    /// where none is open.
    End(SpanId),
    /// Finishes and resets a joined module.
    EndModule(VarId),
    /// Calls the user's function.
    Notify(FunctionId, Vec<ExprId>),
    /// Runs a block; `return false` raises `condition`.
    Code(CodeId),
    /// Sets an enum variable to a value: an event `capture`.
    SetVar(VarId, u64),
    /// Sets an enum variable without an event (`enum{a, b}:v`).
    InitVar(VarId, u64),
    /// Stores the position in a mark.
    Mark(MarkId),
    /// The activation's home is here, if it is one of this tree.
    Home(TreeId),
    /// Ends the spans begun since the mark was set; first in a handler's state.
    Unspan(MarkId),
    /// Clears variables, stack and spans.
    Reset,
}

/// What becomes of the bytes between `open` and `commit` (or `begin` and `end`).
#[derive(Clone, Debug, PartialEq)]
pub struct SpanDef {
    /// How the bytes are kept.
    pub form: Form,
    /// `trim`.
    pub trim: bool,
    /// Of a determinised `< >`, whose thread may still lose: `open` clears nothing, and a byte that the capture refuses
    /// is a byte that nobody takes (`mismatch`). `commit` and `deliver` store as ever.
    pub private: bool,
}

/// How the bytes of a span are kept; see the table of the design page, section 3.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Handed on as they come.
    Pieces {
        /// The user's function.
        function: FunctionId,
        /// Key array.
        xor: Option<VarId>,
    },
    /// Appended to an owned string.
    String {
        /// The variable.
        var: VarId,
        /// Does not clear.
        append: bool,
        /// `init=n`: keeps so many of the whole.
        keep: Option<crate::grammar::Bound>,
    },
    /// Copied into a buffer of fixed size.
    Array {
        /// The variable.
        var: VarId,
        /// Does not clear.
        append: bool,
    },
    /// A view; copied once a cut comes.
    View {
        /// The variable.
        var: VarId,
        /// Does not clear.
        append: bool,
    },
    /// Digits.
    Digits {
        /// The variable.
        var: VarId,
        /// 10 or 16.
        radix: u8,
        /// What it must fit.
        ty: IntType,
    },
    /// A binary integer.
    Binary {
        /// The variable.
        var: VarId,
        /// Big-endian.
        big: bool,
        /// Asked at `commit`.
        swap: Option<ExprId>,
        /// What it must fit.
        ty: IntType,
    },
    /// Base-128; refuses a byte too many.
    Varint {
        /// The variable; none: only checked.
        var: Option<VarId>,
        /// Most bytes.
        max: u8,
        /// What it must fit.
        ty: IntType,
    },
    /// Bit fields.
    Bits {
        /// The fields in the order of the wire.
        fields: Vec<BitField>,
        /// Least significant first.
        little: bool,
    },
    /// IEEE float.
    Float {
        /// The variable.
        var: VarId,
        /// Big-endian.
        big: bool,
    },
    /// `begin:f … end:f`: one slot a name.
    Begin(FunctionId),
    /// `begin:crc32:v … end:v`.
    Digest(Digest, VarId),
}

/// A place in the description, the handler of what is raised there, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Index in `Machine::files`, for text from an included file.
    pub file: Option<u32>,
    /// Who takes the exception.
    pub handler: Handler,
    /// What `expected` says, as it is printed; absent: the state's own set or text.
    pub wants: Option<String>,
}

/// Who takes an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handler {
    /// Nobody: parsing ends with the error.
    Stop,
    /// The first state of a `catch:` line.
    Catch(StateId),
    /// The handler of the call's site; with no frame: stop.
    Up,
}

/// Kinds of exceptions, as the trace names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A byte that is not acceptable.
    Mismatch,
    /// The input, or a limit on it, ended first.
    Minimum,
    /// A false condition.
    Condition,
    /// A value that does not fit.
    Overflow,
    /// A bound of memory, or of an enclosing call.
    Limit,
    /// A loop that takes nothing.
    NoProgress,
    /// `return` with nothing to return to.
    Return,
    /// A sub-module failed.
    Module,
}

impl ErrorKind {
    /// As the trace prints it.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Mismatch => "mismatch",
            ErrorKind::Minimum => "minimum",
            ErrorKind::Condition => "condition",
            ErrorKind::Overflow => "overflow",
            ErrorKind::Limit => "limit",
            ErrorKind::NoProgress => "no-progress",
            ErrorKind::Return => "return",
            ErrorKind::Module => "module",
        }
    }
}

/// How parsing ends by an `end` state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// A `finish:` line ran.
    Complete,
    /// `break`.
    Stopped,
}

/// A fast replacement of the steps from a state (design page, section 8).
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Items of exact length that are checked by one length test and wide loads.
    Chain(Chain),
}

/// A maximal path of items of exact length.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The state it stands at, just entered.
    pub at: StateId,
    /// One layout per choice of its optional items, longest first.
    pub layouts: Vec<Layout>,
    /// Where it ends.
    pub to: StateId,
}

/// The bytes of one way through a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The set that each byte must be of.
    pub bytes: Vec<ByteSet>,
    /// Actions with the number of bytes taken before each, in order.
    pub actions: Vec<(u32, Action)>,
}

impl Edge {
    /// An edge without actions.
    pub fn to(to: StateId) -> Edge {
        Edge { actions: Vec::new(), to }
    }

    /// Whether the edge takes the byte in hand.
    pub fn takes(&self) -> bool {
        self.actions.iter().any(|a| a.op == Op::Take)
    }
}

impl Kind {
    /// The edges of a state in the order of the text form.
    pub fn edges(&self) -> Vec<&Edge> {
        match self {
            Kind::Scan { next, .. }
            | Kind::Literal { next, .. }
            | Kind::Act { next }
            | Kind::Win { next }
            | Kind::Module { next, .. } => vec![next],
            Kind::Dispatch { alts, other, eof } => {
                alts.iter().map(|(_, e)| e).chain(other).chain(eof).collect()
            }
            Kind::Test { then, other, .. } => vec![then, other],
            Kind::Call { to, next, .. } => vec![to, next],
            Kind::Par { forks } => forks.iter().collect(),
            Kind::Ret | Kind::Drop | Kind::Raise(_) | Kind::End(_) => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn edges_mut(&mut self) -> Vec<&mut Edge> {
        match self {
            Kind::Scan { next, .. }
            | Kind::Literal { next, .. }
            | Kind::Act { next }
            | Kind::Win { next }
            | Kind::Module { next, .. } => vec![next],
            Kind::Dispatch { alts, other, eof } => {
                alts.iter_mut().map(|(_, e)| e).chain(other).chain(eof).collect()
            }
            Kind::Test { then, other, .. } => vec![then, other],
            Kind::Call { to, next, .. } => vec![to, next],
            Kind::Par { forks } => forks.iter_mut().collect(),
            Kind::Ret | Kind::Drop | Kind::Raise(_) | Kind::End(_) => Vec::new(),
        }
    }

    /// Whether the parser can be suspended here.
    pub fn rests(&self) -> bool {
        matches!(
            self,
            Kind::Scan { .. }
                | Kind::Literal { .. }
                | Kind::Dispatch { .. }
                | Kind::Par { .. }
                | Kind::Module { .. }
        )
    }
}

impl Machine {
    /// The state of an id; a hole is a broken invariant.
    #[inline]
    pub fn state(&self, id: StateId) -> &State {
        self.states[id].as_ref().expect("edges end at states that exist (invariant 1)")
    }
}
