//! The compiler as a library: text in, findings and programs out.
//!
//! The stages, in order: [`check`] (lex, lay out, parse, resolve, check), [`lower`] (grammar to naive machine),
//! [`compile`] (that, all passes and the verifier), [`generate_cpp`] (a target's text). Each is a function; nothing here
//! reads files, prints or knows the time.

pub use vproto_front::vproto::{KnownFiles, LoadKind, Loader};
pub use vproto_ir::grammar::Grammar;
pub use vproto_ir::machine::Program;
pub use vproto_ir::verify::Verified;
pub use vproto_source::{Code, Diagnostic, Diagnostics, File, FileId, Files, Severity};

pub use vproto_back::graph;

pub mod bitproto;
pub mod cpp;
pub mod locate;
mod stages;

pub use cpp::generate_cpp;
pub use stages::*;
