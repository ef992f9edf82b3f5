//! What one parser of one module remembers between steps, and between fragments.
//!
//! Invariant: a copy of a [`Parser`] taken between two fragments is a snapshot of the half-parsed stream; nothing
//! else is hidden state. The fields of a window (`end`, `at_end`) are worked out anew at every fragment.

use super::Options;
use super::begin::BeginSlot;
use super::code::{Borders, Code, Prepared};
use super::group::{Group, Logged};
use super::span::Open;
use crate::store::Store;
use crate::trace::{Event, EventKind, Failure, Found};
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{Id, ModuleId, SiteId, StateId, VarId};
use vproto_ir::machine::{Edge, ErrorKind};

/// An offset that no stream reaches.
pub(super) const NEVER: u64 = u64::MAX;

/// A parser of one module: the state of its own stream, and its line of control.
#[derive(Clone, Debug)]
pub(super) struct Parser {
    /// All but the line of control.
    pub core: Core,
    /// The line of control that is no thread.
    pub main: Line,
}

/// What all lines of control of a parser share.
#[derive(Clone, Debug)]
pub(super) struct Core {
    /// The module, for the names of events; none of the root.
    pub name: Option<String>,
    /// Values of variables.
    pub store: Store,
    /// Calls that are open.
    pub frames: Vec<Frame>,
    /// Marks of all activations, one group of `mark_count` each.
    pub marks: Vec<Mark>,
    /// Innermost end offset, or [`NEVER`].
    pub fence: u64,
    /// Offset at which the first tree's home was last entered.
    pub bottom_home: u64,
    /// Bytes to be thrown away before anything else happens.
    pub skip: Option<Skip>,
    /// `begin` spans that are open.
    pub begins: Vec<Option<BeginSlot>>,
    /// Orders `begin` spans and entries of branchings.
    pub sequence: u64,
    /// Parsers of module variables, indexed by variable; none before the first use.
    pub subs: Vec<Option<Box<Parser>>>,
    /// Modules that were used, in order of first use.
    pub used: Vec<VarId>,
    /// Joined modules that run, each with the token that fed it last.
    pub joined: Vec<(VarId, Option<SiteId>)>,
    /// End of a module's stream where its `max` says it, or [`NEVER`].
    pub limit: u64,
    /// Whether a state has seen the end of the stream: nothing is caught from there on.
    pub saw_end: bool,
    /// Outer offset of the stream's own offset 0, modulo 2^64.
    pub delta: u64,
    /// Whether and how the stream has ended.
    pub finishing: AtEnd,
    /// The window that states work on: bytes before this offset.
    pub end: u64,
    /// What stands at the end of the window.
    pub at_end: AtEnd,
    /// How it is over, once it is.
    pub outcome: Option<Outcome>,
    /// What the exception found that ended it.
    pub found: Option<Found>,
}

/// A line of control: the parser's own one, or a thread of `< >`.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// Where it is.
    pub state: Option<StateId>,
    /// Whether the state was just entered.
    pub fresh: bool,
    /// Bytes consumed of the module's own stream.
    pub pos: u64,
    /// Registers.
    pub registers: Registers,
    /// Letters of a half-seen `until` text that are not yet content.
    pub held: u64,
    /// Text of the running `until=v`.
    pub until: Option<Box<Borders>>,
    /// Captures that are open.
    pub spans: Vec<Open>,
    /// Threads, where the state is a `par`.
    pub group: Option<Box<Group>>,
    /// What the states of a thread would have taken at its last look.
    pub passed: ByteSet,
    /// One more than the offset of a thread's last look; 0 before the first.
    pub looked: u64,
    /// What a thread died of.
    pub death: Option<Raised>,
    /// What a thread has done; none of the main line.
    pub log: Option<Vec<Logged>>,
    /// A thread's own view of the `begin` spans, once it changed them.
    pub begins: Option<Vec<Option<BeginSlot>>>,
}

/// Registers of a line of control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    /// Bytes taken by the running scan.
    pub n: u64,
    /// Letters of the running literal.
    pub k: u64,
    /// Least number.
    pub lo: u64,
    /// Greatest number.
    pub hi: u64,
    /// Whole literals so far, or the count of a call.
    pub rep: u64,
}

/// A call that is open.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The call's state.
    pub call: StateId,
    /// The fence outside of it, where it has one of its own.
    pub outer_fence: Option<u64>,
    /// Rounds left, the running one included; none where the call is not counted.
    pub rounds: Option<u64>,
    /// Where the round began.
    pub start: u64,
    /// Where the called tree's home was last entered.
    pub home: u64,
    /// Values to be restored.
    pub keep: Vec<i128>,
    /// The last place in the order of entries and `begin`s when the round began.
    pub began: u64,
}

