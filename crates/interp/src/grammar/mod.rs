//! The naive interpreter: the law.
//!
//! It executes the checked description as `language.md` words it, byte by byte, with explicit state between two
//! bytes, so that the host's stack depends on the description only, never on the input. Nothing here is fast, and
//! nothing is shared with the lowering: the two are raced against each other.
//!
//! How it is cut up: [`runner`] holds the state of one module and the loop that drives it; [`branching`] chooses
//! alternatives with the sets of [`first`]; [`mod@line`] runs tokens; [`call`], [`raise`], [`end`] say what their names say;
//! [`group`] runs `< >`; [`modules`] sub-parsers; [`token`] the tokens that take bytes, [`number`] and [`until`] their parts;
//! [`output`] stores values and reports events.

mod branching;
mod call;
mod end;
mod first;
mod group;
mod line;
mod modules;
mod number;
mod opaque;
mod output;
mod raise;
mod runner;
mod start;
mod token;
mod until;

pub use opaque::{opaque_places, skipped_prints};

use crate::Interpreter;
use crate::trace::{Event, EventKind, Status};
use runner::{Ending, Runner};
use token::Look;
use vproto_ir::grammar::Grammar;
use vproto_source::Files;

/// Runs the root module of a program.
pub struct GrammarInterpreter<'g> {
    runner: Runner<'g>,
    begun: bool,
}

impl<'g> GrammarInterpreter<'g> {
    /// A parser at the start of its stream. Code that [`opaque_places`] lists counts as a false condition: refuse such
    /// programs before.
    pub fn new(grammar: &'g Grammar, files: &'g Files) -> GrammarInterpreter<'g> {
        GrammarInterpreter { runner: Runner::new(grammar, files, grammar.root), begun: false }
    }

    fn begin(&mut self) {
        if !self.begun {
            self.begun = true;
            self.runner.begin();
        }
    }

    fn drain(&mut self, sink: &mut dyn FnMut(Event)) {
        self.runner.out.drain(..).for_each(sink);
    }
}

impl Interpreter for GrammarInterpreter<'_> {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.runner.store.set(&self.runner.module.symbols, name, value)
    }

    fn tell_more(&mut self) {
        self.runner.tells = true;
    }

    fn parse(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Event)) {
        self.begin();
        self.drain(sink);
        for &byte in bytes {
            if self.ended() {
                return;
            }
            self.runner.feed(Look::Byte(byte));
            self.drain(sink);
        }
    }

    fn finish(&mut self, sink: &mut dyn FnMut(Event)) {
        self.begin();
        let status = match self.runner.finish(true) {
            Ending::Complete => Status::Complete,
            Ending::Stopped => Status::Stopped,
            Ending::Failed(failed) if failed.incomplete => Status::Incomplete,
            Ending::Failed(_) => Status::Error,
        };
        self.runner.emit(EventKind::End(status));
        self.drain(sink);
        self.runner.rewind();
        self.begun = false;
    }

    fn ended(&self) -> bool {
        self.begun && self.runner.ended().is_some()
    }
}
