//! The front-end of vproto descriptions.
//!
//! [`lexer`] and [`layout`] split a text into lines, [`parser`] makes tokens of them, and together they give the tree
//! of a file ([`ast`]), whatever the text. [`resolve`] gives every name its meaning and makes the checked description,
//! [`check`] looks at its flow, and [`lower`] makes the machine of it. Every problem is a diagnostic; the only other
//! answer is that there is no grammar. [`fmt`] prints a tree in its one layout.

pub mod ast;
pub mod check;
pub mod code_scan;
pub mod escape;
pub mod fmt;
pub mod items;
pub mod layout;
pub mod lexer;
pub mod loader;
pub mod lower;
pub mod parser;
pub mod portable;
pub mod resolve;

pub use loader::{KnownFiles, LoadKind, Loader, NoFiles};
pub use resolve::{Parsed, parse};

use vproto_source::{Diagnostic, Diagnostics};

/// Findings after which more are left out: nobody reads them, and hostile input makes millions.
pub const MAX_FINDINGS: usize = 2000;

/// Adds a finding if there is room; behind the last one there is always room for a first error.
pub(crate) fn note(out: &mut Diagnostics, diagnostic: Diagnostic) {
    let room = out.len() < MAX_FINDINGS;
    if room || (diagnostic.is_error() && out.last().is_some_and(|d| !d.is_error())) {
        out.push(diagnostic);
    }
}
