//! The state of one module that runs, and the loop that drives it.
//!
//! Between two looks everything is explicit: a [`Control`] says where the machine rests, the activations are the
//! bottom one and the frames of `call:`. A step either moves without a byte, takes one, or rests.

use super::group::Group;
use super::modules::{Feeding, Sub};
use super::token::{Answer, Look, Reason, Running};
use crate::digest::Digester;
use crate::store::Store;
use crate::trace::{Event, Found};
use std::collections::HashMap;
use vproto_ir::byteset::ByteSet;
use vproto_ir::grammar::{Grammar, Module};
use vproto_ir::ids::{BranchingId, FunctionId, Id, LineId, ModuleId, TokenId, TreeId, VarId};
use vproto_ir::machine::ErrorKind;
use vproto_ir::symbols::{Var, VarType};
use vproto_source::Files;

/// More steps without a byte than any sound description takes: then it is `no-progress`.
const MOST_STEPS: u64 = 1 << 22;

/// One module that runs: the root, or a sub-parser.
pub struct Runner<'g> {
    pub grammar: &'g Grammar,
    pub files: &'g Files,
    pub module: &'g Module,
    pub root: bool,
    pub store: Store,
    pub activations: Vec<Activation>,
    pub control: Control<'g>,
    pub spans: Vec<OpenSpan>,
    /// Sub-parsers in the order of their first use.
    pub subs: Vec<Sub<'g>>,
    /// Start values of the sub-parsers' variables, for reading them before their first use.
    pub unused: Vec<(VarId, Store)>,
    /// Bytes consumed of the module's own stream.
    pub position: u64,
    /// Bytes consumed of the outer stream.
    pub outer: u64,
    /// Where the module's `max` ends its input.
    pub end: Option<u64>,
    /// Counts what happens, to tell what began before what.
    pub clock: u64,
    /// Once the end has been looked at: whether it is the end of the stream, where nothing is caught.
    pub ending: Option<bool>,
    /// Events to be handed out.
    pub out: Vec<Event>,
    /// What tokens of parallel states would have taken at the last look: the expected bytes where none is left.
    pub looked_for: ByteSet,
    /// Own and outer position of a deferred event while it is made up for.
    pub deferred: Option<(u64, u64)>,
    /// The token whose event is made, for its line.
    pub current: TokenId,
    /// Whether to tell of caught exceptions, and of the variables in failures.
    pub tells: bool,
}

/// The bottom of the stack, or a frame.
pub struct Activation {
    /// Of a frame: the call.
    pub call: Option<Frame>,
    /// The tree that was called.
    pub tree: TreeId,
    /// Position at which a home of that tree was last entered.
    pub home: u64,
    /// Position and time at which each branching was last entered.
    pub entered: HashMap<BranchingId, (u64, u64)>,
    /// Position at which each `jmp:` was last run.
    pub jumped: HashMap<TokenId, u64>,
    /// When it began.
    pub began: u64,
}

/// What a `call:` left to be done.
pub struct Frame {
    pub line: LineId,
    pub index: usize,
    pub token: TokenId,
    /// Where the confined call's bytes end.
    pub limit: Option<u64>,
    /// Rounds that are left, the running one included.
    pub rounds: Option<u64>,
    /// Where the running round began.
    pub round: u64,
    /// What `keep` restores.
    pub keep: Vec<(VarId, i128)>,
}

/// Where the machine is.
pub enum Control<'g> {
    /// About to enter a branching.
    Enter(BranchingId),
    /// In a branching, at an alternative that is to be decided. `looked`: an alternative was refused after a look.
    Branching { branching: BranchingId, alternative: usize, looked: Option<Found>, grouped: bool },
    /// About to run a token.
    Line { line: LineId, index: usize },
    /// In a token.
    Token { line: LineId, index: usize, running: Running<'g> },
    /// In `< >`.
    Group(Group<'g>),
    /// In a token that feeds a sub-parser.
    Module { line: LineId, index: usize, feeding: Feeding<'g> },
    /// Skips what is left of a confined call.
    Skip { end: u64, call: (LineId, usize), then: (LineId, usize) },
    /// Parsing is over.
    Ended(Ending),
}

/// How parsing ended.
#[derive(Clone, Debug)]
pub enum Ending {
    Complete,
    Stopped,
    Failed(Failed),
}

/// An exception that nobody caught.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The stream ended too early.
    pub incomplete: bool,
    pub found: Option<Found>,
}

/// A span that is open: bytes for the user, or for a check value.
pub struct OpenSpan {
    pub to: SpanTarget,
    pub token: TokenId,
    pub began: u64,
}

pub enum SpanTarget {
    Function(FunctionId, Vec<u8>),
    Digest(VarId, Digester),
}

/// An exception on its way to a handler.
#[derive(Debug)]
pub struct Raised {
    pub site: Site,
    pub kind: ErrorKind,
    pub expected: String,
    pub found: Option<Found>,
    /// It is the lack of bytes at the end of the stream.
    pub incomplete: bool,
    /// Where the search for a handler begins.
    pub origin: Origin,
}

/// The place that an error names.
#[derive(Clone, Copy, Debug)]
pub enum Site {
    Token(TokenId),
    Branching(BranchingId),
}

/// A line, or a branching before any line of it was chosen.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    Line(LineId),
    Branching(BranchingId),
}

