//! The two interpreters: [`grammar`] defines the meaning, [`machine`] steps the IR. Both give the events of [`trace`].

pub mod digest;
pub mod eval;
pub mod grammar;
pub mod machine;
pub mod store;
pub mod trace;

use trace::Event;

/// A parser that is handed bytes in any fragmentation and reports events.
pub trait Interpreter {
    /// Sets a variable before parsing, from the text of `--set name=value`.
    ///
    /// # Errors
    /// A sentence that says what is wrong: no such variable, or a value that does not fit it.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String>;

    /// From now on tells what people want to know beyond the trace: events [`trace::EventKind::Caught`], and the
    /// variables in failures.
    fn tell_more(&mut self);

    /// Takes one fragment. Once parsing has stopped or failed it takes nothing.
    fn parse(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Event));

    /// No more bytes come. The last event is `End`, also after an error or `break`.
    fn finish(&mut self, sink: &mut dyn FnMut(Event));

    /// Whether parsing has ended by an error or `break`: more bytes change nothing.
    fn ended(&self) -> bool;
}
