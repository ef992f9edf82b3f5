//! The bitproto front-end: text of schemas to a checked [`Schema`].
//!
//! It accepts and refuses exactly what bitproto 1.3.2 does, but reports all errors of all files at once, each with its
//! place and a remedy. The stages are [`lexer`], [`parser`] (a tree, whatever the text) and [`resolve`]; [`lint`] gives
//! the warnings. Files come through a [`Loader`], so that nothing here reads files. Any byte string is answered
//! without panic, and recursion is bounded by limits that are errors of their own.

pub mod ast;
pub mod integer;
pub mod lexer;
pub mod lint;
pub mod parser;
pub mod resolve;

use vproto_ir::wire::Schema;
use vproto_source::code::text::NOT_UTF8;
use vproto_source::{Diagnostic, Diagnostics, File, FileId, Files, Span};

/// A file as a [`Loader`] found it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The name that diagnostics show. Two imports of one file have to give the same name: it tells cycles.
    pub name: String,
    /// What it contains.
    pub bytes: Vec<u8>,
}

/// Finds the file that `from` imports as `path`; the error is a reason for the reader.
pub type Loader<'a> = dyn FnMut(&str, &str) -> Result<Loaded, String> + 'a;

/// How a schema is checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether the linter is silent (`-q`).
    pub quiet: bool,
    /// Whether marks are errors, as in 1.3.2 with `-O`.
    pub refuse_marks: bool,
}

/// What became of a schema.
#[derive(Debug)]
pub struct Checked {
    /// All files that were read.
    pub files: Files,
    /// The schema; where there are errors it lacks what is wrong.
    pub schema: Schema,
    /// Errors and warnings in the order of their places, file by file.
    pub diagnostics: Diagnostics,
}

impl Checked {
    /// Whether any error was found.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Checks a schema and all that it imports.
pub fn check(root: Loaded, loader: &mut Loader<'_>, options: Options) -> Checked {
    let mut checked = resolve::resolve(root, loader, options);
    checked.diagnostics.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
    checked.diagnostics.dedup();
    checked
}

/// Adds a file, with a finding where it is not UTF-8.
fn add_file(files: &mut Files, loaded: Loaded, diagnostics: &mut Diagnostics) -> FileId {
    match String::from_utf8(loaded.bytes) {
        Ok(text) => files.add(File::new(loaded.name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let id = files.add(File::new(loaded.name, text));
            let span = Span::new(id, at, at);
            diagnostics.push(Diagnostic::new(
                NOT_UTF8,
                "the schema is not UTF-8",
                span,
                "this byte cannot stand here",
            ));
            id
        }
    }
}
