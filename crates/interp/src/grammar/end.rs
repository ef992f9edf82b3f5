//! The end of what a machine may see: of the stream, of a confined call, of a module's input.

use super::runner::{Control, Ending, Failed, Raised, Runner, Step, Stepped};
use vproto_ir::ids::LineId;

impl<'g> Runner<'g> {
    /// Something lacks a byte and there is none: at home that is the regular end, elsewhere the exception `minimum`.
    pub fn lack(&mut self, raised: Raised) -> Stepped {
        if self.at_fence() {
            let confined = self.confined_call();
            if self.activations[confined].home != self.position {
                return Err(raised);
            }
            return self.end_confined(confined);
        }
        if self.activations.first().is_some_and(|bottom| bottom.home == self.position) {
            return self.complete_stream();
        }
        let incomplete = self.ending == Some(true);
        Err(Raised { incomplete, ..raised })
    }

    /// A `finish:` line has run: the confined call returns, or the stream is complete.
    pub fn finish_line(&mut self, _line: LineId) -> Stepped {
        match self.at_fence() {
            true => self.end_confined(self.confined_call()),
            false => self.complete_stream(),
        }
    }

    /// The innermost confined call, as an index of the activations.
    fn confined_call(&self) -> usize {
        let confined =
            |a: &super::runner::Activation| a.call.as_ref().is_some_and(|call| call.limit.is_some());
        self.activations.iter().rposition(confined).unwrap_or(0)
    }

    /// The bytes of a confined call are used up where that is welcome: it returns, and the calls inside it with it.
    fn end_confined(&mut self, confined: usize) -> Stepped {
        while self.activations.len() > confined + 1 {
            self.pop_frame();
        }
        self.end_round(true)?;
        Ok(Step::Moved)
    }

    /// The stream, or the module's input, is complete. Joined modules are finished first; their failure is ours.
    fn complete_stream(&mut self) -> Stepped {
        if let Some((raised, failed)) = self.finish_joined() {
            self.fail(raised, failed.incomplete);
            return Ok(Step::Moved);
        }
        self.end_all_spans();
        self.control = Control::Ended(Ending::Complete);
        Ok(Step::Moved)
    }

    /// An exception that nobody caught: open spans, then the error.
    pub fn fail(&mut self, raised: Raised, incomplete: bool) {
        self.end_all_spans();
        let found = raised.found;
        self.report(raised);
        self.control = Control::Ended(Ending::Failed(Failed { incomplete, found }));
    }
}
