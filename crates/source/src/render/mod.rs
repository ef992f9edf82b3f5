//! Renderings of diagnostics: text for people, JSON Lines and SARIF for machines.
//!
//! Each is a pure function from files and diagnostics to a `String`. They trust no span: one that lies outside of its
//! file is clamped to it, so that a finding is never lost to its place.

mod json;
mod sarif;
mod text;

pub use json::json;
pub use sarif::sarif;
pub use text::{Style, summary, text};

use crate::{Files, Place, Span};

/// Where a span starts and ends; the end is the place behind its last character.
fn places(files: &Files, span: Span) -> (Place, Place) {
    let file = files.get(span.file);
    (file.place(span.start), file.place(span.end.max(span.start)))
}
