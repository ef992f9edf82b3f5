//! One file a command: its arguments with their help, and its work.

pub mod check;
pub mod explain;
pub mod format;
pub mod generate;
pub mod graph;
pub mod helpers;
pub mod new;
pub mod run;

use crate::failure::{Failure, Verdict};
use crate::files::{Folders, read_description};
use crate::report::{self, Format};
use std::path::{Path, PathBuf};
use vproto::{Files, Grammar, Program, Verified};

/// A description that was read and checked.
pub struct Loaded {
    pub files: Files,
    pub grammar: Grammar,
    /// Every file that was read, the description first.
    pub read: Vec<PathBuf>,
}

/// Reads and checks a description; its findings go to standard error.
///
/// `None`: it has errors, which were reported.
fn load(path: &Path, include: &[PathBuf], format: Format) -> Result<Option<Loaded>, Failure> {
    let mut files = Files::default();
    let root = read_description(path, &mut files)?;
    let mut folders = Folders::new(include);
    let mut checked = vproto::check(&mut files, root, &mut folders);
    checked.diagnostics.retain(|d| !d.is_note());
    report::to_stderr(&files, &checked.diagnostics, format);
    let read = std::iter::once(path.to_path_buf()).chain(folders.read).collect();
    Ok(checked.grammar.map(|grammar| Loaded { files, grammar, read }))
}

/// The machines of a description. A machine that the verifier refuses is a bug of the tool, and is reported.
fn compiled(loaded: &Loaded) -> Result<Verified<Program>, Failure> {
    vproto::compile(&loaded.grammar, &loaded.files).map_err(|found| {
        report::to_stderr(&loaded.files, &vproto::Diagnostics::from_iter([*found]), Format::Text);
        Failure::Internal
    })
}

/// The verdict of a command that found errors, or not.
fn verdict(at_fault: bool) -> Verdict {
    if at_fault { Verdict::AtFault } else { Verdict::Fine }
}

/// Whether the interpreters can run it; what keeps them from it goes to standard error.
fn runnable(loaded: &Loaded) -> bool {
    let findings = vproto::not_portable(&loaded.grammar);
    report::to_stderr(&loaded.files, &findings, Format::Text);
    !findings.iter().any(vproto::Diagnostic::is_error)
}
