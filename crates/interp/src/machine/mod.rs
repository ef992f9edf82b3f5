//! The interpreter of the machine: it steps the states of `vproto_ir::machine` and is what `vproto run` uses.
//!
//! Its job is the events of the trace, for a machine as it was lowered and after any pass, whatever the
//! fragmentation of the input. Scans look at slices through tables, captures are offsets while a fragment lasts,
//! and all that is remembered between fragments is in `Parser`: a clone is a snapshot.
//!
//! Memory is bounded by the limits of the description and by what a trace must print in one piece. The host's stack is
//! not driven by input: it nests only as modules and groups of the description do.

mod action;
mod begin;
mod code;
mod env;
mod expect;
mod group;
mod module;
mod number;
mod parser;
mod plan;
mod raise;
mod run;
mod span;
mod wipe;

use crate::Interpreter;
use crate::trace::{Event, EventKind, Status};
use code::Prepared;
use parser::{AtEnd, Cx, Outcome, Parser};
use std::sync::Arc;
use vproto_ir::machine::Program;
use vproto_ir::verify::Verified;

/// How a machine is stepped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether chain plans replace steps.
    pub plans: bool,
    /// Whether registers that the analysis `live` does not name are wiped at every cut: for tests of the analysis.
    pub wipe_dead: bool,
    /// Whether to tell of caught exceptions, and of the variables in failures.
    pub tells: bool,
}

/// A parser that steps a machine. A clone is a snapshot.
#[derive(Clone, Debug)]
pub struct MachineInterpreter {
    program: Arc<Prepared>,
    options: Options,
    parser: Parser,
    finished: bool,
}

impl MachineInterpreter {
    /// A parser at the start of its stream. Plans are ignored.
    pub fn new(program: &Verified<Program>) -> MachineInterpreter {
        MachineInterpreter::with_options(program, Options::default())
    }

    /// A parser at the start of its stream.
    pub fn with_options(program: &Verified<Program>, options: Options) -> MachineInterpreter {
        let program = Arc::new(Prepared::new(program, options));
        let parser = Parser::new(&program, program.root, None);
        MachineInterpreter { program, options, parser, finished: false }
    }

    /// The next stream: variables stay as they are.
    fn start_anew(&mut self) {
        let store = self.parser.core.store.clone();
        self.parser = Parser::new(&self.program, self.program.root, None);
        self.parser.core.store = store;
        self.finished = false;
    }

    /// Bytes of the stream that were consumed.
    pub fn position(&self) -> u64 {
        self.parser.main.pos
    }
}

impl Interpreter for MachineInterpreter {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let symbols = &self.program.module(self.program.root).machine.symbols;
        self.parser.core.store.set(symbols, name, value)
    }

    fn tell_more(&mut self) {
        self.options.tells = true;
    }

    fn parse(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Event)) {
        if self.finished {
            self.start_anew();
        }
        let code = self.program.module(self.program.root);
        let base = self.parser.main.pos;
        self.parser.parse(&mut Cx {
            program: &self.program,
            code,
            options: &self.options,
            bytes,
            base,
            sink,
        });
    }

    fn finish(&mut self, sink: &mut dyn FnMut(Event)) {
        if self.finished {
            return;
        }
        self.finished = true;
        let code = self.program.module(self.program.root);
        let base = self.parser.main.pos;
        let mut cx = Cx { program: &self.program, code, options: &self.options, bytes: &[], base, sink };
        let status = match self.parser.finish(&mut cx, AtEnd::Stream) {
            Outcome::Complete => Status::Complete,
            Outcome::Incomplete => Status::Incomplete,
            Outcome::Stopped => Status::Stopped,
            Outcome::Failed => Status::Error,
        };
        sink(Event { module: None, offset: self.parser.main.pos, kind: EventKind::End(status) });
    }

    fn ended(&self) -> bool {
        self.parser.core.outcome.is_some()
    }
}