/// The offset at which a branching was entered, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The offset, or [`NEVER`].
    pub pos: u64,
    /// Its place in the order of entries and `begin`s.
    pub sequence: u64,
}

impl Mark {
    /// Not set: a test of it says "moved".
    pub const UNSET: Mark = Mark { pos: NEVER, sequence: NEVER };
}

/// Bytes of a confined call that nobody took.
#[derive(Clone, Debug)]
pub(super) struct Skip {
    /// Where they end.
    pub to: u64,
    /// The call that they belong to.
    pub call: StateId,
    /// A handler; none: behind the call.
    pub handler: Option<StateId>,
}

/// What stands behind the last byte of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtEnd {
    /// More bytes, perhaps.
    More,
    /// The end of a confined call.
    Fence,
    /// The end of what a module gets.
    Limit,
    /// The end of the stream.
    Stream,
}

/// How a parser ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// At home, or at a `finish:` line.
    Complete,
    /// The stream ended too early.
    Incomplete,
    /// By `break`.
    Stopped,
    /// By an exception.
    Failed,
}

/// An exception on its way.
#[derive(Clone, Debug)]
pub(super) struct Raised {
    /// Why.
    pub kind: ErrorKind,
    /// The token.
    pub site: Option<SiteId>,
    /// What was looked at.
    pub found: Option<Found>,
    /// What would have been accepted.
    pub expect: Expect,
    /// Whether a byte is lacking: the fence or the end may make it a return, or complete.
    pub lack: bool,
    /// Whether a sub-parser lacked bytes at the end of the stream.
    pub incomplete: bool,
}

/// What would have been accepted.
#[derive(Clone, Debug)]
pub(super) enum Expect {
    /// Nothing in particular.
    Nothing,
    /// What the state takes.
    State(StateId),
    /// One of these.
    Set(ByteSet),
}

/// How a line of control stops.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// It needs bytes.
    Rest,
    /// A thread wins, and goes on by this edge's state.
    Won,
    /// A thread leaves.
    Left,
    /// The parser is over.
    Ended,
    /// A `skip` is to be worked off.
    Skip,
}

/// What is at hand during a call of `parse` or `finish`.
pub(super) struct Cx<'a> {
    /// All machines.
    pub program: &'a Prepared,
    /// The machine that runs.
    pub code: &'a Code,
    /// How to run.
    pub options: &'a Options,
    /// The fragment.
    pub bytes: &'a [u8],
    /// Offset of its first byte.
    pub base: u64,
    /// Takes the events.
    pub sink: &'a mut dyn FnMut(Event),
}

impl Cx<'_> {
    /// The bytes of a range of offsets; it lies in the fragment.
    #[inline]
    pub fn slice(&self, from: u64, to: u64) -> &[u8] {
        &self.bytes[(from - self.base) as usize..(to - self.base) as usize]
    }
}

impl Raised {
    /// An exception without a byte in hand.
    pub fn new(kind: ErrorKind, site: Option<SiteId>) -> Raised {
        Raised { kind, site, found: None, expect: Expect::Nothing, lack: false, incomplete: false }
    }

    /// An exception at a byte that a state looked at.
    pub fn at_byte(kind: ErrorKind, site: Option<SiteId>, state: StateId, byte: u8) -> Raised {
        let found = Some(Found::Byte(byte));
        Raised { found, expect: Expect::State(state), ..Raised::new(kind, site) }
    }

    /// An exception at a byte that a capture refused; only of a `mismatch` is told what is expected.
    pub fn refused(kind: ErrorKind, site: Option<SiteId>, state: StateId, byte: u8) -> Raised {
        let expect = if kind == ErrorKind::Mismatch { Expect::State(state) } else { Expect::Nothing };
        Raised { found: Some(Found::Byte(byte)), expect, ..Raised::new(kind, site) }
    }

    /// A state that lacks a byte.
    pub fn lacking(site: Option<SiteId>, expect: Expect) -> Raised {
        Raised { found: Some(Found::End), expect, lack: true, ..Raised::new(ErrorKind::Minimum, site) }
    }
}

impl Line {
    /// A line that has just entered a state.
    pub fn at(state: StateId, pos: u64) -> Line {
        Line { state: Some(state), fresh: true, pos, ..Line::default() }
    }

