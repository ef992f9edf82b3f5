//! Files, spans and diagnostics.
//!
//! Everything that points into a description does so with a [`Span`]; everything the user is told is a
//! [`Diagnostic`]. Both are plain data: reading files and writing to a terminal is the shell's work.

pub mod code;
pub mod diagnostic;
pub mod file;
pub mod render;
pub mod span;

pub use code::Code;
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use file::{File, FileId, Files, Place};
pub use span::Span;
