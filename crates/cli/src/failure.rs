//! Why a command ends early, and the exit code that says so.

use std::io;
use std::process::ExitCode;

/// What a command comes to: fine, the description or input at fault, or a failure of its own.
pub type Outcome = Result<Verdict, Failure>;

/// The two ends of a command that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Exit code 0.
    Fine,
    /// Exit code 1: the description or the input is at fault; what is wrong was already said.
    AtFault,
}

/// A command that could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// Exit code 1, with a sentence: the description cannot be had in this target.
    Description(String),
    /// Exit code 2, with a sentence.
    Usage(String),
    /// Exit code 3: a file could not be read or written.
    Io(String),
    /// Exit code 4: the tool itself is at fault; what is wrong was already said.
    Internal,
    /// Whoever read our output has gone: nothing more to say.
    ClosedPipe,
}

impl Failure {
    /// A failed reading or writing of `path`.
    pub fn io(doing: &str, path: &str, error: &io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::ClosedPipe;
        }
        Failure::Io(format!("cannot {doing} {path}: {}", plain(error)))
    }
}

/// The system's words without Rust's "(os error 2)".
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// The process's exit code; says what a failure is.
pub fn exit(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::AtFault) => ExitCode::from(1),
        Err(Failure::Description(text)) => {
            complain(&text);
            ExitCode::from(1)
        }
        Err(Failure::Usage(text)) => {
            complain(&text);
            ExitCode::from(2)
        }
        Err(Failure::Io(text)) => {
            complain(&text);
            ExitCode::from(3)
        }
        Err(Failure::Internal) => ExitCode::from(4),
        Err(Failure::ClosedPipe) => ExitCode::from(3),
    }
}

fn complain(text: &str) {
    use std::io::Write;
    // With standard error closed as well there is nobody to tell.
    let _ = writeln!(anstream::stderr(), "vproto: {text}");
}