    /// A look at an offset, and what would have been taken there.
    #[inline]
    pub fn note(&mut self, at: u64, set: ByteSet) {
        if self.looked != at + 1 {
            (self.looked, self.passed) = (at + 1, ByteSet::EMPTY);
        }
        self.passed = self.passed | set;
    }

    /// Enters a state.
    #[inline]
    pub fn enter(&mut self, state: StateId) {
        self.state = Some(state);
        self.fresh = true;
        self.registers.n = 0;
        self.registers.k = 0;
        self.held = 0;
    }

    /// Whether it is a thread.
    #[inline]
    pub fn is_thread(&self) -> bool {
        self.log.is_some()
    }
}

impl Parser {
    /// A parser before its first byte.
    pub fn new(program: &Prepared, module: ModuleId, name: Option<String>) -> Parser {
        let code = program.module(module);
        let vars = &code.machine.symbols.vars;
        let subs = vars.ids().map(|_| None);
        let core = Core {
            name,
            store: code.start.clone(),
            frames: Vec::new(),
            marks: vec![Mark::UNSET; code.mark_count],
            fence: NEVER,
            bottom_home: 0,
            skip: None,
            begins: vec![None; code.slot_count],
            sequence: 0,
            subs: subs.collect(),
            used: Vec::new(),
            joined: Vec::new(),
            limit: NEVER,
            saw_end: false,
            delta: 0,
            finishing: AtEnd::More,
            end: 0,
            at_end: AtEnd::More,
            outcome: None,
            found: None,
        };
        Parser { core, main: Line::at(code.machine.start, 0) }
    }

    /// A parser of a module that another one uses. Modules do not hold themselves, so this ends.
    pub fn sub(program: &Prepared, module: ModuleId) -> Parser {
        let name = program.module(module).machine.name.clone();
        Parser::new(program, module, Some(name))
    }
}

impl Core {
    /// Hands an event on; `pos` is an offset of the module's own stream.
    #[inline]
    pub fn emit(&self, cx: &mut Cx<'_>, pos: u64, kind: EventKind) {
        (cx.sink)(Event { module: self.name.clone(), offset: pos.wrapping_add(self.delta), kind });
    }

    /// Works out the window: bytes up to the fence or the end of the fragment.
    pub fn set_window(&mut self, cx: &Cx<'_>) {
        let end = cx.base + cx.bytes.len() as u64;
        (self.end, self.at_end) =
            if self.fence <= end { (self.fence, AtEnd::Fence) } else { (end, self.finishing) };
    }

    /// Bytes to the innermost limit.
    pub fn left(&self, pos: u64) -> Option<u64> {
        let end = self.fence.min(self.limit);
        (end != NEVER).then(|| end.saturating_sub(pos))
    }

    /// Where the home of the running activation was last entered, to be changed where it is one of this tree.
    pub fn enter_home(&mut self, code: &Code, tree: vproto_ir::ids::TreeId, pos: u64) {
        match self.frames.last_mut() {
            Some(frame) if call_tree(code, frame.call) == Some(tree) => frame.home = pos,
            None if tree.index() == 0 => self.bottom_home = pos,
            _ => {}
        }
    }

    /// The marks of the running activation.
    pub fn marks_mut(&mut self, code: &Code) -> &mut [Mark] {
        let from = self.marks.len() - code.mark_count;
        &mut self.marks[from..]
    }

    /// The failure that an exception makes where nobody catches it.
    pub fn failure(&self, cx: &Cx<'_>, line: &Line, raised: &Raised) -> Failure {
        let code = cx.code;
        let symbols = &code.machine.symbols;
        let site = raised.site.map(|id| &code.machine.sites[id]);
        Failure {
            at: code.at(raised.site),
            column: site.map_or(0, |site| site.column),
            kind: raised.kind,
            expected: super::expect::text(self, code, line, raised),
            found: raised.found,
            variables: if cx.options.tells { self.store.all(symbols) } else { Vec::new() },
        }
    }
}

/// The tree that a call names.
fn call_tree(code: &Code, call: StateId) -> Option<vproto_ir::ids::TreeId> {
    match &code.state(call).kind {
        vproto_ir::machine::Kind::Call { tree, .. } => Some(*tree),
        _ => None,
    }
}

/// The edges of a call: into the tree, and behind the call.
pub(super) fn call_edges(code: &Code, call: StateId) -> Option<(&Edge, &Edge)> {
    match &code.state(call).kind {
        vproto_ir::machine::Kind::Call { to, next, .. } => Some((to, next)),
        _ => None,
    }
}