/// What a step came to.
pub enum Step {
    /// Something changed; no byte was taken.
    Moved,
    /// The byte was taken.
    Took,
    /// It takes a look to go on.
    Rest,
    /// Parsing is over.
    Over,
}

pub type Stepped = Result<Step, Raised>;

impl<'g> Runner<'g> {
    pub fn new(grammar: &'g Grammar, files: &'g Files, id: ModuleId) -> Runner<'g> {
        let module = &grammar.modules[id];
        Runner {
            grammar,
            files,
            module,
            root: id == grammar.root,
            store: Store::new(&module.symbols),
            activations: Vec::new(),
            control: Control::Ended(Ending::Complete),
            spans: Vec::new(),
            subs: Vec::new(),
            unused: unused_stores(grammar, module),
            position: 0,
            outer: 0,
            end: None,
            clock: 0,
            ending: None,
            out: Vec::new(),
            looked_for: ByteSet::EMPTY,
            deferred: None,
            current: TokenId::from_index(0),
            tells: false,
        }
    }

    /// Enters the first tree and goes as far as it can without a byte.
    pub fn begin(&mut self) {
        self.enter_top();
        self.drive(None);
    }

    /// Hands on a byte; true where it was taken.
    pub fn feed(&mut self, look: Look) -> bool {
        self.drive(Some(look))
    }

    /// No more bytes come: at the end of the stream, or of a limit that can be caught.
    pub fn finish(&mut self, stream: bool) -> Ending {
        if self.ended().is_none() {
            self.ending = Some(stream);
            self.drive(Some(Look::End));
        }
        let failure = Failed { incomplete: false, found: None };
        self.ended().cloned().unwrap_or(Ending::Failed(failure))
    }

    /// How parsing ended, if it did.
    pub fn ended(&self) -> Option<&Ending> {
        match &self.control {
            Control::Ended(ending) => Some(ending),
            _ => None,
        }
    }

    /// At the start of a new stream; variables keep their values.
    pub fn rewind(&mut self) {
        self.spans.clear();
        self.subs.clear();
        self.position = 0;
        self.outer = 0;
        self.ending = None;
        self.control = Control::Ended(Ending::Complete);
    }

    /// A fresh stack, at the top branching.
    pub fn enter_top(&mut self) {
        let first = TreeId::from_index(0);
        self.activations.clear();
        self.push_activation(first, None);
        self.control = Control::Enter(self.module.trees[first].branching);
    }

    pub fn push_activation(&mut self, tree: TreeId, call: Option<Frame>) {
        let began = self.tick();
        let home = self.position;
        let (entered, jumped) = (HashMap::new(), HashMap::new());
        self.activations.push(Activation { call, tree, home, entered, jumped, began });
    }

    pub fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Where the innermost confined call ends.
    pub fn fence(&self) -> Option<u64> {
        self.activations.iter().rev().find_map(|a| a.call.as_ref()?.limit)
    }

    /// Whether the innermost confined call has no bytes left.
    pub fn at_fence(&self) -> bool {
        self.fence() == Some(self.position)
    }

    /// Counts a byte as consumed; the open spans get it, unless a group keeps them waiting.
    pub fn take(&mut self, byte: u8, spans: bool) {
        self.position += 1;
        self.outer += 1;
        if spans {
            self.feed_spans(byte);
        }
    }

    /// Goes on until it takes a look that is not there. True where the look was a byte, and taken.
    fn drive(&mut self, look: Option<Look>) -> bool {
        let start = self.position;
        let mut steps = 0;
        loop {
            let took = self.position > start;
            let looks_left = look.filter(|&look| !took || look == Look::End);
            let shown = if self.at_fence() { Some(Look::End) } else { looks_left };
            match self.step(shown) {
                Ok(Step::Moved | Step::Took) => {}
                Ok(Step::Rest | Step::Over) => return took,
                Err(raised) => self.raise(raised),
            }
            steps += 1;
            if steps > MOST_STEPS {
                self.give_up();
            }
        }
    }

    fn step(&mut self, look: Option<Look>) -> Stepped {
        match std::mem::replace(&mut self.control, Control::Ended(Ending::Complete)) {
            Control::Enter(branching) => {
                self.enter(branching);
                Ok(Step::Moved)
            }
            Control::Branching { branching, alternative, looked, grouped } => {
                self.decide(branching, alternative, looked, grouped, look)
            }
            Control::Line { line, index } => self.run_token(line, index),
            Control::Token { line, index, running } => self.look_token(line, index, running, look),
            Control::Group(group) => self.run_group(group, look),
            Control::Module { line, index, feeding } => self.feed_module(line, index, feeding, look),
            Control::Skip { end, call, then } => self.skip(end, call, then, look),
            Control::Ended(ending) => {
                self.control = Control::Ended(ending);
                Ok(Step::Over)
            }
        }
    }

    /// Enters a branching: notes where and when, and whether its tree is at home now.
    fn enter(&mut self, branching: BranchingId) {
        let now = (self.position, self.tick());
        let place = &self.module.branchings[branching];
        if let Some(activation) = self.activations.last_mut() {
            activation.entered.insert(branching, now);
            if place.home && place.tree == activation.tree {
                activation.home = now.0;
            }
        }
        self.control = Control::Branching { branching, alternative: 0, looked: None, grouped: false };
    }

    fn look_token(
        &mut self,
        line: LineId,
        index: usize,
        mut running: Running<'g>,
        look: Option<Look>,
    ) -> Stepped {
        let token = self.module.lines[line].tokens[index];
        let Some(look) = look else {
            self.control = Control::Token { line, index, running };
            return Ok(Step::Rest);
        };
        match running.look(look) {
            Answer::Took => {
                if let Look::Byte(byte) = look {
                    self.take(byte, true);
                }
                match running.done() {
                    true => self.complete(line, index, running)?,
                    false => self.control = Control::Token { line, index, running },
                }
                Ok(Step::Took)
            }
            Answer::Complete => {
                self.complete(line, index, running)?;
                Ok(Step::Moved)
            }
            Answer::Raise(reason) => {
                self.perform(line, token, running.handed_on())?;
                self.refuse(line, token, reason)
            }
        }
    }

    /// The token is complete: what it stored is stored, and the line goes on.
    pub fn complete(&mut self, line: LineId, index: usize, running: Running<'g>) -> Result<(), Raised> {
        let token = self.module.lines[line].tokens[index];
        let effect = running.effect().map_err(|kind| self.exception(line, token, kind))?;
        self.perform(line, token, effect)?;
        self.control = Control::Line { line, index: index + 1 };
        Ok(())
    }

    /// An exception at a token of a line, raised without a look.
    pub fn exception(&self, line: LineId, token: TokenId, kind: ErrorKind) -> Raised {
        let (site, expected, origin) = (Site::Token(token), String::new(), Origin::Line(line));
        Raised { site, kind, expected, found: None, incomplete: false, origin }
    }

    /// A token refused what it looked at: bytes may be lacking, else it is an exception.
    pub fn refuse(&mut self, line: LineId, token: TokenId, reason: Reason) -> Stepped {
        let Reason { kind, expected, found } = reason;
        let origin = Origin::Line(line);
        let raised = Raised { site: Site::Token(token), kind, expected, found, incomplete: false, origin };
        if kind == ErrorKind::Minimum { self.lack(raised) } else { Err(raised) }
    }

    /// Ends what a wrong description would go on with for ever.
    fn give_up(&mut self) {
        let first = LineId::from_index(0);
        let raised = self.exception(first, self.current, ErrorKind::NoProgress);
        self.raise(raised);
    }
}

fn unused_stores(grammar: &Grammar, module: &Module) -> Vec<(VarId, Store)> {
    let store = |(var, v): (VarId, &Var)| match v.ty {
        VarType::Module(id) => Some((var, Store::new(&grammar.modules[id].symbols))),
        _ => None,
    };
    module.symbols.vars.iter().filter_map(store).collect()
}
